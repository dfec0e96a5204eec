//! `check`: is it sound?

use std::collections::BTreeMap;

use kitbag_core::finding::{Finding, Position};
use kitbag_core::path::PackagePath;

use crate::read::{ReadError, Source};

/// What to check.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where.
    pub sources: Vec<Source>,
}

/// The answer for all sources.
#[derive(Debug, Default)]
pub struct Report {
    /// One per package found, and one per source in which none was found.
    pub packages: Vec<PackageReport>,
}

/// The answer for one package.
#[derive(Debug, Default)]
pub struct PackageReport {
    /// The folder or file as it was named, with the path below it.
    pub path: String,
    /// What it is.
    pub faces: Vec<FaceSummary>,
    /// What is to be said about it, ordered by place.
    pub findings: Vec<Located>,
    /// Whether and how each program would load it.
    pub profiles: Vec<ProfileSummary>,
    /// What it may do, in plain words.
    pub permissions: Vec<String>,
    /// The documents that findings point into, for excerpts.
    pub sources: BTreeMap<PackagePath, Vec<u8>>,
}

/// One face, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceSummary {
    /// The format.
    pub format: &'static str,
    /// The name in the document.
    pub name: Option<String>,
    /// The version in the document.
    pub version: Option<String>,
    /// The version of the specification.
    pub spec: Option<String>,
}

/// One program's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSummary {
    /// The profile: `spec`, `skills-ref`, `claude-code`, `codex`, `gemini-cli`, `npx-skills`, `open-science`.
    pub profile: &'static str,
    /// Whether it would load there.
    pub loads: bool,
    /// Under which name.
    pub name: Option<String>,
    /// With which description.
    pub description: Option<String>,
    /// If not, why, and how to fix it: codes of findings of this package, in order.
    pub because: Vec<String>,
}

/// A finding with its concrete place.
#[derive(Clone, Debug)]
pub struct Located {
    /// The finding.
    pub finding: Finding,
    /// First character, when the place has bytes.
    pub start: Option<Position>,
    /// One past the last character.
    pub end: Option<Position>,
}

/// Checks every source.
///
/// # Errors
/// The first source that cannot be read at all.
pub fn check(request: &Request) -> Result<Report, ReadError> {
    for source in &request.sources {
        crate::read::read(source)?;
    }
    Ok(Report::default())
}
