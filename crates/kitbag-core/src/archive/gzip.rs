//! gzip (RFC 1952): exactly one member, checked to its last byte, and nothing after it.
//!
//! Programs disagree on what follows the first member: some concatenate, some stop, some ignore zeros. So nothing may.

mod write;

use std::io::{self, BufReader, Read};

use flate2::Crc;

use crate::limits::{Exceeded, Limits};

use super::codes;
use super::inflate::Inflate;
use super::refusal::{Error, Offset, Refusal};
use super::source::fill;
use super::tar::{self, Packing, Profile};
use super::unpack::{Reading, Unpacked};

pub use write::{Deflated, Header, Stored};

/// Longest header: a file name and a comment are not a place to hide a payload in.
const HEADER_BYTES: usize = 64 << 10;
/// Unpacked bytes that the ratio rule lets pass: small files of zeros are no bomb.
const RATIO_GRACE: u64 = 1 << 20;

/// The unpacked bytes of one gzip. Reads as ended only after checksum, length and end of the source were found right;
/// a [`Refusal`] comes out inside the [`io::Error`].
pub struct Gunzip<R> {
    inflate: Inflate<Counted<BufReader<R>>>,
    crc: Crc,
    unpacked: u64,
    limits: Limits,
    verified: bool,
}

impl<R: Read> Gunzip<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`Error::Refused`] when it is none.
    pub fn new(source: R, limits: &Limits) -> Result<Self, Error> {
        let mut source = Counted { source: BufReader::new(source), count: 0, max: limits.archive_bytes };
        read_header(&mut source)?;
        let base = source.count;
        Ok(Self {
            inflate: Inflate::new(source, base),
            crc: Crc::new(),
            unpacked: 0,
            limits: *limits,
            verified: false,
        })
    }

    fn verify_end(&mut self) -> io::Result<()> {
        let at = self.inflate.at();
        let mut rest = self.inflate.rest();
        let mut trailer = [0; 9];
        let found = fill(&mut rest, &mut trailer)?;
        let refuse = |code, message: String| Err(Refusal::new(code, at, message).into());
        let Some(&[c0, c1, c2, c3, l0, l1, l2, l3]) = trailer.first_chunk::<8>().filter(|_| found >= 8)
        else {
            return refuse(&codes::TRUNCATED, format!("{found} of the 8 bytes after the data are there"));
        };
        let (stored, computed) = (u32::from_le_bytes([c0, c1, c2, c3]), self.crc.sum());
        if stored != computed {
            let message = format!("the checksum of the data is {computed:08x} and {stored:08x} is stored");
            return refuse(&codes::CHECKSUM, message);
        }
        // The stored length is that of the data modulo 2^32; the counter of `Crc` wraps in the same way.
        let (stored, computed) = (u32::from_le_bytes([l0, l1, l2, l3]), self.crc.amount());
        if stored != computed {
            let message = format!("the data are {computed} bytes long and {stored} is stored");
            return refuse(&codes::GZIP_LENGTH, message);
        }
        if found > 8 {
            let (code, what) = if trailer[8] == 0x1f {
                (&codes::GZIP_MEMBERS, "a second gzip member follows the first")
            } else {
                (&codes::TRAILING_DATA, "bytes follow the end of the gzip")
            };
            return refuse(code, what.to_owned());
        }
        self.verified = true;
        Ok(())
    }
}

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.verified || into.is_empty() {
            return Ok(0);
        }
        let n = self.inflate.read(into)?;
        if n == 0 {
            self.verify_end()?;
            return Ok(0);
        }
        self.crc.update(&into[..n]);
        self.unpacked += n as u64;
        let max = self.limits.ratio;
        if self.unpacked > RATIO_GRACE && self.unpacked / self.inflate.consumed().max(1) > max {
            return Err(Refusal::exceeded(Exceeded::Ratio { max }, self.inflate.at()).into());
        }
        Ok(n)
    }
}

/// Reads a tar out of a gzip. Neither is ever in memory as a whole.
///
/// # Errors
/// [`Error::Refused`] at the first thing wrong with either.
pub fn read_tar(source: &mut dyn Read, profile: &Profile, reading: Reading<'_>) -> Result<Unpacked, Error> {
    let mut unpacked = Gunzip::new(source, &reading.limits)?;
    tar::read(&mut unpacked, profile, Packing::Gzip, reading)
}

/// Counts what is read and ends it where an archive must end.
struct Counted<R> {
    source: R,
    count: u64,
    max: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(into)?;
        self.count += n as u64;
        if self.count > self.max {
            let exceeded = Exceeded::ArchiveBytes { max: self.max };
            return Err(Refusal::exceeded(exceeded, Offset::Archive(self.max)).into());
        }
        Ok(n)
    }
}

/// The header, byte by byte as it is read, for its own checksum.
struct HeaderBytes<'a, R> {
    source: &'a mut Counted<R>,
    crc: Crc,
    bytes: usize,
}

impl<R: Read> HeaderBytes<'_, R> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        let at = Offset::Archive(self.source.count);
        if fill(self.source, &mut bytes)? < N {
            return Err(Refusal::new(&codes::TRUNCATED, at, "the gzip header ends in the middle").into());
        }
        self.crc.update(&bytes);
        self.bytes += N;
        if self.bytes > HEADER_BYTES {
            let message = format!("the gzip header is longer than {HEADER_BYTES} bytes");
            return Err(Refusal::new(&codes::GZIP_HEADER, at, message).into());
        }
        Ok(bytes)
    }

    fn skip_text(&mut self) -> Result<(), Error> {
        while self.take::<1>()? != [0] {}
        Ok(())
    }
}

fn read_header<R: Read>(source: &mut Counted<R>) -> Result<(), Error> {
    const HEADER_CRC: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    let mut header = HeaderBytes { source, crc: Crc::new(), bytes: 0 };
    let refuse = |at, message: String| {
        Err(Error::from(Refusal::new(&codes::GZIP_HEADER, Offset::Archive(at), message)))
    };
    let [id1, id2, method, flags, ..] = header.take::<10>()?;
    if [id1, id2] != [0x1f, 0x8b] {
        return refuse(0, "the file does not begin as gzip".to_owned());
    }
    if method != 8 {
        return refuse(2, format!("the compression method is {method} and only deflate (8) is defined"));
    }
    if flags & 0xe0 != 0 {
        return refuse(3, format!("the flags {flags:#04x} have reserved bits"));
    }
    if flags & EXTRA != 0 {
        let len = u16::from_le_bytes(header.take()?);
        for _ in 0..len {
            header.take::<1>()?;
        }
    }
    if flags & NAME != 0 {
        header.skip_text()?;
    }
    if flags & COMMENT != 0 {
        header.skip_text()?;
    }
    if flags & HEADER_CRC != 0 {
        let computed = header.crc.sum() & 0xffff;
        let at = header.source.count;
        let stored = u32::from(u16::from_le_bytes(header.take()?));
        if stored != computed {
            return refuse(
                at,
                format!("the checksum of the header is {computed:04x} and {stored:04x} is stored"),
            );
        }
    }
    Ok(())
}
