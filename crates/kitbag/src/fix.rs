//! `fix`: the safe fixes of findings, applied.

mod diff;
mod plan;
mod write;

use std::path::PathBuf;

use kitbag_core::finding::{Edit, Severity};
use kitbag_core::formats::{Face, Neighbourhood, agentskill};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Root, Tree};

use crate::location::Location;
use crate::packages::{self, Found};
use crate::read::{self, ReadError, Reading, Source};

use plan::{Plan, Planned, breaks_a_seal};

/// What to fix.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder of a package, or of many.
    pub folder: PathBuf,
    /// Whether to write.
    pub mode: Mode,
}

/// Whether to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Say what would be done.
    #[default]
    Preview,
    /// Do it.
    Write,
}

/// What was, or would be, done.
#[derive(Debug, Default)]
pub struct Report {
    /// One per package with something to fix, or with something that could not be fixed.
    pub packages: Vec<PackageFixes>,
    /// Errors that remain in all packages, fixed or not, after the fixes.
    pub errors_left: usize,
}

/// The fixes of one package.
#[derive(Debug)]
pub struct PackageFixes {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// The documents that change. Either all of a package's are written, or none.
    pub documents: Vec<DocumentFix>,
    /// What became of them.
    pub outcome: Outcome,
}

/// One document, before and after.
#[derive(Debug)]
pub struct DocumentFix {
    /// The document.
    pub file: PackagePath,
    /// Each change, in words, with the code of the finding it answers.
    pub changes: Vec<Change>,
    /// The hunks of a unified diff of the document.
    pub diff: String,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The code of the finding it answers.
    pub code: &'static str,
    /// What is done: `the name becomes "pdf", as its folder is called`.
    pub what: String,
}

/// What became of the fixes of one package.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// They were shown only.
    Previewed,
    /// They were written.
    Written,
    /// Nothing was written, and why.
    Refused {
        /// Why.
        because: String,
    },
}

/// Fixes what can be fixed safely.
///
/// Every package with its changes is checked again before the first byte is written. Changes that leave their finding
/// standing, or bring an error that was not there, are refused, and so is a document that is not what was checked any more.
///
/// # Errors
/// When the folder cannot be read at all.
pub fn fix(request: &Request) -> Result<Report, ReadError> {
    let reading = read::read(&Source::Path(request.folder.clone()))?;
    let Reading { location, tree: mut whole, .. } = reading.clone();
    let mut report = Report::default();
    let (mut plans, mut outer) = (Vec::new(), Vec::new());
    packages::each(
        reading,
        |mut found| {
            found.check();
            let edits = edits(&found);
            Plan::made_of(found, edits)
        },
        |planned| match planned {
            Planned::Something(plan) => plans.push(plan),
            Planned::Outer(found) => {
                report.errors_left += found.findings.count(Severity::Error);
                outer.push(found);
            }
            Planned::Nothing { errors } => report.errors_left += errors,
        },
    );
    for plan in &plans {
        plan.replace_in(&mut whole);
    }
    let neighbourhood = Neighbourhood::default();
    for folder in sealed(&outer, &plans, &whole, &neighbourhood) {
        let inside = plans.iter_mut().filter(|plan| plan.found().is_below(folder.as_ref()));
        inside.for_each(|plan| plan.refuse(plan::SEALED));
    }
    for plan in &mut plans {
        report.errors_left += plan.verify(&whole, &neighbourhood, location.kind);
    }
    for plan in plans {
        report.packages.push(plan.carry_out(request.mode));
    }
    Ok(report)
}

/// The safe ways out of the findings of one package.
fn edits(found: &Found) -> Vec<Edit> {
    // What lies behind a link is fixed where it lies.
    if found.package.at.is_some() && found.package.tree.root() == Root::LinkToFolder {
        return Vec::new();
    }
    let faces = found.package.faces.iter();
    let skills = faces.filter_map(|face| match face {
        Face::AgentSkill(skill) => Some(skill),
        _ => None,
    });
    skills.flat_map(|skill| agentskill::fixes(skill)).collect()
}

/// The folders of packages that hold other packages and list the digest of a document that the plans change.
fn sealed(
    outer: &[Found],
    plans: &[Plan],
    whole: &Tree,
    neighbourhood: &Neighbourhood,
) -> Vec<Option<PackagePath>> {
    let planned = plans.iter().map(Plan::found).filter(|found| found.holds_others());
    outer
        .iter()
        .chain(planned)
        .filter(|found| {
            let mut again = found.again(whole, neighbourhood);
            again.check();
            breaks_a_seal(found, &again)
        })
        .map(|found| found.package.at.clone())
        .collect()
}
