//! The end of a zip: where the directory is, said once or, with zip64, twice.

use std::io::{Read as _, SeekFrom};

use crate::archive::codes;
use crate::archive::refusal::{Error, Offset, Refusal};
use crate::archive::source::{Source, fill};

use super::fields::{u16_at, u32_at, u64_at};

const END: &[u8] = b"PK\x05\x06";
const END_BYTES: usize = 22;
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_BYTES: usize = 20;
const END64: &[u8] = b"PK\x06\x06";
const END64_BYTES: usize = 56;
/// The longest tail that can hold an end record with its comment, a locator and a zip64 end record.
const TAIL_BYTES: usize = END_BYTES + u16::MAX as usize + LOCATOR_BYTES + END64_BYTES;

/// What the end says.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Records in the directory.
    pub(super) entries: u64,
    /// Where the directory begins.
    pub(super) directory: u64,
    /// Its length.
    pub(super) directory_bytes: u64,
    /// Where this end begins; the directory ends there.
    pub(super) at: u64,
}

/// Finds the one end of a zip of `len` bytes.
pub(super) fn find(source: &mut dyn Source, len: u64) -> Result<End, Error> {
    let tail_bytes = usize::try_from(len).map_or(TAIL_BYTES, |len| len.min(TAIL_BYTES));
    let tail_at = len - tail_bytes as u64;
    let mut tail = vec![0; tail_bytes];
    source.seek(SeekFrom::Start(tail_at))?;
    let found = fill(source, &mut tail)?;
    if found < tail_bytes {
        let message = "the file became shorter while it was read";
        return Err(Refusal::new(&codes::TRUNCATED, Offset::Archive(tail_at + found as u64), message).into());
    }
    let at = only_end(&tail, tail_at)?;
    let record = &tail[at..];
    let here = tail_at + at as u64;
    let refuse = |code, message: String| Err(Error::from(Refusal::new(code, Offset::Archive(here), message)));
    let disks = [u16_at(record, 4), u16_at(record, 6)];
    let [here_entries, entries] = [u16_at(record, 8), u16_at(record, 10)];
    let [directory_bytes, directory] = [u32_at(record, 12), u32_at(record, 16)];
    let locator = at.checked_sub(LOCATOR_BYTES).map(|start| &tail[start..at]);
    let end = match locator.filter(|locator| locator.starts_with(LOCATOR)) {
        None => {
            let full = [u32::from(entries) | 0xffff_0000, directory_bytes, directory];
            if disks.contains(&u16::MAX) || full.contains(&u32::MAX) {
                return refuse(&codes::ZIP64, "the end points to a zip64 end that is not there".to_owned());
            }
            if disks != [0, 0] || here_entries != entries {
                return refuse(&codes::ZIP_DISKS, "the archive spans several files".to_owned());
            }
            End {
                entries: entries.into(),
                directory: directory.into(),
                directory_bytes: directory_bytes.into(),
                at: here,
            }
        }
        Some(locator) => {
            let start = at.checked_sub(LOCATOR_BYTES + END64_BYTES);
            let end64 = start.map(|start| &tail[start..start + END64_BYTES]);
            let Some(end64) = end64.filter(|end64| end64.starts_with(END64)) else {
                return refuse(
                    &codes::ZIP64,
                    "no zip64 end of 56 bytes stands before its locator".to_owned(),
                );
            };
            let at = here - (LOCATOR_BYTES + END64_BYTES) as u64;
            if u32_at(locator, 4) != 0 || u32_at(locator, 16) != 1 {
                return refuse(&codes::ZIP_DISKS, "the archive spans several files".to_owned());
            }
            if u64_at(locator, 8) != at {
                let message =
                    format!("the zip64 end is at byte {at} and its locator says {}", u64_at(locator, 8));
                return refuse(&codes::ZIP64, message);
            }
            if u64_at(end64, 4) != END64_BYTES as u64 - 12 {
                return refuse(&codes::ZIP64, "the zip64 end is longer than it is defined".to_owned());
            }
            let end = End {
                entries: u64_at(end64, 32),
                directory: u64_at(end64, 48),
                directory_bytes: u64_at(end64, 40),
                at,
            };
            if u32_at(end64, 16) != 0 || u32_at(end64, 20) != 0 || u64_at(end64, 24) != end.entries {
                return refuse(&codes::ZIP_DISKS, "the archive spans several files".to_owned());
            }
            let agree = |small: u64, large: u64, unsaid: u64| small == unsaid || small == large;
            let word = u64::from(u32::MAX);
            let short = u64::from(u16::MAX);
            if !(agree(entries.into(), end.entries, short)
                && agree(here_entries.into(), end.entries, short)
                && agree(directory_bytes.into(), end.directory_bytes, word)
                && agree(directory.into(), end.directory, word)
                && disks.iter().all(|&disk| agree(disk.into(), 0, short)))
            {
                return refuse(&codes::ZIP64, "the end and the zip64 end contradict each other".to_owned());
            }
            end
        }
    };
    check_directory_place(source, end)?;
    Ok(end)
}

