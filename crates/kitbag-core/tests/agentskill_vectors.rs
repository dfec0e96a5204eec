//! `vectors/agentskill`: what real programs were seen to do with small skills, and whether the profiles say the same.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use kitbag_core::formats::Site;
use kitbag_core::formats::agentskill::{Skill, Verdict, codes};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use kitbag_testkit::vectors::{self, Case};
use serde_json::Value;

fn path(text: &str) -> PackagePath {
    PackagePath::new(text).unwrap()
}

fn node(file: &Value) -> Node {
    if let Some(text) = file.as_str() {
        return Node::File(Blob::from_bytes(text));
    }
    if let Some(target) = file["link"].as_str() {
        return Node::Link { target: target.to_owned() };
    }
    let hex = file["hex"].as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    Node::File(Blob::from_bytes((0..hex.len()).step_by(2).map(byte).collect::<Vec<_>>()))
}

/// The skill of a case, beside a neighbour, as the programs saw it beside hundreds.
fn skill(case: &Case) -> Option<Skill> {
    let at = case.case["at"].as_str().unwrap();
    let mut tree = Tree::new(Some("skills".into()), Root::Folder);
    tree.insert(path("neighbour/SKILL.md"), Node::File(Blob::from_bytes("---\nname: neighbour\n---\n")))
        .unwrap();
    for (name, file) in case.case["files"].as_object().unwrap() {
        tree.insert(path(name), node(file)).unwrap();
    }
    if case.case["reached"] == "link" {
        let name = path(at).name().to_owned();
        let linked = tree.subtree(&path(at)).renamed(name, Root::LinkToFolder);
        return Skill::open(&Site::root(&linked));
    }
    Skill::open(&Site::new(&tree, Some(path(at))))
}

/// In what a verdict differs from what was seen.
fn difference(verdict: &Verdict, seen: &Value) -> Option<String> {
    let loads = seen["loads"].as_bool().unwrap();
    if verdict.loads() != loads {
        let reasons: Vec<&str> = verdict.reasons.iter().map(|reason| &*reason.message).collect();
        return Some(format!("loads: seen {loads}, said {}: {reasons:?}", verdict.loads()));
    }
    if !loads || verdict.reasons.iter().any(|reason| reason.code == &codes::LINK_LEAVES) {
        // What a link outside leads to is not in the case.
        return None;
    }
    let differs = |what: &str, said: Option<&str>| {
        let seen = seen[what].as_str()?;
        (said != Some(seen)).then(|| format!("{what}: seen {seen:?}, said {said:?}"))
    };
    differs("name", verdict.name.as_deref())
        .or_else(|| differs("description", verdict.description.as_deref()))
}

#[test]
fn every_profile_says_what_its_program_was_seen_to_do() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in vectors::walk("agentskill") {
        let skill = skill(&case);
        let said = |program: &str| skill.as_ref().map(|skill| skill.verdict(program).unwrap());
        for (program, seen) in case.case["expect"].as_object().unwrap() {
            compared += 1;
            let difference = match said(program) {
                Some(verdict) => difference(verdict, seen),
                None => seen["loads"].as_bool().unwrap().then(|| "there is no document".to_owned()),
            };
            wrong.extend(difference.map(|difference| format!("{} {program}: {difference}", case.name)));
        }
        for (program, entry) in case.case["deviates"].as_object().into_iter().flatten() {
            let verdict = said(program).unwrap();
            assert!(entry["because"].as_str().is_some_and(|because| !because.is_empty()));
            if difference(verdict, &entry["seen"]).is_none() {
                wrong.push(format!("{} {program}: no longer deviates", case.name));
            }
        }
    }
    assert!(compared > 3_000, "only {compared} comparisons");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
