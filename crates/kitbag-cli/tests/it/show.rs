//! `show`: who it is and what it may do.

use insta::assert_snapshot;

use kitbag_testkit::folder::Folder;

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

#[test]
fn tools_are_told_with_what_goes_in_and_what_each_may_do() {
    let capability = r#"{
      "adcap": "1.0", "id": "acme/maps", "version": "1.0.0", "name": "Maps", "description": "Draws maps.",
      "tools": [
        {"name": "draw_map", "description": "Draws a map of a place.", "permissions": ["net:connect"],
         "runtime": {"kind": "python", "entry": "draw.py", "version": ">=3.10"}, "timeoutMs": 1500,
         "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}, "size": {"type": "integer"}},
                         "required": ["place"]},
         "outputSchema": {"type": "array", "items": {"type": "string"}}},
        {"name": "list_maps", "description": "Lists them.", "runtime": {"kind": "python", "entry": "draw.py"},
         "inputSchema": {"type": "object"}}
      ],
      "permissions": [{"id": "net:connect", "scope": ["tiles.example"], "reason": "It fetches tiles."}],
      "compat": {"agents": {"any": "*"}}
    }"#;
    let folder = Folder::new().file("maps/capability.json", capability).file("maps/draw.py", "print()\n");
    let ran = kitbag(&folder, &["show", "--tools", "maps"]).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_snapshot!(ran.stdout, @"
    maps

    draw_map  adcap
      Draws a map of a place.
      names    maps.draw_map, acme/maps.draw_map, acme_maps_draw_map for MCP
      runs     draw.py with python >=3.10, at most 1500 ms a call
      input    place: string, [size]: integer
      output   array of string
      hints    reaches beyond this machine
      may
        talks to `tiles.example`
          because It fetches tiles.
        without asking, reads everything under its own folder (`$SKILL_DIR`)
        writes no files, runs no programs, spends no money, sends no messages and sees no environment
          variables
        its format never allows writing into the capability's own directory

    list_maps  adcap
      Lists them.
      names    maps.list_maps, acme/maps.list_maps, acme_maps_list_maps for MCP
      runs     draw.py with python, at most 30 s a call
      input    object
      hints    changes nothing, destroys nothing, stays on this machine
      may
        without asking, reads everything under its own folder (`$SKILL_DIR`)
        writes no files, talks to no hosts, runs no programs, spends no money, sends no messages and
          sees no environment variables
        its format never allows writing into the capability's own directory
    ");
    let ran = kitbag(&folder, &["show", "--tools", "--output", "json", "maps"]).ran();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let [draw, list] = [0, 1].map(|at| &document["packages"][0]["tools"][at]);
    assert_eq!((&draw["mcpName"], &draw["timeoutMs"]), (&"acme_maps_draw_map".into(), &1500.into()));
    assert_eq!(draw["grants"]["declared"]["network"], serde_json::json!(["tiles.example"]));
    assert_eq!(
        list["grants"]["declared"]["network"],
        serde_json::json!([]),
        "what is another tool's is not its own"
    );
    assert_eq!(list["grants"]["implied"]["read"], serde_json::json!(["$SKILL_DIR/**"]));
    assert_eq!(list["grants"]["never"][0]["effect"], "write");
    let whole = kitbag(&folder, &["show", "--output", "json", "maps"]).ran();
    let whole: serde_json::Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!(whole["packages"][0]["tools"], document["packages"][0]["tools"]);
}

#[test]
fn a_package_without_tools_is_a_yes_that_says_so() {
    let ran = kitbag(&sound(), &["show", "--tools", "sound"]).ran();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "sound\n  no tools\n"));
}
