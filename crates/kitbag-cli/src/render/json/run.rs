//! `run`

use std::borrow::Cow;
use std::io::{self, Write};

use kitbag::run::{Error, Fault, Prepared, Ran};
use kitbag_core::json::Json;
use kitbag_core::permit::{Loss, LossKind};
use kitbag_sandbox::egress::{Asked, Verdict};
use kitbag_sandbox::{Report, Value};
use serde::Serialize;
use serde_json::{Map, Value as Plain};

use crate::render::document;

use super::VERSION;

#[derive(Serialize)]
struct Run<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    /// Absent where it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failed<'a>>,
    /// What it wrote for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Written<'a>>,
    /// What the tool said on standard errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<&'a str>,
    #[serde(rename = "durationMs", skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u128>,
    /// What its isolation was; absent when nothing was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<Plain>,
    /// Every host that it asked for.
    #[serde(rename = "networkHosts", skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Host<'a>>,
    /// What it may do and the sandbox could not let it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    losses: Vec<Lost<'a>>,
}

#[derive(Serialize)]
struct Written<'a> {
    path: Cow<'a, str>,
    bytes: u64,
}

#[derive(Serialize)]
pub(super) struct Failed<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    details: &'a [String],
}

impl<'a> Failed<'a> {
    pub(super) fn of(fault: &'a Fault) -> Self {
        Self { code: fault.kind.code(), message: &fault.message, details: &fault.details }
    }
}

#[derive(Serialize)]
pub(super) struct Host<'a> {
    host: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    allowed: bool,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    times: u64,
    sent: u64,
    received: u64,
}

#[derive(Serialize)]
pub(super) struct Lost<'a> {
    kind: &'static str,
    because: &'a str,
    file: String,
    pointer: &'a str,
}

impl<'a> Run<'a> {
    fn of(prepared: &'a Prepared, answer: Result<&'a Json, &'a Fault>) -> Self {
        Self {
            version: VERSION,
            command: "run",
            ok: answer.is_ok(),
            package: Some(prepared.identity.name.as_deref().unwrap_or_default()),
            tool: &prepared.tool,
            output: answer.ok().map(Plain::from),
            error: answer.err().map(Failed::of),
            written: None,
            logs: None,
            duration_ms: None,
            sandbox: None,
            hosts: Vec::new(),
            losses: Vec::new(),
        }
    }
}

/// Writes what a run came to.
///
/// # Errors
/// The writer's own.
pub fn run(prepared: &Prepared, ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    let run = Run {
        written: ran.written.as_ref().map(written),
        logs: Some(&ran.logs),
        duration_ms: Some(ran.duration.as_millis()),
        sandbox: Some(sandbox(&ran.report)),
        hosts: ran.hosts.iter().map(host).collect(),
        losses: ran.losses.iter().map(lost).collect(),
        ..Run::of(prepared, ran.answer.as_ref())
    };
    document::write(&run, out)
}

/// Writes why nothing was started, where the package or this host is the reason.
///
/// # Errors
/// The writer's own.
pub fn run_refused(tool: &str, error: &Error, out: &mut dyn Write) -> io::Result<()> {
    let message = error.to_string();
    let failed = Failed { code: error.code(), message: &message, details: &[] };
    let run = Run {
        version: VERSION,
        command: "run",
        ok: false,
        package: None,
        tool,
        output: None,
        written: None,
        error: Some(failed),
        logs: None,
        duration_ms: None,
        sandbox: None,
        hosts: Vec::new(),
        losses: Vec::new(),
    };
    document::write(&run, out)
}

/// Writes why nothing was started, where the input is the reason.
///
/// # Errors
/// The writer's own.
pub fn run_fault(prepared: &Prepared, fault: &Fault, out: &mut dyn Write) -> io::Result<()> {
    document::write(&Run::of(prepared, Err(fault)), out)
}

/// Writes the output of a tool and nothing else.
///
/// # Errors
/// The writer's own.
pub fn run_output(output: &Json, out: &mut dyn Write) -> io::Result<()> {
    document::write(&Plain::from(output), out)
}

pub(super) fn sandbox(report: &Report) -> Plain {
    let value = |value: Value| -> Plain {
        match value {
            Value::Word(word) => word.into(),
            Value::Claim(claim) => claim.into(),
            Value::Number(number) => number.into(),
            Value::Words(words) => words
                .into_iter()
                .map(|(name, word)| (name.to_owned(), word.into()))
                .collect::<Map<_, _>>()
                .into(),
            Value::Sentences(sentences) => sentences.into(),
        }
    };
    report
        .fields()
        .into_iter()
        .map(|(name, field)| (name.to_owned(), value(field)))
        .collect::<Map<_, _>>()
        .into()
}

fn written(written: &kitbag::run::Written) -> Written<'_> {
    Written { path: written.path.to_string_lossy(), bytes: written.bytes }
}

pub(super) fn host(asked: &Asked) -> Host<'_> {
    let refused = match &asked.verdict {
        Verdict::Allowed => None,
        Verdict::Refused(refusal) => Some(refusal.to_string()),
    };
    Host {
        host: &asked.host,
        port: asked.port,
        allowed: refused.is_none(),
        because: refused,
        times: asked.times,
        sent: asked.sent,
        received: asked.received,
    }
}

pub(super) fn lost(loss: &Loss) -> Lost<'_> {
    let kind = match loss.kind {
        LossKind::Dropped => "dropped",
        LossKind::Tightened => "tightened",
        LossKind::Widened => "widened",
    };
    Lost {
        kind,
        because: &loss.because,
        file: loss.origin.file.to_string(),
        pointer: loss.origin.pointer.as_str(),
    }
}
