//! `skill import` for people: what becomes of each Skill, what is asked, and what was done.

use std::io::{self, Write};

use kitbag::skill::import::{Plan, Planned, Tally};
use kitbag_core::formats::openscience::bundle::plan::Step;
use kitbag_core::limits::Bytes;

use crate::ask::Consent;
use crate::commands::ImportOutcome;
use crate::render::plain::{Plain, plain};

use super::style::{BAD, FAINT, STRONG};
use super::summary::counted;
use super::wrap;

/// Skill by Skill.
///
/// # Errors
/// The writer's own.
pub fn import(plan: &Plan, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for source in &plan.sources {
        for skill in &source.skills {
            line(skill, out)?;
            if let Step::Replace(difference) = &skill.step {
                let counts = [
                    (&difference.added, "added"),
                    (&difference.modified, "changed"),
                    (&difference.removed, "removed"),
                ];
                let said: Vec<String> = counts
                    .into_iter()
                    .filter(|(files, _)| !files.is_empty())
                    .map(|(files, word)| format!("{} {word}", files.len()))
                    .collect();
                writeln!(out, "             in the place of the one that is there: {}", said.join(", "))?;
            }
            let description = skill.description.split_whitespace().collect::<Vec<_>>().join(" ");
            if !description.is_empty() && matches!(skill.step, Step::Create | Step::Replace(_)) {
                let room = columns.saturating_sub(13).max(20);
                writeln!(out, "             {FAINT}{}{FAINT:#}", wrap::cut(&plain(&description), room))?;
            }
        }
    }
    Ok(())
}

/// `  new        pdf  3 files, 1.2 KiB, from docs/pdf`
fn line(skill: &Planned, out: &mut dyn Write) -> io::Result<()> {
    let word = match skill.step {
        Step::Create => "new",
        Step::Replace(_) => "replace",
        Step::Unchanged => "unchanged",
        Step::Skip => "skipped",
        Step::NotChosen => "not chosen",
        Step::Refuse(_) => "refused",
    };
    let style = if matches!(skill.step, Step::Refuse(_)) { BAD } else { STRONG };
    let place = if skill.sub_path.is_empty() { "the root" } else { &skill.sub_path };
    let name = skill.name.as_deref().or(skill.said.as_deref()).unwrap_or(place);
    write!(out, "  {style}{word:<10}{style:#} {}", Plain(name))?;
    match skill.step {
        Step::Refuse(code) => write!(out, "  {}", code.slug)?,
        Step::NotChosen => {}
        _ if skill.files.is_empty() => {}
        _ => {
            write!(out, "  {}, {}", counted(skill.files.len(), "file", "files"), Bytes(skill.bytes()))?;
            match skill.executables().count() {
                0 => {}
                count => write!(out, ", {count} can be run")?,
            }
        }
    }
    if name != place {
        write!(out, "{FAINT}, from {}{FAINT:#}", Plain(place))?;
    }
    writeln!(out)
}

/// `Import 2 of 4 Skills into `skills`? 1 is refused.`
pub fn import_question(plan: &Plan) -> String {
    let tally = plan.tally();
    let rest = rest(tally);
    let rest = if rest.is_empty() { String::new() } else { format!(" ({rest})") };
    format!(
        "Import {}{rest} into `{}`?",
        of_found(tally, tally.to_write()),
        Plain(&plan.to.to_string_lossy())
    )
}

/// `all 3 Skills`, `2 of 3 Skills`, `1 Skill`
fn of_found(tally: Tally, count: usize) -> String {
    if count == 0 {
        "no Skill".to_owned()
    } else if count == tally.found {
        if count == 1 { "1 Skill".to_owned() } else { format!("all {count} Skills") }
    } else {
        format!("{count} of {}", counted(tally.found, "Skill", "Skills"))
    }
}

/// `1 refused, 2 unchanged`
fn rest(tally: Tally) -> String {
    let kinds = [(tally.refuse, "refused"), (tally.unchanged, "unchanged"), (tally.skip, "skipped")];
    let said: Vec<String> = kinds
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    said.join(", ")
}

/// What was done, and what was not.
///
/// # Errors
/// The writer's own.
pub fn import_summary(plan: &Plan, outcome: &ImportOutcome, out: &mut dyn Write) -> io::Result<()> {
    let tally = plan.tally();
    let to = plan.to.to_string_lossy();
    let to = Plain(&to);
    match outcome {
        ImportOutcome::Imported(written) => {
            let (files, bytes) = (counted(written.files, "file", "files"), Bytes(written.bytes));
            write!(out, "imported {} into `{to}`: {files}, {bytes}", of_found(tally, tally.to_write()))?;
        }
        ImportOutcome::Previewed => {
            write!(
                out,
                "would import {} into `{to}`; nothing was written",
                of_found(tally, tally.to_write())
            )?;
        }
        ImportOutcome::Unconfirmed(_) => {
            write!(out, "nothing was written; {} could be imported", of_found(tally, tally.to_write()))?;
        }
        ImportOutcome::Nothing if tally.found == 0 => write!(out, "nothing was written; no Skill was found")?,
        ImportOutcome::Nothing => write!(out, "nothing is to be written")?,
    }
    match rest(tally) {
        rest if rest.is_empty() => writeln!(out)?,
        rest => writeln!(out, "; {rest}")?,
    }
    if !plan.is_complete() && tally.refuse == 0 {
        writeln!(out, "not everything was taken: the errors above say what is left out")?;
    }
    if matches!(outcome, ImportOutcome::Unconfirmed(Consent::Unasked)) {
        writeln!(out, "hint: nobody is there to be asked; `--yes` does what the preview says")?;
    }
    Ok(())
}
