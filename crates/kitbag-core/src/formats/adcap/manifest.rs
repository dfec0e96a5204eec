//! [`Capability`]: one capability.json, as far as it could be read.

use crate::finding::SpecVersion;
use crate::json::{self, Json, Problem, SyntaxError};
use crate::limits::Limits;
use crate::path::{PackagePath, child_of};
use crate::tree::{Node, Tree};

use super::FILE;
use super::document::Document;

/// The version of the specification this program knows.
pub const KNOWN: SpecVersion = SpecVersion { major: 1, minor: 0 };

/// A manifest, as far as it could be read.
#[derive(Debug)]
pub struct Capability {
    pub(super) file: PackagePath,
    pub(super) state: State,
}

/// How far a manifest could be read.
#[derive(Debug)]
pub(super) enum State {
    /// Its bytes could not be had.
    Unreadable {
        /// Why.
        because: String,
    },
    /// It is not JSON as this project reads it.
    NotJson(SyntaxError),
    /// Its version is not known, or it names none.
    UnknownVersion(Json),
    /// Its version is known.
    Read(Box<Read>),
}

/// A manifest whose version is known.
#[derive(Debug)]
pub(super) struct Read {
    /// The whole document.
    pub json: Json,
    /// Whether the minor version it names is newer than the one it is read as.
    pub newer: bool,
    /// The document as types, or what keeps it from being one.
    pub document: Result<Document, Vec<Problem>>,
}

impl Capability {
    /// The manifest at the root of `tree`. A file called capability.json that is JSON and says neither `adcap` nor `id`
    /// belongs to another program, and so does what is no file at all.
    #[must_use]
    pub fn at_root(tree: &Tree) -> Option<Self> {
        let state = match tree.get(FILE)? {
            Node::File(blob) => match blob.read(Limits::LOOSEST.document_bytes) {
                Ok(bytes) => State::of(&bytes),
                Err(error) => State::Unreadable { because: error.to_string() },
            },
            Node::Folder => return None,
            Node::Link { target } => {
                State::Unreadable { because: format!("it is a symbolic link to `{}`", json::excerpt(target)) }
            }
            Node::Special(kind) => State::Unreadable { because: format!("it is a {kind}") },
            Node::Unreadable { because } => State::Unreadable { because: because.clone() },
        };
        let is_foreign = match &state {
            State::UnknownVersion(json) => json.get("adcap").is_none() && json.get("id").is_none(),
            _ => false,
        };
        (!is_foreign).then(|| Self { file: file(), state })
    }

    /// The document, if the manifest conforms to the schema.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.state {
            State::Read(read) => read.document.as_ref().ok(),
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

/// The manifest's path.
pub(super) fn file() -> PackagePath {
    child_of(None, FILE).expect("`capability.json` is a path of one segment")
}

impl State {
    fn of(bytes: &[u8]) -> Self {
        let json = match json::read(bytes) {
            Ok(json) => json,
            Err(error) => return Self::NotJson(error),
        };
        match json.get("adcap").and_then(Json::as_str).map(version) {
            Some(Some(version)) if version.major == KNOWN.major => {
                let document = super::decode::decode(&json);
                Self::Read(Box::new(Read { newer: version.minor > KNOWN.minor, json, document }))
            }
            _ => Self::UnknownVersion(json),
        }
    }
}

/// `major.minor` (§14), each a number without leading zeros.
pub(super) fn version(text: &str) -> Option<SpecVersion> {
    let number = |part: &str| {
        let is_plain = !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'));
        is_plain.then(|| part.parse().ok()).flatten()
    };
    let (major, minor) = text.split_once('.')?;
    Some(SpecVersion { major: number(major)?, minor: number(minor)? })
}
