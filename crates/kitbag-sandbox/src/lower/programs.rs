//! The programs of a run: what is started cannot do without some, and may start others.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use kitbag_core::glob::PatternSet;
use kitbag_core::permit::{Allowed, LossKind, Pattern, Scope};

use crate::plan::Programs;
use crate::system::{System, SystemError};

use super::losses::Losses;
use super::names::Called;
use super::{PackageFiles, Places, Start};

/// The most programs that the patterns of one scope name.
const PROGRAMS_AT_MOST: usize = 64;

/// How a program of the package itself is named in a scope.
const OF_PACKAGE: &str = "$SKILL_DIR";

/// Finds a program by its name for scripts; it starts nothing that could not be started without it.
const LAUNCHER: &str = "/usr/bin/env";

/// The host's programs and libraries, as far as `allowed` and `start` need them.
pub(super) fn system(
    allowed: Option<&Allowed>,
    places: &Places,
    start: &Start,
    called: &Called,
    losses: &mut Losses,
) -> Result<System, SystemError> {
    let mut programs = start.programs.clone();
    if let Some(allowed) = allowed {
        if allowed.scope == Scope::Anything {
            return Ok(System::whole());
        }
        for pattern in allowed.scope.patterns() {
            let found = found(pattern, places);
            if found.is_empty() && !is_of_package(pattern) {
                let because = format!("`{}` is no program of this host", pattern.text);
                losses.add(allowed, LossKind::Dropped, because);
            }
            programs.extend(found);
        }
        if !allowed.scope.is_nothing() && Path::new(LAUNCHER).exists() {
            programs.push(LAUNCHER.into());
        }
        programs.sort();
        programs.dedup();
        if programs.len() > PROGRAMS_AT_MOST {
            let because = format!("more than {PROGRAMS_AT_MOST} programs are named; the others are left out");
            losses.add(allowed, LossKind::Tightened, because);
            // Never what it cannot do without.
            programs.retain(|program| !start.programs.contains(program));
            programs.truncate(PROGRAMS_AT_MOST.saturating_sub(start.programs.len()));
            programs.extend(start.programs.iter().cloned());
        }
    }
    let mut system = System::with_programs(&programs)?;
    if let (Programs::Listed(listed), PackageFiles::Programs) = (&mut system.programs, start.package) {
        listed.push(called.package.clone());
    }
    Ok(system)
}

fn is_of_package(pattern: &Pattern) -> bool {
    pattern.text.strip_prefix(OF_PACKAGE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The programs of the host that `pattern` names: a path as it is, a name in the folders where programs are looked for.
fn found(pattern: &Pattern, places: &Places) -> Vec<PathBuf> {
    let text = pattern.text.as_str();
    let has_wildcard = text.contains(['*', '?']);
    if text.contains('/') {
        let path = Path::new(text);
        let is_one = path.is_absolute() && !has_wildcard && is_program(path);
        return is_one.then(|| path.to_owned()).into_iter().collect();
    }
    if !has_wildcard {
        return places
            .search
            .iter()
            .map(|folder| folder.join(text))
            .find(|path| is_program(path))
            .into_iter()
            .collect();
    }
    let mut set = PatternSet::new(pattern.dialect, [text]);
    let mut named = |name: &OsStr| name.to_str().is_some_and(|name| set.matches(name).is_yes());
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in &places.search {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
        found.extend(
            names.filter(|name| named(name)).map(|name| folder.join(name)).filter(|path| is_program(path)),
        );
    }
    // The same on every machine that has the same programs.
    found.sort();
    found
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
