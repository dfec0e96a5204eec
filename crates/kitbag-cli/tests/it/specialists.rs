//! `specialist install`, `list`, `show`, `export` and `delete`: wiring and words.

use std::fs;

use insta::assert_snapshot;
use kitbag_testkit::cli::Ran;
use kitbag_testkit::folder::Folder;
use serde_json::Value;

use crate::kitbag;

fn write(folder: &Folder, id: &str, version: &str, skill: &str) {
    let manifest = format!(
        r#"{{"schema_version": 1, "id": "{id}", "version": "{version}", "exported_with_app_version": "0.26.0"}}"#
    );
    let payload = format!(
        r#"{{"name": "The {id}", "description": "Works.", "system_prompt": "test only: work.",
            "skill_ids": ["tools"], "connector_ids": []}}"#
    );
    let package = folder.at(id);
    fs::create_dir_all(package.join("skills/tools")).unwrap();
    fs::write(package.join("manifest.json"), manifest).unwrap();
    fs::write(package.join("specialist.json"), payload).unwrap();
    fs::write(package.join("skills/tools/SKILL.md"), skill).unwrap();
}

const SKILL: &str = "---\nname: \"tools\"\ndescription: \"Tools.\"\nversion: \"0.1.0\"\n---\n\nUse them.\n";
const OTHER: &str = "---\nname: tools\ndescription: Tools.\nallowed-tools: Bash(rm:*)\n---\n\nOther ones.\n";

/// A folder with the packages `reader` and `writer`, which share a Skill.
fn packages() -> Folder {
    let folder = Folder::new();
    write(&folder, "reader", "1.0.0", SKILL);
    write(&folder, "writer", "1.0.0", SKILL);
    folder
}

fn run(folder: &Folder, command: &str) -> Ran {
    kitbag(folder, &command.split(' ').collect::<Vec<_>>()).ran()
}

/// The document that a command gives, and its exit code.
fn json(folder: &Folder, command: &str) -> (Value, Option<i32>) {
    let ran = run(folder, &format!("{command} --output json"));
    assert!(!ran.stdout.contains("test only"), "the instructions are not shown: {}", ran.stdout);
    (serde_json::from_str(&ran.stdout).unwrap(), ran.code)
}

