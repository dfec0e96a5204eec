//! What a `SKILL.md` answers to the questions every format is asked.

use std::borrow::Cow;
use std::io::Write;

use crate::finding::Findings;
use crate::formats::{ArchiveBytes, Document, Identity, PackError, Pins, Record, Seal, Verification};
use crate::json::{Json, Object, Span, Value};
use crate::permit::Declaration;
use crate::tool::Tool;
use crate::tree::Tree;

use super::document::Skill;

impl Document for Skill {
    fn check(&self, tree: &Tree, out: &mut Findings) {
        Self::check(self, tree, out);
    }

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: "agent-skill",
            name: self.fields.name.as_deref(),
            version: self.fields.version.as_deref(),
            description: self.fields.description.as_deref(),
            spec: None,
            license: self.fields.license.as_deref(),
        }
    }

    fn permissions(&self) -> Declaration {
        super::permissions::lift(self)
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        // A skill is read, not called; what `allowed-tools` names are the harness's own.
        Vec::new()
    }

    fn record(&self) -> Record<'_> {
        let value = |value| Json { span: Span::default(), value };
        let mut stated = Object::default();
        for (name, text) in &self.fields.stated {
            stated.insert(name, value(Value::String(text.clone())));
        }
        Record {
            file: Some(&self.file),
            stated: Some(Cow::Owned(value(Value::Object(stated)))),
            elsewhere: &["/version", "/allowed-tools"],
            ..Record::default()
        }
    }

    fn pack(&self, _tree: &Tree, _out: &mut dyn Write) -> Result<Pins, PackError> {
        Err(PackError::NoArchive { format: "agent-skill", carriers: &["splice", "adcap"] })
    }

    fn verify(&self, _tree: &Tree, _archive: Option<&ArchiveBytes>) -> Verification {
        // Nothing in a skill says what its files should be.
        Verification::unpinned(Seal::Elsewhere)
    }
}
