//! `check`: is it sound?

mod place;
mod report;

use std::collections::BTreeMap;

use kitbag_core::finding::{Code, Findings, Severity};
use kitbag_core::formats::agentskill::{self, profile::PROFILES};
use kitbag_core::formats::{self, Face};

use crate::packages::{self, Found};
use crate::read::{self, ReadError, Source};

pub use report::{Counts, FaceSummary, Located, PackageReport, ProfileSummary, Report};

/// What to check, and what counts.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where.
    pub sources: Vec<Source>,
    /// Which programs' readings of a SKILL.md to report.
    pub profiles: Profiles,
    /// Whether warnings fail the check.
    pub warnings: Warnings,
    /// Codes that are graded otherwise than their specification grades them.
    pub regrade: Regrade,
}

/// Which programs' readings to report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Profiles {
    /// Every program's. What keeps a skill out of one of them is graded as its code says.
    #[default]
    All,
    /// These programs'. What keeps a skill out of one of them is an error, and what concerns only others is left out.
    Only(Vec<&'static str>),
}

/// There is no profile of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProfile(pub String);

impl std::fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        write!(f, "there is no profile `{}`; there are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownProfile {}

impl Profiles {
    /// The profiles called `names`.
    ///
    /// # Errors
    /// [`UnknownProfile`]: a misspelt one would silently report nothing.
    pub fn only<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Self, UnknownProfile> {
        let known = |name: N| {
            let profile = agentskill::profile::profile(name.as_ref());
            profile.map(|profile| profile.name).ok_or_else(|| UnknownProfile(name.as_ref().to_owned()))
        };
        names.into_iter().map(known).collect::<Result<_, _>>().map(Self::Only)
    }

    fn wants(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(&name),
        }
    }

    /// Leaves out what concerns other programs only, and grades the rest for those wanted.
    fn select(&self, findings: Findings, faces: &[Face]) -> Findings {
        let Self::Only(names) = self else { return findings };
        let skill = faces.iter().find_map(|face| match face {
            Face::AgentSkill(skill) => Some(skill),
            _ => None,
        });
        match skill {
            Some(skill) => agentskill::select(findings, skill.verdicts(), names),
            None => findings,
        }
    }
}

/// Whether warnings fail a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warnings {
    /// They are reported, and the package is sound.
    #[default]
    Ignore,
    /// They count as errors do.
    Count,
}

/// Codes that whoever checks grades themselves.
#[derive(Clone, Debug, Default)]
pub struct Regrade(BTreeMap<&'static str, Grading>);

/// What becomes of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grading {
    /// It is an error.
    Deny,
    /// It is left out, and counted.
    Allow,
}

/// No check raises this code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode(pub String);

impl std::fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no check raises the code `{}`", self.0)
    }
}

impl std::error::Error for UnknownCode {}

impl Regrade {
    /// Grades every finding with the code `slug`; of two gradings for one code the later holds.
    ///
    /// # Errors
    /// [`UnknownCode`]: a misspelt code would silently change nothing.
    pub fn set(&mut self, slug: &str, grading: Grading) -> Result<(), UnknownCode> {
        let code = formats::all_codes()
            .find(|code| code.slug == slug)
            .ok_or_else(|| UnknownCode(slug.to_owned()))?;
        self.0.insert(code.slug, grading);
        Ok(())
    }

    fn of(&self, code: &Code) -> Option<Grading> {
        self.0.get(code.slug).copied()
    }

    /// Applies the gradings; gives the number of findings left out.
    fn apply(&self, findings: &mut Findings) -> usize {
        if self.0.is_empty() {
            return 0;
        }
        let before = findings.len();
        *findings = std::mem::take(findings)
            .into_iter()
            .filter_map(|mut finding| match self.of(finding.code) {
                Some(Grading::Allow) => None,
                Some(Grading::Deny) => {
                    finding.severity = Severity::Error;
                    Some(finding)
                }
                None => Some(finding),
            })
            .fold(Findings::default(), |mut kept, finding| {
                kept.push(finding);
                kept
            });
        before - findings.len()
    }
}

/// Checks every source.
///
/// # Errors
/// The first source that cannot be read at all.
pub fn check(request: &Request) -> Result<Report, ReadError> {
    let mut report = Report::new(request.warnings);
    for source in &request.sources {
        let reading = read::read(source)?;
        packages::each(reading, |found| judge(found, request), |package| report.add(package));
    }
    Ok(report)
}

/// Everything there is to say about one package.
fn judge(mut found: Found, request: &Request) -> PackageReport {
    found.check();
    found.findings = request.profiles.select(std::mem::take(&mut found.findings), &found.package.faces);
    let allowed = request.regrade.apply(&mut found.findings);
    found.findings.sort();
    PackageReport::of(found, allowed, &request.profiles)
}
