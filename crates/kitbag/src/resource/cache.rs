//! [`Cache`]: contents by their digests, and how one gets there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kitbag_core::digest::Sha256;
use kitbag_core::transfer::Pin;

use crate::lock::{self, Hold};

use super::partial::Partial;
use super::{Error, Patience, Supply, Wanted, download};

/// The folder of contents in a cache.
pub(super) const BLOBS: &str = "blobs";
/// The folder of their beginnings, in that.
pub(super) const PARTIAL: &str = "partial";
/// The folder of copies of packages.
pub(crate) const COPIES: &str = "packages";
/// The folder of what runs see.
pub(crate) const RUNS: &str = "runs";
/// The folder of what tools keep.
pub(crate) const DATA: &str = "data";

/// A cache in a folder of the user's. Nothing is made until it is needed.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(super) folder: PathBuf,
}

/// A content that is here and is what its pin says. While this is held, nobody collects it.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    pin: Pin,
    _file: File,
}

impl Kept {
    /// Where it is. Nobody writes to it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is.
    #[must_use]
    pub const fn pin(&self) -> Pin {
        self.pin
    }
}

/// Whether the bytes of a content are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All of them.
    Compare,
    /// They have just been.
    Trust,
}

impl Cache {
    /// The cache in `folder`.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The content that `pin` says, if it is kept, with every byte compared. One that is something else by now is taken away.
    ///
    /// # Errors
    /// [`Error`], when that cannot be found out.
    pub fn kept(&self, pin: Pin, patience: &Patience<'_>) -> Result<Option<Kept>, Error> {
        self.look(pin, Look::Compare, patience)
    }

    /// The content that is `wanted`: kept, or fetched now. Several programs that want one fetch it once.
    ///
    /// # Errors
    /// [`Error`], when it cannot be had.
    pub fn obtain(&self, wanted: &Wanted, supply: &Supply, patience: &Patience<'_>) -> Result<Kept, Error> {
        if let Some(kept) = self.kept(wanted.pin, patience)? {
            return Ok(kept);
        }
        // Said before anything is made.
        if supply.fetch.is_none() {
            return Err(Error::Offline { what: wanted.title() });
        }
        loop {
            let mut partial = Partial::take(self, wanted.pin, patience)?;
            // Somebody else may have fetched it while we waited.
            if let Some(kept) = self.kept(wanted.pin, patience)? {
                partial.discard()?;
                return Ok(kept);
            }
            download::fill(&mut partial, wanted, supply, patience)?;
            partial.publish(&self.blob(wanted.pin.sha256))?;
            if let Some(kept) = self.look(wanted.pin, Look::Trust, patience)? {
                return Ok(kept);
            }
        }
    }

    pub(super) fn blob(&self, digest: Sha256) -> PathBuf {
        self.folder.join(BLOBS).join(digest.to_string())
    }

    fn look(&self, pin: Pin, look: Look, patience: &Patience<'_>) -> Result<Option<Kept>, Error> {
        let path = self.blob(pin.sha256);
        let failed = |error| Error::io("read", &path, error);
        loop {
            if !is_file_or_nothing(&path)? {
                remove(&path)?;
                return Ok(None);
            }
            let mut file = match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                file => file.map_err(failed)?,
            };
            let held = lock::wait(&file, Hold::Shared, || patience.check().is_ok()).map_err(failed)?;
            if !held {
                patience.check()?;
            }
            // Somebody may have taken it away between the two.
            if !held || !lock::is_at(&file, &path).map_err(failed)? {
                continue;
            }
            let metadata = file.metadata().map_err(failed)?;
            let is_it = metadata.len() == pin.size
                && (look == Look::Trust || Sha256::of_reader(&mut file).map_err(failed)? == pin.sha256);
            if !is_it {
                remove(&path)?;
                return Ok(None);
            }
            // When it was last of use is what `gc` goes by; where that cannot be written down, it goes earlier.
            let _unsaid = file.set_modified(SystemTime::now());
            return Ok(Some(Kept { path, pin, _file: file }));
        }
    }
}

/// Whether a name is free or a file's own. A link, wherever it leads, is neither.
pub(super) fn is_file_or_nothing(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        found => Ok(found.map_err(|error| Error::io("look at", path, error))?.is_file()),
    }
}

/// Takes away whatever has this name; a link goes, and not what it leads to.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    let gone = fs::symlink_metadata(path)
        .and_then(|found| if found.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
    match gone {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}
