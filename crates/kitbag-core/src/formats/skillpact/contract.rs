//! [`Contract`]: one contract file, as far as it could be read.

use crate::finding::SpecVersion;
use crate::json::{self, Json, Problem, SyntaxError};
use crate::limits::Limits;
use crate::path::{PackagePath, child_of};
use crate::tree::{Node, Tree};

use super::FILE;
use super::document::Document;
use super::lookup::{self, Found};
use super::version::{self, Status};

/// A contract, as far as it could be read.
#[derive(Debug)]
pub struct Contract {
    pub(super) file: PackagePath,
    pub(super) home: Home,
    pub(super) state: State,
}

/// Where a contract lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Next to its SKILL.md, as §3 wants it.
    Beside,
    /// Somewhere else; then the folder's name says nothing (§3).
    Elsewhere,
}

/// How far a contract could be read.
#[derive(Debug)]
pub(super) enum State {
    /// There is none.
    Missing {
        /// What is there instead, in words.
        instead: Option<String>,
    },
    /// Its bytes could not be had.
    Unreadable {
        /// Why.
        because: String,
    },
    /// It is not I-JSON.
    NotJson(SyntaxError),
    /// Its version is not known.
    UnknownVersion(Json),
    /// Its version is known.
    Read(Box<Read>),
}

/// A contract whose version is known.
#[derive(Debug)]
pub(super) struct Read {
    /// The whole document.
    pub json: Json,
    /// The version it follows, or is read as.
    pub version: SpecVersion,
    /// Whether the version it names is a newer one than it is read as.
    pub newer: bool,
    /// The document as types, or what keeps it from being one.
    pub document: Result<Document, Vec<Problem>>,
}

impl Contract {
    /// The contract at the root of `tree`, if something has its name.
    #[must_use]
    pub fn beside(tree: &Tree) -> Option<Self> {
        let file = contract_path(FILE);
        let state = match tree.get(FILE)? {
            Node::Folder => return None,
            Node::Unreadable { because } => State::Unreadable { because: because.clone() },
            Node::Special(kind) => {
                State::Missing { instead: Some(format!("a {kind}, which is never opened")) }
            }
            Node::File(_) | Node::Link { .. } => match lookup::find(tree, FILE) {
                Found::File(blob) => match blob.read(Limits::LOOSEST.document_bytes) {
                    Ok(bytes) => State::of(&bytes),
                    Err(error) => State::Unreadable { because: error.to_string() },
                },
                Found::Other(_) | Found::Folder | Found::Nothing => {
                    State::Missing { instead: Some("a symbolic link that leads to no file".to_owned()) }
                }
                Found::Outside => {
                    State::Missing { instead: Some("a symbolic link that leads out of the skill".to_owned()) }
                }
            },
        };
        Some(Self { file, home: Home::Beside, state })
    }

    /// The state of a skill folder without a contract.
    #[must_use]
    pub fn missing() -> Self {
        Self { file: contract_path(FILE), home: Home::Beside, state: State::Missing { instead: None } }
    }

    /// A contract that is kept somewhere else than next to its skill: under `name`, with the bytes found there, `None`
    /// for nothing, or the reason why they could not be had.
    #[must_use]
    pub fn elsewhere(name: &str, bytes: Result<Option<&[u8]>, String>) -> Self {
        let state = match bytes {
            Ok(Some(bytes)) => State::of(bytes),
            Ok(None) => State::Missing { instead: None },
            Err(because) => State::Unreadable { because },
        };
        Self { file: contract_path(name), home: Home::Elsewhere, state }
    }

    /// The file, as findings name it.
    #[must_use]
    pub const fn file(&self) -> &PackagePath {
        &self.file
    }

    /// The document, if the contract conforms to the schema.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.state {
            State::Read(read) => read.document.as_ref().ok(),
            _ => None,
        }
    }

    /// The version of the specification it follows, if it is known.
    #[must_use]
    pub fn version(&self) -> Option<SpecVersion> {
        match &self.state {
            State::Read(read) => Some(read.version),
            _ => None,
        }
    }

    /// The JSON, as far as it could be read.
    #[must_use]
    pub fn json(&self) -> Option<&Json> {
        match &self.state {
            State::Read(read) => Some(&read.json),
            State::UnknownVersion(json) => Some(json),
            _ => None,
        }
    }
}

/// A name as a path; a name that is no path is called what every contract is called.
fn contract_path(name: &str) -> PackagePath {
    child_of(None, name)
        .or_else(|_| child_of(None, FILE))
        .expect("the name of every contract is a path of one segment")
}

impl State {
    fn of(bytes: &[u8]) -> Self {
        let json = match json::read(bytes) {
            Ok(json) => json,
            Err(error) => return Self::NotJson(error),
        };
        let named = json.get("contract_version").and_then(Json::as_str);
        let (version, newer) = match named.map(|text| version::status(text, version::KNOWN)) {
            Some(Status::Known(version)) => (version, false),
            Some(Status::NewerMinor) => (version::NEWEST, true),
            Some(Status::Unsupported) | None => return Self::UnknownVersion(json),
        };
        let document = super::decode(&json);
        Self::Read(Box::new(Read { json, version, newer, document }))
    }
}
