//! Tools of Splice (Splice 1, "Runtime"): modules for Node.js. A host script of ours loads one, calls its default export and
//! says what came of it; what the tool prints meanwhile is a log.

mod folders;

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use kitbag_core::digest::Sha256;
use kitbag_core::formats::splice::redact::Redaction;
use kitbag_core::formats::splice::wire::{self, Conversation, Event, Failure};
use kitbag_core::formats::splice::{Document, Manifest};
use kitbag_core::json::decode::Placed;
use kitbag_core::path::PackagePath;
use kitbag_core::permit::{Effect, Met};
use kitbag_core::tool::Tool;
use kitbag_core::tree::Tree;
use kitbag_sandbox::egress::Verdict;
use kitbag_sandbox::{Item, Limits, PACKAGE, PROJECT, Plan, Process, Rights};
use serde_json::Value as Plain;

use super::broker::{Broker, CapabilityCall, answer, unavailable};
use super::call::{Begun, Call, Ear, Heard, Wire};
use super::input::Input;
use super::node::{Grants, Node};
use super::starter::{Starter, entry};
use super::typescript::{self, Stripped};
use super::{Error, Fault, FaultKind, Prepared, Ran, Request, unsupported};

/// The folder of our own scripts, inside.
const HOST: &str = "/host";
/// Modules without their types, inside.
const TYPES: &str = "/types";
/// Our own scripts; the first one is started.
const SCRIPTS: [(&str, &str); 3] = [
    ("host.mjs", include_str!("splice/host.mjs")),
    ("hooks.mjs", include_str!("splice/hooks.mjs")),
    ("fetch.mjs", include_str!("splice/fetch.mjs")),
];
/// The longest line that a tool says: the longest output, and more than any call of a capability has.
const LINE_BYTES: usize = 4 << 20;
/// The most that a tool says on a stream in all.
const STREAM_BYTES: usize = 16 << 20;

/// Finds what starts `tool`, a tool of the package in `tree`.
pub(super) fn prepare(
    manifest: &Manifest,
    tool: &Tool<'_>,
    tree: &Tree,
    request: &Request,
) -> Result<Call, Error> {
    let document = manifest.document().ok_or_else(|| unsupported("the manifest cannot be read"))?;
    let node = Node::find(tool.runtime.version.as_deref(), request)?;
    let texts =
        |items: &[Placed<String>]| -> Vec<String> { items.iter().map(|item| item.value.clone()).collect() };
    let permissions = &document.permissions;
    let written = texts(&permissions.write);
    let inside = |path: &String| match path.as_str() {
        "." => PROJECT.to_owned(),
        path => format!("{PROJECT}/{path}"),
    };
    let read: Vec<String> = texts(&permissions.read).iter().map(inside).collect();
    let write: Vec<String> = written.iter().map(inside).collect();
    let entry = entry(tool.runtime.entry)?.display().to_string();
    let types = types(&node, tool, tree, request)?;
    let (stripped, flag) = match types {
        Types::TakenOut(stripped) => (Some(stripped), None),
        Types::LeftToNode(flag) => (None, flag),
    };
    let host = Host {
        context: wire::context(document, tool.name, PACKAGE, PROJECT),
        about: About::of(document, tool),
        entry,
        variables: texts(&permissions.env),
        capabilities: texts(&permissions.capabilities),
        files: [&read[..], &write[..]].concat(),
        written,
        faults: stripped.iter().flat_map(|stripped| &stripped.faults).map(fault_inside).collect(),
        has_types: stripped.is_some(),
        // Node.js itself looks for a word on the kind of a module in `package.json`.
        guesses: !tree.iter().any(|(path, _)| path.name() == "package.json"),
    };
    let limits = Limits {
        wall: Duration::from_millis(tool.timeout_ms.into()),
        output: STREAM_BYTES,
        line: Some(LINE_BYTES),
        ..Limits::default()
    };
    let has_network = !permissions.network.is_empty();
    let own = [HOST, PACKAGE, TYPES].map(str::to_owned);
    let grants = Grants { read: [&own[..], &read[..]].concat(), write, has_network };
    let [(first, _), ..] = SCRIPTS;
    let mut arguments: Vec<OsString> = flag.map(OsString::from).into_iter().collect();
    arguments.extend(node.arguments(&format!("{HOST}/{first}"), &grants));
    let mut starter = Starter::of_host(node.interpreter, limits);
    starter.arguments = arguments;
    starter.items.extend(
        SCRIPTS.map(|(name, text)| Item::File { at: format!("{HOST}/{name}").into(), content: text.into() }),
    );
    starter.items.extend(stripped.map(|stripped| Item::Host {
        from: stripped.folder,
        at: TYPES.into(),
        rights: Rights::Read,
    }));
    Ok(Call { starter, wire: Box::new(host) })
}

