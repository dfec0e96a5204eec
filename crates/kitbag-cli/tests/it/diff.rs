//! `diff`: what changed, what it asks for now, and what its version should be.

use insta::assert_snapshot;
use kitbag_testkit::folder::Folder;
use serde_json::Value;

use crate::kitbag;

/// A Splice package.
fn package(folder: Folder, at: &str, version: &str, hosts: &str) -> Folder {
    let manifest = format!(
        r#"{{"specVersion": 1, "namespace": "acme", "name": "maps", "version": "{version}",
            "description": "Draws maps.", "permissions": {{"network": {hosts}}},
            "tools": [{{"name": "draw", "description": "Draws a map.", "entry": "tools/draw.mjs",
                        "input": {{"type": "object", "properties": {{"place": {{"type": "string"}}}}}}}}]}}"#
    );
    folder
        .file(&format!("{at}/manifest.json"), manifest)
        .file(&format!("{at}/SKILL.md"), "# Maps\n")
        .file(&format!("{at}/tools/draw.mjs"), "export default () => null;\n")
}

#[test]
fn more_permissions_are_a_no_and_told_in_words() {
    let folder = package(Folder::new(), "old", "1.0.0", r#"["a.example"]"#);
    let folder = package(folder, "new", "1.0.1", r#"["a.example", "b.example"]"#);
    let ran = kitbag(&folder, &["diff", "old", "new"]).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    assert_snapshot!(ran.stdout, @"
    old → new
      splice @acme/maps 1.0.0 → @acme/maps 1.0.1

    Files  0 added, 0 removed, 1 changed, 2 the same
      ~ manifest.json  357 bytes 215e8c5cf594 → 370 bytes b36dbc5979f6

    Permissions
      package
        wider
          talks to `b.example`
        as before
          talks to `a.example`
          without asking, reads everything under its own folder (`$SKILL_DIR`)
          reads no files, writes no files, sees no environment variables and spends no money

    Version
      no  splice: 1.0.0 → 1.0.1 is a patch step; the difference demands a major step
          major  splice asks for more than before
          patch  1 file is not the same

    It asks for more than before: whoever runs it should be asked again.
    ");
    let ran = kitbag(&folder, &["diff", "--output", "json", "old", "new"]).ran();
    assert_eq!(ran.code, Some(1));
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&answer["command"], &answer["ok"], &answer["widens"]),
        (&"diff".into(), &false.into(), &true.into())
    );
    assert_eq!(
        answer["documents"][0]["permissions"]["subjects"][0]["wider"][0]["sentence"],
        "talks to `b.example`"
    );
}

#[test]
fn a_new_version_that_asks_for_nothing_more_is_a_yes() {
    let folder = package(Folder::new(), "old", "1.0.0", r#"["a.example"]"#);
    let folder = package(folder, "new", "1.0.1", "[]");
    let ran = kitbag(&folder, &["diff", "old", "new"]).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let same = kitbag(&folder, &["diff", "old", "old"]).ran();
    assert_eq!(same.code, Some(0));
    assert_snapshot!(same.stdout, @"
    old → old
      splice @acme/maps 1.0.0

    Nothing differs.

    Version
      ok  splice: 1.0.0 as before

    It asks for nothing more, and its version says how much changed.
    ");
    // As much as before under the same version.
    let folder = folder.file("new/manifest.json", "").file("new/note.txt", "");
    let folder = package(folder, "new", "1.0.0", r#"["a.example"]"#);
    assert_eq!(kitbag(&folder, &["diff", "old", "new"]).ran().code, Some(1));
}

#[test]
fn what_cannot_be_compared_is_a_could_not_with_a_hint() {
    let folder =
        package(Folder::new(), "old", "1.0.0", "[]").skill("many/a").skill("many/b").file("none/x", "");
    for (new, words) in
        [("many", "name the folder of one"), ("none", "kitbag check"), ("nowhere", "nothing is at")]
    {
        let ran = kitbag(&folder, &["diff", "old", new]).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{new}");
        assert!(ran.stderr.contains(words), "{new}: {}", ran.stderr);
    }
}
