//! Real public skills, where a folder of them is at hand: no false "does not load", and the reference validator's answer.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the corpus is a file outside of the project"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;

use kitbag_core::formats::Site;
use kitbag_core::formats::agentskill::{Fate, Skill};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::cases;

/// Every SKILL.md of the archive, by its path below the topmost folder.
fn documents(folder: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let file = File::open(folder.join("skills.tar.gz")).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut documents = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_string_lossy().into_owned();
        if path.ends_with("/SKILL.md") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            let below = path.trim_start_matches("./").split_once('/').map_or(&*path, |(_, below)| below);
            documents.insert(below.to_owned(), bytes);
        }
    }
    documents
}

fn skill(folder: &str, bytes: &[u8]) -> Skill {
    let mut tree = Tree::new(Some(folder.to_owned()), Root::Folder);
    let name = PackagePath::new("SKILL.md").unwrap();
    tree.insert(name, Node::File(Blob::from_bytes(bytes))).unwrap();
    Skill::open(&Site::root(&tree)).unwrap()
}

#[test]
fn real_skills_load_where_they_were_seen_to_load() {
    let Some(folder) = cases::folder("CORPUS") else { return };
    let documents = documents(&folder);
    let expected: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    assert!(!expected.is_empty());
    let mut wrong = Vec::new();
    let (mut spec_only, mut reference_only) = (Vec::new(), Vec::new());
    for (path, seen) in &expected {
        let bytes = documents.get(path).unwrap_or_else(|| panic!("{path} is not in the archive"));
        let name = path.rsplit('/').nth(1).unwrap();
        let skill = skill(name, bytes);
        let loads = |profile| skill.verdict(profile).unwrap().loads();
        let because = |profile| {
            let reasons = skill.verdict(profile).unwrap().because();
            reasons.map(|reason| reason.message.clone()).collect::<Vec<_>>().join("; ")
        };
        let codex = seen["codex_loads"].as_bool().unwrap();
        if loads("codex") != codex {
            wrong.push(format!("{path}: codex seen {codex}: {}", because("codex")));
        }
        let errors = seen["skills_ref_errors"].as_array().unwrap();
        let valid = errors.is_empty();
        if loads("skills-ref") != valid {
            wrong.push(format!("{path}: skills-ref seen {errors:?}, said: {}", because("skills-ref")));
        }
        match (loads("spec"), valid) {
            (false, true) => spec_only.push(format!("{path}: {}", because("spec"))),
            (true, false) => reference_only.push(format!("{path}: {errors:?}")),
            _ => {}
        }
        // Claude Code loses no document for what is in it, other than by size.
        if skill.verdict("claude-code").unwrap().fate == Fate::Lost {
            wrong.push(format!("{path}: claude-code: {}", because("claude-code")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), expected.len(), wrong.join("\n"));
    // The text and the reference validator differ in two ways only: the validator refuses flow style and other corners of
    // YAML that the text allows, and looks at neither `metadata` nor `allowed-tools`.
    for line in &spec_only {
        assert!(
            line.contains("`metadata") || line.contains("`allowed-tools`") || line.contains("`license`"),
            "{line}"
        );
    }
    for line in &reference_only {
        assert!(line.contains("Invalid YAML"), "{line}");
    }
}
