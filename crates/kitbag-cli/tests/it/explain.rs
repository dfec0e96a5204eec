//! `explain`: what a code means.

use insta::assert_snapshot;

use crate::{kitbag, sound};

#[test]
fn a_code_is_explained_in_five_lines() {
    let ran = kitbag(&sound(), &["explain", "package/no-face"]).ran();
    assert_snapshot!(ran.stdout, @"
    package/no-face: error
      when  The folder or file is no package that kitbag knows.
      why   Nothing was checked, so nothing can be said about it.
      help  Name a folder with a SKILL.md, a skill.contract.json or another package document, or a
            folder of such folders.
      rule  kitbag
    ");
}

#[test]
fn the_format_and_the_case_of_a_code_may_be_left_out() {
    let full = kitbag(&sound(), &["explain", "package/no-face"]).ran();
    for short in ["no-face", "NO-FACE", "Package/No-Face"] {
        assert_eq!(kitbag(&sound(), &["explain", short]).ran().stdout, full.stdout, "{short}");
    }
}

#[test]
fn a_code_that_is_not_there_leads_to_those_that_are() {
    let near = kitbag(&sound(), &["explain", "face"]).ran();
    assert!(near.stderr.contains("did you mean package/no-face?"), "{}", near.stderr);
    let far = kitbag(&sound(), &["explain", "zzz"]).ran();
    assert!(far.stderr.contains("`kitbag explain` lists every code"), "{}", far.stderr);
}

#[test]
fn every_code_of_the_list_can_be_explained() {
    let ran = kitbag(&sound(), &["explain", "--output", "json"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let codes: Vec<&str> =
        document["codes"].as_array().unwrap().iter().map(|code| code["code"].as_str().unwrap()).collect();
    assert!(codes.len() > 5);
    let list = kitbag(&sound(), &["explain"]).ran();
    let one = kitbag(&sound(), &["explain"]).args(&codes).ran();
    for code in &codes {
        assert!(list.stdout.contains(code), "{code}");
        assert!(one.stdout.contains(&format!("{code}: ")), "{code}");
    }
}

#[test]
fn every_code_that_the_help_names_is_there() {
    let mut named = 0;
    for args in [&["--help"][..], &["explain", "--help"], &["check", "--help"]] {
        let help = kitbag(&sound(), args).ran().stdout;
        for code in help.lines().filter_map(|line| line.trim().strip_prefix("kitbag explain ")) {
            let code = code.split(' ').next().unwrap();
            if !code.is_empty() {
                named += 1;
                assert_eq!(kitbag(&sound(), &["explain", code]).ran().code, Some(0), "{code}");
            }
        }
    }
    assert!(named >= 3, "{named}");
}
