//! The walk's system calls on Unix: everything relative to open folders, no link followed, so that a folder swapped for
//! a link while it is read leads nowhere.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Content, Executable, Node, SpecialKind};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::exact::{Exact, changed};
use super::walk::{Enter, Ground, State, Walk};

/// Neither a link's target nor a pipe's writer is waited for, and no child inherits it.
pub(crate) const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);
pub(crate) const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Walks the folder at `path`, which may itself be a link.
pub(super) fn walk(walk: &mut Walk, path: &Path) -> io::Result<()> {
    let root = Arc::new(rustix::fs::open(path, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?);
    let above = Above { id: Id::of(&rustix::fs::fstat(&*root)?), next: None };
    let names = names(root.as_fd(), walk.most_names())?;
    Folder { root: &root, fd: root.as_fd(), path: None, ground: Ground::Between, above: &above }
        .enter(walk, names);
    Ok(())
}

/// Opens a file that was named, so that a link to it is followed. Whatever took its place since is not waited for.
pub(super) fn open_named(path: &Path) -> io::Result<File> {
    let fd = rustix::fs::open(path, FILE.difference(OFlags::NOFOLLOW), Mode::empty())?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        Ok(fd.into())
    } else {
        Err(changed())
    }
}

/// A folder under way. Folders nest no deeper than the budget's depth, and each holds one descriptor.
struct Folder<'a> {
    root: &'a Arc<OwnedFd>,
    fd: BorrowedFd<'a>,
    path: Option<PackagePath>,
    ground: Ground,
    above: &'a Above<'a>,
}

/// The folders a folder is in, innermost first: a mount can put one of them below itself.
struct Above<'a> {
    id: Id,
    next: Option<&'a Above<'a>>,
}

impl Above<'_> {
    fn holds(&self, id: Id) -> bool {
        let mut link = Some(self);
        while let Some(above) = link {
            if above.id == id {
                return true;
            }
            link = above.next;
        }
        false
    }
}

impl Folder<'_> {
    fn enter(&self, walk: &mut Walk, names: Vec<CString>) {
        let ground = self.ground.with(names.iter().map(|name| name.to_bytes()));
        for name in names {
            if let Some(path) = walk.name(self.path.as_ref(), name.to_bytes()) {
                self.entry(walk, &name, path, ground);
            }
            if walk.state() == State::Stopped {
                break;
            }
        }
    }

    fn entry(&self, walk: &mut Walk, name: &CString, path: PackagePath, ground: Ground) {
        let stat = match rustix::fs::statat(self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(error) => return walk.add_unreadable(path, &io::Error::from(error)),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => self.file(walk, path, &stat),
            FileType::Directory => match walk.folder(&path, ground) {
                Enter::Yes => self.folder(walk, name, path, ground),
                Enter::No => walk.add(path, Node::Folder),
            },
            FileType::Symlink => match rustix::fs::readlinkat(self.fd, name, Vec::new()) {
                Ok(target) => {
                    walk.add(path, Node::Link { target: target.to_string_lossy().into_owned() });
                }
                Err(error) => walk.add_unreadable(path, &io::Error::from(error)),
            },
            FileType::Fifo => walk.add(path, Node::Special(SpecialKind::Pipe)),
            FileType::Socket => walk.add(path, Node::Special(SpecialKind::Socket)),
            FileType::CharacterDevice | FileType::BlockDevice => {
                walk.add(path, Node::Special(SpecialKind::Device));
            }
            FileType::Unknown => walk.add(path, Node::Special(SpecialKind::Other)),
        }
    }

    fn file(&self, walk: &mut Walk, path: PackagePath, stat: &Stat) {
        let content = FoundFile { root: Arc::clone(self.root), path: path.clone(), stamp: Stamp::of(stat) };
        let blob = Blob::new(content.stamp.len, executable(stat), Box::new(content));
        let blob = if wide(stat.st_nlink) > 1 { blob.of_several_names() } else { blob };
        walk.add(path, Node::File(blob));
    }

    fn folder(&self, walk: &mut Walk, name: &CString, path: PackagePath, ground: Ground) {
        let (fd, id, names) = match self.open(name, walk.most_names()) {
            Ok(opened) => opened,
            Err(error) => return walk.add_unreadable(path, &error),
        };
        walk.add(path.clone(), Node::Folder);
        let above = Above { id, next: Some(self.above) };
        Folder { root: self.root, fd: fd.as_fd(), path: Some(path), ground, above: &above }
            .enter(walk, names);
    }

    /// The folder `name` of this one, which folder it is, and what is in it.
    fn open(&self, name: &CString, most: usize) -> io::Result<(OwnedFd, Id, Vec<CString>)> {
        let fd = rustix::fs::openat(self.fd, name, FOLDER, Mode::empty())?;
        let id = Id::of(&rustix::fs::fstat(&fd)?);
        if self.above.holds(id) {
            return Err(io::Error::other("the folder contains itself"));
        }
        let names = names(fd.as_fd(), most)?;
        Ok((fd, id, names))
    }
}

