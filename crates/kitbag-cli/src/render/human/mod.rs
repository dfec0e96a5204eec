//! For people: words, excerpts and tables that fit the terminal.

mod cache;
mod check;
mod codes;
mod connector;
mod diff;
mod doctor;
mod excerpt;
mod fix;
mod import;
mod pack;
mod profiles;
mod run;
mod show;
mod specialist;
mod style;
mod summary;
mod tools;
mod verify;
mod workflow;
mod wrap;

pub use cache::{cache, cache_collected, cache_verified};
pub use check::check;
pub use codes::{explain, list_codes};
pub use connector::{configuration, connectors, templates, written};
pub use diff::diff;
pub use doctor::doctor;
pub use fix::{fix, fix_summary};
pub use import::{import, import_question, import_summary};
pub use pack::{packed, packed_summary, unpacked, unsound};
pub use run::{run_fault, run_question, run_talk};
pub use show::{remarks, show};
pub use specialist::{deleted, export, installed, installed_specialist, removal, specialist, specialists};
pub use summary::summary;
pub use tools::tools;
pub use verify::{between, verify};
pub use workflow::{workflow_instruction, workflow_talk};
