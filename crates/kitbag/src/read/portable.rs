//! The walk's calls where Unix's are not there: by path, with what the standard library can see of links.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Content, Executable, Node, SpecialKind};

use super::exact::{Exact, changed};
use super::walk::{Enter, Ground, State, Walk};

/// Walks the folder at `path`, which may itself be a link.
pub(super) fn walk(walk: &mut Walk, path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let names = names(&path, walk.most_names())?;
    enter(walk, &path, None, names, Ground::Between);
    Ok(())
}

/// Opens a file that was named, so that a link to it is followed.
pub(super) fn open_named(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(changed()) }
}

/// At most `most` names, in order.
fn names(folder: &Path, most: usize) -> io::Result<Vec<std::ffi::OsString>> {
    let entries = fs::read_dir(folder)?.take(most);
    let mut names =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

fn enter(
    walk: &mut Walk,
    folder: &Path,
    at: Option<&PackagePath>,
    names: Vec<std::ffi::OsString>,
    ground: Ground,
) {
    let ground = ground.with(names.iter().map(|name| name.as_encoded_bytes()));
    for name in names {
        if let Some(path) = walk.name(at, name.as_encoded_bytes()) {
            entry(walk, &folder.join(&name), path, ground);
        }
        if walk.state() == State::Stopped {
            break;
        }
    }
}

fn entry(walk: &mut Walk, file: &Path, path: PackagePath, ground: Ground) {
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) => return walk.add_unreadable(path, &error),
    };
    let kind = metadata.file_type();
    if kind.is_symlink() {
        match fs::read_link(file) {
            Ok(target) => walk.add(path, Node::Link { target: target.to_string_lossy().into_owned() }),
            Err(error) => walk.add_unreadable(path, &error),
        }
    } else if kind.is_dir() {
        match walk.folder(&path, ground) {
            Enter::No => walk.add(path, Node::Folder),
            Enter::Yes => match names(file, walk.most_names()) {
                Ok(names) => {
                    walk.add(path.clone(), Node::Folder);
                    enter(walk, file, Some(&path), names, ground);
                }
                Err(error) => walk.add_unreadable(path, &error),
            },
        }
    } else if kind.is_file() {
        let content = FoundFile::new(file.to_owned(), &metadata);
        walk.add(path, Node::File(Blob::new(metadata.len(), Executable::No, Box::new(content))));
    } else {
        walk.add(path, Node::Special(SpecialKind::Other));
    }
}

/// A file that was found: opened when it is read, and only if it is still what was listed.
struct FoundFile {
    path: PathBuf,
    len: u64,
    modified: Option<SystemTime>,
}

impl FoundFile {
    fn new(path: PathBuf, metadata: &Metadata) -> Self {
        Self { path, len: metadata.len(), modified: metadata.modified().ok() }
    }
}

impl Content for FoundFile {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        // The root was resolved when it was walked, so a path that resolves to another has a link on it by now.
        let is_own = fs::canonicalize(&self.path).is_ok_and(|resolved| resolved == self.path);
        if !is_own {
            return Err(changed());
        }
        let file = open(&self.path)?;
        let metadata = file.metadata()?;
        let same =
            metadata.is_file() && metadata.len() == self.len && metadata.modified().ok() == self.modified;
        if !same {
            return Err(changed());
        }
        Ok(Box::new(Exact::new(file, self.len)?))
    }
}

#[cfg(windows)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    // A link that took the file's place is opened as the link it is, which is no regular file.
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

#[cfg(not(windows))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
