//! The answer of `check`, as values.

use std::collections::BTreeMap;

use kitbag_core::finding::{Finding, Findings, Position, Severity};
use kitbag_core::formats::Face;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Tree;

use crate::location::Location;
use crate::packages::Found;
use crate::show::Permissions;

use super::{Profiles, Warnings, place};

/// The answer for all sources.
#[derive(Debug, Default)]
pub struct Report {
    /// One per package found, in the order of the sources and then of the folders. A source whose own state is worth a
    /// finding (nothing was found in it, a limit was reached) has an entry without faces, before its packages.
    pub packages: Vec<PackageReport>,
    /// How much was found.
    pub counts: Counts,
    warnings: Warnings,
}

/// How many of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Findings that are neither.
    pub infos: usize,
    /// Findings left out because their code is allowed.
    pub allowed: usize,
    /// Packages, of any format.
    pub packages: usize,
}

impl Counts {
    /// The findings of one package, by severity.
    pub(crate) fn of(findings: &Findings) -> Self {
        let mut counts = Self { packages: 1, ..Self::default() };
        findings.iter().for_each(|finding| counts.count(finding.severity));
        counts
    }

    const fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
        }
    }
}

/// The answer for one package.
#[derive(Debug)]
pub struct PackageReport {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// What it is; empty for a source that is no package itself.
    pub faces: Vec<FaceSummary>,
    /// The document that makes it a package: where findings about the package as a whole are said to be by whoever needs
    /// a file for them.
    pub document: Option<PackagePath>,
    /// What is to be said about it, ordered by place.
    pub findings: Vec<Located>,
    /// How many findings were left out because their code is allowed.
    pub allowed: usize,
    /// Whether and how each program would load it.
    pub profiles: Vec<ProfileSummary>,
    /// What it may do, in plain words.
    pub permissions: Vec<String>,
    /// The documents that findings point into, for excerpts. A document over a mebibyte is not kept.
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
    /// First characters of the finding's related places, in their order.
    pub related: Vec<Option<Position>>,
}

impl Report {
    pub(crate) fn new(warnings: Warnings) -> Self {
        Self { warnings, ..Self::default() }
    }

    pub(crate) fn add(&mut self, package: PackageReport) {
        for located in &package.findings {
            self.counts.count(located.finding.severity);
        }
        self.counts.allowed += package.allowed;
        self.counts.packages += usize::from(!package.faces.is_empty());
        self.packages.push(package);
    }

    /// Whether everything is sound: no error, and no warning where warnings count.
    #[must_use]
    pub const fn ok(&self) -> bool {
        let warnings = match self.warnings {
            Warnings::Ignore => 0,
            Warnings::Count => self.counts.warnings,
        };
        self.counts.errors == 0 && warnings == 0
    }
}

impl PackageReport {
    pub(crate) fn of(found: Found, allowed: usize, profiles: &Profiles) -> Self {
        let permissions = match Permissions::of(&found.package) {
            Permissions::Unspoken => Vec::new(),
            Permissions::Spoken(said) => said.into_iter().map(|permission| permission.sentence).collect(),
        };
        let (findings, sources) = place::locate(found.findings, &found.package.tree);
        Self {
            location: found.location,
            faces: found.package.faces.iter().map(FaceSummary::of).collect(),
            document: found.package.document(),
            findings,
            allowed,
            profiles: ProfileSummary::all(&found.package.faces, profiles),
            permissions,
            sources,
        }
    }

    /// What was judged by other rules than those of every check, with the document that stands for it.
    pub(crate) fn of_document(
        location: Location,
        faces: Vec<FaceSummary>,
        mut findings: Findings,
        tree: &Tree,
        document: Option<PackagePath>,
    ) -> Self {
        findings.sort();
        let (findings, sources) = place::locate(findings, tree);
        Self {
            location,
            faces,
            document,
            findings,
            allowed: 0,
            profiles: Vec::new(),
            permissions: Vec::new(),
            sources,
        }
    }

    /// Whether it has no error.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|located| located.finding.severity != Severity::Error)
    }
}

impl ProfileSummary {
    /// What the wanted programs make of each SKILL.md among `faces`.
    pub(crate) fn all(faces: &[Face], wanted: &Profiles) -> Vec<Self> {
        let verdicts = faces.iter().flat_map(|face| match face {
            Face::AgentSkill(skill) => skill.verdicts(),
            Face::Adcap(_)
            | Face::Connector(_)
            | Face::SkillPact(_)
            | Face::Splice(_)
            | Face::Specialist(_) => &[],
        });
        verdicts
            .filter(|verdict| wanted.wants(verdict.profile))
            .map(|verdict| Self {
                profile: verdict.profile,
                loads: verdict.loads(),
                name: verdict.name.clone(),
                description: verdict.description.clone(),
                because: verdict.because().map(|reason| reason.code.slug.to_owned()).collect(),
            })
            .collect()
    }
}

impl FaceSummary {
    fn of(face: &Face) -> Self {
        let identity = face.document().identity();
        Self {
            format: identity.format,
            name: identity.name.map(str::to_owned),
            version: identity.version.map(str::to_owned),
            spec: identity.spec.map(str::to_owned),
        }
    }
}
