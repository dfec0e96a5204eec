//! `kill -9` at every step of an installation, an overwrite, a deletion and an export, and many processes at once: the store
//! holds the old or the new state, and the same command once more finishes the job. The test starts itself as a child, which
//! ends itself by the signal before a step.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the files of a store, and talk to themselves as a child"
)]
#![expect(clippy::disallowed_types, reason = "a process that is killed has to be started")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use kitbag::interrupt::Interrupt;
use kitbag::pack::{Destination, Existing};
use kitbag::specialist::{
    self, DeletionRequest, ExportOutcome, ExportRequest, InstallRequest, Installation, Look, Seen, Token,
    WiderPermissions,
};
use kitbag::store::Store;
use kitbag_core::formats::openscience::specialist::export::Selection;
use kitbag_core::formats::openscience::specialist::install::{Choice, Decisions, Overwriting, Refusal};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

const NOW: u64 = 1_000_000;
/// What the child is told to do: a JSON object.
const TASK: &str = "KITBAG_TEST_TASK";

fn write_package(folder: &Path, id: &str, version: &str, skills: &[(&str, &str)]) {
    let manifest = json!({
        "schema_version": 1, "id": id, "version": version, "exported_with_app_version": "0.26.0",
    });
    let names: Vec<&str> = skills.iter().map(|(name, _)| *name).collect();
    let payload = json!({
        "name": id, "description": "Works.", "system_prompt": "test only: work.",
        "skill_ids": names, "connector_ids": [],
    });
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("specialist.json"), payload.to_string()).unwrap();
    for (name, text) in skills {
        let skill = folder.join("skills").join(name);
        fs::create_dir_all(skill.join("references")).unwrap();
        let document =
            format!("---\nname: \"{name}\"\ndescription: \"x\"\nversion: \"0.1.0\"\n---\n\n{text}\n");
        fs::write(skill.join("SKILL.md"), document).unwrap();
        fs::write(skill.join("references/more.md"), *text).unwrap();
    }
}

/// Installs the package, with whatever has to be decided decided for the incoming one. What changes in between is looked at
/// again.
fn install(store: &Store, package: &Path, token: Option<&str>) -> Result<(), Refusal> {
    let interrupt = Interrupt::new();
    loop {
        let look = Look { package: package.to_owned(), store: store.folder().to_owned(), now: NOW };
        let answer = specialist::look(&look, &interrupt).unwrap();
        let conflicts = answer.preview.skills.iter().filter(|skill| skill.disposition.word() == "conflict");
        let choices = conflicts.map(|skill| (skill.skill.id.clone(), Choice::UseIncoming)).collect();
        let seen = match token {
            Some(text) => Seen::Token(Token { text: text.to_owned(), asker: "test".to_owned() }),
            None => Seen::Candidate(answer.candidate.unwrap()),
        };
        let request = InstallRequest {
            package: package.to_owned(),
            seen,
            decisions: Decisions { overwriting: Overwriting::Confirmed, choices },
            wider: WiderPermissions::Accepted,
            now: NOW,
        };
        match specialist::install(&request, store, &interrupt).unwrap() {
            Installation::Installed(_) => return Ok(()),
            Installation::Refused(Refusal::Stale { .. } | Refusal::RevisionConflict, _)
                if token.is_none() => {}
            Installation::Refused(refusal, _) => return Err(refusal),
            other => panic!("{other:?}"),
        }
    }
}

/// Deletes the Specialist with every Skill that may go; that it is gone already is what was wanted.
fn delete(store: &Store, id: &str) {
    let interrupt = Interrupt::new();
    loop {
        let Ok(seen) = specialist::preview_deletion(store, id, &interrupt).unwrap() else { return };
        let free = seen.skills.iter().filter(|skill| skill.is_deletable());
        let skills = free.map(|skill| skill.local_id.clone()).collect();
        let deletion = specialist::delete(&DeletionRequest { seen, skills }, store, &interrupt).unwrap();
        if matches!(deletion, specialist::Deletion::Deleted(_)) {
            return;
        }
    }
}

fn export(store: &Store, id: &str, to: &Path) {
    let request = ExportRequest {
        id: id.to_owned(),
        revision: Some(1),
        selection: Selection::default(),
        to: Destination::File(to.to_owned()),
        existing: Existing::Replace,
    };
    let outcome = specialist::export(&request, store, &Interrupt::new()).unwrap();
    assert!(matches!(outcome, ExportOutcome::Exported(_)), "{outcome:?}");
}

/// A command of the child: what to do in the store below `folder`, and before which step to die.
#[derive(Clone)]
struct Task<'t> {
    verb: &'t str,
    folder: PathBuf,
    what: &'t str,
    token: Option<String>,
    dies_at: usize,
}

impl Task<'_> {
    fn text(&self) -> String {
        json!({
            "verb": self.verb, "folder": self.folder, "what": self.what, "token": self.token,
            "dies_at": self.dies_at,
        })
        .to_string()
    }

    fn start(&self) -> Child {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "a_child_does_as_it_is_told", "--nocapture"]).env(TASK, self.text());
        child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

