//! The capabilities (§7), in two passes as the reference makes them: first what each says for itself, then what it says
//! about conditions, scopes and features.

use std::collections::HashMap;

use crate::finding::Place;
use crate::glob::{Coverage, PatternSet};
use crate::json::decode::Placed;
use crate::json::{Json, Pointer, Span, Step, excerpt};
use crate::schema;

use super::super::codes;
use super::super::document::{Capability, Class, Kind, Level};
use super::super::lookup::{self, Found};
use super::effects::describe_traversal;
use super::requirements::Known;
use super::{Bounded, Subject, at};

/// Checks every capability.
pub(super) fn check(subject: &Subject<'_>, out: &mut Bounded) {
    let known = Known::of(&subject.document.requirements);
    let mut outer = Outer::of(subject);
    let mut ids: HashMap<&str, Span> = HashMap::new();
    for (index, capability) in subject.document.capabilities.iter().enumerate() {
        if out.is_full() {
            return;
        }
        let pointer = at("capabilities").join(index);
        let Placed { value: id, span } = &capability.value.id;
        match ids.get(&**id) {
            Some(first) => out.push(
                subject
                    .finding(
                        &codes::DUP_CAPABILITY,
                        pointer.join("id"),
                        *span,
                        format!("the id `{}` stands twice", excerpt(id)),
                    )
                    .related(Place::span(subject.file.clone(), *first), "it stands here first"),
            ),
            None => {
                ids.insert(id, *span);
            }
        }
        check_effects(subject, &capability.value, &pointer, out);
        check_destructive(subject, &capability.value, &pointer, out);
        for (name, schema) in [("inputs", &capability.value.inputs), ("outputs", &capability.value.outputs)] {
            if let Some(schema) = schema {
                check_subschema(subject, &capability.value, schema, &pointer.join(name), out);
            }
        }
        known.check_requires(subject, &capability.value, &pointer, out);
        check_entry(subject, &capability.value, &pointer, out);
    }
    for (index, capability) in subject.document.capabilities.iter().enumerate() {
        if out.is_full() {
            return;
        }
        let pointer = at("capabilities").join(index);
        check_conditional(subject, &capability.value, &pointer, &mut outer, out);
        check_scopes(subject, &capability.value, &pointer, &mut outer, out);
        known.check_features(subject, &capability.value, &pointer, out);
        check_has_entry(subject, &capability.value, capability.span, &pointer, out);
    }
}

fn excluded(subject: &Subject<'_>, class: Class) -> bool {
    subject.document.permissions.of(class).value.level.value == Level::None
}

fn check_effects(subject: &Subject<'_>, capability: &Capability, pointer: &Pointer, out: &mut Bounded) {
    for (index, effect) in capability.effects.iter().enumerate() {
        if excluded(subject, effect.value) {
            let word = effect.value.word();
            let message =
                format!("`{}` has the effect `{word}`, whose level is `none`", excerpt(&capability.id.value));
            let permission = subject.document.permissions.of(effect.value);
            let place =
                Place::value(subject.file.clone(), at("permissions").join(word), permission.value.level.span);
            out.push(
                subject
                    .finding(
                        &codes::UNDECLARED_EFFECT,
                        pointer.join("effects").join(index),
                        effect.span,
                        message,
                    )
                    .related(place, "the permission is here"),
            );
        }
    }
}

fn check_destructive(subject: &Subject<'_>, capability: &Capability, pointer: &Pointer, out: &mut Bounded) {
    let Some(Placed { value: true, span }) = capability.destructive else { return };
    let changes = |class: &Placed<Class>| matches!(class.value, Class::Write | Class::Send | Class::Spend);
    if !capability.effects.iter().any(changes) {
        let message = format!(
            "`{}` is destructive and its effects name none of `write`, `send` and `spend`",
            excerpt(&capability.id.value)
        );
        out.push(subject.finding(&codes::DESTRUCTIVE_NO_EFFECT, pointer.join("destructive"), span, message));
    }
}

fn check_subschema(
    subject: &Subject<'_>,
    capability: &Capability,
    schema: &Json,
    pointer: &Pointer,
    out: &mut Bounded,
) {
    let Err(problem) = schema::check(schema) else { return };
    let pointer = problem.path.iter().fold(pointer.clone(), |pointer, step| match step {
        Step::Index(index) => pointer.join(index),
        Step::Name(name) => pointer.join(name),
    });
    let message = format!("`{}`: {}", excerpt(&capability.id.value), problem.kind);
    out.push(subject.finding(&codes::BAD_SUBSCHEMA, pointer, problem.span, message));
}

/// §7: the files that a command begins a word with.
fn check_entry(subject: &Subject<'_>, capability: &Capability, pointer: &Pointer, out: &mut Bounded) {
    for (index, token) in capability.cli.iter().flatten().enumerate() {
        if out.is_full() {
            return;
        }
        let Some(path) = token.value.strip_prefix("$SKILL_DIR/") else { continue };
        let why = match lookup::find(subject.tree, path) {
            Found::File(_) | Found::Folder | Found::Other(_) => continue,
            Found::Nothing => "is not in the skill",
            Found::Outside => "leads out of the skill",
        };
        let message = format!("`{}`: `{}` {why}", excerpt(&capability.id.value), excerpt(&token.value));
        let pointer = pointer.join("entry").join("cli").join(index);
        out.push(subject.finding(&codes::ENTRY_MISSING, pointer, token.span, message));
    }
}

