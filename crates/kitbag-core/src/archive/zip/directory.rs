//! The central directory: what the zip says it holds.

use std::io::{BufReader, Read, SeekFrom};

use crate::archive::codes;
use crate::archive::refusal::{Error, Offset, Refusal};
use crate::archive::source::{Source, fill};
use crate::archive::unpack::Unpacking;
use crate::limits::Exceeded;
use crate::tree::{Executable, SpecialKind};

use super::end::End;
use super::extra::{Extra, Problem};
use super::fields::{u16_at, u32_at};
use super::names;

const RECORD: &[u8] = b"PK\x01\x02";
const RECORD_BYTES: usize = 46;

pub(super) const HAS_DESCRIPTOR: u16 = 1 << 3;
const SAYS_UTF8: u16 = 1 << 11;
/// Encrypted, strongly encrypted, masked headers.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// Those, deflate's own two, and the two above.
const KNOWN_FLAGS: u16 = ENCRYPTED | 0b110 | HAS_DESCRIPTOR | SAYS_UTF8;

/// How a content is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflate,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File(Executable),
    Folder,
    Link,
    Special(SpecialKind),
}

/// One record of the directory.
#[derive(Debug)]
pub(super) struct Record {
    /// Its turn, from 1.
    pub(super) number: u64,
    /// The name as it is stored.
    pub(super) raw_name: Box<[u8]>,
    /// The name, without the slash of a folder.
    pub(super) name: String,
    pub(super) is_ambiguous: bool,
    pub(super) kind: Kind,
    pub(super) flags: u16,
    pub(super) method: Method,
    pub(super) crc: u32,
    pub(super) packed: u64,
    pub(super) size: u64,
    /// Where its local record begins.
    pub(super) offset: u64,
    /// Where its own record begins.
    pub(super) at: u64,
}

/// Reads the directory, in its order. Nothing is allocated by its count: each record pays for itself.
pub(super) fn read(
    source: &mut dyn Source,
    end: End,
    unpacking: &mut Unpacking<'_>,
) -> Result<Vec<Record>, Error> {
    source.seek(SeekFrom::Start(end.directory))?;
    let mut reader =
        Directory { bytes: BufReader::new((&mut *source).take(end.directory_bytes)), at: end.directory };
    let mut records = Vec::new();
    let mut total = 0u64;
    for number in 1..=end.entries {
        let at = Offset::Archive(reader.at);
        unpacking.spend_entry(at)?;
        let record = reader.record(number, unpacking)?;
        total = total.saturating_add(record.size);
        let max = unpacking.limits().total_bytes;
        if total > max {
            let refusal = Refusal::exceeded(Exceeded::TotalBytes { max }, at);
            return Err(Error::from(refusal).within(number, &record.raw_name));
        }
        records.push(record);
    }
    if reader.at != end.at {
        let message = format!("the directory goes on after the last of its {} records", end.entries);
        return Err(Refusal::new(&codes::ZIP_DIRECTORY, Offset::Archive(reader.at), message).into());
    }
    Ok(records)
}

struct Directory<R> {
    bytes: R,
    at: u64,
}

impl<R: Read> Directory<R> {
    fn take(&mut self, into: &mut [u8]) -> Result<(), Error> {
        if fill(&mut self.bytes, into)? < into.len() {
            let message = "the directory ends in the middle of a record";
            return Err(Refusal::new(&codes::ZIP_DIRECTORY, Offset::Archive(self.at), message).into());
        }
        self.at += into.len() as u64;
        Ok(())
    }

    fn record(&mut self, number: u64, unpacking: &mut Unpacking<'_>) -> Result<Record, Error> {
        let at = self.at;
        let mut fixed = [0; RECORD_BYTES];
        self.take(&mut fixed)?;
        if !fixed.starts_with(RECORD) {
            let message = format!("record {number} of the directory does not begin as one");
            return Err(Refusal::new(&codes::ZIP_DIRECTORY, Offset::Archive(at), message).into());
        }
        let name_bytes = usize::from(u16_at(&fixed, 28));
        let extra_bytes = usize::from(u16_at(&fixed, 30));
        let comment_bytes = usize::from(u16_at(&fixed, 32));
        unpacking.spend_text(name_bytes, Offset::Archive(at))?;
        let mut variable = vec![0; name_bytes + extra_bytes + comment_bytes];
        self.take(&mut variable)?;
        let (name, extra) = variable.split_at(name_bytes);
        decode(number, at, &fixed, name, &extra[..extra_bytes]).map_err(|(code, message)| {
            Error::from(Refusal::new(code, Offset::Archive(at), message)).within(number, name)
        })
    }
}

