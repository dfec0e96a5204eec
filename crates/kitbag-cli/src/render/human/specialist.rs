//! `specialist` for people: what would be installed and whether it would be, what was, what is, and what goes.

use std::io::{self, Write};

use kitbag::specialist::{Answer, Deleted, Entry, ExportPreview, Exported, Installed, Verdict, Wider};
use kitbag_core::formats::openscience::specialist::export::Inclusion;
use kitbag_core::formats::openscience::specialist::inventory::{Access, Missing, ProfileState};
use kitbag_core::formats::openscience::specialist::preview::{Disposition, MainAgent};
use kitbag_core::formats::openscience::specialist::removal::{Reason, Removal};
use kitbag_core::limits::Bytes;

use crate::render::plain::Plain;

use super::show::told;
use super::style::STRONG;
use super::summary::{counted, findings};

/// Which Skills come along, what the role uses, whose place it takes, what it may do, and the verdicts.
///
/// # Errors
/// The writer's own.
pub fn specialist(answer: &Answer, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let preview = &answer.preview;
    for planned in &preview.skills {
        let skill = &planned.skill;
        let files = counted(skill.files.len(), "file", "files");
        let (id, version) = (Plain(&skill.id), Plain(&skill.version));
        write!(out, "  skill {id} {version}  {}, {files}", planned.disposition.word())?;
        if planned.disposition == Disposition::Conflict && !planned.users.is_empty() {
            write!(out, "; the installed one is used by {}", list(&planned.users))?;
        }
        writeln!(out)?;
    }
    if let Some(payload) = &preview.payload {
        let bundled = |name: &String| preview.skills.iter().any(|planned| planned.skill.id == *name);
        for name in payload.skill_ids.iter().filter(|name| !bundled(name)) {
            writeln!(out, "  skill {}  has to be there already", Plain(name))?;
        }
        for name in &payload.connector_ids {
            writeln!(out, "  connector {}  has to be there already", Plain(name))?;
        }
    }
    if let Some(overwrite) = &answer.overwrite {
        let (current, incoming) = (Plain(&overwrite.current_version), Plain(&overwrite.incoming_version));
        writeln!(out, "  overwrites {} {current} with {incoming}", Plain(&overwrite.id))?;
    }
    if !answer.may.is_empty() {
        writeln!(out, "{STRONG}It may{STRONG:#}")?;
        told(&answer.may, 2, columns, out)?;
    }
    wider(&answer.wider, "would be allowed", columns, out)?;
    let said = findings(&answer.report.counts);
    let word = |verdict| if verdict == Verdict::Installable { "installable" } else { "not installable" };
    let in_conflict = |verdict| answer.candidate.is_some() && verdict == Verdict::NotInstallable;
    let verdict = if in_conflict(answer.verdict) { "somebody has to choose" } else { word(answer.verdict) };
    write!(out, "{verdict}: {said}")?;
    if answer.upstream != answer.verdict {
        write!(out, "; for Open-Science it is {}", word(answer.upstream))?;
    }
    writeln!(out)
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| Plain(name).to_string()).collect();
    names.join(", ")
}

fn wider(all: &[Wider], verb: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for one in all {
        let (name, id) = (Plain(&one.name), Plain(&one.id));
        writeln!(out, "{STRONG}{name}{STRONG:#} ({id}) {verb} more than before")?;
        told(&one.permissions, 2, columns, out)?;
    }
    Ok(())
}

/// What was installed.
///
/// # Errors
/// The writer's own.
pub fn installed(installed: &Installed, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let (id, version) = (Plain(&installed.id), Plain(&installed.version));
    writeln!(out, "installed {id} {version}, revision {}", installed.revision)?;
    for (skill, disposition) in &installed.skills {
        writeln!(out, "  skill {}  {}", Plain(skill), disposition.word())?;
    }
    wider(&installed.wider, "is allowed", columns, out)
}

/// A line for each Specialist.
///
/// # Errors
/// The writer's own.
pub fn specialists(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    for entry in entries {
        let profile = &entry.profile;
        let (id, version) = (Plain(&entry.id), Plain(&profile.package_version));
        let (name, skills) = (Plain(profile.shown_name()), counted(entry.skills.len(), "skill", "skills"));
        writeln!(out, "{id} {version}  {name}, {skills}, revision {}", profile.revision)?;
    }
    Ok(())
}

