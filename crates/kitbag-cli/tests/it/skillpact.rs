//! `kitbag skillpact` against recorded results of the program it stands in for.

use std::collections::BTreeMap;

use kitbag_testkit::cases::{self, Unpacked};
use kitbag_testkit::cli::{Ran, Run};
use serde_json::Value;

use super::{kitbag, nothing};

/// The page that decides, one by one, where the reference is not followed.
const PAGE: &str = "docs/formats/skillpact.md";

/// Levels and codes of a document, sorted.
fn findings(document: &Value) -> Option<Vec<String>> {
    let rows = document["findings"].as_array()?;
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let mut findings: Vec<String> =
        rows.iter().map(|row| format!("{} {}", word(row, "level"), word(row, "code"))).collect();
    findings.sort();
    Some(findings)
}

/// What the recorded result says was found. Long lists are recorded as counts.
fn recorded(result: &Value) -> Option<Vec<String>> {
    let Some(summary) = result["json"]["findings_summary"].as_object() else {
        return findings(&result["json"]);
    };
    let mut all: Vec<String> = Vec::new();
    for (finding, count) in summary {
        all.extend(std::iter::repeat_n(finding.clone(), count.as_u64().unwrap().try_into().unwrap()));
    }
    all.sort();
    Some(all)
}

/// Runs one recorded command; `@x` is the path `x` inside the case.
fn run(unpacked: &Unpacked, id: &str, command: &[Value]) -> Ran {
    let folder = unpacked.case(id);
    let args = command.iter().map(|argument| {
        let argument = argument.as_str().unwrap();
        match argument.strip_prefix('@') {
            Some(inside) => folder.join(inside).into_os_string(),
            None => argument.into(),
        }
    });
    let program = env!("CARGO_BIN_EXE_kitbag");
    Run::new(program, &folder).args(["skillpact"]).args(args).ran()
}

/// Whether a run is what was recorded.
fn agrees(ran: &Ran, result: &Value) -> bool {
    if result["exit"].as_i64() != ran.code.map(i64::from) {
        return false;
    }
    match recorded(result) {
        Some(recorded) => {
            serde_json::from_str(&ran.stdout).ok().as_ref().and_then(findings) == Some(recorded)
        }
        None => result["crash"].is_null() && result["stderr"].as_str() == Some(&ran.stderr),
    }
}

/// The rows of the page: case, and what is found there.
fn decided() -> BTreeMap<String, Vec<String>> {
    let page = std::fs::read_to_string(cases::project().join(PAGE)).unwrap();
    let mut decided = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [cases, found, _] = cells[..] else { continue };
        let mut found: Vec<String> = match found {
            "nothing" => Vec::new(),
            found => found.split(',').flat_map(counted).collect(),
        };
        found.sort();
        for case in cases.split(',') {
            decided.insert(case.trim().trim_matches('`').to_owned(), found.clone());
        }
    }
    decided
}

/// `error X` once, or `3 × error X` three times.
fn counted(text: &str) -> Vec<String> {
    let text = text.trim();
    match text.split_once(" × ") {
        Some((count, finding)) => vec![finding.to_owned(); count.parse().unwrap()],
        None => vec![text.to_owned()],
    }
}

#[test]
fn validate_answers_as_the_reference_did_and_every_other_answer_is_decided_on_the_page() {
    let Some(folder) = cases::folder("SKILLPACT") else { return };
    let Some(unpacked) = cases::unpacked(&folder) else { return };
    let expected = cases::json(&folder.join("expected.json"));
    let page = decided();
    let (mut agreed, mut differing, mut wrong) = (0, Vec::new(), Vec::new());
    for case in cases::json(&folder.join("cases.json")).as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let commands: Vec<&Vec<Value>> =
            case["cmds"].as_array().unwrap().iter().filter_map(Value::as_array).collect();
        if commands.iter().any(|command| command.first().is_none_or(|verb| verb != "validate")) {
            continue;
        }
        for (command, result) in commands.iter().zip(expected[id]["results"].as_array().unwrap()) {
            let ran = run(&unpacked, id, command);
            if agrees(&ran, result) {
                agreed += 1;
                continue;
            }
            let found = serde_json::from_str(&ran.stdout).ok().as_ref().and_then(findings);
            let is_marked = !expected[id]["kind"].is_null();
            match page.get(id) {
                Some(row) if is_marked && found.as_ref() == Some(row) => differing.push(id.to_owned()),
                // Another folder may hold marked cases that the page does not know.
                None if is_marked && std::env::var_os("KITBAG_CASES_SKILLPACT").is_some() => {
                    cases::skip(&format!("the marked case `{id}` is not on the page"));
                }
                row => wrong.push(format!(
                    "{id}: exit {:?}, found {found:?}\n  recorded {:?}, on the page {row:?}",
                    ran.code,
                    recorded(result),
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
    assert!(agreed > 0, "{} holds no case of validate", folder.display());
    if std::env::var_os("KITBAG_CASES_SKILLPACT").is_none() {
        let stale: Vec<_> = page.keys().filter(|id| !differing.contains(*id)).collect();
        assert!(stale.is_empty(), "{PAGE} decides cases that agree or are not there: {stale:?}");
    }
}

#[test]
fn the_document_is_written_as_the_reference_writes_it() {
    let folder = nothing();
    let ran = kitbag(&folder, &["skillpact", "validate", "nothing"]).ran();
    let path = folder.path().canonicalize().unwrap().join("nothing/SKILL.md");
    let path = serde_json::to_string(&path).unwrap();
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stdout,
        format!(
            "{{\n  \"ok\": false,\n  \"errors\": 2,\n  \"warnings\": 0,\n  \"findings\": [\n    {{\n      \
             \"level\": \"error\",\n      \"code\": \"SKILL_MD_MISSING\",\n      \"message\": \"SKILL.md is not there\",\n      \
             \"where\": {path}\n    }},\n    {{\n      \"level\": \"error\",\n      \"code\": \"CONTRACT_MISSING\",\n      \
             \"message\": \"`skill.contract.json` is not there\",\n      \"where\": \"\"\n    }}\n  ]\n}}\n"
        )
    );
}

#[test]
fn what_was_typed_wrong_ends_with_2_and_leaves_standard_output_empty() {
    let folder = nothing();
    for args in
        [&["skillpact"][..], &["skillpact", "validate"], &["skillpact", "validate", "nothing", "--zz"]]
    {
        let ran = kitbag(&folder, args).ran();
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{args:?}");
        assert!(ran.stderr.starts_with("usage: skillpact "), "{}", ran.stderr);
    }
}
