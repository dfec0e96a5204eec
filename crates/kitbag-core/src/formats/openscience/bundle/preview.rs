//! What a person is shown before an import (§2.7).

use std::collections::BTreeMap;
use std::io;

use crate::archive::Spool;

use super::super::skill::{APP_OWNED, Document};
use super::super::words;
use super::outer::Outer;
use super::reason::{Reason, Skipped};
use super::roots::{self, SkillFiles};
use super::{ENTRY_BYTES, PREVIEW_BYTES};

/// What a bundle holds.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// The Skills that can be chosen.
    pub candidates: Vec<Candidate>,
    /// What cannot be, and why.
    pub skipped: Vec<Skipped>,
    /// What is left out without a word.
    pub silent: Vec<String>,
    /// Files that belong to no Skill.
    pub outside: Vec<String>,
    /// Documents that lie too deep to begin a Skill.
    pub deep: Vec<String>,
    /// Entries of a repository that are no files.
    pub left_out: Vec<String>,
    /// How many Skills begin in the bundle, those that cannot be chosen included.
    pub roots: usize,
}

/// A Skill that can be chosen.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its files.
    pub skill: SkillFiles,
    /// Its name, as the document says it.
    pub name: String,
    /// Its description; empty where the document is not shown.
    pub description: String,
    /// Its other fields.
    pub metadata: BTreeMap<String, String>,
    /// Its instructions.
    pub body: String,
    /// Whether the document is shown.
    pub shown: Shown,
}

/// Whether a document is shown in a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It is.
    Whole,
    /// All documents before it left no room. It can be imported all the same.
    OverBudget,
}

/// The preview of a bundle that was read.
///
/// # Errors
/// When a content cannot be read or kept.
pub fn preview(outer: &Outer, spool: &mut dyn Spool) -> io::Result<Preview> {
    let roots::Found { skills: found, mut skipped, silent, outside, deep } = roots::find(outer, spool)?;
    let count = found.len();
    let mut left = PREVIEW_BYTES;
    let mut candidates = Vec::new();
    for skill in found {
        match candidate(skill, None, &mut left)? {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => skipped.push(reason),
        }
    }
    Ok(Preview { candidates, skipped, silent, outside, deep, left_out: Vec::new(), roots: count })
}

/// The preview of one Skill that did not come in a bundle. `fallback` is its name where its document has none.
///
/// # Errors
/// When a content cannot be read.
pub fn of_one_skill(skill: SkillFiles, fallback: &str) -> io::Result<Preview> {
    let mut preview = Preview { roots: 1, ..Preview::default() };
    match candidate(skill, Some(fallback), &mut { PREVIEW_BYTES })? {
        Ok(candidate) => preview.candidates.push(candidate),
        Err(reason) => preview.skipped.push(reason),
    }
    Ok(preview)
}

impl Preview {
    /// A Skill at `sub_path` that cannot be had.
    #[must_use]
    pub fn refused(sub_path: &str, reason: Reason) -> Self {
        Self { skipped: vec![Skipped::skill(sub_path.to_owned(), reason)], roots: 1, ..Self::default() }
    }

    /// Adds what else is in the same repository.
    pub fn add(&mut self, other: Self) {
        self.candidates.extend(other.candidates);
        self.skipped.extend(other.skipped);
        self.left_out.extend(other.left_out);
        self.roots += other.roots;
    }
}

/// A Skill as it can be chosen, or why it cannot be; `left` are the bytes of documents that may still be shown.
fn candidate(
    skill: SkillFiles,
    fallback: Option<&str>,
    left: &mut u64,
) -> io::Result<Result<Candidate, Skipped>> {
    if let Some(name) = reserved(&skill) {
        return Ok(Err(Skipped::skill(skill.sub_path, Reason::ReservedFile(name))));
    }
    let bytes = match skill.document() {
        Some((_, blob)) => blob.read(ENTRY_BYTES).map_err(io::Error::other)?,
        None => Vec::new(),
    };
    let document = Document::read(&String::from_utf8_lossy(&bytes));
    let name = document.name.filter(|name| !words::is_blank(name)).or(fallback.map(str::to_owned));
    let Some(name) = name else { return Ok(Err(Skipped::skill(skill.sub_path, Reason::NoName))) };
    // A document over what is left spends nothing, so that a small one behind it may still be shown.
    let fits = bytes.len() as u64 <= *left;
    if fits {
        *left -= bytes.len() as u64;
    }
    let shown = if fits { Shown::Whole } else { Shown::OverBudget };
    let (description, metadata, body) = match shown {
        Shown::Whole => (document.description.unwrap_or_default(), document.metadata, document.body),
        Shown::OverBudget => Default::default(),
    };
    Ok(Ok(Candidate { skill, name, description, metadata, body, shown }))
}

/// The first file at the root of a Skill that belongs to the application, in any spelling.
fn reserved(skill: &SkillFiles) -> Option<String> {
    let own = |name: &str| APP_OWNED.iter().any(|own| name.eq_ignore_ascii_case(own));
    skill.files.iter().map(|(name, _)| name).find(|name| own(name)).cloned()
}
