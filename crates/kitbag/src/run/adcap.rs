//! Tools of .adcap (§7): a program, a line of JSON that calls it, and a line that answers.

use std::time::Duration;

use kitbag_core::formats::adcap::wire::{self, Context};
use kitbag_core::permit::{Effect, Met};
use kitbag_core::tool::Tool;
use kitbag_sandbox::{Limits, PACKAGE, PROJECT};

use super::call::{Begun, Call, Wire};
use super::context::Context as Surroundings;
use super::input::Input;
use super::interpreter::Kind;
use super::starter::{Starter, entry};
use super::{Error, Prepared, Request, unsupported};

/// The longest line that a tool says.
const LINE_BYTES: usize = 4 << 20;
/// The most that a tool says on a stream in all.
const STREAM_BYTES: usize = 8 << 20;

/// Finds what starts `tool`, which may do what `met` says and finds `surroundings`.
pub(super) fn prepare(
    tool: &Tool<'_>,
    met: &Met,
    surroundings: Surroundings,
    request: &Request,
) -> Result<Call, Error> {
    let runtime = &tool.runtime;
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
        surroundings,
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
    surroundings: Surroundings,
}

impl Wire for Lines {
    fn begin(&self, _prepared: &Prepared, input: &Input) -> Result<Begun, Error> {
        let found = self.surroundings.begin()?;
        let context = Context {
            capability: &self.capability,
            version: &self.version,
            dir: PACKAGE,
            workspace: self.workspace,
            resources: &found.resources,
            dependencies: &found.dependencies,
            tool_data_dir: Some(found.own),
        };
        let opening = wire::call(&self.tool, &input.json, &context);
        Ok(Begun { opening, ear: found.ear, items: found.items })
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
