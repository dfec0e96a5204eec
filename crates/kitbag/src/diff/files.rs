//! Files of two packages, compared by what is in them.

use std::collections::{BTreeMap, BTreeSet};

use kitbag_core::digest::Sha256;
use kitbag_core::formats::{self, Package};
use kitbag_core::json::compare::differences;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Executable, Node, Tree};

/// What differs between the files of two packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Each entry that is not the same, in byte order of the paths.
    pub changes: Vec<FileChange>,
    /// Entries that are the same.
    pub same: usize,
}

/// One entry that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path in the package.
    pub path: PackagePath,
    /// What was there.
    pub old: Option<FileState>,
    /// What is there.
    pub new: Option<FileState>,
    /// Whether it is only written or marked otherwise, and says the same: a document in another layout, a mark that no
    /// archive keeps, a signature.
    pub says_the_same: bool,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// A regular file.
    File {
        /// Its length.
        bytes: u64,
        /// Its digest.
        sha256: Sha256,
        /// Whether its source marks it executable.
        executable: Executable,
    },
    /// A symbolic link, and its text.
    Link(String),
    /// What is no file that can be read, in words.
    Other(String),
}

impl Files {
    /// Compares the entries of two packages. What lies in `.git` and `node_modules` belongs to programs and is not looked at.
    pub(super) fn between(old: &Package, new: &Package) -> Self {
        let mut files = Self::default();
        let apart = apart(old, new);
        let mut before = entries(&old.tree);
        let mut push = |path: &PackagePath, was: Option<&Node>, is: Option<&Node>| {
            let (was, is) = (was.map(FileState::of), is.map(FileState::of));
            if was == is {
                files.same += 1;
                return;
            }
            let same_bytes = match (&was, &is) {
                (Some(FileState::File { sha256: was, .. }), Some(FileState::File { sha256: is, .. })) => {
                    was == is
                }
                _ => false,
            };
            let says_the_same = same_bytes || apart.contains(path.as_str());
            files.changes.push(FileChange { path: path.clone(), old: was, new: is, says_the_same });
        };
        for (path, node) in entries(&new.tree) {
            let was = before.remove(path);
            push(path, was, Some(node));
        }
        for (path, node) in before {
            push(path, Some(node), None);
        }
        files.changes.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
        files
    }

    /// Entries that say something else than before.
    pub fn telling(&self) -> impl Iterator<Item = &FileChange> {
        self.changes.iter().filter(|change| !change.says_the_same)
    }
}

impl FileState {
    fn of(node: &Node) -> Self {
        match node {
            Node::File(blob) => match blob.digest() {
                Ok(sha256) => Self::File { bytes: blob.len(), sha256, executable: blob.executable() },
                Err(error) => Self::Other(format!("cannot be read: {error}")),
            },
            Node::Link { target } => Self::Link(target.clone()),
            Node::Special(kind) => Self::Other(kind.to_string()),
            Node::Unreadable { because } => Self::Other(format!("cannot be read: {because}")),
            Node::Folder => Self::Other("folder".to_owned()),
        }
    }
}

fn entries(tree: &Tree) -> BTreeMap<&PackagePath, &Node> {
    let is_own = |path: &PackagePath| !path.segments().any(formats::is_machinery);
    tree.iter().filter(|(path, node)| !matches!(node, Node::Folder) && is_own(path)).collect()
}

/// Files whose bytes may differ while they say the same: signatures, and documents that packing writes anew.
fn apart<'p>(old: &'p Package, new: &'p Package) -> BTreeSet<&'p str> {
    let mut apart = BTreeSet::new();
    for face in old.faces.iter().chain(&new.faces) {
        apart.extend(face.document().record().apart);
    }
    for (was, is) in super::documents::pairs(&old.faces, &new.faces) {
        let Some((was, is)) = was.zip(is) else { continue };
        let (was, is) = (was.document().record(), is.document().record());
        if let (Some(before), Some(now), Some(file)) = (&was.stated, &is.stated, is.file) {
            // The list of files says nothing that the files do not say.
            let found = differences(before, now, &["/files", "/integrity/files"]);
            let is_json = file.as_str().ends_with(".json");
            if is_json && was.file == is.file && found.listed.is_empty() && !found.more {
                apart.insert(file.as_str());
            }
        }
    }
    apart
}
