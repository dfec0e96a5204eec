//! Archives: budgets are kept, and what is accepted is what other readers unpack.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _};

use kitbag_core::archive::{self, Error, InMemory, LIMITS, Offset, Reading, Refusal, Unpacked};
use kitbag_core::archive::{gzip as core_gzip, tar as core_tar, zip as core_zip};
use kitbag_core::limits::Limits;
use kitbag_core::path::PathRules;
use kitbag_core::tree::Node;

use crate::archive::{crc32, deflate_stored};

/// Tight enough to be met by mutation.
const TIGHT: Limits = Limits {
    entries: 40,
    depth: 12,
    file_bytes: 1 << 20,
    total_bytes: 3 << 20,
    archive_bytes: 1 << 20,
    ratio: 200,
    ..LIMITS
};

/// Files by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Any bytes as a tar, and once more with the checksums of its headers put right.
///
/// # Panics
/// When the reader breaks a promise.
pub fn tar(bytes: &[u8]) {
    judge_tar(bytes);
    let mended = with_checksums(bytes);
    if mended != bytes {
        judge_tar(&mended);
    }
}

fn judge_tar(bytes: &[u8]) {
    let read = |profile| {
        let reading = Reading { name: None, limits: TIGHT, spool: &mut InMemory };
        core_tar::read(&mut &*bytes, profile, core_tar::Packing::Plain, reading)
    };
    let ordinary = judge(read(&core_tar::Profile::ORDINARY), bytes.len());
    let strict = judge(read(&core_tar::Profile::STRICT), bytes.len());
    if let Some(strict) = &strict {
        assert_eq!(
            Some(strict),
            ordinary.as_ref(),
            "the strict profile reads what the ordinary one does not"
        );
    }
    if let Some(files) = ordinary {
        assert_eq!(files, files_by_tar(bytes), "another reader unpacks something else");
    }
}

/// Every block that looks like a header gets the checksum it should have.
pub(super) fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    for block in mended.chunks_exact_mut(512).filter(|block| &block[257..262] == b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    mended
}

pub(super) fn files_by_tar(bytes: &[u8]) -> Files {
    let mut other = ::tar::Archive::new(bytes);
    let mut files = Files::new();
    for entry in other.entries().expect("the bytes are read from the start") {
        let mut entry = entry.unwrap_or_else(|error| panic!("accepted what another reader refuses: {error}"));
        if entry.header().entry_type().is_file() {
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let mut content = Vec::new();
            io::copy(&mut entry, &mut content).unwrap_or_else(|error| panic!("`{name}`: {error}"));
            files.insert(name.strip_prefix("./").unwrap_or(&name).to_owned(), content);
        }
    }
    files
}

/// Any bytes as a gzip; and as the deflate stream, the tar or the trailer of one that is otherwise right.
///
/// # Panics
/// When the reader breaks a promise.
pub fn gzip(bytes: &[u8]) {
    judge_gzip(bytes);
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let trailer = |content: &[u8]| {
        let length = u32::try_from(content.len()).unwrap_or(0);
        [crc32(content).to_le_bytes(), length.to_le_bytes()].concat()
    };
    judge_gzip(&[&header[..], &deflate_stored(bytes), &trailer(bytes)].concat());
    let mut content = Vec::new();
    // An unlimited reader; the limit is on what is taken from it.
    let inflated = flate2::read::DeflateDecoder::new(bytes).take(2 << 20).read_to_end(&mut content);
    if inflated.is_ok() {
        judge_gzip(&[&header[..], bytes, &trailer(&content)].concat());
    }
}

fn judge_gzip(bytes: &[u8]) {
    let reading = Reading { name: None, limits: TIGHT, spool: &mut InMemory };
    let files = judge(core_gzip::read_tar(&mut &*bytes, &core_tar::Profile::ORDINARY, reading), bytes.len());
    let mut unpacked = Vec::new();
    let accepted = core_gzip::Gunzip::new(bytes, &TIGHT)
        .map_err(io::Error::other)
        .and_then(|mut gunzip| io::copy(&mut gunzip, &mut unpacked));
    if accepted.is_err() {
        assert!(files.is_none(), "a tar came out of a gzip that is refused");
        return;
    }
    let mut other = Vec::new();
    let mut rest = bytes;
    let mut decoder = flate2::bufread::GzDecoder::new(&mut rest);
    decoder
        .read_to_end(&mut other)
        .unwrap_or_else(|error| panic!("accepted what another reader refuses: {error}"));
    assert!(other == unpacked, "another reader unpacks something else");
    assert!(rest.is_empty(), "{} bytes follow", rest.len());
}

