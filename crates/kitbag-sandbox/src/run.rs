//! [`run()`]: a plan becomes a process and ends.

use std::fmt;
use std::io;

use crate::outcome::Outcome;
use crate::plan::{Plan, PlanError};
use crate::process::Talk;
use crate::report::Report;
use crate::settings::Settings;
use crate::step::Step;

/// A run that took place.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What its isolation was.
    pub report: Report,
    /// The programs that were started and refused, when the plan asks for an audit.
    #[cfg(sandbox)]
    pub audit: Option<crate::audit::Audit>,
    /// The folders in memory that the plan keeps, in its order.
    pub kept: Vec<crate::kept::Kept>,
}

/// Why a run did not take place, or cannot be told about.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The plan makes no sense.
    Plan(PlanError),
    /// A property that the plan asks for cannot be had on this host.
    Unavailable {
        /// The property.
        property: &'static str,
        /// Why not.
        because: String,
    },
    /// A step failed; the program did not run.
    Step {
        /// The step.
        step: Step,
        /// Why.
        source: io::Error,
    },
    /// The supervisor could not follow the run, and ended it.
    Supervise(io::Error),
    /// The sandbox was ended from outside before its program did.
    Lost,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(_) => f.write_str("the plan makes no sense"),
            Self::Unavailable { property, because } => write!(f, "{property} cannot be had here: {because}"),
            Self::Step { step, .. } => write!(f, "could not {step}"),
            Self::Supervise(_) => f.write_str("could not follow the run"),
            Self::Lost => f.write_str("the sandbox was ended from outside"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Plan(source) => Some(source),
            Self::Step { source, .. } | Self::Supervise(source) => Some(source),
            Self::Unavailable { .. } | Self::Lost => None,
        }
    }
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

/// Runs `plan` to its end, with everything it asks for. The sandbox dies with the thread that calls this.
///
/// # Errors
/// [`Error`] when the program did not run, or was not followed to its end; then nothing of it is left.
pub fn run(plan: &Plan) -> Result<Run, Error> {
    run_with(plan, &Settings::default())
}

/// Runs `plan` to its end as `settings` say. The sandbox dies with the thread that calls this.
///
/// # Errors
/// [`Error`] when the program did not run, or was not followed to its end; then nothing of it is left.
pub fn run_with(plan: &Plan, settings: &Settings) -> Result<Run, Error> {
    plan.check()?;
    start(plan, settings, None)
}

#[cfg(sandbox)]
pub(crate) fn start(plan: &Plan, settings: &Settings, talk: Option<Talk>) -> Result<Run, Error> {
    use crate::groups::Groups;
    use crate::settings::Lack;

    let groups =
        if settings.lacking.contains(&Lack::Groups) { Groups::default() } else { Groups::make(&plan.limits) };
    let (way, mut report) = crate::backend::choose(plan, settings, &groups.keeps())?;
    let crate::supervise::Followed { outcome, kept, audit, reach } =
        crate::supervise::supervise(way, plan, talk, settings.outside.clone(), groups)?;
    if let Some(reach) = reach {
        report.reached(reach);
    }
    Ok(Run { outcome, report, kept, audit })
}

#[cfg(not(sandbox))]
pub(crate) fn start(_plan: &Plan, _settings: &Settings, _talk: Option<Talk>) -> Result<Run, Error> {
    Err(Error::Unavailable {
        property: "a sandbox",
        because: "only Linux on x86_64 and aarch64 has one so far; on Windows use WSL 2".to_owned(),
    })
}
