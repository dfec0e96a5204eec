//! §2, §3 and §4: what may be in a package, and whether it is what `files` says.

use std::collections::HashSet;
use std::io;

use crate::digest::Sha256;
use crate::finding::{Finding, Findings, Place};
use crate::json::{Span, excerpt};
use crate::limits::Bytes;
use crate::path::PackagePath;
use crate::tree::{Blob, Node};

use super::super::codes;
use super::super::document::{Files, ListedFile};
use super::super::shape::is_path;
use super::super::{ENTRIES, FILE, SIGNATURE, TOTAL_BYTES, is_own_archive, members};
use super::{Kind, Subject, at};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    if !subject.has_files() {
        return;
    }
    check_members(subject, out);
    match &subject.document.files {
        Some(files) => check_listed(subject, files, out),
        None if is_own_archive(subject.tree) => {
            let span = super::super::opening(subject.json.span);
            let message = "the manifest in the archive has no `files`";
            out.push(subject.finding(&codes::NOT_BUILT, at("files"), span, message));
        }
        // A source package: the build writes the list.
        None => {}
    }
}

/// §2: paths and limits.
fn check_members(subject: &Subject<'_>, out: &mut Findings) {
    let mut paths = Kind::new(&codes::FILE_PATH);
    let (mut entries, mut bytes) = (0_u64, 0_u64);
    for (path, node) in members(subject.tree) {
        let Node::File(blob) = node else { continue };
        entries += 1;
        bytes = bytes.saturating_add(blob.len());
        if !is_path(path.as_str()) {
            paths.push(out, |code| {
                let message = format!("`{}` is no path of an archive of this format", excerpt(path.as_str()));
                Finding::new(code, Place::file(path.clone()), message)
            });
        }
    }
    paths.finish(out);
    if entries > ENTRIES {
        let message = format!("the package has {entries} files and at most {ENTRIES} are allowed");
        out.push(Finding::new(&codes::TOO_LARGE, Place::package(), message));
    }
    if bytes > TOTAL_BYTES {
        let message =
            format!("the files are {} in all and at most {} are allowed", Bytes(bytes), Bytes(TOTAL_BYTES));
        out.push(Finding::new(&codes::TOO_LARGE, Place::package(), message));
    }
}

/// §4: every entry is checked against `files`, and unlisted and missing ones are refused.
pub(in super::super) fn check_listed(subject: &Subject<'_>, files: &Files, out: &mut Findings) {
    check_order(subject, files, out);
    let mut listed: HashSet<&str> = HashSet::new();
    let mut missing = Kind::new(&codes::FILES_MISSING);
    let mut unread = Kind::new(&codes::FILES_UNREAD);
    let mut size = Kind::new(&codes::FILES_SIZE);
    let mut digest = Kind::new(&codes::FILES_DIGEST);
    for (index, file) in files.entries.iter().enumerate() {
        let ListedFile { path, .. } = &file.value;
        listed.insert(&path.value);
        let finding = |code, message: String| {
            subject.finding(code, at("files").join(index), super::super::opening(file.span), message)
        };
        let name = excerpt(&path.value);
        match subject.tree.get(&path.value) {
            Some(Node::File(blob)) => match compare(&file.value, blob) {
                Ok(Same::Yes) => {}
                Ok(Same::OtherSize) => size.push(out, |code| {
                    let message =
                        format!("`{name}` has {} bytes and {} are listed", blob.len(), file.value.size);
                    finding(code, message)
                }),
                Ok(Same::OtherDigest(found)) => digest.push(out, |code| {
                    finding(
                        code,
                        format!("`{name}` has the digest {found} and {} is listed", file.value.sha256),
                    )
                }),
                Err(error) => {
                    unread.push(out, |code| finding(code, format!("`{name}` cannot be read: {error}")));
                }
            },
            Some(_) => missing.push(out, |code| finding(code, format!("`{name}` is no regular file"))),
            None => missing.push(out, |code| finding(code, format!("`{name}` is not in the package"))),
        }
    }
    let mut unlisted = Kind::new(&codes::FILES_UNLISTED);
    for (path, node) in members(subject.tree) {
        if !matches!(node, Node::Folder) && !is_own(path) && !listed.contains(path.as_str()) {
            unlisted.push(out, |code| {
                let message = format!("`{}` is not in `files`", excerpt(path.as_str()));
                Finding::new(code, Place::file(path.clone()), message)
            });
        }
    }
    for kind in [missing, unread, size, digest, unlisted] {
        kind.finish(out);
    }
}

/// Whether a file is one of the two that `files` cannot list.
fn is_own(path: &PackagePath) -> bool {
    matches!(path.as_str(), FILE | SIGNATURE)
}

/// §3: the list is sorted; §4: and lists neither the manifest nor the signature.
fn check_order(subject: &Subject<'_>, files: &Files, out: &mut Findings) {
    let mut order: Option<(usize, Span)> = None;
    for (index, file) in files.entries.iter().enumerate() {
        let path = &file.value.path;
        if matches!(path.value.as_str(), FILE | SIGNATURE) {
            let message = format!("`files` lists `{}`", path.value);
            let place = at("files").join(index).join("path");
            out.push(subject.finding(&codes::FILES_OWN, place, path.span, message));
        }
        let is_after = index
            .checked_sub(1)
            .is_none_or(|before| files.entries[before].value.path.value.as_bytes() <= path.value.as_bytes());
        if !is_after && order.is_none() {
            order = Some((index, path.span));
        }
    }
    if let Some((index, span)) = order {
        let name = excerpt(&files.entries[index].value.path.value);
        let message = format!("`{name}` stands after a path that sorts behind it");
        out.push(subject.finding(&codes::FILES_ORDER, at("files").join(index).join("path"), span, message));
    }
}

/// Whether a file is the one that is listed.
enum Same {
    Yes,
    OtherSize,
    OtherDigest(Sha256),
}

fn compare(listed: &ListedFile, blob: &Blob) -> io::Result<Same> {
    if blob.len() != listed.size {
        return Ok(Same::OtherSize);
    }
    let found = blob.digest()?;
    Ok(if found.to_string() == listed.sha256 { Same::Yes } else { Same::OtherDigest(found) })
}
