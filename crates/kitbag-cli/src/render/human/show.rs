//! `show` for people: who it says it is, what is in it, what it may do, who would load it.

use std::io::{self, Write};

use anstyle::Style;
use kitbag::show::{Contents, Entry, EntryKind, Identity, PackageShown, Permissions, Shown};
use kitbag_core::limits::Bytes;
use kitbag_core::tree::Executable;

use crate::render::plain::{Plain, plain};

use super::style::{FAINT, HELP, STRONG, severity};
use super::summary::{counted, findings};
use super::{profiles, wrap};

/// Most entries listed; what stands out is listed always.
const MOST_LISTED: usize = 20;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn show(shown: &Shown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, package) in shown.packages.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        one(package, columns, out)?;
    }
    Ok(())
}

/// What is to be said about what is no package, or could not be looked at.
///
/// # Errors
/// The writer's own.
pub fn remarks(shown: &Shown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for remark in &shown.remarks {
        let place = match &remark.finding.place.file {
            Some(file) => plain(&remark.location.file(file)),
            None => plain(&remark.location.to_string()),
        };
        let style = severity(remark.finding.severity);
        let lead = format!("{style}{}{style:#}: ", remark.finding.severity);
        let taken = remark.finding.severity.word().len() + 2;
        let text = format!("{place}: {}", plain(&remark.finding.message));
        wrap::hanging(out, (lead, taken), 4, &text, columns)?;
        wrap::hanging(
            out,
            (format_args!("{HELP}help{HELP:#}: "), 6),
            4,
            &plain(&remark.finding.help),
            columns,
        )?;
    }
    Ok(())
}

fn one(package: &PackageShown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.to_string()))?;
    for identity in &package.identities {
        who(identity, columns, out)?;
    }
    contents(&package.contents, columns, out)?;
    permissions(&package.permissions, columns, out)?;
    if !package.profiles.is_empty() {
        writeln!(out, "\n{STRONG}Programs{STRONG:#}")?;
        profiles::table(&package.profiles, columns, out)?;
    }
    writeln!(out, "\n{STRONG}Check{STRONG:#}\n  {}", findings(&package.counts))?;
    if package.counts.errors + package.counts.warnings > 0 {
        writeln!(out, "  {HELP}kitbag check{HELP:#} says where and why")?;
    }
    Ok(())
}

fn who(identity: &Identity, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{STRONG}{}{STRONG:#}", identity.format)?;
    let mut row = |word: &str, text: &Option<String>| match text {
        Some(text) => field(word, FAINT, &plain(text), columns, out),
        None => Ok(()),
    };
    row("name", &identity.name)?;
    row("version", &identity.version)?;
    row("about", &identity.description)?;
    row("license", &identity.license)?;
    row("spec", &identity.spec)
}

fn field(word: &str, style: Style, text: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    wrap::hanging(out, (format_args!("  {style}{word:7}{style:#}  "), 11), 11, text, columns)
}

fn contents(contents: &Contents, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let entries = counted(contents.entries.len(), "file", "files");
    writeln!(out, "\n{STRONG}Contents{STRONG:#}  {entries}, {}", Bytes(contents.bytes))?;
    let widest = contents.entries.iter().map(|entry| wrap::width(&plain(entry.path.as_str()))).max();
    let column = widest.unwrap_or(0).min(columns / 2);
    let all = contents.entries.len() <= MOST_LISTED;
    let mut left = MOST_LISTED;
    let mut unlisted = 0;
    for entry in &contents.entries {
        if !all && left == 0 && !stands_out(entry) {
            unlisted += 1;
            continue;
        }
        left = left.saturating_sub(1);
        let path = plain(entry.path.as_str());
        let gap = column.saturating_sub(wrap::width(&path));
        writeln!(out, "  {path}{:gap$}  {}", "", what(&entry.kind))?;
    }
    if unlisted > 0 {
        writeln!(out, "  {FAINT}and {unlisted} more{FAINT:#}")?;
    }
    if contents.unnameable > 0 {
        let names = counted(contents.unnameable, "entry has a name that is", "entries have names that are");
        writeln!(out, "  {names} not UTF-8")?;
    }
    Ok(())
}

/// Whether a reader must see the entry however many there are.
const fn stands_out(entry: &Entry) -> bool {
    !matches!(entry.kind, EntryKind::File { executable: Executable::No, .. })
}

fn what(kind: &EntryKind) -> String {
    match kind {
        EntryKind::File { bytes, executable: Executable::No } => Bytes(*bytes).to_string(),
        EntryKind::File { bytes, executable: Executable::Yes } => format!("{}, executable", Bytes(*bytes)),
        EntryKind::Link(target) => format!("link to {}", plain(target)),
        EntryKind::Special(kind) => kind.to_string(),
        EntryKind::Unreadable(because) => format!("cannot be read: {}", plain(because)),
    }
}

fn permissions(permissions: &Permissions, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{STRONG}Permissions{STRONG:#}")?;
    let statements = match permissions {
        Permissions::Unspoken => {
            let silence = "It says nothing about permissions. That is not the same as none: what it may do is up to \
                           the program that runs it.";
            return wrap::hanging(out, ("  ", 2), 2, silence, columns);
        }
        Permissions::Spoken(statements) => statements,
    };
    for statement in statements {
        wrap::hanging(out, ("  ", 2), 4, &plain(&statement.sentence), columns)?;
        if let Some(why) = &statement.why {
            wrap::hanging(out, (format_args!("    {HELP}why{HELP:#} "), 8), 8, &plain(why), columns)?;
        }
    }
    Ok(())
}
