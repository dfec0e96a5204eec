//! Open-Science: Skills, Specialists and Connectors, three kinds of package with boundaries of their own.
//!
//! | room | what |
//! |---|---|
//! | [`connector`] | a template for a tool server, without its secrets; configurations of MCP clients |
//! | [`specialist`] | a role with its instructions, and the Skills it brings along |
//! | [`bundle`] | what Open-Science would make of a ZIP with Skills |
//! | [`github`] | where a Skill is on GitHub |
//! | [`skill`] | the check of a Skill before it is published, and what is written of one |
//!
//! Target is the behaviour of version 0.26. What Open-Science itself says is said in its own codes ([`codes::upstream`]);
//! where we are stricter, a code of ours says so beside it.

pub mod bundle;
pub mod codes;
pub mod connector;
pub mod github;
pub mod skill;
pub mod specialist;
pub mod version;
pub mod words;

use crate::finding::{Code, Findings};
use crate::json::print;

use super::{Face, Format, Site};

pub use connector::Connector;
pub use specialist::Specialist;

/// The format's row.
#[derive(Debug)]
pub struct OpenScience;

impl Format for OpenScience {
    fn name(&self) -> &'static str {
        "open-science"
    }

    fn markers(&self) -> &'static [&'static str] {
        // Every name is shared with other programs; the shape decides.
        &[]
    }

    fn marks(&self, _name: &str) -> bool {
        false
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        let specialist =
            Specialist::open(site.tree()).map(|specialist| Face::Specialist(Box::new(specialist)));
        let connectors = Connector::all(site.tree()).into_iter();
        let connectors = connectors.map(|connector| Face::Connector(Box::new(connector)));
        specialist.into_iter().chain(connectors).collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        codes::CODES
    }
}
