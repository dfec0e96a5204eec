//! [`Exact`]: a file on disk, read as long as it is what was listed.

use std::fs::File;
use std::io::{self, Read};

use kitbag_core::limits::{Exceeded, Limits};

/// The error of a file that is no longer what was listed.
pub(super) fn changed() -> io::Error {
    io::Error::other("the file changed while it was read")
}

/// Exactly as many bytes as were listed: a file that ends early or goes on has changed.
pub(super) struct Exact {
    file: File,
    left: u64,
}

impl Exact {
    /// The `len` bytes of `file`, from where it stands.
    ///
    /// # Errors
    /// When there are more than a file may have: the check says so, and nobody waits for them.
    pub fn new(file: File, len: u64) -> io::Result<Self> {
        let max = Limits::LOOSEST.file_bytes;
        if len > max {
            return Err(io::Error::other(Exceeded::FileBytes { max }));
        }
        Ok(Self { file, left: len })
    }
}

impl Read for Exact {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX).min(into.len());
        let count = self.file.read(&mut into[..most])?;
        match self.left.checked_sub(count as u64) {
            Some(left) if count > 0 || left == 0 => {
                self.left = left;
                Ok(count)
            }
            _ => Err(changed()),
        }
    }
}