/// At most `most` names of a folder, in byte order.
fn names(folder: BorrowedFd<'_>, most: usize) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_bytes() != b"." && name.to_bytes() != b".." {
            names.push(name.to_owned());
        }
        if names.len() == most {
            break;
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn executable(stat: &Stat) -> Executable {
    if stat.st_mode & 0o111 == 0 { Executable::No } else { Executable::Yes }
}

/// Which file, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Id {
    device: u64,
    inode: u64,
}

impl Id {
    fn of(stat: &Stat) -> Self {
        Self { device: wide(stat.st_dev), inode: wide(stat.st_ino) }
    }
}

/// A number of a `stat`, whose width and sign differ between systems. What does not fit is only ever compared.
fn wide(number: impl TryInto<u64>) -> u64 {
    number.try_into().unwrap_or(u64::MAX)
}

/// Which file, and which state of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    id: Id,
    len: u64,
    modified: (u64, u64),
}

impl Stamp {
    pub fn of(stat: &Stat) -> Self {
        let modified = (wide(stat.st_mtime), wide(stat.st_mtime_nsec));
        Self { id: Id::of(stat), len: wide(stat.st_size), modified }
    }

    /// The file behind `fd`, if it is the regular file that was listed.
    fn check(self, fd: OwnedFd) -> io::Result<File> {
        let stat = rustix::fs::fstat(&fd)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && Self::of(&stat) == self {
            Ok(File::from(fd))
        } else {
            Err(changed())
        }
    }
}

/// A file that the walk found: opened when it is read, from the root folder, through folders that are no links.
struct FoundFile {
    root: Arc<OwnedFd>,
    path: PackagePath,
    stamp: Stamp,
}

impl Content for FoundFile {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        let fd = open_below(self.root.as_fd(), &self.path).map_err(|error| match error {
            // A link or a file where a folder was, or nothing where a file was.
            Errno::LOOP | Errno::NOTDIR | Errno::NOENT => changed(),
            error => error.into(),
        })?;
        Ok(Box::new(Exact::new(self.stamp.check(fd)?, self.stamp.len)?))
    }
}

/// Opens the file at `path` below `root` without following any link on the way.
fn open_below(root: BorrowedFd<'_>, path: &PackagePath) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(root, path.as_str(), FILE, Mode::empty(), resolve) {
            // Older kernels, and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            result => return result,
        }
    }
    let mut folder: Option<OwnedFd> = None;
    if let Some(parent) = path.parent() {
        for segment in parent.segments() {
            let at = folder.as_ref().map_or(root, AsFd::as_fd);
            folder = Some(rustix::fs::openat(at, segment, FOLDER, Mode::empty())?);
        }
    }
    rustix::fs::openat(folder.as_ref().map_or(root, AsFd::as_fd), path.name(), FILE, Mode::empty())
}
