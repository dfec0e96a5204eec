//! A store: a folder in which things are kept, so that it holds the old or the new state at every moment and never one in
//! between, whoever else uses it and wherever a program is killed.
//!
//! ```text
//! lock          held by whoever reads (together) or changes (alone)
//! state.json    what is so: a revision, and documents by name, each with the objects it refers to
//! change.json   the change under way, while there is one: the objects that come and those that may go
//! objects/      contents, each a folder called by the digest of all that is in it
//! staging/      what has no name yet
//! ```
//!
//! A change is prepared in `staging`, said in `change.json`, published in `objects`, and happens in one instant: when the new
//! `state.json` takes the place of the old one. Everything before that instant can be taken back and everything after it
//! finished without knowing what it was for, which whoever opens the store next does first. The store knows no format: what
//! its documents say is its users' business.

mod disk;
mod error;
mod journal;
mod lock;
mod object;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;
use kitbag_core::json::Pointer;
use kitbag_core::tree::Tree;

use crate::draft::exists;
use crate::interrupt::Interrupt;

use disk::Disk;
pub use disk::{Operation, Watch};
pub use error::{Fault, StoreError};
use journal::Journal;
use lock::{Lock, Mode};
pub use object::Object;
pub use state::{Document, State};

const LOCK: &str = "lock";
const STATE: &str = "state.json";
const CHANGE: &str = "change.json";
const OBJECTS: &str = "objects";
const STAGING: &str = "staging";

/// A store in a folder. Nothing is opened or made until it is read or changed.
pub struct Store {
    folder: PathBuf,
    disk: Disk,
}

/// What is to become of a store, in one instant.
#[derive(Debug, Default)]
pub struct Change {
    /// Contents that the documents refer to and that may not be there yet.
    pub objects: Vec<Object>,
    /// The documents that change, by name. The others stay as they are.
    pub documents: BTreeMap<String, Document>,
}

