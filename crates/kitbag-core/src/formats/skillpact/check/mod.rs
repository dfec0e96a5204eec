//! The clauses, in the order in which the reference implementation checks them: each stage stops the ones after it when
//! it found an error, since what they would say rests on it.

mod capabilities;
mod cases;
mod contract;
mod effects;
mod integrity;
mod requirements;
mod signatures;
mod skill;

use crate::finding::{Code, Finding, Findings, Place, SpecVersion};
use crate::json::{Json, Pointer, Span};
use crate::path::PackagePath;
use crate::tree::Tree;

use super::codes;
use super::contract::{Contract, Home, State};
use super::document::Document;

/// What every check of a sound contract is given.
pub(super) struct Subject<'c> {
    pub tree: &'c Tree,
    pub file: &'c PackagePath,
    pub json: &'c Json,
    pub version: SpecVersion,
    pub document: &'c Document,
}

impl Subject<'_> {
    /// A finding about a value of the contract, graded for its version.
    pub fn finding(
        &self,
        code: &'static Code,
        pointer: Pointer,
        span: Span,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(code, Place::value(self.file.clone(), pointer, span), message).under(self.version)
    }
}

/// The pointer to a member of the root.
pub(super) fn at(name: &str) -> Pointer {
    Pointer::root().join(name)
}

/// Checks `contract` against the skill in `tree`.
pub(super) fn run(contract: &Contract, tree: &Tree, out: &mut Findings) {
    let mut found = Bounded::default();
    let name = skill::check(tree, &mut found);
    if let State::Read(read) = &contract.state {
        contract::check_schema(contract, read, &mut found);
        if let Ok(document) = &read.document
            && !found.has_errors()
        {
            let subject =
                Subject { tree, file: &contract.file, json: &read.json, version: read.version, document };
            if contract.home == Home::Beside {
                skill::check_folder(&subject, name.as_ref(), &mut found);
            }
            contract::check_name(&subject, name.as_ref(), &mut found);
            effects::check(&subject, &mut found);
            capabilities::check(&subject, &mut found);
            effects::check_use(&subject, &mut found);
            cases::check(&subject, &mut found);
            contract::check_draft(&subject, &mut found);
            cases::check_coverage(&subject, &mut found);
            integrity::check(&subject, &mut found);
            signatures::check(&subject, &mut found);
        }
    } else {
        contract::check_readable(contract, &mut found);
    }
    found.finish(contract, out);
}

/// Compares the skill in `tree` with the list of a contract that conforms, whatever else is wrong with it (§11).
pub(super) fn integrity(subject: &Subject<'_>, contract: &Contract, out: &mut Findings) {
    let mut found = Bounded::default();
    integrity::check(subject, &mut found);
    found.finish(contract, out);
}

/// Most findings of one contract that are kept. A contract with more is hostile, or of another kind altogether.
const MAX_FINDINGS: usize = 20_000;

/// The findings of one contract, up to a bound.
#[derive(Default)]
pub(super) struct Bounded {
    findings: Findings,
}

impl Bounded {
    /// Adds one, while there is room.
    pub fn push(&mut self, finding: Finding) {
        if !self.is_full() {
            self.findings.push(finding);
        }
    }

    /// Whether nothing more is kept; what repeats without end may stop looking.
    pub fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    fn has_errors(&self) -> bool {
        self.findings.has_errors()
    }

    fn finish(self, contract: &Contract, out: &mut Findings) {
        let is_full = self.is_full();
        out.extend(self.findings);
        if is_full {
            let message = format!("{MAX_FINDINGS} findings are listed; whatever follows them is not");
            out.push(Finding::new(&codes::TOO_MANY_FINDINGS, Place::file(contract.file.clone()), message));
        }
    }
}
