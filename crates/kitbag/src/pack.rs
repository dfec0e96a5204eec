//! `pack`: a folder → its archive. Checked before a byte is written, read back before the file has its name.

mod form;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use kitbag_core::digest::Measured;
use kitbag_core::finding::Severity;
use kitbag_core::formats::{ArchiveBytes, Outcome, PackError, Pin};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Node, Tree};

use crate::check::PackageReport;
use crate::check::Profiles;
use crate::draft::{self, FileDraft};
use crate::interrupt::Interrupt;
use crate::location::{Location, SourceKind};
use crate::packages::{self, Found};
use crate::read::{self, ReadError, Source};
use crate::verify::{self, Verified};

pub use crate::draft::Existing;
pub use form::Form;
pub(crate) use form::contents;

use form::{Packable, Promise};

/// What to pack.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder of the package.
    pub folder: PathBuf,
    /// As what; `None`: as what it is, if it is one thing.
    pub form: Option<Form>,
    /// Where the archive goes.
    pub to: Destination,
    /// What to do about a file that has its name already.
    pub existing: Existing,
}

/// Where an archive goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Into this folder, under the name that archives of its format have.
    Folder(PathBuf),
    /// Here.
    File(PathBuf),
}

/// What became of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The archive is there.
    Packed(Box<Packed>),
    /// The check found errors, and nothing was written: the packages that have some.
    Unsound(Vec<PackageReport>),
    /// There is nothing to pack, or nowhere to put it.
    Refused(Refusal),
}

/// Why nothing was packed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// An archive or a single document was named.
    NotAFolder,
    /// The folder is no package; these folders in it are.
    NoPackage {
        /// Where they are.
        inside: Vec<Location>,
    },
    /// No document of the package has an archive of its own.
    NoArchive {
        /// What it is.
        formats: Vec<&'static str>,
        /// What would carry it.
        carriers: Vec<&'static str>,
    },
    /// The package is not of the form that was asked for.
    NotOfForm {
        /// The form.
        form: Form,
    },
    /// The package may be packed as several things, and it was not said as which.
    Ambiguous {
        /// As these.
        forms: Vec<Form>,
    },
    /// Something has the name of the archive already.
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// The archive would lie in the package, and be part of it the next time.
    Inside {
        /// Its path.
        path: PathBuf,
    },
    /// The archive may not hold what is in the package.
    Unsound {
        /// What is so.
        because: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFolder => f.write_str("only a folder is packed"),
            Self::NoPackage { inside } if inside.is_empty() => f.write_str("no package document is here"),
            Self::NoPackage { .. } => {
                f.write_str("the folder is no package, though there are some inside it")
            }
            Self::NoArchive { formats, carriers } => write!(
                f,
                "{} has no archive of its own; {} would carry it",
                formats.join(" + "),
                carriers.join(" or ")
            ),
            Self::NotOfForm { form } => write!(f, "the package has no {}", form.document()),
            Self::Ambiguous { forms } => {
                let words: Vec<_> = forms.iter().map(|form| form.word()).collect();
                write!(f, "the package may be packed as {}", words.join(" or as "))
            }
            Self::Exists { path } => write!(f, "`{}` is there already", path.display()),
            Self::Inside { path } => write!(f, "`{}` would become a part of the package", path.display()),
            Self::Unsound { because } => f.write_str(because),
        }
    }
}

/// An archive that was written.
#[derive(Debug)]
pub struct Packed {
    /// Where it is.
    pub path: PathBuf,
    /// As what it was packed.
    pub form: Form,
    /// Its digest and length.
    pub archive: ArchiveBytes,
    /// What pins the package, under its format's own names.
    pub pins: Vec<Pin>,
    /// Files in the archive.
    pub files: usize,
    /// What of the folder is not in it: files, and folders of which nothing is.
    pub left_out: Vec<String>,
    /// The package and what the check had to say about it: no errors.
    pub report: PackageReport,
}

