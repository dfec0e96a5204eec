//! The archive of a Splice package (Splice 1, "Package archive"): written so that the bytes are the same wherever it is
//! built, read strictly from anybody.
//!
//! The writer's details are Splice's own and cannot be chosen: paths in the order of UTF-16 units, device numbers that are
//! NUL, a long path cut at the first slash that fits, deflate blocks that are stored. The reader takes any gzip and any
//! plain ustar, as the specification says, and nothing that two of its readers would take differently.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Read, Write};

use crate::archive::gzip::{Gunzip, Header, Stored};
use crate::archive::tar::{
    self, Devices, Headers, Layout, Modes, Order, Packing, Profile, Split, WriteError, ZeroBlocks,
};
use crate::archive::{self, InMemory, Names, Reading, Refusal, Unpacked};
use crate::digest::Measured;
use crate::formats::{PackError, Pins};
use crate::json::excerpt;
use crate::limits::Limits;
use crate::path::{PackagePath, Rule};
use crate::tree::{Blob, Node, Tree};

use super::bundle::{self, BundleError};
use super::{ARCHIVE_BYTES, FILE_BYTES, FILES, UNPACKED_BYTES, words};

/// How the archive's tar is laid out.
pub const LAYOUT: Layout = Layout {
    first: &[],
    last: &[],
    order: Order::Utf16,
    modes: Modes::Plain,
    devices: Devices::Nul,
    split: Split::First,
};

/// Which tars are read: regular files, in ustar or GNU's plain headers. Entries for folders say nothing and are passed
/// over; links, devices and extension records are refused.
pub const PROFILE: Profile = Profile {
    headers: Headers::Ordinary,
    extensions: Rule::Refuse,
    folders: Rule::Allow,
    links_and_specials: Rule::Refuse,
    dot_prefix: Rule::Allow,
    zero_blocks: ZeroBlocks::TwoOrMore,
    names: Names::Published,
    entries: u64::MAX,
};

/// The files of `tree` that are packed: all but hidden ones and `node_modules`.
pub fn files(tree: &Tree) -> impl Iterator<Item = (&PackagePath, &Blob)> {
    tree.iter().filter_map(|(path, node)| match node {
        Node::File(blob) if !words::is_left_out(path.as_str()) => Some((path, blob)),
        _ => None,
    })
}

/// Length of the archive of files of these lengths.
pub fn archive_bytes(lengths: impl IntoIterator<Item = u64>) -> u64 {
    const BLOCK_BYTES: u64 = 0xffff;
    let entries = lengths.into_iter().map(Layout::entry_bytes);
    let tar = entries.fold(Layout::END_BYTES, u64::saturating_add);
    let blocks = tar.div_ceil(BLOCK_BYTES).max(1);
    tar.saturating_add(blocks.saturating_mul(5)).saturating_add(10 + 8)
}

/// Packs the files of `tree`. Whether they are a sound package is a check's to say; what no archive may hold is refused
/// here, before a byte is written.
///
/// # Errors
/// [`PackError`].
pub fn write(tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
    let files = packable(tree)?;
    let size = archive_bytes(files.iter().map(|(_, blob)| blob.len()));
    if size > ARCHIVE_BYTES {
        return Err(too_long("archive", size));
    }
    let mut measured = Measured::new(out);
    let out = |error| PackError::Write(WriteError::Out(error));
    let gzip = Stored::new(&mut measured, Header::ANONYMOUS).map_err(out)?;
    let gzip = tar::write(files, &LAYOUT, gzip).map_err(PackError::Write)?;
    gzip.finish().map_err(out)?;
    let (sha256, size) = measured.finish();
    Ok(Pins::ArchiveBytes { sha256, size })
}

/// Packs the files of `tree` as the JSON bundle of before the archive, which clients still read.
///
/// # Errors
/// [`PackError`].
pub fn write_bundle(tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
    let files = packable(tree)?;
    let size = bundle::bytes(files.iter().map(|(path, blob)| (*path, blob.len())));
    if size > ARCHIVE_BYTES {
        return Err(too_long("bundle", size));
    }
    let mut measured = Measured::new(out);
    bundle::write(files, &mut measured).map_err(|error| PackError::Write(WriteError::Out(error)))?;
    let (sha256, size) = measured.finish();
    Ok(Pins::ArchiveBytes { sha256, size })
}

fn too_long(what: &str, size: u64) -> PackError {
    let because = format!("the {what} would be {size} bytes long and {ARCHIVE_BYTES} are allowed");
    PackError::unsound(None, because)
}

/// The files of `tree`, if both forms may hold them.
fn packable(tree: &Tree) -> Result<Vec<(&PackagePath, &Blob)>, PackError> {
    refuse_what_is_no_file(tree)?;
    let files: Vec<_> = files(tree).collect();
    if files.len() > FILES {
        return Err(PackError::unsound(None, format!("there are more than {FILES} files")));
    }
    let mut folded: HashMap<String, &PackagePath> = HashMap::new();
    for (path, blob) in &files {
        let refuse = |because: String| Err(PackError::unsound(Some((*path).clone()), because));
        if let Some(fault) = words::path_fault(path.as_str()) {
            return refuse(format!("the path {fault}"));
        }
        if blob.len() > FILE_BYTES {
            return refuse(format!("the file is larger than {FILE_BYTES} bytes"));
        }
        if let Some(other) = folded.insert(path.as_str().to_lowercase(), path) {
            return refuse(format!("the path is that of `{other}` but for case"));
        }
    }
    Ok(files)
}

