//! Formats that this version names and does not check yet: .adcap and Open-Science. Each leaves this file for a
//! folder of its own when its checks land.
//!
//! A document is recognised by its file name and its shape together, because `manifest.json` is everybody's name. Nothing
//! recognised passes: every such document raises `package/unchecked-format`.

use std::io::Write;

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::{self, Json, Value};
use crate::limits::Limits;
use crate::path::PackagePath;
use crate::permit::Declaration;
use crate::tool::Tool;
use crate::tree::Tree;

use super::codes::UNCHECKED_FORMAT;
use super::{
    ArchiveBytes, Document, Face, Format, Identity, PackError, Pins, Record, Seal, Site, Verification,
};

/// A document of a format that is recognised and not checked.
#[derive(Debug)]
pub struct Recognised {
    kind: Kind,
    file: Option<PackagePath>,
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    license: Option<String>,
    spec: Option<String>,
}

/// What kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A Specialist: `specialist.json`, beside a `manifest.json`.
    Specialist,
    /// A Connector template: any JSON file of the kind `open-science.connector`.
    Connector,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Specialist => "specialist",
            Self::Connector => "connector",
        }
    }
}

/// A format known by its document's file name and shape.
#[derive(Debug)]
pub struct RecognisedFormat {
    name: &'static str,
    recognise: fn(&Tree) -> Vec<Recognised>,
}

/// Open-Science: Specialists and Connectors.
pub static OPEN_SCIENCE: RecognisedFormat =
    RecognisedFormat { name: "open-science", recognise: recognise_open_science };

const MANIFEST: &str = "manifest.json";
const CAPABILITY: &str = "capability.json";
const SPECIALIST: &str = "specialist.json";

/// Whether a document of this name may make its folder a package, depending on its shape.
pub(super) fn is_possible_marker(name: &str) -> bool {
    matches!(name, MANIFEST | CAPABILITY | SPECIALIST) || is_connector_name(name) || is_bundle_name(name)
}

/// Open-Science exports a template as `open-science-connector-<name>.json`; people shorten it.
fn is_connector_name(name: &str) -> bool {
    name == "connector.json"
        || name.ends_with(".connector.json")
        || (name.starts_with("open-science-connector-") && name.ends_with(".json"))
}

/// Splice's registry called a legacy bundle `<namespace>-<name>-<version>.splice.json`.
fn is_bundle_name(name: &str) -> bool {
    name.ends_with(".splice.json")
}

/// The file name that a document with this content has in a package: what to judge it under when it came without a
/// name, or under one that says nothing. `None` when the content is no document that kitbag knows.
#[must_use]
pub fn document_name(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if text.first() != Some(&b'{') {
        // Front matter opens with `---`; what stands before it is a mistake that the check explains.
        return text.starts_with(b"---").then_some("SKILL.md");
    }
    let json = json::read(bytes).ok()?;
    if json.get("contract_version").is_some() {
        Some("skill.contract.json")
    } else if is_capability(&json) {
        Some(CAPABILITY)
    } else if is_splice_manifest(&json) || is_specialist_manifest(&json) {
        Some(MANIFEST)
    } else if is_splice_bundle(&json) {
        Some("bundle.splice.json")
    } else if is_connector(&json) {
        Some("connector.json")
    } else if is_specialist(&json) {
        Some(SPECIALIST)
    } else {
        None
    }
}

/// Whether the document called `name` is one of a folder's, rather than a package by itself.
#[must_use]
pub fn is_of_a_folder(name: &str) -> bool {
    matches!(name, MANIFEST | CAPABILITY | SPECIALIST)
}

/// Whether any of these members is there.
fn has_any(json: &Json, names: &[&str]) -> bool {
    names.iter().any(|name| json.get(name).is_some())
}

pub(super) fn is_splice_manifest(json: &Json) -> bool {
    // Splice 1, "manifest.json". A manifest that forgot one of the required fields is still one.
    let has = |name| usize::from(json.get(name).is_some());
    let own = has("specVersion") + has("namespace");
    own == 2 || (own == 1 && has_any(json, &["tools", "agent", "runtime"]))
}

fn is_splice_bundle(json: &Json) -> bool {
    json.get("format").and_then(Json::as_str) == Some("splice-bundle")
}

fn is_capability(json: &Json) -> bool {
    json.get("adcap").is_some()
}

fn is_specialist_manifest(json: &Json) -> bool {
    has_any(json, &["exported_with_app_version"]) && has_any(json, &["schema_version", "id"])
}

fn is_specialist(json: &Json) -> bool {
    has_any(json, &["system_prompt"]) && has_any(json, &["name", "skill_ids", "connector_ids"])
}

