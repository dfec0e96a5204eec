//! The specification's text itself, as a program that accepts exactly what it allows.

use crate::yaml::failsafe;

use super::super::subject::Subject;
use super::{Outcome, Profile};

pub(super) const PROFILE: Profile = Profile {
    name: "spec",
    about: "the Agent Skills specification, read strictly",
    reach: None,
    read,
    unread: |_| None,
};

fn read(subject: &Subject<'_>) -> Outcome {
    let Some(read) = subject.meant() else { return Outcome::default() };
    let Ok(yaml) = &*read else { return Outcome::default() };
    let text = |name| match failsafe::resolve(&yaml.stream, yaml.field(name)?.1) {
        Ok(failsafe::Value::Text(text)) => Some(text.trim().to_owned()),
        _ => None,
    };
    // What is wrong with it was said by the check of the clauses.
    Outcome { name: text("name"), description: text("description"), reasons: Vec::new() }
}
