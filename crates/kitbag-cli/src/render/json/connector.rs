//! `connector`

use std::io::{self, Write};
use std::path::PathBuf;

use kitbag::connector::Answer;
use kitbag_core::formats::openscience::connector::client::Configuration;
use kitbag_core::formats::openscience::connector::{self, SourceFormat};
use kitbag_core::permit::{LossKind, Lowered};
use serde::Serialize;
use serde_json::Value;

use crate::render::document;

use super::VERSION;
use super::finding::Finding;

#[derive(Serialize)]
struct Connectors<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    servers: usize,
    /// The templates without an error, as documents.
    connectors: Vec<Value>,
    findings: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<String>,
}

/// The answer of `connector check`, `connector import`, and of an `export` that was refused.
///
/// # Errors
/// The writer's own.
pub fn connectors(
    command: &'static str,
    answer: &Answer,
    written: &[PathBuf],
    out: &mut dyn Write,
) -> io::Result<()> {
    let parse = |template| serde_json::from_str(&connector::document(template));
    let connectors: Vec<Value> = answer.connectors.iter().map(parse).collect::<Result<_, _>>()?;
    let findings = answer.report.packages.iter().flat_map(|package| &package.findings).map(Finding::of);
    let value = Connectors {
        version: VERSION,
        command,
        ok: answer.is_complete(),
        format: answer.format.map(SourceFormat::word),
        servers: answer.servers,
        connectors,
        findings: findings.collect(),
        written: written.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    };
    document::write(&value, out)
}

#[derive(Serialize)]
struct Exported<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    client: &'static str,
    file: &'a str,
    document: &'a str,
    secrets: Vec<Secret<'a>>,
    losses: Vec<Lost<'a>>,
}

#[derive(Serialize)]
struct Secret<'a> {
    variable: &'a str,
    becomes: &'a str,
}

#[derive(Serialize)]
struct Lost<'a> {
    pointer: &'a str,
    kind: &'static str,
    because: &'a str,
}

/// The answer of `connector export`.
///
/// # Errors
/// The writer's own.
pub fn configuration(lowered: &Lowered<Configuration>, out: &mut dyn Write) -> io::Result<()> {
    let Configuration { client, file, text, secrets } = &lowered.value;
    let secrets =
        secrets.iter().map(|needed| Secret { variable: &needed.variable, becomes: &needed.becomes });
    let losses = lowered.losses.iter().map(|loss| Lost {
        pointer: loss.origin.pointer.as_str(),
        kind: match loss.kind {
            LossKind::Dropped => "dropped",
            LossKind::Tightened => "tightened",
            LossKind::Widened => "widened",
        },
        because: &loss.because,
    });
    let value = Exported {
        version: VERSION,
        command: "connector export",
        ok: true,
        client: client.name(),
        file,
        document: text,
        secrets: secrets.collect(),
        losses: losses.collect(),
    };
    document::write(&value, out)
}
