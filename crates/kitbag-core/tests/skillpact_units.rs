//! Small rules of SkillPact against the recorded results of its reference: paths of the file list, versions, and the files
//! that a command names.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use kitbag_core::formats::skillpact::version::{KNOWN, Status, status};
use kitbag_core::formats::skillpact::{LISTED_PATHS, named_files};
use kitbag_core::path::PathProblem;
use kitbag_testkit::cases;
use serde_json::Value;

fn rows(list: &str) -> Option<Vec<Value>> {
    let folder = cases::folder("SKILLPACT")?;
    let units = cases::json(&folder.join("units.json"));
    let rows = units[list].as_array().unwrap().clone();
    assert!(!rows.is_empty(), "{list}");
    Some(rows)
}

#[test]
fn a_listed_path_is_refused_for_the_reason_the_reference_gives() {
    let Some(rows) = rows("integrity_path_problem") else { return };
    for row in rows {
        let path = row[0].as_str().unwrap();
        let reason = match LISTED_PATHS.check(path) {
            Ok(()) => None,
            Err(problem) => Some(match problem {
                PathProblem::Empty => "empty",
                PathProblem::TooLong { .. } => "1024",
                PathProblem::Absolute | PathProblem::Drive => "absolute",
                PathProblem::Backslash | PathProblem::Control { .. } | PathProblem::Nul => {
                    "backslash or control"
                }
                PathProblem::TooDeep { .. } => "32",
                PathProblem::EmptySegment | PathProblem::DotSegment => "empty segment",
                other => panic!("{path:?}: {other}"),
            }),
        };
        match (reason, row[1].as_str()) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => assert!(theirs.contains(ours), "{path:?}: {ours} and {theirs}"),
            (ours, theirs) => panic!("{path:?}: {ours:?} and {theirs:?}"),
        }
    }
}

#[test]
fn a_version_is_known_or_not_as_the_reference_says() {
    let Some(rows) = rows("version_status") else { return };
    for row in rows {
        let known = row[0].as_str().is_some_and(|text| matches!(status(text, KNOWN), Status::Known(_)));
        assert_eq!(known, row[1] == "ok", "{row}");
    }
}

#[test]
fn the_files_that_a_word_names_are_those_the_reference_finds() {
    let Some(rows) = rows("required_paths") else { return };
    for row in rows {
        let mut found: Vec<&str> = named_files(row[0].as_str().unwrap()).collect();
        found.sort_unstable();
        found.dedup();
        let mut expected: Vec<&str> =
            row[1].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{row}");
    }
}
