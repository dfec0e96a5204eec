//! [`Object`]: some files as one content, called by its digest ([`FilesDigest`]). Two contents of one name are the same, so
//! that no object is ever changed.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::digest::{Hasher, Sha256};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, FilesDigest, Node, Tree};

use crate::draft::MOST_SYNCED;
use crate::interrupt::Interrupt;
use crate::read::{self, Source};

use super::disk::{Access, Disk};
use super::{Fault, StoreError};

/// Some files as one content.
#[derive(Clone, Debug)]
pub struct Object {
    digest: Sha256,
    files: Vec<(PackagePath, Blob)>,
}

impl Object {
    /// The content that these files are.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn of(mut files: Vec<(PackagePath, Blob)>) -> std::io::Result<Self> {
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        files.dedup_by(|(one, _), (other, _)| one == other);
        let digest = FilesDigest::of(files.iter().map(|(path, blob)| (path, blob)))?;
        Ok(Self { digest, files })
    }

    /// Its name.
    #[must_use]
    pub const fn digest(&self) -> Sha256 {
        self.digest
    }

    /// Writes it to `folder`, which is not there yet, and makes it safe.
    pub(super) fn write(&self, disk: &Disk, folder: &Path, interrupt: &Interrupt) -> Result<(), StoreError> {
        let at_once = cfg!(target_os = "linux") && self.files.len() > MOST_SYNCED;
        let mut folders = vec![folder.to_owned()];
        disk.make_folder(folder)?;
        let mut naming = FilesDigest::default();
        for (path, blob) in &self.files {
            let below = path.to_os().map_err(|problem| {
                let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
                StoreError::io("write", &folder.join(path.as_str()), error)
            })?;
            let at = folder.join(below);
            make_parents(disk, &at, &mut folders)?;
            let digest = copy(disk, blob, &at, at_once, interrupt)?;
            naming.file(path, blob.executable(), digest);
        }
        if naming.finish() != self.digest {
            let error = std::io::Error::other("it is no longer what it was when it was looked at");
            return Err(StoreError::io("copy", folder, error));
        }
        if at_once {
            return disk.sync_all(folder);
        }
        folders.iter().rev().try_for_each(|folder| disk.sync_folder(folder))
    }
}

/// Makes the folders that `at` is in and that are not there yet. Files come in the order of paths, so that those of one folder
/// follow each other.
fn make_parents(disk: &Disk, at: &Path, folders: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    let root = folders[0].clone();
    let above = at.ancestors().skip(1).take_while(|folder| *folder != root);
    let missing: Vec<PathBuf> = above.take_while(|folder| !folder.is_dir()).map(Path::to_owned).collect();
    for folder in missing.into_iter().rev() {
        disk.make_folder(&folder)?;
        folders.push(folder);
    }
    Ok(())
}

/// Copies a content, and gives the digest of what was written.
fn copy(
    disk: &Disk,
    blob: &Blob,
    at: &Path,
    at_once: bool,
    interrupt: &Interrupt,
) -> Result<Sha256, StoreError> {
    let failed = |error| StoreError::io("copy", at, error);
    let mut file = disk.new_file(at, blob.executable(), Access::Nobody)?;
    let mut content = blob.open().map_err(failed)?;
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; 64 << 10];
    let mut left = blob.len();
    loop {
        interrupt.check().map_err(|_| StoreError::Interrupted)?;
        match content.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => {
                let longer = || failed(std::io::Error::other("it is longer than it was"));
                left = left.checked_sub(count as u64).ok_or_else(longer)?;
                hasher.update(&chunk[..count]);
                file.write_all(&chunk[..count]).map_err(failed)?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
    if !at_once {
        disk.sync_file(at, &file)?;
    }
    Ok(hasher.finish())
}

/// The object in `folder`, which is what its name says.
pub(super) fn read(folder: &Path, digest: &Sha256) -> Result<Tree, StoreError> {
    let damaged = |because: String| StoreError::Damaged {
        file: folder.to_owned(),
        fault: Fault { pointer: String::new(), because },
    };
    let reading = read::read(&Source::Path(folder.to_owned()))
        .map_err(|error| damaged(format!("its content is gone: {error}")))?;
    let mut naming = FilesDigest::default();
    for (path, node) in reading.tree.iter() {
        match node {
            Node::Folder => {}
            Node::File(blob) => {
                let content =
                    blob.digest().map_err(|error| damaged(format!("`{path}` cannot be read: {error}")))?;
                naming.file(path, blob.executable(), content);
            }
            _ => return Err(damaged(format!("`{path}` is neither a file nor a folder"))),
        }
    }
    if naming.finish() != *digest {
        return Err(damaged("its content is not what its name says".to_owned()));
    }
    Ok(reading.tree)
}
