//! The file list (§11, §11.2): every listed file is there with its digest, every file that must be listed is, and no
//! symbolic link is anywhere.

use std::collections::HashSet;

use crate::digest::Sha256;
use crate::finding::{Finding, Place};
use crate::json::decode::Entry;
use crate::json::excerpt;
use crate::path::PackagePath;
use crate::tree::{Node, Tree};

use super::super::codes;
use super::super::coverage::{Coverage, Gap, LISTED_PATHS, Look};
use super::super::document::Integrity;
use super::super::version::NEWEST;
use super::{Bounded, Subject, at};

/// Most files that a list may hold.
const MAX_LISTED: usize = 10_000;

/// Checks the files against the list.
pub(super) fn check(subject: &Subject<'_>, out: &mut Bounded) {
    let look = match &subject.document.integrity {
        Some(integrity) => {
            check_list(subject, integrity, out);
            Look::Everything
        }
        // §11.2 refuses links "anywhere in the skill directory", whether a list was written or not.
        None => Look::Links,
    };
    let listed = listed_ways(subject);
    for gap in Coverage::of(subject.document).gaps(subject.tree, look) {
        out.push(gap_finding(subject, &gap, &listed));
    }
}

fn check_list(subject: &Subject<'_>, integrity: &Integrity, out: &mut Bounded) {
    let span = integrity.files_span.unwrap_or(integrity.span);
    let files = at("integrity").join("files");
    if subject.version >= NEWEST && !integrity.files.iter().any(|entry| entry.name == "SKILL.md") {
        let message = "SKILL.md is not listed in `integrity.files`";
        out.push(subject.finding(&codes::INTEGRITY_EMPTY, files.clone(), span, message));
    }
    if integrity.files.len() > MAX_LISTED {
        let message = format!("{} files are listed, more than {MAX_LISTED}", integrity.files.len());
        out.push(subject.finding(&codes::INTEGRITY_PATH, files, span, message));
    }
    for entry in &integrity.files {
        if out.is_full() {
            return;
        }
        if let Some(finding) = check_listed(subject, entry) {
            out.push(finding);
        }
    }
}

/// One listed file: its path, then its presence, then its digest.
fn check_listed(subject: &Subject<'_>, entry: &Entry<String>) -> Option<Finding> {
    let name = excerpt(&entry.name);
    let finding = |code, message: String| {
        let pointer = at("integrity").join("files").join(&entry.name);
        Some(subject.finding(code, pointer, entry.name_span, message))
    };
    if let Err(problem) = LISTED_PATHS.check(&entry.name) {
        return finding(&codes::INTEGRITY_PATH, format!("`{name}` cannot be listed: {problem}"));
    }
    if let Some(link) = link_on_the_way(subject.tree, &entry.name) {
        return finding(
            &codes::INTEGRITY_PATH,
            format!("`{name}` is listed, and `{}` is a symbolic link", excerpt(link)),
        );
    }
    let blob = match subject.tree.get(&entry.name) {
        Some(Node::File(blob)) => blob,
        None => return finding(&codes::INTEGRITY_MISSING, format!("`{name}` is listed and not there")),
        Some(Node::Unreadable { because }) => {
            return finding(
                &codes::INTEGRITY_MISSING,
                format!("`{name}` is listed and cannot be read: {because}"),
            );
        }
        Some(Node::Folder | Node::Special(_) | Node::Link { .. }) => {
            return finding(&codes::INTEGRITY_MISSING, format!("`{name}` is listed and no regular file"));
        }
    };
    let listed = Sha256::from_hex(&entry.value);
    match blob.digest() {
        Ok(digest) if Some(digest) == listed => None,
        Ok(digest) => finding(
            &codes::INTEGRITY_MISMATCH,
            format!("`{name}` has the SHA-256 {digest}, and {} is listed", entry.value),
        ),
        Err(error) => {
            finding(&codes::INTEGRITY_MISSING, format!("`{name}` is listed and cannot be read: {error}"))
        }
    }
}

/// The first symbolic link among a path and the folders it is in.
fn link_on_the_way<'p>(tree: &Tree, path: &'p str) -> Option<&'p str> {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.chain([path]).find(|part| matches!(tree.get(part), Some(Node::Link { .. })))
}

fn gap_finding(subject: &Subject<'_>, gap: &Gap<'_>, listed: &HashSet<&str>) -> Finding {
    match gap {
        Gap::Link { path, target } => {
            let message = format!("`{}` is a symbolic link to `{}`", excerpt(path.as_str()), excerpt(target));
            let mut finding = Finding::new(&codes::INTEGRITY_PATH, Place::file((*path).clone()), message);
            if listed.contains(path.as_str()) {
                // The listed entry already carries the error. The walk meets the link again as a file that no digest
                // can cover, and grades it as such: a warning before 0.8.
                finding.severity = codes::INTEGRITY_UNLISTED.grade.under(Some(subject.version));
            }
            finding
        }
        Gap::Unlisted { path, node } => {
            let name = excerpt(path.as_str());
            let message = match node {
                Node::Unreadable { because } => {
                    format!(
                        "`{name}` cannot be read ({because}), so nothing in it can be covered by `integrity.files`"
                    )
                }
                Node::Special(kind) => format!("`{name}` is a {kind} and not covered by `integrity.files`"),
                _ => format!("`{name}` is not listed in `integrity.files`"),
            };
            let finding = Finding::new(&codes::INTEGRITY_UNLISTED, Place::file((*path).clone()), message)
                .under(subject.version);
            if is_bytecode(path) {
                return finding.help(
                    "Delete it: Python can run it instead of the source beside it, so it is no longer excluded.",
                );
            }
            finding
        }
        Gap::Unnameable { folder, name } => {
            let place = folder.map_or_else(Place::package, |folder| Place::file(folder.clone()));
            let message = format!("`{}` has a name that no list can hold", excerpt(name));
            Finding::new(&codes::INTEGRITY_UNLISTED, place, message)
                .under(subject.version)
                .help("Rename it or remove it.")
        }
    }
}

/// Every path that the list names, with the folders on the way to it.
fn listed_ways<'s>(subject: &Subject<'s>) -> HashSet<&'s str> {
    let files = subject.document.integrity.iter().flat_map(|integrity| &integrity.files);
    files
        .map(|entry| &*entry.name)
        .filter(|name| LISTED_PATHS.check(name).is_ok())
        .flat_map(|name| name.match_indices('/').map(|(at, _)| &name[..at]).chain([name]))
        .collect()
}

fn is_bytecode(path: &PackagePath) -> bool {
    let name = path.name();
    name.ends_with(".pyc")
        || name.ends_with(".pyo")
        || path.segments().any(|segment| segment == "__pycache__")
}
