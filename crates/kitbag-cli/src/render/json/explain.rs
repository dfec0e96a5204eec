//! `explain`

use std::io::{self, Write};

use kitbag_core::finding::Code;
use serde::Serialize;

use crate::render::document;

use super::VERSION;

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
    document::write(&Explanation { version: VERSION, command: "explain", codes: codes.collect() }, out)
}
