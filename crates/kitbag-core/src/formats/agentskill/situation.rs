//! [`Situation`]: where a document stands, as far as any program's search cares.

use crate::formats::{Site, resolve};
use crate::path::{PackagePath, child_of};
use crate::tree::{Blob, Node, Root, Tree};

/// The only spelling that programs look for.
pub const FILE_NAME: &str = "SKILL.md";

/// What programs call the folder in which they look for skills.
const SKILLS_FOLDER: &str = "skills";

/// Where a document stands.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The folder's name; `None` when there is no folder to speak of: a single document, the root of an archive.
    pub folder: Option<String>,
    /// The folders from below the skills folder down to the skill's own, by name.
    pub below: Vec<String>,
    /// How the skill's folder is reached.
    pub reached: Reached,
    /// What the document is on disk.
    pub document: Document,
    /// Other spellings of `SKILL.md` beside it.
    pub twins: Vec<String>,
    /// Whether a folder above it is a skill too.
    pub inside: Inside,
    /// Whether another skill lies directly below the same skills folder.
    pub neighbours: Neighbours,
}

/// How a skill's folder is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It is a folder.
    Folder,
    /// It is a link to one.
    Link,
}

/// What a document is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// A regular file.
    File,
    /// A link to a file of the tree.
    Link {
        /// The text of the link.
        target: String,
    },
    /// A link that leads out of the tree, so that what it leads to is not known.
    LinkOut {
        /// The text of the link.
        target: String,
    },
    /// A link to nothing, or to something that is no file.
    LinkAstray {
        /// The text of the link.
        target: String,
    },
    /// A folder, pipe, socket or device.
    NotAFile,
    /// Something that could not be read.
    Unreadable,
}

/// Whether a skill lies inside another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inside {
    /// It does not.
    Nothing,
    /// It lies inside the skill in this folder; `None` is the root of the tree.
    Skill(Option<PackagePath>),
}

/// Whether a skill is the only one in its skills folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// No other skill lies directly below the skills folder.
    None,
    /// At least one does.
    Some,
}

impl Situation {
    /// How many folders below the skills folder the document's folder is: 1 where every program looks.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.below.len()
    }

    /// Reads the situation of the document `name` at `site`; also gives its content, where it has one that is known.
    #[must_use]
    pub fn of(site: &Site<'_>, name: &str) -> (Self, Option<Blob>) {
        let tree = site.tree();
        let (document, blob) = document(site, name);
        let twins =
            at_root(tree).filter(|other| *other != name && is_spelling(other)).map(str::to_owned).collect();
        let (below, inside, neighbours) = match site.at() {
            None => (tree.name().map(str::to_owned).into_iter().collect(), Inside::Nothing, Neighbours::None),
            Some(at) => surroundings(site, at),
        };
        let bare = site.at().is_none() && matches!(tree.root(), Root::Archive | Root::Document);
        let reached = match tree.root() {
            Root::LinkToFolder => Reached::Link,
            _ => Reached::Folder,
        };
        let folder = tree.name().filter(|_| !bare).map(str::to_owned);
        let is_skills_folder =
            tree.name() == Some(SKILLS_FOLDER) && site.documents_below(site.at(), FILE_NAME) > 0;
        let below = match is_skills_folder {
            true => Vec::new(),
            false if bare || below.is_empty() => vec![String::new()],
            false => below,
        };
        (Self { folder, below, reached, document, twins, inside, neighbours }, blob)
    }
}

/// Whether `name` is `SKILL.md` in some mixture of upper and lower case.
#[must_use]
pub fn is_spelling(name: &str) -> bool {
    name.eq_ignore_ascii_case(FILE_NAME)
}

/// The document of a folder: `SKILL.md`, or the spelling that comes closest.
#[must_use]
pub fn find(tree: &Tree) -> Option<String> {
    if tree.get(FILE_NAME).is_some() {
        return Some(FILE_NAME.to_owned());
    }
    let best = if tree.get("skill.md").is_some() {
        Some("skill.md")
    } else {
        at_root(tree).find(|name| is_spelling(name))
    };
    best.map(str::to_owned)
}

