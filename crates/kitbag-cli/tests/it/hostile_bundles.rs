//! Every spoiled zip through the verbs that install what they read: each is refused with its code and leaves nothing behind,
//! and the same zip without what is wrong with it is taken.

use std::collections::BTreeSet;
use std::fs;

use kitbag_testkit::archive::cases::{Base, SPOILED, Spoiled};
use kitbag_testkit::archive::zip::{Entry, Zip};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

const SKILL: &[u8] = b"---\nname: desk\ndescription: A desk.\n---\n\nSit down.\n";
const MANIFEST: &[u8] =
    br#"{"schema_version": 1, "id": "desk", "version": "1.0.0", "exported_with_app_version": "0.26.0"}"#;
const SPECIALIST: &[u8] = br#"{"name": "Desk", "description": "Sits.", "system_prompt": "test only: sit.",
    "skill_ids": ["desk"], "connector_ids": []}"#;

/// What a verb says of an archive: its exit code, and the codes of what it found.
fn said(archive: &[u8], args: &[&str]) -> (Option<i32>, BTreeSet<String>, Value) {
    let folder = Folder::new().file("in/desk.zip", archive).folder("to").folder("tmp");
    let run = kitbag(&folder, args).env("TMPDIR", folder.at("tmp").to_str().unwrap());
    let ran = run.ran();
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = match answer["sources"].as_array() {
        Some(sources) => sources[0]["findings"].clone(),
        None => answer["findings"].clone(),
    };
    let codes = findings.as_array().unwrap().iter();
    let codes = codes.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect();
    // Whatever it answered, nothing lies about that was not asked for.
    assert_eq!(fs::read_dir(folder.at("tmp")).unwrap().count(), 0, "{args:?}");
    let there = fs::read_dir(folder.at("to")).unwrap().count();
    assert_eq!(there, answer["written"].as_array().map_or(0, Vec::len), "{answer}");
    (ran.code, codes, answer)
}

const IMPORT: [&str; 7] = ["skill", "import", "in/desk.zip", "--to", "to", "--yes", "--output=json"];
const PREVIEW: [&str; 4] = ["specialist", "preview", "in/desk.zip", "--output=json"];

/// What is wrong with how a verb takes a spoiled zip and its twin.
fn wrong(spoiled: &Spoiled, base: &Base, args: &[&str], own: &[&str]) -> Option<String> {
    let (code, codes, _) = said(&(spoiled.archive)(base), args);
    let is_expected = |found: &String| match spoiled.code {
        Some(code) => *found == format!("archive/{code}"),
        None => own.iter().any(|code| *found == format!("open-science/{code}")),
    };
    if code != Some(1) || !codes.iter().any(is_expected) {
        return Some(format!("{}: {code:?} {codes:?}", spoiled.name));
    }
    // Open-Science reads no zip64, so that a Specialist in one is installed by nobody.
    if args == PREVIEW && spoiled.name.starts_with("zip64") {
        return None;
    }
    let (code, codes, _) = said(&(spoiled.twin)(base), args);
    (code != Some(0)).then(|| format!("the twin of {}: {code:?} {codes:?}", spoiled.name))
}

fn all(base: &Base, args: &[&str], own: &[&str]) {
    assert!(SPOILED.len() >= 40, "{}", SPOILED.len());
    let wrong: Vec<String> = SPOILED.iter().filter_map(|spoiled| wrong(spoiled, base, args, own)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bundle_that_is_spoiled_is_not_imported_and_its_twin_is() {
    let base = Base { entries: vec![Entry::deflated("desk/SKILL.md", SKILL)], below: "desk/" };
    all(&base, &IMPORT, &["import-entry-kind", "import-paths", "import-depth"]);
}

#[test]
fn an_archive_in_a_bundle_that_is_spoiled_costs_its_own_skills_and_no_other() {
    let base = Base { entries: vec![Entry::deflated("desk/SKILL.md", SKILL)], below: "desk/" };
    let around = |inner: Vec<u8>| {
        let other = String::from_utf8_lossy(SKILL).replace("desk", "chair");
        let entries = [Entry::deflated("chair/SKILL.md", other.as_bytes()), Entry::stored("i.skill", &inner)];
        said(&Zip::of(entries).bytes(), &IMPORT)
    };
    for spoiled in SPOILED.iter().filter(|spoiled| spoiled.name != "before-everything") {
        let (code, codes, answer) = around((spoiled.archive)(&base));
        let archive = spoiled.code.map(|code| match code {
            // The budget that runs out first is that of a Skill.
            "unpacks-too-large" => "open-science/import-skill-size".to_owned(),
            code => format!("archive/{code}"),
        });
        assert!(archive.is_none_or(|code| codes.contains(&code)), "{}: {codes:?}", spoiled.name);
        assert_eq!((code, &answer["written"]), (Some(1), &json!(["to/chair"])), "{}", spoiled.name);
        let (code, codes, answer) = around((spoiled.twin)(&base));
        assert_eq!(code, Some(0), "{}: {codes:?}", spoiled.name);
        assert_eq!(answer["written"], json!(["to/chair", "to/desk"]), "{}", spoiled.name);
    }
}

#[test]
fn a_specialist_that_is_spoiled_is_not_installable_and_its_twin_is() {
    let entries = vec![
        Entry::deflated("manifest.json", MANIFEST),
        Entry::deflated("specialist.json", SPECIALIST),
        Entry::deflated("skills/desk/SKILL.md", SKILL),
    ];
    let own = [
        "package-symbolic-link-forbidden",
        "package-archive-link-unsupported",
        "package-archive-path-duplicate",
        "package-archive-path-depth-exceeded",
    ];
    all(&Base { entries, below: "skills/desk/" }, &PREVIEW, &own);
}

#[test]
fn every_way_to_spoil_a_zip_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = SPOILED.iter().map(|spoiled| spoiled.name).collect();
    assert_eq!(names.len(), SPOILED.len());
}
