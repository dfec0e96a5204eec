//! The programs: each in a file of its own, each asked the same question.
//!
//! What is written here was seen: every program was run on some eight hundred small skills, and its answers are kept in
//! `vectors/agentskill`. A rule belongs in the file of the program that follows it, even when two follow the same one,
//! because they will not change together.

mod claude_code;
mod codex;
mod gemini_cli;
mod npx_skills;
mod open_science;
mod skills_ref;
mod spec;
mod yaml_libraries;

use super::discovery::{Looks, Reach};
use super::subject::Subject;
use super::verdict::{Effect, Fate, Reason, Verdict};

/// A program, or the specification itself.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its name in every output.
    pub name: &'static str,
    /// What it is, with the version that was observed.
    pub about: &'static str,
    /// How it looks for skills; `None` where a skill is named, not found.
    reach: Option<&'static Reach>,
    /// What it makes of a document it has found.
    read: fn(&Subject<'_>) -> Outcome,
    /// What it shows when it has found a document whose content is not known.
    unread: fn(&super::situation::Situation) -> Option<String>,
}

/// The profiles, in the order in which they are named to people.
pub static PROFILES: [Profile; 7] = [
    spec::PROFILE,
    skills_ref::PROFILE,
    claude_code::PROFILE,
    codex::PROFILE,
    gemini_cli::PROFILE,
    npx_skills::PROFILE,
    open_science::PROFILE,
];

/// The profile called `name`.
#[must_use]
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// What a program makes of a document's content.
#[derive(Clone, Debug, Default)]
struct Outcome {
    name: Option<String>,
    description: Option<String>,
    reasons: Vec<Reason>,
}

impl Outcome {
    /// The skill is lost for `reason` alone.
    fn lost(reason: Reason) -> Self {
        Self { name: None, description: None, reasons: vec![reason.with(Effect::Lost)] }
    }
}

impl Profile {
    /// Judges a document.
    #[must_use]
    pub fn judge(&self, subject: &Subject<'_>, file: &str) -> Verdict {
        let mut reasons = match self.reach {
            Some(reach) => super::discovery::lost(reach, subject.situation, file),
            None => super::check::check(subject, file),
        };
        let outcome = (self.read)(subject);
        reasons.extend(outcome.reasons);
        self.verdict(reasons, outcome.name, outcome.description)
    }

    /// Judges a document whose content is not known.
    #[must_use]
    pub fn judge_unread(&self, situation: &super::situation::Situation, file: &str, why: &Reason) -> Verdict {
        let mut reasons = match self.reach {
            Some(reach) => super::discovery::lost(reach, situation, file),
            None => Vec::new(),
        };
        if reasons.iter().all(|reason| reason.code != why.code) {
            reasons.push(why.clone());
        }
        self.verdict(reasons, (self.unread)(situation), None)
    }

    fn verdict(&self, reasons: Vec<Reason>, name: Option<String>, description: Option<String>) -> Verdict {
        let has = |effect| reasons.iter().any(|reason| reason.effect == effect);
        let fate = if has(Effect::Lost) {
            Fate::Lost
        } else if has(Effect::Hidden) {
            Fate::Hidden
        } else {
            Fate::Loads
        };
        let (name, description) = if fate == Fate::Lost { (None, None) } else { (name, description) };
        Verdict { profile: self.name, fate, name, description, reasons }
    }
}

/// Looks everywhere: for programs that are given a folder instead of searching for one.
static EVERYWHERE: Reach = Reach {
    depth: usize::MAX,
    depth_when_empty: usize::MAX,
    hidden: Looks::Yes,
    linked_folders: Looks::Yes,
    linked_documents: Looks::Yes,
    skills_folder: Looks::Yes,
    skipped: &[],
    spellings: super::discovery::EXACT,
};

/// White space as JavaScript's `\s` and `trim` know it.
fn is_js_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// The block of `^---\r?\n([\s\S]*?)\r?\n---`, the fence that two programs look for: from the first byte, nothing behind
/// the opening dashes, and the first later line that begins with three dashes closes.
fn plain_fence(text: &str, from: usize) -> Option<crate::json::Span> {
    let rest = text.get(from..)?.strip_prefix("---")?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let start = text.len() - rest.len();
    let end = start + rest.find("\n---")?;
    let end = if end > start && text[..end].ends_with('\r') { end - 1 } else { end };
    Some(crate::json::Span::new(start, end))
}
