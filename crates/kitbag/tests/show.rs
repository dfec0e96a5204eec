//! `show`: who it is, what is in it, what it may do.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use kitbag::check::Profiles;
use kitbag::read::Source;
use kitbag::show::{EntryKind, Permissions, Request, Shown, show};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Executable;
use kitbag_testkit::folder::Folder;

const CONTRACT: &str = r#"{
  "contract_version": "0.8",
  "skill": {"name": "s", "version": "1.2.0", "license": "MIT"},
  "permissions": {
    "read": {"level": "scoped", "scope": ["$INPUT"], "why": "the table"},
    "write": {"level": "none"},
    "network": {"level": "any", "why": "it asks around"},
    "exec": {"level": "none"},
    "spend": {"level": "none"},
    "send": {"level": "none"}
  },
  "capabilities": [{"id": "s", "summary": "Does s.", "effects": ["read", "network"]}]
}"#;

fn shown(folder: &Folder, at: &str) -> Shown {
    show(&Request { source: Source::Path(folder.at(at)), profiles: Profiles::All }).unwrap()
}

#[test]
fn each_document_says_who_the_package_is() {
    let folder = Folder::new().skill("s").file("s/skill.contract.json", CONTRACT);
    let shown = shown(&folder, "s");
    let [skill, contract] = shown.packages[0].identities.as_slice() else { unreachable!("{shown:?}") };
    assert_eq!(
        (skill.format, skill.name.as_deref(), skill.version.as_deref()),
        ("agent-skill", Some("s"), None)
    );
    assert!(skill.description.is_some());
    assert_eq!(contract.format, "skillpact");
    assert_eq!(
        [&contract.name, &contract.version, &contract.spec, &contract.license].map(|text| text.as_deref()),
        [Some("s"), Some("1.2.0"), Some("0.8"), Some("MIT")]
    );
}

#[test]
fn permissions_are_told_in_words_with_the_author_s_reasons() {
    let folder = Folder::new().skill("s").file("s/skill.contract.json", CONTRACT);
    let shown = shown(&folder, "s");
    let Permissions::Spoken(said) = &shown.packages[0].permissions else { unreachable!("{shown:?}") };
    let read = said.iter().find(|said| said.why.as_deref() == Some("the table")).unwrap();
    assert!(read.sentence.contains("input"), "{read:?}");
    assert_eq!((read.format, read.danger), ("skillpact", None));
    assert_eq!(read.file.as_ref().unwrap().as_str(), "skill.contract.json");
    let network = said.iter().find(|said| said.why.as_deref() == Some("it asks around")).unwrap();
    assert!(network.danger.is_some(), "{network:?}");
}

#[test]
fn silence_about_permissions_is_told_apart_from_none() {
    let silent = Folder::new().skill("s");
    assert_eq!(shown(&silent, "s").packages[0].permissions, Permissions::Unspoken);
    let none = CONTRACT.replace(r#""level": "any""#, r#""level": "none""#);
    let spoken = Folder::new().skill("s").file("s/skill.contract.json", none);
    assert!(matches!(shown(&spoken, "s").packages[0].permissions, Permissions::Spoken(_)));
}

#[test]
#[cfg(unix)]
fn every_entry_is_listed_as_what_it_is() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new().skill("s").file("s/run.sh", "12345").file("s/data", "123").link("s/up", "..");
    set_permissions(folder.at("s/run.sh"), Permissions::from_mode(0o755)).unwrap();
    let shown = shown(&folder, "s");
    let contents = &shown.packages[0].contents;
    let kind = |path: &str| &contents.entries.iter().find(|entry| entry.path.as_str() == path).unwrap().kind;
    assert_eq!(kind("run.sh"), &EntryKind::File { bytes: 5, executable: Executable::Yes });
    assert_eq!(kind("data"), &EntryKind::File { bytes: 3, executable: Executable::No });
    assert_eq!(kind("up"), &EntryKind::Link("..".to_owned()));
    assert_eq!(contents.executables().map(PackagePath::as_str).collect::<Vec<_>>(), ["run.sh"]);
    assert_eq!(shown.packages[0].counts.errors, 1);
}

#[test]
fn every_package_below_a_folder_is_shown_and_what_is_none_is_remarked_on() {
    let folder = Folder::new().skill("b").skill("a").file("x.skill", "").file("empty/readme.md", "");
    let all = shown(&folder, "");
    let places: Vec<_> =
        all.packages.iter().map(|package| package.location.at.clone().unwrap().to_string()).collect();
    assert_eq!(places, ["a", "b"]);
    let codes =
        |shown: &Shown| shown.remarks.iter().map(|remark| remark.finding.code.slug).collect::<Vec<_>>();
    assert_eq!(codes(&all), ["package/archive-not-opened"]);
    let nothing = shown(&folder, "empty");
    assert!(nothing.packages.is_empty());
    assert_eq!(codes(&nothing), ["package/no-face"]);
}
