//! [`meet`]: a package with several faces runs with what all of them allow. [`union`]: it is warned about with what any
//! of them asks for.
//!
//! Silence is the identity of the first: a face that does not speak of an effect narrows nothing and permits nothing. When
//! no face speaks of it, nothing is permitted, and only a policy that somebody wrote can.

use std::collections::{BTreeSet, HashSet};

use crate::glob::{self, Coverage};

use super::declaration::{Declaration, Grants, Said};
use super::effect::{Confirm, Effect, Subject};
use super::grant::Origin;
use super::scope::{Covering, Pattern, Scope};

/// What several faces allow together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// One per effect that some face speaks of, in the order of [`Effect`]; [`Scope::Nothing`] when they do not meet.
    pub allowed: Vec<Allowed>,
    /// What one face asks for and another is not known to allow: left out, and worth a warning.
    pub left_out: Vec<LeftOut>,
}

/// One effect, as far as all faces allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// What.
    pub effect: Effect,
    /// How far.
    pub scope: Scope,
    /// The strictest question that any face asks for.
    pub confirm: Confirm,
    /// The statements it rests on.
    pub origins: Vec<Origin>,
}

/// A pattern that one face asks for and another does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub effect: Effect,
    /// The pattern; `None` for "anything".
    pub pattern: Option<Pattern>,
    /// [`Coverage::No`], or [`Coverage::Unknown`] when the two cannot be compared.
    pub coverage: Coverage,
}

/// What all of `faces` allow `subject`, conditions counted as met. An effect that a newer specification added grants
/// nothing and is left out without a word: no face can allow what nobody knows.
#[must_use]
pub fn meet(faces: &[&Declaration], subject: &Subject) -> Met {
    let spoken: Vec<&Grants> = faces.iter().filter_map(|face| face.grants()).collect();
    let effects: BTreeSet<&Effect> = spoken.iter().flat_map(|grants| grants.effects()).collect();
    let mut met = Met::default();
    for effect in effects.into_iter().filter(|effect| !matches!(effect, Effect::Other(_))) {
        let mut together: Option<Said> = None;
        for said in spoken.iter().filter_map(|grants| grants.said(subject, effect)) {
            together = Some(match together {
                None => said,
                Some(before) => Said {
                    scope: intersection(effect, &before.scope, &said.scope, &mut met.left_out),
                    confirm: before.confirm.stricter(said.confirm),
                    origins: [before.origins, said.origins].concat(),
                },
            });
        }
        if let Some(Said { scope, confirm, origins }) = together {
            met.allowed.push(Allowed { effect: effect.clone(), scope, confirm, origins });
        }
    }
    met
}

/// What any of `faces` says: every statement of each, for warnings and for the person who is asked.
#[must_use]
pub fn union(faces: &[&Declaration]) -> Declaration {
    let mut all: Option<Grants> = None;
    for grants in faces.iter().filter_map(|face| face.grants()) {
        let all = all.get_or_insert_default();
        all.declared.extend(grants.declared.iter().cloned());
        all.implied.extend(grants.implied.iter().cloned());
        all.ceiling.extend(grants.ceiling.iter().cloned());
    }
    all.map_or(Declaration::Unspoken, Declaration::Spoken)
}

/// Of two lists, the patterns that the other covers. Two patterns may overlap without either covering the other; no
/// pattern says what they share, so that is left out: the result never allows what one of the two does not.
fn intersection(effect: &Effect, one: &Scope, other: &Scope, left_out: &mut Vec<LeftOut>) -> Scope {
    let mut leave = |pattern: Option<&Pattern>, coverage| {
        left_out.push(LeftOut { effect: effect.clone(), pattern: pattern.cloned(), coverage });
    };
    match (one, other) {
        (Scope::Anything, Scope::Anything) => return Scope::Anything,
        (Scope::Anything, narrower) | (narrower, Scope::Anything) => {
            leave(None, Coverage::No);
            return narrower.clone();
        }
        _ => {}
    }
    let mut shared: Vec<Pattern> = Vec::new();
    let mut taken: HashSet<glob::Pattern<'_>> = HashSet::new();
    let (mut covering_one, mut covering_other) = (Covering::new(one), Covering::new(other));
    for (scope, covering) in [(one, &mut covering_other), (other, &mut covering_one)] {
        for pattern in scope.patterns() {
            match covering.covers(pattern) {
                Coverage::Yes if taken.insert(pattern.glob()) => shared.push(pattern.clone()),
                Coverage::Yes => {}
                coverage => leave(Some(pattern), coverage),
            }
        }
    }
    if shared.is_empty() { Scope::Nothing } else { Scope::Patterns(shared.into()) }
}
