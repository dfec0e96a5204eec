//! What a manifest answers to the questions every format is asked. A manifest that does not conform is silent on
//! permissions: nothing is granted by what cannot be read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use crate::finding::Findings;
use crate::formats::{self, ArchiveBytes, Identity, Need, PackError, Pins, Record, Verification};
use crate::glob::Dialect;
use crate::json::{Json, Pointer, Span};
use crate::permit::{
    Confirm, Declaration, Effect, Grant, Grants, Never, Origin, Pattern, Root, Scope, Subject,
};
use crate::tool::Tool;
use crate::tree::Tree;

use super::document::{Document, Identifier, Permission};
use super::manifest::Capability;
use super::{SIGNATURE, check, describe, pack, verify};

/// The workspace, as a scope names it.
const WORKSPACE: &str = "$WORKSPACE";

impl formats::Document for Capability {
    fn check(&self, tree: &Tree, out: &mut Findings) {
        check::run(self, tree, out);
    }

    fn identity(&self) -> Identity<'_> {
        let text = |name| self.json().and_then(|json| json.get(name)).and_then(Json::as_str);
        Identity {
            format: "adcap",
            name: text("id"),
            version: text("version"),
            description: text("description"),
            spec: text("adcap"),
            license: text("license"),
        }
    }

    fn permissions(&self) -> Declaration {
        let Some(document) = self.document() else { return Declaration::Unspoken };
        let lift = Lift { capability: self, document };
        Declaration::Spoken(Grants {
            declared: lift.declared(),
            implied: lift.implied(),
            ceiling: vec![Never {
                effect: Effect::Write,
                // §3.2: whatever is declared, the package stays what was verified.
                what: "writing into the capability's own directory",
            }],
        })
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        self.document().map(describe::tools).unwrap_or_default()
    }

    fn record(&self) -> Record<'_> {
        let document = self.document();
        let dependencies = document.map(|document| &*document.dependencies).unwrap_or_default();
        Record {
            stated: self.json().map(Cow::Borrowed),
            file: Some(&self.file),
            apart: &[SIGNATURE],
            elsewhere: &["/version", "/permissions", "/tools", "/dependencies", "/files"],
            offers: document.map(describe::offers).unwrap_or_default(),
            needs: dependencies
                .iter()
                .map(|entry| Need { package: &entry.name, range: Some(&entry.value) })
                .collect(),
        }
    }

    fn pack(&self, tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
        let built = pack::build(self, tree, out)?;
        Ok(Pins::ManifestDigest { sha256: built.manifest_sha256 })
    }

    fn verify(&self, tree: &Tree, archive: Option<&ArchiveBytes>) -> Verification {
        verify::answer(self, tree, archive)
    }
}

struct Lift<'c> {
    capability: &'c Capability,
    document: &'c Document,
}

