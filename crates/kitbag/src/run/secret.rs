//! The values of secrets that a tool was given: they stay out of what is told about a run. Its output is its own.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use kitbag_core::limits;
use kitbag_core::permit::{Effect, Met};

/// How a secret that is a variable is written in a scope.
const VARIABLE: &str = "env:";
/// What stands in the place of a value.
const HIDDEN: &str = "[secret]";
/// Shorter values are words of their own, and hide nothing but sense.
const LETTERS_AT_LEAST: usize = 4;

/// The most bytes in a file of secrets.
const FILE_BYTES: u64 = 64 << 10;

/// Reads secrets from a file: a line `NAME=VALUE` each; empty lines and those that begin with `#` say nothing. The last of
/// two of one name counts.
///
/// # Errors
/// When it cannot be read, is no UTF-8, has more than 64 KiB, or has a line of another form; no line is quoted.
pub fn secrets(path: &Path) -> io::Result<Vec<(OsString, OsString)>> {
    let wrong = |because: String| io::Error::new(io::ErrorKind::InvalidData, because);
    let mut file = File::open(path)?;
    let bytes = limits::read_bounded(&mut file, 0, FILE_BYTES).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8".to_owned()))?;
    let mut secrets: Vec<(OsString, OsString)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(wrong(format!("line {number} is no NAME=VALUE")));
        };
        secrets.retain(|(known, _)| known != name);
        secrets.push((name.into(), value.into()));
    }
    Ok(secrets)
}

/// The values of the secrets of a run.
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// The values in `environment` of what `met` allows to be seen as a secret.
    pub(super) fn of(met: &Met, environment: &[(OsString, OsString)]) -> Self {
        let secrets = met.allowed.iter().filter(|allowed| allowed.effect == Effect::Secret);
        let names: Vec<&str> = secrets
            .flat_map(|allowed| allowed.scope.patterns())
            .filter_map(|pattern| pattern.text.strip_prefix(VARIABLE))
            .collect();
        let values = environment.iter().filter(|(name, _)| names.iter().any(|one| name == *one));
        let mut values: Vec<String> = values
            .filter_map(|(_, value)| Some(value.to_str()?.to_owned()))
            .filter(|value| value.len() >= LETTERS_AT_LEAST)
            .collect();
        // A value may hold another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// Puts something else in the place of every value in `text`.
    pub(super) fn hide(&self, text: &mut String) {
        for value in &self.0 {
            if text.contains(value.as_str()) {
                *text = text.replace(value.as_str(), HIDDEN);
            }
        }
    }
}
