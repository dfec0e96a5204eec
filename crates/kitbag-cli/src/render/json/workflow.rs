//! `workflow run`

use std::io::{self, Write};

use kitbag::run::Fault;
use kitbag::workflow::{Ended, Outcome, Prepared, Step};
use serde::Serialize;
use serde_json::{Map, Value as Plain};

use crate::render::document;

use super::VERSION;
use super::run::{Failed, Host, Lost, host, lost, sandbox};

#[derive(Serialize)]
struct Answer<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    package: &'a str,
    workflow: &'a str,
    /// `done`, `agent` or `failed`; absent when nothing began.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
    /// The step that an agent has to do, or that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failed<'a>>,
    /// What each step gave so far.
    results: Map<String, Plain>,
    /// What ran now.
    steps: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    step: &'a str,
    tool: &'a str,
    ok: bool,
    logs: &'a str,
    #[serde(rename = "durationMs")]
    duration_ms: u128,
    sandbox: Plain,
    #[serde(rename = "networkHosts", skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Host<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    losses: Vec<Lost<'a>>,
}

impl<'a> Entry<'a> {
    fn of(step: &'a Step) -> Self {
        let ran = &step.ran;
        Self {
            step: &step.id,
            tool: &step.tool,
            ok: ran.answer.is_ok(),
            logs: &ran.logs,
            duration_ms: ran.duration.as_millis(),
            sandbox: sandbox(&ran.report),
            hosts: ran.hosts.iter().map(host).collect(),
            losses: ran.losses.iter().map(lost).collect(),
        }
    }
}

impl<'a> Answer<'a> {
    fn of(prepared: &'a Prepared) -> Self {
        Self {
            version: VERSION,
            command: "workflow run",
            ok: false,
            package: prepared.identity.name.as_deref().unwrap_or_default(),
            workflow: &prepared.workflow,
            ended: None,
            step: None,
            output: None,
            instruction: None,
            error: None,
            results: Map::new(),
            steps: Vec::new(),
        }
    }
}

/// Writes how far a workflow came.
///
/// # Errors
/// The writer's own.
pub fn workflow(prepared: &Prepared, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let results = outcome.results.iter().map(|(step, output)| (step.clone(), Plain::from(output)));
    let so_far = Answer {
        results: results.collect(),
        steps: outcome.steps.iter().map(Entry::of).collect(),
        ..Answer::of(prepared)
    };
    let answer = match &outcome.ended {
        Ended::Done(output) => {
            Answer { ok: true, ended: Some("done"), output: Some(Plain::from(output)), ..so_far }
        }
        Ended::Agent { step, instruction } => Answer {
            ok: true,
            ended: Some("agent"),
            step: Some(step),
            instruction: Some(instruction),
            ..so_far
        },
        Ended::Failed { step, fault } => {
            Answer { ended: Some("failed"), step: step.as_deref(), error: Some(Failed::of(fault)), ..so_far }
        }
    };
    document::write(&answer, out)
}

/// Writes why nothing began.
///
/// # Errors
/// The writer's own.
pub fn workflow_fault(prepared: &Prepared, fault: &Fault, out: &mut dyn Write) -> io::Result<()> {
    document::write(&Answer { error: Some(Failed::of(fault)), ..Answer::of(prepared) }, out)
}
