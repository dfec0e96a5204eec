//! What every answer about packages has in common: what a package is, and findings with their places.

use kitbag::check::{FaceSummary, Located};
use kitbag_core::finding::{Place, Position};
use kitbag_core::json::Pointer;
use kitbag_core::path::PackagePath;
use serde::Serialize;

/// What a package is, by one of its documents.
#[derive(Serialize)]
pub(super) struct Face<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a str>,
}

/// A finding with its place.
#[derive(Serialize)]
pub(super) struct Finding<'a> {
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

impl<'a> Face<'a> {
    pub(super) fn of(face: &'a FaceSummary) -> Self {
        Self::new(face.format, &face.name, &face.version, &face.spec)
    }

    pub(super) fn new(
        format: &'a str,
        name: &'a Option<String>,
        version: &'a Option<String>,
        spec: &'a Option<String>,
    ) -> Self {
        Self { format, name: name.as_deref(), version: version.as_deref(), spec: spec.as_deref() }
    }
}

impl<'a> Finding<'a> {
    pub(super) fn of(located: &'a Located) -> Self {
        let finding = &located.finding;
        let related = finding.related.iter().zip(&located.related);
        let related =
            related.map(|((place, message), start)| Related { message, place: Spot::of(place, *start) });
        Self {
            code: finding.code.slug,
            severity: finding.severity.word(),
            message: &finding.message,
            why: &finding.why,
            help: &finding.help,
            place: Spot::of(&finding.place, located.start),
            related: related.collect(),
            consumers: &finding.consumers,
        }
    }
}

impl<'a> Spot<'a> {
    fn of(place: &'a Place, start: Option<Position>) -> Self {
        Self {
            file: place.file.as_ref().map(PackagePath::as_str),
            pointer: place.pointer.as_ref().map(Pointer::as_str),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            span: place.span.map(|span| [span.start, span.end]),
        }
    }
}