fn refuse_what_is_no_file(tree: &Tree) -> Result<(), PackError> {
    for (path, node) in tree.iter().filter(|(path, _)| !words::is_left_out(path.as_str())) {
        let because = match node {
            Node::File(_) | Node::Folder => continue,
            Node::Link { target } => format!("it is a symbolic link to `{target}`"),
            Node::Special(kind) => format!("it is a {kind}"),
            Node::Unreadable { because } => format!("it cannot be read: {because}"),
        };
        return Err(PackError::unsound(Some(path.clone()), because));
    }
    match tree.unnameable().next() {
        Some(entry) => {
            Err(PackError::unsound(entry.folder.clone(), format!("`{}` is not valid UTF-8", entry.name)))
        }
        None => Ok(()),
    }
}

/// Why an artifact is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// It is longer than 5 MiB.
    TooLong,
    /// The gzip or the tar is refused.
    Archive(archive::Error),
    /// The JSON bundle is refused.
    Bundle(BundleError),
    /// It unpacks to more than 16 MiB.
    Expands,
    /// It holds more than 500 files.
    TooManyFiles,
    /// A path is none that Splice allows.
    Path {
        /// The path.
        path: PackagePath,
        /// Why, to follow "the path".
        because: &'static str,
    },
    /// Two paths are one but for case.
    Twin {
        /// One.
        first: PackagePath,
        /// The other.
        second: PackagePath,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the archive is longer than {ARCHIVE_BYTES} bytes"),
            Self::Archive(error) => write!(f, "{error}"),
            Self::Bundle(error) => write!(f, "the bundle is refused: {error}"),
            Self::Expands => write!(f, "the archive expands beyond {UNPACKED_BYTES} bytes"),
            Self::TooManyFiles => write!(f, "the archive holds more than {FILES} files"),
            Self::Path { path, because } => {
                write!(f, "`{}`: the path {because}", excerpt(path.as_str()))
            }
            Self::Twin { first, second } => {
                let (first, second) = (excerpt(first.as_str()), excerpt(second.as_str()));
                write!(f, "`{first}` and `{second}` are the same path but for case")
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Archive(error) => Some(error),
            Self::Bundle(error) => Some(error),
            _ => None,
        }
    }
}

/// Reads an artifact, whichever of the two forms it has: what begins as gzip is an archive, everything else a bundle.
///
/// # Errors
/// [`ReadError`]; nothing comes out of an artifact that is refused.
pub fn read(bytes: &[u8]) -> Result<Tree, ReadError> {
    if bytes.len() as u64 > ARCHIVE_BYTES {
        return Err(ReadError::TooLong);
    }
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bundle::read(bytes).map_err(ReadError::Bundle);
    }
    read_archive(&mut &*bytes, Reading { name: None, limits: archive::LIMITS, spool: &mut InMemory })
        .map(|unpacked| unpacked.tree)
}

/// Reads an archive that is a `.tar.gz`. Of the limits in `reading`, Splice's own hold where they are lower.
///
/// # Errors
/// [`ReadError`]; nothing comes out of an archive that is refused.
pub fn read_archive(source: &mut dyn Read, reading: Reading<'_>) -> Result<Unpacked, ReadError> {
    // Sixteen mebibytes are the bound; the ratio is not Splice's to judge.
    let limits = Limits {
        entries: reading.limits.entries,
        depth: words::PATH_UNITS,
        file_bytes: UNPACKED_BYTES,
        total_bytes: UNPACKED_BYTES,
        archive_bytes: ARCHIVE_BYTES,
        ratio: u64::MAX,
        ..Limits::LOOSEST
    };
    let gunzip = Gunzip::new(source, &limits).map_err(of_archive)?;
    let mut capped = Capped { source: gunzip, left: UNPACKED_BYTES, overrun: false };
    let unpacked = tar::read(&mut capped, &PROFILE, Packing::Gzip, Reading { limits, ..reading });
    if capped.overrun {
        return Err(ReadError::Expands);
    }
    let unpacked = unpacked.map_err(of_archive)?;
    let mut folded: HashMap<String, &PackagePath> = HashMap::new();
    for (path, _) in unpacked.tree.iter().filter(|(_, node)| matches!(node, Node::File(_))) {
        if let Some(because) = words::path_fault(path.as_str()) {
            return Err(ReadError::Path { path: path.clone(), because });
        }
        if let Some(first) = folded.insert(path.as_str().to_lowercase(), path) {
            return Err(ReadError::Twin { first: first.clone(), second: path.clone() });
        }
    }
    if folded.len() > FILES {
        return Err(ReadError::TooManyFiles);
    }
    Ok(unpacked)
}

/// A refusal of the archive, under Splice's own word where it has one.
fn of_archive(error: archive::Error) -> ReadError {
    match error {
        archive::Error::Refused(refusal) if refusal.code == &archive::codes::ARCHIVE_TOO_LARGE => {
            ReadError::TooLong
        }
        error => ReadError::Archive(error),
    }
}

/// Whether an archive that is refused for this may still be one of Splice's: names that only it allows, and a ratio of
/// packed to unpacked bytes that it does not judge.
#[must_use]
pub fn may_allow(refusal: &Refusal) -> bool {
    use archive::codes::{PATH_CONTROL, PATH_DEVICE, RATIO};
    [&PATH_CONTROL, &PATH_DEVICE, &RATIO].contains(&refusal.code)
}

/// Ends a source that unpacks to too much.
struct Capped<R> {
    source: R,
    left: u64,
    overrun: bool,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(into)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => {
                self.overrun = true;
                return Err(io::Error::other("the archive expands too far"));
            }
        }
        Ok(n)
    }
}
