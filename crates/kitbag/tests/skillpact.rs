//! SkillPact through the library: every vector, every code, and what a disk can do to a skill.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "tests read the project's own files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kitbag::read::{Source, read};
use kitbag::skillpact::{ValidateLevel, validate};
use kitbag_core::finding::{Finding, Findings};
use kitbag_core::formats::skillpact::{Contract, codes};
use kitbag_core::formats::{Document as _, Format as _, skillpact};
use kitbag_testkit::folder::Folder;
use kitbag_testkit::vectors;
use serde_json::{Value, json};

/// Codes that no contract can raise today: the schema step refuses a scoped effect without scope before `SCOPE_EMPTY`
/// could, and no version from 1.0 on is known that a newer one could follow.
const UNREACHABLE: [&str; 2] = ["skillpact/SCOPE_EMPTY", "skillpact/CONTRACT_VERSION_NEWER"];

fn check(folder: &Path) -> Findings {
    let tree = read(&Source::Path(folder.to_owned())).unwrap().tree;
    let mut findings = Findings::default();
    Contract::beside(&tree).unwrap_or_else(Contract::missing).check(&tree, &mut findings);
    findings
}

/// Code, severity and place, as `case.json` writes them.
fn written(finding: &Finding) -> Value {
    let place = &finding.place;
    let mut row = json!({"code": finding.code.slug, "severity": finding.severity.word()});
    if let Some(file) = &place.file {
        row["file"] = file.as_str().into();
    }
    if let Some(pointer) = &place.pointer {
        row["pointer"] = pointer.as_str().into();
    }
    row
}

fn only_entry(folder: &Path) -> PathBuf {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 1, "{}", folder.display());
    entries.remove(0)
}

#[test]
fn every_vector_gives_its_findings_and_its_sound_twin_does_not() {
    for case in vectors::walk("skillpact") {
        let found = |kind: &str| {
            let findings = check(&only_entry(&case.folder.join(kind)));
            findings.iter().map(written).collect::<Vec<_>>()
        };
        let (flawed, sound) = (found("flawed"), found("sound"));
        if vectors::are_to_be_written() {
            let mut anew = case.case.clone();
            (anew["flawed"], anew["sound"]) = (flawed.clone().into(), sound.clone().into());
            let text = format!("{}\n", serde_json::to_string_pretty(&anew).unwrap());
            fs::write(case.folder.join("case.json"), text).unwrap();
            continue;
        }
        assert_eq!(Value::from(flawed.clone()), case.case["flawed"], "{} flawed", case.name);
        assert_eq!(Value::from(sound.clone()), case.case["sound"], "{} sound", case.name);
        assert!(flawed != sound && !flawed.is_empty(), "{} shows nothing", case.name);
    }
}

#[test]
fn every_code_that_can_be_raised_has_a_vector_with_a_twin_that_is_free_of_it() {
    let mut shown = BTreeSet::new();
    for case in vectors::walk("skillpact") {
        let codes = |kind: &str| -> BTreeSet<String> {
            let rows = case.case[kind].as_array().unwrap();
            rows.iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect()
        };
        shown.extend(codes("flawed").difference(&codes("sound")).cloned());
    }
    let raised: BTreeSet<&str> = skillpact::SkillPact.codes().iter().map(|code| code.slug).collect();
    let missing: Vec<_> = raised.iter().filter(|slug| !shown.contains(**slug)).collect();
    // One code is for contracts too large to be kept as vectors; it has a test of its own.
    let mut without: BTreeSet<&str> = UNREACHABLE.into();
    without.insert(codes::TOO_MANY_FINDINGS.slug);
    assert_eq!(missing.iter().map(|slug| **slug).collect::<BTreeSet<_>>(), without);
    assert_eq!(codes::CODES.len(), 42 + 3, "the specification's codes, and three of our own");
}

#[test]
fn every_finding_in_a_contract_or_skill_md_points_at_its_bytes() {
    for case in vectors::walk("skillpact") {
        let folder = only_entry(&case.folder.join("flawed"));
        for finding in &check(&folder) {
            let Some(span) = finding.place.span else { continue };
            let file = finding.place.file.as_ref().unwrap();
            let bytes = fs::read(folder.join(file.as_str())).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.get(span.range()).is_some(), "{}: {:?}", case.name, finding);
        }
    }
}

fn minimal(version: &str) -> String {
    json!({"contract_version": version, "kind": "instructions", "skill": {"name": "sample", "version": "1.0.0"},
        "permissions": {"read": {"level": "none"}, "write": {"level": "none"}, "network": {"level": "none"},
            "exec": {"level": "none"}, "spend": {"level": "none"}, "send": {"level": "none"}},
        "capabilities": [{"id": "guide", "summary": "Guides.", "effects": []}]})
    .to_string()
}

/// A folder `sample` with a sound skill and contract.
fn sample() -> Folder {
    Folder::new().skill("sample").file("sample/skill.contract.json", minimal("0.8"))
}

