//! Verification before anything is used (§4): the bytes part. Signatures are judged on top of it, never instead of it.

use crate::digest::Sha256;
use crate::finding::{Finding, Findings, Place};
use crate::formats::{self, ArchiveBytes, Pin, Reach, Seal, Spelling};
use crate::json::{self, Json, canonical};
use crate::limits::Limits;
use crate::tree::{Node, Tree};

use super::check::{self, Subject};
use super::manifest::{Capability, State};
use super::{SIGNATURE, codes, is_own_archive};

/// What the bytes are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every file is the one that the manifest lists, nothing else is there, and the manifest is the one asked for. That
    /// says nothing about who made it.
    VerifiedBytes,
    /// Something is not.
    Tampered,
    /// The manifest lists nothing that could be compared: it cannot be read, or is a source that was never built.
    Unverifiable,
}

/// What came of a verification.
#[derive(Debug)]
pub struct Verification {
    /// What the bytes are worth.
    pub outcome: Outcome,
    /// The package's identity, where the manifest has one.
    pub manifest_sha256: Option<Sha256>,
    /// Why.
    pub findings: Findings,
}

/// Compares `tree` with the manifest in it and, where one is `pinned`, the manifest with its digest. A file is read once
/// and in constant memory. An archive must have been read with [`super::read`], whose profile is part of the promise.
#[must_use]
pub fn verify(capability: &Capability, tree: &Tree, pinned: Option<&Sha256>) -> Verification {
    let mut findings = Findings::default();
    let manifest_sha256 = capability.manifest_sha256();
    let (State::Read(read), Some(document), Some(digest)) =
        (&capability.state, capability.document(), manifest_sha256)
    else {
        // The check says why: the version, the schema, or a number that no digest covers.
        check::run(capability, tree, &mut findings);
        return Verification { outcome: Outcome::Unverifiable, manifest_sha256, findings };
    };
    if let Some(pinned) = pinned.filter(|pinned| **pinned != digest) {
        let message = format!("the manifest has the digest {digest}, and {pinned} was asked for");
        let place = Place::file(capability.file.clone());
        findings.push(Finding::new(&codes::MANIFEST_DIGEST, place, message));
    }
    let Some(files) = &document.files else {
        let message = "the manifest has no `files`";
        let place = Place::file(capability.file.clone());
        findings.push(Finding::new(&codes::NOT_BUILT, place, message));
        return Verification { outcome: Outcome::Unverifiable, manifest_sha256, findings };
    };
    let subject = Subject::new(tree, &capability.file, &read.json, document);
    check::check_listed(&subject, files, &mut findings);
    let outcome = if findings.has_errors() { Outcome::Tampered } else { Outcome::VerifiedBytes };
    Verification { outcome, manifest_sha256, findings }
}

/// [`verify`], as every format is asked.
pub(super) fn answer(
    capability: &Capability,
    tree: &Tree,
    archive: Option<&ArchiveBytes>,
) -> formats::Verification {
    let Verification { outcome, manifest_sha256, mut findings } = verify(capability, tree, None);
    let files = capability.document().and_then(|document| document.files.as_ref());
    let outcome = match outcome {
        Outcome::VerifiedBytes => formats::Outcome::VerifiedBytes,
        Outcome::Tampered => formats::Outcome::Tampered,
        // A source lists no files, and an archive of this format may not be one (§4).
        Outcome::Unverifiable if is_source(capability, tree) => {
            findings.retain(|finding| finding.code != &codes::NOT_BUILT);
            formats::Outcome::Unpinned
        }
        Outcome::Unverifiable => formats::Outcome::Refused,
    };
    // Through its list, the manifest's digest reaches every file.
    let pin = |name, sha256| Pin { name, sha256, spelling: Spelling::Hex, reach: Reach::Everything };
    let own = manifest_sha256.filter(|_| files.is_some()).map(|sha256| pin("manifestSha256", sha256));
    let whole = archive.map(|archive| pin("archiveSha256", archive.sha256));
    formats::Verification {
        outcome,
        seal: seal(tree),
        pins: own.into_iter().chain(whole).collect(),
        compared: files.map_or(0, |files| files.entries.len()),
        findings,
    }
}

/// Whether this is what a package is built from: a sound manifest that lists no files, and no archive of this format.
fn is_source(capability: &Capability, tree: &Tree) -> bool {
    !is_own_archive(tree)
        && capability.document().is_some_and(|document| document.files.is_none())
        && capability.manifest_sha256().is_some()
}

/// How many signatures lie beside the manifest. An envelope that cannot be read counts as one: it is there.
fn seal(tree: &Tree) -> Seal {
    let Some(entry) = tree.get(SIGNATURE) else { return Seal::Absent };
    let signatures = match entry {
        Node::File(blob) => blob
            .read(Limits::LOOSEST.document_bytes)
            .ok()
            .and_then(|bytes| json::read(&bytes).ok())
            .and_then(|json| json.get("signatures").and_then(Json::as_array).map(<[Json]>::len)),
        _ => None,
    };
    Seal::Present { signatures: signatures.unwrap_or(1).max(1) }
}

impl Capability {
    /// The package's identity: the digest of the canonical JSON of the whole manifest (§4). `None` where the manifest
    /// cannot be read, or holds a number that is no integer. Without `files`, it pins nothing but itself.
    #[must_use]
    pub fn manifest_sha256(&self) -> Option<Sha256> {
        let canonical = canonical::adcap(self.json()?).ok()?;
        Some(Sha256::of(canonical.as_bytes()))
    }
}
