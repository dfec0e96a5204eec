//! The variables of a run: a few that every program expects, those that may be seen, and the caller's own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use kitbag_core::glob::PatternSet;
use kitbag_core::permit::{Effect, LossKind, Met, Scope};

use super::losses::Losses;
use super::names::Called;
use super::{Places, Start};

/// How a secret that is a variable is written in a scope.
const SECRET_VARIABLE: &str = "env:";

pub(super) fn environment(
    met: &Met,
    places: &Places,
    start: &Start,
    called: &Called,
    losses: &mut Losses,
) -> Vec<(OsString, OsString)> {
    let mut variables: BTreeMap<OsString, OsString> = BTreeMap::new();
    for allowed in &met.allowed {
        let seen: Vec<&(OsString, OsString)> = match allowed.effect {
            Effect::Env => may_be_seen(&allowed.scope, places),
            Effect::Secret => {
                for pattern in allowed.scope.patterns() {
                    if !pattern.text.starts_with(SECRET_VARIABLE) {
                        let because = format!("`{}` is handed over by whoever runs this", pattern.text);
                        losses.add(allowed, LossKind::Dropped, because);
                    }
                }
                let named = allowed.scope.patterns().iter().map(|pattern| pattern.text.as_str());
                let named: Vec<&str> = named.filter_map(|text| text.strip_prefix(SECRET_VARIABLE)).collect();
                places.environment.iter().filter(|(name, _)| named.iter().any(|one| name == *one)).collect()
            }
            _ => continue,
        };
        variables.extend(seen.into_iter().cloned());
    }
    // What every program expects is not the host's, whatever may be seen.
    let path = places.search.iter().map(|folder| folder.as_os_str());
    let mut own: Vec<(&str, OsString)> = vec![
        ("PATH", path.collect::<Vec<_>>().join(OsStr::new(":"))),
        ("HOME", called.work.clone().into()),
        ("TMPDIR", called.temp.clone().into()),
        ("LANG", "C.UTF-8".into()),
        ("SKILL_DIR", called.package.clone().into()),
        ("WORKDIR", called.work.clone().into()),
        ("OUTPUT", called.output.clone().into()),
    ];
    if places.input.is_some() {
        own.push(("INPUT", called.input.clone().into()));
        own.push(("INPUT_DIR", called.input_folder.clone().into()));
    }
    if places.project.is_some() {
        own.push(("WORKSPACE", called.project.clone().into()));
    }
    variables.extend(own.into_iter().map(|(name, value)| (name.into(), value)));
    variables.extend(start.environment.iter().cloned());
    variables.into_iter().collect()
}

/// The host's variables that `scope` reaches.
fn may_be_seen<'p>(scope: &Scope, places: &'p Places) -> Vec<&'p (OsString, OsString)> {
    let mut sets: Vec<PatternSet> = match scope {
        Scope::Anything => return places.environment.iter().collect(),
        scope => {
            let patterns = scope.patterns().iter();
            patterns.map(|pattern| PatternSet::new(pattern.dialect, [pattern.text.as_str()])).collect()
        }
    };
    let mut reached = |name: &OsStr| {
        name.to_str().is_some_and(|name| sets.iter_mut().any(|set| set.matches(name).is_yes()))
    };
    places.environment.iter().filter(|(name, _)| reached(name)).collect()
}