/// Levels and codes of `skillpact validate`.
fn answer(folder: &Path, contract: Option<&Path>) -> Vec<(&'static str, &'static str)> {
    let report = validate(folder, contract).unwrap();
    assert_eq!(report.ok(), report.count(ValidateLevel::Error) == 0);
    report.findings.iter().map(|finding| (finding.level.word(), finding.code)).collect()
}

#[test]
fn a_folder_that_is_not_there_is_a_skill_in_which_nothing_is() {
    let folder = sample();
    assert_eq!(answer(&folder.at("sample"), None), []);
    let nothing = [("error", "SKILL_MD_MISSING"), ("error", "CONTRACT_MISSING")];
    assert_eq!(answer(&folder.at("nowhere"), None), nothing);
    let report = validate(&folder.at("nowhere"), None).unwrap();
    assert_eq!(report.findings[0].place, folder.at("nowhere/SKILL.md").to_string_lossy());
}

#[test]
fn a_contract_that_is_kept_elsewhere_does_not_care_what_the_folder_is_called() {
    let folder = sample().skill("other").file("elsewhere.json", minimal("0.8"));
    let named = |path: &str| answer(&folder.at("other"), Some(&folder.at(path)));
    // Its front matter says `other`, the contract `sample`; the folder is not asked.
    assert_eq!(named("elsewhere.json"), [("error", "NAME_MISMATCH")]);
    assert_eq!(named("nowhere.json"), [("error", "CONTRACT_MISSING")]);
    assert_eq!(named("sample"), [("error", "CONTRACT_JSON")]);
    assert_eq!(answer(&folder.at("sample"), Some(&folder.at("elsewhere.json"))), []);
}

#[cfg(unix)]
mod on_a_disk_with_links_and_pipes {
    use super::*;
    use rustix::fs::Mode;

    #[test]
    fn a_linked_skill_is_judged_by_the_name_of_what_the_link_leads_to() {
        let folder = sample().link("alias", "sample");
        assert_eq!(answer(&folder.at("alias"), None), []);
    }

    #[test]
    fn a_link_is_refused_in_every_version_wherever_it_is_and_with_or_without_a_list() {
        for version in ["0.1", "0.7", "0.8"] {
            let folder = Folder::new().skill("sample").file("sample/skill.contract.json", minimal(version));
            assert_eq!(answer(&folder.at("sample"), None), [], "{version}");
            let folder = folder.file("sample/.git/x", "x").link("sample/.git/l", "x");
            assert_eq!(answer(&folder.at("sample"), None), [("error", "INTEGRITY_PATH")], "{version}");
        }
    }

    #[test]
    fn skill_md_behind_a_link_is_read_only_inside_the_skill() {
        let text = "---\nname: sample\ndescription: Draws.\n---\n";
        let base =
            || Folder::new().file("sample/skill.contract.json", minimal("0.8")).file("sample/a.md", text);
        let inside = base().link("sample/SKILL.md", "a.md");
        assert_eq!(answer(&inside.at("sample"), None), [("error", "INTEGRITY_PATH")]);
        let outside = base().file("b.md", text).link("sample/SKILL.md", "../b.md");
        assert_eq!(answer(&outside.at("sample"), None), [("error", "SKILL_MD_MISSING")]);
    }

    fn make_pipe(path: &Path) {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    }

    #[test]
    fn a_pipe_is_never_opened_whatever_it_is_called() {
        let folder = sample();
        for (name, code) in [("SKILL.md", "SKILL_MD_MISSING"), ("skill.contract.json", "CONTRACT_MISSING")] {
            let path = folder.at("sample").join(name);
            let kept = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            make_pipe(&path);
            assert_eq!(answer(&folder.at("sample"), None), [("error", code)]);
            fs::remove_file(&path).unwrap();
            fs::write(&path, kept).unwrap();
        }
        make_pipe(&folder.at("pipe.json"));
        let named = answer(&folder.at("sample"), Some(&folder.at("pipe.json")));
        assert_eq!(named, [("error", "CONTRACT_JSON")]);
    }
}

#[test]
fn findings_without_end_are_cut_off_with_one_that_says_so() {
    let requiring = |count: usize| {
        let mut contract: Value = serde_json::from_str(&minimal("0.8")).unwrap();
        contract["capabilities"][0]["requires"] = vec!["nothing"; count].into();
        Folder::new().skill("sample").file("sample/skill.contract.json", contract.to_string())
    };
    assert_eq!(answer(&requiring(3).at("sample"), None), [("error", "UNKNOWN_REQUIREMENT"); 3]);
    let found = answer(&requiring(100_000).at("sample"), None);
    assert_eq!(found.len(), 20_001);
    assert_eq!(found.last(), Some(&("error", "too-many-findings")));
}

#[test]
fn a_contract_beyond_every_limit_is_refused_and_one_below_is_read() {
    let padded = |bytes: usize| format!("{}{}", minimal("0.8"), " ".repeat(bytes));
    let folder = |bytes| Folder::new().skill("sample").file("sample/skill.contract.json", padded(bytes));
    assert_eq!(answer(&folder(1 << 20).at("sample"), None), []);
    assert_eq!(answer(&folder(17 << 20).at("sample"), None), [("error", "CONTRACT_JSON")]);
}
