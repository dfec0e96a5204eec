//! [`Fault`]: why a tool gave no output, in the words of Splice 1 ("Runtime"), which every format's tools share here.

/// Why a tool gave no output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What is so.
    pub message: String,
    /// Each thing that is wrong, where there are several.
    pub details: Vec<String>,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, message: String) -> Self {
        Self { kind, message, details: Vec::new() }
    }
}

/// A kind of fault, named as Splice names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The input is not what the tool takes.
    InvalidInput,
    /// The input is longer, or nested more deeply, than any tool takes.
    InputTooLarge,
    /// The output is not what the tool says that it gives.
    InvalidOutput,
    /// The tool said more than it may.
    OutputTooLarge,
    /// The tool did what its package does not declare.
    PermissionDenied,
    /// The tool's module cannot be loaded, or exports no function.
    ToolLoadFailed,
    /// The tool says that it failed.
    ToolError,
    /// The tool broke the protocol, and is trusted no further.
    Protocol,
    /// The tool ended without an answer.
    ToolCrashed,
    /// The time was over.
    Timeout,
}

impl FaultKind {
    /// Its name in every answer.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidInput => "INVALID_INPUT",
            Self::InputTooLarge => "INPUT_TOO_LARGE",
            Self::InvalidOutput => "INVALID_OUTPUT",
            Self::OutputTooLarge => "OUTPUT_TOO_LARGE",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ToolLoadFailed => "TOOL_LOAD_FAILED",
            Self::ToolError => "TOOL_ERROR",
            Self::Protocol => "PROTOCOL",
            Self::ToolCrashed => "TOOL_CRASHED",
            Self::Timeout => "TIMEOUT",
        }
    }
}
