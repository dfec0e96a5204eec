//! Why a content cannot be had. No sentence holds an address beyond its host: the rest may be a secret.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why one mirror did not give a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its host.
    pub host: String,
    /// What is so.
    pub because: String,
}

/// Why a content cannot be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is not kept, and nobody asks the network.
    Offline {
        /// What is wanted.
        what: String,
    },
    /// It is not for everybody, and nobody proves that it is for us.
    Unauthorised {
        /// What is wanted.
        what: String,
        /// What is needed.
        because: String,
    },
    /// No mirror gives it.
    Nowhere {
        /// What is wanted.
        what: String,
        /// Each mirror, in order.
        failures: Vec<Failure>,
    },
    /// There is no room for it.
    Full {
        /// What is wanted.
        what: String,
        /// How many bytes it needs.
        needed: u64,
        /// How many there are.
        free: u64,
    },
    /// It should say where shards are, and does not.
    Map {
        /// The resource.
        resource: String,
        /// Why not.
        because: String,
    },
    /// Whoever waited no longer does.
    Interrupted,
    /// It would come too late.
    Late,
    /// A file of the cache cannot be used.
    Io {
        /// What was tried: `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl Error {
    pub(super) fn io(doing: &'static str, path: &Path, error: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline { what } => write!(f, "{what} is not in the cache, and nothing is fetched offline"),
            Self::Unauthorised { what, because } => write!(f, "{what} cannot be fetched: {because}"),
            Self::Nowhere { what, failures } => {
                write!(f, "{what} cannot be fetched")?;
                for (number, Failure { host, because }) in failures.iter().enumerate() {
                    let link = if number == 0 { ": " } else { "; " };
                    write!(f, "{link}{}: {because}", host.escape_debug())?;
                }
                Ok(())
            }
            Self::Full { what, needed, free } => {
                write!(f, "{what} needs {needed} bytes more, and {free} are free where the cache is")
            }
            Self::Map { resource, because } => {
                write!(f, "the resource `{}` is no map of shards: {because}", resource.escape_debug())
            }
            Self::Interrupted => f.write_str("interrupted"),
            Self::Late => f.write_str("it would come too late"),
            Self::Io { doing, path, error } => write!(f, "cannot {doing} `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
