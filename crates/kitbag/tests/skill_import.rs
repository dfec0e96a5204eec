//! What happens between looking and saying yes: an import does what was shown, or nothing.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test looks at what was written")]

use std::fs;
use std::sync::atomic::Ordering;

use kitbag::interrupt::Interrupt;
use kitbag::skill::import::{Error, OnConflict, Order, Plan, Request, Source, plan};
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