/// Why it could not be done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder cannot be read.
    Read(ReadError),
    /// The archive cannot be written.
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What was written is not what was to be packed, which is a defect of kitbag or of the disk.
    NotReadBack {
        /// How it shows.
        because: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Write { path, error } => write!(f, "cannot write `{}`: {error}", path.display()),
            Self::NotReadBack { because } => {
                write!(f, "the archive that was written is not the package, so it was taken away: {because}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write { error, .. } => Some(error),
            Self::Read(_) | Self::NotReadBack { .. } => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

/// Packs a folder. The packages inside of it are checked too: they travel with it.
///
/// # Errors
/// [`Error`]; no file has the archive's name then that had not before.
pub fn pack(request: &Request, interrupt: &Interrupt) -> Result<Answer, Error> {
    let reading = read::read(&Source::Path(request.folder.clone()))?;
    let (location, whole) = (reading.location.clone(), reading.tree.clone());
    let mut found = Vec::new();
    packages::each(
        reading,
        |mut package| {
            package.check();
            package
        },
        |package| found.push(package),
    );
    let root =
        found.iter().position(|package| package.package.at.is_none() && !package.package.faces.is_empty());
    let refused = |refusal| Ok(Answer::Refused(refusal));
    if location.kind != SourceKind::Folder {
        return refused(Refusal::NotAFolder);
    }
    let Some(root) = root else {
        let inside = found.into_iter().filter(|package| package.package.at.is_some());
        return refused(Refusal::NoPackage { inside: inside.map(|package| package.location).collect() });
    };
    let packable = match form::choose(&found[root].package.faces, request.form) {
        Ok(packable) => packable,
        Err(refusal) => return refused(refusal),
    };
    if found.iter().any(|package| package.findings.has_errors()) {
        let unsound = found.into_iter().filter(|package| package.findings.has_errors());
        return Ok(Answer::Unsound(unsound.map(report).collect()));
    }
    let path = match &request.to {
        Destination::File(path) => path.clone(),
        Destination::Folder(folder) => folder.join(packable.file_name(&whole)),
    };
    match put(&packable, &whole, &path, request, interrupt) {
        Ok(written) => {
            let form = packable.form;
            let report = report(found.swap_remove(root));
            let Written { archive, pins, files, left_out } = written;
            Ok(Answer::Packed(Box::new(Packed { path, form, archive, pins, files, left_out, report })))
        }
        Err(Stop::Refused(refusal)) => refused(refusal),
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn report(mut found: Found) -> PackageReport {
    found.findings.sort();
    PackageReport::of(found, 0, &Profiles::Only(Vec::new()))
}

/// Why an archive was not written.
enum Stop {
    Refused(Refusal),
    Failed(Error),
}

struct Written {
    archive: ArchiveBytes,
    pins: Vec<Pin>,
    files: usize,
    left_out: Vec<String>,
}

/// Writes the archive beside its place, reads it back, and gives it its name.
fn put(
    packable: &Packable<'_>,
    tree: &Tree,
    path: &Path,
    request: &Request,
    interrupt: &Interrupt,
) -> Result<Written, Stop> {
    let failed = |error| Stop::Failed(Error::Write { path: path.to_owned(), error });
    let folder = draft::folder_of(path);
    if is_inside(folder, &request.folder).map_err(failed)? {
        return Err(Stop::Refused(Refusal::Inside { path: path.to_owned() }));
    }
    let taken = || Stop::Refused(Refusal::Exists { path: path.to_owned() });
    // A folder is never replaced by a file, whatever was asked for.
    let is_taken =
        draft::exists(path).map_err(failed)? && (request.existing == Existing::Keep || path.is_dir());
    if is_taken {
        return Err(taken());
    }
    let mut file = FileDraft::new(folder).map_err(failed)?;
    let guarded = Guarded { out: BufWriter::with_capacity(64 << 10, file.file()), interrupt };
    let mut measured = Measured::new(guarded);
    let promise = packable.write(tree, &mut measured).map_err(|error| match error {
        PackError::Write(error) => failed(io::Error::other(error)),
        error => Stop::Refused(Refusal::Unsound { because: error.to_string() }),
    })?;
    measured.flush().map_err(failed)?;
    let (sha256, size) = measured.finish();
    let archive = ArchiveBytes { sha256, size };
    let written = read_back(packable, tree, &mut file, archive, &promise).map_err(Stop::Failed)?;
    interrupt.check().map_err(failed)?;
    file.commit(path, request.existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(),
        _ => failed(error),
    })?;
    Ok(written)
}

/// Whether `folder` lies in `package`, links resolved.
fn is_inside(folder: &Path, package: &Path) -> io::Result<bool> {
    Ok(fs::canonicalize(folder)?.starts_with(fs::canonicalize(package)?))
}

/// Reads what was written with the reader of the format, and compares it with what was to be packed.
fn read_back(
    packable: &Packable<'_>,
    tree: &Tree,
    file: &mut FileDraft,
    archive: ArchiveBytes,
    promise: &[Promise],
) -> Result<Written, Error> {
    let wrong = |because: String| Error::NotReadBack { because };
    let cannot = |error: io::Error| wrong(error.to_string());
    file.file().rewind().map_err(cannot)?;
    let reading = packable.read_back(file.file()).map_err(cannot)?;
    if reading.archive != Some(archive) {
        return Err(wrong("its bytes are not those that were written".to_owned()));
    }
    let packed = packable.files_in(&reading.tree);
    let verified =
        verify::judge(reading, None).packages.into_iter().find(|found| found.report.location.at.is_none());
    let Some(Verified { outcome, pins, report, .. }) = verified else {
        return Err(wrong("no package is in it".to_owned()));
    };
    let has_answer =
        matches!(outcome, Outcome::Unsigned | Outcome::VerifiedBytes) || !packable.form.is_pinned();
    let mut findings = report.findings.iter().map(|located| &located.finding);
    let finding = findings.find(|finding| finding.severity == Severity::Error);
    let finding = finding.map(|finding| finding.message.clone());
    if let Some(because) = finding.or_else(|| (!has_answer).then(|| format!("its bytes are {outcome}"))) {
        return Err(wrong(because));
    }
    let format = packable.form.format();
    let pins: Vec<Pin> =
        pins.into_iter().filter(|named| named.format == format).map(|named| named.pin).collect();
    for Promise { name, sha256 } in promise {
        if !pins.iter().any(|pin| pin.name == *name && pin.sha256 == *sha256) {
            return Err(wrong(format!("its {name} is not {sha256}")));
        }
    }
    Ok(Written { archive, pins, files: packed.len(), left_out: left_out(tree, &packed) })
}

/// What of `tree` is not among `packed`: files, and folders of which nothing is.
fn left_out(tree: &Tree, packed: &BTreeSet<PackagePath>) -> Vec<String> {
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    for path in packed {
        kept.extend(folders(path.as_str()));
    }
    let mut out = BTreeSet::new();
    for (path, node) in tree.iter() {
        if matches!(node, Node::Folder) || packed.contains(path) {
            continue;
        }
        let text = path.as_str();
        out.insert(folders(text).find(|folder| !kept.contains(folder)).unwrap_or(text).to_owned());
    }
    out.into_iter().collect()
}

/// The folders that a path lies in, from the root down.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// A sink that stops when it is no longer wanted.
struct Guarded<'i, W> {
    out: W,
    interrupt: &'i Interrupt,
}

impl<W: Write> Write for Guarded<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupt.check()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
