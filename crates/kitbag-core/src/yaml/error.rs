//! Why a text is not YAML, or more of it than is read.

use std::fmt;

use crate::json::Span;

/// Why a text could not be read as YAML, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes at which reading stopped.
    pub span: Span,
    /// What is so.
    pub kind: SyntaxErrorKind,
}

/// What kept a text from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text breaks YAML's grammar; in the parser's words.
    Grammar(String),
    /// An alias names an anchor that was not defined before it.
    UndefinedAlias(String),
    /// Collections nested too deeply.
    Depth {
        /// Most levels that are read.
        max: usize,
    },
    /// Too many nodes.
    Nodes {
        /// Most nodes that are read.
        max: usize,
    },
    /// Too long.
    Bytes {
        /// Most bytes that are read.
        max: usize,
    },
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grammar(words) => f.write_str(words),
            Self::UndefinedAlias(name) => write!(f, "the alias `*{name}` names no anchor"),
            Self::Depth { max } => write!(f, "collections are nested more than {max} deep"),
            Self::Nodes { max } => write!(f, "there are more than {max} values"),
            Self::Bytes { max } => write!(f, "there are more than {max} bytes"),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// Why a tree that was read means nothing under a schema, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes it is about.
    pub span: Span,
    /// What is so.
    pub message: String,
}

impl Problem {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
