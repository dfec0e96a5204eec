//! What is imported and is no bundle: one document, and how much may come at once (§2.1).

use crate::finding::{Finding, Findings, Place};
use crate::limits::Bytes;
use crate::tree::Blob;

use super::super::skill::{DOCUMENT, FILE_BYTES};
use super::outer::{Believed, Outer};
use super::{BUNDLE_BYTES, Entry, codes};

/// Whether a file called `name` is one document of a Skill.
#[must_use]
pub fn is_document(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.ends_with(".md") || lower.ends_with(".markdown")
}

/// The document in `blob` as a bundle with nothing else in it; without one, `out` says why a file called `name` is none.
pub fn document(name: &str, blob: Blob, out: &mut Findings) -> Option<Outer> {
    if !is_document(name) {
        let message = format!("`{name}` is neither an archive nor a Markdown document");
        out.push(Finding::new(&codes::NOT_A_BUNDLE, Place::package(), message));
        return None;
    }
    if blob.len() > FILE_BYTES {
        let message = format!("`{name}` has {} bytes and may have {}", blob.len(), Bytes(FILE_BYTES));
        out.push(Finding::new(&codes::FILE_SIZE, Place::package(), message));
        return None;
    }
    let entry = Entry { name: DOCUMENT.to_owned(), blob };
    Some(Outer { entries: vec![entry], believed: Believed::Nothing, ..Outer::default() })
}

/// What there is to say against a file of `bytes` that comes after others of `before`, all at once.
#[must_use]
pub fn check_size(before: u64, bytes: u64) -> Option<Finding> {
    if before.saturating_add(bytes) <= BUNDLE_BYTES {
        return None;
    }
    let beside = if before > 0 { " with those before it" } else { "" };
    let message = format!("it has {bytes} bytes, and{beside} more than {} in all", Bytes(BUNDLE_BYTES));
    Some(Finding::new(&codes::BUNDLE_SIZE, Place::package(), message))
}
