//! [`StoreError`]: why a store cannot be read or changed. What is in it is left as it is.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;

/// Why a store cannot be read or changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// There is none.
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds something else.
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The first name in it that no store has.
        found: PathBuf,
    },
    /// A document of the store cannot be believed.
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A later version of the program wrote it.
    Newer {
        /// The file.
        file: PathBuf,
        /// The version that it says.
        version: i64,
    },
    /// A document refers to a content that is not there.
    Unknown {
        /// Its digest.
        digest: Sha256,
    },
    /// A document would be longer than one is read.
    TooLong {
        /// The file.
        file: PathBuf,
        /// Most bytes it may have.
        max: u64,
    },
    /// Whoever waited no longer does.
    Interrupted,
    /// The system refused.
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which path.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
}

/// What is wrong with a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place in it, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// What is so.
    pub because: String,
}

impl StoreError {
    pub(super) const fn damaged(file: PathBuf, because: String) -> Self {
        Self::Damaged { file, fault: Fault { pointer: String::new(), because } }
    }

    pub(super) fn io(doing: &'static str, path: &Path, error: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), error }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { folder } => write!(f, "there is no store in `{}`", folder.display()),
            Self::Foreign { folder, found } => {
                let (folder, found) = (folder.display(), found.display());
                write!(f, "`{folder}` is no store and has something else in it: `{found}`")
            }
            Self::Damaged { file, fault } if fault.pointer.is_empty() => {
                write!(f, "`{}` is damaged: {}", file.display(), fault.because)
            }
            Self::Damaged { file, fault } => {
                write!(f, "`{}` is damaged at `{}`: {}", file.display(), fault.pointer, fault.because)
            }
            Self::Newer { file, version } => {
                let file = file.display();
                write!(f, "`{file}` has version {version}, which a later kitbag wrote")
            }
            Self::Unknown { digest } => write!(f, "no content {digest} is there to refer to"),
            Self::TooLong { file, max } => {
                write!(f, "`{}` would have more than {max} bytes", file.display())
            }
            Self::Interrupted => f.write_str("interrupted"),
            Self::Io { doing, path, error } => write!(f, "cannot {doing} `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
