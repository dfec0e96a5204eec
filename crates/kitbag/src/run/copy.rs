//! The copy that runs: files of a package in a folder that only the user writes to, called by what is in it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kitbag_core::digest::Sha256;
use kitbag_core::tree::{Blob, FilesDigest, Node, Tree};

use crate::draft::{Existing, FolderDraft, exists, make_private};
use crate::interrupt::Interrupt;
use crate::lock::{self, Hold};
use crate::read::{self, Purpose};
use crate::resource::COPIES;

/// A copy that nobody takes away while this is held.
#[derive(Debug)]
pub(crate) struct Copy {
    path: PathBuf,
    digest: Sha256,
    _lock: Option<File>,
}

impl Copy {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The digest of its files.
    pub const fn digest(&self) -> Sha256 {
        self.digest
    }
}

/// A copy of the files of `tree`. One that is there already is compared, file by file, and replaced when it is something else
/// by now.
///
/// # Errors
/// When the package holds what is no file, or the copy cannot be written.
pub(crate) fn verified(tree: &Tree, cache: &Path, interrupt: &Interrupt) -> io::Result<Copy> {
    let digest = digest(tree)?;
    let folder = cache.join(COPIES);
    make_private(&folder)?;
    let path = folder.join(digest.to_string());
    let mut is_made = false;
    loop {
        interrupt.check()?;
        if exists(&path)? {
            let lock = match hold(&path, interrupt)? {
                Held::With(file) => Some(file),
                Held::Without => None,
                // It was on its way out, and is not there.
                Held::Gone => continue,
            };
            if is_folder(&path) && is_still(&path, digest) {
                return Ok(Copy { path, digest, _lock: lock });
            }
            if is_made {
                return Err(io::Error::other("the package changed while it was copied"));
            }
        }
        make(tree, &folder, digest, interrupt)?;
        is_made = true;
    }
}

/// What trying to hold a copy came to.
enum Held {
    With(File),
    /// It is no folder, or folders cannot be held here.
    Without,
    /// Somebody was taking it away.
    Gone,
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

fn hold(path: &Path, interrupt: &Interrupt) -> io::Result<Held> {
    if !is_folder(path) {
        return Ok(if exists(path)? { Held::Without } else { Held::Gone });
    }
    let folder = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Gone),
        Err(_) if cfg!(not(unix)) => return Ok(Held::Without),
        opened => opened?,
    };
    if !lock::wait(&folder, Hold::Shared, || interrupt.check().is_ok())? {
        return interrupt.check().map(|()| Held::Gone);
    }
    if !lock::is_at(&folder, path)? {
        return Ok(Held::Gone);
    }
    // When it was last of use is what collectors go by.
    let _unsaid = folder.set_modified(SystemTime::now());
    Ok(Held::With(folder))
}

fn make(tree: &Tree, folder: &Path, digest: Sha256, interrupt: &Interrupt) -> io::Result<()> {
    let files: Vec<_> = files(tree)?.collect();
    let draft = FolderDraft::new(folder, files.len())?;
    let name = digest.to_string();
    for (at, blob) in files {
        let below = kitbag_core::path::PackagePath::new(&format!("{name}/{at}"))
            .map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
        draft.file(&below, blob, blob.executable(), interrupt)?;
    }
    let existing = if exists(&folder.join(&name))? { Existing::Replace } else { Existing::Keep };
    match draft.commit_each(folder, &[(name, existing)]) {
        // Somebody else made the same copy meanwhile, or took away what was to be replaced.
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
            Ok(())
        }
        done => done,
    }
}

fn files(tree: &Tree) -> io::Result<impl Iterator<Item = (&kitbag_core::path::PackagePath, &Blob)>> {
    let other = tree.iter().find(|(_, node)| !matches!(node, Node::File(_) | Node::Folder));
    if let Some((path, _)) = other {
        let because = format!("`{path}` is neither a file nor a folder");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, because));
    }
    Ok(tree.iter().filter_map(|(path, node)| match node {
        Node::File(blob) => Some((path, blob)),
        _ => None,
    }))
}

/// The digest of all files of `tree`.
pub(crate) fn digest(tree: &Tree) -> io::Result<Sha256> {
    FilesDigest::of(files(tree)?)
}

/// Whether the files in the folder at `path` are what `expected` says.
pub(crate) fn is_still(path: &Path, expected: Sha256) -> bool {
    let reading = read::read_for(path, Purpose::Look);
    reading.is_ok_and(|reading| digest(&reading.tree).is_ok_and(|digest| digest == expected))
}
