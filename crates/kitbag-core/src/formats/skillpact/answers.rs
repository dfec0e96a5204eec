//! What a contract answers to the questions every format is asked. A contract that does not conform is silent on
//! permissions: nothing is granted by what cannot be read.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use crate::finding::Findings;
use crate::formats::{self, ArchiveBytes, Identity, Offer, PackError, Pins, Record, Verification};
use crate::json::decode::Placed;
use crate::json::{Json, Pointer, Span};
use crate::path::PackagePath;
use crate::permit::{Confirm, Declaration, Grant, Grants, Origin, Pattern, Root, Scope, Subject};
use crate::tool::Tool;
use crate::tree::Tree;

use super::contract::Contract;
use super::document::{Capability, Class, Level, Permission};
use super::{check, verify};

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
        let whole = Class::ALL.map(|class| Whole::of(class, &document.permissions.of(class).value));
        let mut declared: Vec<Grant> = whole
            .iter()
            .map(|whole| {
                let pointer = Pointer::root().join("permissions").join(whole.class.word());
                let origin = origin(&self.file, pointer, document.permissions.of(whole.class).span);
                whole.grant(&Subject::Package, whole.scope.clone(), None, origin)
            })
            .collect();
        for (index, capability) in document.capabilities.iter().enumerate() {
            let at = Pointer::root().join("capabilities").join(index);
            of_capability(&self.file, &whole, &capability.value, &at, &mut declared);
        }
        Declaration::Spoken(Grants { declared, implied: Vec::new(), ceiling: Vec::new() })
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        // Capabilities are commands and MCP tools of servers; neither is a tool that a package runs by itself.
        Vec::new()
    }

    fn record(&self) -> Record<'_> {
        let capabilities = self.document().map(|document| &*document.capabilities).unwrap_or_default();
        Record {
            stated: self.json().map(Cow::Borrowed),
            file: Some(self.file()),
            apart: &[],
            elsewhere: &["/skill/version", "/permissions", "/integrity/files", "/integrity/signatures"],
            offers: capabilities
                .iter()
                .map(|capability| Offer {
                    input: capability.value.inputs.as_ref(),
                    output: capability.value.outputs.as_ref(),
                    ..Offer::named("capability", &capability.value.id.value)
                })
                .collect(),
            needs: Vec::new(),
        }
    }

    fn pack(&self, _tree: &Tree, _out: &mut dyn Write) -> Result<Pins, PackError> {
        Err(PackError::NoArchive { format: "skillpact", carriers: &["splice", "adcap"] })
    }

    fn verify(&self, tree: &Tree, _archive: Option<&ArchiveBytes>) -> Verification {
        verify::run(self, tree)
    }
}

fn origin(file: &PackagePath, pointer: Pointer, span: Span) -> Origin {
    Origin { format: "skillpact", file: file.clone(), pointer, span }
}

/// One of the six of `permissions`, lifted once: every statement about a capability shares its list and its reason.
struct Whole {
    class: Class,
    level: Level,
    scope: Scope,
    confirm: Confirm,
    why: Option<Arc<str>>,
}

impl Whole {
    fn of(class: Class, permission: &Permission) -> Self {
        let level = permission.level.value;
        Self {
            class,
            level,
            scope: match level {
                Level::None => Scope::Nothing,
                Level::Any => Scope::Anything,
                Level::Scoped => patterns(class, &permission.scope),
            },
            confirm: permission.confirm.unwrap_or(Confirm::HostDecides),
            why: permission.why.as_deref().map(Arc::from),
        }
    }

    fn grant(&self, subject: &Subject, scope: Scope, when: Option<String>, origin: Origin) -> Grant {
        Grant {
            subject: subject.clone(),
            effect: self.class.effect(),
            scope,
            when,
            confirm: self.confirm,
            why: self.why.clone(),
            origin,
        }
    }
}

/// What one capability does, with its narrower scopes, and what it does sometimes.
fn of_capability(
    file: &PackagePath,
    whole: &[Whole],
    capability: &Capability,
    at: &Pointer,
    declared: &mut Vec<Grant>,
) {
    let subject = Subject::Capability(capability.id.value.as_str().into());
    let of = |class: Class| whole.iter().find(|whole| whole.class == class);
    for (index, effect) in capability.effects.iter().enumerate() {
        let Some(whole) = of(effect.value) else { continue };
        let narrower = capability.effect_scopes.iter().find(|narrower| narrower.class == whole.class);
        let (scope, pointer, span) = match narrower {
            // The level is the skill's; a list narrows "scoped" and "any" alike.
            Some(narrower) if whole.level != Level::None => (
                patterns(whole.class, &narrower.scope),
                at.join("effect_scopes").join(whole.class.word()),
                narrower.span,
            ),
            _ => (whole.scope.clone(), at.join("effects").join(index), effect.span),
        };
        declared.push(whole.grant(&subject, scope, None, origin(file, pointer, span)));
    }
    for (index, conditional) in capability.conditional.iter().enumerate() {
        let Some(whole) = of(conditional.value.class) else { continue };
        let scope = match &conditional.value.scope {
            Some(scope) if !scope.is_empty() && whole.level != Level::None => patterns(whole.class, scope),
            _ => whole.scope.clone(),
        };
        let origin = origin(file, at.join("conditional_effects").join(index), conditional.span);
        declared.push(whole.grant(&subject, scope, Some(conditional.value.when.clone()), origin));
    }
}

fn patterns(class: Class, scope: &[Placed<String>]) -> Scope {
    let pattern = |entry: &Placed<String>| Pattern {
        root: class.has_paths().then(|| root_of(&entry.value)).flatten(),
        text: entry.value.clone(),
        dialect: class.dialect(),
    };
    Scope::Patterns(scope.iter().map(pattern).collect())
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
