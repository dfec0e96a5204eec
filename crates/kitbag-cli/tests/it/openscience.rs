//! `skill check` and `specialist preview`: wiring and words.

use std::fs;

use insta::assert_snapshot;
use kitbag_testkit::folder::Folder;

use crate::{kitbag, sound};

const MANIFEST: &str =
    r#"{"schema_version": 1, "id": "reader", "version": "1.0.0", "exported_with_app_version": "0.26.0"}"#;
const SPECIALIST: &str = r#"{"name": "Reader", "description": "Reads.", "system_prompt": "test only: read.",
    "skill_ids": ["tools", "elsewhere"], "connector_ids": ["pubmed"]}"#;
const SKILL: &str = "---\nname: tools\ndescription: Tools.\n---\n\nUse them.\n";

fn specialist() -> Folder {
    Folder::new()
        .file("reader/manifest.json", MANIFEST)
        .file("reader/specialist.json", SPECIALIST)
        .file("reader/skills/tools/SKILL.md", SKILL)
}

#[test]
fn a_skill_that_can_be_published_is_a_yes_and_one_with_another_field_a_no() {
    let ran = kitbag(&sound(), &["skill", "check", "sound"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert_snapshot!(ran.stdout, @"sound  open-science-skill sound  ok");
    let folder = Folder::new().file("tools/SKILL.md", SKILL.replace("---\n\n", "license: MIT\n---\n\n"));
    let ran = kitbag(&folder, &["skill", "check", "--output", "json", "tools"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &document["command"]), (Some(1), &"skill check".into()));
    assert_eq!(document["packages"][0]["findings"][0]["code"], "open-science/invalidFrontmatterFields");
}

#[cfg(unix)]
#[test]
fn a_hard_link_is_not_published() {
    let folder = sound().file("elsewhere", "x");
    fs::hard_link(folder.at("elsewhere"), folder.at("sound/linked.txt")).unwrap();
    let ran = kitbag(&folder, &["skill", "check", "sound"]).ran();
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("error[open-science/unsafePackageEntry]"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_specialist_with_a_hard_link_is_not_installed_and_with_a_copy_it_is() {
    let folder = specialist();
    fs::write(folder.at("elsewhere"), "x").unwrap();
    fs::hard_link(folder.at("elsewhere"), folder.at("reader/README.txt")).unwrap();
    let ran = kitbag(&folder, &["specialist", "preview", "reader"]).ran();
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("error[open-science/package-hard-link-forbidden]"), "{}", ran.stdout);
    fs::remove_file(folder.at("elsewhere")).unwrap();
    let ran = kitbag(&folder, &["specialist", "preview", "reader"]).ran();
    assert_eq!(ran.code, Some(0), "one name is left: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_preview_says_what_comes_along_and_what_has_to_be_there() {
    let ran = kitbag(&specialist(), &["specialist", "preview", "reader"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let told: Vec<&str> = ran.stdout.lines().rev().take(6).collect();
    assert_eq!(
        told,
        [
            "installable: 2 warnings",
            "  calls `skill:tools`, `skill:elsewhere` and `connector:pubmed`",
            "It may",
            "  connector pubmed  has to be there already",
            "  skill elsewhere  has to be there already",
            "  skill tools 0.1.0  install, 1 file",
        ]
    );
    assert!(!ran.stdout.contains("test only"), "the instructions are not shown: {}", ran.stdout);
}

#[test]
fn a_package_that_only_open_science_would_install_is_a_no() {
    let folder = specialist();
    let packed = kitbag(&folder, &["pack", "reader", "-o", "reader.zip"]).ran();
    assert_eq!(packed.code, Some(0), "{}{}", packed.stdout, packed.stderr);
    let ran = kitbag(&folder, &["specialist", "preview", "reader.zip"]).ran();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    // Open-Science looks at no checksum; the strict reader does.
    let mut bytes = fs::read(folder.at("reader.zip")).unwrap();
    for at in [14, bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap() + 16] {
        bytes[at] ^= 0xff;
    }
    fs::write(folder.at("reader.zip"), bytes).unwrap();
    let ran = kitbag(&folder, &["specialist", "preview", "--output", "json", "reader.zip"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, Some(1));
    assert_eq!(document["installable"], false);
    assert_eq!(document["upstream_installable"], true);
    let codes: Vec<&str> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"archive/checksum"), "{codes:?}");
}
