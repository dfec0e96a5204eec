//! The store: what it holds is the old or the new state wherever a change stops, and nothing is named before it is safe.

#![expect(clippy::disallowed_methods, reason = "tests look at the files of a store")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kitbag::interrupt::Interrupt;
use kitbag::store::{Change, Document, Object, Operation, Store, StoreError};
use kitbag_core::digest::Sha256;
use kitbag_core::json::print;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Blob;
use kitbag_testkit::folder::Folder;

fn path(text: &str) -> PackagePath {
    PackagePath::new(text).unwrap()
}

/// A content of some files, in folders, that is another one for another word.
fn object(word: &str) -> Object {
    let file = |at: &str| (path(at), Blob::from_bytes(format!("{at}: {word}")));
    Object::of(vec![file("a.txt"), file("b/c.txt"), file("b/d/e.txt")]).unwrap()
}

/// A change after which the document `shelf` refers to these contents and to no others.
fn shelf(words: &[&str]) -> Change {
    let objects: Vec<Object> = words.iter().map(|word| object(word)).collect();
    let document = Document {
        objects: objects.iter().map(Object::digest).collect(),
        content: print::texts(words.iter().copied()),
    };
    Change { objects, documents: BTreeMap::from([("shelf".to_owned(), document)]) }
}

fn change(store: &Store, words: &[&str]) -> Result<(), StoreError> {
    let interrupt = Interrupt::new();
    store.change(&interrupt)?.commit(shelf(words), &interrupt).map(|_| ())
}

/// What the store says, once everything it says was found to be there and nothing else.
fn told(folder: &Path) -> (u64, Vec<String>) {
    let store = Store::at(folder);
    // Whoever changes it next tidies up first.
    drop(store.change(&Interrupt::new()).unwrap());
    let Ok(snapshot) = store.read(&Interrupt::new()) else { return (0, Vec::new()) };
    let document = snapshot.state().document("shelf").unwrap();
    for digest in &document.objects {
        assert_eq!(snapshot.object(digest).unwrap().len(), 3);
    }
    let there: BTreeSet<Sha256> =
        names(&folder.join("objects")).iter().filter_map(|n| Sha256::from_hex(n)).collect();
    assert_eq!(there, document.objects, "every content is one that is referred to");
    assert_eq!(names(&folder.join("staging")), [""; 0]);
    assert_eq!(names(folder), ["lock", "objects", "staging", "state.json"]);
    let words = document.content.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
    (snapshot.state().revision(), words.collect())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The store in `folder`, whose step number `at` fails; and how many steps were begun.
fn failing(folder: &Path, at: usize) -> (Store, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let watch = move |_: &Operation<'_>| {
        let step = counted.fetch_add(1, Ordering::Relaxed);
        if step >= at { Err(io::Error::other("the disk is full")) } else { Ok(()) }
    };
    (Store::at(folder).watched(Box::new(watch)), count)
}

#[test]
fn a_change_that_fails_at_any_step_leaves_the_old_or_the_new_state() {
    let (mut steps, mut old, mut new) = (0, 0, 0);
    loop {
        let folder = Folder::new();
        change(&Store::at(folder.path()), &["one", "two"]).unwrap();
        let (store, count) = failing(folder.path(), steps);
        let outcome = change(&store, &["two", "three"]);
        let is_all = count.load(Ordering::Relaxed) <= steps;
        match told(folder.path()) {
            (1, words) => {
                assert_eq!(words, ["one", "two"]);
                assert!(outcome.is_err(), "step {steps}");
                old += 1;
            }
            found => {
                assert_eq!(found, (2, vec!["two".to_owned(), "three".to_owned()]));
                new += 1;
            }
        }
        // The same again finishes the job, or does it once more.
        change(&Store::at(folder.path()), &["two", "three"]).unwrap();
        assert_eq!(told(folder.path()).1, ["two", "three"]);
        if is_all {
            break;
        }
        steps += 1;
    }
    assert!(steps > 20 && old > 15 && new > 5, "{steps} steps: {old} old, {new} new");
}

