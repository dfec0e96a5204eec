//! [`State`]: where a workflow is, in a file that the user names. It is written as a whole or not at all, and read as strictly
//! as anything that somebody else may have written.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use kitbag_core::formats::adcap::Unfit;
use kitbag_core::json::{self, Json, print};
use kitbag_core::limits::{self, ReadError};

use crate::draft::{Existing, FileDraft, folder_of};

/// The most bytes of a state: what the steps of a workflow gave is in it.
const STATE_BYTES: u64 = 64 << 20;

/// A file in which it is written down where a workflow is.
#[derive(Clone, Debug)]
pub struct State {
    path: PathBuf,
}

/// Why a state is of no use.
#[derive(Debug)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be read or written.
    Io {
        /// What was tried: `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// What is in it is no state of this workflow.
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why not.
        because: String,
    },
    /// It would be too long.
    TooLong {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, error } => write!(f, "cannot {doing} `{}`: {error}", path.display()),
            Self::Unfit { path, because } => {
                write!(f, "`{}` cannot be gone on from: {because}", path.display())
            }
            Self::TooLong { path } => {
                write!(
                    f,
                    "what steps gave does not fit into `{}`: more than {STATE_BYTES} bytes",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for StateError {}

impl State {
    /// The state in the file at `path`, which need not be there yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    fn io(&self, doing: &'static str, error: io::Error) -> StateError {
        StateError::Io { doing, path: self.path.clone(), error }
    }

    pub(super) fn unfit(&self, unfit: &Unfit) -> StateError {
        StateError::Unfit { path: self.path.clone(), because: unfit.to_string() }
    }

    /// What is in it; `None` where there is no such file.
    pub(super) fn read(&self) -> Result<Option<Json>, StateError> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| self.io("read", error))?,
        };
        let unfit = |because: String| StateError::Unfit { path: self.path.clone(), because };
        let bytes = match limits::read_bounded(&mut file, 0, STATE_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::Io(error)) => return Err(self.io("read", error)),
            Err(exceeded) => return Err(unfit(exceeded.to_string())),
        };
        json::read(&bytes).map(Some).map_err(|error| unfit(error.to_string()))
    }

    /// Puts `json` into it.
    pub(super) fn write(&self, json: &Json) -> Result<(), StateError> {
        let failed = |error| self.io("write", error);
        let text = print::document(json);
        if text.len() as u64 > STATE_BYTES {
            return Err(StateError::TooLong { path: self.path.clone() });
        }
        let mut draft = FileDraft::new(folder_of(&self.path)).map_err(failed)?;
        draft.file().write_all(text.as_bytes()).map_err(failed)?;
        draft.commit(&self.path, Existing::Replace).map_err(failed)
    }

    /// Takes it away: there is nothing to go on with.
    pub(super) fn remove(&self) -> Result<(), StateError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io("remove", error)),
            _ => Ok(()),
        }
    }
}
