//! [`Spool`]: where contents go that are too large to be kept in memory.

use std::io::{self, Read};

use crate::path::PackagePath;
use crate::tree::Content;

/// Keeps large contents. A file-backed one should append everything to *one* unlinked temporary file and hand out windows
/// of it: an archive may hold tens of thousands of files.
pub trait Spool {
    /// Reads `content`, the file at `path` of the archive, to its end and keeps it. An error of `content` must be passed on
    /// as it came: it carries the refusal.
    ///
    /// # Errors
    /// The content's, or the spool's own.
    fn store(&mut self, path: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>>;
}

/// Keeps everything in memory. For archives known to be small, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct InMemory;

impl Spool for InMemory {
    fn store(&mut self, _path: &PackagePath, content: &mut dyn Read) -> io::Result<Box<dyn Content>> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 16 << 10];
        loop {
            match content.read(&mut chunk) {
                Ok(0) => return Ok(Box::new(bytes)),
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
