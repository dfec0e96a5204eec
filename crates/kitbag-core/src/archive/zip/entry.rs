//! One local record: the header before a content, the content, and what may follow it.

use std::io::{self, Read, SeekFrom};

use flate2::Crc;

use crate::archive::codes;
use crate::archive::inflate::Inflate;
use crate::archive::refusal::{Error, Offset, Refusal, shown};
use crate::archive::source::{Source, fill};

use super::directory::{HAS_DESCRIPTOR, Method, Record};
use super::extra::Extra;
use super::fields::{u16_at, u32_at, u64_at};
use super::names;

const LOCAL: &[u8] = b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// Where the content of `record` begins, after its local header was found to say what the directory says.
pub(super) fn check_local(source: &mut dyn Source, record: &Record, limit: u64) -> Result<u64, Error> {
    let at = Offset::Archive(record.offset);
    let refuse = |code, message: String| Err(Error::from(Refusal::new(code, at, message)));
    source.seek(SeekFrom::Start(record.offset))?;
    let mut fixed = [0; LOCAL_BYTES];
    if fill(source, &mut fixed)? < LOCAL_BYTES || !fixed.starts_with(LOCAL) {
        return refuse(&codes::ZIP_LOCAL, "no local header stands where the directory says".to_owned());
    }
    let name_bytes = usize::from(u16_at(&fixed, 26));
    let extra_bytes = usize::from(u16_at(&fixed, 28));
    let start = record.offset + (LOCAL_BYTES + name_bytes + extra_bytes) as u64;
    if start > limit {
        let message = "the local header reaches into what follows";
        return refuse(&codes::ZIP_OVERLAP, message.to_owned());
    }
    let mut variable = vec![0; name_bytes + extra_bytes];
    if fill(source, &mut variable)? < variable.len() {
        return refuse(&codes::TRUNCATED, "the local header is cut off".to_owned());
    }
    let (name, extra) = variable.split_at(name_bytes);
    let problem = |(code, message)| Refusal::new(code, at, message);
    let mut extra = Extra::parse(extra).map_err(problem)?;
    if name != &*record.raw_name {
        let message = format!("the local header calls the entry `{}`", shown(name));
        return refuse(&codes::ZIP_DISAGREE, message);
    }
    // The flags agree by now or are refused below, so a Unicode path field here can only repeat or contradict.
    if extra.unicode_path.is_some() {
        let local = names::decode(name, !record.is_ambiguous, &extra).map_err(problem)?;
        if local.text.trim_end_matches('/') != record.name {
            let message = format!("the local Unicode path field says `{}`", shown(local.text.as_bytes()));
            return refuse(&codes::ZIP_UNICODE_PATH, message);
        }
    }
    let method = match record.method {
        Method::Stored => 0,
        Method::Deflate => 8,
    };
    for (what, local, central) in
        [("flags", u16_at(&fixed, 6), record.flags), ("compression method", u16_at(&fixed, 8), method)]
    {
        if local != central {
            let message = disagreement(what, local.into(), central.into());
            return refuse(&codes::ZIP_DISAGREE, message);
        }
    }
    // In a local header a zip64 field holds the unpacked size first, too.
    let small = [u32_at(&fixed, 22), u32_at(&fixed, 18)];
    let deferred = record.flags & HAS_DESCRIPTOR != 0;
    let repeated = if deferred { extra.take_repeated_sizes(small) } else { None };
    let sizes = extra.widen(small).map_err(problem)?;
    let crc = ("checksum", u64::from(u32_at(&fixed, 14)), record.crc.into());
    let stated = [Some(sizes), repeated]
        .into_iter()
        .flatten()
        .flat_map(|[size, packed]| [("size", size, record.size), ("packed size", packed, record.packed)]);
    for (what, local, central) in [crc].into_iter().chain(stated) {
        if local != central && !(deferred && local == 0) {
            return refuse(&codes::ZIP_DISAGREE, disagreement(what, local, central));
        }
    }
    Ok(start)
}

