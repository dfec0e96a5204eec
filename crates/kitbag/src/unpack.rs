//! `unpack`: an archive → a folder, once all of it is verified. Nothing is written before, and what is written has no name
//! before it is whole.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::PathBuf;

use kitbag_core::digest::Sha256;
use kitbag_core::formats::adcap::Capability;
use kitbag_core::formats::splice;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Executable, Node, Root, Tree};

use crate::draft::{self, FolderDraft};
use crate::interrupt::Interrupt;
use crate::location::SourceKind;
use crate::pack::contents;
use crate::read::{self, Measure, Purpose, ReadError};
use crate::verify::{self, Report};

/// What to unpack.
#[derive(Clone, Debug)]
pub struct Request {
    /// The archive or bundle.
    pub file: PathBuf,
    /// The folder to be made.
    pub folder: PathBuf,
    /// A digest that somebody else named, as `verify` takes it.
    pub expected: Option<Sha256>,
}

/// What became of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The folder is there.
    Unpacked(Unpacked),
    /// What verification found forbids it.
    Unverified(Report),
    /// It is not to be done.
    Refused(Refusal),
}

/// Why nothing was unpacked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// A folder was named, or a document that is no bundle.
    NotAnArchive,
    /// Something has the name of the folder already.
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// This system would store the file under another name, or open a device.
    Unportable {
        /// Its path in the archive.
        path: PackagePath,
        /// Why.
        because: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnArchive => f.write_str("only an archive or a Splice bundle is unpacked"),
            Self::Exists { path } => write!(f, "`{}` is there already", path.display()),
            Self::Unportable { path, because } => write!(f, "`{path}` cannot be stored here: {because}"),
        }
    }
}

/// A folder that was written.
#[derive(Debug)]
pub struct Unpacked {
    /// Where it is.
    pub folder: PathBuf,
    /// Files in it.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Files that may be run.
    pub executables: Vec<PackagePath>,
    /// What the bytes were found to be worth.
    pub report: Report,
}

/// Why it could not be done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The archive cannot be read.
    Read(ReadError),
    /// The folder cannot be written.
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Write { path, error } => write!(f, "cannot write `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(_) => None,
            Self::Write { error, .. } => Some(error),
        }
    }
}

/// Verifies an archive and writes its files into a new folder.
///
/// # Errors
/// [`Error`]; there is no folder then.
pub fn unpack(request: &Request, interrupt: &Interrupt) -> Result<Answer, Error> {
    let path = request.folder.components().as_path();
    let failed = |error| Error::Write { path: path.to_owned(), error };
    let taken = || Ok(Answer::Refused(Refusal::Exists { path: path.to_owned() }));
    // Before anything else: the answer for a large archive should not take longer than that for a small one.
    if draft::exists(path).map_err(failed)? {
        return taken();
    }
    let measure = if request.expected.is_some() { Measure::Any } else { Measure::Small };
    let reading = read::read_for(&request.file, Purpose::Unpack(measure)).map_err(Error::Read)?;
    let kind = reading.location.kind;
    let files = contents(&reading.tree);
    let is_read = !reading.findings.has_errors();
    let report = verify::judge(reading, request.expected.as_ref());
    let is_bundle = kind == SourceKind::Document && files.root() == Root::Archive;
    if kind != SourceKind::Archive && !is_bundle && is_read {
        return Ok(Answer::Refused(Refusal::NotAnArchive));
    }
    if report.forbids_use() {
        return Ok(Answer::Unverified(report));
    }
    if let Some(refusal) = unportable(&files) {
        return Ok(Answer::Refused(refusal));
    }
    interrupt.check().map_err(failed)?;
    let draft = FolderDraft::new(draft::folder_of(path), files.len()).map_err(failed)?;
    let written = write(&files, &draft, interrupt).map_err(failed)?;
    interrupt.check().map_err(failed)?;
    match draft.commit(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return taken(),
        result => result.map_err(failed)?,
    }
    let Written { files, bytes, executables } = written;
    Ok(Answer::Unpacked(Unpacked { folder: path.to_owned(), files, bytes, executables, report }))
}

/// The first entry that this system would store under another name.
fn unportable(tree: &Tree) -> Option<Refusal> {
    tree.iter().find_map(|(path, _)| {
        let problem = path.to_os().err()?;
        Some(Refusal::Unportable { path: path.clone(), because: problem.to_string() })
    })
}

#[derive(Default)]
struct Written {
    files: usize,
    bytes: u64,
    executables: Vec<PackagePath>,
}

fn write(tree: &Tree, draft: &FolderDraft, interrupt: &Interrupt) -> io::Result<Written> {
    let marks = Marks::of(tree);
    let mut written = Written::default();
    for (path, node) in tree.iter() {
        let blob = match node {
            Node::Folder => {
                draft.folder(path)?;
                continue;
            }
            Node::File(blob) => blob,
            // Verification refuses what is no file; nothing else is ever written.
            Node::Link { .. } | Node::Special(_) | Node::Unreadable { .. } => {
                return Err(io::Error::other(format!("`{path}` is no regular file")));
            }
        };
        let executable = marks.executable(path, blob);
        draft
            .file(path, blob, executable, interrupt)
            .map_err(|error| io::Error::new(error.kind(), format!("`{path}`: {error}")))?;
        written.files += 1;
        written.bytes += blob.len();
        if executable == Executable::Yes {
            written.executables.push(path.clone());
        }
    }
    Ok(written)
}

/// Who says which files may be run.
enum Marks {
    /// The manifest that was verified (.adcap §2), not the archive's own modes.
    Listed(BTreeSet<String>),
    /// Nobody: the format has no such mark.
    None,
    /// The archive, as any program that unpacks it would have it.
    Archive,
}

impl Marks {
    fn of(tree: &Tree) -> Self {
        if let Some(capability) = Capability::at_root(tree) {
            let files = capability.document().and_then(|document| document.files.as_ref());
            let listed = files.iter().flat_map(|files| &files.entries).map(|file| &file.value);
            return Self::Listed(
                listed.filter(|file| file.executable).map(|file| file.path.value.clone()).collect(),
            );
        }
        if splice::Manifest::beside(tree).is_some() { Self::None } else { Self::Archive }
    }

    fn executable(&self, path: &PackagePath, blob: &Blob) -> Executable {
        let marked = match self {
            Self::Listed(files) => files.contains(path.as_str()),
            Self::None => false,
            Self::Archive => return blob.executable(),
        };
        if marked { Executable::Yes } else { Executable::No }
    }
}
