//! What a person has said yes to: one tool of one package, by the digest of all its files. Another version is asked about
//! anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;

use crate::draft::{Existing, FileDraft, make_private};

/// The folder of consents in a cache.
const CONSENTS: &str = "consents";

fn file(cache: &Path, digest: Sha256, tool: &str) -> PathBuf {
    // The name of a tool is whatever its document says; its digest is a name anywhere.
    cache.join(CONSENTS).join(format!("{digest}-{}", Sha256::of(tool.as_bytes())))
}

pub(super) fn is_given(cache: &Path, digest: Sha256, tool: &str) -> bool {
    fs::symlink_metadata(file(cache, digest, tool)).is_ok_and(|metadata| metadata.is_file())
}

pub(super) fn give(cache: &Path, digest: Sha256, tool: &str) -> io::Result<()> {
    let path = file(cache, digest, tool);
    let folder = cache.join(CONSENTS);
    make_private(&folder)?;
    match FileDraft::new(&folder)?.commit(&path, Existing::Replace) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}
