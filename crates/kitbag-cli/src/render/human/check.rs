//! `check` for people.

use std::io::{self, Write};

use kitbag::check::Report;

use crate::render::Plain;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, _columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for package in &report.packages {
        writeln!(out, "{}", Plain(&package.location.to_string()))?;
        for located in &package.findings {
            let finding = &located.finding;
            writeln!(out, "{}[{}]: {}", finding.severity, finding.code.slug, Plain(&finding.message))?;
        }
    }
    Ok(())
}
