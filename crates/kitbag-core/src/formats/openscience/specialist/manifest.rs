//! `manifest.json` (§3.1): exactly four fields.

use crate::finding::{Finding, Findings, Place};
use crate::json::{Json, Pointer, Span, Value, excerpt};
use crate::path::PackagePath;

use super::super::codes;
use super::super::version::Version;
use super::super::words::RESERVED_PREFIXES;

/// Which package it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Its identity.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The application that wrote it.
    pub exported_with_app_version: String,
}

/// Whether a package may have this identity: `^[a-z0-9-]+$`, not beginning with a reserved prefix.
#[must_use]
pub fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !RESERVED_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// Reads the manifest that `json` is; `None` when it has an error.
pub(super) fn decode(file: &PackagePath, json: Option<&Json>, out: &mut Findings) -> Option<Manifest> {
    let place = |pointer: Pointer, span: Span| Place::value(file.clone(), pointer, span);
    let Some((json, object)) = json.and_then(|json| Some((json, json.as_object()?))) else {
        let message = "the manifest is not a JSON object";
        out.push(Finding::new(&codes::MANIFEST_OBJECT_REQUIRED, Place::file(file.clone()), message));
        return None;
    };
    let brace = Span { start: json.span.start, end: json.span.start.saturating_add(1) };
    let at = |name: &str| match object.get(name) {
        Some(value) => place(Pointer::root().join(name), value.span),
        None => place(Pointer::root(), brace),
    };
    const KNOWN: [&str; 4] = ["schema_version", "id", "version", "exported_with_app_version"];
    let mut unknown = object.iter().filter(|member| !KNOWN.contains(&member.name.as_str()));
    if let Some(first) = unknown.next() {
        let mut message = format!("`{}` is no field of a manifest", excerpt(&first.name));
        let more = unknown.count();
        if more > 0 {
            message.push_str(&format!(", and {more} more are none"));
        }
        let place = place(Pointer::root().join(&first.name), first.name_span);
        out.push(Finding::new(&codes::MANIFEST_FIELD_FORBIDDEN, place, message));
    }
    let is_one = object.get("schema_version").is_some_and(|version| match version.value {
        Value::Integer(number) => number == 1,
        Value::Float(number) => number == 1.0,
        _ => false,
    });
    if !is_one {
        let message = "`schema_version` is not the number 1";
        out.push(Finding::new(&codes::MANIFEST_SCHEMA_VERSION, at("schema_version"), message));
    }
    let mut text = |name: &str, code, holds: fn(&str) -> bool, rule: &str| {
        let found = object.get(name).and_then(Json::as_str);
        let sound = found.filter(|text| holds(text));
        if sound.is_none() {
            let message = match found {
                Some(found) => format!("`{name}` is `{}`, which is no {rule}", excerpt(found)),
                None => format!("`{name}` is missing or no string"),
            };
            out.push(Finding::new(code, at(name), message));
        }
        sound.map(str::to_owned)
    };
    let is_version = |text: &str| Version::parse(text).is_some();
    let id = text("id", &codes::MANIFEST_ID, is_id, "identity of a package");
    let version = text("version", &codes::MANIFEST_VERSION, is_version, "semantic version");
    let exported_with_app_version = text(
        "exported_with_app_version",
        &codes::MANIFEST_EXPORTED_APP_VERSION,
        is_version,
        "semantic version",
    );
    let manifest =
        Manifest { id: id?, version: version?, exported_with_app_version: exported_with_app_version? };
    is_one.then_some(manifest)
}
