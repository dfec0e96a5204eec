//! One boundary for every tool and every test: what a [`Plan`] lists exists inside, everything else does not.
//!
//! [`run()`] starts one program and waits for its end, [`spawn()`] starts one to talk with. Each comes back with how that
//! ended ([`Outcome`]) and with what the isolation really was ([`Report`]). A property that was asked for and cannot be had is
//! an error, never a quieter run.
//!
//! The sandbox neither reads packages nor judges them; it knows folders, programs and limits.

pub mod egress;
mod lower;
mod plan;
mod step;

#[cfg(sandbox)]
mod audit;
#[cfg(sandbox)]
mod backend;
#[cfg(sandbox)]
mod beneath;
#[cfg(sandbox)]
mod counter;
#[cfg(sandbox)]
pub mod doctor;
#[cfg(sandbox)]
mod folders;
#[cfg(sandbox)]
mod groups;
#[cfg(sandbox)]
#[expect(unsafe_code, reason = "system calls between clone and exec; the one room where it is allowed")]
#[warn(clippy::undocumented_unsafe_blocks)]
mod inside;
mod kept;
#[cfg(sandbox)]
mod leash;
mod outcome;
#[cfg(sandbox)]
mod owners;
mod process;
mod report;
mod run;
mod seatbelt;
mod settings;
mod stage;
#[cfg(feature = "storm")]
#[doc(hidden)]
pub mod storm;
#[cfg(sandbox)]
mod stream;
#[cfg(sandbox)]
mod supervise;
mod system;
#[cfg(sandbox)]
mod temporary;
#[cfg(sandbox)]
mod usage;
#[cfg(sandbox)]
mod watch;

#[cfg(sandbox)]
pub use audit::{Audit, Because, Refused, Started};
pub use kept::{Entry, EntryKind, Kept};
pub use lower::{
    INPUT, Names, OUTPUT, PACKAGE, PROJECT, PackageFiles, Places, Scratch, Start, TEMP, WORK, Work, lower,
    lower_with,
};
pub use outcome::{Breach, Ending, Outcome};
pub use plan::{
    Afterwards, Auditing, Item, Limits, Network, Plan, PlanError, Proc, Programs, Rights, Traffic,
};
pub use process::{Line, Lines, Process, Voice, spawn, spawn_with};
pub use report::{
    Backend, ExecIsolation, Limited, Mechanism, NetworkIsolation, ProcView, Quantity, Report, Value,
};
pub use run::{Error, Run, run, run_with};
pub use seatbelt::{SeatbeltError, seatbelt_profile};
#[doc(hidden)]
pub use settings::Lack;
pub use settings::{Choice, Degraded, Settings};
pub use stage::inner_stage;
pub use step::Step;
pub use system::{System, SystemError};
#[cfg(sandbox)]
pub use watch::{Change, ChangeKind, WatchLimits, Watched};
