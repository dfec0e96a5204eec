//! `diff`: what is otherwise in a new version, what it asks for, and what its version should say.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::path::PathBuf;

use kitbag::diff::{Change, DiffError, Difference, DocumentDifference, Made, Request, Verdict, diff};
use kitbag::read::Source;
use kitbag_core::version::{Move, Step};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// A Splice package as version 1.0.0.
fn manifest() -> Value {
    json!({
        "specVersion": 1, "namespace": "acme", "name": "maps", "version": "1.0.0", "description": "Draws maps.",
        "permissions": {"network": ["tiles.example"], "fs": {"read": ["routes"]}},
        "tools": [
            {"name": "draw", "description": "Draws one.", "entry": "tools/draw.mjs", "timeoutMs": 5000,
             "input": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
             "output": {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}},
            {"name": "list", "description": "Lists all.", "entry": "tools/list.mjs", "input": {"type": "object"}},
        ],
    })
}

fn capability() -> Value {
    json!({
        "adcap": "1.0", "id": "acme/maps", "version": "1.0.0", "name": "Maps", "description": "Draws maps.",
        "tools": [
            {"name": "draw", "description": "Draws one.", "runtime": {"kind": "python", "entry": "draw.py"},
             "inputSchema": {"type": "object"}, "permissions": ["net:connect"]},
            {"name": "list", "description": "Lists all.", "runtime": {"kind": "python", "entry": "draw.py"},
             "inputSchema": {"type": "object"}},
        ],
        "permissions": [{"id": "net:connect", "scope": ["tiles.example"], "reason": "It fetches tiles."}],
        "dependencies": {"acme/colours": "^1.0.0"},
        "compat": {"agents": {"any": "*"}, "platforms": ["any"]},
    })
}

const CONTRACT: &str = r#"{
  "contract_version": "0.8",
  "skill": {"name": "s", "version": "1.2.0", "license": "MIT"},
  "permissions": {
    "read": {"level": "scoped", "scope": ["$INPUT"], "why": "the table"},
    "write": {"level": "none"}, "network": {"level": "none"}, "exec": {"level": "none"},
    "spend": {"level": "none"}, "send": {"level": "none"}
  },
  "capabilities": [{"id": "s", "summary": "Does s.", "effects": ["read"]}]
}"#;

/// Puts a Splice package at `at`.
fn splice(folder: Folder, at: &str, change: impl FnOnce(&mut Value)) -> Folder {
    let mut manifest = manifest();
    change(&mut manifest);
    folder
        .file(&format!("{at}/manifest.json"), serde_json::to_string_pretty(&manifest).unwrap())
        .file(&format!("{at}/SKILL.md"), "# Maps\n")
        .file(&format!("{at}/tools/draw.mjs"), "export default () => ({file: \"a\"});\n")
        .file(&format!("{at}/tools/list.mjs"), "export default () => [];\n")
}

fn adcap(folder: Folder, at: &str, change: impl FnOnce(&mut Value)) -> Folder {
    let mut capability = capability();
    change(&mut capability);
    folder
        .file(&format!("{at}/capability.json"), serde_json::to_string_pretty(&capability).unwrap())
        .file(&format!("{at}/draw.py"), "print()\n")
}

fn compared(folder: &Folder, old: &str, new: &str) -> Difference {
    let at = |below: &str| Source::Path(folder.at(below));
    diff(&Request { old: at(old), new: at(new) }).unwrap()
}

/// The old Splice package against one that is changed so.
fn changed(change: impl FnOnce(&mut Value)) -> Difference {
    let folder = splice(splice(Folder::new(), "old", |_| {}), "new", change);
    compared(&folder, "old", "new")
}

fn changed_adcap(change: impl FnOnce(&mut Value)) -> Difference {
    let folder = adcap(adcap(Folder::new(), "old", |_| {}), "new", change);
    compared(&folder, "old", "new")
}

fn document<'d>(difference: &'d Difference, format: &str) -> &'d DocumentDifference {
    difference.documents.iter().find(|document| document.format == format).unwrap()
}

fn reasons(difference: &Difference) -> Vec<String> {
    difference.advice.reasons.iter().map(|reason| format!("{}: {}", reason.step, reason.what)).collect()
}

fn wider(difference: &Difference) -> Vec<String> {
    let subjects = difference.documents.iter().flat_map(|document| &document.permissions.subjects);
    subjects
        .flat_map(|subject| {
            subject.wider.iter().map(|wider| format!("{}: {}", subject.subject, wider.sentence))
        })
        .collect()
}

