//! The formats are equals: one intention, written in every format that can say it, lifts to the same grants, and each
//! format that cannot say it has a reason.

use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::{FORMATS, Site};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::phrase::{Statement, statements};
use kitbag_core::permit::{Confirm, Declaration, Effect, Root, Said, Scope, Subject};
use kitbag_core::tree::{self, Blob, Node, Tree};
use kitbag_testkit::vectors::{self, Case};
use serde_json::Value;

/// The formats whose column is filled. Another joins when its documents are read.
const COLUMNS: [&str; 5] = ["skillpact", "agent-skill", "splice", "adcap", "open-science"];

const FILES: [&str; 7] = [
    "SKILL.md",
    "skill.contract.json",
    "manifest.json",
    "tools/run.ts",
    "capability.json",
    "specialist.json",
    "connector.json",
];

fn effect(word: &str) -> Effect {
    let known = [
        Effect::Read,
        Effect::Write,
        Effect::Network,
        Effect::Exec,
        Effect::Spend,
        Effect::Send,
        Effect::Env,
        Effect::Secret,
        Effect::Call,
    ];
    known.into_iter().find(|effect| effect.to_string() == word).expect("a vector names a known effect")
}

fn words(scope: &Scope) -> Value {
    match scope {
        Scope::Nothing => "nothing".into(),
        Scope::Anything => "anything".into(),
        Scope::Patterns(patterns) => patterns.iter().map(|pattern| pattern.text.as_str()).collect(),
    }
}

fn confirm(confirm: Confirm) -> &'static str {
    match confirm {
        Confirm::Never => "never",
        Confirm::Each => "each",
        Confirm::Session => "session",
        Confirm::HostDecides => "host-decides",
    }
}

fn root(root: &Root) -> &'static str {
    match root {
        Root::Package => "package",
        Root::Project => "project",
        Root::Work => "work",
        Root::Input => "input",
        Root::InputDir => "input-dir",
        Root::Output => "output",
        Root::Temp => "temp",
    }
}

/// What the document of `format` in this case declares. It must be sound, or it proves nothing.
fn declaration(case: &Case, format: &str) -> Declaration {
    let mut tree = Tree::new(Some("rosetta".to_owned()), tree::Root::Folder);
    for name in FILES.iter().filter(|name| case.has(&format!("{format}/{name}"))) {
        let bytes = case.bytes(&format!("{format}/{name}"));
        let path = PackagePath::new(name).expect("a plain path is one");
        tree.insert(path, Node::File(Blob::from_bytes(bytes))).expect("the names differ");
    }
    let mut findings = Findings::default();
    let row = FORMATS.iter().find(|row| row.name() == format).expect("a column is a format");
    let faces = row.faces(&Site::root(&tree), &mut findings);
    assert_eq!(faces.len(), 1, "{}: {format} has one document", case.name);
    let document = faces[0].document();
    document.check(&tree, &mut findings);
    let errors: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.message.as_str())
        .collect();
    assert!(errors.is_empty(), "{}: {format}: {errors:?}", case.name);
    document.permissions()
}

/// Compares what is said about each effect with `stated`, which names every effect the face speaks of.
fn agrees(stated: &Value, spoken: &[String], said: impl Fn(&Effect) -> Option<Said>, at: &str) {
    let stated = stated.as_object().expect("effects by name");
    let named: Vec<&String> = stated.keys().collect();
    assert!(spoken.iter().all(|effect| named.contains(&effect)), "{at} speaks of {spoken:?}");
    for (word, expected) in stated {
        let said = said(&effect(word)).map(|said| words(&said.scope));
        assert_eq!(said.as_ref(), Some(expected), "{at}: {word}");
    }
}

fn judge(case: &Case, format: &str) {
    let at = format!("{} in {format}", case.name);
    let declaration = declaration(case, format);
    let sentences: Vec<String> = statements(&declaration).iter().map(Statement::to_string).collect();
    assert_eq!(Value::from(sentences), case.case["formats"][format]["sentences"], "{at}");
    let mut allows = case.case["allows"].clone();
    // What the format gives without being asked, and what it alone has a word for.
    for (word, stated) in case.case["formats"][format]["also"].as_object().into_iter().flatten() {
        allows[word] = stated.clone();
    }
    let allows = &allows;
    let Some(grants) = declaration.grants() else {
        assert_eq!(allows, "unspoken", "{at} is silent");
        return;
    };
    let spoken: Vec<String> = grants.effects().iter().map(ToString::to_string).collect();
    agrees(allows, &spoken, |effect| grants.worst_case(effect), &at);
    for (id, stated) in case.case["subjects"].as_object().into_iter().flatten() {
        let subject = Subject::Capability(id.as_str().into());
        agrees(stated, &spoken, |effect| grants.said(&subject, effect), &format!("{at}, {id}"));
    }
    for (word, stated) in case.case["confirm"].as_object().into_iter().flatten() {
        let said = grants.worst_case(&effect(word)).map(|said| confirm(said.confirm));
        assert_eq!(said, stated.as_str(), "{at}: {word}");
    }
    for (word, stated) in case.case["starts_from"].as_object().into_iter().flatten() {
        let said = grants.worst_case(&effect(word)).expect("an effect that starts somewhere is spoken of");
        let roots: Value =
            said.scope.patterns().iter().map(|pattern| pattern.root.as_ref().map(root)).collect();
        assert_eq!(&roots, stated, "{at}: {word}");
    }
    for grant in grants.all() {
        let text = case.bytes(&format!("{format}/{}", grant.origin.file));
        assert!(!text[grant.origin.span.range()].is_empty(), "{at}: every statement knows its line");
    }
}

#[test]
fn every_intention_lifts_to_the_same_grants_in_every_format_that_can_say_it() {
    let mut said = [0; COLUMNS.len()];
    for case in vectors::walk("permissions/rosetta") {
        let mut anywhere = false;
        for (column, format) in COLUMNS.iter().enumerate() {
            let entry = &case.case["formats"][format];
            let has_folder = case.has(format);
            match entry["cannot_say"].as_str() {
                Some(reason) => {
                    assert!(reason.ends_with('.') && !has_folder, "{}: {format} cannot say it", case.name);
                }
                None => {
                    assert!(has_folder, "{}: {format} has neither a document nor a reason", case.name);
                    judge(&case, format);
                    anywhere = true;
                    said[column] += 1;
                }
            }
        }
        assert!(anywhere, "{}: no format can say it", case.name);
    }
    assert!(said.iter().all(|count| *count > 0), "every column says something: {said:?}");
}
