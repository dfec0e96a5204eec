//! Replacing where Unix's calls are not there: by path.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::limits;
use kitbag_core::path::PackagePath;

use super::new_names;

/// A new file beside the one it will replace. Dropped without [`commit`](Self::commit), it goes and nothing has changed.
pub(in crate::fix) struct Replacement {
    old: PathBuf,
    before: Vec<u8>,
    /// The new file, until it has the old one's name.
    new: Option<PathBuf>,
}

impl Replacement {
    /// Writes `after` beside `file` of the folder `root`, if it still holds `before`.
    pub fn prepare(root: &Path, file: &PackagePath, before: &[u8], after: &[u8]) -> io::Result<Self> {
        let mut old = root.to_owned();
        let segments = file.to_os().map_err(io::Error::other)?;
        for segment in segments.components() {
            old.push(segment);
            if fs::symlink_metadata(&old)?.is_symlink() {
                return Err(io::Error::other(
                    "it is reached through a symbolic link, which is never followed",
                ));
            }
        }
        check(&old, before)?;
        let folder = old.parent().map(Path::to_owned).unwrap_or_default();
        let (new, mut created) = create(&folder, file)?;
        let prepared = Self { old, before: before.to_owned(), new: Some(new) };
        created.write_all(after)?;
        created.set_permissions(fs::metadata(&prepared.old)?.permissions())?;
        created.sync_all()?;
        Ok(prepared)
    }

    /// Puts the new file in the old one's place.
    pub fn commit(mut self) -> io::Result<()> {
        check(&self.old, &self.before)?;
        if let Some(new) = &self.new {
            fs::rename(new, &self.old)?;
        }
        self.new = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(new) = &self.new {
            let _ = fs::remove_file(new);
        }
    }
}

/// Whether the file is a regular one that holds `before`.
fn check(path: &Path, before: &[u8]) -> io::Result<()> {
    let is_file = fs::symlink_metadata(path)?.is_file();
    let len = before.len() as u64;
    let now = limits::read_bounded(&mut File::open(path)?, len, len);
    if is_file && now.is_ok_and(|now| now == before) {
        Ok(())
    } else {
        Err(io::Error::other("it changed while it was fixed"))
    }
}

fn create(folder: &Path, file: &PackagePath) -> io::Result<(PathBuf, File)> {
    for name in new_names(file) {
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(new) => return Ok((path, new)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("files of earlier runs lie beside it; remove them"))
}
