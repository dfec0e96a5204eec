//! [`Kept`]: a folder in memory that outlived its sandbox, to take results out of.
//!
//! What is in it was made by the program, so nothing in it is believed: no link is followed, nothing but files is read,
//! and everything is bounded.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};

/// A folder in memory after the end. It is gone when this is dropped.
#[derive(Debug)]
pub struct Kept {
    at: PathBuf,
    root: OwnedFd,
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

impl Kept {
    pub(crate) fn new(at: PathBuf, root: OwnedFd) -> Self {
        Self { at, root }
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
        let mut todo = vec![PathBuf::new()];
        while let Some(folder) = todo.pop() {
            let opened = self.open(&folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
            for entry in Dir::read_from(&opened)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                if entries.len() == at_most {
                    return Err(io::Error::new(
                        io::ErrorKind::FileTooLarge,
                        format!("more than {at_most} entries"),
                    ));
                }
                let stat = rustix::fs::statat(&opened, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
                let path = folder.join(name);
                let kind = match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory => {
                        todo.push(path.clone());
                        EntryKind::Folder
                    }
                    FileType::RegularFile => EntryKind::File(u64::try_from(stat.st_size).unwrap_or(0)),
                    _ => EntryKind::Other,
                };
                entries.push(Entry { path, kind });
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// The file `path` in it.
    ///
    /// # Errors
    /// When it is no file, lies behind a link, may not be read, or holds more than `at_most` bytes.
    pub fn read(&self, path: &Path, at_most: usize) -> io::Result<Vec<u8>> {
        // A pipe that nobody writes to would be waited for.
        let opened = self.open(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        if FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no file"));
        }
        let mut bytes = Vec::new();
        let bound = u64::try_from(at_most).unwrap_or(u64::MAX).saturating_add(1);
        File::from(opened).take(bound).read_to_end(&mut bytes)?;
        if bytes.len() > at_most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {at_most} bytes")));
        }
        Ok(bytes)
    }

    fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        if path.components().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no path inside"));
        }
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let resolve = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        Ok(rustix::fs::openat2(&self.root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?)
    }
}
