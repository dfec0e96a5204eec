//! The six permissions (§6, §6.1): risk, tokens, variables, traversal, and whether anything uses them.

use std::collections::HashSet;

use crate::glob::path::{Traversal, traversal};
use crate::json::decode::Placed;
use crate::json::excerpt;

use super::super::codes;
use super::super::document::{Class, Level};
use super::{Bounded, Subject, at};

const VARIABLES: [&str; 6] = ["$INPUT", "$INPUT_DIR", "$OUTPUT", "$WORKDIR", "$SKILL_DIR", "$TMPDIR"];

/// Checks what `permissions` says.
pub(super) fn check(subject: &Subject<'_>, out: &mut Bounded) {
    for class in [Class::Spend, Class::Send] {
        let permission = subject.document.permissions.of(class);
        if permission.value.level.value == Level::Any {
            let pointer = at("permissions").join(class.word()).join("level");
            let message = format!("`{}` is allowed without limit", class.word());
            out.push(subject.finding(&codes::HIGH_RISK, pointer, permission.value.level.span, message));
        }
    }
    // SCOPE_EMPTY has no line here: the schema asks for a scope where the level is `scoped`, and its error comes first.
    for class in Class::ALL {
        for (index, scope) in subject.document.permissions.of(class).value.scope.iter().enumerate() {
            if out.is_full() {
                return;
            }
            check_scope(subject, class, index, scope, out);
        }
    }
}

fn check_scope(subject: &Subject<'_>, class: Class, index: usize, scope: &Placed<String>, out: &mut Bounded) {
    let pointer = || at("permissions").join(class.word()).join("scope").join(index);
    let text = &*scope.value;
    if text.starts_with('@') && !(class == Class::Network && text == crate::glob::host::LOCAL) {
        let message = format!("the token `{}` is not defined for `{}`", excerpt(text), class.word());
        out.push(subject.finding(&codes::UNKNOWN_SCOPE_TOKEN, pointer(), scope.span, message));
    }
    for variable in variables(text).filter(|variable| !VARIABLES.contains(variable)) {
        if out.is_full() {
            return;
        }
        let message = format!("the variable `{}` in `{}` is not defined", excerpt(variable), excerpt(text));
        out.push(subject.finding(&codes::UNKNOWN_VARIABLE, pointer(), scope.span, message));
    }
    if class.has_paths()
        && let Some(message) = describe_traversal(text)
    {
        out.push(subject.finding(&codes::SCOPE_TRAVERSAL, pointer(), scope.span, message));
    }
}

/// What makes a path scope a traversal, in words.
pub(super) fn describe_traversal(scope: &str) -> Option<String> {
    let what = match traversal(scope)? {
        Traversal::Backslash => "a backslash",
        Traversal::EmptySegment => "an empty segment",
        Traversal::DotSegment => "a `.` or `..` segment",
    };
    Some(format!("the path scope `{}` contains {what}", excerpt(scope)))
}

/// Every `$` followed by capital letters and underscores.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
        (length > 0).then(|| &text[at..=at + length])
    })
}

/// Says which permissions nothing uses.
pub(super) fn check_use(subject: &Subject<'_>, out: &mut Bounded) {
    let used: HashSet<Class> = subject
        .document
        .capabilities
        .iter()
        .flat_map(|capability| {
            let always = capability.value.effects.iter().map(|effect| effect.value);
            always.chain(capability.value.conditional.iter().map(|conditional| conditional.value.class))
        })
        .collect();
    for class in Class::ALL {
        let permission = subject.document.permissions.of(class);
        if permission.value.level.value != Level::None && !used.contains(&class) {
            let message = format!("`{}` is declared and no capability has it", class.word());
            let pointer = at("permissions").join(class.word());
            out.push(subject.finding(&codes::UNUSED_PERMISSION, pointer, permission.span, message));
        }
    }
}
