//! gzip, field by field.

use super::{crc32, deflate_stored};

/// A gzip; every field may be spoiled.
#[derive(Clone, Debug)]
pub struct Gzip {
    /// The ten bytes of the header.
    pub header: [u8; 10],
    /// Extra field, name, comment and header checksum, as the flags announce them.
    pub optional: Vec<u8>,
    /// The compressed bytes.
    pub deflate: Vec<u8>,
    /// The checksum of the content.
    pub crc: u32,
    /// The length of the content.
    pub length: u32,
    /// What follows.
    pub suffix: Vec<u8>,
}

impl Gzip {
    /// A good one.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self {
            header: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255],
            optional: Vec::new(),
            deflate: deflate_stored(content),
            crc: crc32(content),
            length: u32::try_from(content.len()).unwrap_or(u32::MAX),
            suffix: Vec::new(),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let trailer = [self.crc.to_le_bytes(), self.length.to_le_bytes()].concat();
        [&self.header[..], &self.optional, &self.deflate, &trailer, &self.suffix].concat()
    }
}