fn narrower(difference: &Difference) -> Vec<String> {
    let subjects = difference.documents.iter().flat_map(|document| &document.permissions.subjects);
    subjects
        .flat_map(|subject| {
            subject.narrower.iter().map(|one| format!("{}: {}", subject.subject, one.sentence))
        })
        .collect()
}

#[test]
fn a_package_is_the_same_as_itself() {
    let folder = splice(Folder::new(), "old", |_| {});
    let same = compared(&folder, "old", "old");
    assert!(same.is_empty() && same.is_fine(), "{same:?}");
    assert_eq!((same.files.same, same.advice.demanded), (4, Step::None));
    let statements = &document(&same, "splice").permissions.subjects[0].same;
    assert!(statements.iter().any(|said| said.sentence == "talks to `tiles.example`"), "{statements:?}");
}

#[test]
fn files_are_told_apart_by_what_is_in_them() {
    let folder = splice(splice(Folder::new(), "old", |_| {}), "new", |new| new["version"] = "1.0.1".into())
        .file("old/gone.txt", "1")
        .file("new/more.txt", "22")
        .file("new/tools/draw.mjs", "export default () => ({file: \"b\"});\n")
        .file("new/.git/config", "a program's own");
    let found = compared(&folder, "old", "new");
    let told: Vec<_> = found
        .files
        .changes
        .iter()
        .map(|change| (change.path.as_str(), change.old.is_some(), change.new.is_some()))
        .collect();
    assert_eq!(
        told,
        [
            ("gone.txt", true, false),
            ("manifest.json", true, true),
            ("more.txt", false, true),
            ("tools/draw.mjs", true, true),
        ]
    );
    assert_eq!(found.files.same, 2);
    assert_eq!(reasons(&found), ["patch: 4 files are not the same"]);
    assert!(found.is_fine(), "a patch is enough: {:?}", found.advice);
}

#[test]
fn other_content_under_the_same_version_is_not_fine() {
    let folder = splice(splice(Folder::new(), "old", |_| {}), "new", |_| {}).file("new/more.txt", "2");
    let found = compared(&folder, "old", "new");
    let [version] = found.advice.versions.as_slice() else { unreachable!("{:?}", found.advice) };
    assert_eq!(
        (version.made, version.demanded, version.is_enough),
        (Made::Move(Move::Same), Step::Patch, false)
    );
    assert!(!found.is_fine() && !found.widens());
}

#[test]
fn a_document_in_another_layout_says_the_same() {
    let folder = splice(splice(Folder::new(), "old", |_| {}), "new", |_| {});
    let folder = folder.file("new/manifest.json", manifest().to_string());
    let found = compared(&folder, "old", "new");
    assert!(found.files.changes[0].says_the_same && found.is_fine(), "{:?}", found.files);
    assert_eq!(found.advice.demanded, Step::None);
}

#[test]
fn a_tool_that_takes_less_or_is_gone_demands_a_major_step_and_one_that_takes_more_a_minor_one() {
    let tool = |change: fn(&mut Value), version: &str| {
        let version = version.to_owned();
        let found = changed(move |new| {
            change(new);
            new["version"] = version.into();
        });
        let tool = document(&found, "splice").tools[0].clone();
        (tool, found)
    };
    let (gone, found) = tool(|new| drop(new["tools"].as_array_mut().unwrap().pop()), "1.9.0");
    assert_eq!((gone.name.as_str(), gone.verdict), ("list", Verdict::Removed));
    assert!(!found.is_fine() && reasons(&found)[0] == "major: tool `list` is gone", "{:?}", reasons(&found));

    let (needs, found) = tool(|new| new["tools"][0]["input"]["required"] = json!(["place", "size"]), "1.9.0");
    assert_eq!(needs.verdict, Verdict::Breaking);
    assert_eq!(needs.because, [(Step::Major, "input: `size` is required".to_owned())]);
    assert!(!found.is_fine());
    let (_, found) = tool(|new| new["tools"][0]["input"]["required"] = json!(["place", "size"]), "2.0.0");
    assert!(found.is_fine(), "{:?}", found.advice);

    let (takes_more, found) = tool(|new| new["tools"][0]["input"]["required"] = json!([]), "1.1.0");
    assert_eq!(takes_more.verdict, Verdict::Compatible);
    assert!(found.is_fine() && found.advice.demanded == Step::Minor, "{:?}", found.advice);
    let (_, found) = tool(|new| new["tools"][0]["input"]["required"] = json!([]), "1.0.1");
    assert!(!found.is_fine(), "a patch is too little");

    let (promises_less, _) = tool(|new| new["tools"][0]["output"]["required"] = json!([]), "1.1.0");
    assert_eq!(promises_less.verdict, Verdict::Breaking);
    let (slower, found) = tool(|new| new["tools"][0]["timeoutMs"] = json!(6000), "1.0.1");
    assert_eq!(slower.because, [(Step::Patch, "a call may take 6000 ms, before 5000".to_owned())]);
    assert!(found.is_fine());
    let (new, found) = tool(
        |new| {
            new["tools"].as_array_mut().unwrap().push(json!({
                "name": "more", "description": "More.", "entry": "tools/list.mjs", "input": {"type": "object"}
            }));
        },
        "1.1.0",
    );
    assert_eq!((new.verdict, found.is_fine()), (Verdict::Added, true));
}

