//! What is in a package, entry by entry.

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Executable, Node, SpecialKind, Tree};

/// What is in a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Every entry that is not a folder, in byte order of the paths.
    pub entries: Vec<Entry>,
    /// Entries whose names are not UTF-8.
    pub unnameable: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the package.
    pub path: PackagePath,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its length.
        bytes: u64,
        /// Whether its source marks it executable.
        executable: Executable,
    },
    /// A symbolic link, and its text.
    Link(String),
    /// A pipe, socket or device.
    Special(SpecialKind),
    /// What cannot be read, and why.
    Unreadable(String),
}

impl Contents {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut contents = Self { unnameable: tree.unnameable().len(), ..Self::default() };
        for (path, node) in tree.iter() {
            let kind = match node {
                Node::Folder => continue,
                Node::File(blob) => {
                    contents.bytes = contents.bytes.saturating_add(blob.len());
                    EntryKind::File { bytes: blob.len(), executable: blob.executable() }
                }
                Node::Link { target } => EntryKind::Link(target.clone()),
                Node::Special(kind) => EntryKind::Special(*kind),
                Node::Unreadable { because } => EntryKind::Unreadable(because.clone()),
            };
            contents.entries.push(Entry { path: path.clone(), kind });
        }
        contents
    }

    /// The files that their source marks executable.
    pub fn executables(&self) -> impl Iterator<Item = &PackagePath> {
        self.entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::File { executable: Executable::Yes, .. } => Some(&entry.path),
            _ => None,
        })
    }
}