/// The only end record whose comment ends with the file. Readers that scan for the signature find the last one, whatever
/// follows it, so none may stand in the comment either.
fn only_end(tail: &[u8], tail_at: u64) -> Result<usize, Error> {
    let signatures: Vec<usize> =
        tail.windows(END.len()).enumerate().filter(|(_, window)| *window == END).map(|(at, _)| at).collect();
    let mut whole = signatures.iter().copied().filter(|&at| {
        tail.len() - at >= END_BYTES
            && tail.len() - at - END_BYTES == usize::from(u16_at(&tail[at..], END_BYTES - 2))
    });
    let offset = |at: usize| Offset::Archive(tail_at + at as u64);
    let Some(end) = whole.next() else {
        let refusal = match signatures.last() {
            Some(&at) if tail.len() - at >= END_BYTES => {
                let message = "the file does not stop where its end record and comment do";
                Refusal::new(&codes::TRAILING_DATA, offset(at), message)
            }
            _ => {
                let message = "the end of the zip, where its directory is named, is missing";
                Refusal::new(&codes::TRUNCATED, offset(tail.len()), message)
            }
        };
        return Err(refusal.into());
    };
    if let Some(other) = whole.next().or_else(|| signatures.last().copied().filter(|&last| last > end)) {
        let message =
            format!("the zip has a second end at {}, and readers choose differently", offset(other));
        return Err(Refusal::new(&codes::ZIP_TWO_ENDS, offset(end), message).into());
    }
    Ok(end)
}

/// The directory must end where the end begins: bytes between them, or a shift by bytes before the zip, are refused.
fn check_directory_place(source: &mut dyn Source, end: End) -> Result<(), Error> {
    let refuse =
        |code, message: String| Err(Error::from(Refusal::new(code, Offset::Archive(end.at), message)));
    let stop = end.directory.checked_add(end.directory_bytes);
    if stop == Some(end.at) {
        return Ok(());
    }
    let Some(stop) = stop.filter(|&stop| stop < end.at) else {
        return refuse(&codes::ZIP_DIRECTORY, "the directory would reach into the end".to_owned());
    };
    let shift = end.at - stop;
    let mut signature = [0; 4];
    source.seek(SeekFrom::Start(end.at - end.directory_bytes))?;
    (&mut *source).take(4).read_exact(&mut signature).or_else(|error| {
        if error.kind() == std::io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) }
    })?;
    if end.directory_bytes > 0 && &signature == b"PK\x01\x02" {
        let message = format!("{shift} bytes stand before the zip, as before a self-extracting one");
        return refuse(&codes::ZIP_PREFIX, message);
    }
    refuse(&codes::ZIP_GAP, format!("{shift} bytes between the directory and the end belong to nothing"))
}