#[test]
fn what_is_asked_for_beyond_the_old_version_is_told_and_not_fine_whatever_the_version_says() {
    for version in ["1.0.1", "2.0.0"] {
        let found = changed(|new| {
            new["version"] = version.into();
            new["permissions"] = json!({"network": ["*"], "fs": {"read": ["routes"], "write": ["out"]}});
        });
        assert_eq!(
            wider(&found),
            [
                "package: writes `out` in the project",
                "package: talks to any public host (private, loopback and link-local addresses are blocked)",
                "package: reads `out` in the project (not known to be covered before)",
            ]
        );
        assert!(found.widens() && !found.is_fine());
        assert_eq!(found.advice.is_followed(), version == "2.0.0", "widening demands a major step");
    }
}

#[test]
fn asking_for_less_is_fine_and_told() {
    let found = changed(|new| {
        new["version"] = "1.0.1".into();
        new["permissions"] = json!({"fs": {"read": ["routes"]}});
    });
    assert_eq!(narrower(&found), ["package: talks to `tiles.example`"]);
    assert!(wider(&found).is_empty() && found.is_fine(), "{:?}", reasons(&found));
}

#[test]
fn each_tool_of_an_adcap_is_a_subject_of_its_own() {
    let found = changed_adcap(|new| {
        new["version"] = "2.0.0".into();
        new["tools"][1]["permissions"] = json!(["net:connect"]);
    });
    assert_eq!(wider(&found), ["tool `list`: talks to `tiles.example`"]);
    assert!(found.widens());
}

