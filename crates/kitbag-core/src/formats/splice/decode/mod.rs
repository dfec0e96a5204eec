//! The manifest out of its JSON, with everything that is wrong about it: all faults, in the order and under the paths of
//! Splice's own implementation, so that a person who knows one finds their way in the other.

mod agent;
mod faults;
mod permissions;
mod tools;

use crate::json::{Json, Value, canonical, excerpt};
use crate::version::Version;

use super::codes;
use super::document::Document;
use super::words;

pub(super) use faults::{Fault, Faults, Site};

/// The only version of the specification there is.
pub const SPEC_VERSION: i64 = 1;

/// Longest `description`, `license` and `homepage`.
const TEXT_UNITS: usize = 500;

/// Decodes a manifest.
///
/// # Errors
/// Every fault, or the one that keeps all others from being looked for: no object, or another version.
pub(super) fn decode(json: &Json) -> Result<Document, Vec<Fault>> {
    let mut faults = Faults::default();
    let root = Site::root(json);
    let Some(object) = json.as_object() else {
        faults.push(&codes::MANIFEST_OBJECT, &root, "must be a JSON object");
        return Err(faults.finish());
    };
    match object.get("specVersion") {
        None => {
            faults.push(&codes::SPEC_VERSION, &root.missing("specVersion"), "is required");
            return Err(faults.finish());
        }
        Some(version) if !is_one(version) => {
            let found = shown(version);
            let message = format!("unsupported version {found} (supported: {SPEC_VERSION})");
            faults.push(&codes::SPEC_VERSION, &root.member("specVersion", version), message);
            return Err(faults.finish());
        }
        Some(_) => {}
    }
    const KNOWN: [&str; 12] = [
        "specVersion",
        "namespace",
        "name",
        "version",
        "description",
        "license",
        "homepage",
        "runtime",
        "permissions",
        "tools",
        "agent",
        "dependencies",
    ];
    faults.unknown(&root, object, &KNOWN);
    let namespace = package_word(&mut faults, &root, "namespace");
    let name = package_word(&mut faults, &root, "name");
    let version = version(&mut faults, &root);
    let description = faults.required_text(&root, "description", TEXT_UNITS);
    let license = faults.short_text(&root, "license", TEXT_UNITS);
    let homepage = faults.short_text(&root, "homepage", TEXT_UNITS);
    let min_node_version = runtime(&mut faults, &root);
    let permissions = permissions::decode(&mut faults, &root);
    let id =
        namespace.as_deref().zip(name.as_deref()).map(|(namespace, name)| format!("@{namespace}/{name}"));
    let tools = tools::decode(&mut faults, &root);
    let agent = agent::decode(&mut faults, &root, id.as_deref());
    let dependencies = agent::dependencies(&mut faults, &root, id.as_deref());
    if !faults.is_empty() {
        return Err(faults.finish());
    }
    let whole = || -> Option<Document> {
        Some(Document {
            namespace: namespace?,
            name: name?,
            version: version?,
            description: description?,
            license,
            homepage,
            min_node_version,
            permissions,
            tools,
            agent,
            dependencies,
        })
    };
    Ok(whole().expect("a required field that is not there is a fault"))
}

/// The number 1; a text is none.
fn is_one(json: &Json) -> bool {
    match json.value {
        Value::Integer(number) => number == SPEC_VERSION,
        Value::Float(number) => number == 1.0,
        _ => false,
    }
}

/// A value as it would be written, cut where it is long.
fn shown(json: &Json) -> String {
    match &json.value {
        Value::String(text) => format!("\"{}\"", excerpt(text)),
        _ => canonical::jcs(json).map_or_else(|_| json.kind().to_owned(), |text| excerpt(&text)),
    }
}

fn package_word(faults: &mut Faults, root: &Site<'_>, name: &'static str) -> Option<String> {
    let text = faults.required_text(root, name, 64)?;
    if words::is_package_word(&text) {
        return Some(text);
    }
    let message = "may only contain lowercase letters, digits and dashes";
    faults.push(&codes::PACKAGE_NAME, &root.at(name), message);
    None
}

fn version(faults: &mut Faults, root: &Site<'_>) -> Option<String> {
    let text = faults.required_text(root, "version", 64)?;
    match Version::parse(&text) {
        Ok(_) => Some(text),
        Err(error) => {
            let message = format!("\"{}\" is not a valid semantic version: {error}", excerpt(&text));
            faults.push(&codes::VERSION, &root.at("version"), message);
            None
        }
    }
}

fn runtime(faults: &mut Faults, root: &Site<'_>) -> Option<String> {
    let json = root.get("runtime")?;
    let site = root.member("runtime", json);
    let is_node = json.get("type").and_then(Json::as_str) == Some("node");
    let Some(object) = json.as_object().filter(|_| is_node) else {
        faults.push(&codes::RUNTIME, &site, "only {\"type\":\"node\"} is supported");
        return None;
    };
    faults.unknown(&site, object, &["type", "minNodeVersion"]);
    let version = object.get("minNodeVersion")?;
    match version.as_str().filter(|text| Version::parse(text).is_ok()) {
        Some(text) => Some(text.to_owned()),
        None => {
            let message = "must be a semantic version such as \"22.18.0\"";
            faults.push(&codes::RUNTIME, &site.member("minNodeVersion", version), message);
            None
        }
    }
}
