//! What a contract answers to the questions every format is asked. A contract that does not conform is silent on
//! permissions: nothing is granted by what cannot be read.

use crate::finding::Findings;
use crate::formats::{self, Identity};
use crate::json::decode::Placed;
use crate::json::{Json, Pointer, Span};
use crate::path::PackagePath;
use crate::permit::{Confirm, Declaration, Grant, Grants, Origin, Pattern, Root, Scope, Subject};
use crate::tree::Tree;

use super::check;
use super::contract::Contract;
use super::document::{Capability, Class, Document, Level, Permission};

impl formats::Document for Contract {
    fn check(&self, tree: &Tree, out: &mut Findings) {
        check::run(self, tree, out);
    }

    fn identity(&self) -> Identity<'_> {
        let skill = self.json().and_then(|json| json.get("skill"));
        let text = |name| skill.and_then(|skill| skill.get(name)).and_then(Json::as_str);
        Identity {
            format: "skillpact",
            name: text("name"),
            version: text("version"),
            description: None,
            spec: self.json().and_then(|json| json.get("contract_version")).and_then(Json::as_str),
            license: text("license"),
        }
    }

    fn permissions(&self) -> Declaration {
        let Some(document) = self.document() else { return Declaration::Unspoken };
        let mut declared = Vec::new();
        for class in Class::ALL {
            declared.push(of_skill(&self.file, class, document.permissions.of(class)));
        }
        for (index, capability) in document.capabilities.iter().enumerate() {
            let at = Pointer::root().join("capabilities").join(index);
            of_capability(&self.file, document, &capability.value, &at, &mut declared);
        }
        Declaration::Spoken(Grants { declared, implied: Vec::new(), ceiling: Vec::new() })
    }
}

fn origin(file: &PackagePath, pointer: Pointer, span: Span) -> Origin {
    Origin { format: "skillpact", file: file.clone(), pointer, span }
}

/// The six of `permissions`: what the skill as a whole may do.
fn of_skill(file: &PackagePath, class: Class, permission: &Placed<Permission>) -> Grant {
    let Placed { value, span } = permission;
    Grant {
        subject: Subject::Package,
        effect: class.effect(),
        scope: scope_of(class, value.level.value, &value.scope),
        when: None,
        confirm: value.confirm.unwrap_or(Confirm::HostDecides),
        why: value.why.clone(),
        origin: origin(file, Pointer::root().join("permissions").join(class.word()), *span),
    }
}

/// What one capability does, with its narrower scopes, and what it does sometimes.
fn of_capability(
    file: &PackagePath,
    document: &Document,
    capability: &Capability,
    at: &Pointer,
    declared: &mut Vec<Grant>,
) {
    let subject = Subject::Capability(capability.id.value.clone());
    for (index, effect) in capability.effects.iter().enumerate() {
        let class = effect.value;
        let permission = &document.permissions.of(class).value;
        let narrower = capability.effect_scopes.iter().find(|narrower| narrower.class == class);
        let (scope, pointer, span) = match narrower {
            // The level is the skill's; a list narrows "scoped" and "any" alike.
            Some(narrower) if permission.level.value != Level::None => (
                Scope::Patterns(patterns(class, &narrower.scope)),
                at.join("effect_scopes").join(class.word()),
                narrower.span,
            ),
            _ => (
                scope_of(class, permission.level.value, &permission.scope),
                at.join("effects").join(index),
                effect.span,
            ),
        };
        declared.push(Grant {
            subject: subject.clone(),
            effect: class.effect(),
            scope,
            when: None,
            confirm: permission.confirm.unwrap_or(Confirm::HostDecides),
            why: permission.why.clone(),
            origin: origin(file, pointer, span),
        });
    }
    for (index, conditional) in capability.conditional.iter().enumerate() {
        let class = conditional.value.class;
        let permission = &document.permissions.of(class).value;
        let scope = match (&conditional.value.scope, permission.level.value) {
            (_, Level::None) => Scope::Nothing,
            (Some(scope), _) if !scope.is_empty() => Scope::Patterns(patterns(class, scope)),
            (_, level) => scope_of(class, level, &permission.scope),
        };
        declared.push(Grant {
            subject: subject.clone(),
            effect: class.effect(),
            scope,
            when: Some(conditional.value.when.clone()),
            confirm: permission.confirm.unwrap_or(Confirm::HostDecides),
            why: permission.why.clone(),
            origin: origin(file, at.join("conditional_effects").join(index), conditional.span),
        });
    }
}

fn scope_of(class: Class, level: Level, scope: &[Placed<String>]) -> Scope {
    match level {
        Level::None => Scope::Nothing,
        Level::Any => Scope::Anything,
        Level::Scoped => Scope::Patterns(patterns(class, scope)),
    }
}

fn patterns(class: Class, scope: &[Placed<String>]) -> Vec<Pattern> {
    scope
        .iter()
        .map(|entry| Pattern {
            root: class.has_paths().then(|| root_of(&entry.value)).flatten(),
            text: entry.value.clone(),
            dialect: class.dialect(),
        })
        .collect()
}

/// The folder that a path variable of §6 stands for, when a scope begins with one.
fn root_of(scope: &str) -> Option<Root> {
    let variable = scope.split('/').next().unwrap_or(scope);
    Some(match variable {
        "$INPUT" => Root::Input,
        "$INPUT_DIR" => Root::InputDir,
        "$OUTPUT" => Root::Output,
        "$WORKDIR" => Root::Work,
        "$SKILL_DIR" => Root::Package,
        "$TMPDIR" => Root::Temp,
        _ => return None,
    })
}
