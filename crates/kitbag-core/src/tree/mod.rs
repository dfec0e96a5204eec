//! [`Tree`]: what a folder or an archive holds, as a value.
//!
//! Nothing is followed and nothing is left out. A link, a pipe, a file that cannot be opened or a name that is not UTF-8
//! is an entry like any other, so that a check can say where it is; it has no content that anyone could use by mistake.
//! Contents stay where they are (on disk, in a spool file, in memory) until somebody reads them, under a bound.

mod blob;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::ops::Bound;
use std::sync::Arc;

use crate::path::PackagePath;

pub use blob::{Blob, Content, Executable, FilesDigest, Names};

/// One entry of a tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// A regular file.
    File(Blob),
    /// A folder, listed so that an empty one is known to be there.
    Folder,
    /// A symbolic link. Never followed; the target is its text as stored (lossy where not UTF-8).
    Link {
        /// The text of the link.
        target: String,
    },
    /// A pipe, socket or device. Never opened.
    Special(SpecialKind),
    /// A file or folder whose content could not be had, and why.
    Unreadable {
        /// The system's words.
        because: String,
    },
}

/// What kind of special file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialKind {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// Something else that is not a regular file, folder or link.
    Other,
}

impl fmt::Display for SpecialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "named pipe",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Other => "special file",
        })
    }
}

/// An entry whose name cannot be written as a [`PackagePath`]: not UTF-8, or illegal in an archive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unnameable {
    /// The folder it is in; `None` for the root.
    pub folder: Option<PackagePath>,
    /// The name for people, with every byte that is not UTF-8 as `\xNN`.
    pub name: String,
}

impl Unnameable {
    /// An entry of `folder` with the name `bytes`.
    #[must_use]
    pub fn new(folder: Option<PackagePath>, bytes: &[u8]) -> Self {
        let mut name = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            name.push_str(chunk.valid());
            for byte in chunk.invalid() {
                let _ = write!(name, "\\x{byte:02x}");
            }
        }
        Self { folder, name }
    }
}

/// How the root of a tree was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Root {
    /// A folder.
    #[default]
    Folder,
    /// A symbolic link to a folder, which whoever named it wanted followed.
    LinkToFolder,
    /// An archive file.
    Archive,
    /// A single document (standard input, or one file).
    Document,
}

/// Everything below one root.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    name: Option<String>,
    target_name: Option<String>,
    root: Root,
    first: Option<PackagePath>,
    // Shared until one of the copies changes: a package is often all of the tree it was found in.
    nodes: Arc<BTreeMap<PackagePath, Node>>,
    unnameable: Arc<BTreeSet<Unnameable>>,
}

/// Why an entry cannot be added to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InsertError {
    /// The same path was added before.
    Twin {
        /// The path.
        path: PackagePath,
    },
    /// A parent of the path is a file or link, or the path is the parent of another entry.
    Inside {
        /// The entry that is not a folder.
        file: PackagePath,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Twin { path } => write!(f, "`{path}` is there twice"),
            Self::Inside { file } => write!(f, "`{file}` is a file and a folder at once"),
        }
    }
}

impl std::error::Error for InsertError {}

impl Tree {
    /// An empty tree. `name` is the name of its folder, when it has one.
    #[must_use]
    pub fn new(name: Option<String>, root: Root) -> Self {
        Self { name, target_name: None, root, first: None, nodes: Arc::default(), unnameable: Arc::default() }
    }

    /// Says what the folder behind a link is called ([`Root::LinkToFolder`]).
    #[must_use]
    pub fn behind_link(mut self, target_name: Option<String>) -> Self {
        self.target_name = target_name;
        self
    }

    /// Says which entry of an archive stands first: to some formats that tells whose archive it is.
    #[must_use]
    pub fn begun_with(mut self, first: Option<PackagePath>) -> Self {
        self.first = first;
        self
    }

    /// The entry of an archive that stands first, where that is known.
    #[must_use]
    pub const fn first(&self) -> Option<&PackagePath> {
        self.first.as_ref()
    }

    /// The name of the root folder as it was named, when it has one. For a link, that is the link's own name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The name of the root folder once links are resolved: the target's for a link, otherwise [`Tree::name`].
    #[must_use]
    pub fn resolved_name(&self) -> Option<&str> {
        self.target_name.as_deref().or(self.name())
    }

    /// How the root was reached.
    #[must_use]
    pub const fn root(&self) -> Root {
        self.root
    }

    /// The same content under another name, reached in another way.
    #[must_use]
    pub fn renamed(self, name: impl Into<String>, root: Root) -> Self {
        Self { name: Some(name.into()), root, ..self }
    }

    /// Adds an entry. Folders on the way to it are added as needed; a folder may be added again.
    ///
    /// # Errors
    /// [`InsertError::Twin`] for a path that is there, [`InsertError::Inside`] when a file would be a folder too.
    pub fn insert(&mut self, path: PackagePath, node: Node) -> Result<(), InsertError> {
        let mut missing = Vec::new();
        let mut above = path.parent();
        while let Some(folder) = above {
            match self.nodes.get(&folder) {
                Some(Node::Folder) => break,
                Some(_) => return Err(InsertError::Inside { file: folder }),
                None => {
                    above = folder.parent();
                    missing.push(folder);
                }
            }
        }
        match (self.nodes.get(&path), &node) {
            (None, _) | (Some(Node::Folder), Node::Folder) => {}
            (Some(Node::Folder), _) => return Err(InsertError::Inside { file: path }),
            (Some(_), _) => return Err(InsertError::Twin { path }),
        }
        let nodes = Arc::make_mut(&mut self.nodes);
        for folder in missing {
            nodes.insert(folder, Node::Folder);
        }
        nodes.insert(path, node);
        Ok(())
    }

