//! `diff` for people: what changed, what is asked for now, and what the version should be.

use std::io::{self, Write};

use kitbag::diff::{
    Change, Difference, DocumentDifference, FileChange, FileState, Files, Made, SubjectDifference,
    ToolChange, Verdict, VersionStep,
};
use kitbag::show::{Identity, Permission};
use kitbag_core::limits::Bytes;
use kitbag_core::tree::Executable;
use kitbag_core::version::{Move, Step};

use crate::render::plain::plain;

use super::style::{ADDED, BAD, FAINT, GOOD, REMOVED, STRONG};
use super::summary::counted;
use super::{show, wrap};

/// Most lines of one kind.
const MOST_LISTED: usize = 40;
/// Most columns of one value of a document.
const MOST_TOLD: usize = 160;
/// Digits of a digest that tell two files apart for a reader; the JSON output has them all.
const DIGEST_SHOWN: usize = 12;

/// The whole difference.
///
/// # Errors
/// The writer's own.
pub fn diff(difference: &Difference, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let (old, new) = (&difference.old, &difference.new);
    let title = format!("{} → {}", plain(&old.location.to_string()), plain(&new.location.to_string()));
    writeln!(out, "{STRONG}{title}{STRONG:#}")?;
    for document in &difference.documents {
        wrap::hanging(out, ("  ", 2), 4, &who(document), columns)?;
    }
    for (word, side) in [("old", old), ("new", new)] {
        if side.counts.errors > 0 {
            let errors = counted(side.counts.errors, "error", "errors");
            let text = format!(
                "the {word} one has {errors}, so some of it may be missing here; kitbag check says which"
            );
            wrap::hanging(out, (format_args!("  {BAD}!{BAD:#} "), 4), 4, &text, columns)?;
        }
    }
    if difference.is_empty() {
        writeln!(out, "\nNothing differs.")?;
    } else {
        files(&difference.files, columns, out)?;
        for document in &difference.documents {
            stated(document, columns, out)?;
        }
        permissions(difference, columns, out)?;
    }
    advice(difference, columns, out)
}

fn who(document: &DocumentDifference) -> String {
    let said = |identity: &Identity| {
        let parts = [identity.name.as_deref(), identity.version.as_deref()];
        plain(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    };
    match (&document.old, &document.new) {
        (Some(old), Some(new)) if said(old) == said(new) => format!("{} {}", document.format, said(new)),
        (Some(old), Some(new)) => format!("{} {} → {}", document.format, said(old), said(new)),
        (Some(old), None) => format!("{} {}, which is gone", document.format, said(old)),
        (None, Some(new)) => format!("{} {}, which is new", document.format, said(new)),
        (None, None) => document.format.to_owned(),
    }
}

fn files(files: &Files, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let count = |is: fn(&&FileChange) -> bool| files.changes.iter().filter(is).count();
    let (added, removed) = (count(|change| change.old.is_none()), count(|change| change.new.is_none()));
    let changed = files.changes.len() - added - removed;
    writeln!(
        out,
        "\n{STRONG}Files{STRONG:#}  {added} added, {removed} removed, {changed} changed, {} the same",
        files.same
    )?;
    let shown = &files.changes[..files.changes.len().min(MOST_LISTED)];
    let widest = shown.iter().map(|change| wrap::width(&plain(change.path.as_str()))).max().unwrap_or(0);
    let column = widest.min(columns / 2);
    for change in shown {
        let (sign, style) = match (&change.old, &change.new) {
            (None, _) => ('+', ADDED),
            (_, None) => ('-', REMOVED),
            _ => ('~', STRONG),
        };
        let path = plain(change.path.as_str());
        let gap = column.saturating_sub(wrap::width(&path));
        let lead = format!("  {style}{sign}{style:#} {path}{:gap$}  ", "");
        let taken = 6 + wrap::width(&path) + gap;
        wrap::hanging(out, (lead, taken), 6 + column, &became(change), columns)?;
    }
    more(files.changes.len() - shown.len(), out)
}

fn became(change: &FileChange) -> String {
    let mut text = match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{} → {}", state(old), state(new)),
        (Some(old), None) => state(old),
        (None, Some(new)) => state(new),
        (None, None) => String::new(),
    };
    if change.says_the_same {
        text.push_str(" (says the same)");
    }
    text
}

