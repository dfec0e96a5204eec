//! What is to be done to one package: made, checked again, carried out.

use std::collections::BTreeMap;

use kitbag_core::finding::{Code, Edit, Findings, Severity, apply};
use kitbag_core::formats::{Neighbourhood, adcap, agentskill, skillpact};
use kitbag_core::limits::Limits;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Tree};

use crate::check::{ProfileSummary, Profiles};
use crate::location::SourceKind;
use crate::packages::Found;

use super::write::Replacement;
use super::{Change, DocumentFix, Mode, Outcome, PackageFixes, diff};

/// The changes of one package.
pub(super) struct Plan {
    found: Found,
    drafts: Vec<Draft>,
    /// Why nothing of it will be written.
    refused: Option<String>,
}

/// What became of a package that was asked for its fixes.
pub(super) enum Planned {
    /// There is something to do.
    Something(Plan),
    /// There is not, but packages inside of it may change under it.
    Outer(Found),
    /// There is not.
    Nothing {
        /// How many errors it has.
        errors: usize,
    },
}

/// One document, as it is and as it will be.
struct Draft {
    file: PackagePath,
    /// Its path below what was named.
    path: PackagePath,
    before: Vec<u8>,
    after: Vec<u8>,
    edits: Vec<Edit>,
    diff: String,
}

impl Plan {
    /// What is to be done with a checked package.
    pub fn made_of(found: Found, edits: Vec<Edit>) -> Planned {
        let mut by_file: BTreeMap<PackagePath, Vec<Edit>> = BTreeMap::new();
        for edit in edits {
            by_file.entry(edit.file.clone()).or_default().push(edit);
        }
        if by_file.is_empty() {
            let errors = found.findings.count(Severity::Error);
            return if found.holds_others() { Planned::Outer(found) } else { Planned::Nothing { errors } };
        }
        let mut plan = Self { found, drafts: Vec::new(), refused: None };
        for (file, edits) in by_file {
            match Draft::new(&plan.found, file, edits) {
                Ok(draft) => plan.drafts.push(draft),
                Err(because) => plan.refused = Some(because),
            }
        }
        Planned::Something(plan)
    }

    /// The package as it is.
    pub const fn found(&self) -> &Found {
        &self.found
    }

    /// Refuses the plan, unless it is refused already.
    pub fn refuse(&mut self, because: &str) {
        self.refused.get_or_insert_with(|| because.to_owned());
    }

    /// Puts the documents as they will be into `whole`, the tree of what was named.
    pub fn replace_in(&self, whole: &mut Tree) {
        for draft in &self.drafts {
            whole.replace_file(draft.path.as_str(), Blob::from_bytes(draft.after.clone()));
        }
    }

    /// Checks the package in `whole` once more and refuses the plan if that does not bear it out. Gives the errors that are
    /// left.
    pub fn verify(&mut self, whole: &Tree, neighbourhood: &Neighbourhood, kind: SourceKind) -> usize {
        let mut again = self.found.again(whole, neighbourhood);
        again.check();
        if self.refused.is_none() {
            self.refused = match kind {
                SourceKind::Folder => self.objection(&again),
                _ => Some(
                    "only a folder can be written to; unpack the archive, fix that and pack it again"
                        .to_owned(),
                ),
            };
        }
        let left = if self.refused.is_some() { &self.found } else { &again };
        left.findings.count(Severity::Error)
    }

    /// What speaks against the package as it would be.
    fn objection(&self, again: &Found) -> Option<String> {
        let (before, after) = (Counted::of(&self.found.findings), Counted::of(&again.findings));
        for edit in self.drafts.iter().flat_map(|draft| &draft.edits) {
            let code = edit.code.slug;
            if after.all(code) >= before.all(code) {
                return Some(format!("`{code}` would still be found after it"));
            }
        }
        if breaks_a_seal(&self.found, again) {
            return Some(SEALED.to_owned());
        }
        if let Some(profile) = lost(&self.found, again) {
            return Some(format!("{profile} would not load the skill after it"));
        }
        // A document that could not be read before may show more of its mistakes once it can be.
        let mut new = after.errors.iter().filter(|(code, count)| **count > before.errors(code));
        let (code, _) = new.next().filter(|_| !is_newly_readable(&before, &after))?;
        Some(format!("`{code}` would be found after it"))
    }

    /// Writes, where that is wanted and nothing speaks against it.
    pub fn carry_out(self, mode: Mode) -> PackageFixes {
        let outcome = match (&self.refused, mode) {
            (Some(because), _) => Outcome::Refused { because: because.clone() },
            (None, Mode::Preview) => Outcome::Previewed,
            (None, Mode::Write) => match self.write() {
                Ok(()) => Outcome::Written,
                Err(because) => Outcome::Refused { because },
            },
        };
        let documents = self.drafts.into_iter().map(Draft::shown).collect();
        PackageFixes { location: self.found.location, documents, outcome }
    }

