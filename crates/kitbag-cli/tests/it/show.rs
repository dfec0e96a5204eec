//! `show`: who it is and what it may do.

use insta::assert_snapshot;

use crate::{kitbag, sound};

#[test]
fn a_plain_skill_is_told_in_one_page() {
    let ran = kitbag(&sound().file("sound/scripts/hello.sh", "echo hello\n"), &["show", "sound"]).ran();
    assert_snapshot!(ran.stdout, @"
    sound

    agent-skill
      name     sound
      about    Says hello. Use it when somebody comes in.

    Contents  2 entries, 99 bytes
      SKILL.md          88 bytes
      scripts/hello.sh  11 bytes

    Permissions
      It says nothing about permissions. That is not the same as none: what it may do is up to the
      program that runs it.

    Programs
      spec          loads          as sound
      skills-ref    loads          as sound
      claude-code   loads          as sound
      codex         loads          as sound
      gemini-cli    loads          as sound
      npx-skills    loads          as sound
      open-science  loads          as sound

    Check
      no findings
    ");
    assert_eq!(ran.stderr, "");
}

#[test]
fn silence_about_permissions_is_not_none() {
    let ran = kitbag(&sound(), &["show", "--output", "json", "sound"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["packages"][0]["permissions"]["spoken"], false);
    assert_eq!(document["packages"][0]["contents"]["entries"][0]["path"], "SKILL.md");
}

#[test]
fn a_folder_without_a_package_is_a_no_with_a_word() {
    let ran = kitbag(&sound().file("empty/README", ""), &["show", "empty"]).ran();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_snapshot!(ran.stderr, @"
    error: empty: no package document is here
    help: Name a folder with a SKILL.md, a skill.contract.json or another package document, or a folder
        of such folders.
    ");
}
