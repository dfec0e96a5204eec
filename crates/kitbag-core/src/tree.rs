//! [`Tree`]: what a folder or an archive holds, as a value.
//!
//! Nothing is followed and nothing is left out. A link, a pipe, a file that cannot be opened or a name that is not UTF-8
//! is an entry like any other, so that a check can say where it is; it has no content that anyone could use by mistake.
//! Contents stay where they are (on disk, in a spool file, in memory) until somebody reads them, under a bound.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::io::{self, Read};
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use crate::digest::{Hasher, Sha256};
use crate::limits::{self, ReadError};
use crate::path::PackagePath;

/// Where the bytes of a file are. Implemented by whoever may touch them.
pub trait Content: Send + Sync {
    /// Opens the bytes from the start.
    ///
    /// # Errors
    /// When they cannot be opened, or are no longer what was listed.
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>>;

    /// The bytes themselves, where they already are in memory.
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }

    /// Their digest, where it was taken while they passed by.
    fn digest(&self) -> Option<Sha256> {
        None
    }
}

impl Content for Vec<u8> {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(self.as_slice()))
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A regular file's content. Cloning shares it.
#[derive(Clone)]
pub struct Blob(Arc<Inner>);

struct Inner {
    len: u64,
    executable: Executable,
    content: Box<dyn Content>,
    digest: OnceLock<Sha256>,
}

/// Whether a file carries an execute permission where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executable {
    /// It does.
    Yes,
    /// It does not, or its source has no such notion.
    No,
}

impl Blob {
    /// A blob of `len` bytes that `content` will give.
    #[must_use]
    pub fn new(len: u64, executable: Executable, content: Box<dyn Content>) -> Self {
        Self(Arc::new(Inner { len, executable, content, digest: OnceLock::new() }))
    }

    /// A blob in memory.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(bytes.len() as u64, Executable::No, Box::new(bytes))
    }

    /// Length in bytes, as its source listed it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len
    }

    /// Whether the file is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// Whether its source marks it executable.
    #[must_use]
    pub fn executable(&self) -> Executable {
        self.0.executable
    }

    /// The same content, whatever its source says, as nothing that a system starts.
    #[must_use]
    pub fn not_executable(self) -> Self {
        match self.executable() {
            Executable::No => self,
            Executable::Yes => Self::new(self.len(), Executable::No, Box::new(Same(self))),
        }
    }

    /// Opens the bytes from the start.
    ///
    /// # Errors
    /// The source's own.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        self.0.content.open()
    }

    /// The whole content, if it is no longer than `max` bytes.
    ///
    /// # Errors
    /// [`limits::Exceeded::DocumentBytes`], or the source's own error.
    pub fn read(&self, max: u64) -> Result<Vec<u8>, ReadError> {
        if let Some(bytes) = self.0.content.in_memory() {
            if bytes.len() as u64 > max {
                return Err(limits::Exceeded::DocumentBytes { max }.into());
            }
            return Ok(bytes.to_vec());
        }
        if self.0.len > max {
            return Err(limits::Exceeded::DocumentBytes { max }.into());
        }
        limits::read_bounded(&mut *self.open()?, self.0.len, max)
    }

    /// The SHA-256 of the content. Computed once, in constant memory.
    ///
    /// # Errors
    /// The source's own.
    pub fn digest(&self) -> io::Result<Sha256> {
        if let Some(digest) = self.0.digest.get() {
            return Ok(*digest);
        }
        let digest = match (self.0.content.digest(), self.0.content.in_memory()) {
            (Some(known), _) => known,
            (None, Some(bytes)) => Sha256::of(bytes),
            (None, None) => Sha256::of_reader(&mut *self.open()?)?,
        };
        Ok(*self.0.digest.get_or_init(|| digest))
    }
}

/// The content of another blob.
struct Same(Blob);

impl Content for Same {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        self.0.open()
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.0.0.content.in_memory()
    }

    fn digest(&self) -> Option<Sha256> {
        self.0.0.digest.get().copied().or_else(|| self.0.0.content.digest())
    }
}

/// The digest of a list of files: of each its path, whether it is executable, and its content. Everything has a length of its
/// own or is preceded by it, so that no two lists give the same bytes. It is no digest of any format.
pub struct FilesDigest(Hasher);

impl Default for FilesDigest {
    fn default() -> Self {
        let mut hasher = Hasher::default();
        hasher.update(b"kitbag files 1\0");
        Self(hasher)
    }
}

impl FilesDigest {
    /// The digest of files in the order in which they come.
    ///
    /// # Errors
    /// When a content cannot be read.
    pub fn of<'f>(files: impl IntoIterator<Item = (&'f PackagePath, &'f Blob)>) -> io::Result<Sha256> {
        let mut digest = Self::default();
        for (path, blob) in files {
            digest.file(path, blob.executable(), blob.digest()?);
        }
        Ok(digest.finish())
    }

    /// Adds a file.
    pub fn file(&mut self, path: &PackagePath, executable: Executable, content: Sha256) {
        let name = path.as_str().as_bytes();
        self.0.update(&(name.len() as u64).to_le_bytes());
        self.0.update(name);
        self.0.update(&[u8::from(executable == Executable::Yes)]);
        self.0.update(content.as_bytes());
    }

    /// The digest of the files that were added.
    #[must_use]
    pub fn finish(self) -> Sha256 {
        self.0.finish()
    }
}

impl fmt::Debug for FilesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FilesDigest")
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blob({} bytes)", self.0.len)
    }
}

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

    #[test]
    fn no_two_lists_of_files_have_one_digest() {
        let digest = |files: &[(&str, &str)]| {
            let files: Vec<(PackagePath, Blob)> = files
                .iter()
                .map(|(path, text)| (PackagePath::new(path).unwrap(), Blob::from_bytes(*text)))
                .collect();
            FilesDigest::of(files.iter().map(|(path, blob)| (path, blob))).unwrap()
        };
        assert_eq!(digest(&[("a", "x"), ("b", "y")]), digest(&[("a", "x"), ("b", "y")]));
        // Where contents only stand between NULs, these are the same.
        assert_ne!(digest(&[("a", "x"), ("b", "y")]), digest(&[("a", "x\0b\0y")]));
        let run = Blob::new(1, Executable::Yes, Box::new(b"x".to_vec()));
        let path = PackagePath::new("a").unwrap();
        assert_ne!(FilesDigest::of([(&path, &run)]).unwrap(), digest(&[("a", "x")]));
        assert_eq!(FilesDigest::of([(&path, &run.not_executable())]).unwrap(), digest(&[("a", "x")]));
    }

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

    #[test]
    fn a_document_longer_than_asked_for_is_not_read() {
        let blob = Blob::from_bytes("12345");
        assert!(blob.read(4).is_err());
        assert_eq!(blob.read(5).unwrap(), b"12345");
        assert_eq!(blob.digest().unwrap(), Sha256::of(b"12345"));
    }
}
