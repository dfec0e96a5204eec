//! The writer: a zip whose bytes follow from its files alone. Every entry is deflated and dated 1 January 1980, as early as
//! a zip can say; no owner, no mode and no system is in it, so it is the same wherever it is written.

use std::io::{self, Read, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::archive::tar::WriteError;
use crate::path::PackagePath;
use crate::tree::Blob;

/// Deflate's own middle way.
const LEVEL: u32 = 6;
/// 2.0, which is what deflate asks for; written by a system that has no modes.
const VERSION: u16 = 20;
/// 1 January 1980, midnight.
const DATE: [u8; 4] = [0, 0, 0x21, 0];
const SAYS_UTF8: u16 = 1 << 11;
const DEFLATE: u16 = 8;

/// A zip under construction. [`Writer::finish`] writes its directory.
pub struct Writer<W> {
    out: W,
    at: u64,
    directory: Vec<u8>,
    entries: usize,
}

impl<W: Write> Writer<W> {
    /// Nothing is written yet.
    pub const fn new(out: W) -> Self {
        Self { out, at: 0, directory: Vec::new(), entries: 0 }
    }

    /// Adds a file. Its packed bytes are held in memory until they are written: their length stands before them.
    ///
    /// # Errors
    /// When it cannot be read, is not as long as it was listed, or the sink failed. A zip of 4 GiB, of more than 65,535
    /// entries or with a longer name than 65,535 bytes is not written: readers differ on those.
    pub fn file(&mut self, path: &PackagePath, blob: &Blob) -> Result<(), WriteError> {
        let (packed, crc, size) = pack(path, blob)?;
        let too_much = || WriteError::Out(io::Error::other("the zip is larger than every reader reads"));
        let short = |value: usize| u16::try_from(value).map_err(|_| too_much());
        let long =
            |value: u64| u32::try_from(value).ok().filter(|&value| value < u32::MAX).ok_or_else(too_much);
        let name = path.as_str().as_bytes();
        if self.entries + 1 >= usize::from(u16::MAX) {
            return Err(too_much());
        }
        let mut header = Vec::with_capacity(26);
        header.extend(VERSION.to_le_bytes());
        header.extend(if name.is_ascii() { 0 } else { SAYS_UTF8 }.to_le_bytes());
        header.extend(DEFLATE.to_le_bytes());
        header.extend(DATE);
        header.extend(crc.to_le_bytes());
        header.extend(long(packed.len() as u64)?.to_le_bytes());
        header.extend(long(size)?.to_le_bytes());
        header.extend(short(name.len())?.to_le_bytes());
        // No extra fields.
        header.extend([0; 2]);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&header);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(long(self.at)?.to_le_bytes());
        self.directory.extend(name);
        for part in [&b"PK\x03\x04"[..], &header, name, &packed] {
            self.write(part)?;
        }
        self.entries += 1;
        Ok(())
    }

    /// Writes the directory and the end, and gives the sink back.
    ///
    /// # Errors
    /// The sink's own.
    pub fn finish(mut self) -> Result<W, WriteError> {
        let too_much = |_| WriteError::Out(io::Error::other("the zip is larger than every reader reads"));
        let entries = u16::try_from(self.entries).map_err(too_much)?;
        let at = u32::try_from(self.at).map_err(too_much)?;
        let bytes = u32::try_from(self.directory.len()).map_err(too_much)?;
        let directory = std::mem::take(&mut self.directory);
        self.write(&directory)?;
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend(entries.to_le_bytes());
        end.extend(entries.to_le_bytes());
        end.extend(bytes.to_le_bytes());
        end.extend(at.to_le_bytes());
        end.extend([0; 2]);
        self.write(&end)?;
        self.out.flush().map_err(WriteError::Out)?;
        Ok(self.out)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes).map_err(WriteError::Out)
    }
}

/// A content, packed, with its checksum and its length.
fn pack(path: &PackagePath, blob: &Blob) -> Result<(Vec<u8>, u32, u64), WriteError> {
    let unreadable = |error| WriteError::Content { path: path.clone(), error };
    let mut content = blob.open().map_err(unreadable)?.take(blob.len().saturating_add(1));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    let mut crc = Crc::new();
    let mut size = 0u64;
    let mut chunk = vec![0; 64 << 10];
    loop {
        match content.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => {
                crc.update(&chunk[..n]);
                size += n as u64;
                encoder.write_all(&chunk[..n]).map_err(WriteError::Out)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    if size != blob.len() {
        return Err(WriteError::Length { path: path.clone(), listed: blob.len() });
    }
    Ok((encoder.finish().map_err(WriteError::Out)?, crc.sum(), size))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::archive::{InMemory, LIMITS, Reading};

    #[test]
    fn what_is_written_is_read_and_is_the_same_every_time() {
        let files = [("a.txt", "aaaa".repeat(1000)), ("b/技.md", String::new()), ("c", "x".to_owned())];
        let written = || {
            let mut writer = Writer::new(Vec::new());
            for (path, content) in &files {
                writer.file(&PackagePath::new(path).unwrap(), &Blob::from_bytes(content.as_str())).unwrap();
            }
            writer.finish().unwrap()
        };
        let bytes = written();
        assert_eq!(bytes, written());
        let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
        let unpacked = super::super::read(&mut Cursor::new(bytes), reading).unwrap();
        assert!(unpacked.remarks.is_empty());
        for (path, content) in &files {
            assert_eq!(
                unpacked.tree.file(path).unwrap().read(1 << 20).unwrap(),
                content.as_bytes(),
                "{path}"
            );
        }
    }

    #[test]
    fn a_content_that_changed_its_length_is_refused() {
        let blob = Blob::new(3, crate::tree::Executable::No, Box::new(b"four".to_vec()));
        let error = Writer::new(Vec::new()).file(&PackagePath::new("a").unwrap(), &blob).unwrap_err();
        assert!(matches!(error, WriteError::Length { listed: 3, .. }));
    }
}
