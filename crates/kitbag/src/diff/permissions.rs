//! Permissions of two versions, subject by subject, in plain words.

use std::collections::{BTreeMap, HashMap, HashSet};

use kitbag_core::permit::phrase::{self, statement};
use kitbag_core::permit::{
    Beyond, Confirm, Declaration, Grant, Grants, Pattern, Scope, Subject, Subjects, Widened, widened,
};

use crate::show::Permission;

/// What differs between what two versions of a document ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Whether the old version spoke of permissions and the new one does not: what it may do is then up to whoever runs it.
    pub falls_silent: bool,
    /// By subject: the package first, then its tools, capabilities and tests.
    pub subjects: Vec<SubjectDifference>,
}

/// What differs for one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectDifference {
    /// Whom it is about: `package`, ``tool `draw` ``.
    pub subject: String,
    /// What is asked for now and was not covered before.
    pub wider: Vec<Permission>,
    /// What was asked for before and is not covered now.
    pub narrower: Vec<Permission>,
    /// What is asked for as before.
    pub same: Vec<Permission>,
}

impl Permissions {
    /// Compares what a document of `format` asked for with what it asks for.
    pub(crate) fn between(format: &'static str, old: &Declaration, new: &Declaration) -> Self {
        let mut subjects: BTreeMap<&Subject, SubjectDifference> = BTreeMap::new();
        let (more, less) = (widened(old, new), widened(new, old));
        for (found, wider) in [(&more, true), (&less, false)] {
            for widened in found {
                let told = Permission::of(format, phrased(widened, wider));
                let subject = of(&mut subjects, &widened.grant.subject);
                if wider { subject.wider.push(told) } else { subject.narrower.push(told) }
            }
        }
        let beyond: HashMap<*const Grant, &Beyond<'_>> =
            more.iter().map(|widened| (std::ptr::from_ref(widened.grant), &widened.beyond)).collect();
        if let Some(grants) = new.grants() {
            let kept = |grants: &[Grant]| -> Vec<Grant> {
                let rest = |grant: &Grant| match beyond.get(&std::ptr::from_ref(grant)) {
                    None => Some(grant.clone()),
                    Some(beyond) => covered(grant, beyond),
                };
                grants.iter().filter_map(rest).collect()
            };
            let kept = Grants {
                declared: kept(&grants.declared),
                implied: kept(&grants.implied),
                ceiling: Vec::new(),
            };
            for subject in grants.all().map(|grant| &grant.subject) {
                let _there = of(&mut subjects, subject);
            }
            for (subject, own) in Subjects::new(&kept).iter() {
                if let Some(difference) = subjects.get_mut(subject) {
                    difference.same = Permission::all(format, &Declaration::Spoken(own.clone()));
                }
            }
        }
        let falls_silent = old.grants().is_some() && new.grants().is_none();
        Self { falls_silent, subjects: subjects.into_values().collect() }
    }

    /// Whether more is asked for than before, or it is no longer said what.
    #[must_use]
    pub fn widen(&self) -> bool {
        self.falls_silent || self.subjects.iter().any(|subject| !subject.wider.is_empty())
    }

    /// Whether less is asked for than before.
    #[must_use]
    pub fn narrow(&self) -> bool {
        self.subjects.iter().any(|subject| !subject.narrower.is_empty())
    }
}

fn of<'m, 's>(
    subjects: &'m mut BTreeMap<&'s Subject, SubjectDifference>,
    subject: &'s Subject,
) -> &'m mut SubjectDifference {
    subjects.entry(subject).or_insert_with(|| SubjectDifference {
        subject: subject.to_string(),
        wider: Vec::new(),
        narrower: Vec::new(),
        same: Vec::new(),
    })
}

/// What is left of a statement without what is new about it.
fn covered(grant: &Grant, beyond: &Beyond<'_>) -> Option<Grant> {
    let (Beyond::Patterns(new) | Beyond::Unknown(new)) = beyond else { return None };
    let new: HashSet<*const Pattern> = new.iter().map(|pattern| std::ptr::from_ref(*pattern)).collect();
    let old = grant.scope.patterns().iter().filter(|pattern| !new.contains(&std::ptr::from_ref(*pattern)));
    let old: Vec<Pattern> = old.cloned().collect();
    // Where the new patterns were too many to be named, all of them count as new.
    let is_rest = !old.is_empty() && !new.is_empty();
    is_rest.then(|| Grant { scope: Scope::Patterns(old.into()), ..grant.clone() })
}

/// What one side asks for beyond the other, as a sentence about that part alone.
fn phrased(found: &Widened<'_>, wider: bool) -> phrase::Statement {
    let only = |patterns: &[&Pattern]| Grant {
        subject: Subject::Package,
        scope: Scope::Patterns(patterns.iter().map(|pattern| (*pattern).clone()).collect()),
        ..found.grant.clone()
    };
    let whole = || Grant { subject: Subject::Package, ..found.grant.clone() };
    match &found.beyond {
        Beyond::Patterns(patterns) => statement(&only(patterns)),
        Beyond::Unknown(patterns) => {
            let mut told = if patterns.is_empty() { statement(&whole()) } else { statement(&only(patterns)) };
            let when = if wider { "before" } else { "now" };
            told.sentence.push_str(&format!(" (not known to be covered {when})"));
            told
        }
        Beyond::AsksLess { before } => {
            let mut told = statement(&whole());
            let often = match before {
                Confirm::Never => "no confirmation",
                Confirm::Each => "a confirmation each time",
                Confirm::Session => "a confirmation once a session",
                Confirm::HostDecides => "whatever confirmation the host decides on",
            };
            let when = if wider { "before" } else { "now" };
            told.sentence.push_str(&format!("; {when} it asks for {often}"));
            told
        }
        Beyond::Anything | Beyond::Effect => statement(&whole()),
    }
}
