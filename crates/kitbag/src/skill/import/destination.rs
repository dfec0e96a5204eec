//! [`Folder`]: the folder of Skills that an import goes to, and what is in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kitbag_core::digest::{Hasher, Sha256};
use kitbag_core::formats::openscience::bundle::plan::{Destination, Difference, There};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Tree};

use crate::draft::exists;
use crate::read::{self, Purpose, ReadError};

/// The folder, and what the folders were that may be replaced.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    seen: BTreeMap<String, Sha256>,
}

impl Folder {
    /// The folder at `path`, which need not be there yet.
    ///
    /// # Errors
    /// When something else is there, or it cannot be made in the one it would be in.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let is_folder = match fs::metadata(path) {
            Ok(metadata) => metadata.is_dir(),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !exists(path)? => {
                fs::metadata(crate::draft::folder_of(path))?.is_dir()
            }
            Err(error) => return Err(error),
        };
        if !is_folder {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned(), seen: BTreeMap::new() })
    }

    /// Whether the folder called `name` is what it was when it was looked at.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn is_still(&self, name: &str) -> io::Result<bool> {
        let tree = tree(&self.path.join(name))?;
        Ok(tree.map(|tree| digest(&tree)).transpose()? == self.seen.get(name).copied())
    }
}

impl Destination for Folder {
    fn there(&mut self, name: &str, files: &[(PackagePath, Blob)]) -> io::Result<There> {
        let path = self.path.join(name);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
            Err(error) => return Err(error),
        };
        let tree = if metadata.is_dir() { tree(&path)? } else { None };
        let Some(tree) = tree else { return Ok(There::NoFolder) };
        let difference = difference(&tree, files)?;
        if difference == Difference::default() {
            return Ok(There::Same);
        }
        self.seen.insert(name.to_owned(), digest(&tree)?);
        Ok(There::Other(difference))
    }
}

/// What is in the folder at `path`; `None` when it cannot be seen whole.
fn tree(path: &Path) -> io::Result<Option<Tree>> {
    let reading = match read::read_for(path, Purpose::Look) {
        Ok(reading) => reading,
        Err(ReadError::Missing { .. }) => return Ok(None),
        Err(ReadError::Io { error, .. }) => return Err(error),
    };
    let is_whole = !reading.findings.has_errors() && reading.tree.unnameable().len() == 0;
    Ok(is_whole.then_some(reading.tree))
}

/// How `tree` differs from `files`. Folders without files are no difference.
fn difference(tree: &Tree, files: &[(PackagePath, Blob)]) -> io::Result<Difference> {
    let mut difference = Difference::default();
    let mut wanted: BTreeMap<&PackagePath, &Blob> = files.iter().map(|(path, blob)| (path, blob)).collect();
    for (path, node) in tree.iter() {
        match (node, wanted.remove(path)) {
            (Node::Folder, None) => {}
            (Node::File(own), Some(blob)) => {
                if !is_same(own, blob)? {
                    difference.modified.push(path.clone());
                }
            }
            (_, Some(_)) => difference.modified.push(path.clone()),
            (_, None) => difference.removed.push(path.clone()),
        }
    }
    difference.added = wanted.into_keys().cloned().collect();
    Ok(difference)
}

fn is_same(one: &Blob, other: &Blob) -> io::Result<bool> {
    if one.len() != other.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (one.open()?, other.open()?);
    let (mut left, mut right) = ([0; 16 << 10], [0; 16 << 10]);
    loop {
        let count = fill(&mut *one, &mut left)?;
        if fill(&mut *other, &mut right)? != count || left[..count] != right[..count] {
            return Ok(false);
        }
        if count == 0 {
            return Ok(true);
        }
    }
}

fn fill(content: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
    let mut full = 0;
    while full < into.len() {
        match content.read(&mut into[full..]) {
            Ok(0) => break,
            Ok(count) => full += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(full)
}

/// What a folder is, entry by entry.
fn digest(tree: &Tree) -> io::Result<Sha256> {
    let mut hasher = Hasher::default();
    let mut put = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for (path, node) in tree.iter() {
        put(path.as_str().as_bytes());
        match node {
            Node::File(blob) => put(blob.digest()?.as_bytes()),
            Node::Folder => put(b"folder"),
            Node::Link { target } => put(target.as_bytes()),
            Node::Special(kind) => put(kind.to_string().as_bytes()),
            Node::Unreadable { because } => put(because.as_bytes()),
        }
    }
    Ok(hasher.finish())
}
