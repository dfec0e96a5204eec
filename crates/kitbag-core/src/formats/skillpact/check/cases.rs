//! The conformance tests as they are declared (§10).

use std::collections::{BTreeSet, HashSet};

use crate::json::decode::Placed;
use crate::json::{Json, Span, excerpt};

use super::super::codes;
use super::super::document::{Class, Kind, Level};
use super::{Bounded, Subject, at};

/// Most capabilities that one finding names.
const MAX_NAMED: usize = 8;

/// Checks each case.
pub(super) fn check(subject: &Subject<'_>, out: &mut Bounded) {
    let document = subject.document;
    let ids: HashSet<&str> =
        document.capabilities.iter().map(|capability| &*capability.value.id.value).collect();
    let no_network = document.permissions.of(Class::Network).value.level.value == Level::None;
    for (index, Placed { value: case, .. }) in document.tests.cases.iter().enumerate() {
        if out.is_full() {
            return;
        }
        let pointer = at("tests").join("cases").join(index);
        if let Some(Placed { value: id, span }) = &case.capability
            && !id.is_empty()
            && !ids.contains(&**id)
        {
            let message =
                format!("the test `{}` is for `{}`, which is no capability", excerpt(&case.id), excerpt(id));
            out.push(subject.finding(
                &codes::TEST_UNKNOWN_CAPABILITY,
                pointer.join("capability"),
                *span,
                message,
            ));
        }
        if let Some(Placed { value: true, span }) = case.network
            && no_network
        {
            let message = format!("the test `{}` uses the network, whose level is `none`", excerpt(&case.id));
            out.push(subject.finding(
                &codes::TEST_UNDECLARED_NETWORK,
                pointer.join("network"),
                span,
                message,
            ));
        }
    }
}

/// Says whether there are tests, and for what there are none.
pub(super) fn check_coverage(subject: &Subject<'_>, out: &mut Bounded) {
    let document = subject.document;
    if document.tests.cases.is_empty() {
        if document.kind == Kind::Tool {
            let (pointer, span) = match subject.json.get("tests") {
                Some(tests) => (at("tests"), tests.span),
                None => (crate::json::Pointer::root(), first_character(subject.json)),
            };
            out.push(subject.finding(&codes::NO_TESTS, pointer, span, "no conformance test is declared"));
        }
        return;
    }
    let tested: HashSet<&str> = document
        .tests
        .cases
        .iter()
        .filter_map(|case| case.value.capability.as_ref())
        .map(|capability| &*capability.value)
        .collect();
    let untested: BTreeSet<&str> = document
        .capabilities
        .iter()
        .map(|capability| &*capability.value.id.value)
        .filter(|id| !tested.contains(id))
        .collect();
    let Some(first) =
        document.capabilities.iter().position(|capability| untested.contains(&*capability.value.id.value))
    else {
        return;
    };
    let names =
        untested.iter().take(MAX_NAMED).map(|id| format!("`{}`", excerpt(id))).collect::<Vec<_>>().join(", ");
    let more = untested.len().saturating_sub(MAX_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let message = match untested.len() {
        1 => format!("1 capability has no test: {names}"),
        count => format!("{count} capabilities have no test: {names}{more}"),
    };
    let capability = &document.capabilities[first].value;
    let pointer = at("capabilities").join(first).join("id");
    out.push(subject.finding(&codes::UNTESTED_CAPABILITY, pointer, capability.id.span, message));
}

fn first_character(json: &Json) -> Span {
    Span { start: json.span.start, end: json.span.start + 1 }
}
