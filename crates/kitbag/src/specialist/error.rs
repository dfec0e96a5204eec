//! [`Error`]: why a question about Specialists has no answer. What is wrong with a package is a finding, and what is refused an
//! answer.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::read::ReadError;
use crate::store::StoreError;

/// Why a question has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The package cannot be read at all.
    Read(ReadError),
    /// A content of the package cannot be read any more.
    Content(io::Error),
    /// The store cannot be read or changed.
    Store(StoreError),
    /// The archive could not be written.
    Write {
        /// Where.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// What was written does not read back as what was to be written.
    NotReadBack {
        /// Why.
        because: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Content(error) => write!(f, "the package cannot be read: {error}"),
            Self::Store(error) => error.fmt(f),
            Self::Write { path, error } => write!(f, "cannot write `{}`: {error}", path.display()),
            Self::NotReadBack { because } => {
                write!(f, "what was written does not read back and was taken away: {because}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => error.source(),
            Self::Store(error) => error.source(),
            Self::Content(error) | Self::Write { error, .. } => Some(error),
            Self::NotReadBack { .. } => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
