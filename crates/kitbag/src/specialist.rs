//! `specialist`: what would an installation of this package do?
//!
//! Two readers look at an archive. Open-Science's own says, in its codes, what Open-Science would make of it; the strict reader
//! of every archive decides what is believed. A package is installable where both agree that it is.

use std::fs::File;
use std::path::PathBuf;

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::specialist::preview::{Installed, Preview};
use kitbag_core::formats::openscience::specialist::{self, Content};
use kitbag_core::path::PackagePath;

use crate::check::{FaceSummary, PackageReport, Report, Warnings};
use crate::location::SourceKind;
use crate::read::{self, DiskSpool, ReadError, Source};

/// Which package, and where it would go.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder or an archive.
    pub package: PathBuf,
    /// What is installed there.
    pub installed: Installed,
}

/// What an installation would do.
#[derive(Debug)]
pub struct Answer {
    /// What is in the package, and what becomes of it.
    pub preview: Preview,
    /// Whether Open-Science would install it as it is.
    pub upstream: Verdict,
    /// Whether kitbag would.
    pub verdict: Verdict,
    /// What there is to say about it.
    pub report: Report,
}

/// Whether a package can be installed as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can.
    Installable,
    /// Something is wrong with it, or somebody has to choose.
    NotInstallable,
}

/// Looks at a package and changes nothing.
///
/// # Errors
/// [`ReadError`] when it cannot be read at all.
pub fn preview(request: &Request) -> Result<Answer, ReadError> {
    let path = &request.package;
    let reading = read::read(&Source::Path(path.clone()))?;
    let mut findings = Findings::default();
    let files = if reading.location.kind == SourceKind::Archive {
        let failed = |error| ReadError::of(path, error);
        let mut file = File::open(path).map_err(failed)?;
        let mut spool = DiskSpool::default();
        specialist::archive::files(&mut file, &mut spool, &mut findings).map_err(failed)?
    } else {
        specialist::folder::files(&reading.tree, &mut findings)
    };
    let content = files.map(|files| Content::read(&files, &mut findings)).unwrap_or_default();
    let preview = Preview::of(content, &request.installed, &mut findings);
    let verdict = |is_so| if is_so { Verdict::Installable } else { Verdict::NotInstallable };
    let upstream = preview.is_installable_upstream(&findings);
    findings.extend(reading.findings);
    let is_installable = upstream && !findings.has_errors();
    let face = FaceSummary {
        format: "specialist",
        name: preview.payload.as_ref().map(|payload| payload.name.clone()),
        version: preview.manifest.as_ref().map(|manifest| manifest.version.clone()),
        spec: None,
    };
    let document = PackagePath::new(specialist::MANIFEST).ok();
    let mut report = Report::new(Warnings::Ignore);
    report.add(PackageReport::of_document(reading.location, vec![face], findings, &reading.tree, document));
    Ok(Answer { preview, upstream: verdict(upstream), verdict: verdict(is_installable), report })
}
