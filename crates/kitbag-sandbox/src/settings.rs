//! [`Settings`]: how a plan is carried out, as far as that is the caller's choice.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::egress::{Internet, Outside};
use crate::report::Backend;

/// How a plan is carried out.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What enforces it.
    pub backend: Choice,
    /// Whether less than the plan asks for will do.
    pub degraded: Degraded,
    /// A program whose `main` begins with [`inner_stage()`](crate::inner_stage()): usually the caller's own. Backends that
    /// leave the sandbox to another program need one; without it they cannot be chosen.
    pub stage: Option<PathBuf>,
    /// Where the hosts are that a plan lists.
    pub outside: Arc<dyn Outside>,
    /// What this host is taken to lack, whatever it has. For tests of what is done then.
    #[doc(hidden)]
    pub lacking: BTreeSet<Lack>,
}

/// Something that a host may lack, and that a run does without.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lack {
    /// Control groups that the caller may make.
    Groups,
    /// A way to lead every address to the supervisor.
    AnyAddress,
    /// A bubblewrap that gives the stage rights.
    Rights,
}

impl Default for Settings {
    /// The first backend, everything that is asked for, no stage, and the internet.
    fn default() -> Self {
        Self {
            backend: Choice::First,
            degraded: Degraded::Refused,
            stage: None,
            outside: Arc::new(Internet),
            lacking: BTreeSet::new(),
        }
    }
}

/// What enforces a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The first that works on this host and holds all that the plan asks for.
    #[default]
    First,
    /// This one or none.
    Only(Backend),
}

/// Whether less than the plan asks for will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Degraded {
    /// No: what cannot be had is an error.
    #[default]
    Refused,
    /// Yes: the report says what is missing, and why.
    Allowed,
}
