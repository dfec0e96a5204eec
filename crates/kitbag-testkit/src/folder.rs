//! [`Folder`]: a temporary folder that a test fills, good and bad alike.

use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder, removed when it is dropped.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty one.
    ///
    /// # Panics
    /// When none can be made.
    #[must_use]
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap_or_else(|error| panic!("a temporary folder: {error}")))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of `below` in it.
    #[must_use]
    pub fn at(&self, below: &str) -> PathBuf {
        self.path().join(below)
    }

    /// Writes a file, and the folders it is in.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn file(self, below: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.parent_of(below);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Writes a sound `SKILL.md` into the folder `below`, which gives it its name.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn skill(self, below: &str) -> Self {
        let name = below.rsplit('/').next().unwrap_or(below);
        let text = format!(
            "---\nname: {name}\ndescription: Draws {name} for those who need one.\n---\n\n# {name}\n"
        );
        self.file(&format!("{below}/SKILL.md"), text)
    }

    /// Makes a folder, and those it is in.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn folder(self, below: &str) -> Self {
        let path = self.at(below);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Makes a symbolic link.
    ///
    /// # Panics
    /// When it cannot be made.
    #[cfg(unix)]
    #[must_use]
    pub fn link(self, below: &str, target: impl AsRef<Path>) -> Self {
        let path = self.parent_of(below);
        std::os::unix::fs::symlink(target, &path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    fn parent_of(&self, below: &str) -> PathBuf {
        let path = self.at(below);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
        }
        path
    }
}