impl Store {
    /// The store in `folder`.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), disk: Disk::default() }
    }

    /// The same, with somebody who is told of each step before it is taken and may stop it: for tests of what remains.
    #[must_use]
    pub fn watched(self, watch: Watch) -> Self {
        Self { disk: Disk::watched(watch), ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Tells whoever watches of a step outside of the store that belongs to a change of it.
    pub(crate) fn step(&self, operation: &Operation<'_>) -> io::Result<()> {
        self.disk.step(operation)
    }

    /// What is so now. Nobody changes it while the answer is held.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no store; whatever keeps it from being read.
    pub fn read(&self, interrupt: &Interrupt) -> Result<Snapshot, StoreError> {
        if !self.has_state()? {
            return Err(self.without_state()?);
        }
        let lock = Lock::take(&self.folder, Mode::Read, interrupt)?;
        self.snapshot(lock)
    }

    /// Takes the store for a change, makes it where there is none, and first finishes or takes back what a program that was
    /// killed has left. Nobody else reads or changes it while the answer is held.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] where the folder holds something else; whatever keeps it from being read or written.
    pub fn change(&self, interrupt: &Interrupt) -> Result<Session<'_>, StoreError> {
        self.make()?;
        let lock = Lock::take(&self.folder, Mode::Change, interrupt)?;
        for name in [OBJECTS, STAGING] {
            let folder = self.folder.join(name);
            if !self.is_folder(&folder)? {
                self.disk.make_folder(&folder)?;
                self.disk.sync_folder(&self.folder)?;
            }
        }
        let snapshot = self.snapshot(lock)?;
        self.recover(&snapshot.state)?;
        if snapshot.state.revision() == 0
            && let Some(lost) = self.lost(&self.folder.join(OBJECTS))?
        {
            return Err(lost);
        }
        Ok(Session { snapshot, store: self })
    }

    /// Why there is nothing to read: no store is there, or it has lost its state. While a change is under way, the first state
    /// may still be to come.
    fn without_state(&self) -> Result<StoreError, StoreError> {
        let missing = StoreError::Missing { folder: self.folder.clone() };
        let objects = self.folder.join(OBJECTS);
        let is_there = |path: &Path| exists(path).map_err(|error| StoreError::io("look at", path, error));
        if is_there(&self.folder.join(CHANGE))? || !is_there(&objects)? || !self.is_folder(&objects)? {
            return Ok(missing);
        }
        Ok(self.lost(&objects)?.unwrap_or(missing))
    }

    /// The error that contents are there and no state is.
    fn lost(&self, objects: &Path) -> Result<Option<StoreError>, StoreError> {
        let found = self.entries(objects)?.into_iter().next();
        Ok(found.map(|found| {
            let because = format!("it is gone, and contents such as `{}` are there", found.display());
            StoreError::damaged(self.folder.join(STATE), because)
        }))
    }

    fn snapshot(&self, lock: Lock) -> Result<Snapshot, StoreError> {
        let state = match self.has_state()? {
            true => State::read(&self.folder.join(STATE))?,
            false => State::default(),
        };
        Ok(Snapshot { state, folder: self.folder.clone(), _lock: lock })
    }

    /// The folder, if it may become a store or is one.
    fn make(&self) -> Result<(), StoreError> {
        if !exists(&self.folder).map_err(|error| StoreError::io("look at", &self.folder, error))? {
            self.disk.make_folders(&self.folder)?;
        }
        // A link to a folder is what whoever named it meant; what it holds decides.
        let known = [LOCK, OBJECTS, STAGING, CHANGE].map(Path::new);
        if self.has_state()? {
            return Ok(());
        }
        match self.entries(&self.folder)?.into_iter().find(|name| !known.contains(&name.as_path())) {
            // It may have become a store since.
            Some(_) if self.has_state()? => Ok(()),
            Some(found) => Err(StoreError::Foreign { folder: self.folder.clone(), found }),
            None => Ok(()),
        }
    }

    fn has_state(&self) -> Result<bool, StoreError> {
        let state = self.folder.join(STATE);
        exists(&state).map_err(|error| StoreError::io("look at", &state, error))
    }

    /// Whether there is a folder, and no link to one.
    fn is_folder(&self, path: &Path) -> Result<bool, StoreError> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => Ok(true),
            Ok(_) => Err(StoreError::damaged(path.to_owned(), "it is no folder".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("look at", path, error)),
        }
    }

    /// The names in a folder.
    fn entries(&self, folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let failed = |error| StoreError::io("list", folder, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            names.push(PathBuf::from(entry.map_err(failed)?.file_name()));
        }
        names.sort();
        Ok(names)
    }

    /// Finishes a change that has happened, or takes back one that has not: either way, what the change names and the state
    /// does not refer to goes, and so does everything without a name.
    fn recover(&self, state: &State) -> Result<(), StoreError> {
        let file = self.folder.join(CHANGE);
        let journal = Journal::read(&file)?;
        if let Some(journal) = journal {
            journal.belongs_to(state, &file)?;
            self.drop_objects(journal.objects(), state)?;
            self.disk.remove_file(&file)?;
            self.disk.sync_folder(&self.folder)?;
        }
        let staging = self.folder.join(STAGING);
        for name in self.entries(&staging)? {
            self.disk.remove(&staging.join(name))?;
        }
        Ok(())
    }

    /// Takes away those of `objects` that `state` does not refer to. Each leaves its name first, so that no object is ever
    /// half there.
    fn drop_objects<'o>(
        &self,
        objects: impl IntoIterator<Item = &'o Sha256>,
        state: &State,
    ) -> Result<(), StoreError> {
        let kept = state.objects();
        let mut gone = Vec::new();
        for digest in objects.into_iter().filter(|digest| !kept.contains(digest)) {
            let from = self.folder.join(OBJECTS).join(digest.to_string());
            if self.is_folder(&from)? {
                let to = self.folder.join(STAGING).join(format!("gone-{digest}"));
                self.disk.rename(&from, &to)?;
                gone.push(to);
            }
        }
        if !gone.is_empty() {
            self.disk.sync_folder(&self.folder.join(OBJECTS))?;
        }
        gone.iter().try_for_each(|path| self.disk.remove(path))
    }
}