/// One Specialist, with what it may do.
///
/// # Errors
/// The writer's own.
pub fn installed_specialist(entry: &Entry, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let profile = &entry.profile;
    let state = match profile.state {
        ProfileState::SetupPending => "waits to be set up",
        ProfileState::Disabled => "switched off",
        ProfileState::Enabled => "switched on",
    };
    let modified = if profile.is_modified() { ", changed since it was installed" } else { "" };
    writeln!(out, "{STRONG}{}{STRONG:#}", Plain(&entry.id))?;
    writeln!(out, "  name      {}", Plain(profile.shown_name()))?;
    writeln!(
        out,
        "  version   {}, revision {}{modified}",
        Plain(&profile.package_version),
        profile.revision
    )?;
    writeln!(out, "  state     {state}")?;
    writeln!(out, "  role      {}", Plain(&entry.place.display().to_string()))?;
    if profile.access == Access::Full {
        writeln!(out, "  skills    all that are installed")?;
    }
    for (local, skill) in &entry.skills {
        let (name, version) = (Plain(&skill.name), Plain(&skill.version));
        let owned = if profile.owned.contains(local) { ", brought along" } else { "" };
        let main = if skill.main_agent == MainAgent::Uses { ", used by the main agent" } else { "" };
        writeln!(out, "  skill     {name} {version}{owned}{main}")?;
    }
    for connector in &entry.connectors {
        writeln!(out, "  connector {}", Plain(connector))?;
    }
    absent(&entry.missing, "is not here", out)?;
    writeln!(out, "{STRONG}It may{STRONG:#}")?;
    told(&entry.may, 2, columns, out)
}

/// Names that stand for nothing.
fn absent(missing: &Missing, is: &str, out: &mut dyn Write) -> io::Result<()> {
    for (kind, names) in [("skill", &missing.skills), ("connector", &missing.connectors)] {
        for name in names {
            writeln!(out, "  {kind} {}  {is}", Plain(name))?;
        }
    }
    Ok(())
}

/// What would be exported, or was.
///
/// # Errors
/// The writer's own.
pub fn export(
    preview: &ExportPreview,
    exported: Option<&Exported>,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    super::check(&preview.report, columns, out)?;
    for skill in &preview.export.skills {
        let (name, version) = (Plain(&skill.name), Plain(&skill.version));
        let inclusion = match skill.inclusion {
            Inclusion::Bundled => "comes along",
            Inclusion::Named => "is named only",
        };
        writeln!(out, "  skill {name} {version}  {}, {inclusion}", skill.kind.word())?;
    }
    for connector in &preview.export.connectors {
        writeln!(out, "  connector {}  is named only", Plain(connector))?;
    }
    absent(&preview.missing, "is named only, and is not here", out)?;
    let file = Plain(&preview.file_name);
    match exported {
        Some(done) => {
            let path = done.path.display().to_string();
            writeln!(out, "{}  {}, sha256 {}", Plain(&path), Bytes(done.bytes), done.sha256)
        }
        None if preview.can_export => {
            writeln!(out, "would be {file}, revision {}", preview.export.revision)
        }
        None => writeln!(out, "not exported"),
    }
}

/// What could go with a Specialist, and which Skills do.
///
/// # Errors
/// The writer's own.
pub fn removal(removal: &Removal, going: &[String], out: &mut dyn Write) -> io::Result<()> {
    let (id, name) = (Plain(&removal.id), Plain(&removal.name));
    writeln!(out, "{id}  {name}, revision {}", removal.revision)?;
    for skill in &removal.skills {
        write!(out, "  skill {}  ", Plain(&skill.name))?;
        if going.contains(&skill.local_id) {
            writeln!(out, "goes")?;
        } else if skill.is_deletable() {
            writeln!(out, "may go, nobody else needs it")?;
        } else {
            let reason = |reason: &Reason| match reason {
                Reason::MainEnabled => "the main agent uses it".to_owned(),
                Reason::SharedOwner(ids) => format!("{} brought it along as well", list(ids)),
                Reason::Referenced(ids) => format!("used by {}", list(ids)),
            };
            let reasons: Vec<String> = skill.reasons.iter().map(reason).collect();
            writeln!(out, "stays: {}", reasons.join("; "))?;
        }
    }
    Ok(())
}

/// What is gone.
///
/// # Errors
/// The writer's own.
pub fn deleted(deleted: &Deleted, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "deleted {}", Plain(&deleted.id))?;
    for skill in &deleted.skills {
        writeln!(out, "  skill {}  deleted", Plain(skill))?;
    }
    for skill in &deleted.kept {
        writeln!(out, "  skill {}  stays", Plain(skill))?;
    }
    Ok(())
}
