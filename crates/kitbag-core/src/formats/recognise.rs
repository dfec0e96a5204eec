//! What a document is by its name and its shape together: `manifest.json` is everybody's name.

use crate::json::{self, Json};

use super::openscience::{connector, specialist};

const MANIFEST: &str = "manifest.json";
const CAPABILITY: &str = "capability.json";
const SPECIALIST: &str = "specialist.json";

/// Whether a document of this name may make its folder a package, depending on its shape.
pub(super) fn is_possible_marker(name: &str) -> bool {
    matches!(name, MANIFEST | CAPABILITY | SPECIALIST) || connector::is_name(name) || is_bundle_name(name)
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
    } else if is_splice_manifest(&json) || specialist::is_manifest(&json) {
        Some(MANIFEST)
    } else if is_splice_bundle(&json) {
        Some("bundle.splice.json")
    } else if connector::is_shape(&json) {
        Some("connector.json")
    } else if specialist::is_payload(&json) {
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