/// What is so in a store. It stays so while this is held.
#[derive(Debug)]
pub struct Snapshot {
    state: State,
    folder: PathBuf,
    _lock: Lock,
}

impl Snapshot {
    /// The state.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Where the content of an object is.
    #[must_use]
    pub fn place(&self, digest: &Sha256) -> PathBuf {
        self.folder.join(OBJECTS).join(digest.to_string())
    }

    /// The content of an object, which is what its name says.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when it is gone or is something else by now.
    pub fn object(&self, digest: &Sha256) -> Result<Tree, StoreError> {
        object::read(&self.place(digest), digest)
    }

    /// The error that says what is wrong at `pointer` in what the document `name` says.
    pub(crate) fn fault(&self, name: &str, pointer: &Pointer, because: String) -> StoreError {
        let pointer = format!("{}{pointer}", Pointer::root().join("documents").join(name).join("content"));
        StoreError::Damaged { file: self.folder.join(STATE), fault: Fault { pointer, because } }
    }
}

/// A store that is taken for a change.
pub struct Session<'s> {
    snapshot: Snapshot,
    store: &'s Store,
}

impl Session<'_> {
    /// What is so before the change.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Makes the change. When this fails, the state is the old one, or the new one with something left to tidy up, which
    /// whoever opens the store next does.
    ///
    /// # Errors
    /// When a document refers to an object that is not there, or the disk refuses.
    pub fn commit(self, change: Change, interrupt: &Interrupt) -> Result<State, StoreError> {
        let Change { objects, documents } = change;
        let Self { snapshot, store } = self;
        let (old, disk) = (&snapshot.state, &store.disk);
        let new = old.with(documents);
        let (before, after) = (old.objects(), new.objects());
        let brought: BTreeMap<Sha256, &Object> =
            objects.iter().map(|object| (object.digest(), object)).collect();
        for digest in &after {
            if !before.contains(digest) && !brought.contains_key(digest) {
                return Err(StoreError::Unknown { digest: *digest });
            }
        }
        // What is there already stays as it is, unless it is no longer what its name says.
        let wanted = brought.into_iter().filter(|(digest, _)| after.contains(digest));
        let adds: BTreeMap<Sha256, &Object> = wanted
            .filter(|(digest, _)| !before.contains(digest) || snapshot.object(digest).is_err())
            .collect();
        let drops: BTreeSet<Sha256> = before.difference(&after).copied().collect();
        let text = new.text(&store.folder.join(STATE))?;

        let staging = store.folder.join(STAGING);
        for (digest, object) in &adds {
            object.write(disk, &staging.join(digest.to_string()), interrupt)?;
        }
        interrupt.check().map_err(|_| StoreError::Interrupted)?;
        let journal = Journal::new(old.revision(), new.revision(), adds.keys().copied(), drops);
        store.put(CHANGE, &journal.text())?;
        let shelf = store.folder.join(OBJECTS);
        for digest in adds.keys() {
            let (name, to) = (digest.to_string(), snapshot.place(digest));
            if store.is_folder(&to)? {
                disk.rename(&to, &staging.join(format!("gone-{name}")))?;
            }
            disk.rename(&staging.join(name), &to)?;
        }
        if !adds.is_empty() {
            disk.sync_folder(&shelf)?;
        }
        store.put(STATE, &text)?;
        // The change has happened. What is left is tidying up, which whoever opens the store next does where it fails here.
        let _later = store.recover(&new);
        Ok(new)
    }
}

impl Store {
    /// Puts a document in the place of the one of that name.
    fn put(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let draft = self.folder.join(STAGING).join(name);
        self.disk.write(&draft, text.as_bytes())?;
        self.disk.rename(&draft, &self.folder.join(name))?;
        self.disk.sync_folder(&self.folder)
    }
}
