//! Splice's permissions in the language of all formats: what is asked for, what comes with it, what is never given.
//!
//! Silence means none here, so every list that is empty is lifted as "nothing". Only `capabilities` has no word when it is
//! empty: it speaks of what *this host* does for the package, and a harness's own tools are another matter.

use std::sync::Arc;

use crate::glob::Dialect;
use crate::json::decode::Placed;
use crate::json::{Pointer, Span};
use crate::path::PackagePath;
use crate::permit::{Confirm, Effect, Grant, Grants, Never, Origin, Pattern, Root, Scope, Subject};

use super::document::Permissions;
use super::words;

/// What no Splice package gets, whatever it declares (Splice 1, "Permissions").
const CEILING: [Never; 3] = [
    Never { effect: Effect::Exec, what: "child processes and worker threads" },
    Never { effect: Effect::Exec, what: "native addons and WASI" },
    Never { effect: Effect::Exec, what: "eval" },
];

/// Lifts the permissions of the manifest `file`, whose root stands at `whole`.
pub(super) fn lift(permissions: &Permissions, file: &PackagePath, whole: Span) -> Grants {
    let lift = Lift { permissions, file, whole };
    let mut declared = vec![
        lift.list(Effect::Read, &permissions.read, &["fs", "read"], Dialect::SplicePath),
        lift.list(Effect::Write, &permissions.write, &["fs", "write"], Dialect::SplicePath),
        lift.list(Effect::Network, &permissions.network, &["network"], Dialect::SpliceHost),
        lift.list(Effect::Env, &permissions.env, &["env"], Dialect::SpliceName),
    ];
    if !permissions.capabilities.is_empty() {
        declared.push(lift.list(
            Effect::Call,
            &permissions.capabilities,
            &["capabilities"],
            Dialect::SpliceName,
        ));
    }
    let billed: Vec<Placed<String>> = permissions
        .capabilities
        .iter()
        .filter(|capability| words::is_billed(&capability.value))
        .cloned()
        .collect();
    declared.push(lift.list(Effect::Spend, &billed, &["capabilities"], Dialect::SpliceName));
    // The package's own folder is always readable, and what may be written may be read. The folder is not in the project,
    // so Splice's paths cannot name it; SkillPact's can.
    let own: Pattern = Pattern {
        root: Some(Root::Package),
        text: "$SKILL_DIR/**".to_owned(),
        dialect: Dialect::SkillPactPath,
    };
    let mut implied = vec![lift.grant(Effect::Read, Scope::Patterns(Arc::from([own])), &[])];
    if !permissions.write.is_empty() {
        implied.push(lift.list(Effect::Read, &permissions.write, &["fs", "write"], Dialect::SplicePath));
    }
    Grants { declared, implied, ceiling: CEILING.to_vec() }
}

struct Lift<'l> {
    permissions: &'l Permissions,
    file: &'l PackagePath,
    whole: Span,
}

impl Lift<'_> {
    fn list(&self, effect: Effect, items: &[Placed<String>], way: &[&str], dialect: Dialect) -> Grant {
        let pattern = |item: &Placed<String>| Pattern {
            root: (dialect == Dialect::SplicePath).then_some(Root::Project),
            text: item.value.clone(),
            dialect,
        };
        let scope = match items {
            [] => Scope::Nothing,
            items => Scope::Patterns(items.iter().map(pattern).collect()),
        };
        let mut grant = self.grant(effect, scope, way);
        if let [first, .., last] | [first @ last] = items {
            grant.origin.span = Span { start: first.span.start, end: last.span.end };
        }
        grant
    }

    fn grant(&self, effect: Effect, scope: Scope, way: &[&str]) -> Grant {
        let (pointer, span) = match self.permissions.span {
            Some(span) => {
                let at = Pointer::root().join("permissions");
                (way.iter().fold(at, |pointer, name| pointer.join(name)), span)
            }
            None => (Pointer::root(), self.whole),
        };
        Grant {
            subject: Subject::Package,
            effect,
            scope,
            when: None,
            confirm: Confirm::HostDecides,
            why: None,
            origin: Origin { format: "splice", file: self.file.clone(), pointer, span },
        }
    }
}
