//! The plain Agent Skill: a folder with a `SKILL.md`.

use crate::finding::{Code, Findings};
use crate::permit::Declaration;
use crate::tree::Tree;

use super::{Document, Face, Format, Identity, Site};

/// The format's row.
#[derive(Debug)]
pub struct AgentSkill;

/// A `SKILL.md`.
#[derive(Debug)]
pub struct Skill {}

impl Format for AgentSkill {
    fn name(&self) -> &'static str {
        "agent-skill"
    }

    fn markers(&self) -> &'static [&'static str] {
        &["SKILL.md"]
    }

    fn marks(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("SKILL.md")
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        site.tree().file("SKILL.md").map(|_| Face::AgentSkill(Box::new(Skill {}))).into_iter().collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        &[]
    }
}

impl Document for Skill {
    fn check(&self, _tree: &Tree, _out: &mut Findings) {}

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: "agent-skill",
            name: None,
            version: None,
            description: None,
            spec: None,
            license: None,
        }
    }

    fn permissions(&self) -> Declaration {
        Declaration::Unspoken
    }
}
