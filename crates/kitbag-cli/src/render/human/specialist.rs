//! `specialist preview` for people: what would be installed, and whether it would be.

use std::io::{self, Write};

use kitbag::specialist::{Answer, Verdict};

use crate::render::plain::Plain;

use super::summary::{counted, findings};

/// Which Skills come along, what the role uses, and the verdicts.
///
/// # Errors
/// The writer's own.
pub fn specialist(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let preview = &answer.preview;
    for planned in &preview.skills {
        let skill = &planned.skill;
        let files = counted(skill.files.len(), "file", "files");
        let (id, version) = (Plain(&skill.id), Plain(&skill.version));
        writeln!(out, "  skill {id} {version}  {}, {files}", planned.disposition.word())?;
    }
    if let Some(payload) = &preview.payload {
        for (kind, names) in [("skill", &payload.skill_ids), ("connector", &payload.connector_ids)] {
            let bundled = |name: &String| preview.skills.iter().any(|planned| planned.skill.id == *name);
            for name in names.iter().filter(|name| kind == "connector" || !bundled(name)) {
                writeln!(out, "  {kind} {}  has to be there already", Plain(name))?;
            }
        }
    }
    let said = findings(&answer.report.counts);
    let word = |verdict| if verdict == Verdict::Installable { "installable" } else { "not installable" };
    write!(out, "{}: {said}", word(answer.verdict))?;
    if answer.upstream != answer.verdict {
        write!(out, "; for Open-Science it is {}", word(answer.upstream))?;
    }
    writeln!(out)
}
