//! Tools of .adcap (§7): a program, a line of JSON that calls it, and a line that answers.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kitbag_core::formats::adcap::Capability;
use kitbag_core::formats::adcap::wire::{self, Context, Conversation, Event};
use kitbag_core::json::Json;
use kitbag_core::permit::{Effect, Met};
use kitbag_core::tool::Tool;
use kitbag_sandbox::{
    Afterwards, Breach, Ending, Limits, Line, PACKAGE, PROJECT, PackageFiles, Places, Proc, Process, Scratch,
    Start, Work, lower, spawn_with,
};

use super::interpreter::{self, Kind};
use super::{Error, Fault, FaultKind, Prepared, Ran, Request, unsupported};

/// The longest line that a tool says.
const LINE_BYTES: usize = 4 << 20;
/// The most that a tool says on a stream in all.
const STREAM_BYTES: usize = 8 << 20;
/// What is kept of its logs.
const LOG_BYTES: usize = 64 << 10;
/// How long a tool that has answered may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// How one tool is called.
#[derive(Debug)]
pub(super) struct Call {
    capability: String,
    version: String,
    tool: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    programs: Vec<PathBuf>,
    package: PackageFiles,
    items: Vec<kitbag_sandbox::Item>,
    environment: Vec<(OsString, OsString)>,
    timeout: Duration,
}

impl Call {
    /// Finds what starts `tool`.
    pub(super) fn prepare(
        capability: &Capability,
        tool: &Tool<'_>,
        request: &Request,
    ) -> Result<Self, Error> {
        let document = capability.document().ok_or_else(|| unsupported("the manifest cannot be read"))?;
        let runtime = &tool.runtime;
        if !tool.runtime.resources.is_empty() {
            return Err(unsupported("the tool needs resources, which cannot be fetched yet"));
        }
        if !document.dependencies.is_empty() {
            return Err(unsupported("the package needs other packages, which cannot be installed yet"));
        }
        let here = platform();
        if !(runtime.platforms.is_empty()
            || runtime.platforms.iter().any(|one| *one == "any" || *one == here))
        {
            let listed = runtime.platforms.join(", ");
            return Err(unsupported(format!("the tool runs on {listed}, and this is {here}")));
        }
        let entry = |entry: Option<&str>| -> Result<PathBuf, Error> {
            entry
                .map(|entry| Path::new(PACKAGE).join(entry))
                .ok_or_else(|| unsupported("the tool has no entry"))
        };
        let mut call = Self {
            capability: tool.package.clone(),
            version: tool.version.to_owned(),
            tool: tool.name.to_owned(),
            program: PathBuf::new(),
            arguments: Vec::new(),
            programs: Vec::new(),
            package: PackageFiles::Data,
            items: Vec::new(),
            environment: Vec::new(),
            timeout: Duration::from_millis(tool.timeout_ms.into()),
        };
        let kind = match runtime.kind {
            "node" => Kind::Node,
            "python" => Kind::Python,
            "binary" => {
                let found = runtime.entries.iter().find(|(platform, _)| *platform == here);
                let Some((_, path)) = found else {
                    let listed: Vec<&str> = runtime.entries.iter().map(|(platform, _)| *platform).collect();
                    let listed = listed.join(", ");
                    return Err(unsupported(format!(
                        "the tool has programs for {listed}, and this is {here}"
                    )));
                };
                call.program = entry(Some(path))?;
                call.package = PackageFiles::Programs;
                return Ok(call);
            }
            other => {
                return Err(unsupported(format!(
                    "the tool's runtime is `{other}`, which this host does not have"
                )));
            }
        };
        let found = interpreter::find(kind, runtime.version.as_deref(), request)?;
        call.arguments.push(entry(runtime.entry)?.into());
        call.program.clone_from(&found.program);
        call.programs.push(found.program);
        call.items = found.items;
        if kind == Kind::Python {
            // The package is only read, and nobody waits for a buffer to be full.
            let set = |name: &str| (OsString::from(name), OsString::from("1"));
            call.environment.extend([set("PYTHONDONTWRITEBYTECODE"), set("PYTHONUNBUFFERED")]);
        }
        Ok(call)
    }

