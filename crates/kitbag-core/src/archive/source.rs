//! [`read`]: any archive, by what it is.

use std::io::{self, Read, Seek, SeekFrom};

use crate::limits::Exceeded;

use super::container::{Container, sniff_content};
use super::refusal::{Error, Offset, Refusal};
use super::unpack::{Reading, Unpacked};
use super::{codes, gzip, tar, zip};

/// A file as an archive reader needs it: a zip is read from its end. A [`Cursor`](io::Cursor) over bytes is one too.
pub trait Source: Read + Seek {}

impl<T: Read + Seek + ?Sized> Source for T {}

/// Reads the archive in `source`, from its start, whatever its name is. A tar may be of any [ordinary](tar::Profile::ORDINARY)
/// making.
///
/// # Errors
/// [`Error::Refused`] when it is no archive this room reads, or a bad one.
pub fn read(source: &mut dyn Source, reading: Reading<'_>) -> Result<Unpacked, Error> {
    let len = source.seek(SeekFrom::End(0))?;
    source.seek(SeekFrom::Start(0))?;
    let max = reading.limits.archive_bytes;
    if len > max {
        return Err(Refusal::exceeded(Exceeded::ArchiveBytes { max }, Offset::Archive(max)).into());
    }
    let container = sniff_content(&mut &mut *source)?;
    source.seek(SeekFrom::Start(0))?;
    match container {
        Some(Container::Gzip) => gzip::read_tar(&mut &mut *source, &tar::Profile::ORDINARY, reading),
        Some(Container::Tar) => {
            tar::read(&mut &mut *source, &tar::Profile::ORDINARY, tar::Packing::Plain, reading)
        }
        Some(Container::Zip) => zip::read(source, reading),
        None => {
            let message = "the file is neither a zip, a tar nor a gzip";
            Err(Refusal::new(&codes::UNKNOWN, Offset::Archive(0), message).into())
        }
    }
}

/// Reads until `into` is full or the source ends; the number of bytes read.
pub(super) fn fill<R: Read + ?Sized>(source: &mut R, into: &mut [u8]) -> io::Result<usize> {
    let mut full = 0;
    while full < into.len() {
        match source.read(&mut into[full..]) {
            Ok(0) => break,
            Ok(n) => full += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(full)
}
