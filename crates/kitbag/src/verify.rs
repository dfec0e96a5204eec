//! `verify`: are these the bytes that its digests name? Signatures are not judged here, and no answer says that they were.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kitbag_core::digest::Sha256;
use kitbag_core::finding::{Finding, Findings, Place, Severity};
use kitbag_core::formats::{self, ArchiveBytes, Outcome, Pin, Reach, Seal, codes};
use kitbag_core::path::PackagePath;

use crate::check::{Located, PackageReport, Profiles};
use crate::packages::{self, Found, Ground};
use crate::read::{self, Measure, Purpose, ReadError, Reading};

/// What to verify.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder, an archive or a bundle.
    pub path: PathBuf,
    /// A digest that somebody else named: of the archive, of its manifest, or of its files, as its format has it.
    pub expected: Option<Sha256>,
}

/// The answer.
#[derive(Debug, Default)]
pub struct Report {
    /// One per package, in the order of their folders, without those that nothing pins and that lie inside another. What
    /// could not be read at all is one without faces.
    pub packages: Vec<Verified>,
    /// What lies between packages and belongs to none.
    pub between: Vec<PackageReport>,
}

/// What the bytes of one package are worth.
#[derive(Debug)]
pub struct Verified {
    /// Which package, and what is wrong with its bytes.
    pub report: PackageReport,
    /// The answer: the worst that a face has to say where one of them says no, otherwise the best.
    pub outcome: Outcome,
    /// Where a signature is.
    pub seal: Seal,
    /// What pins it.
    pub pins: Vec<NamedPin>,
    /// Files that were compared with a listed digest.
    pub compared: usize,
}

/// A digest, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedPin {
    /// The format that has it.
    pub format: &'static str,
    /// The digest.
    pub pin: Pin,
    /// Whether it is the one that was asked for.
    pub asked: Asked,
}

/// Whether a digest was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It is the one.
    Yes,
    /// It is not, or none was.
    No,
}

impl Report {
    /// Whether every package is what its digests say: one whose bytes nothing pins is not.
    #[must_use]
    pub fn ok(&self) -> bool {
        let holds =
            |package: &Verified| !package.outcome.is_negative() && package.outcome != Outcome::Unpinned;
        !self.packages.is_empty() && self.packages.iter().all(holds)
    }

    /// Whether something is wrong with a package, or none is there.
    pub(crate) fn forbids_use(&self) -> bool {
        self.packages.is_empty() || self.packages.iter().any(|package| package.outcome.is_negative())
    }
}

/// Compares every package at the path with its digests.
///
/// # Errors
/// When nothing could be read.
pub fn verify(request: &Request) -> Result<Report, ReadError> {
    let measure = if request.expected.is_some() { Measure::Any } else { Measure::Small };
    let reading = read::read_for(&request.path, Purpose::Compare(measure))?;
    Ok(judge(reading, request.expected.as_ref()))
}

/// What the bytes in `reading` are worth.
pub(crate) fn judge(reading: Reading, expected: Option<&Sha256>) -> Report {
    let mut report = Report::default();
    let archive = reading.archive;
    packages::each(
        reading,
        |found| (found.ground, found.findings.has_errors(), one(found, archive.as_ref())),
        |(ground, has_errors, verified)| match ground {
            Ground::Between if !has_errors => report.between.push(verified.report),
            _ => report.packages.push(verified),
        },
    );
    drop_covered(&mut report.packages);
    if let Some(expected) = expected {
        compare(expected, &mut report.packages);
    }
    report
}

/// Takes out packages that nothing pins and that lie inside another: their bytes are that one's, and so is the answer.
fn drop_covered(packages: &mut Vec<Verified>) {
    let known = packages.iter().filter(|package| !package.report.faces.is_empty());
    let all: BTreeSet<Option<PackagePath>> =
        known.map(|package| package.report.location.at.clone()).collect();
    packages.retain(|package| {
        let mut above = package.report.location.at.clone();
        while let Some(at) = above.take() {
            above = at.parent();
            if package.outcome == Outcome::Unpinned && all.contains(&above) {
                return false;
            }
        }
        true
    });
}

fn one(mut found: Found, archive: Option<&ArchiveBytes>) -> Verified {
    let archive = archive.filter(|_| found.package.at.is_none());
    if found.ground == Ground::Package {
        refuse_what_is_no_file(&mut found);
    }
    let refused = found.findings.has_errors().then_some(Outcome::Refused);
    let mut answers: Vec<Outcome> = refused.into_iter().collect();
    let (mut pins, mut seals, mut compared) = (Vec::new(), Vec::new(), 0);
    for face in &found.package.faces {
        let document = face.document();
        let verification = document.verify(&found.package.tree, archive);
        let format = document.identity().format;
        pins.extend(verification.pins.into_iter().map(|pin| NamedPin { format, pin, asked: Asked::No }));
        answers.push(verification.outcome);
        seals.push(verification.seal);
        compared += verification.compared;
        found.findings.extend(verification.findings);
    }
    let worst = answers.iter().copied().filter(|outcome| outcome.is_negative()).min();
    let outcome = worst.or_else(|| answers.into_iter().max()).unwrap_or(Outcome::Refused);
    found.findings.sort();
    let report = PackageReport::of(found, 0, &Profiles::Only(Vec::new()));
    Verified { report, outcome, seal: seal(&seals), pins, compared }
}

/// Adds what keeps an entry from being compared, whatever the format: links, special files, names that no list can hold.
/// What is merely worth knowing is for a check to say.
fn refuse_what_is_no_file(found: &mut Found) {
    let mut entries = Findings::default();
    formats::check_tree(&found.package.tree, found.inner(), &mut entries);
    if found.package.faces.is_empty() && !found.findings.has_errors() {
        entries.push(packages::no_face());
    }
    found.findings.extend(entries.into_iter().filter(|finding| finding.severity == Severity::Error));
}

/// Looks for the digest that was asked for. The package that has it is worth what the digest covers; where none has it, none
/// is the one that was meant.
fn compare(expected: &Sha256, packages: &mut [Verified]) {
    let named = |package: &Verified| package.pins.iter().any(|named| named.pin.sha256 == *expected);
    let Some(at) = packages.iter().position(named) else {
        for package in packages {
            let message = format!("none of the package's digests is {expected}");
            let finding = Finding::new(&codes::NOT_EXPECTED, Place::package(), message);
            let located = Located { finding, start: None, end: None, related: Vec::new() };
            package.report.findings.insert(0, located);
            package.outcome = package.outcome.min(Outcome::Tampered);
        }
        return;
    };
    let package = &mut packages[at];
    for named in package.pins.iter_mut().filter(|named| named.pin.sha256 == *expected) {
        named.asked = Asked::Yes;
        if named.pin.reach == Reach::Everything && !package.outcome.is_negative() {
            package.outcome = Outcome::VerifiedBytes;
        }
    }
}

/// Where the package's signatures are: a signature that is there counts more than a format that has none.
fn seal(seals: &[Seal]) -> Seal {
    let signatures = seals.iter().map(|seal| match seal {
        Seal::Present { signatures } => *signatures,
        Seal::Absent | Seal::Elsewhere => 0,
    });
    match signatures.sum() {
        0 if seals.contains(&Seal::Absent) => Seal::Absent,
        0 => Seal::Elsewhere,
        signatures => Seal::Present { signatures },
    }
}
