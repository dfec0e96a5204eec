//! The bytes part of verification (§11, §11.2): every file that must be listed is, with its digest. The signatures of the
//! list are not looked at here.

use crate::finding::Findings;
use crate::formats::{Outcome, Seal, Verification};
use crate::tree::Tree;

use super::check::{self, Subject};
use super::contract::{Contract, State};

/// Compares the skill in `tree` with the list in `contract`.
pub(super) fn run(contract: &Contract, tree: &Tree) -> Verification {
    let mut findings = Findings::default();
    let sound = match &contract.state {
        State::Read(read) => read.document.as_ref().ok().map(|document| (read, document)),
        _ => None,
    };
    let Some((read, document)) = sound else {
        check::run(contract, tree, &mut findings);
        let outcome = Outcome::Refused;
        return Verification { outcome, seal: Seal::Absent, pins: Vec::new(), compared: 0, findings };
    };
    let seal = match document.integrity.as_ref().map_or(0, |integrity| integrity.signatures.len()) {
        0 => Seal::Absent,
        signatures => Seal::Present { signatures },
    };
    let subject = Subject { tree, file: &contract.file, json: &read.json, version: read.version, document };
    check::integrity(&subject, contract, &mut findings);
    let compared = document.integrity.as_ref().map_or(0, |integrity| integrity.files.len());
    let outcome = if findings.has_errors() {
        Outcome::Tampered
    } else if document.integrity.is_none() || !findings.is_empty() {
        // Before 0.8 a file that no digest covers is a warning: the skill is sound and its bytes are not all pinned.
        Outcome::Unpinned
    } else {
        Outcome::VerifiedBytes
    };
    Verification { outcome, seal, pins: Vec::new(), compared, findings }
}
