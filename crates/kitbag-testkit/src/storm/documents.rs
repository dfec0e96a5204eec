//! Whole documents in a package: every check runs, every place it names is in the document, and asking twice changes
//! nothing.

use kitbag_core::finding::{Findings, apply};
use kitbag_core::formats::agentskill::{self, Skill};
use kitbag_core::formats::{self, Face};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};

use super::json::assert_inside;

const SKILL: &str = "SKILL.md";
const CONTRACT: &str = "skill.contract.json";

/// Any bytes as a `SKILL.md`.
///
/// # Panics
/// When a check breaks a promise.
pub fn front_matter(bytes: &[u8]) {
    judge(&[(SKILL, bytes)]);
}

/// Any bytes as a `skill.contract.json` beside a plain skill.
///
/// # Panics
/// When a check breaks a promise.
pub fn contract(bytes: &[u8]) {
    judge(&[(SKILL, b"---\nname: a\ndescription: Does a. Use for a.\n---\n# A\n"), (CONTRACT, bytes)]);
}

/// Checks a package of these files.
pub(super) fn judge(files: &[(&str, &[u8])]) {
    let mut tree = Tree::new(Some("a".to_owned()), Root::Folder);
    for (name, bytes) in files {
        let path = PackagePath::new(name).expect("the names are constants");
        tree.insert(path, Node::File(Blob::from_bytes(*bytes))).expect("the names are distinct");
    }
    let first = check(&tree);
    for finding in &first {
        let Some(span) = finding.place.span else { continue };
        let file = finding.place.file.as_ref().expect("bytes are bytes of a file");
        let len = tree.file(file.as_str()).expect("a finding with bytes names a file that is there").len();
        assert_inside(span, usize::try_from(len).unwrap_or(usize::MAX));
    }
    let said = |findings: &Findings| -> Vec<String> {
        findings
            .iter()
            .map(|finding| format!("{} {:?} {}", finding.code.slug, finding.place, finding.message))
            .collect()
    };
    assert_eq!(said(&first), said(&check(&tree)), "asked twice");
}

fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::default();
    let package = formats::open(tree, None, &mut findings);
    for face in &package.faces {
        let document = face.document();
        document.check(&package.tree, &mut findings);
        // What they answer is judged elsewhere; here, that they can.
        let _identity = format!("{:?}", document.identity());
        let _permissions = format!("{:?}", document.permissions());
        let _record = format!("{:?}", document.record());
        for tool in document.tools() {
            assert_eq!(tool.descriptor()["tool"], tool.name, "a descriptor is its tool's");
        }
        if let Face::AgentSkill(skill) = face {
            assert_fixes(skill, tree);
        }
    }
    findings
}

/// The fixes of a document can all be applied together, and what they make is a text.
fn assert_fixes(skill: &Skill, tree: &Tree) {
    let edits = agentskill::fixes(skill);
    if edits.is_empty() {
        return;
    }
    let blob = tree.file(skill.file().as_str()).expect("what has fixes was read");
    let bytes = blob.read(blob.len()).expect("bytes in memory can be read");
    let fixed = apply(&bytes, &edits.iter().collect::<Vec<_>>()).expect("fixes do not touch each other");
    assert!(String::from_utf8(fixed).is_ok(), "a fix cut a character in two");
}
