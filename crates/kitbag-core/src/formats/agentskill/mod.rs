//! The plain Agent Skill: a folder with a `SKILL.md`.
//!
//! A `SKILL.md` is read by programs that disagree, so it is judged once per program ([`profile::PROFILES`]), and the
//! specification is one of them. What any of them takes offence at becomes one finding that names all of them.

mod answers;
mod check;
pub mod codes;
mod diagnosis;
mod discovery;
mod document;
mod fields;
mod findings;
mod fix;
mod front;
mod permissions;
pub mod profile;
mod reading;
mod references;
mod repair;
mod rewritten;
mod situation;
mod subject;
mod verdict;

use crate::finding::{Code, Findings};

use super::{Face, Format, Site};

pub use document::Skill;
pub use findings::select;
pub use fix::fixes;
pub use situation::Situation;
pub use verdict::{At, Effect, Fate, Reason, Verdict};

/// The format's row.
#[derive(Debug)]
pub struct AgentSkill;

impl Format for AgentSkill {
    fn name(&self) -> &'static str {
        "agent-skill"
    }

    fn markers(&self) -> &'static [&'static str] {
        &["SKILL.md"]
    }

    fn marks(&self, name: &str) -> bool {
        situation::is_spelling(name)
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        Skill::open(site).map(|skill| Face::AgentSkill(Box::new(skill))).into_iter().collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        codes::CODES
    }
}
