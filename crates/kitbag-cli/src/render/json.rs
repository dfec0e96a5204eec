//! Version 1 of the JSON output. These structs are a promise: fields are added, never renamed or removed.

use std::io::{self, Write};

use kitbag::check::Report;
use kitbag_core::finding::Code;
use serde::Serialize;

#[derive(Serialize)]
struct Explanation<'a> {
    version: u32,
    command: &'static str,
    codes: Vec<CodeEntry<'a>>,
}

#[derive(Serialize)]
struct CodeEntry<'a> {
    code: &'a str,
    severity: &'static str,
    clause: &'a str,
    summary: &'a str,
    why: &'a str,
    help: &'a str,
}

/// The answer of `explain`.
///
/// # Errors
/// The writer's own.
pub fn explain(codes: &[&Code], out: &mut dyn Write) -> io::Result<()> {
    let codes = codes.iter().map(|code| CodeEntry {
        code: code.slug,
        severity: code.grade.under(None).word(),
        clause: code.clause,
        summary: code.summary,
        why: code.why,
        help: code.help,
    });
    document(&Explanation { version: 1, command: "explain", codes: codes.collect() }, out)
}

/// The answer of `check`.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let _ = report;
    document(&serde_json::Value::Null, out)
}

fn document(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}
