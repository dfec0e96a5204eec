//! The files of a package: Splice 1, "Package specification" and "Package archive".

use std::collections::BTreeSet;

use crate::finding::{Finding, Findings, Place};
use crate::json::Pointer;
use crate::limits::Bytes;
use crate::path::PackagePath;
use crate::tree::{Blob, Node, Root, Tree};

use super::super::manifest::Home;
use super::super::{ARCHIVE_BYTES, FILE_BYTES, FILES, SKILL_MD, SKILL_MD_BYTES};
use super::super::{codes, pack, words};
use super::{Counted, Subject, names};

/// Most entries that one finding names.
const MOST_NAMED: usize = 5;

pub(super) fn check(subject: &Subject<'_>, tree: &Tree, out: &mut Findings) {
    match (&subject.manifest.home, tree.root()) {
        (Home::Bundle(_), _) | (_, Root::Archive) => disallowed(subject, tree, out),
        _ => left_out(tree, out),
    }
    let packed: Vec<(&PackagePath, &Blob)> = pack::files(tree).collect();
    let mut too_large = Counted::new(subject, &codes::FILE_TOO_LARGE);
    for (path, blob) in packed.iter().filter(|(_, blob)| blob.len() > FILE_BYTES) {
        let (len, most) = (Bytes(blob.len()), Bytes(FILE_BYTES));
        too_large.push(out, path.as_str(), || format!("`{path}` has {len} and at most {most} are allowed"));
    }
    too_large.finish(out);
    skill_md(subject, tree, out);
    entries(subject, tree, out);
    if packed.len() > FILES {
        let message = format!("the package has {} files and at most {FILES} are allowed", packed.len());
        out.push(Finding::new(&codes::TOO_MANY_FILES, Place::package(), message));
    }
    let size = pack::archive_bytes(packed.iter().map(|(_, blob)| blob.len()));
    if size > ARCHIVE_BYTES {
        let (size, most) = (Bytes(size), Bytes(ARCHIVE_BYTES));
        let message = format!("the archive would have {size} and at most {most} are allowed");
        out.push(Finding::new(&codes::TOO_LARGE, Place::package(), message));
    }
    names::check(subject, packed.iter().map(|(path, _)| *path), out);
}

/// What an archive must not hold.
fn disallowed(subject: &Subject<'_>, tree: &Tree, out: &mut Findings) {
    let mut found = Counted::new(subject, &codes::DISALLOWED_FILE);
    let files = tree.iter().filter(|(_, node)| !matches!(node, Node::Folder)).map(|(path, _)| path.as_str());
    for path in files.filter(|path| words::is_left_out(path)) {
        found.push(out, path, || format!("`{path}` is hidden or in node_modules"));
    }
    found.finish(out);
}

/// What of a folder does not get into its archive.
fn left_out(tree: &Tree, out: &mut Findings) {
    let mut tops = BTreeSet::new();
    let mut filled = BTreeSet::new();
    for (path, _) in tree.iter() {
        let text = path.as_str();
        if let Some(end) = end_of_left_out(text) {
            tops.insert(&text[..end]);
        }
        filled.extend(path.parent());
    }
    let empty = tree.iter().filter(|(path, node)| {
        matches!(node, Node::Folder) && !words::is_left_out(path.as_str()) && !filled.contains(*path)
    });
    tops.extend(empty.map(|(path, _)| path.as_str()));
    let Some(first) = tops.first().and_then(|first| PackagePath::new(first).ok()) else { return };
    let mut named = tops.iter().take(MOST_NAMED).map(|top| format!("`{top}`")).collect::<Vec<_>>().join(", ");
    if tops.len() > MOST_NAMED {
        named.push_str(&format!(" and {} more", tops.len() - MOST_NAMED));
    }
    let message = format!("not packed: {named}");
    out.push(Finding::new(&codes::LEFT_OUT, Place::file(first), message));
}

/// Where the first segment ends that keeps `path` out of an archive.
fn end_of_left_out(path: &str) -> Option<usize> {
    let mut end = 0;
    for segment in path.split('/') {
        end += segment.len();
        if words::is_left_out(segment) {
            return Some(end);
        }
        end += 1;
    }
    None
}

fn skill_md(subject: &Subject<'_>, tree: &Tree, out: &mut Findings) {
    let fault = match tree.file(SKILL_MD) {
        None => Some("is missing".to_owned()),
        Some(blob) if blob.len() > SKILL_MD_BYTES => Some(format!("exceeds {SKILL_MD_BYTES} bytes")),
        Some(blob) => match blob.read(SKILL_MD_BYTES) {
            Err(error) => Some(format!("cannot be read: {error}")),
            Ok(bytes) => match std::str::from_utf8(&bytes) {
                Err(_) => Some("is not valid UTF-8".to_owned()),
                Ok(text) if text.contains('\0') => Some("must be text (contains NUL bytes)".to_owned()),
                Ok(text) if words::is_blank(text) => Some("is empty".to_owned()),
                Ok(text) => {
                    if !text.trim_start_matches('\u{feff}').starts_with("---") {
                        let message = format!("{SKILL_MD} has no front matter");
                        out.push(subject.about(&codes::SKILL_MD_PLAIN, SKILL_MD, message));
                    }
                    None
                }
            },
        },
    };
    if let Some(fault) = fault {
        let there = tree.file(SKILL_MD).is_some();
        let message = format!("{SKILL_MD} {fault}");
        out.push(match there {
            true => subject.about(&codes::SKILL_MD, SKILL_MD, message),
            false => Finding::new(&codes::SKILL_MD, Place::package(), message),
        });
    }
}

fn entries(subject: &Subject<'_>, tree: &Tree, out: &mut Findings) {
    let tools = subject.manifest.document().map_or(&[][..], |document| &document.tools);
    for (index, tool) in tools.iter().enumerate() {
        let entry = &tool.entry.value;
        let is_packed = tree.file(entry).is_some() && !words::is_left_out(entry);
        if !is_packed {
            let pointer = Pointer::root().join("tools").join(index).join("entry");
            let place = subject.manifest_place(pointer, tool.entry.span);
            let mut message = format!("tool \"{}\": entry file \"{entry}\" is missing", tool.name);
            if tree.file(entry).is_some() {
                message.push_str(" from the archive: hidden files are not packed");
            }
            out.push(Finding::new(&codes::ENTRY_MISSING, place, message));
        }
    }
}
