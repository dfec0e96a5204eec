//! `fix` for people: what changes and why, with the difference.

use std::io::{self, Write};

use kitbag::fix::{Mode, Outcome, PackageFixes, Report};

use crate::render::plain::{Plain, plain};

use super::style::{ADDED, BAD, FAINT, REMOVED, STRONG};
use super::summary::counted;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn fix(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for (at, package) in report.packages.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        one(package, out)?;
    }
    Ok(())
}

fn one(package: &PackageFixes, out: &mut dyn Write) -> io::Result<()> {
    for document in &package.documents {
        writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.file(&document.file)))?;
        for change in &document.changes {
            writeln!(out, "  {} {FAINT}[{}]{FAINT:#}", Plain(&change.what), change.code)?;
        }
        for line in document.diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                _ => FAINT,
            };
            writeln!(out, "  {style}{}{style:#}", Plain(line))?;
        }
    }
    if let Outcome::Refused { because } = &package.outcome {
        let place = plain(&package.location.to_string());
        writeln!(out, "{STRONG}{place}{STRONG:#}\n  {BAD}not written{BAD:#}: {}", Plain(because))?;
    }
    Ok(())
}

/// One line: how many changes, and what is left.
///
/// # Errors
/// The writer's own.
pub fn fix_summary(report: &Report, mode: Mode, out: &mut dyn Write) -> io::Result<()> {
    let written = |package: &&PackageFixes| !matches!(package.outcome, Outcome::Refused { .. });
    let documents = report.packages.iter().filter(written).flat_map(|package| &package.documents);
    let changes: usize = documents.map(|document| document.changes.len()).sum();
    let done = match mode {
        Mode::Preview => "would be fixed",
        Mode::Write => "fixed",
    };
    let left = counted(report.errors_left, "error is left", "errors are left");
    writeln!(out, "{} {done}, {left}", counted(changes, "finding", "findings"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{fixes, unstyled, written};

    #[test]
    fn changes_are_told_with_their_codes_and_shown_as_a_difference() {
        let text = unstyled(&written(|out| fix(&fixes(), out)));
        insta::assert_snapshot!(text, @r"
        x/SKILL.md
          the name becomes `evil\u{1b}` [agent-skill/name-form]
          @@ -2 +2 @@
          -name: \u{1b}[2JEvil
          +name: evil

        y/SKILL.md
          the name becomes `evil\u{1b}` [agent-skill/name-form]
          @@ -2 +2 @@
          -name: \u{1b}[2JEvil
          +name: evil
        y
          not written: it changed\u{9b} meanwhile
        ");
    }

    #[test]
    fn what_was_refused_is_not_counted_as_fixed() {
        insta::assert_snapshot!(written(|out| fix_summary(&fixes(), Mode::Write, out)), @"1 finding fixed, 1 error is left");
        insta::assert_snapshot!(written(|out| fix_summary(&fixes(), Mode::Preview, out)), @"1 finding would be fixed, 1 error is left");
    }
}