/// Any bytes as a zip.
///
/// # Panics
/// When the reader breaks a promise.
pub fn zip(bytes: &[u8]) {
    let reading = Reading { name: None, limits: TIGHT, spool: &mut InMemory };
    let answer = core_zip::read(&mut Cursor::new(bytes), reading);
    let is_ambiguous = answer.as_ref().is_ok_and(|unpacked| {
        unpacked.remarks.iter().any(|remark| remark.code == &archive::codes::NAME_ENCODING)
    });
    let Some(files) = judge(answer, bytes.len()) else { return };
    let other = files_by_zip(bytes);
    if is_ambiguous {
        // The names differ, as was remarked; the contents may not.
        let sorted = |files: Files| {
            let mut contents: Vec<_> = files.into_values().collect();
            contents.sort();
            contents
        };
        assert_eq!(sorted(files), sorted(other), "another reader unpacks something else");
    } else {
        assert_eq!(files, other, "another reader unpacks something else");
    }
}

fn files_by_zip(bytes: &[u8]) -> Files {
    let mut other = ::zip::ZipArchive::new(Cursor::new(bytes))
        .unwrap_or_else(|error| panic!("accepted what another reader refuses: {error}"));
    let mut files = Files::new();
    for turn in 0..other.len() {
        let mut entry = other
            .by_index(turn)
            .unwrap_or_else(|error| panic!("entry {turn}: another reader refuses it: {error}"));
        let is_regular = entry.unix_mode().is_none_or(|mode| matches!(mode & 0o170_000, 0 | 0o100_000));
        if entry.is_dir() || !is_regular {
            continue;
        }
        let name = entry.name().map_or_else(|error| format!("{turn}: {error}"), std::borrow::Cow::into_owned);
        let mut content = Vec::new();
        io::copy(&mut entry, &mut content).unwrap_or_else(|error| panic!("`{name}`: {error}"));
        files.insert(name, content);
    }
    files
}

/// What holds for every answer; the files, where there are any to be had.
fn judge(answer: Result<Unpacked, Error>, len: usize) -> Option<Files> {
    let unpacked = match answer {
        Ok(unpacked) => unpacked,
        Err(Error::Refused(refusal)) => {
            judge_refusal(&refusal, len);
            return None;
        }
        Err(error) => panic!("bytes in memory cannot fail: {error}"),
    };
    let rules = PathRules { unportable: kitbag_core::path::Rule::Allow, ..PathRules::PORTABLE };
    let mut files = Files::new();
    let mut total = 0;
    let mut nodes = 0;
    for (path, node) in unpacked.tree.iter() {
        nodes += 1;
        assert_eq!(rules.check(path.as_str()), Ok(()), "`{path}`");
        assert!(path.segments().count() <= TIGHT.depth, "`{path}`");
        let Node::File(blob) = node else { continue };
        let content = blob.read(TIGHT.file_bytes).unwrap_or_else(|error| panic!("`{path}`: {error}"));
        assert_eq!(content.len() as u64, blob.len(), "`{path}`");
        total += blob.len();
        files.insert(path.as_str().to_owned(), content);
    }
    assert!(total <= TIGHT.total_bytes, "{total} bytes");
    assert!(nodes <= TIGHT.entries, "{nodes} entries");
    Some(files)
}

fn judge_refusal(refusal: &Refusal, len: usize) {
    if let Offset::Archive(at) = refusal.at {
        // What a record names may lie beyond the end; what is wrong with it is then that.
        let names_a_place = refusal.code == &archive::codes::ZIP_OVERLAP;
        assert!(at <= len as u64 || names_a_place, "{refusal} of {len} bytes");
    }
    assert!(refusal.to_string().len() < 4096, "{refusal}");
    assert!(!refusal.to_string().contains(char::is_control), "{refusal:?}");
}
