//! [`State`]: what is so in a store: a revision, and documents by name. Also how the store's own files are read: bounded,
//! strictly, and with a place for whatever is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use kitbag_core::digest::Sha256;
use kitbag_core::json::{self, Json, Object as Members, Pointer, Value, print};
use kitbag_core::limits;

use super::{Fault, StoreError};

/// Most bytes of a state. Contents are not in it.
const STATE_BYTES: u64 = 32 << 20;

/// The version of the store's own files.
pub(super) const VERSION: i64 = 1;

/// What is so in a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    revision: u64,
    documents: BTreeMap<String, Document>,
}

/// What one user of a store keeps in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The contents that it refers to; they stay as long as some document does.
    pub objects: BTreeSet<Sha256>,
    /// What it says.
    pub content: Json,
}

impl State {
    /// How often it was changed.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The document called `name`.
    #[must_use]
    pub fn document(&self, name: &str) -> Option<&Document> {
        self.documents.get(name)
    }

    /// Every object that a document refers to.
    pub(super) fn objects(&self) -> BTreeSet<Sha256> {
        self.documents.values().flat_map(|document| &document.objects).copied().collect()
    }

    /// The next state, with these documents in the place of those of their names.
    pub(super) fn with(&self, documents: BTreeMap<String, Document>) -> Self {
        let mut all = self.documents.clone();
        all.extend(documents);
        Self { revision: self.revision + 1, documents: all }
    }

    pub(super) fn text(&self, file: &Path) -> Result<String, StoreError> {
        let documents = self.documents.iter().map(|(name, document)| {
            let objects = print::texts(document.objects.iter().map(Sha256::to_string));
            let members = [("objects", objects), ("content", document.content.clone())];
            (name.as_str(), print::object(members))
        });
        let text = print::document(&print::object([
            ("version", print::value(Value::Integer(VERSION))),
            ("revision", number(self.revision)),
            ("documents", print::object(documents)),
        ]));
        if text.len() as u64 > STATE_BYTES {
            return Err(StoreError::TooLong { file: file.to_owned(), max: STATE_BYTES });
        }
        Ok(text)
    }

    pub(super) fn read(file: &Path) -> Result<Self, StoreError> {
        let Some(fields) = Fields::read(file, STATE_BYTES, &["revision", "documents"])? else {
            return Err(StoreError::damaged(file.to_owned(), "it is gone".to_owned()));
        };
        let revision = fields.number("revision")?;
        let at = Pointer::root().join("documents");
        let listed = fields.member("documents")?.as_object();
        let listed = listed.ok_or_else(|| fields.fault(&at, "it is no object"))?;
        let mut documents = BTreeMap::new();
        for member in listed {
            let at = at.join(&member.name);
            let content = member.value.get("content").cloned();
            let content = content.ok_or_else(|| fields.fault(&at.join("content"), "it is missing"))?;
            let objects = fields.digests(member.value.get("objects"), &at.join("objects"))?;
            documents.insert(member.name.clone(), Document { objects, content });
        }
        Ok(Self { revision, documents })
    }
}

/// A count, as a document has it.
pub(super) fn number(number: u64) -> Json {
    print::value(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// The members of one of the store's own files.
pub(super) struct Fields<'f> {
    file: &'f Path,
    members: Members,
}

impl<'f> Fields<'f> {
    /// Reads a file of this version that has these members beside its version, and no others; `None` where there is none.
    pub(super) fn read(file: &'f Path, max: u64, names: &[&str]) -> Result<Option<Self>, StoreError> {
        let damaged = |because: String| StoreError::damaged(file.to_owned(), because);
        let failed = |error| StoreError::io("read", file, error);
        let found = match fs::symlink_metadata(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(failed)?,
        };
        if !found.is_file() {
            return Err(damaged("it is no regular file".to_owned()));
        }
        let mut opened = File::open(file).map_err(failed)?;
        let bytes = match limits::read_bounded(&mut opened, found.len(), max) {
            Ok(bytes) => bytes,
            Err(limits::ReadError::Io(error)) => return Err(failed(error)),
            Err(exceeded) => return Err(damaged(exceeded.to_string())),
        };
        let json = json::read(&bytes).map_err(|error| damaged(error.to_string()))?;
        let Value::Object(members) = json.value else {
            return Err(damaged("it is no JSON object".to_owned()));
        };
        let fields = Self { file, members };
        match fields.member("version")?.value {
            Value::Integer(VERSION) => {}
            Value::Integer(version) if version > VERSION => {
                return Err(StoreError::Newer { file: file.to_owned(), version });
            }
            _ => return Err(fields.fault(&Pointer::root().join("version"), "it is no version")),
        }
        let known = |name: &str| name == "version" || names.contains(&name);
        if let Some(other) = fields.members.iter().find(|member| !known(&member.name)) {
            return Err(fields.fault(&Pointer::root().join(&other.name), "no store has this"));
        }
        Ok(Some(fields))
    }

    pub(super) fn member(&self, name: &str) -> Result<&Json, StoreError> {
        let missing = || self.fault(&Pointer::root().join(name), "it is missing");
        self.members.get(name).ok_or_else(missing)
    }

    pub(super) fn number(&self, name: &str) -> Result<u64, StoreError> {
        let wrong = || self.fault(&Pointer::root().join(name), "it is no count");
        match self.member(name)?.value {
            // One more must still be a number that every reader of JSON keeps.
            Value::Integer(number) if number < (1 << 53) - 1 => u64::try_from(number).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }

    pub(super) fn digests(&self, list: Option<&Json>, at: &Pointer) -> Result<BTreeSet<Sha256>, StoreError> {
        let items =
            list.and_then(Json::as_array).ok_or_else(|| self.fault(at, "it is missing or no list"))?;
        let digest = |(index, item): (usize, &Json)| {
            let wrong = || self.fault(&at.join(index), "it is no digest");
            item.as_str().and_then(Sha256::from_hex).ok_or_else(wrong)
        };
        items.iter().enumerate().map(digest).collect()
    }

    pub(super) fn fault(&self, at: &Pointer, because: &str) -> StoreError {
        let fault = Fault { pointer: at.as_str().to_owned(), because: because.to_owned() };
        StoreError::Damaged { file: self.file.to_owned(), fault }
    }
}