#[test]
fn the_first_change_that_fails_at_any_step_leaves_a_store_that_can_be_used() {
    for step in 0.. {
        let folder = Folder::new();
        let place = folder.at("deep/store");
        let (store, count) = failing(&place, step);
        let _outcome = change(&store, &["one"]);
        assert!(matches!(told(&place), (0, _) | (1, _)), "step {step}");
        change(&Store::at(&place), &["one"]).unwrap();
        assert_eq!(told(&place).1, ["one"]);
        if count.load(Ordering::Relaxed) <= step {
            assert!(step > 15, "{step} steps");
            break;
        }
    }
}

/// What was done, in order: `write x`, `sync x`, `name x`, with paths below the store.
fn trace(folder: &Path, words: &[&str]) -> Vec<(&'static str, PathBuf)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (noted, root) = (Arc::clone(&seen), folder.to_owned());
    let watch = move |operation: &Operation<'_>| {
        let below = |path: &Path| path.strip_prefix(&root).unwrap_or(path).to_owned();
        let mut seen = noted.lock().unwrap();
        match operation {
            Operation::MakeFolder(path) => seen.push(("make", below(path))),
            Operation::Write(path) => seen.push(("write", below(path))),
            Operation::SyncFile(path) => seen.push(("sync", below(path))),
            Operation::SyncFolder(path) => seen.push(("sync", below(path))),
            Operation::SyncAll(path) => seen.push(("all", below(path))),
            Operation::Rename(from, to) => seen.extend([("from", below(from)), ("name", below(to))]),
            Operation::Remove(path) => seen.push(("remove", below(path))),
            other => panic!("{other:?}"),
        }
        Ok(())
    };
    change(&Store::at(folder).watched(Box::new(watch)), words).unwrap();
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn nothing_is_named_before_it_is_safe_and_nothing_goes_before_the_new_state_is() {
    let folder = Folder::new();
    trace(folder.path(), &["one", "two"]);
    let seen = trace(folder.path(), &["two", "three"]);
    let last = |what: &str, path: &str| {
        let at = seen.iter().rposition(|(done, at)| *done == what && at == Path::new(path));
        at.unwrap_or_else(|| panic!("{what} {path}: {seen:?}"))
    };
    // Whatever was made or written in a draft was synced after that, and before the draft got its name.
    for (at, (done, path)) in seen.iter().enumerate() {
        if matches!(*done, "make" | "write") && path.starts_with("staging") {
            let synced = seen.iter().skip(at).position(|(done, other)| *done == "sync" && other == path);
            let synced = at + synced.unwrap_or_else(|| panic!("{path:?} is not synced"));
            let draft: PathBuf = path.components().take(2).collect();
            let named = seen.iter().position(|(done, other)| *done == "from" && *other == draft).unwrap();
            assert!(synced < named, "{path:?}");
            // A folder is synced after what is in it was named in it.
            let inside = seen
                .iter()
                .rposition(|(done, other)| matches!(*done, "make" | "write") && other.parent() == Some(path));
            assert!(inside.is_none_or(|inside| inside < synced), "{path:?}");
        }
    }
    let three = format!("objects/{}", object("three").digest());
    let (journal, state) = (last("name", "change.json"), last("name", "state.json"));
    let synced_after = |at: usize, folder: &str| {
        let found =
            seen.iter().skip(at).position(|(done, path)| *done == "sync" && path == Path::new(folder));
        at + found.unwrap()
    };
    // The journal is safe before anything is published, that before the state, and the state before anything goes.
    assert!(synced_after(journal, "") < last("name", &three));
    assert!(synced_after(last("name", &three), "objects") < state);
    let gone = format!("objects/{}", object("one").digest());
    assert!(synced_after(state, "") < last("from", &gone));
    // And what goes is gone before the journal no longer says so.
    assert!(synced_after(last("from", &gone), "objects") < last("remove", "change.json"));
}

