//! The interpreters that tools are written for: where they are, and whether they run where only they are listed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::backend::reason;
use crate::outcome::Ending;
use crate::plan::{Limits, Plan};
use crate::run::run_with;
use crate::settings::{Degraded, Settings};
use crate::system::System;

/// An interpreter, and the word that makes it say its version.
const INTERPRETERS: [(&str, &str); 8] = [
    ("node", "--version"),
    ("python3", "--version"),
    ("bash", "--version"),
    ("sh", "-c"),
    ("perl", "--version"),
    ("ruby", "--version"),
    ("deno", "--version"),
    ("bun", "--version"),
];

/// The longest version that is told, in letters.
const VERSION_AT_MOST: usize = 80;

/// One interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// What it is called.
    pub name: &'static str,
    /// Where it was found first; `None` when it is not there.
    pub path: Option<PathBuf>,
    /// Its version, as it says it itself in a sandbox.
    pub version: Version,
}

/// What an interpreter says of its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// This, in a sandbox where nothing else may be started. Empty for one that knows none.
    Said(String),
    /// It does not run there, and why.
    Silent(String),
    /// It was not asked.
    Unasked,
}

/// Looks for interpreters in the folders of `search`, in their order, and asks each in a sandbox of `settings`.
#[must_use]
pub fn interpreters(search: &[PathBuf], settings: &Settings) -> Vec<Interpreter> {
    let settings = Settings { degraded: Degraded::Allowed, ..settings.clone() };
    let found = |(name, word): (&'static str, &str)| {
        let path = search.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
        let path = path.into_iter().find(|path| path.is_file());
        let version = path.as_deref().map_or(Version::Unasked, |path| asked(path, word, &settings));
        Interpreter { name, path, version }
    };
    INTERPRETERS.into_iter().map(found).collect()
}

fn asked(program: &Path, word: &str, settings: &Settings) -> Version {
    let system = match System::with_programs(&[program.to_owned()]) {
        Ok(system) => system,
        Err(error) => return Version::Silent(error.to_string()),
    };
    let arguments = if word == "-c" { vec![word.into(), ":".into()] } else { vec![word.into()] };
    let limits = Limits { wall: Duration::from_secs(20), output: 64 << 10, ..Limits::default() };
    let plan = Plan { arguments, limits, ..Plan::new(program, system.items, system.programs) };
    match run_with(&plan, settings) {
        Err(error) => Version::Silent(reason(&error)),
        Ok(run) if run.outcome.ending != Ending::Exited(0) => {
            Version::Silent(format!("it {}", run.outcome.ending))
        }
        Ok(run) => {
            let text = String::from_utf8_lossy(&run.outcome.output).into_owned();
            let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            Version::Said(line.chars().filter(|letter| !letter.is_control()).take(VERSION_AT_MOST).collect())
        }
    }
}
