//! SkillPact: `skill.contract.json` beside an unchanged `SKILL.md`.

use crate::finding::{Code, Findings};
use crate::permit::Declaration;
use crate::tree::Tree;

use super::{Document, Face, Format, Identity, Site};

/// The format's row.
#[derive(Debug)]
pub struct SkillPact;

/// A `skill.contract.json`.
#[derive(Debug)]
pub struct Contract {}

impl Format for SkillPact {
    fn name(&self) -> &'static str {
        "skillpact"
    }

    fn markers(&self) -> &'static [&'static str] {
        &["skill.contract.json"]
    }

    fn marks(&self, name: &str) -> bool {
        self.markers().contains(&name)
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        site.tree()
            .file("skill.contract.json")
            .map(|_| Face::SkillPact(Box::new(Contract {})))
            .into_iter()
            .collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        &[]
    }
}

impl Document for Contract {
    fn check(&self, _tree: &Tree, _out: &mut Findings) {}

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: "skillpact",
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
