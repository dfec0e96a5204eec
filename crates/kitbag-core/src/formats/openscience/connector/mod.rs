//! Connectors: a template that describes a tool server without its secrets, and the configuration files of MCP clients.
//!
//! [`read()`] takes either, as Open-Science's import does, and says everything that is wrong with it in Open-Science's
//! codes. What we judge otherwise is said beside it in codes of our own and changes none of its verdicts.

mod address;
mod arguments;
pub mod client;
mod doubts;
mod face;
mod fields;
mod import;
mod read;
mod template;
mod toml;
mod write;

use std::collections::BTreeSet;

use crate::finding::Findings;
use crate::json::{self, Json, Object, Pointer, Span, SyntaxErrorKind};
use crate::path::PackagePath;

use super::{codes, words};

pub use face::Connector;
pub(in crate::formats) use face::{is_name, is_shape};
pub use read::KIND;
pub use template::{OAuth, Secrets, Template, Transport};
pub use write::{document, file_name};

/// Most bytes of a template or configuration.
pub const DOCUMENT_BYTES: u64 = 262_144;

/// Names that a new Connector may not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Those of the Connectors that the application brings along.
    pub built_in: BTreeSet<String>,
    /// Those that are installed.
    pub installed: BTreeSet<String>,
}

impl Taken {
    /// What no Connector may be called wherever it is installed: the names of those that Open-Science brings along.
    #[must_use]
    pub fn built_in() -> Self {
        let built_in = words::BUILT_IN_CONNECTORS.iter().map(|&name| name.to_owned()).collect();
        Self { built_in, installed: BTreeSet::new() }
    }
}

/// What a document turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    /// A Connector template.
    Template,
    /// The configuration of an MCP client: an object under `mcpServers`.
    McpClient,
    /// An entry of an MCP registry, which cannot be imported.
    McpRegistry,
}

impl SourceFormat {
    /// Its word in every output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Template => "connector",
            Self::McpClient => "mcp-client",
            Self::McpRegistry => "mcp-registry",
        }
    }
}

/// What came out of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What the document is; `None` when it could not be read as JSON.
    pub format: Option<SourceFormat>,
    /// The Connectors that have no error, in the order of the document.
    pub definitions: Vec<Template>,
    /// How many servers the document describes, those with an error included.
    pub servers: usize,
}

/// Reads the document `file` with the content `bytes`: a template, or the configuration of an MCP client. Everything that
/// is wrong goes to `out`.
#[must_use]
pub fn read(file: &PackagePath, bytes: &[u8], taken: &Taken, out: &mut Findings) -> Reading {
    read_object(file, bytes, taken, out).1
}

/// The same, with the object that the document is, where it is one.
fn read_object(
    file: &PackagePath,
    bytes: &[u8],
    taken: &Taken,
    out: &mut Findings,
) -> (Option<Json>, Reading) {
    let mut reader = fields::Reader::new(file, out);
    let json = parse(&mut reader, bytes);
    let reading = json.as_ref().map(|json| judge(&mut reader, json, taken)).unwrap_or_default();
    (json, reading)
}

/// The object in `bytes`, if it is one.
fn parse(reader: &mut fields::Reader<'_>, bytes: &[u8]) -> Option<Json> {
    let whole = || (Pointer::root(), Span::default());
    if bytes.len() as u64 > DOCUMENT_BYTES {
        let message = format!("the document has {} bytes and may have {DOCUMENT_BYTES}", bytes.len());
        reader.push(&codes::CONNECTOR_TOO_LARGE, whole(), message);
        return None;
    }
    match json::read(bytes) {
        Ok(json) if json.as_object().is_some() => Some(json),
        Ok(json) => {
            let message = format!("the document is {} and must be an object", json.kind());
            reader.push(&codes::CONNECTOR_ROOT, (Pointer::root(), json.span), message);
            None
        }
        Err(error) => {
            let code = if is_ambiguous(&error.kind) {
                &codes::JSON_AMBIGUOUS
            } else {
                &codes::CONNECTOR_INVALID_JSON
            };
            reader.push(code, (Pointer::root(), error.span), error.kind.to_string());
            None
        }
    }
}

/// Whether other programs would read the JSON all the same, each in its own way.
pub(super) const fn is_ambiguous(kind: &SyntaxErrorKind) -> bool {
    matches!(
        kind,
        SyntaxErrorKind::DuplicateName { .. }
            | SyntaxErrorKind::IntegerRange
            | SyntaxErrorKind::NumberRange
            | SyntaxErrorKind::LoneSurrogate
            | SyntaxErrorKind::NotUtf8
            | SyntaxErrorKind::TooDeep
    )
}

/// What the object is, and what it says.
fn judge(reader: &mut fields::Reader<'_>, json: &Json, taken: &Taken) -> Reading {
    if let Some(servers) = json.get("mcpServers").filter(|servers| servers.as_object().is_some()) {
        let definitions = import::servers(reader, servers, taken);
        let servers = servers.as_object().map_or(0, Object::len);
        return Reading { format: Some(SourceFormat::McpClient), definitions, servers };
    }
    let is_array = |name| json.get(name).is_some_and(|value: &Json| value.as_array().is_some());
    let schema = json.get("$schema").and_then(Json::as_str);
    if is_array("packages")
        || is_array("remotes")
        || schema.is_some_and(|schema| schema.contains("/server.schema.json"))
    {
        let message = "the document is an entry of an MCP registry";
        reader.push(&codes::CONNECTOR_REGISTRY_MANIFEST, (Pointer::root(), json.span), message);
        return Reading { format: Some(SourceFormat::McpRegistry), ..Reading::default() };
    }
    let template = read::template(reader, json, Pointer::root(), taken);
    let definitions = template.into_iter().collect();
    Reading { format: Some(SourceFormat::Template), definitions, servers: 1 }
}
