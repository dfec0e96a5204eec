//! [`Kept`]: a folder in memory that outlived its sandbox, to take results out of.

use std::io;
#[cfg(sandbox)]
use std::io::Read as _;
#[cfg(sandbox)]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

#[cfg(sandbox)]
use rustix::fs::FileType;

#[cfg(sandbox)]
use crate::beneath::{Beneath, too_large};
#[cfg(sandbox)]
use crate::temporary::Temporary;

/// A folder in memory after the end. It is gone when this is dropped.
///
/// What is in it was made by the program, so nothing in it is believed: no link is followed, nothing but files is read,
/// and everything is bounded.
#[cfg(sandbox)]
#[derive(Debug)]
pub struct Kept {
    at: PathBuf,
    folder: Beneath,
    /// What removes it, where it is one of the host that was made for the run.
    _made: Option<Temporary>,
}

/// Something in a kept folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its path, from the kept folder.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
}

/// What something in a kept folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A folder; what is in it is listed as well.
    Folder,
    /// A file of so many bytes.
    File(u64),
    /// A link, a pipe, or anything else that is not read.
    Other,
}

/// A folder in memory that outlived its sandbox: there is none where there are no sandboxes.
#[cfg(not(sandbox))]
#[derive(Debug)]
pub enum Kept {}

#[cfg(not(sandbox))]
impl Kept {
    /// What it was called inside.
    #[must_use]
    pub fn at(&self) -> &Path {
        match *self {}
    }

    /// Everything in it.
    ///
    /// # Errors
    /// None.
    pub fn entries(&self, _at_most: usize) -> io::Result<Vec<Entry>> {
        match *self {}
    }

    /// The file `path` in it.
    ///
    /// # Errors
    /// None.
    pub fn read(&self, _path: &Path, _at_most: usize) -> io::Result<Vec<u8>> {
        match *self {}
    }
}

#[cfg(sandbox)]
impl Kept {
    pub(crate) const fn new(at: PathBuf, root: OwnedFd) -> Self {
        Self { at, folder: Beneath::new(root), _made: None }
    }

    pub(crate) fn of_host(made: Temporary, root: OwnedFd) -> Self {
        Self { at: made.path().to_owned(), folder: Beneath::new(root), _made: Some(made) }
    }

    /// What it was called inside.
    #[must_use]
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// Everything in it, sorted by path.
    ///
    /// # Errors
    /// When it holds more than `at_most` entries, or a folder in it may not be read.
    pub fn entries(&self, at_most: usize) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.folder.walk(at_most, |found| {
            let kind = match found.kind() {
                FileType::Directory => EntryKind::Folder,
                FileType::RegularFile => EntryKind::File(u64::try_from(found.stat.st_size).unwrap_or(0)),
                _ => EntryKind::Other,
            };
            entries.push(Entry { path: found.path.to_owned(), kind });
            Ok(())
        })?;
        entries.sort();
        Ok(entries)
    }

    /// The file `path` in it.
    ///
    /// # Errors
    /// When it is no file, lies behind a link, may not be read, or holds more than `at_most` bytes.
    pub fn read(&self, path: &Path, at_most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let bound = u64::try_from(at_most).unwrap_or(u64::MAX).saturating_add(1);
        self.folder.file(path)?.take(bound).read_to_end(&mut bytes)?;
        if bytes.len() > at_most {
            return Err(too_large(format!("more than {at_most} bytes")));
        }
        Ok(bytes)
    }
}
