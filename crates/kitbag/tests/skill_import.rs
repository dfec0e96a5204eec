//! What happens between looking and saying yes: an import does what was shown, or nothing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test looks at what was written")]

use std::fs;
use std::sync::atomic::Ordering;

use kitbag::interrupt::Interrupt;
use kitbag::skill::import::{Error, OnConflict, Order, Plan, Request, Source, plan};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

fn folder() -> Folder {
    Folder::new().skill("in/pdf").skill("in/docx")
}

fn planned(folder: &Folder, on_conflict: OnConflict) -> Plan {
    let order = Order { only: Vec::new(), on_conflict };
    let sources = vec![Source::Path(folder.at("in"))];
    plan(&Request { sources, to: folder.at("to"), order }, None).unwrap()
}

/// What is in the folder of Skills; `None` when there is none.
fn there(folder: &Folder) -> Option<Vec<String>> {
    let entries = fs::read_dir(folder.at("to")).ok()?;
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    Some(names)
}

#[test]
fn what_was_shown_is_written_and_once_more_it_is_there() {
    let folder = folder();
    let plan = planned(&folder, OnConflict::Refuse);
    assert_eq!(there(&folder), None, "looking writes nothing");
    let written = plan.write(&Interrupt::new()).unwrap();
    assert_eq!((written.folders.len(), written.files), (2, 2));
    assert_eq!(there(&folder).unwrap(), ["docx", "pdf"]);
    let again = planned(&folder, OnConflict::Refuse);
    assert_eq!((again.tally().unchanged, again.tally().to_write()), (2, 0));
    assert!(again.is_complete());
}

#[test]
fn an_interrupted_import_leaves_nothing_not_even_the_folder_it_made() {
    let folder = folder();
    let interrupt = Interrupt::new();
    interrupt.flag().store(true, Ordering::Relaxed);
    let error = planned(&folder, OnConflict::Refuse).write(&interrupt).unwrap_err();
    assert!(matches!(error, Error::Write { .. }), "{error}");
    assert_eq!(there(&folder), None);
    // A folder that was there stays, as it was.
    let folder = folder.file("to/mine", "mine");
    planned(&folder, OnConflict::Refuse).write(&interrupt).unwrap_err();
    assert_eq!(there(&folder).unwrap(), ["mine"]);
}

#[test]
fn what_came_meanwhile_stops_an_import_and_nothing_of_it_is_written() {
    let folder = folder();
    let plan = planned(&folder, OnConflict::Refuse);
    // The later of the two names: the one before it is taken back.
    let folder = folder.file("to/pdf/theirs", "theirs");
    let error = plan.write(&Interrupt::new()).unwrap_err();
    assert!(matches!(error, Error::Stale { .. }), "{error}");
    assert_eq!(there(&folder).unwrap(), ["pdf"]);
    assert!(folder.at("to/pdf/theirs").exists() && !folder.at("to/pdf/SKILL.md").exists());
}

#[test]
fn what_is_to_be_replaced_must_be_what_was_shown() {
    let folder = folder().file("to/pdf/old", "old");
    let plan = planned(&folder, OnConflict::Replace);
    assert_eq!((plan.tally().create, plan.tally().replace), (1, 1));
    let folder = folder.file("to/pdf/old", "other");
    let error = plan.write(&Interrupt::new()).unwrap_err();
    assert!(matches!(error, Error::Stale { .. }), "{error}");
    assert_eq!(there(&folder).unwrap(), ["pdf"]);
    assert_eq!(fs::read(folder.at("to/pdf/old")).unwrap(), b"other");
    // Looked at again, it is replaced.
    planned(&folder, OnConflict::Replace).write(&Interrupt::new()).unwrap();
    assert_eq!(there(&folder).unwrap(), ["docx", "pdf"]);
    assert!(!folder.at("to/pdf/old").exists() && folder.at("to/pdf/SKILL.md").exists());
}

#[test]
fn a_source_that_changed_since_it_was_looked_at_is_not_written() {
    let folder = folder().file("in/pdf/notes.md", "short");
    let plan = planned(&folder, OnConflict::Refuse);
    let folder = folder.file("in/pdf/notes.md", "longer than before");
    plan.write(&Interrupt::new()).unwrap_err();
    assert_eq!(there(&folder), None);
}

/// The Skills that an order would import, with what becomes of each.
fn steps(plan: &Plan) -> Vec<(String, &'static str)> {
    plan.skills().map(|skill| (skill.name.clone().unwrap_or_default(), skill.step.word())).collect()
}