fn install(folder: &Folder, id: &str) {
    let ran = run(folder, &format!("specialist install {id} --store shelf --yes"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn without_a_terminal_nothing_is_installed_unless_somebody_said_yes_before() {
    let folder = packages();
    let ran = run(&folder, "specialist install reader --store shelf");
    assert_eq!(ran.code, Some(1));
    assert_snapshot!(ran.stderr, @r"
    not installed: nobody is here to be asked
    hint: `--yes` installs without a question
    ");
    assert!(!folder.at("shelf").exists());
    let ran = run(&folder, "specialist install reader --store shelf --yes");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_snapshot!(ran.stdout, @r"
    reader  specialist The reader 1.0.0  ok
      skill tools 0.1.0  install, 1 file
    It may
      calls `skill:tools`
    installable: no findings
    installed reader 1.0.0, revision 1
      skill tools  install
    ");
    // Once more is nothing to do.
    let ran = run(&folder, "specialist install reader --store shelf --yes");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "it is installed already\n"));
    assert_snapshot!(run(&folder, "specialist list --store shelf").stdout, @"reader 1.0.0  The reader, 1 skill, revision 1");
}

#[cfg(unix)]
#[test]
fn on_a_terminal_somebody_is_asked_and_only_a_yes_is_one() {
    use kitbag_testkit::cli::Run;

    for (answer, code) in [("y\n", Some(0)), ("n\n", Some(1)), ("\n", Some(1))] {
        let folder = packages();
        let args = ["specialist", "install", "reader", "--store", "shelf"];
        let run = Run::new(env!("CARGO_BIN_EXE_kitbag"), folder.path()).args(args);
        let ran = run.input(answer).ran_on_a_terminal(100);
        assert!(ran.stdout.contains("Install it? [y/N]"), "{}", ran.stdout);
        assert_eq!(ran.code, code, "{answer:?}: {}", ran.stdout);
        assert_eq!(folder.at("shelf").exists(), code == Some(0));
    }
}

#[test]
fn what_overwrites_replaces_or_widens_has_to_be_named() {
    let folder = packages();
    install(&folder, "reader");
    install(&folder, "writer");
    write(&folder, "reader", "2.0.0", OTHER);
    let refused = |flags: &str| {
        let ran = run(&folder, &format!("specialist install reader --store shelf --yes{flags}"));
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        ran
    };
    let ran = refused("");
    assert_snapshot!(ran.stdout, @r"
    reader  specialist The reader 2.0.0

    warning[open-science/skill-existing-conflict]: the Skill `tools` 0.1.0 is installed and differs from
        version 0.1.0 in the package
    --> reader/skills/tools
     = why: Somebody has to choose which of the two is used; whoever uses the installed one is
            concerned too.
     = help: Choose one of the two when the package is installed.

      skill tools 0.1.0  conflict, 1 file; the installed one is used by reader, writer
      overwrites reader 1.0.0 with 2.0.0
    It may
      calls `skill:tools` and `Bash(rm:*)`
    The reader (reader) would be allowed more than before
      calls `Bash(rm:*)` (not known to be covered before)
    The writer (writer) would be allowed more than before
      calls `Bash(rm:*)` (not known to be covered before)
    somebody has to choose: 1 warning
    ");
    assert_snapshot!(ran.stderr, @r"
    not installed: `tools` differs from what is installed, and one of both has to be chosen
    hint: `--keep tools` leaves the installed one, `--replace tools` replaces it for everybody who uses it
    ");
    assert_snapshot!(refused(" --replace tools").stderr, @r"
    not installed: it would overwrite what is installed
    hint: `--overwrite` agrees to that
    ");
    assert_snapshot!(refused(" --replace tools --overwrite").stderr, @r"
    not installed: more would be allowed than is now
    hint: `--accept-wider` agrees to that
    ");
    assert!(
        refused(" --replace tools --keep tools --overwrite --accept-wider").stderr.contains("two choices")
    );
    let all = "specialist install reader --store shelf --yes --replace tools --overwrite --accept-wider";
    let ran = run(&folder, all);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("installed reader 2.0.0, revision 2"), "{}", ran.stdout);
    // Without anything that has a flag, the installed one can also stay.
    write(&folder, "writer", "2.0.0", SKILL);
    let ran = run(&folder, "specialist install writer --store shelf --yes --keep tools --overwrite");
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("skill tools  reuse-existing"), "{}", ran.stdout);
}

#[test]
fn a_token_installs_what_was_shown_once() {
    let folder = packages();
    let (shown, code) = json(&folder, "specialist preview reader --store shelf");
    assert_eq!((code, &shown["installable"], &shown["installed"]), (Some(0), &true.into(), &false.into()));
    let token = shown["token"].as_str().unwrap();
    assert_eq!(token.len(), 32);
    assert!(shown["expires"].as_u64().unwrap() > 1_700_000_000);
    let with_token = format!("specialist install reader --store shelf --token {token}");
    // One word changes, and changes back.
    write(&folder, "reader", "1.0.1", SKILL);
    let (refused, code) = json(&folder, &with_token);
    assert_eq!((code, &refused["code"]), (Some(1), &"stale-candidate".into()));
    assert_eq!(refused["preview"]["package_version"], "1.0.1");
    write(&folder, "reader", "1.0.0", SKILL);
    let (done, code) = json(&folder, &with_token);
    assert_eq!((code, &done["outcome"]), (Some(0), &"installed".into()));
    assert_eq!(done["specialist"]["skills"][0]["disposition"], "install");
    let (again, code) = json(&folder, &with_token);
    assert_eq!((code, &again["code"]), (Some(1), &"stale-candidate".into()));
    let (shown, _) = json(&folder, "specialist show reader --store shelf");
    assert_eq!(shown["specialist"]["state"], "setup-pending");
    assert_eq!(shown["specialist"]["skills"][0]["owners"], serde_json::json!(["reader"]));
}

#[test]
fn an_export_is_a_package_again() {
    let folder = packages();
    install(&folder, "reader");
    let ran = run(&folder, "specialist export reader --store shelf --dry-run");
    assert_snapshot!(ran.stdout, @r"
    reader  specialist The reader 1.0.0  ok
      skill tools 0.1.0  owned, comes along
    would be open-science-specialist-the-reader-v1.0.0.zip, revision 1
    ");
    let (done, code) = json(&folder, "specialist export reader --store shelf");
    assert_eq!((code, &done["outcome"]), (Some(0), &"exported".into()));
    let file = "open-science-specialist-the-reader-v1.0.0.zip";
    assert_eq!(done["archive"]["path"], file);
    let ran = run(&folder, &format!("specialist preview {file}"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("installable: no findings\n"), "{}", ran.stdout);
    let (refused, code) = json(&folder, "specialist export reader --store shelf --revision 7 -o x.zip");
    assert_eq!((code, &refused["code"]), (Some(1), &"revision-conflict".into()));
    let (refused, code) = json(&folder, "specialist export reader --store shelf");
    assert_eq!((code, &refused["code"]), (Some(1), &"exists".into()));
    let (refused, code) = json(&folder, "specialist export nobody --store shelf");
    assert_eq!((code, &refused["code"]), (Some(1), &"not-installed".into()));
}

#[test]
fn a_deletion_shows_what_stays_and_why() {
    let folder = packages();
    install(&folder, "reader");
    install(&folder, "writer");
    let ran = run(&folder, "specialist delete reader --store shelf");
    assert_eq!(ran.code, Some(1));
    assert_snapshot!(ran.stdout, @r"
    reader  The reader, revision 1
      skill tools  stays: writer brought it along as well; used by writer
    ");
    assert_snapshot!(ran.stderr, @"not deleted: nobody is here to be asked; --yes deletes without a question");
    let (refused, code) = json(&folder, "specialist delete reader --store shelf --yes --with-skill tools");
    assert_eq!((code, &refused["code"]), (Some(1), &"protected-skill".into()));
    let (refused, code) = json(&folder, "specialist delete reader --store shelf --yes --revision 2");
    assert_eq!((code, &refused["code"]), (Some(1), &"revision-conflict".into()));
    let (shown, _) = json(&folder, "specialist delete reader --store shelf --dry-run");
    assert_eq!(shown["skills"][0]["reasons"][0]["code"], "shared-owner");
    let ran = run(&folder, "specialist delete reader --store shelf --yes --with-skills");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_snapshot!(ran.stdout, @r"
    deleted reader
      skill tools  stays
    ");
    let (gone, code) = json(&folder, "specialist delete writer --store shelf --yes --with-skills");
    assert_eq!((code, &gone["skills"][0]["deleted"]), (Some(0), &true.into()));
    let (list, _) = json(&folder, "specialist list --store shelf");
    assert_eq!(list["specialists"], serde_json::json!([]));
    assert_eq!(fs::read_dir(folder.at("shelf/objects")).unwrap().count(), 0);
}

#[test]
fn a_store_that_is_not_there_or_is_none_or_is_damaged_is_a_could_not() {
    let folder = packages().file("letters/a.txt", "dear");
    let ran = run(&folder, "specialist list --store nowhere");
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @r"
    error: there is no store in `nowhere`
    hint: `kitbag specialist install` makes one
    ");
    let ran = run(&folder, "specialist install reader --store letters --yes");
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @r"
    error: `letters` is no store and has something else in it: `a.txt`
    hint: name a folder that is not there yet, or is empty
    ");
    install(&folder, "reader");
    fs::write(folder.at("shelf/state.json"), "{\"version\": 1, \"revision\": []}").unwrap();
    let ran = run(&folder, "specialist list --store shelf");
    assert_eq!(ran.code, Some(2));
    assert_snapshot!(ran.stderr, @r"
    error: `shelf/state.json` is damaged at `/revision`: it is no count
    hint: nothing was changed; put the file back from a copy, or install into another store
    ");
    let (_, code) = {
        let ran = run(&folder, "specialist install reader --extra key --store shelf");
        (ran.stderr, ran.code)
    };
    assert_eq!(code, Some(2), "a request with a key that nobody knows");
}
