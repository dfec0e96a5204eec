//! [`Blob`]: the content of a file, wherever it is, and the digest of a list of files.

use std::fmt;
use std::io::{self, Read};
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
    names: Names,
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

/// How many names a file has where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// The one it is listed under, or its source has no such notion.
    One,
    /// Others as well, anywhere on its disk: whoever writes to one of them writes to all (a hard link).
    Several,
}

impl Blob {
    /// A blob of `len` bytes that `content` will give.
    #[must_use]
    pub fn new(len: u64, executable: Executable, content: Box<dyn Content>) -> Self {
        Self(Arc::new(Inner { len, executable, names: Names::One, content, digest: OnceLock::new() }))
    }

    /// The same content, whose file has other names as well.
    #[must_use]
    pub fn of_several_names(self) -> Self {
        let executable = self.executable();
        self.under(executable, Names::Several)
    }

    /// The same content under other circumstances.
    fn under(self, executable: Executable, names: Names) -> Self {
        let (len, digest) = (self.len(), OnceLock::new());
        Self(Arc::new(Inner { len, executable, names, content: Box::new(Same(self)), digest }))
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

    /// How many names its file has where it came from.
    #[must_use]
    pub fn names(&self) -> Names {
        self.0.names
    }

    /// The same content, whatever its source says, as nothing that a system starts.
    #[must_use]
    pub fn not_executable(self) -> Self {
        match self.executable() {
            Executable::No => self,
            Executable::Yes => {
                let names = self.names();
                self.under(Executable::No, names)
            }
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

    #[test]
    fn a_document_longer_than_asked_for_is_not_read() {
        let blob = Blob::from_bytes("12345");
        assert!(blob.read(4).is_err());
        assert_eq!(blob.read(5).unwrap(), b"12345");
        assert_eq!(blob.digest().unwrap(), Sha256::of(b"12345"));
    }

    #[test]
    fn a_file_of_several_names_stays_one_whatever_becomes_of_its_content() {
        let blob = Blob::new(1, Executable::Yes, Box::new(b"x".to_vec()));
        assert_eq!(blob.names(), Names::One);
        let shared = blob.clone().of_several_names();
        assert_eq!((shared.names(), blob.names()), (Names::Several, Names::One));
        assert_eq!(shared.clone().not_executable().names(), Names::Several);
        assert_eq!((shared.read(1).unwrap(), shared.executable()), (b"x".to_vec(), Executable::Yes));
    }
}