impl Lift<'_> {
    fn origin(&self, pointer: Pointer, span: Span) -> Origin {
        Origin { format: "adcap", file: self.capability.file.clone(), pointer, span }
    }

    /// The capability's list, the effects it leaves out, and what each tool takes from the list.
    fn declared(&self) -> Vec<Grant> {
        let mut declared = Vec::new();
        let list = Pointer::root().join("permissions");
        for (index, permission) in self.document.permissions.iter().enumerate() {
            let origin = self.origin(list.join(index), permission.span);
            declared.push(grant(Subject::Package, &permission.value, origin));
        }
        let whole = self.capability.json().map(|json| super::opening(json.span)).unwrap_or_default();
        let silent = self.document.permissions_span.unwrap_or(whole);
        for identifier in Identifier::ALL {
            // What is not declared is not granted (§1, rule 2): silence is a statement here.
            if !self.document.permissions.iter().any(|declared| declared.value.id.value == identifier.word())
            {
                declared.push(Grant {
                    subject: Subject::Package,
                    effect: identifier.effect(),
                    scope: Scope::Nothing,
                    when: None,
                    confirm: Confirm::HostDecides,
                    why: None,
                    origin: self.origin(list.clone(), silent),
                });
            }
        }
        let by_id: HashMap<&str, &Permission> = self
            .document
            .permissions
            .iter()
            .map(|permission| (&*permission.value.id.value, &permission.value))
            .collect();
        for (index, tool) in self.document.tools.iter().enumerate() {
            let subject = Subject::Tool(tool.value.name.value.as_str().into());
            let own = Pointer::root().join("tools").join(index).join("permissions");
            for (named_index, named) in tool.value.permissions.iter().enumerate() {
                // What the capability does not declare is never granted, whatever the tool names (§3.2).
                if let Some(permission) = by_id.get(&*named.value) {
                    let origin = self.origin(own.join(named_index), named.span);
                    declared.push(grant(subject.clone(), permission, origin));
                }
            }
        }
        declared
    }

    /// §6: a tool always reads the capability's own directory, those of its dependencies, and the resources it names.
    fn implied(&self) -> Vec<Grant> {
        let root = |at: &str| Pointer::root().join(at);
        let always = |subject: &Subject, patterns: Vec<Pattern>, origin: Origin| Grant {
            subject: subject.clone(),
            effect: Effect::Read,
            scope: Scope::Patterns(patterns.into()),
            when: None,
            confirm: Confirm::HostDecides,
            why: None,
            origin,
        };
        let readable: Arc<[Pattern]> = std::iter::once(pattern(Some(Root::Package), "$SKILL_DIR/**"))
            .chain(
                self.document
                    .dependencies
                    .iter()
                    .map(|dependency| pattern(None, &format!("$DEPENDENCY/{}/**", dependency.name))),
            )
            .collect();
        let mut implied = Vec::new();
        let id = self.document.id.span;
        let mut own = always(&Subject::Package, Vec::new(), self.origin(root("id"), id));
        own.scope = Scope::Patterns(Arc::clone(&readable));
        implied.push(own);
        for (index, tool) in self.document.tools.iter().enumerate() {
            let subject = Subject::Tool(tool.value.name.value.as_str().into());
            let at = root("tools").join(index);
            let mut own = always(&subject, Vec::new(), self.origin(at.join("name"), tool.value.name.span));
            own.scope = Scope::Patterns(Arc::clone(&readable));
            implied.push(own);
            for (named_index, resource) in tool.value.resources.iter().enumerate() {
                let origin = self.origin(at.join("resources").join(named_index), resource.span);
                let cached = pattern(None, &format!("$RESOURCE/{}", resource.value));
                implied.push(always(&subject, vec![cached], origin));
            }
        }
        implied
    }
}

fn pattern(root: Option<Root>, text: &str) -> Pattern {
    Pattern { root, text: text.to_owned(), dialect: Dialect::SkillPactPath }
}

fn grant(subject: Subject, permission: &Permission, origin: Origin) -> Grant {
    let identifier = Identifier::named(&permission.id.value);
    Grant {
        subject,
        // An identifier that a newer version added is shown and compared, and grants nothing.
        effect: identifier.map_or_else(|| Effect::Other(permission.id.value.clone()), Identifier::effect),
        scope: identifier.map_or_else(|| other_scope(permission), |identifier| scope(identifier, permission)),
        when: None,
        confirm: Confirm::HostDecides,
        why: Some(permission.reason.as_str().into()),
        origin,
    }
}

fn scope(identifier: Identifier, permission: &Permission) -> Scope {
    let Some(entries) = &permission.scope else {
        return match identifier {
            // Without a scope, files are those of the workspace and never the whole disk.
            Identifier::Read | Identifier::Write => Scope::Patterns([in_workspace("**")].into()),
            // Variables must be named; a declaration that names none gives none.
            Identifier::Env => Scope::Nothing,
            _ => Scope::Anything,
        };
    };
    let dialect = match identifier {
        Identifier::Read | Identifier::Write => {
            return Scope::Patterns(entries.iter().map(|entry| in_workspace(&entry.value)).collect());
        }
        Identifier::Connect => Dialect::SkillPactHost,
        Identifier::Spawn | Identifier::Env | Identifier::Spend | Identifier::Send => Dialect::SkillPactName,
    };
    let named = |text: &String| Pattern { root: None, text: text.clone(), dialect };
    Scope::Patterns(entries.iter().map(|entry| named(&entry.value)).collect())
}

fn other_scope(permission: &Permission) -> Scope {
    let named = |text: &String| Pattern { root: None, text: text.clone(), dialect: Dialect::SkillPactName };
    match &permission.scope {
        Some(entries) => Scope::Patterns(entries.iter().map(|entry| named(&entry.value)).collect()),
        None => Scope::Anything,
    }
}

/// A path scope, which is relative to the workspace whether it says so or not.
fn in_workspace(scope: &str) -> Pattern {
    let rest = scope.strip_prefix(WORKSPACE).unwrap_or(scope).trim_start_matches('/');
    let text = if rest.is_empty() { format!("{WORKSPACE}/**") } else { format!("{WORKSPACE}/{rest}") };
    pattern(Some(Root::Project), &text)
}