/// The names directly in the tree.
fn at_root(tree: &Tree) -> impl Iterator<Item = &str> {
    tree.iter().map(|(path, _)| path.as_str()).filter(|path| !path.contains('/'))
}

fn document(site: &Site<'_>, name: &str) -> (Document, Option<Blob>) {
    match site.tree().get(name) {
        Some(Node::File(blob)) => (Document::File, Some(blob.clone())),
        Some(Node::Link { target }) => link(site, name, target),
        Some(Node::Unreadable { .. }) => (Document::Unreadable, None),
        Some(Node::Folder | Node::Special(_)) | None => (Document::NotAFile, None),
    }
}

fn link(site: &Site<'_>, name: &str, target: &str) -> (Document, Option<Blob>) {
    let target = target.to_owned();
    let Ok(path) = child_of(site.at(), name) else { return (Document::LinkAstray { target }, None) };
    match resolve(site.whole(), &path, &target).and_then(|reached| site.whole().get(reached.as_str())) {
        Some(Node::File(blob)) => (Document::Link { target }, Some(blob.clone())),
        Some(_) => (Document::LinkAstray { target }, None),
        None if leaves(&path, &target) => (Document::LinkOut { target }, None),
        None => (Document::LinkAstray { target }, None),
    }
}

/// Whether the text of a link leads above the root of the tree.
fn leaves(link: &PackagePath, target: &str) -> bool {
    if target.starts_with('/') {
        return true;
    }
    let mut level = link.segments().count();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." if level <= 1 => return true,
            ".." => level -= 1,
            _ => level += 1,
        }
    }
    false
}

/// What lies around the folder `at`: the folders from the skills folder down, the skill it is inside of, and whether it
/// has neighbours. The skills folder is the innermost one called `skills`, or the root of the tree.
fn surroundings(site: &Site<'_>, at: &PackagePath) -> (Vec<String>, Inside, Neighbours) {
    let whole = site.whole();
    let mut segments: Vec<&str> = at.segments().collect();
    let mut root = None;
    let above = at.parent();
    if let Some(above) = &above
        && let Some(index) =
            above.segments().collect::<Vec<_>>().iter().rposition(|&name| name == SKILLS_FOLDER)
    {
        let rest = segments.split_off(index + 1);
        root = PackagePath::new(&segments.join("/")).ok();
        segments = rest;
    }
    let holds = |folder: Option<&PackagePath>| {
        child_of(folder, FILE_NAME)
            .is_ok_and(|path| matches!(whole.get(path.as_str()), Some(Node::File(_) | Node::Link { .. })))
    };
    let mut inside = Inside::Nothing;
    let mut folder = above;
    while let Some(here) = folder {
        if root.as_ref() == Some(&here) {
            folder = Some(here);
            break;
        }
        if holds(Some(&here)) {
            inside = Inside::Skill(Some(here.clone()));
        }
        folder = here.parent();
    }
    let mut below: Vec<String> = segments.into_iter().map(str::to_owned).collect();
    if folder.is_none() && holds(None) && whole.name() != Some(SKILLS_FOLDER) {
        // The tree itself is the skill that was named; what it holds lies one level deeper than the tree knows.
        inside = Inside::Skill(None);
        below.insert(0, whole.name().unwrap_or_default().to_owned());
    }
    let neighbours = if has_neighbour(site, root.as_ref(), at) { Neighbours::Some } else { Neighbours::None };
    (below, inside, neighbours)
}

