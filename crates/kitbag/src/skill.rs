//! `skill`: can this Skill be published, by the rules of Open-Science? And [`import`]: which Skills are in there, and what
//! would become of them here?
//!
//! The first is another question than `check` asks: a Skill that every program loads may have a field that Open-Science does not
//! publish, and one that it publishes need not suit every program.

pub mod import;

use std::path::PathBuf;

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::skill::draft;
use kitbag_core::formats::openscience::skill::{DOCUMENT, export};
use kitbag_core::path::PackagePath;

use crate::check::{FaceSummary, PackageReport, Report, Warnings};
use crate::location::SourceKind;
use crate::read::{self, ReadError, Reading, Source};

/// Which Skills to check.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Folders or archives, each of them one Skill.
    pub skills: Vec<PathBuf>,
    /// Whether warnings fail the check.
    pub warnings: Warnings,
}

/// Checks each Skill as Open-Science does before it publishes one. A Skill in a folder is expected to have the folder's name.
///
/// # Errors
/// The first source that cannot be read at all.
pub fn check(request: &Request) -> Result<Report, ReadError> {
    let mut report = Report::new(request.warnings);
    for path in &request.skills {
        report.add(judge(read::read(&Source::Path(path.clone()))?));
    }
    Ok(report)
}

fn judge(reading: Reading) -> PackageReport {
    let Reading { location, tree, mut findings, .. } = reading;
    // What kept it from being read at all is all there is to say.
    if !findings.has_errors() {
        let is_folder = location.kind == SourceKind::Folder;
        let expected_name = tree.name().filter(|_| is_folder);
        let mut own = Findings::default();
        draft::check(&tree, expected_name, &mut own);
        findings.extend(own);
    }
    let face = FaceSummary {
        format: "open-science-skill",
        name: export::shown_name(&tree),
        version: None,
        spec: None,
    };
    let document = PackagePath::new(DOCUMENT).ok().filter(|file| tree.file(file.as_str()).is_some());
    PackageReport::of_document(location, vec![face], findings, &tree, document)
}