/// Who takes the types out of a package's modules.
enum Types {
    /// We did, or there are none.
    TakenOut(Stripped),
    /// Node.js does when it loads one, with this flag where it needs one.
    LeftToNode(Option<&'static str>),
}

fn types(node: &Node, tool: &Tool<'_>, tree: &Tree, request: &Request) -> Result<Types, Error> {
    if !tree.iter().any(|(path, _)| typescript::is_typed(path)) {
        return Ok(Types::LeftToNode(None));
    }
    if typescript::is_possible(request) {
        return typescript::stripped(tree, request).map(Types::TakenOut);
    }
    if node.strips_types_itself() {
        return Ok(Types::LeftToNode(None));
    }
    if node.has(STRIP_TYPES) {
        return Ok(Types::LeftToNode(Some(STRIP_TYPES)));
    }
    if !tool.runtime.entry.is_some_and(|entry| entry.ends_with("ts")) {
        return Ok(Types::LeftToNode(None));
    }
    Err(Error::Unsupported {
        because: format!("the tool is written in TypeScript, which Node.js {} does not read", node.version),
        help: Some("put a Node.js from 22.18 on first in PATH".to_owned()),
    })
}

/// What has Node.js from 22.6 on take out types.
const STRIP_TYPES: &str = "--experimental-strip-types";

fn fault_inside((path, message): &(PackagePath, String)) -> (String, String) {
    (format!("{PACKAGE}/{path}"), message.clone())
}

/// Whose tool it is.
#[derive(Clone, Debug)]
struct About {
    package: String,
    tool: String,
}

impl About {
    fn of(document: &Document, tool: &Tool<'_>) -> Self {
        Self { package: document.id(), tool: tool.name.to_owned() }
    }
}

/// What the host script is told, for one tool.
#[derive(Debug)]
struct Host {
    context: Plain,
    about: About,
    entry: String,
    variables: Vec<String>,
    capabilities: Vec<String>,
    files: Vec<String>,
    /// What the project's folders are called that are written.
    written: Vec<String>,
    /// Modules that cannot be loaded, and why.
    faults: Vec<(String, String)>,
    /// Whether modules lie in [`TYPES`] without their types.
    has_types: bool,
    guesses: bool,
}

impl Wire for Host {
    fn begin(&self, prepared: &Prepared, input: &Input) -> Result<Begun, Error> {
        // Splice 1, "Runtime": what is written to is there before the tool begins.
        folders::make(&prepared.request.project, &self.written);
        let environment: Vec<(String, String)> = prepared
            .request
            .environment
            .iter()
            .filter(|(name, _)| self.declares(name) && may_be_seen(name, &prepared.met))
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        let word = word();
        let values = environment.iter().map(|(_, value)| value.clone());
        let folders = [(PACKAGE.to_owned(), "<package>"), (PROJECT.to_owned(), "<project>")];
        let redaction = Arc::new(Redaction::new(values, folders));
        let call = wire::Call {
            word: &word,
            entry: &self.entry,
            input: input.json(),
            context: &self.context,
            environment,
            files: self.files.clone(),
            types: self.has_types.then_some(TYPES),
            faults: self.faults.clone(),
            guesses: self.guesses,
        };
        let opening = call.line();
        let ear = Box::new(Listener {
            conversation: Conversation::new(word, self.capabilities.clone()),
            about: self.about.clone(),
            broker: prepared.broker.clone(),
            in_flight: Arc::default(),
            redaction,
            printed: Vec::new(),
        });
        Ok(Begun { opening, ear, items: Vec::new() })
    }

