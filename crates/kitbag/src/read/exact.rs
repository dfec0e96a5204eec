//! [`Exact`]: a file on disk, read as long as it is what was listed.

use std::fs::File;
use std::io::{self, Read};

/// The error of a file that is no longer what was listed.
pub(super) fn changed() -> io::Error {
    io::Error::other("the file changed while it was read")
}

/// Exactly as many bytes as were listed: a file that ends early or goes on has changed.
pub(super) struct Exact {
    /// The file, opened.
    pub file: File,
    /// Bytes still to come.
    pub left: u64,
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
