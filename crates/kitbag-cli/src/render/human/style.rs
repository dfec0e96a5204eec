//! The few styles there are. Nothing depends on them: every fact they carry is also a word or a sign.

use anstyle::{AnsiColor, Style};
use kitbag_core::finding::Severity;

/// Headings and names.
pub const STRONG: Style = Style::new().bold();
/// What may be skipped in reading.
pub const FAINT: Style = Style::new().dimmed();
/// Yes.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// No.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What to do.
pub const HELP: Style = AnsiColor::Cyan.on_default().bold();

/// The style of a severity's word.
pub const fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Info => AnsiColor::Blue.on_default().bold(),
    }
}

/// A line that is new.
pub const ADDED: Style = AnsiColor::Green.on_default();
/// A line that goes.
pub const REMOVED: Style = AnsiColor::Red.on_default();