#[test]
fn needs_and_where_it_runs_are_told() {
    let found = changed_adcap(|new| {
        new["version"] = "1.1.0".into();
        new["dependencies"] = json!({"acme/colours": "^2.0.0"});
        new["compat"] = json!({"agents": {"any": "*"}, "platforms": ["linux-x64"]});
    });
    let document = document(&found, "adcap");
    let [need] = document.needs.as_slice() else { unreachable!("{:?}", document.needs) };
    assert_eq!(
        (need.change, need.old.as_deref(), need.new.as_deref()),
        (Change::Changed, Some("^1.0.0"), Some("^2.0.0"))
    );
    let [field] = document.fields.as_slice() else { unreachable!("{:?}", document.fields) };
    assert_eq!(
        (field.pointer.as_str(), field.old.as_deref(), field.new.as_deref()),
        ("/compat/platforms", Some(r#"["any"]"#), Some(r#"["linux-x64"]"#))
    );
    assert!(found.is_fine(), "{:?}", found.advice);
    // A dependency's folder is readable without asking, so a new one widens.
    let more = changed_adcap(|new| new["dependencies"] = json!({"acme/colours": "^1.0.0", "acme/ink": "*"}));
    assert!(more.widens(), "{:?}", wider(&more));
}

#[test]
fn a_contract_that_goes_takes_its_word_with_it() {
    let folder = Folder::new().skill("old/s").skill("new/s").file("old/s/skill.contract.json", CONTRACT);
    let gone = compared(&folder, "old/s", "new/s");
    assert!(document(&gone, "skillpact").permissions.falls_silent && gone.widens());
    assert_eq!(reasons(&gone)[0], "major: the skillpact document is gone");
    let came = compared(&folder, "new/s", "old/s");
    assert_eq!(
        wider(&came),
        ["package: reads its input (`$INPUT`)", "capability `s`: reads its input (`$INPUT`)"]
    );
    let folder = folder.file("new/s/skill.contract.json", CONTRACT.replace("1.2.0", "1.2.1"));
    assert!(compared(&folder, "old/s", "new/s").is_fine());
}

#[test]
fn a_capability_with_another_schema_is_judged_as_a_tool_is() {
    let with = |inputs: &str, version: &str| {
        CONTRACT
            .replace(r#""effects": ["read"]"#, &format!(r#""effects": ["read"], "inputs": {inputs}"#))
            .replace("1.2.0", version)
    };
    let folder = Folder::new()
        .skill("old/s")
        .skill("new/s")
        .file("old/s/skill.contract.json", with(r#"{"type": "object"}"#, "1.2.0"))
        .file("new/s/skill.contract.json", with(r#"{"type": "object", "required": ["a"]}"#, "1.3.0"));
    let found = compared(&folder, "old/s", "new/s");
    let [offer] = document(&found, "skillpact").offers.as_slice() else { unreachable!("{found:?}") };
    assert_eq!((offer.kind, offer.change.verdict), ("capability", Verdict::Breaking));
    assert!(!found.is_fine() && !found.widens());
}

#[test]
fn an_archive_is_compared_with_a_folder() {
    use kitbag_core::finding::Findings;
    use kitbag_core::formats;
    let folder = splice(adcap(Folder::new(), "adcap", |_| {}), "splice", |_| {});
    for (name, ending) in [("adcap", "adcap"), ("splice", "tar.gz")] {
        let reading = kitbag::read::read(&Source::Path(folder.at(name))).unwrap();
        let package = formats::open(&reading.tree, None, &mut Findings::default());
        let mut archive = Vec::new();
        let face = package.faces.iter().find(|face| face.document().identity().format == name).unwrap();
        face.document().pack(&package.tree, &mut archive).unwrap();
        let archive_name = format!("{name}.{ending}");
        let with_archive = Folder::new().file(&archive_name, archive);
        let found = diff(&Request {
            old: Source::Path(folder.at(name)),
            new: Source::Path(with_archive.at(&archive_name)),
        })
        .unwrap();
        assert!(
            found.is_fine() && found.advice.demanded == Step::None,
            "{name}: {:?} {:?}",
            found.files,
            reasons(&found)
        );
    }
}

#[test]
fn versions_before_one_count_one_number_further_to_the_right() {
    let step = |old: &str, new: &str| {
        let (old, new) = (old.to_owned(), new.to_owned());
        let folder = splice(Folder::new(), "old", |json| json["version"] = old.into());
        let folder = splice(folder, "new", |json| {
            json["version"] = new.into();
            json["tools"].as_array_mut().unwrap().pop();
        });
        compared(&folder, "old", "new").is_fine()
    };
    assert!(step("0.1.0", "0.2.0") && step("0.0.1", "0.0.2") && step("1.0.0-rc.1", "1.0.0-rc.2"));
    assert!(!step("0.1.0", "0.1.1") && !step("0.1.0", "0.0.9") && !step("1.0.0", "1.5.0"));
}

#[test]
fn another_package_is_compared_and_its_version_is_not_judged() {
    let found = changed(|new| {
        new["name"] = "charts".into();
        new["version"] = "0.1.0".into();
    });
    assert_eq!(found.advice.versions[0].made, Made::AnotherPackage);
    assert!(found.is_fine(), "{:?}", found.advice);
}

#[test]
fn what_is_no_package_or_several_is_said() {
    let folder = splice(Folder::new().skill("many/a").skill("many/b").file("none/x", ""), "one", |_| {});
    let refused = |old: PathBuf| {
        let request = Request { old: Source::Path(old), new: Source::Path(folder.at("one")) };
        diff(&request).unwrap_err()
    };
    let several = refused(folder.at("many"));
    assert!(matches!(&several, DiffError::Several { count: 2, .. }), "{several:?}");
    assert!(several.to_string().contains("many/a, "), "{several}");
    assert!(matches!(refused(folder.at("none")), DiffError::NoPackage { because: Some(_), .. }));
    assert!(matches!(refused(folder.at("nowhere")), DiffError::Read(_)));
    // A package that holds others is one.
    let holds = folder.skill("one/skills/inner");
    assert!(
        diff(&Request { old: Source::Path(holds.at("one")), new: Source::Path(holds.at("one")) }).is_ok()
    );
}
