//! `check`

use std::io::{self, Write};

use kitbag::check::{Located, PackageReport, Report};
use kitbag_core::finding::Place;
use kitbag_core::json::Pointer;
use kitbag_core::path::PackagePath;
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::profiles::Profiles;

#[derive(Serialize)]
struct Check<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    packages: Vec<Package<'a>>,
    counts: Counts,
}

#[derive(Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    packages: usize,
}

#[derive(Serialize)]
struct Package<'a> {
    path: String,
    faces: Vec<Face<'a>>,
    findings: Vec<Finding<'a>>,
    profiles: Profiles<'a>,
    permissions: &'a [String],
}

#[derive(Serialize)]
struct Face<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a str>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    why: &'a str,
    help: &'a str,
    place: Spot<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    consumers: &'a [&'static str],
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    place: Spot<'a>,
}

/// `line` and `column` count from 1, the column in Unicode scalar values; `span` is bytes from 0, its end excluded.
#[derive(Serialize)]
struct Spot<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[u32; 2]>,
}

/// The answer of `check`.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let counts = Counts {
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        packages: report.counts.packages,
    };
    let packages = report.packages.iter().map(Package::of).collect();
    document::write(&Check { version: VERSION, command: "check", ok: report.ok(), packages, counts }, out)
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageReport) -> Self {
        let faces = package.faces.iter().map(|face| Face {
            format: face.format,
            name: face.name.as_deref(),
            version: face.version.as_deref(),
            spec: face.spec.as_deref(),
        });
        Self {
            path: package.location.to_string(),
            faces: faces.collect(),
            findings: package.findings.iter().map(Finding::of).collect(),
            profiles: Profiles(&package.profiles),
            permissions: &package.permissions,
        }
    }
}

impl<'a> Finding<'a> {
    fn of(located: &'a Located) -> Self {
        let finding = &located.finding;
        let mut place = Spot::of(&finding.place);
        place.line = located.start.map(|start| start.line);
        place.column = located.start.map(|start| start.column);
        let related = finding.related.iter();
        Self {
            code: finding.code.slug,
            severity: finding.severity.word(),
            message: &finding.message,
            why: &finding.why,
            help: &finding.help,
            place,
            related: related.map(|(place, message)| Related { message, place: Spot::of(place) }).collect(),
            consumers: &finding.consumers,
        }
    }
}

impl<'a> Spot<'a> {
    fn of(place: &'a Place) -> Self {
        Self {
            file: place.file.as_ref().map(PackagePath::as_str),
            pointer: place.pointer.as_ref().map(Pointer::as_str),
            line: None,
            column: None,
            span: place.span.map(|span| [span.start, span.end]),
        }
    }
}
