//! `explain` for people.

use std::io::{self, Write};

use kitbag_core::finding::{Code, Grade};

use super::style::{FAINT, HELP, STRONG, severity};
use super::wrap;

/// What each code means, why it matters and what to do.
///
/// # Errors
/// The writer's own.
pub fn explain(codes: &[&Code], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, code) in codes.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{STRONG}{}{STRONG:#}: {}", code.slug, grade(code.grade))?;
        let mut row = |word: &str, text: &str, style: anstyle::Style| {
            let lead = format!("  {style}{word}{style:#}{:1$}", "", 6 - word.len());
            wrap::hanging(out, (lead, 8), 8, text, columns)
        };
        row("when", code.summary, FAINT)?;
        row("why", code.why, FAINT)?;
        row("help", code.help, HELP)?;
        row("rule", code.clause, FAINT)?;
    }
    Ok(())
}

fn grade(grade: Grade) -> String {
    match grade {
        Grade::Always(severity) => severity.word().to_owned(),
        Grade::Since { version, before, after } => {
            format!("{after} since version {version} of the specification, {before} before")
        }
    }
}

/// Every code on a line of its own, with its severity and when it is raised.
///
/// # Errors
/// The writer's own.
pub fn list_codes(codes: &[&Code], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut group = "";
    for code in codes {
        let (format, _) = code.slug.split_once('/').unwrap_or((code.slug, ""));
        if format != group {
            if !group.is_empty() {
                writeln!(out)?;
            }
            writeln!(out, "{STRONG}{format}{STRONG:#}")?;
            group = format;
        }
        let worst = code.grade.under(None);
        let style = severity(worst);
        writeln!(out, "  {style}{:7}{style:#}  {}", worst.word(), code.slug)?;
        wrap::hanging(out, (format_args!("{:11}", ""), 11), 11, code.summary, columns)?;
    }
    Ok(())
}
