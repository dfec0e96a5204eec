//! Verification, as far as a package can be verified by itself (Splice 1, "Package validation", "Digests"): it is one that
//! every client would take, and these are the digests by which a lock file or a registry pins it. Nothing in a package says
//! what its bytes should be, and its signatures are kept by the registry.

use crate::finding::{Finding, Findings, Place, Severity};
use crate::formats::codes::UNREADABLE;
use crate::formats::{ArchiveBytes, Outcome, Pin, Reach, Seal, Spelling, Verification};
use crate::tree::{Node, Root, Tree};

use super::manifest::{Home, Manifest};
use super::{check, digests, pack};

/// Verifies the package around `manifest`.
pub(super) fn run(manifest: &Manifest, tree: &Tree, archive: Option<&ArchiveBytes>) -> Verification {
    if manifest.is_beside() && tree.root() == Root::Document {
        // A manifest that came alone says nothing about files.
        return Verification::unpinned(Seal::Elsewhere);
    }
    let mut checked = Findings::default();
    check::run(manifest, tree, &mut checked);
    let mut findings = Findings::default();
    findings.extend(checked.into_iter().filter(|finding| finding.severity == Severity::Error));
    let mut pins = Vec::new();
    let integrity = |name, sha256, reach| Pin { name, sha256, spelling: Spelling::Integrity, reach };
    let travels = matches!(manifest.home, Home::Bundle(_)) || tree.root() == Root::Archive;
    if travels {
        pins.extend(archive.map(|archive| integrity("integrity", archive.sha256, Reach::Everything)));
    }
    match digests::files_digest(pack::files(manifest.files(tree))) {
        Ok(digest) => pins.push(integrity("filesDigest", digest.0, reach(manifest.files(tree)))),
        Err(error) => {
            let message = format!("a file of the package cannot be read: {error}");
            findings.push(Finding::new(&UNREADABLE, Place::package(), message));
        }
    }
    if let Some(document) = manifest.document() {
        let sha256 = digests::manifest_sha256(document);
        pins.push(Pin { name: "manifestSha256", sha256, spelling: Spelling::Hex, reach: Reach::Part });
    }
    let outcome = match (findings.has_errors(), travels) {
        (true, _) => Outcome::Refused,
        (false, true) => Outcome::Unsigned,
        (false, false) => Outcome::Unpinned,
    };
    Verification { outcome, seal: Seal::Elsewhere, pins, compared: 0, findings }
}

/// What the digest of the packed files covers: hidden files lie beside them in a folder, and are in no digest.
fn reach(tree: &Tree) -> Reach {
    let all = tree.iter().filter(|(_, node)| !matches!(node, Node::Folder)).count();
    if pack::files(tree).count() == all { Reach::Everything } else { Reach::Part }
}
