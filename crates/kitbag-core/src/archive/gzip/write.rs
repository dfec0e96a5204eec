//! The two gzip writers: one that packs and one that does not. Both are given their header, so that nothing of the
//! machine or the hour gets into the bytes, and both give the same bytes whatever pieces they are written in.

use std::io::{self, Write};

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;

/// A gzip header: deflate, no optional field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header(pub [u8; 10]);

impl Header {
    /// No name, no time, no word on how hard it was packed, and operating system "unknown".
    pub const ANONYMOUS: Self = Self([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
}

/// Longest stored block (RFC 1951 §3.2.4).
const BLOCK_BYTES: usize = 0xffff;

/// A gzip of stored blocks: any program that can read gzip can read it, and no program can disagree on its bytes.
/// [`Stored::finish`] writes the end.
pub struct Stored<W> {
    out: W,
    block: Vec<u8>,
    crc: Crc,
}

impl<W: Write> Stored<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The sink's own.
    pub fn new(mut out: W, header: Header) -> io::Result<Self> {
        out.write_all(&header.0)?;
        Ok(Self { out, block: Vec::with_capacity(BLOCK_BYTES), crc: Crc::new() })
    }

    /// Writes the last block and the trailer, and gives the sink back.
    ///
    /// # Errors
    /// The sink's own.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_block(Last::Yes)?;
        write_trailer(&mut self.out, &self.crc)?;
        Ok(self.out)
    }

    fn end_block(&mut self, last: Last) -> io::Result<()> {
        let len = u16::try_from(self.block.len()).map_err(io::Error::other)?;
        let [len_low, len_high] = len.to_le_bytes();
        let [not_low, not_high] = (!len).to_le_bytes();
        self.out.write_all(&[u8::from(last == Last::Yes), len_low, len_high, not_low, not_high])?;
        self.out.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Yes,
    No,
}

impl<W: Write> Write for Stored<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full block waits until more comes: only the very last one is marked.
        if self.block.len() == BLOCK_BYTES && !bytes.is_empty() {
            self.end_block(Last::No)?;
        }
        let n = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..n]);
        self.crc.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How many bytes the deflate encoder is given at once.
const PIECE_BYTES: usize = 64 << 10;

/// A gzip that packs as hard as deflate can. The bytes are the same for the same library; another may pack otherwise.
/// [`Deflated::finish`] writes the end.
pub struct Deflated<W: Write> {
    deflate: DeflateEncoder<W>,
    piece: Vec<u8>,
    crc: Crc,
}

impl<W: Write> Deflated<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The sink's own.
    pub fn new(mut out: W, header: Header) -> io::Result<Self> {
        out.write_all(&header.0)?;
        let deflate = DeflateEncoder::new(out, Compression::best());
        Ok(Self { deflate, piece: Vec::with_capacity(PIECE_BYTES), crc: Crc::new() })
    }

    /// Writes what is left and the trailer, and gives the sink back.
    ///
    /// # Errors
    /// The sink's own.
    pub fn finish(mut self) -> io::Result<W> {
        self.deflate.write_all(&self.piece)?;
        let mut out = self.deflate.finish()?;
        write_trailer(&mut out, &self.crc)?;
        Ok(out)
    }
}

impl<W: Write> Write for Deflated<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() == PIECE_BYTES {
            self.deflate.write_all(&self.piece)?;
            self.piece.clear();
        }
        let n = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..n]);
        self.crc.update(&bytes[..n]);
        Ok(n)
    }

    /// Passes on to the sink what is packed already. The encoder is not flushed: that would change the bytes.
    fn flush(&mut self) -> io::Result<()> {
        self.deflate.get_mut().flush()
    }
}

/// Checksum and length modulo 2^32; the counter of [`Crc`] wraps in the same way.
fn write_trailer(out: &mut impl Write, crc: &Crc) -> io::Result<()> {
    out.write_all(&crc.sum().to_le_bytes())?;
    out.write_all(&crc.amount().to_le_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::archive::LIMITS;
    use crate::archive::gzip::Gunzip;

    fn text(len: usize) -> Vec<u8> {
        (0..len).map(|at| u8::try_from(at * at % 251).unwrap()).collect()
    }

    fn stored(pieces: &[&[u8]]) -> Vec<u8> {
        let mut gzip = Stored::new(Vec::new(), Header::ANONYMOUS).unwrap();
        pieces.iter().for_each(|piece| gzip.write_all(piece).unwrap());
        gzip.finish().unwrap()
    }

    fn deflated(pieces: &[&[u8]]) -> Vec<u8> {
        let mut gzip = Deflated::new(Vec::new(), Header::ANONYMOUS).unwrap();
        pieces.iter().for_each(|piece| gzip.write_all(piece).unwrap());
        gzip.finish().unwrap()
    }

    fn read(gzip: &[u8]) -> Vec<u8> {
        let mut out = vec![0; 1 << 20];
        let mut reader = Gunzip::new(gzip, &LIMITS).unwrap();
        let mut full = 0;
        loop {
            match reader.read(&mut out[full..]).unwrap() {
                0 => break,
                n => full += n,
            }
        }
        out.truncate(full);
        out
    }

    #[test]
    fn stored_blocks_are_full_but_the_last_and_only_the_last_is_marked() {
        let empty = stored(&[]);
        assert_eq!(empty, [&Header::ANONYMOUS.0[..], &[1, 0, 0, 0xff, 0xff], &[0; 8]].concat());
        for len in [1, 65_534, 65_535, 65_536, 131_070, 200_000] {
            let (text, blocks) = (text(len), len.div_ceil(65_535));
            let gzip = stored(&[&text]);
            assert_eq!(gzip.len(), 10 + len + 5 * blocks + 8, "{len}");
            assert_eq!(gzip[10], u8::from(blocks == 1), "{len}");
            assert_eq!(read(&gzip), text, "{len}");
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_pieces_they_came_in() {
        let text = text(300_000);
        let pieces: Vec<&[u8]> = text.chunks(777).collect();
        assert!(stored(&[&text]) == stored(&pieces));
        assert!(deflated(&[&text]) == deflated(&pieces));
    }

    #[test]
    fn deflate_packs_and_is_read_back() {
        let text = text(300_000);
        let gzip = deflated(&[&text]);
        assert!(gzip.len() < 30_000, "{}", gzip.len());
        assert_eq!(gzip[..10], Header::ANONYMOUS.0);
        assert!(read(&gzip) == text);
        assert_eq!(read(&deflated(&[])), b"");
    }
}
