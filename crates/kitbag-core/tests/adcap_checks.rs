//! Every clause of .adcap that speaks of one package, held by `vectors/adcap/checks`; and the published schema as a second
//! opinion on the shape of every manifest in them.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kitbag_core::finding::{Finding, Findings};
use kitbag_core::formats::Document as _;
use kitbag_core::formats::adcap::{Capability, SCHEMA, codes, decode};
use kitbag_core::json;
use kitbag_core::path::PackagePath;
use kitbag_core::schema::Schema;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::vectors::{self, Case};
use serde_json::Value;

const ROOM: &str = "adcap/checks";

/// RFC 7386.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    for (name, value) in members {
        if value.is_null() {
            target.as_object_mut().unwrap().remove(name);
        } else {
            merge(target.as_object_mut().unwrap().entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

/// The manifest's text and the package of a case, made from the whole one.
fn package(whole: &Value, case: &Value) -> (String, Tree) {
    let mut manifest = whole["manifest"].clone();
    merge(&mut manifest, case.get("patch").unwrap_or(&Value::Object(serde_json::Map::new())));
    let text = case["manifest_text"].as_str().map_or_else(|| manifest.to_string(), str::to_owned);
    let mut tree = Tree::new(Some("field-notes".to_owned()), Root::Folder);
    let mut add = |path: &str, text: &str| {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(text))).unwrap();
    };
    add("capability.json", &text);
    let mut files = whole["files"].clone();
    merge(&mut files, case.get("files").unwrap_or(&Value::Object(serde_json::Map::new())));
    for (path, content) in files.as_object().unwrap() {
        add(path, content.as_str().unwrap());
    }
    (text, tree)
}

/// `code` and then the pointer in the manifest, or the file it is about.
fn words(finding: &Finding) -> String {
    let mut words = finding.code.slug.to_owned();
    match (&finding.place.pointer, &finding.place.file) {
        (Some(pointer), _) => {
            let _infallible = write!(words, " {pointer}");
        }
        (None, Some(file)) if !file.as_str().ends_with(".md") && !file.as_str().ends_with(".json") => {
            let _infallible = write!(words, " {file}");
        }
        _ => {}
    }
    words
}

fn findings(tree: &Tree) -> Findings {
    let capability = Capability::at_root(tree).expect("every case has a manifest");
    let mut findings = Findings::default();
    capability.check(tree, &mut findings);
    findings
}

fn cases() -> (Value, Vec<Case>) {
    let cases = vectors::walk(ROOM);
    let whole = cases.iter().find(|case| case.name == "whole").expect("the whole package").case.clone();
    (whole, cases)
}

#[test]
fn each_case_finds_what_it_says_and_nothing_else() {
    let (whole, cases) = cases();
    let mut wrong = String::new();
    let mut raised = BTreeSet::new();
    for case in &cases {
        let (text, tree) = package(&whole, &case.case);
        let found = findings(&tree);
        for finding in &found {
            raised.insert(finding.code.slug);
            if let (Some(file), Some(span)) = (&finding.place.file, finding.place.span) {
                let bytes = tree.file(file.as_str()).unwrap().read(1 << 20).unwrap();
                assert!(bytes.get(span.range()).is_some(), "{}: {finding:?}", case.name);
            }
        }
        let expected: Vec<&str> =
            case.case["finds"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let found: Vec<String> = found.iter().map(words).collect();
        let agree = found.len() == expected.len()
            && found.iter().all(|found| {
                expected.iter().any(|expected| {
                    found == expected || (found.starts_with(expected) && !expected.contains(' '))
                })
            });
        if !agree {
            let _infallible = writeln!(wrong, "{}: expected {expected:?}, found {found:?}", case.name);
        }
        assert!(!text.is_empty() && !case.case["clause"].is_null());
    }
    assert!(wrong.is_empty(), "{wrong}");
    let elsewhere = [
        // These need an archive, a pinned digest, a file that is none, or a package beyond every limit.
        codes::MANIFEST_UNREADABLE.slug,
        codes::TOO_LARGE.slug,
        codes::FIRST_ENTRY.slug,
        codes::SIGNATURE_ENTRY.slug,
        codes::NOT_BUILT.slug,
        codes::FILES_UNREAD.slug,
        codes::MANIFEST_DIGEST.slug,
    ];
    let silent: Vec<&str> = codes::CODES
        .iter()
        .map(|code| code.slug)
        .filter(|slug| !raised.contains(slug) && !elsewhere.contains(slug))
        .collect();
    assert!(silent.is_empty(), "no case raises {silent:?}");
}

#[test]
fn the_published_schema_agrees_with_the_decoder_on_every_manifest() {
    let schema = Schema::new(&json::read(SCHEMA.as_bytes()).unwrap()).unwrap();
    let (whole, cases) = cases();
    let mut verdicts = [0, 0];
    let mut wrong = String::new();
    for case in &cases {
        let (text, tree) = package(&whole, &case.case);
        let Ok(json) = json::read(text.as_bytes()) else { continue };
        // Two rules of the schema are findings of their own here, and the version is looked at before anything else.
        let own = [&codes::UNKNOWN_PERMISSION, &codes::VERSION_UNSUPPORTED];
        let mut decoded = decode(&json).is_ok();
        for finding in &findings(&tree) {
            let needs_scope = finding.code == &codes::PERMISSION_SCOPE
                && finding.place.pointer.as_ref().is_some_and(|at| at.tokens().count() == 2);
            decoded &= !own.contains(&finding.code) && !needs_scope;
        }
        let violations = schema.violations(&json);
        verdicts[usize::from(decoded)] += 1;
        if decoded != violations.is_empty() {
            let _infallible = writeln!(wrong, "{}: decoded {decoded}, schema says {violations:?}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(verdicts.iter().all(|count| *count > 30), "{verdicts:?}");
}

#[test]
fn a_capability_json_of_another_program_is_no_capability() {
    let tree = |text: &str| {
        let mut tree = Tree::new(None, Root::Folder);
        tree.insert(PackagePath::new("capability.json").unwrap(), Node::File(Blob::from_bytes(text)))
            .unwrap();
        tree
    };
    for foreign in ["{}", "[]", r#"{"name": "x", "version": 2}"#, "7"] {
        assert!(Capability::at_root(&tree(foreign)).is_none(), "{foreign}");
    }
    for own in [r#"{"adcap": "3.0"}"#, r#"{"id": "a/b"}"#, "{"] {
        assert!(Capability::at_root(&tree(own)).is_some(), "{own}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_never_followed() {
    let mut tree = Tree::new(None, Root::Folder);
    let link = Node::Link { target: "elsewhere/capability.json".to_owned() };
    tree.insert(PackagePath::new("capability.json").unwrap(), link).unwrap();
    let found: Vec<_> = findings(&tree).iter().map(|finding| finding.code.slug).collect();
    assert_eq!(found, [codes::MANIFEST_UNREADABLE.slug]);
}

#[test]
fn a_manifest_that_comes_alone_is_not_blamed_for_files_nobody_showed() {
    let (whole, _) = cases();
    let mut alone = Tree::new(None, Root::Document);
    let text = whole["manifest"].to_string();
    alone.insert(PackagePath::new("capability.json").unwrap(), Node::File(Blob::from_bytes(text))).unwrap();
    assert!(findings(&alone).is_empty(), "{:?}", findings(&alone));
    let in_a_folder = alone.renamed("field-notes", Root::Folder);
    assert!(findings(&in_a_folder).iter().all(|finding| finding.code == &codes::MISSING_FILE));
    assert!(!findings(&in_a_folder).is_empty());
}
