//! The archive vectors: `vectors/archive/<case>/{case.json, archive}`, each judged by its `case.json` alone.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use kitbag_core::archive::{
    self, CODES, Container, Error, InMemory, LIMITS, Reading, Unpacked, gzip, tar, zip,
};
use kitbag_core::tree::Node;
use kitbag_testkit::archive::cases;
use kitbag_testkit::vectors::{self, Case};
use serde_json::Value;

fn read(case: &Case) -> Result<Unpacked, Error> {
    let bytes = case.bytes("archive");
    let limits = cases::limits_of(&case.case, LIMITS);
    let reading = Reading { name: None, limits, spool: &mut InMemory };
    match case.case["profile"].as_str().unwrap() {
        "ordinary" => archive::read(&mut Cursor::new(bytes), reading),
        "strict" => {
            let profile = &tar::Profile::STRICT;
            match archive::sniff(&bytes) {
                Some(Container::Gzip) => gzip::read_tar(&mut &*bytes, profile, reading),
                Some(Container::Zip) => zip::read(&mut Cursor::new(bytes), reading),
                _ => tar::read(&mut &*bytes, profile, tar::Packing::Plain, reading),
            }
        }
        other => panic!("{}: there is no profile `{other}`", case.name),
    }
}

fn entries(unpacked: &Unpacked) -> Vec<String> {
    let shown = |(path, node): (&_, &Node)| match node {
        Node::File(_) => format!("{path}"),
        Node::Folder => format!("{path}/"),
        Node::Link { target } => format!("{path} -> {target}"),
        Node::Special(kind) => format!("{path} = {kind}"),
        Node::Unreadable { because } => format!("{path}: {because}"),
    };
    unpacked.tree.iter().map(shown).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// What is wrong with the answer to `case`, if anything.
fn verdict(case: &Case) -> Option<String> {
    let answer = read(case);
    match (&case.case["refused"], answer) {
        (Value::Null, Ok(unpacked)) => {
            let expected = &case.case["reads"];
            let remarks: Vec<_> = unpacked.remarks.iter().map(|remark| remark.code.slug.to_owned()).collect();
            let found = (entries(&unpacked), remarks);
            (found != (texts(&expected["entries"]), texts(&expected["remarks"])))
                .then(|| format!("read as {found:?}"))
        }
        (Value::Null, Err(error)) => Some(format!("must be read: {error}")),
        (refused, Err(Error::Refused(refusal))) => {
            let number = refusal.entry.as_ref().map(|entry| entry.number);
            let right = refused["code"] == refusal.code.slug && refused["entry"].as_u64() == number;
            (!right).then(|| format!("refused otherwise, {}: {refusal}", refusal.code.slug))
        }
        (_, Err(error)) => Some(format!("must be refused: {error}")),
        (_, Ok(unpacked)) => Some(format!("must be refused, came out as {:?}", entries(&unpacked))),
    }
}

#[test]
fn every_case_is_answered_as_it_says() {
    let wrong: Vec<_> = vectors::walk("archive")
        .iter()
        .filter_map(|case| verdict(case).map(|wrong| format!("{}: {wrong}", case.name)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_refused_case_has_a_twin_that_is_read() {
    let cases: BTreeMap<String, Value> =
        vectors::walk("archive").into_iter().map(|case| (case.name, case.case)).collect();
    let mut refused = 0;
    for (name, case) in cases.iter().filter(|(_, case)| !case["refused"].is_null()) {
        refused += 1;
        let twin = case["twin"].as_str().unwrap_or_else(|| panic!("{name} names no twin"));
        let twin = cases.get(twin).unwrap_or_else(|| panic!("{name}: there is no case `{twin}`"));
        assert!(twin["reads"].is_object(), "{name}: its twin is refused too");
        assert_eq!(twin["profile"], case["profile"], "{name}: its twin is read by another profile");
    }
    assert!(refused >= 45, "{refused} hostile cases");
}

#[test]
fn every_code_is_raised_by_a_case() {
    let raised: BTreeSet<String> = vectors::walk("archive")
        .iter()
        .flat_map(|case| {
            let remarks = case.case["reads"]["remarks"].as_array().cloned().unwrap_or_default();
            [case.case["refused"]["code"].clone()].into_iter().chain(remarks)
        })
        .filter_map(|code| code.as_str().map(str::to_owned))
        .collect();
    let all: BTreeSet<String> = CODES.iter().map(|code| code.slug.to_owned()).collect();
    assert_eq!(all.len(), CODES.len(), "a slug is there twice");
    let silent: Vec<_> = all.difference(&raised).collect();
    // Sixteen mebibytes of names are made in `archive_bounds.rs`, not committed.
    assert_eq!(silent, ["archive/names-too-long"]);
    assert!(raised.is_subset(&all), "{raised:?}");
}

#[test]
fn the_committed_cases_are_what_the_builders_make() {
    let made: BTreeMap<&str, _> = cases::all().into_iter().map(|case| (case.name, case)).collect();
    assert_eq!(made.len(), cases::all().len(), "a name is there twice");
    if vectors::are_to_be_written() {
        for case in made.values() {
            vectors::write("archive", case.name, &case.json(), &[("archive", &case.archive)]);
        }
    }
    let committed = vectors::walk("archive");
    let names: Vec<_> = committed.iter().map(|case| &*case.name).collect();
    assert_eq!(names, made.keys().copied().collect::<Vec<_>>());
    for case in &committed {
        let made = &made[&*case.name];
        assert_eq!(case.case, made.json(), "{}", case.name);
        assert!(case.bytes("archive") == made.archive, "{}: the archives differ", case.name);
    }
}

#[test]
fn refusals_say_what_is_so_and_where() {
    let mut said = String::new();
    for case in vectors::walk("archive") {
        if let Err(error) = read(&case) {
            said.push_str(&format!("{}: {error}\n", case.name));
        }
    }
    insta::assert_snapshot!(said);
}