fn is_connector(json: &Json) -> bool {
    json.get("kind").and_then(Json::as_str) == Some("open-science.connector")
}

/// A file under a telling name.
enum Found {
    /// A JSON object.
    Object(Json),
    /// Something that cannot be read as one, so that only the name tells what it is.
    Unusable,
}

fn find(tree: &Tree, path: &str) -> Option<Found> {
    let bytes = tree.file(path)?.read(Limits::LOOSEST.document_bytes);
    Some(match bytes.ok().and_then(|bytes| json::read(&bytes).ok()) {
        Some(json) if json.as_object().is_some() => Found::Object(json),
        _ => Found::Unusable,
    })
}

fn recognise_open_science(tree: &Tree) -> Vec<Recognised> {
    let mut documents = Vec::new();
    let manifest = match find(tree, MANIFEST) {
        Some(Found::Object(json)) if is_specialist_manifest(&json) => Some(json),
        _ => None,
    };
    let specialist = match find(tree, SPECIALIST) {
        Some(Found::Object(json)) if manifest.is_some() || is_specialist(&json) => {
            Some(Recognised::new(Kind::Specialist, SPECIALIST, &json))
        }
        Some(Found::Unusable) => Some(Recognised::unusable(Kind::Specialist, SPECIALIST)),
        Some(Found::Object(_)) => None,
        None => manifest.as_ref().map(|_| Recognised::unusable(Kind::Specialist, MANIFEST)),
    };
    if let Some(mut specialist) = specialist {
        if let Some(manifest) = &manifest {
            specialist.version = text(manifest, "version");
            specialist.spec = manifest.get("schema_version").and_then(whole_number);
        }
        documents.push(specialist);
    }
    documents.extend(each_at_root(tree, is_connector_name).filter_map(|(path, json)| {
        is_connector(&json).then(|| {
            let mut document = Recognised::new(Kind::Connector, path, &json);
            document.spec = json.get("schema_version").and_then(whole_number);
            document
        })
    }));
    documents
}

/// The JSON objects at the root of `tree` whose file name is `wanted`.
fn each_at_root(tree: &Tree, wanted: fn(&str) -> bool) -> impl Iterator<Item = (&str, Json)> {
    tree.iter()
        .map(|(path, _)| path.as_str())
        .filter(move |path| !path.contains('/') && wanted(path))
        .filter_map(|path| match find(tree, path)? {
            Found::Object(json) => Some((path, json)),
            Found::Unusable => None,
        })
}

fn text(json: &Json, name: &str) -> Option<String> {
    json.get(name).and_then(Json::as_str).map(str::to_owned)
}

fn whole_number(json: &Json) -> Option<String> {
    match json.value {
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

impl Recognised {
    fn new(kind: Kind, file: &str, json: &Json) -> Self {
        Self {
            name: text(json, "name"),
            version: text(json, "version"),
            description: text(json, "description"),
            license: text(json, "license"),
            ..Self::unusable(kind, file)
        }
    }

    fn unusable(kind: Kind, file: &str) -> Self {
        Self {
            kind,
            file: PackagePath::new(file).ok(),
            name: None,
            version: None,
            description: None,
            license: None,
            spec: None,
        }
    }
}

impl Format for RecognisedFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn markers(&self) -> &'static [&'static str] {
        // Every name is shared with other programs; `is_possible_marker` says which to look into.
        &[]
    }

    fn marks(&self, _name: &str) -> bool {
        false
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        (self.recognise)(site.tree()).into_iter().map(Face::Recognised).collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        &[]
    }
}

impl Document for Recognised {
    fn check(&self, _tree: &Tree, out: &mut Findings) {
        let place = self.file.clone().map_or_else(Place::package, Place::file);
        let message = format!("recognised as {}; checked by a later version", self.kind.word());
        out.push(Finding::new(&UNCHECKED_FORMAT, place, message));
    }

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: self.kind.word(),
            name: self.name.as_deref(),
            version: self.version.as_deref(),
            description: self.description.as_deref(),
            spec: self.spec.as_deref(),
            license: self.license.as_deref(),
        }
    }

    fn permissions(&self) -> Declaration {
        Declaration::Unspoken
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        // Its format is not read yet, which the check says.
        Vec::new()
    }

    fn record(&self) -> Record<'_> {
        // Its format is not read yet, which the check says.
        Record::default()
    }

    fn pack(&self, _tree: &Tree, _out: &mut dyn Write) -> Result<Pins, PackError> {
        Err(PackError::NotYet { format: self.kind.word() })
    }

    fn verify(&self, tree: &Tree, _archive: Option<&ArchiveBytes>) -> Verification {
        let mut verification = Verification::unpinned(Seal::Elsewhere);
        self.check(tree, &mut verification.findings);
        verification
    }
}