    /// Calls the tool.
    pub(super) fn run(&self, prepared: &Prepared, input: &Json) -> Result<Ran, Error> {
        let context = Context {
            capability: &self.capability,
            version: &self.version,
            dir: PACKAGE,
            workspace: reaches_files(&prepared.met).then_some(PROJECT),
            resources: &[],
            dependencies: &[],
            tool_data_dir: None,
        };
        let request = &prepared.request;
        let places = Places {
            package: prepared.copy.clone(),
            project: Some(request.project.clone()),
            input: None,
            output: None,
            work: Work::Memory(Afterwards::Gone),
            further: Vec::new(),
            scratch: Scratch::default(),
            search: request.search.clone(),
            environment: request.environment.clone(),
        };
        let start = Start {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            programs: self.programs.clone(),
            package: self.package,
            items: self.items.clone(),
            environment: self.environment.clone(),
            folder: Some(PACKAGE.into()),
            proc: Proc::Processes,
            limits: Limits {
                wall: self.timeout,
                output: STREAM_BYTES,
                line: Some(LINE_BYTES),
                ..Limits::default()
            },
            input: wire::call(&self.tool, input, &context),
        };
        let lowered = lower(&prepared.met, &places, &start).map_err(Error::Program)?;
        let begun = Instant::now();
        let mut process = spawn_with(lowered.value, request.settings()).map_err(Error::Sandbox)?;
        let mut talk = Talk::default();
        talk.listen(&mut process);
        let run = process.wait().map_err(Error::Sandbox)?;
        // A line that was cut by a limit is not held against the tool; the limit is.
        if let (Some(rest), Ending::Exited(_) | Ending::Signalled(_)) = (talk.rest.take(), run.outcome.ending)
        {
            talk.hear(&rest);
        }
        let answer = talk.answer.unwrap_or_else(|| Err(self.without_answer(run.outcome.ending)));
        Ok(Ran {
            answer,
            logs: logs(&mut process),
            duration: begun.elapsed(),
            hosts: run.outcome.egress.asked,
            report: run.report,
            losses: lowered.losses,
        })
    }

    fn without_answer(&self, ending: Ending) -> Fault {
        match ending {
            Ending::Breached(Breach::Wall) => {
                let message = format!("the tool gave no answer within {} ms", self.timeout.as_millis());
                fault(FaultKind::Timeout, message)
            }
            Ending::Breached(breach @ (Breach::Output | Breach::Line)) => {
                fault(FaultKind::OutputTooLarge, format!("the tool went over {breach}"))
            }
            ending => fault(FaultKind::ToolCrashed, format!("the tool {ending} and gave no answer")),
        }
    }
}

/// A conversation with a tool, and what came of it.
#[derive(Debug, Default)]
struct Talk {
    conversation: Conversation,
    answer: Option<Result<Json, Fault>>,
    /// What came without the end of a line, at the end.
    rest: Option<Vec<u8>>,
}

/// Whether a tool is to be heard further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    On,
    /// It has broken the protocol.
    Enough,
}

impl Talk {
    /// Hears the tool until it ends, which it may do by itself for a moment after its answer.
    fn listen(&mut self, process: &mut Process) {
        // The sandbox ends a run whose time is over, and with it its output.
        let mut patience = Duration::MAX;
        loop {
            match process.output.line(patience) {
                Line::Whole(line) => {
                    if self.hear(&line) == Heard::Enough {
                        return process.stop();
                    }
                }
                Line::Rest(rest) => self.rest = Some(rest),
                Line::End => return,
                Line::Late => return process.stop(),
            }
            if self.conversation.is_over() && patience != GRACE {
                process.end_input();
                patience = GRACE;
            }
        }
    }

    fn hear(&mut self, line: &[u8]) -> Heard {
        match self.conversation.hear(line) {
            // No resource is named, so no shard can be asked for.
            Ok(Event::Nothing | Event::Shard(_)) => {}
            Ok(Event::Output(output)) => self.answer = Some(Ok(output)),
            Ok(Event::Failed(message)) => self.answer = Some(Err(fault(FaultKind::ToolError, message))),
            Err(violation) => {
                self.answer = Some(Err(fault(FaultKind::Protocol, violation.to_string())));
                return Heard::Enough;
            }
        }
        Heard::On
    }
}

fn fault(kind: FaultKind, message: String) -> Fault {
    Fault { kind, message, details: Vec::new() }
}

/// Whether the tool may reach some of the project.
fn reaches_files(met: &Met) -> bool {
    met.allowed.iter().any(|allowed| {
        let is_files = matches!(allowed.effect, Effect::Read | Effect::Write);
        let patterns = allowed.scope.patterns();
        is_files && patterns.iter().any(|pattern| pattern.root == Some(kitbag_core::permit::Root::Project))
    })
}

/// What the tool said on standard errors: text, and not too much of it.
fn logs(process: &mut Process) -> String {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    while bytes.len() <= LOG_BYTES {
        match process.errors.read(&mut chunk) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&chunk[..count]),
            // What a channel gives cannot fail.
            _ => break,
        }
    }
    let cut = bytes.len() > LOG_BYTES;
    bytes.truncate(LOG_BYTES);
    let mut text = String::from_utf8_lossy(&bytes).trim().to_owned();
    if cut {
        text.push_str("\n[logs truncated]");
    }
    text
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
