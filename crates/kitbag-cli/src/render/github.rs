//! Workflow commands that GitHub Actions turns into annotations.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::path::Path;

use kitbag::check::Report;
use kitbag_core::finding::Severity;

use super::place::spot;
use super::plain::plain;

/// One command per finding.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, here: &Path, out: &mut dyn Write) -> io::Result<()> {
    for package in &report.packages {
        for located in &package.findings {
            let finding = &located.finding;
            let spot = spot(package, located, here);
            let command = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
            };
            write!(out, "::{command} file={},line={}", Property(&plain(&spot.file)), spot.start.line())?;
            if let Some(end) = spot.end {
                write!(out, ",endLine={}", end.line)?;
            }
            if let Some(column) = spot.start.column() {
                write!(out, ",col={column}")?;
                // Columns of a finding over several lines would be read as columns of its first line.
                if let Some(end) = spot.end.filter(|end| end.line == spot.start.line()) {
                    write!(out, ",endColumn={}", end.column)?;
                }
            }
            let mut message = String::new();
            if let Some(inner) = &spot.inner {
                let _infallible = write!(message, "{}: ", plain(inner));
            }
            let text = [plain(&finding.message), plain(&finding.why), plain(&finding.help)];
            message.push_str(&text.join("\n"));
            writeln!(out, ",title={}::{}", Property(finding.code.slug), Message(&message))?;
        }
    }
    Ok(())
}

/// A property of a command: ends at a comma or colon.
struct Property<'t>(&'t str);

impl fmt::Display for Property<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(self.0, |c| matches!(c, '%' | '\r' | '\n' | ':' | ','), f)
    }
}

/// The message of a command: ends at the line's end.
struct Message<'t>(&'t str);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(self.0, |c| matches!(c, '%' | '\r' | '\n'), f)
    }
}

fn escaped(text: &str, special: fn(char) -> bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for c in text.chars() {
        if special(c) { write!(f, "%{:02X}", u32::from(c))? } else { f.write_char(c)? }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{report, written};

    #[test]
    fn every_finding_is_one_line_that_names_a_file_and_a_line() {
        let text = written(|out| check(&report(), Path::new("/here"), out));
        insta::assert_snapshot!(text, @r"
        ::notice file=my skills/x%2Cy/SKILL.md,line=1,title=package/size::100%25 of {budget}, [really]: 5,000 files%0ASome programs give up on large packages.%0ALeave out\n::error::what nobody needs.
        ::error file=my skills/x%2Cy/SKILL.md,line=2,endLine=2,col=7,endColumn=16,title=agent-skill/name-form::the name `\u{1b}[2JEvil\u{202e}` has a capital letter%0APrograms that follow the text refuse the skill.%0AUse lower-case letters, digits and single hyphens.
        ::warning file=my skills/x%2Cy/SKILL.md,line=4,endLine=4,col=1,endColumn=17,title=agent-skill/duplicate-field::`description` is there twice%0APrograms disagree on which of the two counts.%0ARemove one of them.
        ::error file=down.zip,line=1,title=agent-skill/name-form::a/b/SKILL.md: the name is empty%0APrograms that follow the text refuse the skill.%0AUse lower-case letters, digits and single hyphens.
        ");
    }

    #[test]
    fn nothing_in_a_property_ends_it_and_nothing_in_a_message_ends_the_line() {
        let hostile = "a,b:c%0A\r\n::error::x";
        assert_eq!(Property(hostile).to_string(), "a%2Cb%3Ac%250A%0D%0A%3A%3Aerror%3A%3Ax");
        assert_eq!(Message(hostile).to_string(), "a,b:c%250A%0D%0A::error::x");
        assert_eq!(Property("skills/x/SKILL.md").to_string(), "skills/x/SKILL.md");
    }
}
