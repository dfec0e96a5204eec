//! Exporting a Specialist as a package, the same bytes every time.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;
use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::specialist::export::{Export, ExportRefusal, Inclusion, Selection};
use kitbag_core::formats::openscience::specialist::inventory::Missing;
use kitbag_core::formats::openscience::specialist::{ARCHIVE_BYTES, pack};
use kitbag_core::formats::{PackError, Pins};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Tree;

use crate::check::{FaceSummary, PackageReport, Report, Warnings};
use crate::draft::{self, Existing, FileDraft};
use crate::interrupt::Interrupt;
use crate::location::{Location, SourceKind};
use crate::pack::Destination;
use crate::store::{Operation, Snapshot, Store};

use super::Error;
use super::preview::{Request, Verdict, preview};
use super::shelf::Shelf;

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// The Specialist.
    pub id: String,
    /// The revision that somebody looked at; `None`: whichever it has.
    pub revision: Option<u64>,
    /// Which Skills come along.
    pub selection: Selection,
    /// Where the archive goes.
    pub to: Destination,
    /// What to do about a file that has its name already.
    pub existing: Existing,
}

/// What would be exported.
#[derive(Debug)]
pub struct ExportPreview {
    /// What it is.
    pub export: Export,
    /// What it names and stands for nothing here.
    pub missing: Missing,
    /// The name of the file.
    pub file_name: String,
    /// Whether it would be exported.
    pub can_export: bool,
    /// What there is to say about it.
    pub report: Report,
}

/// What came of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportOutcome {
    /// The archive is there.
    Exported(Box<Exported>),
    /// Something is wrong with what would be exported, and nothing was written.
    Unsound(Box<ExportPreview>),
    /// Nothing was written.
    Refused(ExportRefusal),
    /// Something has the name already, and stays.
    Exists {
        /// The file.
        path: PathBuf,
    },
}

/// The archive that was written.
#[derive(Debug)]
pub struct Exported {
    /// What it is of.
    pub preview: ExportPreview,
    /// Where it is.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
    /// Its digest.
    pub sha256: Sha256,
}

/// What would be exported. Nothing is written.
///
/// # Errors
/// When the store cannot be read.
pub fn preview_export(
    request: &ExportRequest,
    store: &Store,
    interrupt: &Interrupt,
) -> Result<Result<ExportPreview, ExportRefusal>, Error> {
    let snapshot = store.read(interrupt)?;
    Ok(prepare(request, &snapshot)?.map(|prepared| prepared.preview))
}

struct Prepared {
    preview: ExportPreview,
    files: Vec<(PackagePath, kitbag_core::tree::Blob)>,
}