#[test]
fn a_folder_with_many_files_is_safe_as_well() {
    let folder = Folder::new();
    let files = (0..300).map(|number| (path(&format!("f/{number}")), Blob::from_bytes(format!("{number}"))));
    let object = Object::of(files.collect()).unwrap();
    let digest = object.digest();
    let document = Document { objects: [digest].into(), content: print::object([]) };
    let documents = BTreeMap::from([("many".to_owned(), document)]);
    let store = Store::at(folder.path());
    let interrupt = Interrupt::new();
    store
        .change(&interrupt)
        .unwrap()
        .commit(Change { objects: vec![object], documents }, &interrupt)
        .unwrap();
    let tree = store.read(&interrupt).unwrap().object(&digest).unwrap();
    assert_eq!(tree.len(), 300);
}

#[test]
fn a_document_cannot_refer_to_what_is_not_there() {
    let folder = Folder::new();
    let mut change = shelf(&["one"]);
    change.objects.clear();
    let interrupt = Interrupt::new();
    let store = Store::at(folder.path());
    let refused = store.change(&interrupt).unwrap().commit(change, &interrupt);
    assert!(matches!(refused, Err(StoreError::Unknown { .. })));
    assert_eq!(told(folder.path()), (0, Vec::new()));
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = Folder::new().file("letter.txt", "dear");
    let refused = change(&Store::at(folder.path()), &["one"]).unwrap_err();
    assert!(
        matches!(&refused, StoreError::Foreign { found, .. } if found == Path::new("letter.txt")),
        "{refused}"
    );
    assert_eq!(names(folder.path()), ["letter.txt"]);
    let store = Store::at(folder.at("none"));
    assert!(matches!(store.read(&Interrupt::new()), Err(StoreError::Missing { .. })));
    assert!(!folder.at("none").exists());
    // An empty folder may become one.
    change(&Store::at(folder.at("none")), &["one"]).unwrap();
    assert_eq!(told(&folder.at("none")).1, ["one"]);
}

