//! The contract as a document: it is there, it is I-JSON (§4.1), its version is known (§17), it conforms to the schema
//! (§5, §15), its name is the skill's (§3), and it is no unconfirmed draft (§14).

use crate::finding::{Finding, Place};
use crate::json::decode::Placed;
use crate::json::{Json, Pointer, Problem, ProblemKind, Span, SyntaxErrorKind, Value, excerpt};

use super::super::codes;
use super::super::contract::{Contract, Read, State};
use super::super::version::KNOWN;
use super::{Bounded, Subject, at, skill};

/// Says why a contract could not be read.
pub(super) fn check_readable(contract: &Contract, out: &mut Bounded) {
    let file = || contract.file.clone();
    let finding = match &contract.state {
        State::Missing { instead: None } => {
            let message = format!("`{}` is not there", contract.file);
            Finding::new(&codes::CONTRACT_MISSING, Place::file(file()), message)
        }
        State::Missing { instead: Some(instead) } => {
            let message = format!("`{}` is {instead}", contract.file);
            Finding::new(&codes::CONTRACT_MISSING, Place::file(file()), message)
        }
        State::Unreadable { because } => {
            let message = format!("`{}` cannot be read: {because}", contract.file);
            Finding::new(&codes::CONTRACT_JSON, Place::file(file()), message)
        }
        State::NotJson(error) => {
            let mut finding =
                Finding::new(&codes::CONTRACT_JSON, Place::span(file(), error.span), error.kind.to_string());
            if let SyntaxErrorKind::DuplicateName { first, .. } = &error.kind {
                finding = finding.related(Place::span(file(), *first), "it stands here first");
            }
            finding
        }
        State::UnknownVersion(json) => unknown_version(contract, json),
        State::Read(_) => return,
    };
    out.push(finding);
}

fn known() -> String {
    KNOWN.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn unknown_version(contract: &Contract, json: &Json) -> Finding {
    let version = json.get("contract_version");
    let found = match version.map(|version| (&version.value, version.kind())) {
        Some((Value::String(text), _)) => format!("`contract_version` is `{}`", excerpt(text)),
        Some((_, kind)) => format!("`contract_version` is {kind}"),
        None if json.as_object().is_some() => "`contract_version` is missing".to_owned(),
        None => format!("the contract is {}, not an object with a `contract_version`", json.kind()),
    };
    let span =
        version.map_or(Span { start: json.span.start, end: json.span.start + 1 }, |version| version.span);
    let place = Place::value(contract.file.clone(), at("contract_version"), span);
    Finding::new(&codes::CONTRACT_VERSION_UNSUPPORTED, place, format!("{found}; known are {}", known()))
}

/// §17 and §15: a newer minor version, and what does not conform to the schema.
pub(super) fn check_schema(contract: &Contract, read: &Read, out: &mut Bounded) {
    if read.newer {
        let version = read.json.get("contract_version");
        let span = version.map_or(read.json.span, |version| version.span);
        let place = Place::value(contract.file.clone(), at("contract_version"), span);
        let named = version.and_then(Json::as_str).map(excerpt).unwrap_or_default();
        let message = format!("`contract_version` is `{named}`; it is read as {}", read.version);
        out.push(Finding::new(&codes::CONTRACT_VERSION_NEWER, place, message).under(read.version));
    }
    for problem in read.document.as_ref().err().into_iter().flatten() {
        out.push(schema_finding(contract, problem));
    }
}

fn schema_finding(contract: &Contract, problem: &Problem) -> Finding {
    let pointer = problem.pointer();
    let message = match pointer.as_str() {
        "" => problem.kind.to_string(),
        at => format!("{at}: {}", problem.kind),
    };
    let place = Place::value(contract.file.clone(), pointer.clone(), problem.span);
    let mut finding = Finding::new(&codes::SCHEMA, place, message);
    if let ProblemKind::Unknown { known, .. } = &problem.kind {
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        finding = finding.help(format!(
            "Remove it, correct its spelling (known here: {known}), or move it under `x.<vendor>`."
        ));
    }
    for (span, words) in &problem.related {
        finding = finding.related(Place::span(contract.file.clone(), *span), words.clone());
    }
    finding
}

/// §3: the contract and the front matter name one skill.
pub(super) fn check_name(subject: &Subject<'_>, name: Option<&Placed<String>>, out: &mut Bounded) {
    let Some(front) = name else { return };
    let own = &subject.document.name;
    if own.value != front.value {
        let message = format!("the contract is for `{}` and SKILL.md for `{}`", own.value, front.value);
        out.push(
            subject
                .finding(&codes::NAME_MISMATCH, at("skill").join("name"), own.span, message)
                .related(skill::name_place(front), "the front matter says this"),
        );
    }
}

/// Most markers that one finding names.
const MAX_MARKERS: usize = 5;

/// §14: guesses that a program left for a person to confirm.
pub(super) fn check_draft(subject: &Subject<'_>, out: &mut Bounded) {
    let mut markers = Markers::default();
    for tool in ["init", "import"] {
        let extensions = subject.json.get("x");
        if let Some(uncertain) = extensions.and_then(|x| x.get(tool)).and_then(|tool| tool.get("uncertain"))
            && is_truthy(uncertain)
        {
            markers.add(at("x").join(tool).join("uncertain"), uncertain.span);
        }
    }
    for member in subject.json.as_object().into_iter().flatten().filter(|member| member.name != "x") {
        markers.walk(&member.value, &Way { name: Name::Member(&member.name), above: None });
    }
    let Some((pointer, span)) = markers.first.first().cloned() else { return };
    let names =
        markers.first.iter().map(|(pointer, _)| format!("`{pointer}`")).collect::<Vec<_>>().join(", ");
    let more = markers.count - markers.first.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let message = format!("guesses were left for a person to confirm: {names}{more}");
    let mut finding = subject.finding(&codes::UNCONFIRMED_DRAFT, pointer, span, message);
    for (pointer, span) in markers.first.drain(1..) {
        finding = finding.related(Place::value(subject.file.clone(), pointer, span), "this too");
    }
    out.push(finding);
}

/// What counts as "there are guesses": anything but nothing.
fn is_truthy(json: &Json) -> bool {
    match &json.value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Integer(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}

#[derive(Default)]
struct Markers {
    first: Vec<(Pointer, Span)>,
    count: usize,
}

/// The way to a value, on the stack: a pointer is made only for what is reported.
struct Way<'w> {
    name: Name<'w>,
    above: Option<&'w Way<'w>>,
}

#[derive(Clone, Copy)]
enum Name<'w> {
    Member(&'w str),
    Item(usize),
}

impl Way<'_> {
    fn pointer(&self) -> Pointer {
        let above = self.above.map_or_else(Pointer::root, Way::pointer);
        match self.name {
            Name::Member(name) => above.join(name),
            Name::Item(index) => above.join(index),
        }
    }
}

impl Markers {
    fn add(&mut self, pointer: Pointer, span: Span) {
        self.count += 1;
        if self.first.len() < MAX_MARKERS {
            self.first.push((pointer, span));
        }
    }

    /// Recursion ends at the reader's depth.
    fn walk(&mut self, json: &Json, way: &Way<'_>) {
        match &json.value {
            Value::String(text) if text.contains("TODO(") => self.add(way.pointer(), json.span),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.walk(item, &Way { name: Name::Item(index), above: Some(way) });
                }
            }
            Value::Object(object) => {
                for member in object {
                    self.walk(&member.value, &Way { name: Name::Member(&member.name), above: Some(way) });
                }
            }
            _ => {}
        }
    }
}
