//! `cache` for people: what is kept, what is wrong with it, what went.

use std::io::{self, Write};
use std::time::SystemTime;

use kitbag::resource::{Checked, Collected, Dry, Entry};
use kitbag_core::limits::Bytes;

use crate::render::plain::Plain;

use super::style::{BAD, FAINT, GOOD};
use super::summary::counted;

/// Writes what is kept.
///
/// # Errors
/// The writer's own.
pub fn cache(entries: &[Entry], now: SystemTime, out: &mut dyn Write) -> io::Result<()> {
    if entries.is_empty() {
        return writeln!(out, "nothing is kept");
    }
    for entry in entries {
        let used = entry.used.map(|used| ago(used, now)).unwrap_or_default();
        line(entry, &format!("  {FAINT}{used}{FAINT:#}"), out)?;
    }
    let all = entries.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.bytes));
    writeln!(out, "{} in all", Bytes(all))
}

fn line(entry: &Entry, end: &str, out: &mut dyn Write) -> io::Result<()> {
    let (kind, size) = (entry.kind.word(), Bytes(entry.bytes).to_string());
    writeln!(out, "{kind:<9}{size:>12}  {}{end}", Plain(&entry.name))
}

/// How long something is past, in words.
fn ago(then: SystemTime, now: SystemTime) -> String {
    let seconds = now.duration_since(then).map_or(0, |past| past.as_secs());
    let days = usize::try_from(seconds / 86_400).unwrap_or(usize::MAX);
    match (days, seconds / 3600) {
        (0, 0) => "just now".to_owned(),
        (0, hours) => format!("{} ago", counted(usize::try_from(hours).unwrap_or(0), "hour", "hours")),
        (days, _) => format!("{} ago", counted(days, "day", "days")),
    }
}

/// Writes what was compared.
///
/// # Errors
/// The writer's own.
pub fn cache_verified(checked: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    let wrong: Vec<&Checked> = checked.iter().filter(|one| !one.is_right).collect();
    for one in &wrong {
        line(&one.entry, &format!("  {BAD}is not what its name says{BAD:#}"), out)?;
    }
    let all = counted(checked.len(), "thing", "things");
    if wrong.is_empty() {
        return writeln!(out, "{GOOD}right{GOOD:#}: {all} compared, byte for byte");
    }
    writeln!(out, "{BAD}{} of {all}{BAD:#}; whoever needs it next fetches or copies it again", wrong.len())
}

/// Writes what went, or would go.
///
/// # Errors
/// The writer's own.
pub fn cache_collected(collected: &Collected, dry: Dry, out: &mut dyn Write) -> io::Result<()> {
    for entry in &collected.gone {
        line(entry, "", out)?;
    }
    for entry in &collected.in_use {
        line(entry, &format!("  {FAINT}stays: a program uses it now{FAINT:#}"), out)?;
    }
    let size = Bytes(collected.bytes());
    let count = counted(collected.gone.len(), "thing", "things");
    match dry {
        Dry::No => write!(out, "{size} freed, {count}")?,
        Dry::Yes => write!(out, "{size} would be freed, {count}")?,
    }
    match collected.stayed {
        0 => writeln!(out),
        stayed => writeln!(out, "; {stayed} more stay"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_read_well() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(10 * 86_400);
        let before = |seconds| ago(now - Duration::from_secs(seconds), now);
        assert_eq!(
            [before(5), before(3600), before(86_400), before(3 * 86_400)],
            ["just now", "1 hour ago", "1 day ago", "3 days ago"]
        );
        assert_eq!(ago(now + Duration::from_secs(5), now), "just now");
    }
}
