//! [`widened`]: what a new version asks beyond the old one. The question of consent when a package is replaced.

use std::collections::{BTreeMap, BTreeSet};

use crate::glob::Coverage;

use super::declaration::{Declaration, Grants, Said};
use super::effect::{Confirm, Effect, Subject};
use super::grant::Grant;
use super::scope::{Covering, Pattern, Scope};

/// A statement of the new version that the old one did not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widened<'n> {
    /// The statement.
    pub grant: &'n Grant,
    /// What is new about it.
    pub beyond: Beyond<'n>,
}

/// What a statement has beyond what was granted before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond<'n> {
    /// It now reaches anything.
    Anything,
    /// These patterns were not covered.
    Patterns(Vec<&'n Pattern>),
    /// These patterns cannot be compared with what was granted, so they count as new; none is named when there were too
    /// many to read.
    Unknown(Vec<&'n Pattern>),
    /// An effect of a newer specification that the old version did not name like this.
    Effect,
    /// It reaches no farther, and a person is asked less often.
    AsksLess {
        /// How often before.
        before: Confirm,
    },
}

/// Most patterns that one question reads, old and new together. A document can repeat a list of a million patterns for
/// thousands of capabilities; statements past this count as new, unread.
const MOST_PATTERNS: usize = 1 << 18;

/// The statements of `new` that are not covered by what `old` was granted. A subject that the old version named is
/// compared with what it had; a new one with the farthest that anything in the package could go. Conditions count as met
/// on both sides.
#[must_use]
pub fn widened<'n>(old: &Declaration, new: &'n Declaration) -> Vec<Widened<'n>> {
    let mut granted: BTreeMap<(Option<&Subject>, &Effect), Vec<&Grant>> = BTreeMap::new();
    let mut subjects = BTreeSet::new();
    for grant in old.grants().into_iter().flat_map(Grants::all) {
        subjects.insert(&grant.subject);
        granted.entry((Some(&grant.subject), &grant.effect)).or_default().push(grant);
        granted.entry((None, &grant.effect)).or_default().push(grant);
    }
    let mut left = MOST_PATTERNS;
    let asked = new.grants().into_iter().flat_map(Grants::all);
    asked
        .filter_map(|grant| {
            let subject = Some(&grant.subject).filter(|subject| subjects.contains(subject));
            let before = granted.get(&(subject, &grant.effect)).map_or(&[][..], Vec::as_slice);
            let patterns = |grant: &Grant| grant.scope.patterns().len() + 1;
            let cost = before.iter().copied().map(patterns).sum::<usize>() + patterns(grant);
            let beyond = match left.checked_sub(cost) {
                Some(rest) => {
                    left = rest;
                    beyond(before, grant)?
                }
                None if grant.scope.is_nothing() => return None,
                None => Beyond::Unknown(Vec::new()),
            };
            Some(Widened { grant, beyond })
        })
        .collect()
}

fn beyond<'n>(before: &[&Grant], grant: &'n Grant) -> Option<Beyond<'n>> {
    if grant.scope.is_nothing() {
        return None;
    }
    if let Effect::Other(_) = grant.effect {
        // Nothing is known about what its patterns mean: the same statement, or a new one.
        let same = before.iter().any(|before| before.scope == grant.scope);
        return (!same).then_some(Beyond::Effect);
    }
    let before = Said::of(before);
    let mut covering = Covering::new(&before.scope);
    if grant.scope == Scope::Anything && !covering.covers_anything().is_yes() {
        return Some(Beyond::Anything);
    }
    let (mut new, mut unknown) = (Vec::new(), Vec::new());
    for pattern in grant.scope.patterns() {
        match covering.covers(pattern) {
            Coverage::Yes => {}
            Coverage::No => new.push(pattern),
            Coverage::Unknown => unknown.push(pattern),
        }
    }
    if !new.is_empty() {
        new.extend(unknown);
        return Some(Beyond::Patterns(new));
    }
    if !unknown.is_empty() {
        return Some(Beyond::Unknown(unknown));
    }
    let asks_less = before.confirm.stricter(grant.confirm) != grant.confirm;
    asks_less.then_some(Beyond::AsksLess { before: before.confirm })
}
