//! What `--output sarif` writes is SARIF 2.1.0, and of the shape that code scanning accepts.

use std::fs;

use jsonschema::Validator;
use kitbag_testkit::cases::project;
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;
use serde_json::Value;

use crate::{kitbag, nothing, sound};

fn schema() -> Validator {
    let text = fs::read(project().join("vectors/sarif/sarif-schema-2.1.0.json")).unwrap();
    let mut schema: Value = serde_json::from_slice(&text).unwrap();
    // The published pattern for a language has a bracket too many, which no strict engine reads; kitbag names no language.
    for owner in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][owner]["properties"]["language"];
        assert!(language.as_object_mut().unwrap().remove("pattern").is_some());
    }
    jsonschema::draft7::new(&schema).unwrap()
}

fn log(run: Run) -> Value {
    serde_json::from_str(&run.ran().stdout).unwrap()
}

/// Logs of packages of every kind: sound, broken, with names that must be encoded, and the project's own examples.
fn logs() -> Vec<Value> {
    let odd = Folder::new()
        .file("a b/100%#é/SKILL.md", "---\nname: [x](y) {0}\n---\n")
        .file("a b/100%#é/data.zip", "data")
        .file("other/SKILL.md", "no front matter");
    let examples = project().join("examples");
    let examples = examples.to_str().unwrap();
    vec![
        log(kitbag(&sound(), &["check", "--output", "sarif", "sound"])),
        log(kitbag(&nothing(), &["check", "--output", "sarif", "nothing"])),
        log(kitbag(&odd, &["check", "--output", "sarif", "."])),
        log(kitbag(&odd, &["check", "--output", "sarif", examples])),
        log(kitbag(&odd, &["check", "--output", "sarif", "-"]).input("---\nname: X\n---\n")),
    ]
}

#[test]
fn every_log_is_valid() {
    let schema = schema();
    for log in logs() {
        let problems: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{log:#}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_log() {
    let mut log = log(kitbag(&nothing(), &["check", "--output", "sarif", "nothing"]));
    log["runs"][0]["results"][0]["level"] = "catastrophe".into();
    assert!(!schema().is_valid(&log));
}

#[test]
fn every_result_has_a_relative_file_a_line_and_a_rule_with_help() {
    let mut results = 0;
    for log in logs() {
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            results += 1;
            let place = &result["locations"][0]["physicalLocation"];
            assert!(place["region"]["startLine"].as_u64().unwrap() >= 1, "{result:#}");
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.is_empty() && uri.is_ascii() && !uri.contains([' ', '#', '\\']), "{uri}");
            let rule = &run["tool"]["driver"]["rules"]
                [usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(rule["id"], result["ruleId"]);
            assert_ne!(rule["help"]["text"], "");
            assert_ne!(rule["shortDescription"]["text"], "");
        }
    }
    assert!(results > 0);
}
