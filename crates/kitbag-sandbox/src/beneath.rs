//! [`Beneath`]: a folder whose content is read without following anything out of it.
//!
//! What is in it was made by somebody else, and may change meanwhile: no link is followed, nothing but files is read, and
//! everything is bounded.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

/// A folder, held open.
#[derive(Debug)]
pub(crate) struct Beneath {
    root: OwnedFd,
}

/// Something in the folder, as it was when it was come upon.
pub(crate) struct Found<'f> {
    /// Its path, from the folder.
    pub(crate) path: &'f Path,
    /// What is known of it.
    pub(crate) stat: Stat,
    /// The folder it lies in.
    within: &'f OwnedFd,
    /// Its name there.
    name: &'f OsStr,
}

impl Found<'_> {
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// What a link says.
    pub(crate) fn link(&self) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(self.within, self.name, Vec::new())?;
        Ok(PathBuf::from(OsStr::from_bytes(target.to_bytes())))
    }
}

impl Beneath {
    pub(crate) const fn new(root: OwnedFd) -> Self {
        Self { root }
    }

    /// The folder at `path`; links that lead to it are followed.
    pub(crate) fn open_folder(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self::new(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Shows everything in it to `visit`, in no order. What goes away meanwhile is not shown.
    ///
    /// # Errors
    /// When it holds more than `at_most` entries, or a folder in it may not be read; and those of `visit`.
    pub(crate) fn walk(
        &self,
        at_most: usize,
        mut visit: impl FnMut(&Found<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut seen = 0;
        let mut todo = vec![PathBuf::new()];
        while let Some(folder) = todo.pop() {
            let within = match self.open(&folder, OFlags::RDONLY | OFlags::DIRECTORY) {
                Err(error) if is_gone(&error) && !folder.as_os_str().is_empty() => continue,
                opened => opened?,
            };
            for entry in Dir::read_from(&within)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                if seen == at_most {
                    return Err(too_large(format!("more than {at_most} entries")));
                }
                seen += 1;
                let stat = match rustix::fs::statat(&within, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => continue,
                    stat => stat?,
                };
                let path = folder.join(name);
                let found = Found { path: &path, stat, within: &within, name };
                visit(&found)?;
                if found.kind() == FileType::Directory {
                    todo.push(path);
                }
            }
        }
        Ok(())
    }

    /// The file `path` in it, to be read.
    ///
    /// # Errors
    /// When it is no file, lies behind a link, or may not be read.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        // A pipe that nobody writes to would be waited for.
        let opened = self.open(path, OFlags::RDONLY | OFlags::NONBLOCK)?;
        if FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no file"));
        }
        Ok(File::from(opened))
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

/// Whether a folder that was there is not any more, or is something else.
fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV];
    Errno::from_io_error(error).is_some_and(|errno| gone.contains(&errno))
}

/// The error of what is larger than it may be.
pub(crate) fn too_large(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}