    fn settle(&self, plan: &mut Plan) {
        // The variables go to the tool and not to its interpreter, which would heed some of them.
        plan.environment.retain(|(name, _)| !self.declares(name));
    }
}

impl Host {
    fn declares(&self, name: &OsStr) -> bool {
        self.variables.iter().any(|variable| name == variable.as_str())
    }
}

/// Whether all faces of the package let a tool see the variable.
fn may_be_seen(name: &OsStr, met: &Met) -> bool {
    met.allowed
        .iter()
        .filter(|allowed| allowed.effect == Effect::Env)
        .any(|allowed| allowed.scope.patterns().iter().any(|pattern| name == pattern.text.as_str()))
}

/// A word that nobody guesses.
fn word() -> String {
    // Keyed with the system's randomness.
    let random = || RandomState::new().build_hasher().finish().to_be_bytes();
    Sha256::of(&[random(), random(), random(), random()].concat()).to_string()
}

/// Hears one call.
struct Listener {
    conversation: Conversation,
    about: About,
    broker: Option<Arc<dyn Broker>>,
    /// How many calls of capabilities wait for an answer.
    in_flight: Arc<AtomicUsize>,
    redaction: Arc<Redaction>,
    /// What the tool itself has printed past its console.
    printed: Vec<u8>,
}

impl Ear for Listener {
    fn hear(&mut self, line: &[u8], process: &mut Process) -> Heard {
        let event = match self.conversation.hear(line, self.in_flight.load(Ordering::Acquire)) {
            Ok(event) => event,
            Err(violation) => return Heard::Broken(violation.to_string()),
        };
        match event {
            Event::Log => {
                // What begins a message ends the line before it, which may have been empty.
                if !line.is_empty() && self.printed.len() <= wire::LOG_BYTES {
                    self.printed.extend_from_slice(line);
                    self.printed.push(b'\n');
                }
                Heard::On
            }
            Event::Capability(call) => {
                self.call(call, process);
                Heard::On
            }
            Event::Output(output) => Heard::Last(Ok(output)),
            Event::Unreadable(error) => {
                let message = format!("the output is no JSON that every program reads alike: {error}");
                Heard::Last(Err(Fault::new(FaultKind::InvalidOutput, message)))
            }
            Event::TooLong(length) => {
                let most = wire::OUTPUT_BYTES;
                let message = format!("the output has {length} bytes (at most {most})");
                Heard::Last(Err(Fault::new(FaultKind::OutputTooLarge, message)))
            }
            Event::Failed { how, message } => {
                let kind = match how {
                    Failure::Denied => FaultKind::PermissionDenied,
                    Failure::Load => FaultKind::ToolLoadFailed,
                    _ => FaultKind::ToolError,
                };
                Heard::Last(Err(Fault::new(kind, message)))
            }
        }
    }

    fn tell(&mut self, ran: &mut Ran) {
        if !self.printed.is_empty() {
            let printed = String::from_utf8_lossy(&self.printed);
            if !ran.logs.is_empty() && !ran.logs.ends_with('\n') {
                ran.logs.push('\n');
            }
            ran.logs.push_str(&printed);
        }
        if let Err(fault) = &mut ran.answer {
            name_denials(fault, &ran.logs, &ran.hosts);
            fault.message = self.redaction.of(&fault.message);
            for detail in &mut fault.details {
                *detail = self.redaction.of(detail);
            }
        }
        ran.logs = self.redaction.of(&ran.logs);
    }
}

impl Listener {
    /// Answers a call of a capability, now or from another thread.
    fn call(&self, call: wire::CapabilityCall, process: &mut Process) {
        let id = call.id;
        let arguments = match call.arguments {
            Ok(arguments) => arguments,
            Err(refusal) => return process.send(wire::reply(id, &Err(refusal))),
        };
        let (Some(broker), Ok(mut voice)) = (self.broker.clone(), process.voice()) else {
            return process.send(wire::reply(id, &Ok(unavailable(&call.name))));
        };
        let call = CapabilityCall {
            package: self.about.package.clone(),
            tool: self.about.tool.clone(),
            capability: call.name,
            arguments,
        };
        let (in_flight, redaction) = (Arc::clone(&self.in_flight), Arc::clone(&self.redaction));
        in_flight.fetch_add(1, Ordering::AcqRel);
        let name = call.capability.clone();
        let answering = thread::Builder::new().name("broker".to_owned()).spawn(move || {
            let answer = answer(&*broker, &call, |text| redaction.of(text));
            // Before the tool hears of it and calls the next one.
            in_flight.fetch_sub(1, Ordering::AcqRel);
            voice.send(wire::reply(id, &Ok(answer)));
        });
        if answering.is_err() {
            self.in_flight.fetch_sub(1, Ordering::AcqRel);
            process.send(wire::reply(id, &Ok(unavailable(&name))));
        }
    }
}

/// What `fetch` says of a connection that failed, and nothing else does.
const FETCH_FAILED: &str = "fetch failed";

/// Gives what was refused the format's name for it, where only the sandbox or the logs know that it was.
fn name_denials(fault: &mut Fault, logs: &str, hosts: &[kitbag_sandbox::egress::Asked]) {
    match fault.kind {
        // Splice 1, "Tool module contract".
        FaultKind::ToolCrashed if logs.contains("ERR_ACCESS_DENIED") => {
            fault.kind = FaultKind::PermissionDenied;
        }
        FaultKind::ToolError if fault.message == FETCH_FAILED => {
            let refused = hosts.iter().filter_map(|asked| match &asked.verdict {
                Verdict::Refused(refusal) => Some(format!("{}: {refusal}", asked.host)),
                Verdict::Allowed => None,
            });
            let refused: Vec<String> = refused.take(20).collect();
            if !refused.is_empty() {
                fault.kind = FaultKind::PermissionDenied;
                fault.details = refused;
            }
        }
        _ => {}
    }
}
