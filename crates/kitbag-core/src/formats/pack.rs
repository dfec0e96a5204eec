//! What packing gives and why it fails, for every format.

use std::fmt;

use crate::archive::tar::WriteError;
use crate::digest::Sha256;
use crate::path::PackagePath;

/// What pins the content of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pins {
    /// The digest of the archive's bytes: nothing in the archive says what is in it.
    ArchiveBytes {
        /// SHA-256 of the archive.
        sha256: Sha256,
        /// Its length.
        size: u64,
    },
    /// The digest of the manifest, which lists every file with its own.
    ManifestDigest {
        /// SHA-256 of the manifest in its format's canonical form.
        sha256: Sha256,
    },
    /// A list of files with their digests, inside a document that may be signed.
    FileList {
        /// How many it lists.
        files: usize,
    },
    /// Nothing.
    Nothing,
}

/// Why a package could not be packed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PackError {
    /// The format has no archive of its own.
    NoArchive {
        /// The format.
        format: &'static str,
        /// Formats that would carry the package.
        carriers: &'static [&'static str],
    },
    /// The archive may not hold what is in the package.
    Unsound {
        /// The entry it is about; `None` for the package as a whole.
        path: Option<PackagePath>,
        /// What is so.
        because: String,
    },
    /// The archive could not be written.
    Write(WriteError),
}

impl PackError {
    pub(super) const fn unsound(path: Option<PackagePath>, because: String) -> Self {
        Self::Unsound { path, because }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoArchive { format, carriers: [] } => write!(f, "{format} has no archive of its own"),
            Self::NoArchive { format, carriers } => {
                let carriers = carriers.join(" or ");
                write!(
                    f,
                    "{format} has no archive of its own; a manifest of {carriers} beside it would carry it"
                )
            }
            Self::Unsound { path: Some(path), because } => write!(f, "`{path}` cannot be packed: {because}"),
            Self::Unsound { path: None, because } => write!(f, "the package cannot be packed: {because}"),
            Self::Write(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for PackError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}
