//! What one face says about permissions as a whole.

use std::collections::BTreeSet;

use super::effect::{Confirm, Effect, Subject};
use super::grant::{Grant, Never, Origin};
use super::scope::Scope;

/// What one face says. Silence is not "none".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// The document has no word on permissions, or its format has none.
    Unspoken,
    /// It speaks.
    Spoken(Grants),
}

/// Every statement of one face.
///
/// A face speaks of an effect when any statement is about it. A format whose silence means "none" therefore lifts that
/// silence into a grant of [`Scope::Nothing`]; an effect without any statement is one the format has no word for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// One per statement in the document.
    pub declared: Vec<Grant>,
    /// What the format gives without being asked.
    pub implied: Vec<Grant>,
    /// What the format never gives.
    pub ceiling: Vec<Never>,
}

/// What one face says about one effect of one subject, statements taken together and conditions counted as met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// How far.
    pub scope: Scope,
    /// The strictest question that any of the statements asks for.
    pub confirm: Confirm,
    /// Where it is written; empty when it follows from what is not written.
    pub origins: Vec<Origin>,
}

impl Declaration {
    /// The statements, when there are any.
    #[must_use]
    pub const fn grants(&self) -> Option<&Grants> {
        match self {
            Self::Unspoken => None,
            Self::Spoken(grants) => Some(grants),
        }
    }
}

impl Grants {
    /// Every grant, declared and implied.
    pub fn all(&self) -> impl Iterator<Item = &Grant> {
        self.declared.iter().chain(&self.implied)
    }

    /// The effects this face speaks of.
    #[must_use]
    pub fn effects(&self) -> BTreeSet<&Effect> {
        let granted = self.all().map(|grant| &grant.effect);
        granted.chain(self.ceiling.iter().map(|never| &never.effect)).collect()
    }

    /// The farthest that anything in the package may go, over all subjects and all conditions. `None` when this face has
    /// no word on the effect.
    #[must_use]
    pub fn worst_case(&self, effect: &Effect) -> Option<Said> {
        self.gather(effect, |_| true)
    }

    /// What it says about `effect` for `subject`. A subject that this face names has what is written for it and nothing
    /// else; one that it does not name has what the package has. `None` when this face has no word on the effect.
    #[must_use]
    pub fn said(&self, subject: &Subject, effect: &Effect) -> Option<Said> {
        let own = if self.all().any(|grant| grant.subject == *subject) { subject } else { &Subject::Package };
        self.gather(effect, |grant| grant.subject == *own)
    }

    fn gather(&self, effect: &Effect, counts: impl Fn(&Grant) -> bool) -> Option<Said> {
        if !self.effects().contains(effect) {
            return None;
        }
        let counted: Vec<&Grant> =
            self.all().filter(|grant| grant.effect == *effect && counts(grant)).collect();
        Some(Said::of(&counted))
    }
}

impl Said {
    /// The statements taken together. Where there is none, the author asks for nothing and for no question.
    pub(super) fn of(grants: &[&Grant]) -> Self {
        Self {
            scope: Scope::union(grants.iter().map(|grant| &grant.scope)),
            confirm: grants
                .iter()
                .map(|grant| grant.confirm)
                .reduce(Confirm::stricter)
                .unwrap_or(Confirm::HostDecides),
            origins: grants.iter().map(|grant| grant.origin.clone()).collect(),
        }
    }
}
