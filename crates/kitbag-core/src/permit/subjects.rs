//! [`Subjects`]: the statements of one face sorted by whom they are about, once for all who ask.

use std::collections::BTreeMap;

use super::declaration::Grants;
use super::effect::{Confirm, Effect, Subject};
use super::grant::Grant;
use super::scope::Scope;

/// The statements of one face by subject, each told as those of a package.
#[derive(Clone, Debug)]
pub struct Subjects<'g> {
    own: BTreeMap<&'g Subject, Grants>,
    /// Where each effect is first spoken of.
    spoken: BTreeMap<&'g Effect, &'g Grant>,
    whole: &'g Grants,
}

impl<'g> Subjects<'g> {
    /// Sorts the statements of `grants`.
    #[must_use]
    pub fn new(grants: &'g Grants) -> Self {
        let mut own: BTreeMap<&Subject, Grants> = BTreeMap::new();
        let mut spoken = BTreeMap::new();
        let told = |grant: &Grant| Grant { subject: Subject::Package, ..grant.clone() };
        for grant in &grants.declared {
            spoken.entry(&grant.effect).or_insert(grant);
            own.entry(&grant.subject).or_default().declared.push(told(grant));
        }
        for grant in &grants.implied {
            own.entry(&grant.subject).or_default().implied.push(told(grant));
        }
        Self { own, spoken, whole: grants }
    }

    /// The statements about each subject that is named, the package first.
    pub fn iter(&self) -> impl Iterator<Item = (&'g Subject, &Grants)> {
        self.own.iter().map(|(subject, grants)| (*subject, grants))
    }

    /// What the face says about `subject` alone, as if it were a package of its own. A subject that it names has what is
    /// written for it, and nothing of every other effect that is declared for anybody; one that it does not name has what
    /// the package has.
    #[must_use]
    pub fn of(&self, subject: &Subject) -> Grants {
        let own = self.own.get(subject).or_else(|| self.own.get(&Subject::Package));
        let mut own = own.cloned().unwrap_or_default();
        own.ceiling.clone_from(&self.whole.ceiling);
        let silent =
            self.spoken.iter().filter(|(effect, _)| !own.all().any(|grant| grant.effect == ***effect));
        // What is declared for others and not for it, it does not have; the word about them says where.
        let none = silent.map(|(_, grant)| Grant {
            subject: Subject::Package,
            scope: Scope::Nothing,
            when: None,
            confirm: Confirm::HostDecides,
            why: None,
            ..(*grant).clone()
        });
        let none: Vec<Grant> = none.collect();
        own.declared.extend(none);
        own
    }
}
