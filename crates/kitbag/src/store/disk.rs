//! [`Disk`]: what a store does to files and folders, one step at a time. Each step can be watched, so that a test can stop a
//! program before every single one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use kitbag_core::tree::Executable;

use crate::draft;

use super::StoreError;

/// One step, before it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation<'o> {
    /// A folder is made.
    MakeFolder(&'o Path),
    /// A file that was not there is made and gets its content.
    Write(&'o Path),
    /// A file's content is made safe.
    SyncFile(&'o Path),
    /// The names in a folder are made safe.
    SyncFolder(&'o Path),
    /// Everything below a folder is made safe, with whatever else the file system has under way.
    SyncAll(&'o Path),
    /// A file or folder gets another name; a file in the place of one that has it.
    Rename(&'o Path, &'o Path),
    /// A file, or a folder with all that is in it, is taken away.
    Remove(&'o Path),
}

/// Somebody who is told of each step and may stop it.
pub type Watch = Box<dyn Fn(&Operation<'_>) -> io::Result<()> + Send + Sync>;

/// The disk, and whoever watches.
#[derive(Default)]
pub(super) struct Disk {
    watch: Option<Watch>,
}

impl Disk {
    pub(super) fn watched(watch: Watch) -> Self {
        Self { watch: Some(watch) }
    }

    pub(super) fn step(&self, operation: &Operation<'_>) -> io::Result<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch(operation))
    }

    pub(super) fn make_folder(&self, path: &Path) -> Result<(), StoreError> {
        let made = self.step(&Operation::MakeFolder(path)).and_then(|()| match fs::create_dir(path) {
            // Somebody else was faster, and made the same.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            made => made,
        });
        made.map_err(|error| StoreError::io("make the folder", path, error))
    }

    /// Makes a folder, and those it is in.
    pub(super) fn make_folders(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |error| StoreError::io("make the folder", path, error);
        self.step(&Operation::MakeFolder(path)).and_then(|()| fs::create_dir_all(path)).map_err(failed)?;
        self.sync_folder(draft::folder_of(path))
    }

    /// A new file with this content, safe on disk.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = self.new_file(path, Executable::No, Access::Owner)?;
        file.write_all(bytes).map_err(|error| StoreError::io("write", path, error))?;
        self.sync_file(path, &file)
    }

    /// A new file, still empty.
    pub(super) fn new_file(
        &self,
        path: &Path,
        executable: Executable,
        access: Access,
    ) -> Result<File, StoreError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            let writable = if access == Access::Owner { 0o200 } else { 0 };
            options.mode(if executable == Executable::Yes { 0o555 } else { 0o444 } | writable);
        }
        #[cfg(not(unix))]
        let _ = (executable, access);
        let made = self.step(&Operation::Write(path)).and_then(|()| options.open(path));
        made.map_err(|error| StoreError::io("write", path, error))
    }

    pub(super) fn sync_file(&self, path: &Path, file: &File) -> Result<(), StoreError> {
        let synced = self.step(&Operation::SyncFile(path)).and_then(|()| file.sync_all());
        synced.map_err(|error| StoreError::io("save", path, error))
    }

    pub(super) fn sync_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.step(&Operation::SyncFolder(path)).map_err(|error| StoreError::io("save", path, error))?;
        draft::sync_folder(path);
        Ok(())
    }

    /// Makes everything below `path` safe in one call, where the system has one. Says whether it had.
    pub(super) fn sync_all(&self, path: &Path) -> Result<(), StoreError> {
        let synced = self.step(&Operation::SyncAll(path)).and_then(|()| draft::sync_all(path));
        synced.map_err(|error| StoreError::io("save", path, error))
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let renamed = self.step(&Operation::Rename(from, to)).and_then(|()| fs::rename(from, to));
        renamed.map_err(|error| StoreError::io("name", to, error))
    }

    pub(super) fn remove_file(&self, path: &Path) -> Result<(), StoreError> {
        let removed = self.step(&Operation::Remove(path)).and_then(|()| fs::remove_file(path));
        removed.map_err(|error| StoreError::io("remove", path, error))
    }

    /// Takes away whatever has this name. A link goes, and not what it leads to.
    pub(super) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        let removed = self.step(&Operation::Remove(path)).and_then(|()| {
            if fs::symlink_metadata(path)?.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }
        });
        removed.map_err(|error| StoreError::io("remove", path, error))
    }
}

/// Who may write to a file once it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Its owner.
    Owner,
    /// Nobody: a content is what its name says.
    Nobody,
}