fn decode(
    number: u64,
    at: u64,
    fixed: &[u8; RECORD_BYTES],
    raw_name: &[u8],
    extra: &[u8],
) -> Result<Record, Problem> {
    let flags = u16_at(fixed, 8);
    check_flags(flags)?;
    let method = method(u16_at(fixed, 10))?;
    let extra = Extra::parse(extra)?;
    let [size, packed, offset] = extra.widen([u32_at(fixed, 24), u32_at(fixed, 20), u32_at(fixed, 42)])?;
    if u16_at(fixed, 34) != 0 {
        return Err((&codes::ZIP_DISKS, "the entry is said to be in another file".to_owned()));
    }
    if method == Method::Stored && packed != size {
        let message =
            format!("the content is stored as it is, yet {packed} bytes packed and {size} unpacked");
        return Err((&codes::ZIP_SIZE, message));
    }
    let mut name = names::decode(raw_name, flags & SAYS_UTF8 != 0, &extra)?;
    let kind = kind(u32_at(fixed, 38), name.text.ends_with('/'))?;
    if kind == Kind::Folder {
        name.text.pop();
    }
    if !matches!(kind, Kind::File(_) | Kind::Link) && size != 0 {
        return Err((&codes::ZIP_KIND, format!("the entry is no file and claims {size} bytes of content")));
    }
    Ok(Record {
        number,
        raw_name: raw_name.into(),
        name: name.text,
        is_ambiguous: name.is_ambiguous,
        kind,
        flags,
        method,
        crc: u32_at(fixed, 16),
        packed,
        size,
        offset,
        at,
    })
}

fn check_flags(flags: u16) -> Result<(), Problem> {
    if flags & ENCRYPTED != 0 {
        return Err((&codes::ZIP_ENCRYPTED, "the entry is encrypted".to_owned()));
    }
    if flags & !KNOWN_FLAGS != 0 {
        let message = format!("the flags {flags:#06x} ask for what no plain zip needs");
        return Err((&codes::ZIP_FLAGS, message));
    }
    Ok(())
}

fn method(method: u16) -> Result<Method, Problem> {
    match method {
        0 => Ok(Method::Stored),
        8 => Ok(Method::Deflate),
        _ => Err((
            &codes::ZIP_METHOD,
            format!("the compression method is {method}; only stored (0) and deflate (8) are read"),
        )),
    }
}

/// What an entry is: by its Unix mode where it has one, whichever system is said to have written it, since programs that
/// extract do not look at that; and by its slash. Both must agree.
fn kind(attributes: u32, has_slash: bool) -> Result<Kind, Problem> {
    const DOS_FOLDER: u32 = 0x10;
    let mode = attributes >> 16;
    let executable = if mode & 0o111 != 0 { Executable::Yes } else { Executable::No };
    let kind = match mode & 0o170_000 {
        0 if has_slash => Kind::Folder,
        0 | 0o100_000 => Kind::File(executable),
        0o040_000 => Kind::Folder,
        0o120_000 => Kind::Link,
        0o010_000 => Kind::Special(SpecialKind::Pipe),
        0o020_000 | 0o060_000 => Kind::Special(SpecialKind::Device),
        0o140_000 => Kind::Special(SpecialKind::Socket),
        _ => Kind::Special(SpecialKind::Other),
    };
    let is_folder = kind == Kind::Folder;
    if is_folder != has_slash || (attributes & DOS_FOLDER != 0 && !is_folder) {
        let message = "the name and the attributes disagree on whether the entry is a folder";
        return Err((&codes::ZIP_KIND, message.to_owned()));
    }
    Ok(kind)
}