fn state(state: &FileState) -> String {
    match state {
        FileState::File { bytes, sha256, executable } => {
            let digest: String = sha256.to_string().chars().take(DIGEST_SHOWN).collect();
            let executable = if *executable == Executable::Yes { " executable" } else { "" };
            format!("{} {digest}{executable}", Bytes(*bytes))
        }
        FileState::Link(target) => format!("link to {}", plain(target)),
        FileState::Other(what) => plain(what),
    }
}

fn more(count: usize, out: &mut dyn Write) -> io::Result<()> {
    if count > 0 {
        writeln!(out, "  {FAINT}and {count} more; the JSON output lists them all{FAINT:#}")?;
    }
    Ok(())
}

/// What one document states otherwise, but for permissions.
fn stated(document: &DocumentDifference, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let nothing = document.fields.is_empty()
        && document.tools.is_empty()
        && document.offers.is_empty()
        && document.needs.is_empty();
    if nothing {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}{}{STRONG:#}", document.format)?;
    for tool in document.tools.iter().take(MOST_LISTED) {
        named("tool", tool, columns, out)?;
    }
    more(document.tools.len().saturating_sub(MOST_LISTED), out)?;
    for offer in document.offers.iter().take(MOST_LISTED) {
        named(offer.kind, &offer.change, columns, out)?;
    }
    more(document.offers.len().saturating_sub(MOST_LISTED), out)?;
    for need in document.needs.iter().take(MOST_LISTED) {
        let range = |range: &Option<String>| plain(range.as_deref().unwrap_or("in any version"));
        let package = plain(&need.package);
        let (sign, style, text) = match need.change {
            Change::Added => ('+', ADDED, format!("needs {package} {}", range(&need.new))),
            Change::Removed => ('-', REMOVED, format!("needs {package} {}", range(&need.old))),
            Change::Changed => {
                ('~', STRONG, format!("needs {package} {} → {}", range(&need.old), range(&need.new)))
            }
        };
        wrap::hanging(out, (format_args!("  {style}{sign}{style:#} "), 4), 6, &text, columns)?;
    }
    more(document.needs.len().saturating_sub(MOST_LISTED), out)?;
    for field in document.fields.iter().take(MOST_LISTED) {
        let value = |text: &String| wrap::cut(&plain(text), MOST_TOLD);
        let pointer = plain(&field.pointer);
        let (sign, style, text) = match (&field.old, &field.new) {
            (Some(old), Some(new)) => ('~', STRONG, format!("{pointer}: {} → {}", value(old), value(new))),
            (Some(old), None) => ('-', REMOVED, format!("{pointer}: {}", value(old))),
            (None, Some(new)) => ('+', ADDED, format!("{pointer}: {}", value(new))),
            (None, None) => continue,
        };
        wrap::hanging(out, (format_args!("  {style}{sign}{style:#} "), 4), 6, &text, columns)?;
    }
    more(document.fields.len().saturating_sub(MOST_LISTED), out)
}

fn named(kind: &str, change: &ToolChange, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let (sign, style) = match change.verdict {
        Verdict::Added => ('+', ADDED),
        Verdict::Removed => ('-', REMOVED),
        Verdict::Compatible => ('~', STRONG),
        Verdict::Breaking => ('!', BAD),
    };
    let text = format!("{kind} {}", plain(&change.name));
    wrap::hanging(out, (format_args!("  {style}{sign}{style:#} "), 4), 6, &text, columns)?;
    for (step, what) in &change.because {
        let breaks = if *step == Step::Major { "breaks callers: " } else { "" };
        wrap::hanging(out, ("      ", 6), 8, &format!("{breaks}{}", plain(what)), columns)?;
    }
    Ok(())
}

fn permissions(difference: &Difference, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{STRONG}Permissions{STRONG:#}")?;
    let several = difference.documents.len() > 1;
    let mut told = false;
    for document in &difference.documents {
        let permissions = &document.permissions;
        if permissions.falls_silent {
            told = true;
            let text = format!(
                "{} said what the package may do and no longer does. That is not the same as none: it is up to the \
                 program that runs it.",
                document.format
            );
            wrap::hanging(out, (format_args!("  {BAD}wider{BAD:#}     "), 12), 12, &text, columns)?;
        }
        for subject in &permissions.subjects {
            if subject.wider.is_empty() && subject.narrower.is_empty() {
                continue;
            }
            told = true;
            let of = if several { format!(" ({})", document.format) } else { String::new() };
            writeln!(out, "  {}{of}", plain(&subject.subject))?;
            side(subject, columns, out)?;
        }
    }
    if !told {
        writeln!(out, "  the same as before")?;
    }
    Ok(())
}

fn side(subject: &SubjectDifference, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (word, style, statements) in [("wider", BAD, &subject.wider), ("narrower", GOOD, &subject.narrower)] {
        if statements.is_empty() {
            continue;
        }
        writeln!(out, "    {style}{word}{style:#}")?;
        show::told(statements, 6, columns, out)?;
    }
    let same: &[Permission] = &subject.same;
    if !same.is_empty() {
        writeln!(out, "    {FAINT}as before{FAINT:#}")?;
        show::told(same, 6, columns, out)?;
    }
    Ok(())
}

fn advice(difference: &Difference, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let advice = &difference.advice;
    writeln!(out, "\n{STRONG}Version{STRONG:#}")?;
    if advice.versions.is_empty() {
        let text = match advice.demanded {
            Step::None => "no document has a version, and none is needed for this".to_owned(),
            step => format!("no document has a version; this difference would be a {step} step"),
        };
        wrap::hanging(out, ("  ", 2), 4, &text, columns)?;
    }
    for version in &advice.versions {
        let (style, sign) = if version.is_enough { (GOOD, "ok") } else { (BAD, "no") };
        let lead = format_args!("  {style}{sign}{style:#}  ");
        wrap::hanging(out, (lead, 6), 6, &judged(version), columns)?;
    }
    for reason in advice.reasons.iter().take(MOST_LISTED) {
        let lead = format!("      {:5}  ", reason.step.to_string());
        wrap::hanging(out, (lead, 13), 13, &plain(&reason.what), columns)?;
    }
    more(advice.reasons.len().saturating_sub(MOST_LISTED), out)?;
    let verdict = match (difference.widens(), advice.is_followed()) {
        (true, _) => "It asks for more than before: whoever runs it should be asked again.",
        (false, false) => "Its version says less than it should: give it another.",
        (false, true) => "It asks for nothing more, and its version says how much changed.",
    };
    writeln!(out)?;
    wrap::hanging(out, ("", 0), 0, verdict, columns)
}

fn judged(version: &VersionStep) -> String {
    let said = |version: &Option<String>| plain(version.as_deref().unwrap_or("no version"));
    let (old, new) = (said(&version.old), said(&version.new));
    let demanded = match version.demanded {
        Step::None => "nothing demands one".to_owned(),
        step => format!("the difference demands a {step} step"),
    };
    let made = match version.made {
        Made::Move(Move::Same) if version.demanded == Step::None => {
            return format!("{}: {new} as before", version.format);
        }
        Made::Move(Move::Same) => "is the same version".to_owned(),
        Made::Move(Move::Back) => return format!("{}: {old} → {new} goes back", version.format),
        Made::Move(Move::Prerelease) => "is a step between pre-releases, which promise nothing".to_owned(),
        Made::Move(Move::Forward(step)) => format!("is a {step} step"),
        Made::Unclear => "cannot be compared".to_owned(),
        Made::AnotherPackage => {
            return format!("{}: {old} and {new} are versions of two packages", version.format);
        }
    };
    format!("{}: {old} → {new} {made}; {demanded}", version.format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{difference, unstyled, written};
    use crate::render::plain::is_hostile;

    #[test]
    fn a_difference_is_told_from_top_to_bottom_and_nothing_of_it_is_obeyed() {
        let text = unstyled(&written(|out| diff(&difference(), 80, out)));
        assert_eq!(text.chars().find(|&c| c != '\n' && is_hostile(c)), None);
        insta::assert_snapshot!(text, @r"
        old → new
          splice @a/maps\u{1b}[2J 1.0.0 → @a/maps\u{1b}[2J 1.1.0
          ! the new one has 1 error, so some of it may be missing here; kitbag check
            says which

        Files  1 added, 1 removed, 1 changed, 4 the same
          + a\u{1b}.txt  1 byte 6b86b273ff34
          - b.txt        2 bytes 785f3ec7eb32
          ~ c.txt        2 bytes 785f3ec7eb32 → 3 bytes 556d7dc3a115

        splice
          ! tool draw
              breaks callers: input: `size\u{9b}` is required
              its description is otherwise
          - workflow all
          ~ needs @a/ink ^1.0.0 → in any version
          ~ /description: Draws. → Draws\u{202e} more.

        Permissions
          package
            wider
              talks to any host
                ! no bound
                because \u{9b}31m
            narrower
              reads `a`
            as before
              reads `b`

        Version
          no  splice: 1.0.0 → 1.1.0 is a minor step; the difference demands a major step
              major  splice asks for more than before

        It asks for more than before: whoever runs it should be asked again.
        ");
    }
}
