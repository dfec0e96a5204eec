//! [`Package`]: one folder with its faces; how packages are found in a tree; and what is wrong with the entries of a
//! tree whatever the formats.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Code, Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Node, Tree};

use super::{FORMATS, Face, codes, recognised};

/// One package: a tree and what it is.
#[derive(Debug)]
pub struct Package {
    /// The folder, below the tree it was found in; `None` for that tree's root.
    pub at: Option<PackagePath>,
    /// Everything in the folder.
    pub tree: Tree,
    /// What it is; empty when it is nothing kitbag knows.
    pub faces: Vec<Face>,
}

impl Package {
    /// The document that makes the folder a package: the first with a certain [`Marker`], else a possible one.
    #[must_use]
    pub fn document(&self) -> Option<PackagePath> {
        let at_root = || self.tree.iter().map(|(path, _)| path).filter(|path| path.parent().is_none());
        [Marker::Certain, Marker::Possible]
            .into_iter()
            .find_map(|wanted| at_root().find(|path| marker(path.name()) == Some(wanted)))
            .cloned()
    }
}

/// What a file's name says about the folder it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// The folder is a package: no other program uses the name.
    Certain,
    /// The folder is a package if the document has the right shape; the name is common.
    Possible,
}

/// What the file name `name` says about the folder it is in; `None` when it says nothing.
#[must_use]
pub fn marker(name: &str) -> Option<Marker> {
    if FORMATS.iter().any(|format| format.markers().contains(&name)) {
        Some(Marker::Certain)
    } else if recognised::is_possible_marker(name) {
        Some(Marker::Possible)
    } else {
        None
    }
}

/// Folders whose content belongs to a program, not to an author. Packages below them are nobody's to check, unless the
/// folder itself is named.
#[must_use]
pub fn is_machinery(name: &str) -> bool {
    matches!(name, ".git" | "node_modules")
}

/// The folders of `tree` that may be packages: those that directly hold a file with a [`marker`]'s name. `None` is the
/// root. What lies below `.git` and `node_modules` is not looked at.
#[must_use]
pub fn discover(tree: &Tree) -> BTreeMap<Option<PackagePath>, Marker> {
    let mut found = BTreeMap::new();
    for (path, node) in tree.iter() {
        if matches!(node, Node::Folder) {
            continue;
        }
        let Some(marker) = marker(path.name()) else { continue };
        if path.segments().any(is_machinery) {
            continue;
        }
        let best = found.entry(path.parent()).or_insert(marker);
        if marker == Marker::Certain {
            *best = marker;
        }
    }
    found
}

/// Asks every format for its faces of `tree`. No face and no error in `out` means: nothing kitbag knows.
#[must_use]
pub fn open(at: Option<PackagePath>, tree: Tree, out: &mut Findings) -> Package {
    let faces: Vec<Face> = FORMATS.iter().flat_map(|format| format.faces(&tree, out)).collect();
    Package { at, tree, faces }
}

/// Most findings of one kind about the entries of one tree. A tree of a hundred thousand links is one mistake.
const MOST_OF_A_KIND: usize = 100;

/// What is wrong with the entries of `tree`, whatever the formats: links, special files, what cannot be read or named.
/// Folders in `inner` are packages of their own and speak for themselves.
pub fn check_tree(tree: &Tree, inner: &BTreeSet<PackagePath>, out: &mut Findings) {
    let mut links = Kind::new(&codes::LINK);
    let mut special = Kind::new(&codes::SPECIAL_FILE);
    let mut unreadable = Kind::new(&codes::UNREADABLE);
    let mut unnameable = Kind::new(&codes::NAME_NOT_UTF8);
    let mut archives = Kind::new(&codes::NESTED_ARCHIVE);
    for (path, node) in tree.iter() {
        if matches!(node, Node::Folder) || is_inside(path, inner) {
            continue;
        }
        let place = || Place::file(path.clone());
        match node {
            Node::Folder => {}
            Node::File(_) => {
                if has_archive_name(path.name()) {
                    archives.push(out, place, || format!("`{path}` is an archive"));
                }
            }
            Node::Link { target } => {
                links.push(out, place, || format!("`{path}` is a symbolic link to `{target}`"));
            }
            Node::Special(kind) => special.push(out, place, || format!("`{path}` is a {kind}")),
            Node::Unreadable { because } => {
                unreadable.push(out, place, || format!("`{path}` cannot be read: {because}"));
            }
        }
    }
    for entry in tree.unnameable() {
        if entry.folder.as_ref().is_some_and(|folder| inner.contains(folder) || is_inside(folder, inner)) {
            continue;
        }
        let place = || entry.folder.clone().map_or_else(Place::package, Place::file);
        unnameable.push(out, place, || format!("the name `{}` is not valid UTF-8", entry.name));
    }
    for kind in [links, special, unreadable, unnameable, archives] {
        kind.finish(out);
    }
}

/// Whether `path` lies below one of `folders`.
fn is_inside(path: &PackagePath, folders: &BTreeSet<PackagePath>) -> bool {
    if folders.is_empty() {
        return false;
    }
    let text = path.as_str();
    text.match_indices('/').any(|(at, _)| folders.contains(&text[..at]))
}

/// Whether a file of this name is an archive for people and programs, whatever is in it.
#[must_use]
pub fn has_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".zip", ".skill", ".adcap", ".tar.gz", ".tgz"].iter().any(|ending| name.ends_with(ending))
}

/// Findings of one code, of which only the first are kept.
struct Kind {
    code: &'static Code,
    seen: usize,
}

impl Kind {
    const fn new(code: &'static Code) -> Self {
        Self { code, seen: 0 }
    }

    fn push(&mut self, out: &mut Findings, place: impl Fn() -> Place, message: impl Fn() -> String) {
        self.seen += 1;
        if self.seen <= MOST_OF_A_KIND {
            out.push(Finding::new(self.code, place(), message()));
        }
    }

    fn finish(self, out: &mut Findings) {
        if let Some(more @ 1..) = self.seen.checked_sub(MOST_OF_A_KIND) {
            let message = format!("the same is so of {more} more entries");
            out.push(Finding::new(self.code, Place::package(), message));
        }
    }
}
