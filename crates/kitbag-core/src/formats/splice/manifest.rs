//! [`Manifest`]: one manifest, as far as it could be read, and where it lies.

use crate::formats::recognise;
use crate::json::{self, Json, SyntaxError};
use crate::limits::Limits;
use crate::path::{PackagePath, child_of};
use crate::tree::{Node, Tree};

use super::decode::{Fault, decode};
use super::document::Document;
use super::{FILE, FILE_BYTES, bundle};

/// A manifest, as far as it could be read.
#[derive(Debug)]
pub struct Manifest {
    pub(super) file: PackagePath,
    pub(super) home: Home,
    pub(super) state: State,
    id: Option<String>,
}

/// Where a manifest lies.
#[derive(Debug)]
pub(super) enum Home {
    /// At the root of the package.
    Folder,
    /// In a JSON bundle, with the files that were in it; `file` is the bundle.
    Bundle(Result<Tree, bundle::BundleError>),
}

/// How far a manifest could be read.
#[derive(Debug)]
pub(super) enum State {
    /// Its bytes could not be had, and why.
    Unreadable(String),
    /// It is not I-JSON.
    NotJson(SyntaxError),
    /// It has faults.
    Faulty(Json, Vec<Fault>),
    /// It has none.
    Sound(Json, Box<Document>),
}

impl Manifest {
    /// The manifest at the root of `tree`, if there is one and it has the shape of a Splice manifest. One that cannot be
    /// read counts where nothing else at the root claims the name.
    #[must_use]
    pub fn beside(tree: &Tree) -> Option<Self> {
        let file = root_path(FILE);
        let Node::File(blob) = tree.get(FILE)? else { return None };
        let state = match blob.read(FILE_BYTES) {
            Ok(bytes) => State::of(&bytes),
            Err(error) => State::Unreadable(error.to_string()),
        };
        let is_ours = match &state {
            State::Unreadable(_) | State::NotJson(_) => false,
            State::Faulty(json, _) | State::Sound(json, _) => recognise::is_splice_manifest(json),
        };
        let says_nothing = state.json().is_none_or(|json| json.as_object().is_none());
        let is_ours = is_ours || (says_nothing && has_tools(tree));
        is_ours.then(|| Self::new(file, Home::Folder, state))
    }

    /// The manifest in the bundle `file` of `tree`, if it is one.
    #[must_use]
    pub fn bundled(tree: &Tree, file: PackagePath) -> Option<Self> {
        let bytes = tree.file(file.as_str())?.read(Limits::LOOSEST.document_bytes).ok()?;
        let found = bundle::read(&bytes);
        if matches!(found, Err(bundle::BundleError::NotOne)) {
            return None;
        }
        let state = match found.as_ref().ok().and_then(|files| files.file(FILE)) {
            Some(manifest) => match manifest.read(FILE_BYTES) {
                Ok(bytes) => State::of(&bytes),
                Err(error) => State::Unreadable(error.to_string()),
            },
            None => State::Unreadable("it is missing".to_owned()),
        };
        Some(Self::new(file, Home::Bundle(found), state))
    }

    fn new(file: PackagePath, home: Home, state: State) -> Self {
        let text = |name| state.json()?.get(name)?.as_str();
        let id = text("namespace").zip(text("name")).map(|(namespace, name)| format!("@{namespace}/{name}"));
        Self { file, home, state, id }
    }

    /// `@namespace/name`, as far as it is written.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The file, as findings name it: `manifest.json`, or the bundle it is in.
    #[must_use]
    pub const fn file(&self) -> &PackagePath {
        &self.file
    }

    /// Whether it lies at the root of its package, and not in a bundle.
    #[must_use]
    pub const fn is_beside(&self) -> bool {
        matches!(self.home, Home::Folder)
    }

    /// The document, if it has no fault.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.state {
            State::Sound(_, document) => Some(document),
            _ => None,
        }
    }

    /// The JSON, as far as it could be read.
    #[must_use]
    pub const fn json(&self) -> Option<&Json> {
        self.state.json()
    }

    /// The files of the package, of which `tree` is what lies around the manifest.
    #[must_use]
    pub fn files<'t>(&'t self, tree: &'t Tree) -> &'t Tree {
        match &self.home {
            Home::Bundle(Ok(files)) => files,
            Home::Folder | Home::Bundle(Err(_)) => tree,
        }
    }
}

/// Whether an unreadable `manifest.json` must have been meant as Splice's: no other format here keeps modules in `tools/`
/// beside a SKILL.md.
fn has_tools(tree: &Tree) -> bool {
    matches!(tree.get("tools"), Some(Node::Folder)) && tree.file(super::SKILL_MD).is_some()
}

fn root_path(name: &str) -> PackagePath {
    child_of(None, name).expect("the name of every manifest is a path of one segment")
}

impl State {
    fn of(bytes: &[u8]) -> Self {
        // Splice drops one byte order mark. Blanks in its place keep every other byte where it is.
        let mut own;
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            None => bytes,
            Some(rest) => {
                own = b"   ".to_vec();
                own.extend_from_slice(rest);
                own.as_slice()
            }
        };
        match json::read(bytes) {
            Err(error) => Self::NotJson(error),
            Ok(json) => match decode(&json) {
                Ok(document) => Self::Sound(json, Box::new(document)),
                Err(faults) => Self::Faulty(json, faults),
            },
        }
    }

    const fn json(&self) -> Option<&Json> {
        match self {
            Self::Faulty(json, _) | Self::Sound(json, _) => Some(json),
            Self::Unreadable(_) | Self::NotJson(_) => None,
        }
    }
}