fn disagreement(what: &str, local: u64, central: u64) -> String {
    format!("the local header says {what} {local:#x} and the directory {central:#x}")
}

/// Hands the content of `record`, which begins at `start`, to `take`, and checks its length and checksum afterwards.
/// `take` must read `record.size` bytes.
pub(super) fn content<T>(
    source: &mut dyn Source,
    record: &Record,
    start: u64,
    take: impl FnOnce(&mut dyn Read) -> Result<T, Error>,
) -> Result<T, Error> {
    source.seek(SeekFrom::Start(start))?;
    let packed = (&mut *source).take(record.packed);
    let (taken, crc) = match record.method {
        Method::Stored => {
            let mut content = Summed { source: packed, crc: Crc::new() };
            (take(&mut content)?, content.crc.sum())
        }
        Method::Deflate => {
            let mut content = Summed { source: Inflate::new(packed, start), crc: Crc::new() };
            let taken = take(&mut content)?;
            let Summed { source: mut inflate, crc } = content;
            let more = inflate.read(&mut [0])?;
            let refuse = |message: String| Err(Refusal::new(&codes::ZIP_SIZE, inflate.at(), message).into());
            if more > 0 {
                return refuse(format!("the content goes on after the {} bytes it claims", record.size));
            }
            if inflate.consumed() != record.packed {
                let message = format!(
                    "the content is packed in {} bytes and claims {}",
                    inflate.consumed(),
                    record.packed
                );
                return refuse(message);
            }
            (taken, crc.sum())
        }
    };
    if crc != record.crc {
        let message = format!("the checksum of the content is {crc:08x} and {:08x} is stored", record.crc);
        return Err(Refusal::new(&codes::CHECKSUM, Offset::Archive(start), message).into());
    }
    Ok(taken)
}

/// Checks what stands between the end of a content and the next record: a descriptor of one of its four lengths if one was
/// announced, and nothing otherwise.
pub(super) fn check_descriptor(
    source: &mut dyn Source,
    record: &Record,
    at: u64,
    len: u64,
) -> Result<(), Error> {
    let refuse = |code, message: String| Err(Error::from(Refusal::new(code, Offset::Archive(at), message)));
    if record.flags & HAS_DESCRIPTOR == 0 {
        return if len == 0 {
            Ok(())
        } else {
            refuse(&codes::ZIP_GAP, format!("{len} bytes behind the content belong to nothing"))
        };
    }
    let (is_signed, is_wide) = match len {
        12 => (false, false),
        16 => (true, false),
        20 => (false, true),
        24 => (true, true),
        _ => {
            let message = format!("{len} bytes stand where a data descriptor must");
            return refuse(&codes::ZIP_DESCRIPTOR, message);
        }
    };
    let mut bytes = [0; 24];
    source.seek(SeekFrom::Start(at))?;
    let wanted = usize::try_from(len).unwrap_or(0);
    if fill(source, &mut bytes[..wanted])? < wanted {
        return refuse(&codes::TRUNCATED, "the data descriptor is cut off".to_owned());
    }
    let fields = if is_signed { &bytes[4..] } else { &bytes[..] };
    let [packed, size] = if is_wide {
        [u64_at(fields, 4), u64_at(fields, 12)]
    } else {
        [u32_at(fields, 4).into(), u32_at(fields, 8).into()]
    };
    if (is_signed && !bytes.starts_with(DESCRIPTOR))
        || [u64::from(u32_at(fields, 0)), packed, size] != [record.crc.into(), record.packed, record.size]
    {
        let message = "the data descriptor does not say what the directory says";
        return refuse(&codes::ZIP_DESCRIPTOR, message.to_owned());
    }
    Ok(())
}

/// Sums up what passes.
struct Summed<R> {
    source: R,
    crc: Crc,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(into)?;
        self.crc.update(&into[..n]);
        Ok(n)
    }
}
