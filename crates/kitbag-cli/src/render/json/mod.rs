//! Version 1 of the JSON output. The structs below are a promise: fields are added, never renamed or removed. A field
//! whose value is not known is left out.

mod cache;
mod check;
mod connector;
mod diff;
mod doctor;
mod explain;
mod finding;
mod fix;
mod import;
mod init;
mod pack;
mod profiles;
mod run;
mod show;
mod specialist;
mod tools;
mod unpack;
mod verify;
mod workflow;

pub use cache::{cache, cache_collected, cache_verified};
pub use check::{check, skill_check};
pub use connector::{configuration, connectors};
pub use diff::diff;
pub use doctor::doctor;
pub use explain::explain;
pub use fix::fix;
pub use import::import;
pub use init::init;
pub use pack::pack;
pub use run::{run, run_fault, run_output, run_refused};
pub use show::show;
pub use specialist::{
    deleted, export, installation, installed_already, installed_specialist, not_installed, refused, removal,
    specialist, specialists,
};
pub use tools::tools;
pub use unpack::unpack;
pub use verify::verify;
pub use workflow::{workflow, workflow_fault};

/// The version of every document written here.
const VERSION: u32 = 1;
