//! [`Package`]: one folder with its faces; and how packages are found in a tree.

use std::collections::BTreeSet;

use crate::finding::{Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Node, Tree};

use super::{FORMATS, Face, codes};

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

/// The folders of `tree` that are packages: those that directly hold the marker of some format. `None` is the root.
#[must_use]
pub fn discover(tree: &Tree) -> BTreeSet<Option<PackagePath>> {
    let markers: BTreeSet<&str> = FORMATS.iter().flat_map(|format| format.markers()).copied().collect();
    tree.iter()
        .filter(|(path, node)| !matches!(node, Node::Folder) && markers.contains(path.name()))
        .map(|(path, _)| path.parent())
        .collect()
}

/// Asks every format for its faces of `tree`.
#[must_use]
pub fn open(at: Option<PackagePath>, tree: Tree, out: &mut Findings) -> Package {
    let faces: Vec<Face> = FORMATS.iter().flat_map(|format| format.faces(&tree, out)).collect();
    if faces.is_empty() && !out.has_errors() {
        out.push(Finding::new(&codes::NO_FACE, Place::package(), "no package document is here"));
    }
    Package { at, tree, faces }
}

/// What is wrong with the entries of `tree`, whatever the formats: links, special files, what cannot be read or named.
pub fn check_tree(tree: &Tree, out: &mut Findings) {
    for (path, node) in tree.iter() {
        let place = || Place::file(path.clone());
        match node {
            Node::File(_) | Node::Folder => {}
            Node::Link { target } => {
                out.push(Finding::new(
                    &codes::LINK,
                    place(),
                    format!("`{path}` is a symbolic link to `{target}`"),
                ));
            }
            Node::Special(kind) => {
                out.push(Finding::new(&codes::SPECIAL_FILE, place(), format!("`{path}` is a {kind}")));
            }
            Node::Unreadable { because } => {
                out.push(Finding::new(
                    &codes::UNREADABLE,
                    place(),
                    format!("`{path}` cannot be read: {because}"),
                ));
            }
        }
    }
    for entry in tree.unnameable() {
        let place = entry.folder.clone().map_or_else(Place::package, Place::file);
        let message = format!("the name `{}` is not valid UTF-8", entry.name.escape_debug());
        out.push(Finding::new(&codes::NAME_NOT_UTF8, place, message));
    }
}
