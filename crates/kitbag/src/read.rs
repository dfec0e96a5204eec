//! Folder, archive, document or standard input → [`Tree`]: the only walk of a disk.
//!
//! What was named is followed when it is a link, because whoever named it meant what is behind it. Below it, nothing is
//! followed and nothing but regular files is opened.

mod exact;
mod hashing;
mod measured;
#[cfg(not(unix))]
mod portable;
mod spool;
#[cfg(unix)]
pub(crate) mod unix;
mod walk;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

use kitbag_core::archive::{self, Spool, Unpacked};
use kitbag_core::digest::Sha256;
use kitbag_core::finding::{Finding, Findings, Place};
use kitbag_core::formats::{self, ArchiveBytes, codes, splice};
use kitbag_core::limits::{self, Budget, Limits};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, SpecialKind, Tree};

use crate::location::{Location, SourceKind};

use hashing::HashingSpool;
use measured::MeasuredFile;
#[cfg(not(unix))]
use portable as system;
pub(crate) use spool::DiskSpool;
#[cfg(unix)]
use unix as system;

/// Where a package is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Source {
    /// A folder, an archive file, or one document. A document that makes its folder a package (`SKILL.md`,
    /// `skill.contract.json`, …) stands for its folder.
    Path(PathBuf),
    /// One document, already read (standard input).
    Document {
        /// The name of the file it is judged as (`SKILL.md`, `skill.contract.json`); `None`: as its content says.
        name: Option<String>,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// What a source holds.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What was named.
    pub location: Location,
    /// Everything below it.
    pub tree: Tree,
    /// What kept it from being read completely, or at all: a limit, a pipe where a package should be.
    pub findings: Findings,
    /// The file that was read, where it was one and its bytes were wanted.
    pub(crate) archive: Option<ArchiveBytes>,
}

/// What a source is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be looked at: contents of an archive wait on disk until somebody asks.
    Look,
    /// To be compared with digests: contents of an archive are hashed while they pass by, and only documents are kept.
    Compare(Measure),
    /// To be compared and then written down.
    Unpack(Measure),
}

/// Whether the digest of an archive itself is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Where a format of archives as small as this pins packages by it.
    Small,
    /// However large it is.
    Any,
}

impl Purpose {
    /// Whether the digest of an archive of `len` bytes is taken.
    fn measures(self, len: u64) -> bool {
        match self {
            Self::Look => false,
            Self::Compare(Measure::Any) | Self::Unpack(Measure::Any) => true,
            Self::Compare(Measure::Small) | Self::Unpack(Measure::Small) => len <= splice::ARCHIVE_BYTES,
        }
    }
}

/// Why a source could not be read at all. What could be read partly is in the tree, for the check to report.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing is there.
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    Io {
        /// The path.
        path: PathBuf,
        /// Its words.
        error: io::Error,
    },
}

