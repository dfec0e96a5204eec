//! What is done, by whom, and whether somebody is asked first.

use std::fmt;
use std::sync::Arc;

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Reads files.
    Read,
    /// Writes files.
    Write,
    /// Talks to hosts.
    Network,
    /// Starts programs.
    Exec,
    /// Spends money.
    Spend,
    /// Sends messages that people see.
    Send,
    /// Sees environment variables.
    Env,
    /// Sees secrets.
    Secret,
    /// Calls tools, connectors or host capabilities.
    Call,
    /// An identifier a newer specification added: printed, compared, and grants nothing.
    Other(String),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Network => "network",
            Self::Exec => "exec",
            Self::Spend => "spend",
            Self::Send => "send",
            Self::Env => "env",
            Self::Secret => "secret",
            Self::Call => "call",
            Self::Other(name) => name,
        })
    }
}

/// Who does it. Names are shared: a document can say a thousand things about one capability.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Anything in the package.
    Package,
    /// One tool.
    Tool(Arc<str>),
    /// One capability of a SkillPact contract.
    Capability(Arc<str>),
    /// One conformance test.
    Case(Arc<str>),
    /// One connector.
    Connector(Arc<str>),
}

/// Whether a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confirm {
    /// The author asks for no question.
    Never,
    /// Each time.
    Each,
    /// Once a session.
    Session,
    /// The author says nothing; the host decides.
    HostDecides,
}

impl Confirm {
    /// Which of the two asks more often. Where one author says "never" and another leaves it to the host, the host decides.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let often = |confirm| match confirm {
            Self::Never => 0,
            Self::HostDecides => 1,
            Self::Session => 2,
            Self::Each => 3,
        };
        if often(self) >= often(other) { self } else { other }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package => f.write_str("package"),
            Self::Tool(name) => write!(f, "tool `{name}`"),
            Self::Capability(id) => write!(f, "capability `{id}`"),
            Self::Case(id) => write!(f, "test `{id}`"),
            Self::Connector(name) => write!(f, "connector `{name}`"),
        }
    }
}
