//! What a file is, judged by its first bytes and never by its name.

use std::fmt;
use std::io::{self, Read};

use super::source::fill;

/// A container this room reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// gzip, which must hold a tar.
    Gzip,
    /// zip.
    Zip,
    /// tar, not compressed.
    Tar,
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zip => "zip",
            Self::Tar => "tar",
        })
    }
}

/// As many first bytes as [`sniff`] looks at.
pub const SNIFF_BYTES: usize = 262;

/// The container that begins with these bytes. An empty zip, which begins with its end record, counts; a zip behind a
/// self-extracting program does not.
#[must_use]
pub fn sniff(first: &[u8]) -> Option<Container> {
    if first.starts_with(&[0x1f, 0x8b]) {
        Some(Container::Gzip)
    } else if first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06") {
        Some(Container::Zip)
    } else if first.get(257..262) == Some(b"ustar") {
        Some(Container::Tar)
    } else {
        None
    }
}

/// The container that `content` begins as; only its first [`SNIFF_BYTES`] are read.
///
/// # Errors
/// The content's own.
pub fn sniff_content(content: &mut dyn Read) -> io::Result<Option<Container>> {
    let mut first = [0; SNIFF_BYTES];
    let known = fill(content, &mut first)?;
    Ok(sniff(&first[..known]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_known_by_its_first_bytes_and_text_is_none() {
        let mut tar = [0; SNIFF_BYTES];
        tar[257..].copy_from_slice(b"ustar");
        assert_eq!(sniff(&tar), Some(Container::Tar));
        assert_eq!(sniff(&tar[..SNIFF_BYTES - 1]), None);
        assert_eq!(sniff(b"\x1f\x8b\x08"), Some(Container::Gzip));
        assert_eq!(sniff(b"PK\x03\x04"), Some(Container::Zip));
        assert_eq!(sniff(b"PK\x05\x06"), Some(Container::Zip));
        for text in [&b"---\nname: x\n"[..], b"", b"PK", b"\x1f", b"PK\x01\x02"] {
            assert_eq!(sniff(text), None);
        }
    }
}
