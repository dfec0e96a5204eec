//! Splice: any bytes as a manifest, and as an artifact.

use std::collections::BTreeMap;
use std::io;

use kitbag_core::formats::splice::pack;
use kitbag_core::tree::{Node, Tree};

use super::archives::files_by_tar;
use super::documents::judge;

/// Any bytes as the `manifest.json` of a package.
///
/// # Panics
/// When a check breaks a promise.
pub fn splice_manifest(bytes: &[u8]) {
    judge(&[("SKILL.md", b"# A\n"), ("tools/a.ts", b""), ("manifest.json", bytes)]);
}

/// Any bytes as an artifact. What is read is written in one way, and read back the same.
///
/// # Panics
/// When it is not.
pub fn splice_artifact(bytes: &[u8]) {
    let Ok(tree) = pack::read(bytes) else { return };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        assert_eq!(names(&tree), names_by_tar(bytes), "another reader unpacks something else");
    }
    let mut written = Vec::new();
    // What may be read and not written: hidden files are left out, and large files and long paths are refused.
    if pack::write(&tree, &mut written).is_err() {
        return;
    }
    let again = pack::read(&written).expect("what was written is read");
    assert_eq!(contents(&again), contents(&tree), "other files came back");
    let mut twice = Vec::new();
    pack::write(&again, &mut twice).expect("what was written once is written again");
    assert!(twice == written, "the bytes depend on more than the files");
}

/// Paths and lengths of all files.
type Names = BTreeMap<String, u64>;

fn names(tree: &Tree) -> Names {
    let files = tree.iter().filter_map(|(path, node)| match node {
        Node::File(blob) => Some((path.to_string(), blob.len())),
        _ => None,
    });
    files.collect()
}

fn names_by_tar(bytes: &[u8]) -> Names {
    let mut tar = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(bytes);
    io::copy(&mut decoder, &mut tar).expect("another reader unpacks what was read");
    files_by_tar(&tar).into_iter().map(|(name, content)| (name, content.len() as u64)).collect()
}

fn contents(tree: &Tree) -> Vec<(String, String)> {
    pack::files(tree)
        .map(|(path, blob)| {
            let digest = blob.digest().expect("a content in memory can be read");
            (path.to_string(), digest.to_string())
        })
        .collect()
}