fn prepare(request: &ExportRequest, snapshot: &Snapshot) -> Result<Result<Prepared, ExportRefusal>, Error> {
    let shelf = Shelf::of(snapshot)?;
    let found = Export::of(&shelf.inventory, &request.id, request.revision, &request.selection);
    let export = match found {
        Ok(export) => export,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut findings = Findings::default();
    export.check(&shelf.inventory, &mut findings);
    let mut contents = Vec::new();
    let content = |digest: &Sha256| shelf.content(digest).transpose().map(Option::unwrap_or_default);
    for skill in export.skills.iter().filter(|skill| skill.inclusion == Inclusion::Bundled) {
        let exact = shelf.inventory.skills.get(&skill.local_id).and_then(|skill| skill.exact);
        contents.push(exact.as_ref().map(content).transpose()?.unwrap_or_default());
    }
    let profile = shelf.inventory.specialists.get(&request.id);
    let role = profile.map(|profile| content(&profile.role)).transpose()?.unwrap_or_default();
    let made = export.files(&shelf.inventory, &role, contents, &mut findings);
    let can_export = made.is_ok();
    let made = made.ok();
    let (file_name, files, missing) =
        made.map(|made| (made.file_name, made.files, made.missing)).unwrap_or_default();
    let face = FaceSummary {
        format: "specialist",
        name: Some(export.name.clone()),
        version: Some(export.version.clone()),
        spec: None,
    };
    let mut report = Report::new(Warnings::Ignore);
    let location = Location::root(PathBuf::from(&request.id), SourceKind::Folder);
    let tree = Tree::default();
    report.add(PackageReport::of_document(location, vec![face], findings, &tree, None));
    Ok(Ok(Prepared { preview: ExportPreview { export, missing, file_name, can_export, report }, files }))
}

/// Writes the archive.
///
/// # Errors
/// When the store cannot be read, or the archive not written.
pub fn export(request: &ExportRequest, store: &Store, interrupt: &Interrupt) -> Result<ExportOutcome, Error> {
    let snapshot = store.read(interrupt)?;
    let Prepared { preview, files } = match prepare(request, &snapshot)? {
        Ok(prepared) if prepared.preview.can_export => prepared,
        Ok(prepared) => return Ok(ExportOutcome::Unsound(Box::new(prepared.preview))),
        Err(refusal) => return Ok(ExportOutcome::Refused(refusal)),
    };
    let path = match &request.to {
        Destination::Folder(folder) => folder.join(&preview.file_name),
        Destination::File(file) => file.clone(),
    };
    let failed = |error| Error::Write { path: path.clone(), error };
    if request.existing == Existing::Keep && draft::exists(&path).map_err(failed)? {
        return Ok(ExportOutcome::Exists { path });
    }
    let folder = draft::folder_of(&path);
    store.step(&Operation::Write(folder)).map_err(failed)?;
    let mut file = FileDraft::new(folder).map_err(failed)?;
    let (sha256, bytes) = write(&files, &mut file, &path)?;
    if let Some(because) = unreadable(file.path(), bytes)? {
        return Err(Error::NotReadBack { because });
    }
    interrupt.check().map_err(failed)?;
    store.step(&Operation::SyncFile(file.path())).map_err(failed)?;
    file.sync().map_err(failed)?;
    store.step(&Operation::Rename(file.path(), &path)).map_err(failed)?;
    match file.name(&path, request.existing) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(ExportOutcome::Exists { path });
        }
        Err(error) => return Err(failed(error)),
    }
    store.step(&Operation::SyncFolder(folder)).map_err(failed)?;
    draft::sync_folder(folder);
    Ok(ExportOutcome::Exported(Box::new(Exported { preview, path, bytes, sha256 })))
}

fn write(
    files: &[(PackagePath, kitbag_core::tree::Blob)],
    file: &mut FileDraft,
    path: &Path,
) -> Result<(Sha256, u64), Error> {
    let failed = |error| Error::Write { path: path.to_owned(), error };
    let mut out = BufWriter::new(file.file());
    let pins = pack::zip(files, &mut out).map_err(|error| match error {
        PackError::Write(error) => failed(io::Error::other(error)),
        other => Error::NotReadBack { because: other.to_string() },
    })?;
    out.flush().map_err(failed)?;
    match pins {
        Pins::ArchiveBytes { sha256, size } => Ok((sha256, size)),
        _ => Err(Error::NotReadBack { because: "it has no digest".to_owned() }),
    }
}

/// Why the archive in `file` could not be installed; `None` where it could.
fn unreadable(file: &Path, bytes: u64) -> Result<Option<String>, Error> {
    if bytes > ARCHIVE_BYTES {
        return Ok(Some(format!("the archive has {bytes} bytes and may have {ARCHIVE_BYTES}")));
    }
    let answer = preview(&Request { package: file.to_owned() })?;
    let located = answer.report.packages.iter().flat_map(|package| &package.findings);
    let error = located
        .map(|located| &located.finding)
        .find(|finding| finding.severity == kitbag_core::finding::Severity::Error);
    let is_installable = answer.verdict == Verdict::Installable;
    Ok(error
        .map(|finding| finding.message.clone())
        .or_else(|| (!is_installable).then(|| "it could not be installed".to_owned())))
}
