//! Which programs would load a package, under which name, and why not.

use std::io::{self, Write};

use kitbag::check::ProfileSummary;

use crate::render::plain::plain;

use super::style::{BAD, GOOD};
use super::wrap;

/// Whether every program loads it under one name, so that there is nothing to tell.
pub fn agree(profiles: &[ProfileSummary]) -> bool {
    let mut names = profiles.iter().map(|profile| (profile.loads, &profile.name));
    let Some(first) = names.next() else {
        return true;
    };
    first.0 && names.all(|other| other == first)
}

/// A row per program.
///
/// # Errors
/// The writer's own.
pub fn table(profiles: &[ProfileSummary], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let widest = profiles.iter().map(|profile| wrap::width(profile.profile)).max().unwrap_or(0);
    for profile in profiles {
        let name = profile.profile;
        let indent = 2 + widest + 2 + "does not load".len() + 2;
        if profile.loads {
            let name_there = profile.name.as_deref().map(|name| format!("as {}", plain(name)));
            let room = columns.saturating_sub(indent).max(8);
            let name_there = wrap::cut(&name_there.unwrap_or_default(), room);
            writeln!(out, "  {name:widest$}  {GOOD}loads{GOOD:#}          {name_there}")?;
        } else {
            let lead = format!("  {name:widest$}  {BAD}does not load{BAD:#}  ");
            wrap::hanging(out, (lead, indent), indent, &profile.because.join(", "), columns)?;
        }
    }
    Ok(())
}
