//! `connector` for people: what came out of a document, and what a client has to be told beside its configuration.

use std::io::{self, Write};
use std::path::PathBuf;

use kitbag::connector::Answer;
use kitbag_core::formats::openscience::connector::client::{Client, Configuration};
use kitbag_core::formats::openscience::connector::{self, SourceFormat};
use kitbag_core::permit::{LossKind, Lowered};

use crate::render::plain::Plain;

use super::summary::{counted, findings};

/// `1 of 2 servers is sound: 1 error`
///
/// # Errors
/// The writer's own.
pub fn connectors(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let sound = answer.connectors.len();
    let kind = match answer.format {
        Some(SourceFormat::Template) => "Connector template",
        Some(SourceFormat::McpClient) => "configuration of an MCP client",
        Some(SourceFormat::McpRegistry) => "entry of an MCP registry",
        None => "no description of a server",
    };
    let servers = counted(answer.servers, "server", "servers");
    let said = findings(&answer.report.counts);
    writeln!(out, "{kind}: {sound} of {servers} {} sound; {said}", if sound == 1 { "is" } else { "are" })
}

/// The templates, one after the other.
///
/// # Errors
/// The writer's own.
pub fn templates(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    answer.connectors.iter().try_for_each(|template| out.write_all(connector::document(template).as_bytes()))
}

/// The files that were written.
///
/// # Errors
/// The writer's own.
pub fn written(paths: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    paths.iter().try_for_each(|path| writeln!(out, "written: {}", Plain(&path.to_string_lossy())))
}

/// What to set before the client is started, and what it could not be told.
///
/// # Errors
/// The writer's own.
pub fn configuration(lowered: &Lowered<Configuration>, out: &mut dyn Write) -> io::Result<()> {
    let configuration = &lowered.value;
    writeln!(out, "for {}: {}", configuration.client.name(), Plain(&configuration.file))?;
    for needed in &configuration.secrets {
        let how = if configuration.client == Client::VsCode { "will be asked for" } else { "set" };
        let (variable, becomes) = (Plain(&needed.variable), Plain(&needed.becomes));
        writeln!(out, "{how}: {variable}, which becomes {becomes}")?;
    }
    for loss in &lowered.losses {
        let kind = match loss.kind {
            LossKind::Dropped => "left out",
            LossKind::Tightened => "tighter",
            LossKind::Widened => "wider",
        };
        writeln!(out, "{kind}: {}: {}", Plain(loss.origin.pointer.as_str()), Plain(&loss.because))?;
    }
    Ok(())
}
