//! `cache`: what is kept, whether it is right, what went.

use std::io::{self, Write};
use std::time::SystemTime;

use kitbag::resource::{Checked, Collected, Dry, Entry};
use serde::Serialize;

use crate::render::document;

use super::VERSION;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    entries: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_use: Option<Vec<Item<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stayed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    kind: &'static str,
    name: &'a str,
    bytes: u64,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
}

impl<'a> Item<'a> {
    fn of(entry: &'a Entry) -> Self {
        let used = entry.used.and_then(|used| used.duration_since(SystemTime::UNIX_EPOCH).ok());
        Self {
            kind: entry.kind.word(),
            name: &entry.name,
            bytes: entry.bytes,
            last_used: used.map(|used| used.as_secs()),
            ok: None,
        }
    }
}

impl<'a> Answer<'a> {
    fn new(command: &'static str, entries: Vec<Item<'a>>) -> Self {
        let bytes = entries.iter().fold(0_u64, |sum, item| sum.saturating_add(item.bytes));
        Self {
            version: VERSION,
            command,
            ok: true,
            entries,
            in_use: None,
            stayed: None,
            dry_run: None,
            bytes,
        }
    }
}

/// Writes what is kept.
///
/// # Errors
/// The writer's own.
pub fn cache(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    document::write(&Answer::new("cache ls", entries.iter().map(Item::of).collect()), out)
}

/// Writes what was compared.
///
/// # Errors
/// The writer's own.
pub fn cache_verified(checked: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    let item = |one: &'_ Checked| one.is_right;
    let entries = checked.iter().map(|one| Item { ok: Some(one.is_right), ..Item::of(&one.entry) });
    let answer = Answer { ok: checked.iter().all(item), ..Answer::new("cache verify", entries.collect()) };
    document::write(&answer, out)
}

/// Writes what went, or would go.
///
/// # Errors
/// The writer's own.
pub fn cache_collected(collected: &Collected, dry: Dry, out: &mut dyn Write) -> io::Result<()> {
    let answer = Answer {
        in_use: Some(collected.in_use.iter().map(Item::of).collect()),
        stayed: Some(collected.stayed),
        dry_run: Some(dry == Dry::Yes),
        ..Answer::new("cache gc", collected.gone.iter().map(Item::of).collect())
    };
    document::write(&answer, out)
}