    /// Every new file stands beside its old one before the first takes its place.
    fn write(&self) -> Result<(), String> {
        let root = &self.found.location.typed;
        let say =
            |draft: &Draft, error: std::io::Error| format!("`{}` cannot be replaced: {error}", draft.file);
        let mut ready = Vec::new();
        for draft in &self.drafts {
            let replacement = Replacement::prepare(root, &draft.path, &draft.before, &draft.after);
            ready.push((draft, replacement.map_err(|error| say(draft, error))?));
        }
        for (draft, replacement) in ready {
            replacement.commit().map_err(|error| say(draft, error))?;
        }
        Ok(())
    }
}

impl Draft {
    fn new(found: &Found, file: PackagePath, edits: Vec<Edit>) -> Result<Self, String> {
        let say = |error: &dyn std::fmt::Display| format!("`{file}` cannot be changed: {error}");
        let blob = found.package.tree.file(file.as_str()).ok_or_else(|| say(&"it is no regular file"))?;
        let before = blob.read(Limits::LOOSEST.document_bytes).map_err(|error| say(&error))?;
        let path = match &found.package.at {
            Some(at) => PackagePath::new(&format!("{at}/{file}")).map_err(|error| say(&error))?,
            None => file.clone(),
        };
        let each: Vec<&Edit> = edits.iter().collect();
        let after = apply(&before, &each).map_err(|error| say(&error))?;
        let diff = diff::hunks(&before, &each).map_err(|error| say(&error))?;
        Ok(Self { file, path, before, after, edits, diff })
    }

    fn shown(self) -> DocumentFix {
        let changes = self.edits.into_iter().map(|edit| Change { code: edit.code.slug, what: edit.what });
        DocumentFix { file: self.file, changes: changes.collect(), diff: self.diff }
    }
}

/// Why a sealed document is left alone.
pub(super) const SEALED: &str = "the package lists the document's digest, which would no longer be its own; change it and \
                                 hash the package anew";

/// What says that a listed digest is not the file's: no fix may break a seal.
static PINS: [&Code; 3] =
    [&skillpact::codes::INTEGRITY_MISMATCH, &adcap::codes::FILES_SIZE, &adcap::codes::FILES_DIGEST];

/// Whether a package that holds others lists the digest of a document that is not the same in `again`.
pub(super) fn breaks_a_seal(before: &Found, again: &Found) -> bool {
    let (before, after) = (Counted::of(&before.findings), Counted::of(&again.findings));
    PINS.iter().any(|pin| after.all(pin.slug) > before.all(pin.slug))
}

/// What says that a document could not be read.
static UNREAD: [&Code; 3] = [
    &agentskill::codes::UNQUOTED_COLON,
    &agentskill::codes::UNQUOTED_INDICATOR,
    &skillpact::codes::FRONTMATTER_MISSING,
];

/// Whether a document can be read that could not be read before.
fn is_newly_readable(before: &Counted<'_>, after: &Counted<'_>) -> bool {
    UNREAD.iter().any(|unread| after.errors(unread.slug) < before.errors(unread.slug))
}

/// A program that loads the skill before and not after.
fn lost(before: &Found, after: &Found) -> Option<&'static str> {
    let loading = |found: &Found| -> Vec<&'static str> {
        let summaries = ProfileSummary::all(&found.package.faces, &Profiles::All);
        summaries.into_iter().filter(|summary| summary.loads).map(|summary| summary.profile).collect()
    };
    let after = loading(after);
    loading(before).into_iter().find(|profile| !after.contains(profile))
}

/// How often each code is found.
struct Counted<'f> {
    all: BTreeMap<&'f str, usize>,
    errors: BTreeMap<&'f str, usize>,
}

impl<'f> Counted<'f> {
    fn of(findings: &'f Findings) -> Self {
        let mut counted = Self { all: BTreeMap::new(), errors: BTreeMap::new() };
        for finding in findings {
            *counted.all.entry(finding.code.slug).or_default() += 1;
            if finding.severity == Severity::Error {
                *counted.errors.entry(finding.code.slug).or_default() += 1;
            }
        }
        counted
    }

    fn all(&self, code: &str) -> usize {
        self.all.get(code).copied().unwrap_or(0)
    }

    fn errors(&self, code: &str) -> usize {
        self.errors.get(code).copied().unwrap_or(0)
    }
}
