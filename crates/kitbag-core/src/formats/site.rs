//! [`Site`]: a folder with what is around it. Programs look for documents in certain places only, so a document's fate
//! depends on more than its own folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::path::{PackagePath, child_of};
use crate::tree::{Node, Root, Tree};

use super::FORMATS;

/// How many folders with a document lie directly below each folder of one tree. Counted at the first question: asked anew
/// for each of ten thousand packages, the tree would be walked ten thousand times.
#[derive(Debug, Default)]
pub struct Neighbourhood(OnceLock<BTreeMap<(&'static str, Option<PackagePath>), usize>>);

impl Neighbourhood {
    fn count(&self, tree: &Tree, document: &'static str, root: Option<PackagePath>) -> usize {
        let counted = self.0.get_or_init(|| {
            let mut counted = BTreeMap::new();
            let markers = || FORMATS.iter().flat_map(|format| format.markers());
            for (path, node) in tree.iter() {
                if !matches!(node, Node::Folder)
                    && let Some(marker) = markers().find(|marker| **marker == path.name())
                    && let Some(folder) = path.parent()
                {
                    *counted.entry((*marker, folder.parent())).or_default() += 1;
                }
            }
            counted
        });
        counted.get(&(document, root)).copied().unwrap_or(0)
    }
}

/// One folder of a tree, to be asked for its documents.
#[derive(Clone, Debug)]
pub struct Site<'t> {
    whole: &'t Tree,
    neighbourhood: Option<&'t Neighbourhood>,
    at: Option<PackagePath>,
    tree: Cow<'t, Tree>,
}

impl<'t> Site<'t> {
    /// The root of a tree.
    #[must_use]
    pub fn root(whole: &'t Tree) -> Self {
        Self { whole, neighbourhood: None, at: None, tree: Cow::Borrowed(whole) }
    }

    /// The folder `at` of `whole`, or the folder inside `whole` that a link there leads to; `None` is the root. A path that
    /// is neither gives an empty folder.
    #[must_use]
    pub fn new(whole: &'t Tree, at: Option<PackagePath>) -> Self {
        let Some(path) = at else { return Self::root(whole) };
        let tree = match whole.get(path.as_str()) {
            Some(Node::Link { target }) => match resolve(whole, &path, target) {
                Some(folder) => whole.subtree(&folder).renamed(path.name(), Root::LinkToFolder),
                None => Tree::new(Some(path.name().to_owned()), Root::LinkToFolder),
            },
            _ => whole.subtree(&path),
        };
        Self { whole, neighbourhood: None, at: Some(path), tree: Cow::Owned(tree) }
    }

    /// With what was counted in the whole tree for other sites of it.
    #[must_use]
    pub const fn in_neighbourhood(mut self, neighbourhood: &'t Neighbourhood) -> Self {
        self.neighbourhood = Some(neighbourhood);
        self
    }

    /// How many folders directly below `root` hold a `document`, one of the formats' [markers](super::Format::markers).
    #[must_use]
    pub fn documents_below(&self, root: Option<&PackagePath>, document: &'static str) -> usize {
        match self.neighbourhood {
            Some(known) => known.count(self.whole, document, root.cloned()),
            None => Neighbourhood::default().count(self.whole, document, root.cloned()),
        }
    }

    /// The whole tree.
    #[must_use]
    pub const fn whole(&self) -> &'t Tree {
        self.whole
    }

    /// The folder, below the whole tree; `None` for its root.
    #[must_use]
    pub const fn at(&self) -> Option<&PackagePath> {
        self.at.as_ref()
    }

    /// Everything in the folder.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The folder's content, to be kept.
    #[must_use]
    pub fn into_tree(self) -> Tree {
        self.tree.into_owned()
    }
}

/// Most links that are followed from one name to the next.
const MAX_LINKS: usize = 16;

/// The entry of `tree` that the link at `path` leads to, read from the text of the links alone and only where every step
/// stays inside the tree; the disk is not asked. `None` for links that leave the tree, lead nowhere or in a circle.
#[must_use]
pub fn resolve(tree: &Tree, path: &PackagePath, target: &str) -> Option<PackagePath> {
    let mut path = path.clone();
    let mut target = target.to_owned();
    for _ in 0..MAX_LINKS {
        let reached = step(tree, &path, &target)?;
        match tree.get(reached.as_str())? {
            Node::Link { target: next } => {
                target.clone_from(next);
                path = reached;
            }
            _ => return Some(reached),
        }
    }
    None
}

/// One step: the target read from the folder the link is in. Every folder on the way must be a real one, since behind a
/// link the text would mean another place.
fn step(tree: &Tree, link: &PackagePath, target: &str) -> Option<PackagePath> {
    if target.is_empty() || target.starts_with('/') {
        return None;
    }
    let mut here = link.parent();
    for segment in target.split('/') {
        if let Some(folder) = &here
            && !matches!(tree.get(folder.as_str()), Some(Node::Folder))
        {
            return None;
        }
        match segment {
            "" | "." => {}
            ".." => here = here?.parent(),
            name => here = Some(child_of(here.as_ref(), name).ok()?),
        }
    }
    here
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Blob;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    fn tree(entries: &[(&str, Option<&str>)]) -> Tree {
        let mut tree = Tree::new(Some("root".into()), Root::Folder);
        for (at, link) in entries {
            let node = match link {
                Some(target) => Node::Link { target: (*target).to_owned() },
                None => Node::File(Blob::from_bytes(*at)),
            };
            tree.insert(path(at), node).unwrap();
        }
        tree
    }

    #[test]
    fn a_link_is_followed_only_while_it_stays_inside() {
        let tree = tree(&[
            ("store/a/SKILL.md", None),
            ("in", Some("store/a")),
            ("twice", Some("./in")),
            ("s/up", Some("../store/a/SKILL.md")),
            ("out", Some("../elsewhere")),
            ("absolute", Some("/etc")),
            ("loop", Some("loop")),
            ("dangling", Some("nowhere")),
            ("through", Some("in/SKILL.md")),
            ("file", Some("store/a/SKILL.md/..")),
        ]);
        let leads = |at: &str| match tree.get(at) {
            Some(Node::Link { target }) => {
                resolve(&tree, &path(at), target).map(|reached| reached.as_str().to_owned())
            }
            _ => panic!("{at} is no link"),
        };
        assert_eq!(leads("in").as_deref(), Some("store/a"));
        assert_eq!(leads("twice").as_deref(), Some("store/a"));
        assert_eq!(leads("s/up").as_deref(), Some("store/a/SKILL.md"));
        for at in ["out", "absolute", "loop", "dangling", "through", "file"] {
            assert_eq!(leads(at), None, "{at}");
        }
    }

    #[test]
    fn the_folder_behind_a_link_keeps_the_name_of_the_link() {
        let tree = tree(&[("store/a/SKILL.md", None), ("in", Some("store/a")), ("out", Some("../x"))]);
        let site = Site::new(&tree, Some(path("in")));
        assert_eq!((site.tree().name(), site.tree().root()), (Some("in"), Root::LinkToFolder));
        assert!(site.tree().file("SKILL.md").is_some());
        assert!(Site::new(&tree, Some(path("out"))).tree().is_empty());
        assert_eq!(Site::new(&tree, Some(path("store"))).tree().root(), Root::Folder);
        assert_eq!(Site::new(&tree, None).tree().name(), Some("root"));
    }
}
