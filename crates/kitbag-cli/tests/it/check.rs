//! `check`: from words to the library and back.

use insta::assert_snapshot;

use crate::{SOUND, kitbag, nothing, sound};

#[test]
fn a_sound_package_is_one_line_and_the_summary_goes_to_standard_error() {
    let ran = kitbag(&sound(), &["check", "sound"]).ran();
    assert_snapshot!(ran.stdout, @"sound  agent-skill sound  ok");
    assert_snapshot!(ran.stderr, @"1 package: no findings");
}

#[test]
fn a_finding_says_what_is_so_why_it_matters_and_what_to_do() {
    let ran = kitbag(&nothing(), &["check", "nothing"]).ran();
    assert_snapshot!(ran.stdout, @"
    nothing

    error[package/no-face]: no package document is here
     = why: Nothing was checked, so nothing can be said about it.
     = help: Name a folder with a SKILL.md, a skill.contract.json or another package document, or a
             folder of such folders.
    ");
    assert_snapshot!(ran.stderr, @"0 packages: 1 error");
}

#[test]
fn every_package_below_a_folder_is_found_once_however_it_is_named() {
    let folder = sound().file("more/sound/SKILL.md", SOUND);
    for args in [&["check", "."][..], &["check", "./"], &["check", "sound", "more"]] {
        let ran = kitbag(&folder, args).ran();
        assert!(ran.stderr.starts_with("2 packages"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn machines_get_no_summary() {
    for form in ["json", "sarif", "github", "junit"] {
        let ran = kitbag(&nothing(), &["check", "--output", form, "nothing"]).ran();
        assert_eq!(ran.stderr, "", "{form}");
    }
}

#[test]
fn github_gets_an_annotation_with_a_file_and_a_line() {
    let ran = kitbag(&nothing(), &["check", "--output", "github", "nothing"]).ran();
    assert!(ran.stdout.starts_with("::error file=nothing,line=1,title=package/no-face::"), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test]
fn the_json_document_says_version_command_and_counts() {
    let ran = kitbag(&sound(), &["check", "--output", "json", "sound"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["command"], "check");
    assert_eq!(document["ok"], true);
    assert_eq!(document["packages"][0]["path"], "sound");
    assert_eq!(document["packages"][0]["faces"][0]["format"], "agent-skill");
    assert_eq!(document["counts"]["packages"], 1);
}

#[test]
fn standard_input_is_one_document() {
    let ran = kitbag(&sound(), &["check", "-", "--output", "json"]).input(SOUND).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["packages"][0]["path"], "standard input");
    assert_eq!(document["packages"][0]["faces"][0]["format"], "agent-skill");
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);

    let named = ["check", "-", "--stdin-name", "skill.contract.json", "--output", "json"];
    let ran = kitbag(&sound(), &named).input("{").ran();
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}