#[test]
fn a_damaged_store_is_refused_by_file_and_place_and_nothing_is_changed() {
    let sound = Folder::new();
    change(&Store::at(sound.path()), &["one"]).unwrap();
    let state = fs::read_to_string(sound.at("state.json")).unwrap();
    let digest = object("one").digest().to_string();
    let journal = |from: u64, to: u64, adds: &str| {
        format!(r#"{{"version":1,"from":{from},"to":{to},"adds":["{adds}"],"drops":[]}}"#)
    };
    let deep = "[".repeat(100_000);
    let cases: Vec<(&str, String, &str)> = vec![
        ("state.json", String::new(), "state.json` is damaged"),
        ("state.json", state[..state.len() / 2].to_owned(), "state.json` is damaged"),
        ("state.json", deep, "state.json` is damaged"),
        ("state.json", "[]".to_owned(), "it is no JSON object"),
        ("state.json", state.replace("\"version\": 1", "\"version\": 2"), "later kitbag"),
        ("state.json", state.replace("\"version\": 1", "\"version\": \"1\""), "damaged at `/version`"),
        ("state.json", state.replace("\"revision\": 1", "\"revision\": -1"), "damaged at `/revision`"),
        ("state.json", state.replace("\"revision\": 1", "\"revision\": 9007199254740991"), "`/revision`"),
        ("state.json", state.replace("\"revision\": 1,", ""), "damaged at `/revision`"),
        ("state.json", state.replace(&digest, "../../etc"), "damaged at `/documents/shelf/objects/0`"),
        ("state.json", state.replace("\"content\"", "\"contents\""), "`/documents/shelf/content`"),
        ("state.json", state.replace("\"documents\"", "\"more\": 1, \"documents\""), "damaged at `/more`"),
        ("change.json", "{}".to_owned(), "change.json` is damaged at `/version`"),
        ("change.json", journal(7, 8, &digest), "it leads from revision 7 to 8"),
        ("change.json", journal(1, 2, "../../x"), "damaged at `/adds/0`"),
    ];
    for (file, text, says) in cases {
        fs::write(sound.at("state.json"), &state).unwrap();
        let _none = fs::remove_file(sound.at("change.json"));
        assert_eq!(told(sound.path()).1, ["one"]);
        fs::write(sound.at(file), &text).unwrap();
        let refused = change(&Store::at(sound.path()), &["two"]).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
        assert_eq!(fs::read_to_string(sound.at(file)).unwrap(), text, "it is left as it is");
        assert_eq!(names(&sound.at("objects")), [digest.as_str()]);
    }
}

#[test]
fn a_journal_cannot_take_away_what_the_state_refers_to() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    let digest = object("one").digest();
    let text = format!(r#"{{"version":1,"from":1,"to":2,"adds":["{digest}"],"drops":["{digest}"]}}"#);
    fs::write(folder.at("change.json"), text).unwrap();
    assert_eq!(told(folder.path()).1, ["one"]);
}

#[test]
fn a_state_that_is_gone_is_not_taken_for_an_empty_one() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    fs::remove_file(folder.at("state.json")).unwrap();
    let read = Store::at(folder.path()).read(&Interrupt::new()).map(|_| ()).unwrap_err();
    for refused in [change(&Store::at(folder.path()), &["two"]).unwrap_err(), read] {
        let is_state = matches!(&refused, StoreError::Damaged { file, .. } if file.ends_with("state.json"));
        assert!(is_state, "{refused}");
    }
    assert_eq!(names(&folder.at("objects")).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_content_that_was_changed_by_hand_is_noticed_and_put_right_by_the_same_content() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    let digest = object("one").digest();
    let place = folder.at(&format!("objects/{digest}"));
    fs::remove_file(place.join("a.txt")).unwrap();
    let snapshot = Store::at(folder.path()).read(&Interrupt::new()).unwrap();
    assert!(matches!(snapshot.object(&digest), Err(StoreError::Damaged { .. })));
    drop(snapshot);
    change(&Store::at(folder.path()), &["one"]).unwrap();
    assert_eq!(told(folder.path()), (2, vec!["one".to_owned()]));
    // A link in the place of a file is not followed.
    fs::remove_file(place.join("a.txt")).unwrap();
    std::os::unix::fs::symlink("b/c.txt", place.join("a.txt")).unwrap();
    let snapshot = Store::at(folder.path()).read(&Interrupt::new()).unwrap();
    assert!(snapshot.object(&digest).unwrap_err().to_string().contains("neither a file nor a folder"));
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_folder_of_the_store_is_refused() {
    let elsewhere = Folder::new().file("precious.txt", "x");
    let folder = Folder::new().link("staging", elsewhere.path());
    let refused = change(&Store::at(folder.path()), &["one"]).unwrap_err().to_string();
    assert!(refused.contains("staging` is damaged: it is no folder"), "{refused}");
    assert_eq!(names(elsewhere.path()), ["precious.txt"]);
}

#[test]
fn a_store_whose_lock_was_taken_away_gets_another() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    fs::remove_file(folder.at("lock")).unwrap();
    assert!(Store::at(folder.path()).read(&Interrupt::new()).is_ok());
    assert_eq!(told(folder.path()).1, ["one"]);
}

#[test]
fn an_interrupted_change_has_not_happened() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    let interrupt = Interrupt::new();
    let store = Store::at(folder.path());
    let session = store.change(&interrupt).unwrap();
    interrupt.flag().store(true, Ordering::Relaxed);
    assert!(matches!(session.commit(shelf(&["two"]), &interrupt), Err(StoreError::Interrupted)));
    assert_eq!(told(folder.path()), (1, vec!["one".to_owned()]));
}

#[test]
fn whoever_waits_for_a_store_can_stop_waiting() {
    let folder = Folder::new();
    change(&Store::at(folder.path()), &["one"]).unwrap();
    let store = Store::at(folder.path());
    let held = store.read(&Interrupt::new()).unwrap();
    // Readers do not wait for each other.
    drop(Store::at(folder.path()).read(&Interrupt::new()).unwrap());
    let interrupt = Interrupt::new();
    interrupt.flag().store(true, Ordering::Relaxed);
    let stopped = Store::at(folder.path());
    assert!(matches!(stopped.change(&interrupt), Err(StoreError::Interrupted)));
    drop(held);
    change(&store, &["two"]).unwrap();
}