fn step(name: &str, word: &'static str) -> (String, &'static str) {
    (name.to_owned(), word)
}

/// What one of Open-Science's flows comes to here, in its own words where it agrees.
fn flow(id: &str) -> Vec<&'static str> {
    let interrupt = Interrupt::new();
    let folder = Folder::new().skill("in/pdf").file("in/pdf/notes.md", "one");
    let first = planned(&folder, OnConflict::Refuse);
    let mut said = Vec::new();
    let import = || {
        first.write(&interrupt).unwrap();
        "imported"
    };
    match id {
        "reimport-same" => {
            said.push(import());
            assert_eq!(steps(&planned(&folder, OnConflict::Refuse)), [step("pdf", "unchanged")]);
            said.push("unchanged");
        }
        "reimport-after-damage" => {
            said.push(import());
            fs::remove_file(folder.at("to/pdf/notes.md")).unwrap();
            // What somebody has done to a Skill is not undone without a word.
            assert_eq!(steps(&planned(&folder, OnConflict::Refuse)), [step("pdf", "refuse")]);
            let again = planned(&folder, OnConflict::Replace);
            assert_eq!(steps(&again), [step("pdf", "replace")]);
            again.write(&interrupt).unwrap();
            assert_eq!(fs::read(folder.at("to/pdf/notes.md")).unwrap(), b"one");
            said.extend(["-", "updated (same id, file is back)"]);
        }
        "replace" | "copy-instead" => {
            import();
            let folder = folder.file("in/pdf/notes.md", "two");
            let (order, name, file) = match id {
                "replace" => (OnConflict::Replace, "pdf", "to/pdf/notes.md"),
                _ => (OnConflict::KeepBoth, "pdf-2", "to/pdf-2/notes.md"),
            };
            let again = planned(&folder, order);
            let word = if id == "replace" { "replace" } else { "create" };
            assert_eq!(steps(&again), [step(name, word)]);
            again.write(&interrupt).unwrap();
            assert_eq!(fs::read(folder.at(file)).unwrap(), b"two");
            let both = if id == "replace" { vec!["pdf"] } else { vec!["pdf", "pdf-2"] };
            assert_eq!(there(&folder).unwrap(), both);
        }
        "replace-unknown" | "replace-personal" => {
            // What is replaced is what has the name, whoever made it; where nothing has, nothing is replaced.
            assert_eq!(steps(&planned(&folder, OnConflict::Replace)), [step("pdf", "create")]);
        }
        "multi-no-choice" => {
            let folder = folder.skill("in/docx");
            let both = planned(&folder, OnConflict::Refuse);
            assert_eq!(steps(&both), [step("docx", "create"), step("pdf", "create")]);
        }
        "bad-subpath" => {
            let order = Order { only: vec!["nope".into()], on_conflict: OnConflict::Refuse };
            let request =
                Request { sources: vec![Source::Path(folder.at("in"))], to: folder.at("to"), order };
            let error = plan(&request, None).unwrap_err();
            assert_eq!(error.to_string(), "no Skill is called `nope`, or is at this place");
            assert_eq!(there(&folder), None);
        }
        other => panic!("no such flow: {other}"),
    }
    said
}

/// Where an import goes another way than there, and docs/formats/open-science.md says so: this program keeps no list of what
/// it imported, and a preview shows all Skills before anything is written.
const GOES_ANOTHER_WAY: [&str; 6] =
    ["replace", "copy-instead", "replace-unknown", "replace-personal", "multi-no-choice", "bad-subpath"];

#[test]
fn the_flows_of_open_science_s_imports_go_as_they_go_there_or_as_is_written_down() {
    let Some(folder) = cases::folder("OPEN_SCIENCE") else { return };
    let tables = cases::json(&folder.join("tables.json"));
    let is_import = |row: &&serde_json::Value| row["steps"][0].as_str().unwrap().starts_with("import");
    let mut agreed = 0;
    for row in tables["flows"].as_array().unwrap().iter().filter(is_import) {
        let id = row["id"].as_str().unwrap();
        let said = flow(id);
        if GOES_ANOTHER_WAY.contains(&id) {
            continue;
        }
        let expected: Vec<&str> =
            row["expect"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
        assert_eq!(said, expected, "{id}");
        agreed += 1;
    }
    assert_eq!(agreed, 2);
    cases::tell(&format!("open-science: {agreed} of flows about imports\n"));
}
