//! `doctor`

use std::io::{self, Write};

use kitbag::doctor::{Backend, Diagnosis, Interpreter};
use serde::Serialize;

use crate::render::document;

use super::VERSION;

#[derive(Serialize)]
struct Doctor<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    system: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'a str>,
    kept: bool,
    backends: Vec<Entry<'a>>,
    interpreters: &'a [Interpreter],
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    works: bool,
    holds: bool,
    l2_eligible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a serde_json::Map<String, serde_json::Value>>,
    canaries: &'a [kitbag::doctor::Canary],
}

impl<'a> Entry<'a> {
    fn of(backend: &'a Backend) -> Self {
        Self {
            name: &backend.name,
            works: backend.works,
            holds: backend.holds,
            l2_eligible: backend.is_l2_eligible(),
            because: backend.because.as_deref(),
            help: backend.help.as_deref(),
            report: backend.report.as_ref(),
            canaries: &backend.canaries,
        }
    }
}

/// The answer of `doctor`.
///
/// # Errors
/// The writer's own.
pub fn doctor(diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    let answer = Doctor {
        version: VERSION,
        command: "doctor",
        ok: diagnosis.holds(),
        system: &diagnosis.system,
        chosen: diagnosis.chosen().map(|backend| backend.name.as_str()),
        kept: diagnosis.is_kept,
        backends: diagnosis.backends.iter().map(Entry::of).collect(),
        interpreters: &diagnosis.interpreters,
    };
    document::write(&answer, out)
}
