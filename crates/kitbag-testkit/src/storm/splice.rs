//! Splice: any bytes as a manifest, and as an artifact.

use kitbag_core::formats::splice::pack;
use kitbag_core::tree::Tree;

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

fn contents(tree: &Tree) -> Vec<(String, String)> {
    pack::files(tree)
        .map(|(path, blob)| {
            let digest = blob.digest().expect("a content in memory can be read");
            (path.to_string(), digest.to_string())
        })
        .collect()
}