fn check_conditional(
    subject: &Subject<'_>,
    capability: &Capability,
    pointer: &Pointer,
    outer: &mut Outer,
    out: &mut Bounded,
) {
    for (index, Placed { value: conditional, span }) in capability.conditional.iter().enumerate() {
        if out.is_full() {
            return;
        }
        let pointer = pointer.join("conditional_effects").join(index);
        let word = conditional.class.word();
        let id = excerpt(&capability.id.value);
        if excluded(subject, conditional.class) {
            let message = format!("`{id}` has the conditional effect `{word}`, whose level is `none`");
            out.push(subject.finding(&codes::UNDECLARED_EFFECT, pointer, *span, message));
            continue;
        }
        // §6: the skill-level scope covers every case. The specification gives this no code of its own.
        let scope = conditional.scope.as_deref().unwrap_or_default();
        if !scope.is_empty()
            && let Some(beyond) = outer.beyond(subject, conditional.class, scope)
        {
            let message = format!("`{id}`: the conditional scope of `{word}` {}", beyond.words);
            let (pointer, span) = beyond.place(pointer.join("scope"), *span);
            let finding = subject.finding(&codes::CONDITIONAL_SCOPE, pointer, span, message);
            out.push(finding.related(outer_place(subject, conditional.class), "the skill's scope is here"));
        }
    }
}

fn check_scopes(
    subject: &Subject<'_>,
    capability: &Capability,
    pointer: &Pointer,
    outer: &mut Outer,
    out: &mut Bounded,
) {
    for narrower in &capability.effect_scopes {
        let pointer = pointer.join("effect_scopes").join(narrower.class.word());
        if narrower.class.has_paths() {
            for (index, scope) in narrower.scope.iter().enumerate() {
                if out.is_full() {
                    return;
                }
                if let Some(message) = describe_traversal(&scope.value) {
                    let pointer = pointer.join(index);
                    out.push(subject.finding(&codes::SCOPE_TRAVERSAL, pointer, scope.span, message));
                }
            }
        }
        if let Some(beyond) = outer.beyond(subject, narrower.class, &narrower.scope) {
            let id = excerpt(&capability.id.value);
            let message = format!("`{id}`: the scope of `{}` {}", narrower.class.word(), beyond.words);
            let (pointer, span) = beyond.place(pointer, narrower.span);
            let finding = subject.finding(&codes::SCOPE_WIDENED, pointer, span, message);
            out.push(finding.related(outer_place(subject, narrower.class), "the skill's scope is here"));
        }
    }
}

fn outer_place(subject: &Subject<'_>, class: Class) -> Place {
    let permission = subject.document.permissions.of(class);
    let span = first_and_last(&permission.value.scope).unwrap_or(permission.span);
    Place::value(subject.file.clone(), at("permissions").join(class.word()).join("scope"), span)
}

/// From the first of some values to the last.
fn first_and_last(values: &[Placed<String>]) -> Option<Span> {
    Some(Span { start: values.first()?.span.start, end: values.last()?.span.end })
}

/// §7: effects happen through an entry, unless there is nothing to run.
fn check_has_entry(
    subject: &Subject<'_>,
    capability: &Capability,
    span: Span,
    pointer: &Pointer,
    out: &mut Bounded,
) {
    let has_entry =
        capability.cli.is_some() || capability.mcp_tool.as_ref().is_some_and(|tool| !tool.is_empty());
    if subject.document.kind == Kind::Tool && !has_entry && !capability.effects.is_empty() {
        let message = format!(
            "`{}` has effects, and neither `entry.cli` nor `entry.mcp_tool` says how it is started",
            excerpt(&capability.id.value)
        );
        let span = Span { start: span.start, end: span.start + 1 };
        out.push(subject.finding(&codes::NO_ENTRY, pointer.clone(), span, message));
    }
}

/// The scopes of the skill as a whole, read once.
struct Outer([PatternSet; 6]);

impl Outer {
    fn of(subject: &Subject<'_>) -> Self {
        Self(Class::ALL.map(|class| {
            let scope = &subject.document.permissions.of(class).value.scope;
            PatternSet::new(class.dialect(), scope.iter().map(|entry| &*entry.value))
        }))
    }

    /// Where and how `scope` goes beyond the skill's; `None` when it does not, or when no scope limits it.
    fn beyond(&mut self, subject: &Subject<'_>, class: Class, scope: &[Placed<String>]) -> Option<Beyond> {
        if subject.document.permissions.of(class).value.level.value != Level::Scoped {
            return None;
        }
        if scope.is_empty() {
            let words = "is empty, which says nothing about how far it goes".to_owned();
            return Some(Beyond { entry: None, words });
        }
        let set = &mut self.0[class as usize];
        scope.iter().enumerate().find_map(|(index, entry)| {
            let text = excerpt(&entry.value);
            let mut covered = set.covers(&entry.value);
            if covered == Coverage::Unknown && class == Class::Network && entry.value.starts_with('@') {
                // What an undefined token stands for is not known. As a text it is covered by what matches that text, and
                // `UNKNOWN_SCOPE_TOKEN` has its own say where the skill itself uses it.
                covered = set.matches(&entry.value);
            }
            let words = match covered {
                Coverage::Yes => return None,
                Coverage::No => format!("reaches beyond the skill's with `{text}`"),
                Coverage::Unknown => {
                    format!("cannot be shown to be within the skill's: `{text}` is left undecided")
                }
            };
            Some(Beyond { entry: Some((index, entry.span)), words })
        })
    }
}

/// How a scope goes beyond the skill's.
struct Beyond {
    /// The entry that does.
    entry: Option<(usize, Span)>,
    /// In words, to follow the scope's name.
    words: String,
}

impl Beyond {
    /// The entry's place, or the whole scope's.
    fn place(&self, scope: Pointer, span: Span) -> (Pointer, Span) {
        match self.entry {
            Some((index, span)) => (scope.join(index), span),
            None => (scope, span),
        }
    }
}
