//! Tools of .adcap (§7): a program, a line of JSON that calls it, and a line that answers.

use std::time::Duration;

use kitbag_core::formats::adcap::Capability;
use kitbag_core::formats::adcap::wire::{self, Context, Conversation, Event};
use kitbag_core::json::Json;
use kitbag_core::permit::{Effect, Met};
use kitbag_core::tool::Tool;
use kitbag_sandbox::{Limits, PACKAGE, PROJECT, Process};

use super::call::{Call, Ear, Heard, Wire};
use super::interpreter::Kind;
use super::starter::{Starter, entry};
use super::{Error, Fault, FaultKind, Request, unsupported};

/// The longest line that a tool says.
const LINE_BYTES: usize = 4 << 20;
/// The most that a tool says on a stream in all.
const STREAM_BYTES: usize = 8 << 20;

/// Finds what starts `tool`, which may do what `met` says.
pub(super) fn prepare(
    capability: &Capability,
    tool: &Tool<'_>,
    met: &Met,
    request: &Request,
) -> Result<Call, Error> {
    let document = capability.document().ok_or_else(|| unsupported("the manifest cannot be read"))?;
    let runtime = &tool.runtime;
    if !runtime.resources.is_empty() {
        return Err(unsupported("the tool needs resources, which cannot be fetched yet"));
    }
    if !document.dependencies.is_empty() {
        return Err(unsupported("the package needs other packages, which cannot be installed yet"));
    }
    let here = platform();
    if !(runtime.platforms.is_empty() || runtime.platforms.iter().any(|one| *one == "any" || *one == here)) {
        let listed = runtime.platforms.join(", ");
        return Err(unsupported(format!("the tool runs on {listed}, and this is {here}")));
    }
    let wire = Lines {
        capability: tool.package.clone(),
        version: tool.version.to_owned(),
        tool: tool.name.to_owned(),
        workspace: reaches_files(met).then_some(PROJECT),
    };
    Ok(Call { starter: starter(tool, &here, request)?, wire: Box::new(wire) })
}

fn starter(tool: &Tool<'_>, here: &str, request: &Request) -> Result<Starter, Error> {
    let runtime = &tool.runtime;
    let limits = Limits {
        wall: Duration::from_millis(tool.timeout_ms.into()),
        output: STREAM_BYTES,
        line: Some(LINE_BYTES),
        ..Limits::default()
    };
    let kind = match runtime.kind {
        "node" => Kind::Node,
        "python" => Kind::Python,
        "binary" => {
            let found = runtime.entries.iter().find(|(platform, _)| *platform == here);
            let Some((_, path)) = found else {
                let listed: Vec<&str> = runtime.entries.iter().map(|(platform, _)| *platform).collect();
                let listed = listed.join(", ");
                return Err(unsupported(format!("the tool has programs for {listed}, and this is {here}")));
            };
            return Ok(Starter::of_package(path, limits));
        }
        other => {
            return Err(unsupported(format!(
                "the tool's runtime is `{other}`, which this host does not have"
            )));
        }
    };
    let mut starter = Starter::interpreter(kind, runtime.version.as_deref(), limits, request)?;
    starter.arguments.push(entry(runtime.entry)?.into());
    Ok(starter)
}

/// The lines of §7, for one tool.
#[derive(Debug)]
struct Lines {
    capability: String,
    version: String,
    tool: String,
    workspace: Option<&'static str>,
}

impl Wire for Lines {
    fn begin(&self, input: &Json) -> (Vec<u8>, Box<dyn Ear>) {
        let context = Context {
            capability: &self.capability,
            version: &self.version,
            dir: PACKAGE,
            workspace: self.workspace,
            resources: &[],
            dependencies: &[],
            tool_data_dir: None,
        };
        (wire::call(&self.tool, input, &context), Box::new(Conversation::default()))
    }
}

impl Ear for Conversation {
    fn hear(&mut self, line: &[u8], _process: &mut Process) -> Heard {
        match Self::hear(self, line) {
            // No resource is named, so no shard can be asked for.
            Ok(Event::Nothing | Event::Shard(_)) => Heard::On,
            Ok(Event::Output(output)) => Heard::Answer(Ok(output)),
            Ok(Event::Failed(message)) => Heard::Answer(Err(Fault::new(FaultKind::ToolError, message))),
            Err(violation) => Heard::Broken(violation.to_string()),
        }
    }
}

/// Whether the tool may reach some of the project.
fn reaches_files(met: &Met) -> bool {
    met.allowed.iter().any(|allowed| {
        let is_files = matches!(allowed.effect, Effect::Read | Effect::Write);
        let patterns = allowed.scope.patterns();
        is_files && patterns.iter().any(|pattern| pattern.root == Some(kitbag_core::permit::Root::Project))
    })
}

/// This platform, as .adcap names them (§11): `linux-x64`.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{machine}")
}
