//! The copy that runs: files of a package in a folder that only the user writes to, called by what is in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;
use kitbag_core::tree::{Blob, FilesDigest, Node, Tree};

use crate::draft::{Existing, FolderDraft, exists};
use crate::interrupt::Interrupt;
use crate::read::{self, Purpose};

/// The folder of copies in a cache.
const COPIES: &str = "packages";

/// A copy of the files of `tree`, and its digest. One that is there already is compared, file by file, and replaced when it
/// is something else by now.
///
/// # Errors
/// When the package holds what is no file, or the copy cannot be written.
pub(super) fn verified(tree: &Tree, cache: &Path, interrupt: &Interrupt) -> io::Result<(PathBuf, Sha256)> {
    let digest = digest(tree)?;
    let folder = cache.join(COPIES);
    make_private(&folder)?;
    let path = folder.join(digest.to_string());
    if exists(&path)? && is_still(&path, digest) {
        return Ok((path, digest));
    }
    let files: Vec<_> = files(tree)?.collect();
    let draft = FolderDraft::new(&folder, files.len())?;
    let name = digest.to_string();
    for (at, blob) in files {
        let below = kitbag_core::path::PackagePath::new(&format!("{name}/{at}"))
            .map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
        draft.file(&below, blob, blob.executable(), interrupt)?;
    }
    let existing = if exists(&path)? { Existing::Replace } else { Existing::Keep };
    match draft.commit_each(&folder, &[(name, existing)]) {
        // Somebody else made the same copy meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => done?,
    }
    if is_still(&path, digest) {
        Ok((path, digest))
    } else {
        Err(io::Error::other("the package changed while it was copied"))
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

fn digest(tree: &Tree) -> io::Result<Sha256> {
    FilesDigest::of(files(tree)?)
}

/// Whether the files in the folder at `path` are what `expected` says.
fn is_still(path: &Path, expected: Sha256) -> bool {
    let reading = read::read_for(path, Purpose::Look);
    reading.is_ok_and(|reading| digest(&reading.tree).is_ok_and(|digest| digest == expected))
}

/// A folder into which only its owner gets.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}