    /// Gives the regular file at `path` another content. `false` when no regular file is there.
    pub fn replace_file(&mut self, path: &str, blob: Blob) -> bool {
        match Arc::make_mut(&mut self.nodes).get_mut(path) {
            Some(node @ Node::File(_)) => {
                *node = Node::File(blob);
                true
            }
            _ => false,
        }
    }

    /// Notes an entry whose name no path can hold.
    pub fn insert_unnameable(&mut self, entry: Unnameable) {
        Arc::make_mut(&mut self.unnameable).insert(entry);
    }

    /// The entry at `path`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// The regular file at `path`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&Blob> {
        match self.nodes.get(path)? {
            Node::File(blob) => Some(blob),
            _ => None,
        }
    }

    /// Every entry, in byte order of the paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&PackagePath, &Node)> {
        self.nodes.iter()
    }

    /// Every entry below `folder`, in byte order of the paths.
    pub fn below(&self, folder: &PackagePath) -> impl Iterator<Item = (PackagePath, &Node)> {
        // `a/b-c` sorts between `a/b` and `a/b/c`; from `a/b/` on, everything below is together.
        let first = format!("{folder}/");
        self.nodes
            .range::<str, _>((Bound::Included(first.as_str()), Bound::Unbounded))
            .map_while(|(path, node)| Some((path.below(folder)?, node)))
    }

    /// Every entry with a name that no path can hold, by folder and name.
    pub fn unnameable(&self) -> impl ExactSizeIterator<Item = &Unnameable> {
        self.unnameable.iter()
    }

    /// Number of entries that are not folders.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.values().filter(|node| !matches!(node, Node::Folder)).count() + self.unnameable.len()
    }

    /// Whether nothing but folders is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tree below `folder`, sharing its contents. Its name is the folder's.
    #[must_use]
    pub fn subtree(&self, folder: &PackagePath) -> Self {
        let mut below = Self::new(Some(folder.name().to_owned()), Root::Folder);
        below.nodes = Arc::new(self.below(folder).map(|(path, node)| (path, node.clone())).collect());
        let from = |at: PackagePath| Unnameable { folder: Some(at), name: String::new() };
        let directly = self.unnameable.range(from(folder.clone())..);
        let mut unnameable: BTreeSet<Unnameable> = directly
            .take_while(|entry| entry.folder.as_ref() == Some(folder))
            .map(|entry| Unnameable { folder: None, name: entry.name.clone() })
            .collect();
        // No name sorts before U+0001, so the range starts at the first folder below this one.
        if let Ok(least) = folder.child("\u{1}") {
            unnameable.extend(self.unnameable.range(from(least)..).map_while(|entry| {
                let rest = entry.folder.as_ref()?.below(folder)?;
                Some(Unnameable { folder: Some(rest), name: entry.name.clone() })
            }));
        }
        below.unnameable = Arc::new(unnameable);
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    #[test]
    fn twins_and_files_used_as_folders_are_refused() {
        let mut tree = Tree::default();
        tree.insert(path("a/b"), Node::File(Blob::from_bytes("x"))).unwrap();
        tree.insert(path("a"), Node::Folder).unwrap();
        assert!(matches!(tree.insert(path("a/b"), Node::Folder), Err(InsertError::Twin { .. })));
        assert!(matches!(
            tree.insert(path("a/b/c"), Node::File(Blob::from_bytes(""))),
            Err(InsertError::Inside { file }) if file == path("a/b")
        ));
        assert!(matches!(
            tree.insert(path("a"), Node::File(Blob::from_bytes(""))),
            Err(InsertError::Inside { .. })
        ));
        assert_eq!(tree.len(), 1);
    }

    #[test]
    fn a_subtree_holds_its_folder_and_not_the_neighbour_with_a_longer_name() {
        let mut tree = Tree::default();
        for name in ["s/a/x", "s/a-b/y", "s/a/deep/z", "s/ab"] {
            tree.insert(path(name), Node::File(Blob::from_bytes(name))).unwrap();
        }
        let below = tree.subtree(&path("s/a"));
        let names: Vec<_> = below.iter().map(|(path, _)| path.as_str().to_owned()).collect();
        assert_eq!(names, ["deep", "deep/z", "x"]);
        assert_eq!(below.name(), Some("a"));
    }

    #[test]
    fn a_subtree_keeps_the_names_that_no_path_can_hold() {
        let mut tree = Tree::default();
        for folder in ["s", "s/a", "s/a/b", "s/a-b", "t"] {
            tree.insert_unnameable(Unnameable::new(Some(path(folder)), b"caf\xe9"));
        }
        tree.insert_unnameable(Unnameable::new(None, b"\xff"));
        let below = tree.subtree(&path("s/a"));
        let entries: Vec<_> = below
            .unnameable()
            .map(|entry| (entry.folder.as_ref().map(PackagePath::as_str), &*entry.name))
            .collect();
        assert_eq!(entries, [(None, "caf\\xe9"), (Some("b"), "caf\\xe9")]);
    }
}
