//! From what was named to what Open-Science would see in it: one reading of the source, strict, and the Skills in it.

use std::fs::{self, File};
use std::io::{self, Seek as _};
use std::path::Path;

use kitbag_core::archive;
use kitbag_core::finding::{Finding, Findings, Place};
use kitbag_core::formats::openscience::bundle::{self, Outer, Preview, codes};
use kitbag_core::formats::openscience::skill::FILE_BYTES;
use kitbag_core::limits;
use kitbag_core::tree::{Blob, Executable, Root, Tree};

use crate::location::{Location, SourceKind};
use crate::read::{self, DiskSpool, Purpose, ReadError};

/// A source that was read.
pub(super) struct Opened {
    pub(super) location: Location,
    /// What is in it, for findings to point into.
    pub(super) tree: Tree,
    /// Its Skills; `None` where it was refused as a whole.
    pub(super) preview: Option<Preview>,
    pub(super) findings: Findings,
}

/// Reads what is at `path`. `bytes` counts what came before in the same import.
///
/// # Errors
/// [`ReadError`] when it cannot be read at all.
pub(super) fn open(path: &Path, bytes: &mut u64) -> Result<Opened, ReadError> {
    let failed = |error| ReadError::of(path, error);
    // Without the slash or dot at its end, a link is seen as the link it is.
    let path = path.components().as_path();
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || read::stands_for_its_folder(path) {
        let reading = read::read_for(path, Purpose::Look)?;
        return match reading.location.kind {
            SourceKind::Folder => of_tree(reading.location, reading.tree, reading.findings).map_err(failed),
            // A pipe or a device, which the reading says.
            _ => Ok(refused(reading.location, reading.findings)),
        };
    }
    let location = |kind| Location::root(path.to_owned(), kind);
    let mut findings = Findings::default();
    if let Some(finding) = bundle::check_size(*bytes, metadata.len()) {
        findings.push(finding);
        return Ok(refused(location(SourceKind::Archive), findings));
    }
    *bytes += metadata.len();
    let mut file = read::open_file(path).map_err(failed)?;
    let container = archive::sniff_content(&mut file).map_err(failed)?;
    file.rewind().map_err(failed)?;
    if container.is_some() {
        return archive(location(SourceKind::Archive), &mut file).map_err(failed);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let blob = document(&mut file, metadata.len()).map_err(failed)?;
    match bundle::document(&name, blob, &mut findings) {
        Some(outer) => {
            of_outer(location(SourceKind::Document), Tree::default(), &outer, findings).map_err(failed)
        }
        None => Ok(refused(location(SourceKind::Document), findings)),
    }
}

/// The bytes of one document; of one that is too long, only how many there are.
fn document(file: &mut File, len: u64) -> io::Result<Blob> {
    if len > FILE_BYTES {
        return Ok(Blob::new(len, Executable::No, Box::new(Vec::new())));
    }
    let bytes = limits::read_bounded(file, len, FILE_BYTES).map_err(io::Error::other)?;
    Ok(Blob::from_bytes(bytes))
}

fn archive(location: Location, file: &mut File) -> io::Result<Opened> {
    let mut spool = DiskSpool::default();
    let reading = archive::Reading { name: None, limits: archive::LIMITS, spool: &mut spool };
    match archive::read(file, reading) {
        Ok(unpacked) => of_tree(location, unpacked.tree, unpacked.remarks),
        Err(archive::Error::Refused(refusal)) => {
            let mut findings = Findings::default();
            findings.push(refusal.finding(Place::package()));
            Ok(refused(location, findings))
        }
        Err(archive::Error::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn of_tree(location: Location, tree: Tree, findings: Findings) -> io::Result<Opened> {
    let outer = Outer::of_tree(&tree);
    of_outer(location, tree, &outer, findings)
}

fn of_outer(location: Location, tree: Tree, outer: &Outer, findings: Findings) -> io::Result<Opened> {
    let preview = bundle::preview(outer, &mut DiskSpool::default())?;
    Ok(Opened { location, tree, preview: Some(preview), findings })
}

fn refused(location: Location, mut findings: Findings) -> Opened {
    if !findings.has_errors() {
        let message = "there is nothing in it that could be imported";
        findings.push(Finding::new(&codes::NOT_A_BUNDLE, Place::package(), message));
    }
    Opened { location, tree: Tree::new(None, Root::Document), preview: None, findings }
}
