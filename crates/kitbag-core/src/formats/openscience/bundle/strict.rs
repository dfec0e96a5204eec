//! A bundle as an import believes it: the files of a [`Tree`] that the strict reader gave or that stand in a folder, under
//! the budgets and names of an import (§2.2, §2.3). What is wrong with one file leaves that one out.

use std::io::{self, Cursor};

use crate::archive::{self, Container, Reading, Spool, codes as archive_codes};
use crate::limits::Limits;
use crate::tree::{Blob, Node, Tree};

use super::super::skill::{DEPTH, FILE_BYTES, TOTAL_BYTES};
use super::outer::{Believed, Outer};
use super::reason::{Reason, Skipped};
use super::{BUNDLE_BYTES, ENTRIES, ENTRY_BYTES, Entry, is_hidden, is_unsafe};

impl Outer {
    /// The files in `tree`. A folder that holds everything, as the archives of repositories have one, is not counted among
    /// the folders a Skill may lie in.
    #[must_use]
    pub fn of_tree(tree: &Tree) -> Self {
        let mut outer = Self { believed: Believed::Nothing, ..Self::default() };
        outer.top = top(tree);
        let deepest = DEPTH + 1 + usize::from(outer.top.is_some());
        let mut bytes = 0u64;
        for (path, node) in tree.iter() {
            let name = path.as_str();
            let blob = match node {
                Node::Folder => {
                    // A folder that was not entered, such as the machinery of version control.
                    if is_hidden(name) && !name.contains('/') {
                        outer.silent.push(format!("{name}/"));
                    }
                    continue;
                }
                _ if is_hidden(name) => {
                    outer.silent.push(name.to_owned());
                    continue;
                }
                Node::File(blob) => blob,
                Node::Link { .. } => {
                    outer.skip(name, Reason::Kind("a link in its place, which is not followed".to_owned()));
                    continue;
                }
                Node::Special(kind) => {
                    outer.skip(name, Reason::Kind(format!("a {kind} in its place")));
                    continue;
                }
                Node::Unreadable { because } => {
                    outer.skip(name, Reason::Kind(format!("something that cannot be read ({because})")));
                    continue;
                }
            };
            let reason = if is_unsafe(name) {
                Reason::Unsafe
            } else if path.segments().count() > deepest {
                Reason::Depth
            } else if outer.entries.len() >= ENTRIES {
                Reason::Entries
            } else if blob.len() > ENTRY_BYTES {
                Reason::TooLarge
            } else if bytes.saturating_add(blob.len()) > BUNDLE_BYTES {
                Reason::BundleBytes
            } else {
                bytes += blob.len();
                outer.entries.push(Entry { name: name.to_owned(), blob: blob.clone() });
                continue;
            };
            outer.skip(name, reason);
        }
        for entry in tree.unnameable() {
            let folder = entry.folder.as_ref().map(|folder| format!("{folder}/")).unwrap_or_default();
            outer.skip(&format!("{folder}{}", entry.name), Reason::Unsafe);
        }
        outer
    }

    fn skip(&mut self, name: &str, reason: Reason) {
        self.skipped.push(Skipped::entry(name, reason));
    }
}

/// The folder that everything lies in.
fn top(tree: &Tree) -> Option<String> {
    let mut names = tree.iter().map(|(path, _)| path.as_str());
    let first = names.next()?;
    let top = first.split('/').next()?;
    let is_in =
        |name: &str| name.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_folder = matches!(tree.get(top), Some(Node::Folder));
    (is_folder && names.all(is_in)).then(|| top.to_owned())
}

/// The files of the archive in `blob`, read strictly, or why it is lost.
///
/// # Errors
/// When the content cannot be read or kept.
pub(super) fn nested(blob: &Blob, spool: &mut dyn Spool) -> io::Result<Result<Nested, Reason>> {
    if archive::sniff_content(&mut *blob.open()?)? != Some(Container::Zip) {
        return Ok(Err(Reason::NotZip));
    }
    let bytes = blob.read(ENTRY_BYTES).map_err(io::Error::other)?;
    let limits = Limits {
        file_bytes: FILE_BYTES,
        total_bytes: TOTAL_BYTES,
        archive_bytes: ENTRY_BYTES,
        ..archive::LIMITS
    };
    let reading = Reading { name: None, limits, spool };
    let tree = match archive::read(&mut Cursor::new(bytes), reading) {
        Ok(unpacked) => unpacked.tree,
        Err(archive::Error::Refused(refusal)) => {
            let is = |code: &'static crate::finding::Code| refusal.code.slug == code.slug;
            return Ok(Err(if is(&archive_codes::FILE_TOO_LARGE) {
                Reason::SkillFile
            } else if is(&archive_codes::TOTAL_TOO_LARGE) {
                Reason::SkillBytes
            } else {
                Reason::Refused(Box::new(refusal))
            }));
        }
        Err(archive::Error::Io(error)) => return Err(error),
    };
    let inner = Outer::of_tree(&tree);
    Ok(match inner.skipped.into_iter().next() {
        Some(first) => Err(Reason::Incomplete(Box::new(first.reason))),
        None => Ok(Nested { entries: inner.entries, silent: inner.silent, top: inner.top }),
    })
}

/// What an archive in a bundle gives.
#[derive(Debug, Default)]
pub(super) struct Nested {
    pub(super) entries: Vec<Entry>,
    pub(super) silent: Vec<String>,
    pub(super) top: Option<String>,
}
