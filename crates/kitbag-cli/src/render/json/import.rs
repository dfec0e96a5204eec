//! `skill import`

use std::io::{self, Write};

use kitbag::check::PackageReport;
use kitbag::skill::import::{Plan, Planned, SourcePlan};
use kitbag_core::formats::openscience::bundle::plan::{Difference, Step};
use kitbag_core::path::PackagePath;
use serde::Serialize;

use crate::commands::ImportOutcome;
use crate::render::document;

use super::VERSION;
use super::finding::Finding;

#[derive(Serialize)]
struct Import<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    /// What was done: `previewed`, `unconfirmed`, `nothing`, `imported`.
    outcome: &'static str,
    /// Whether nothing that was named and wanted is left out.
    complete: bool,
    to: String,
    counts: Counts,
    sources: Vec<Source<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<String>,
}

#[derive(Serialize)]
struct Counts {
    found: usize,
    create: usize,
    replace: usize,
    unchanged: usize,
    skip: usize,
    refuse: usize,
}

#[derive(Serialize)]
struct Source<'a> {
    path: String,
    skills: Vec<Skill<'a>>,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Skill<'a> {
    sub_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    step: &'static str,
    /// The code of the finding that says why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    files: Vec<&'a str>,
    bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    executables: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<Replaces<'a>>,
}

#[derive(Serialize)]
struct Replaces<'a> {
    added: Vec<&'a str>,
    modified: Vec<&'a str>,
    removed: Vec<&'a str>,
}

/// The answer of `skill import`.
///
/// # Errors
/// The writer's own.
pub fn import(plan: &Plan, outcome: &ImportOutcome, out: &mut dyn Write) -> io::Result<()> {
    let (word, written) = match outcome {
        ImportOutcome::Previewed => ("previewed", &[][..]),
        ImportOutcome::Unconfirmed(_) => ("unconfirmed", &[][..]),
        ImportOutcome::Nothing => ("nothing", &[][..]),
        ImportOutcome::Imported(written) => ("imported", &written.folders[..]),
    };
    let tally = plan.tally();
    let complete = plan.is_complete();
    let value = Import {
        version: VERSION,
        command: "skill import",
        ok: complete && word != "unconfirmed",
        outcome: word,
        complete,
        to: plan.to.to_string_lossy().into_owned(),
        counts: Counts {
            found: tally.found,
            create: tally.create,
            replace: tally.replace,
            unchanged: tally.unchanged,
            skip: tally.skip,
            refuse: tally.refuse,
        },
        sources: plan.sources.iter().zip(&plan.report.packages).map(Source::of).collect(),
        written: written.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    };
    document::write(&value, out)
}

impl<'a> Source<'a> {
    fn of((source, report): (&'a SourcePlan, &'a PackageReport)) -> Self {
        Self {
            path: source.location.to_string(),
            skills: source.skills.iter().map(Skill::of).collect(),
            findings: report.findings.iter().map(Finding::of).collect(),
        }
    }
}

impl<'a> Skill<'a> {
    fn of(skill: &'a Planned) -> Self {
        Self {
            sub_path: &skill.sub_path,
            said: skill.said.as_deref(),
            name: skill.name.as_deref(),
            description: &skill.description,
            step: skill.step.word(),
            because: match skill.step {
                Step::Refuse(code) => Some(code.slug),
                _ => None,
            },
            files: skill.files.iter().map(|(path, _)| path.as_str()).collect(),
            bytes: skill.bytes(),
            executables: skill.executables().map(PackagePath::as_str).collect(),
            replaces: match &skill.step {
                Step::Replace(difference) => Some(Replaces::of(difference)),
                _ => None,
            },
        }
    }
}

impl<'a> Replaces<'a> {
    fn of(difference: &'a Difference) -> Self {
        let paths = |paths: &'a [PackagePath]| paths.iter().map(PackagePath::as_str).collect();
        Self {
            added: paths(&difference.added),
            modified: paths(&difference.modified),
            removed: paths(&difference.removed),
        }
    }
}