fn do_task(store: &Store, folder: &Path, verb: &str, what: &str, token: Option<&str>) -> Result<(), Refusal> {
    match verb {
        "install" => return install(store, &folder.join(what), token),
        "delete" => delete(store, what),
        "export" => export(store, what, &folder.join("out.zip")),
        // Installs its own packages and deletes every second one again.
        "busy" => {
            for round in 0..4 {
                let id = format!("{what}-{round}");
                install(store, &folder.join(&id), None)?;
                if round % 2 == 1 {
                    delete(store, &id);
                }
            }
        }
        other => panic!("{other}"),
    }
    Ok(())
}

/// Run as a test of its own, it does nothing: only a child is told something.
#[test]
fn a_child_does_as_it_is_told() {
    let Ok(task) = std::env::var(TASK) else { return };
    let task: Value = serde_json::from_str(&task).unwrap();
    let text = |name: &str| task[name].as_str().unwrap();
    let folder = PathBuf::from(text("folder"));
    let dies_at = usize::try_from(task["dies_at"].as_u64().unwrap()).unwrap();
    let steps = AtomicUsize::new(0);
    let store = Store::at(folder.join("store")).watched(Box::new(move |_| {
        if steps.fetch_add(1, Ordering::Relaxed) == dies_at {
            let me = rustix::process::getpid();
            rustix::process::kill_process(me, rustix::process::Signal::KILL)?;
        }
        Ok(())
    }));
    do_task(&store, &folder, text("verb"), text("what"), task["token"].as_str()).unwrap();
}

/// Whether a child was killed by itself; anything else but an orderly end is an error.
fn was_killed(child: Child) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let output = child.wait_with_output().unwrap();
    let status: ExitStatus = output.status;
    assert!(
        status.success() || status.signal() == Some(9),
        "{status}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    status.signal() == Some(9)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() { copy(&from, &to) } else { fs::copy(&from, &to).map(|_| ()).unwrap() }
    }
}

/// What is installed, once every content that it refers to was found to be whole. Read as anybody reads it: nothing is tidied
/// up first.
fn installed(folder: &Path) -> Value {
    let store = Store::at(folder.join("store"));
    let Ok(snapshot) = store.read(&Interrupt::new()) else { return Value::Null };
    if let Some(document) = snapshot.state().document("specialists") {
        for digest in &document.objects {
            snapshot.object(digest).unwrap();
        }
    }
    drop(snapshot);
    let text = fs::read(folder.join("store/state.json")).unwrap();
    let state: Value = serde_json::from_slice(&text).unwrap();
    state["documents"]["specialists"]["content"].clone()
}

/// Nothing but what is referred to is in the store.
fn is_tidy(folder: &Path) {
    let store = Store::at(folder.join("store"));
    let names = |below: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(folder.join("store").join(below)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let snapshot = store.read(&Interrupt::new()).unwrap();
    let document = snapshot.state().document("specialists");
    let wanted: BTreeSet<String> = document
        .map(|document| document.objects.iter().map(ToString::to_string).collect())
        .unwrap_or_default();
    assert_eq!(names("objects"), wanted);
    assert_eq!(names("staging"), BTreeSet::new());
    let known: BTreeSet<String> = ["lock", "objects", "staging", "state.json"].map(str::to_owned).into();
    assert_eq!(names(""), known);
}

/// Kills a command before each of its steps, in a copy of `seed` each time. Gives how often the old and how often the new
/// state was found.
fn killed_everywhere(seed: &Folder, verb: &str, what: &str, token: Option<&str>) -> (usize, usize) {
    let old = installed(seed.path());
    let whole = Folder::new();
    copy(seed.path(), whole.path());
    do_task(&Store::at(whole.at("store")), whole.path(), verb, what, token).unwrap();
    let new = installed(whole.path());
    let (mut found_old, mut found_new) = (0, 0);
    for step in 0.. {
        let folder = Folder::new();
        copy(seed.path(), folder.path());
        let task = Task {
            verb,
            folder: folder.path().to_owned(),
            what,
            token: token.map(str::to_owned),
            dies_at: step,
        };
        if !was_killed(task.start()) {
            break;
        }
        let found = installed(folder.path());
        if found == new && new != old {
            found_new += 1;
        } else {
            assert_eq!(found, old, "{verb}, step {step}");
            found_old += 1;
        }
        if verb == "export" {
            export_is_old_or_new(folder.path(), &whole.at("out.zip"));
        }
        let again = do_task(&Store::at(folder.at("store")), folder.path(), verb, what, token);
        // A token is used up by what it was for.
        let used_up = token.is_some() && found == new;
        assert_eq!(again.is_err(), used_up, "{verb}, step {step}: {again:?}");
        let (mut once_more, mut wanted) = (installed(folder.path()), new.clone());
        if verb == "install" && !used_up && found == new {
            // Installed twice, it is another revision.
            for json in [&mut once_more, &mut wanted] {
                json["specialists"][what]["revision"] = Value::Null;
            }
        }
        assert_eq!(once_more, wanted, "{verb}, step {step}");
        if verb == "export" {
            assert_eq!(fs::read(folder.at("out.zip")).unwrap(), fs::read(whole.at("out.zip")).unwrap());
        }
        drop(Store::at(folder.at("store")).change(&Interrupt::new()).unwrap());
        is_tidy(folder.path());
    }
    (found_old, found_new)
}

/// The file is not there, or is what it was, or is all of what it becomes; and nothing beside it looks like a package.
fn export_is_old_or_new(folder: &Path, new: &Path) {
    let found = fs::read(folder.join("out.zip")).unwrap();
    assert!(found == b"old" || found == fs::read(new).unwrap());
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.starts_with(".kitbag-") || !name.ends_with(".zip") || name == "out.zip", "{name}");
    }
}

