//! Numbers with their nouns, and the line that closes a check.

use std::io::{self, Write};

use kitbag::check::Counts;

/// `1 file`, `2 files`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `1 error, 2 warnings`, or `no findings`.
pub fn findings(counts: &Counts) -> String {
    let kinds = [
        (counts.errors, "error", "errors"),
        (counts.warnings, "warning", "warnings"),
        (counts.infos, "note", "notes"),
        (counts.allowed, "allowed", "allowed"),
    ];
    let said: Vec<String> = kinds
        .into_iter()
        .filter(|&(count, ..)| count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    if said.is_empty() { "no findings".to_owned() } else { said.join(", ") }
}

/// `3 packages: 1 error, 2 warnings`
///
/// # Errors
/// The writer's own.
pub fn summary(counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}", counted(counts.packages, "package", "packages"), findings(counts))
}
