//! The reader: the end, the directory, then every local record in the order of its place.

use std::collections::HashSet;
use std::io::SeekFrom;

use crate::archive::codes;
use crate::archive::name::Names;
use crate::archive::refusal::{Error, Offset, Refusal};
use crate::archive::source::{Source, fill};
use crate::archive::unpack::{LINK_BYTES, Reading, Unpacked, Unpacking};
use crate::limits::Exceeded;
use crate::path::PackagePath;
use crate::tree::Node;

use super::directory::{self, Kind, Record};
use super::{end, entry};

/// Unpacked bytes of one entry that the ratio rule lets pass.
const RATIO_GRACE: u64 = 1 << 20;

/// Reads the zip in `source`.
///
/// # Errors
/// [`Error::Refused`] at the first thing wrong with it.
pub fn read(source: &mut dyn Source, reading: Reading<'_>) -> Result<Unpacked, Error> {
    let len = source.seek(SeekFrom::End(0))?;
    let max = reading.limits.archive_bytes;
    if len > max {
        return Err(Refusal::exceeded(Exceeded::ArchiveBytes { max }, Offset::Archive(max)).into());
    }
    let mut unpacking = Unpacking::new(reading);
    let end = end::find(source, len)?;
    let mut records = directory::read(source, end, &mut unpacking)?;
    records.sort_unstable_by_key(|record| (record.offset, record.number));
    let mut folders = HashSet::new();
    let mut next = 0;
    for (turn, record) in records.iter().enumerate() {
        let stop = records.get(turn + 1).map_or(end.directory, |after| after.offset.min(end.directory));
        check_place(record, next, stop)
            .map_err(Error::from)
            .and_then(|()| unpack(source, record, stop, &mut folders, &mut unpacking))
            .map_err(|error| error.within(record.number, &record.raw_name))?;
        next = stop;
    }
    if next != end.directory {
        let message = format!("{} bytes before the directory belong to nothing", end.directory);
        return Err(Refusal::new(&codes::ZIP_PREFIX, Offset::Archive(0), message).into());
    }
    Ok(unpacking.finish())
}

/// A record must begin where the one before it stopped, which is byte 0 for the first.
fn check_place(record: &Record, next: u64, stop: u64) -> Result<(), Refusal> {
    let refuse = |code, message| Err(Refusal::new(code, Offset::Archive(record.offset), message));
    if record.offset >= stop {
        return refuse(&codes::ZIP_OVERLAP, "the entry has no place of its own".to_owned());
    }
    if next == 0 && record.offset > 0 {
        let message = format!("{} bytes stand before the first entry", record.offset);
        return refuse(&codes::ZIP_PREFIX, message);
    }
    Ok(())
}

/// Reads one entry, which ends at `stop`, into the tree.
fn unpack(
    source: &mut dyn Source,
    record: &Record,
    stop: u64,
    folders: &mut HashSet<PackagePath>,
    unpacking: &mut Unpacking<'_>,
) -> Result<(), Error> {
    let at = Offset::Archive(record.at);
    let path = unpacking.path(&record.name, Names::Careful, at)?;
    if record.is_ambiguous {
        unpacking.remark(&codes::NAME_ENCODING, &path);
    }
    let max = unpacking.limits().ratio;
    if record.size > RATIO_GRACE && record.size / record.packed.max(1) > max {
        return Err(Refusal::exceeded(Exceeded::Ratio { max }, at).into());
    }
    let start = entry::check_local(source, record, stop)?;
    let Some(after) = start.checked_add(record.packed).filter(|&after| after <= stop) else {
        let message = "the content reaches into what follows";
        return Err(Refusal::new(&codes::ZIP_OVERLAP, Offset::Archive(start), message).into());
    };
    match record.kind {
        Kind::File(executable) => {
            entry::content(source, record, start, |content| {
                unpacking.file(path, executable, record.size, content, at)
            })?;
        }
        Kind::Folder => {
            entry::content(source, record, start, |_| Ok(()))?;
            if !folders.insert(path.clone()) {
                let message = "an entry with the same path stands before";
                return Err(Refusal::new(&codes::DUPLICATE_PATH, at, message).into());
            }
            unpacking.insert(path, Node::Folder, at)?;
        }
        Kind::Special(kind) => {
            entry::content(source, record, start, |_| Ok(()))?;
            unpacking.insert(path, Node::Special(kind), at)?;
        }
        Kind::Link => {
            let target = entry::content(source, record, start, |content| {
                let mut target = vec![0; link_bytes(record.size, at)?];
                let found = fill(content, &mut target)?;
                if found < target.len() {
                    let message = "the target of the link is shorter than it claims";
                    return Err(Refusal::new(&codes::TRUNCATED, at, message).into());
                }
                Ok(target)
            })?;
            unpacking.insert_link(path, String::from_utf8_lossy(&target).into_owned(), at)?;
        }
    }
    entry::check_descriptor(source, record, after, stop - after)
}

/// The length of a link's target, which is stored as a content.
fn link_bytes(size: u64, at: Offset) -> Result<usize, Refusal> {
    usize::try_from(size).ok().filter(|&size| size <= LINK_BYTES).ok_or_else(|| {
        let message = format!("the target of the link is {size} bytes long and {LINK_BYTES} are allowed");
        Refusal::new(&codes::PATH_TOO_LONG, at, message)
    })
}