impl ReadError {
    pub(crate) fn of(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing { path },
            _ => Self::Io { path, error },
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "nothing is at `{}`", path.display()),
            Self::Io { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Missing { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// Reads `source` into a tree. Links and special files become entries and are never followed or opened.
///
/// # Errors
/// [`ReadError`] when nothing could be read.
pub fn read(source: &Source) -> Result<Reading, ReadError> {
    match source {
        Source::Path(path) => read_for(path, Purpose::Look),
        Source::Document { name, bytes } => {
            let location = Location::root(PathBuf::new(), SourceKind::Input);
            let name = name.as_deref().or_else(|| formats::document_name(bytes));
            Ok(document(location, name, || Blob::from_bytes(bytes.clone())))
        }
    }
}

/// Reads what is at `path` for a purpose.
///
/// # Errors
/// [`ReadError`] when nothing could be read.
pub(crate) fn read_for(path: &Path, purpose: Purpose) -> Result<Reading, ReadError> {
    // Without the slash or dot at its end, a link is seen as the link it is.
    let path = path.components().as_path();
    let own = fs::symlink_metadata(path).map_err(|error| ReadError::of(path, error))?;
    let behind = if own.is_symlink() {
        fs::metadata(path).map_err(|error| ReadError::of(path, error))?
    } else {
        own.clone()
    };
    if behind.is_dir() {
        return read_folder(path, if own.is_symlink() { Root::LinkToFolder } else { Root::Folder });
    }
    if let (true, Some(folder)) = (stands_for_its_folder(path), folder_of(path)) {
        return read_for(&folder, purpose);
    }
    read_file(path, &behind, purpose)
}

/// The regular file at `path`, which was named beside a package; a link to it is followed.
pub(crate) fn named_file(path: &Path) -> Result<Blob, ReadError> {
    let failed = |error| ReadError::of(path, error);
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_file() {
        let mut file = system::open_named(path).map_err(failed)?;
        let max = Limits::LOOSEST.document_bytes;
        return match limits::read_bounded(&mut file, metadata.len(), max) {
            Ok(bytes) => Ok(Blob::from_bytes(bytes)),
            Err(limits::ReadError::Io(error)) => Err(failed(error)),
            Err(error) => Err(failed(io::Error::other(error))),
        };
    }
    let kind = if metadata.is_dir() {
        "it is a folder".to_owned()
    } else {
        format!("it is a {}, which is never opened", special_kind(metadata.file_type()))
    };
    Err(failed(io::Error::new(io::ErrorKind::InvalidInput, kind)))
}

/// The regular file at `path`, open to be read; a link to it is followed, nothing else is opened.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    system::open_named(path)
}

/// Whether a file's name alone says that its folder is a package.
pub(crate) fn stands_for_its_folder(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(formats::marker) == Some(formats::Marker::Certain)
}

/// The folder a named file is in.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
}

fn read_folder(path: &Path, root: Root) -> Result<Reading, ReadError> {
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let target = if own.is_none() || root == Root::LinkToFolder { resolved_name(path) } else { None };
    let tree = match root {
        Root::LinkToFolder => Tree::new(own, root).behind_link(target),
        _ => Tree::new(own.or(target), root),
    };
    let mut walk = walk::Walk::new(tree, Budget::new(Limits::LOOSEST));
    system::walk(&mut walk, path).map_err(|error| ReadError::of(path, error))?;
    let (tree, findings) = walk.finish();
    let location = Location::root(path.to_owned(), SourceKind::Folder);
    Ok(Reading { location, tree, findings, archive: None })
}

/// What a folder is called once every link, `.` and `..` is resolved.
fn resolved_name(path: &Path) -> Option<String> {
    let resolved = fs::canonicalize(path).ok()?;
    Some(resolved.file_name()?.to_string_lossy().into_owned())
}

/// A file that is no folder's document by its name alone: an archive or a document by its content, or neither.
fn read_file(path: &Path, metadata: &fs::Metadata, purpose: Purpose) -> Result<Reading, ReadError> {
    let failed = |error| ReadError::of(path, error);
    let location = |kind| Location::root(path.to_owned(), kind);
    if !metadata.is_file() {
        let kind = special_kind(metadata.file_type());
        let message = format!("`{}` is a {kind}, not a package", path.display());
        let finding = Finding::new(&codes::SPECIAL_FILE, Place::package(), message);
        return Ok(nothing(location(SourceKind::Document), finding));
    }
    let mut file = system::open_named(path).map_err(failed)?;
    let mut first = [0; archive::SNIFF_BYTES];
    let count = fill(&mut file, &mut first).map_err(failed)?;
    file.rewind().map_err(failed)?;
    if archive::sniff(&first[..count]).is_some() {
        return read_archive(location(SourceKind::Archive), &mut file, purpose).map_err(failed);
    }
    let location = location(SourceKind::Document);
    let max = Limits::LOOSEST.document_bytes;
    let bytes = if metadata.len() > max {
        Err(limits::Exceeded::DocumentBytes { max }.into())
    } else {
        limits::read_bounded(&mut file, metadata.len(), max)
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(limits::ReadError::Io(error)) => return Err(failed(error)),
        Err(error) => {
            let message = format!("this is no archive, and {error} is not read");
            let finding = Finding::new(&codes::TOO_MUCH, Place::package(), message);
            return Ok(nothing(location, finding));
        }
    };
    let name = formats::document_name(&bytes);
    if let (Some(name), Some(folder)) = (name, folder_of(path))
        && path.file_name().is_some_and(|own| own == name)
        && formats::is_of_a_folder(name)
    {
        return read_for(&folder, purpose);
    }
    Ok(measured_document(location, name, bytes, purpose))
}

/// One document whose bytes may be wanted as an archive's are: a bundle is both.
fn measured_document(location: Location, name: Option<&str>, bytes: Vec<u8>, purpose: Purpose) -> Reading {
    let size = bytes.len() as u64;
    let archive = purpose.measures(size).then(|| ArchiveBytes { sha256: Sha256::of(&bytes), size });
    Reading { archive, ..document(location, name, || Blob::from_bytes(bytes)) }
}

/// The JSON bundle in `file`, from where it stands.
pub(crate) fn read_bundle(file: &mut File, purpose: Purpose) -> io::Result<Reading> {
    let len = file.metadata()?.len();
    let bytes = limits::read_bounded(file, len, splice::ARCHIVE_BYTES).map_err(io::Error::other)?;
    let location = Location::root(PathBuf::new(), SourceKind::Document);
    Ok(measured_document(location, formats::document_name(&bytes), bytes, purpose))
}

/// Everything in an archive, or why nothing of it is read.
pub(crate) fn read_archive(location: Location, file: &mut File, purpose: Purpose) -> io::Result<Reading> {
    let (mut disk, mut hashing) = (DiskSpool::default(), HashingSpool::default());
    let spool: &mut dyn Spool = match purpose {
        Purpose::Look | Purpose::Unpack(_) => &mut disk,
        Purpose::Compare(_) => &mut hashing,
    };
    let reading = archive::Reading { name: None, limits: archive::LIMITS, spool };
    let (unpacked, archive) = if purpose.measures(file.metadata()?.len()) {
        let mut measured = MeasuredFile::new(file);
        let unpacked = formats::read_archive(&mut measured, reading);
        (unpacked, measured.finish()?)
    } else {
        (formats::read_archive(file, reading), None)
    };
    hashing.finish()?;
    match unpacked {
        Ok(Unpacked { tree, remarks, .. }) => Ok(Reading { location, tree, findings: remarks, archive }),
        Err(archive::Error::Refused(refusal)) => {
            Ok(Reading { archive, ..nothing(location, refusal.finding(Place::package())) })
        }
        Err(archive::Error::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Reads until `into` is full or the file ends; the number of bytes read.
fn fill(file: &mut File, into: &mut [u8]) -> io::Result<usize> {
    let mut full = 0;
    while full < into.len() {
        match file.read(&mut into[full..]) {
            Ok(0) => break,
            Ok(count) => full += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(full)
}

/// One document as a tree.
fn document(location: Location, name: Option<&str>, blob: impl FnOnce() -> Blob) -> Reading {
    let mut tree = Tree::new(None, Root::Document);
    let added =
        name.and_then(|name| PackagePath::new(name).ok()).map(|path| tree.insert(path, Node::File(blob())));
    if let Some(Ok(())) = added {
        return Reading { location, tree, findings: Findings::default(), archive: None };
    }
    let message = "this is neither an archive nor a document that kitbag knows";
    nothing(location, Finding::new(&codes::NO_FACE, Place::package(), message))
}

/// A source that gave nothing but a finding.
fn nothing(location: Location, finding: Finding) -> Reading {
    let mut findings = Findings::default();
    findings.push(finding);
    Reading { location, tree: Tree::new(None, Root::Document), findings, archive: None }
}

#[cfg(unix)]
fn special_kind(kind: fs::FileType) -> SpecialKind {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        SpecialKind::Pipe
    } else if kind.is_socket() {
        SpecialKind::Socket
    } else if kind.is_block_device() || kind.is_char_device() {
        SpecialKind::Device
    } else {
        SpecialKind::Other
    }
}

#[cfg(not(unix))]
fn special_kind(_: fs::FileType) -> SpecialKind {
    SpecialKind::Other
}
