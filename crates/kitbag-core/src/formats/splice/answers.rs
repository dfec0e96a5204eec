//! What a manifest answers to the questions every format is asked. One with a fault is silent on permissions and has no
//! tools: nothing is granted by what cannot be read.

use std::borrow::Cow;
use std::io::Write;

use crate::finding::Findings;
use crate::formats::{self, ArchiveBytes, Identity, Need, PackError, Pins, Record, Verification};
use crate::json::Json;
use crate::permit::Declaration;
use crate::tool::Tool;
use crate::tree::Tree;

use super::descriptor::{Descriptor, describe};
use super::manifest::Manifest;
use super::{check, pack, permissions, verify};

impl formats::Document for Manifest {
    fn check(&self, tree: &Tree, out: &mut Findings) {
        check::run(self, tree, out);
    }

    fn identity(&self) -> Identity<'_> {
        let text = |name| self.json().and_then(|json| json.get(name)).and_then(Json::as_str);
        Identity {
            format: "splice",
            name: self.id().or_else(|| text("name")),
            version: text("version"),
            description: text("description"),
            spec: self.document().map(|_| "1"),
            license: text("license"),
        }
    }

    fn permissions(&self) -> Declaration {
        match (self.document(), self.json()) {
            (Some(document), Some(json)) => {
                Declaration::Spoken(permissions::lift(&document.permissions, self.file(), json.span))
            }
            _ => Declaration::Unspoken,
        }
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        let described = self.document().map(describe).unwrap_or_default();
        described.iter().map(Descriptor::tool).collect()
    }

    fn record(&self) -> Record<'_> {
        let document = self.document();
        let declared = document.and_then(|document| document.dependencies.as_deref()).unwrap_or_default();
        let declared = declared.iter().map(|entry| Need { package: &entry.name, range: Some(&entry.value) });
        // An agent works with the tools of other packages, whatever their version.
        let agent = document.and_then(|document| document.agent.as_ref());
        let skills = agent.into_iter().flat_map(|agent| &agent.skills);
        let used = skills.map(|skill| Need { package: &skill.value, range: None });
        Record {
            stated: self.json().map(Cow::Borrowed),
            file: Some(self.file()),
            apart: &[],
            elsewhere: &["/version", "/permissions", "/tools", "/dependencies", "/agent/skills"],
            offers: Vec::new(),
            needs: declared.chain(used).collect(),
        }
    }

    fn pack(&self, tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
        pack::write(self.files(tree), out)
    }

    fn verify(&self, tree: &Tree, archive: Option<&ArchiveBytes>) -> Verification {
        verify::run(self, tree, archive)
    }
}