/// Whether a skill other than `at` lies in `root` or directly below it.
fn has_neighbour(site: &Site<'_>, root: Option<&PackagePath>, at: &PackagePath) -> bool {
    let holds = |folder: Option<&PackagePath>| {
        let document = child_of(folder, FILE_NAME).ok().and_then(|path| site.whole().get(path.as_str()));
        document.is_some_and(|node| !matches!(node, Node::Folder))
    };
    let itself = usize::from(at.parent().as_ref() == root && holds(Some(at)));
    (root != Some(at) && holds(root)) || site.documents_below(root, FILE_NAME) > itself
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, Option<&str>)]) -> Tree {
        let mut tree = Tree::new(Some("top".into()), Root::Folder);
        for (at, link) in files {
            let node = link.map_or_else(
                || Node::File(Blob::from_bytes(*at)),
                |target| Node::Link { target: target.to_owned() },
            );
            tree.insert(PackagePath::new(at).unwrap(), node).unwrap();
        }
        tree
    }

    fn situation(tree: &Tree, at: &str) -> Situation {
        let at = (!at.is_empty()).then(|| PackagePath::new(at).unwrap());
        let site = Site::new(tree, at);
        let name = find(site.tree()).unwrap();
        Situation::of(&site, &name).0
    }

    #[test]
    fn depth_counts_from_the_innermost_skills_folder_or_the_root() {
        let tree =
            tree(&[("a/SKILL.md", None), ("p/skills/g/b/SKILL.md", None), ("skills/skills/SKILL.md", None)]);
        assert_eq!(situation(&tree, "a").below, ["a"]);
        assert_eq!(situation(&tree, "p/skills/g/b").below, ["g", "b"]);
        assert_eq!(situation(&tree, "skills/skills").below, ["skills"]);
    }

    #[test]
    fn a_skill_inside_a_skill_knows_it() {
        let tree = tree(&[("a/SKILL.md", None), ("a/b/c/SKILL.md", None)]);
        assert_eq!(situation(&tree, "a").inside, Inside::Nothing);
        assert_eq!(situation(&tree, "a/b/c").inside, Inside::Skill(PackagePath::new("a").ok()));
        let tree = self::tree(&[("SKILL.md", None), ("sub/SKILL.md", None)]);
        let inner = situation(&tree, "sub");
        assert_eq!((inner.inside, inner.below), (Inside::Skill(None), vec!["top".into(), "sub".into()]));
        assert_eq!(situation(&tree, "").depth(), 1);
    }

    #[test]
    fn the_skills_folder_itself_is_no_folder_of_a_skill() {
        let tree = tree(&[("skills/SKILL.md", None), ("skills/a/SKILL.md", None)]);
        assert_eq!(situation(&tree, "skills").depth(), 0);
        assert_eq!(
            (situation(&tree, "skills/a").depth(), situation(&tree, "skills/a").inside),
            (1, Inside::Nothing)
        );
        let alone = self::tree(&[("skills/SKILL.md", None)]);
        assert_eq!(situation(&alone, "skills").depth(), 1);
    }

    #[test]
    fn links_are_told_apart_by_where_they_lead() {
        let tree = tree(&[
            ("t/T.md", None),
            ("a/SKILL.md", Some("../t/T.md")),
            ("b/SKILL.md", Some("../../x/T.md")),
            ("c/SKILL.md", Some("nowhere.md")),
            ("d/SKILL.md", Some("../t")),
            ("e/SKILL.md", Some("/etc/hostname")),
        ]);
        let kind = |at: &str| situation(&tree, at).document;
        assert!(matches!(kind("a"), Document::Link { .. }));
        assert!(matches!(kind("b"), Document::LinkOut { .. }));
        assert!(matches!(kind("c"), Document::LinkAstray { .. }));
        assert!(matches!(kind("d"), Document::LinkAstray { .. }));
        assert!(matches!(kind("e"), Document::LinkOut { .. }));
    }

    #[test]
    fn spellings_are_found_and_twins_are_named() {
        let tree =
            tree(&[("a/skill.md", None), ("b/Skill.md", None), ("c/SKILL.md", None), ("c/skill.md", None)]);
        let name = |at: &str| find(Site::new(&tree, PackagePath::new(at).ok()).tree());
        assert_eq!(name("a").as_deref(), Some("skill.md"));
        assert_eq!(name("b").as_deref(), Some("Skill.md"));
        assert_eq!(name("c").as_deref(), Some("SKILL.md"));
        assert_eq!(situation(&tree, "c").twins, ["skill.md"]);
    }

    #[test]
    fn neighbours_lie_directly_below_the_same_skills_folder() {
        let tree = tree(&[
            ("s/skills/g/a/SKILL.md", None),
            ("t/skills/g/a/SKILL.md", None),
            ("t/skills/b/SKILL.md", None),
        ]);
        assert_eq!(situation(&tree, "s/skills/g/a").neighbours, Neighbours::None);
        assert_eq!(situation(&tree, "t/skills/g/a").neighbours, Neighbours::Some);
    }
}
