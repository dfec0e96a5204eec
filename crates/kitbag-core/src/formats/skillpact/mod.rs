//! SkillPact: `skill.contract.json` beside an unchanged `SKILL.md`.
//!
//! The contract says what a skill does (capabilities), which of six effects it may have and how far, what it needs, how it
//! is tested, and which bytes were signed. `check` holds every clause of the specification that speaks of one contract
//! and the files around it; the order of its findings is the order in which the reference implementation reports them, so
//! that a program written for that one's output keeps working.

mod answers;
mod check;
pub mod codes;
mod contract;
mod coverage;
mod decode;
mod document;
mod front_matter;
mod lookup;
mod verify;
pub mod version;

use crate::finding::{Code, Findings};

use super::{Face, Format, Site};

pub use contract::Contract;
pub use coverage::{LISTED_PATHS, named_files};
pub use decode::decode;
pub use document::{
    Capability, Case, Class, Conditional, Document, EffectScope, Integrity, Kind, Level, Permission,
    Permissions, Requirement, Requirements, Signature, Tests,
};

/// The name of a contract's file (§3).
pub const FILE: &str = "skill.contract.json";

/// The format's row.
#[derive(Debug)]
pub struct SkillPact;

impl Format for SkillPact {
    fn name(&self) -> &'static str {
        "skillpact"
    }

    fn markers(&self) -> &'static [&'static str] {
        &[FILE]
    }

    fn marks(&self, name: &str) -> bool {
        name == FILE
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        Contract::beside(site.tree())
            .map(|contract| Face::SkillPact(Box::new(contract)))
            .into_iter()
            .collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        codes::CODES
    }
}
