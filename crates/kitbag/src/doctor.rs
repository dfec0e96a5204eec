//! What isolation is real on this host, and which interpreters are there.
//!
//! ```no_run
//! use kitbag::doctor::{Freshness, Request, doctor};
//!
//! let diagnosis = doctor(&Request {
//!     stage: "/usr/bin/kitbag".into(),
//!     search: vec!["/usr/bin".into()],
//!     temporary: "/tmp".into(),
//!     cache: None,
//!     freshness: Freshness::Fresh,
//! })?;
//! assert!(diagnosis.holds(), "no program of a stranger should run here");
//! # Ok::<(), kitbag::doctor::Error>(())
//! ```

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod cache;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod host;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// A program whose `main` begins with `kitbag_sandbox::inner_stage()`: the caller's own. It is started as canary and as
    /// the inner part of a sandbox.
    pub stage: PathBuf,
    /// The folders in which interpreters are looked for, in their order.
    pub search: Vec<PathBuf>,
    /// Where a folder for the canaries is made, and removed again.
    pub temporary: PathBuf,
    /// Where answers are kept. Without it, none is.
    pub cache: Option<PathBuf>,
    /// Whether an answer that was kept will do.
    pub freshness: Freshness,
}

/// Whether an answer that was kept will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// Yes, when it is of this kernel, these settings and these programs.
    #[default]
    Kept,
    /// No: everything is tried now.
    Fresh,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The system and its version.
    pub system: String,
    /// Every way of isolation, in the order in which they are preferred. None where this system has none.
    pub backends: Vec<Backend>,
    /// Interpreters.
    pub interpreters: Vec<Interpreter>,
    /// Whether the backends were not tried now, but when the same kernel, settings and programs were.
    pub is_kept: bool,
}

/// One way of isolation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backend {
    /// What it is called.
    pub name: String,
    /// Whether it works here.
    pub works: bool,
    /// Whether nothing that was tried in it went through.
    pub holds: bool,
    /// Why it does not work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What to do about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What it holds, under the names of a run's report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Map<String, Value>>,
    /// The same for people, line by line.
    #[serde(default)]
    pub lines: Vec<String>,
    /// What was tried.
    #[serde(default)]
    pub canaries: Vec<Canary>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canary {
    /// What machines call it.
    pub attack: String,
    /// What it is, in words.
    pub words: String,
    /// What became of it without a sandbox: `open`, `refused` or `unknown`.
    pub outside: String,
    /// What became of it in the sandbox.
    pub inside: String,
    /// How it was refused there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// One interpreter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interpreter {
    /// What it is called.
    pub name: String,
    /// Where it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it says of its version in a sandbox where nothing else may be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why it says nothing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl Backend {
    /// Whether a run in it may count for `SkillPact` L2.
    #[must_use]
    pub fn is_l2_eligible(&self) -> bool {
        let field = self.report.as_ref().and_then(|report| report.get("l2_eligible"));
        self.holds && field.and_then(Value::as_bool) == Some(true)
    }
}

impl Diagnosis {
    /// The backend that a run would take: the first that works and lets nothing through.
    #[must_use]
    pub fn chosen(&self) -> Option<&Backend> {
        self.backends.iter().find(|backend| backend.is_l2_eligible())
    }

    /// Whether programs of strangers can be run here inside what they declare.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.chosen().is_some()
    }
}

/// Why there is no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The canaries could not be tried.
    Canaries(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Canaries(_) => f.write_str("what isolation is real here could not be tried"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Canaries(source) => Some(source),
        }
    }
}

/// Examines this host.
///
/// # Errors
/// [`Error`] when nothing could be tried. That nothing is isolated is an answer.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn doctor(request: &Request) -> Result<Diagnosis, Error> {
    host::diagnose(request).map_err(Error::Canaries)
}

/// Says that this system has no sandbox.
///
/// # Errors
/// None here.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub fn doctor(_request: &Request) -> Result<Diagnosis, Error> {
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    Ok(Diagnosis { system, backends: Vec::new(), interpreters: Vec::new(), is_kept: false })
}
