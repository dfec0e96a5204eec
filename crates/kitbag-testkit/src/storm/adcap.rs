//! .adcap: any bytes as a manifest, and as an archive.

use std::io::Cursor;

use kitbag_core::archive::{InMemory, LIMITS, Reading};
use kitbag_core::finding::Severity;
use kitbag_core::formats::adcap::{self, Capability, Outcome};
use kitbag_core::tree::{Node, Tree};

use crate::archive::{crc32, deflate_stored};

use super::archives::{Files, files_by_tar, with_checksums};
use super::documents::judge;

/// Any bytes as the `capability.json` of a package.
///
/// # Panics
/// When a check breaks a promise.
pub fn adcap_manifest(bytes: &[u8]) {
    let skill = b"---\nname: a\ndescription: Does a. Use for a.\n---\n# A\n";
    judge(&[("skills/a/SKILL.md", skill), ("tools/a.py", b"print()\n"), ("capability.json", bytes)]);
}

/// Any bytes as an archive, and as the tar in one with the checksums of its headers put right. What is read is what another
/// reader unpacks; a package in it is built in one way, and what was built verifies.
///
/// # Panics
/// When it does not.
pub fn adcap_archive(bytes: &[u8]) {
    judge_archive(bytes, None);
    let tar = with_checksums(bytes);
    judge_archive(&gzip(&tar), Some(&tar));
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(0);
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let trailer = [crc32(content).to_le_bytes(), length.to_le_bytes()].concat();
    [&header[..], &deflate_stored(content), &trailer].concat()
}

fn read(bytes: &[u8]) -> Option<Tree> {
    let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
    let unpacked = adcap::read(&mut Cursor::new(bytes), reading).ok()?;
    let is_sound = unpacked.remarks.iter().all(|remark| remark.severity != Severity::Error);
    is_sound.then_some(unpacked.tree)
}

fn judge_archive(bytes: &[u8], tar: Option<&[u8]>) {
    let Some(tree) = read(bytes) else { return };
    if let Some(tar) = tar {
        assert_eq!(files(&tree), files_by_tar(tar), "another reader unpacks something else");
    }
    let Some(capability) = Capability::at_root(&tree) else { return };
    let _verified = adcap::verify(&capability, &tree, None);
    let mut built = Vec::new();
    let Ok(pins) = adcap::build(&capability, &tree, &mut built) else { return };
    let again = read(&built).expect("what was built is read");
    let capability = Capability::at_root(&again).expect("the manifest was written");
    let verified = adcap::verify(&capability, &again, Some(&pins.manifest_sha256));
    assert_eq!(verified.outcome, Outcome::VerifiedBytes, "{:?}", verified.findings);
    let mut twice = Vec::new();
    adcap::build(&capability, &again, &mut twice).expect("what was built once is built again");
    assert!(twice == built, "the bytes depend on more than the files");
}

fn files(tree: &Tree) -> Files {
    tree.iter()
        .filter_map(|(path, node)| match node {
            Node::File(blob) => {
                let content = blob.read(blob.len()).expect("bytes in memory can be read");
                Some((path.to_string(), content))
            }
            _ => None,
        })
        .collect()
}