/// A folder in which `reader` is installed, and packages of other versions of it and of another one lie beside the store.
fn seed() -> Folder {
    let folder = Folder::new().file("out.zip", "old");
    write_package(&folder.at("reader"), "reader", "1.0.0", &[("tools", "Use."), ("pens", "Write.")]);
    let store = Store::at(folder.at("store"));
    install(&store, &folder.at("reader"), None).unwrap();
    write_package(&folder.at("reader"), "reader", "2.0.0", &[("tools", "Use more."), ("ink", "Ink.")]);
    write_package(&folder.at("writer"), "writer", "1.0.0", &[("paper", "Paper."), ("tools", "Use.")]);
    folder
}

#[test]
fn an_installation_that_is_killed_has_happened_or_not() {
    let (old, new) = killed_everywhere(&seed(), "install", "writer", None);
    assert!(old > 15 && new > 1, "{old} {new}");
}

#[test]
fn the_first_installation_that_is_killed_leaves_a_store_that_can_be_used() {
    let folder = Folder::new();
    write_package(&folder.at("writer"), "writer", "1.0.0", &[("paper", "Paper.")]);
    let (old, new) = killed_everywhere(&folder, "install", "writer", None);
    assert!(old > 15 && new > 1, "{old} {new}");
}

#[test]
fn an_overwrite_that_is_killed_has_happened_or_not() {
    let (old, new) = killed_everywhere(&seed(), "install", "reader", None);
    assert!(old > 15 && new > 5, "{old} {new}");
}

#[test]
fn a_token_is_used_up_in_the_instant_in_which_its_package_is_installed() {
    let seed = seed();
    let look = Look { package: seed.at("writer"), store: seed.at("store"), now: NOW };
    let store = Store::at(seed.at("store"));
    let (_, token) = specialist::remember(&look, "test", &store, &Interrupt::new()).unwrap();
    // The content of a folder is what it was, wherever the folder is.
    let (old, new) = killed_everywhere(&seed, "install", "writer", Some(&token.unwrap().text));
    assert!(old > 15 && new > 1, "{old} {new}");
}

#[test]
fn a_deletion_that_is_killed_has_happened_or_not() {
    let (old, new) = killed_everywhere(&seed(), "delete", "reader", None);
    assert!(old > 3 && new > 5, "{old} {new}");
}

#[test]
fn an_export_that_is_killed_has_happened_or_not() {
    let (steps, _) = killed_everywhere(&seed(), "export", "reader", None);
    assert_eq!(steps, 4);
}

#[test]
fn many_processes_at_once_lose_nothing_and_a_killed_one_spoils_nothing() {
    let folder = Folder::new();
    let processes = ["a", "b", "c", "d", "e", "f"];
    for process in processes {
        for round in 0..4 {
            let id = format!("{process}-{round}");
            // They all bring the same Skill along, and each one of its own.
            write_package(&folder.at(&id), &id, "1.0.0", &[("tools", "Use."), (&id, "Own.")]);
        }
    }
    // Half of them are killed on the way.
    let started: Vec<(usize, Child)> = processes
        .iter()
        .enumerate()
        .map(|(at, what)| {
            let dies_at = if at < 3 { usize::MAX >> 12 } else { at * 17 };
            let folder = folder.path().to_owned();
            (at, Task { verb: "busy", folder, what, token: None, dies_at }.start())
        })
        .collect();
    for (at, child) in started {
        assert_eq!(was_killed(child), at >= 3, "{at}");
    }
    let found = installed(folder.path());
    let ids: BTreeSet<&str> = found["specialists"].as_object().unwrap().keys().map(String::as_str).collect();
    for process in &processes[..3] {
        for (round, stays) in [(0, true), (1, false), (2, true), (3, false)] {
            assert_eq!(ids.contains(format!("{process}-{round}").as_str()), stays, "{process}-{round}");
        }
    }
    let tools = &found["skills"]["personal-tools"];
    let owners: BTreeSet<&str> =
        tools["owners"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(owners, ids, "everybody who is installed owns the Skill, and nobody else");
    for process in processes {
        do_task(&Store::at(folder.at("store")), folder.path(), "busy", process, None).unwrap();
    }
    let found = installed(folder.path());
    assert_eq!(found["specialists"].as_object().unwrap().len(), 12);
    assert_eq!(found["skills"].as_object().unwrap().len(), 13);
    is_tidy(folder.path());
}
