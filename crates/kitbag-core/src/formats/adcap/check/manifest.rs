//! The manifest as a document (§3, §14): it is there, it is JSON, its version is known, it conforms to the schema, and it
//! has a digest (§4).

use crate::finding::{Finding, Findings, Place};
use crate::json::canonical;
use crate::json::{Json, SyntaxErrorKind, Value, excerpt};

use super::super::codes;
use super::super::manifest::{Capability, KNOWN, Read, State};
use super::{at, problem_finding};

/// Says why a manifest could not be read.
pub(super) fn check_readable(capability: &Capability, out: &mut Findings) {
    let file = || capability.file.clone();
    let finding = match &capability.state {
        State::Unreadable { because } => {
            let message = format!("`{}` cannot be read: {because}", capability.file);
            Finding::new(&codes::MANIFEST_UNREADABLE, Place::file(file()), message)
        }
        State::NotJson(error) => {
            let place = Place::span(file(), error.span);
            let mut finding = Finding::new(&codes::MANIFEST_JSON, place, error.kind.to_string());
            if let SyntaxErrorKind::DuplicateName { first, .. } = &error.kind {
                finding = finding.related(Place::span(file(), *first), "it stands here first");
            }
            finding
        }
        State::UnknownVersion(json) => unknown_version(capability, json),
        State::Read(_) => return,
    };
    out.push(finding);
}

fn unknown_version(capability: &Capability, json: &Json) -> Finding {
    let version = json.get("adcap");
    let found = match version.map(|version| (&version.value, version.kind())) {
        Some((Value::String(text), _)) => format!("`adcap` is `{}`", excerpt(text)),
        Some((_, kind)) => format!("`adcap` is {kind}"),
        None => "`adcap` is missing".to_owned(),
    };
    let span = version.map_or_else(|| super::super::opening(json.span), |version| version.span);
    let place = Place::value(capability.file.clone(), at("adcap"), span);
    Finding::new(&codes::VERSION_UNSUPPORTED, place, format!("{found}; known is {KNOWN}"))
}

/// §14, §3 and §4.
pub(super) fn check_conforms(capability: &Capability, read: &Read, out: &mut Findings) {
    if read.newer {
        let version = read.json.get("adcap");
        let span = version.map_or(read.json.span, |version| version.span);
        let named = version.and_then(Json::as_str).map(excerpt).unwrap_or_default();
        let message = format!("`adcap` is `{named}`; it is read as {KNOWN}");
        let place = Place::value(capability.file.clone(), at("adcap"), span);
        out.push(Finding::new(&codes::VERSION_NEWER, place, message));
    }
    for problem in read.document.as_ref().err().into_iter().flatten() {
        out.push(problem_finding(&codes::SCHEMA, &capability.file, problem));
    }
    if let Err(refused) = canonical::adcap(&read.json) {
        let place = Place::value(capability.file.clone(), refused.pointer.clone(), refused.span);
        out.push(Finding::new(&codes::NOT_CANONICAL, place, refused.to_string()));
    }
}
