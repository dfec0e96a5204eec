//! [`Package`]: one folder with its faces; how packages are found in a tree; and what is wrong with the entries of a
//! tree whatever the formats.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::archive::{self, Container};
use crate::finding::{Code, Finding, Findings, Place};
use crate::limits::{Bytes, Limits};
use crate::path::PackagePath;
use crate::tree::{Blob, Node, Tree, Unnameable};

use super::{FORMATS, Face, Neighbourhood, Site, codes, recognise, resolve, splice};

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
    if FORMATS.iter().any(|format| format.marks(name)) {
        Some(Marker::Certain)
    } else if recognise::is_possible_marker(name) {
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
/// root. Links that lead to such a folder inside the tree are packages too. What lies below `.git` and `node_modules` is
/// not looked at.
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
    let mut behind = Vec::new();
    let mut work = Work::default();
    for (path, node) in tree.iter() {
        if let Node::Link { target } = node
            && let reached @ Some(_) = resolve(tree, path, target)
            && let Some(marker) = found.get(&reached)
            && let Some(folder) = reached
            && work.affords(tree, folder)
        {
            behind.push((Some(path.clone()), *marker));
        }
    }
    found.extend(behind);
    found
}

/// What is spent on opening packages once more behind links: a thousand links to a large folder are a thousand large
/// packages. What is past it is reported by [`check_between`].
#[derive(Default)]
struct Work {
    entries: usize,
    sizes: BTreeMap<PackagePath, usize>,
}

impl Work {
    const MOST: usize = 1_000_000;

    /// Pays for opening `folder`, if that can be afforded.
    fn affords(&mut self, tree: &Tree, folder: PackagePath) -> bool {
        let size = *match self.sizes.entry(folder) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let size = tree.below(new.key()).count() + 1;
                new.insert(size)
            }
        };
        self.entries = self.entries.saturating_add(size);
        self.entries <= Self::MOST
    }
}

/// Asks every format for its faces of the folder `at` of `whole`; `None` is its root. No face and nothing in `out` means:
/// nothing kitbag knows.
#[must_use]
pub fn open(whole: &Tree, at: Option<PackagePath>, out: &mut Findings) -> Package {
    open_among(whole, &Neighbourhood::default(), at, out)
}

/// The same for one of many packages of `whole`, with one `neighbourhood` for all of them.
#[must_use]
pub fn open_among(
    whole: &Tree,
    neighbourhood: &Neighbourhood,
    at: Option<PackagePath>,
    out: &mut Findings,
) -> Package {
    let site = Site::new(whole, at).in_neighbourhood(neighbourhood);
    let mut faces: Vec<Face> = FORMATS.iter().flat_map(|format| format.faces(&site, out)).collect();
    // Splice asks for a SKILL.md and for no front matter in it: where there is none, the file is the package's
    // documentation, and no Agent Skill gone wrong. Splice says so in its check.
    if faces.iter().any(|face| matches!(face, Face::Splice(manifest) if manifest.is_beside())) {
        faces.retain(|face| match face {
            Face::AgentSkill(skill) => {
                skill.file().as_str() != splice::SKILL_MD || skill.begins_with_front_matter()
            }
            _ => true,
        });
    }
    Package { at: site.at().cloned(), tree: site.into_tree(), faces }
}

/// Most findings of one kind about the entries of one tree. A tree of a hundred thousand links is one mistake.
const MOST_OF_A_KIND: usize = 100;

/// What is wrong with the entries of a package, whatever its formats: links, special files, what cannot be read or named.
/// Folders in `inner` are packages of their own and speak for themselves.
pub fn check_tree(tree: &Tree, inner: &BTreeSet<PackagePath>, out: &mut Findings) {
    let mut links = Kind::new(&codes::LINK);
    let mut special = Kind::new(&codes::SPECIAL_FILE);
    let mut unreadable = Kind::new(&codes::UNREADABLE);
    let mut unnameable = Kind::new(&codes::NAME_NOT_UTF8);
    let mut too_large = Kind::new(&codes::TOO_MUCH);
    let mut archives = Kind::new(&codes::NESTED_ARCHIVE);
    for (path, node) in tree.iter() {
        if matches!(node, Node::Folder) || is_inside(path, inner) {
            continue;
        }
        let place = || Place::file(path.clone());
        match node {
            Node::Folder => {}
            Node::File(blob) if blob.len() > Limits::LOOSEST.file_bytes => {
                let (len, max) = (Bytes(blob.len()), Bytes(Limits::LOOSEST.file_bytes));
                too_large.push(out, place, || format!("`{path}` has {len}; a file over {max} is not read"));
            }
            Node::File(blob) => {
                if has_archive_name(path.name()) {
                    archives.push(out, place, || format!("`{path}` is an archive"));
                } else if let Some(container) = begins_as(blob) {
                    archives.push(out, place, || format!("`{path}` is a {container} by its first bytes"));
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
        if !entry.folder.as_ref().is_some_and(|folder| inner.contains(folder) || is_inside(folder, inner)) {
            unnameable.push_unnameable(entry, out);
        }
    }
    for kind in [links, special, unreadable, unnameable, too_large, archives] {
        kind.finish(out);
    }
}

/// What in a tree of packages may hide a package from a check: what cannot be read or named, links that lead elsewhere,
/// archives. `packages` are the folders that were found; what is in them is theirs to tell.
pub fn check_between(tree: &Tree, packages: &BTreeSet<PackagePath>, out: &mut Findings) {
    let mut unreadable = Kind::new(&codes::UNREADABLE);
    let mut unnameable = Kind::new(&codes::NAME_NOT_UTF8);
    let mut links = Kind::new(&codes::LINK_NOT_FOLLOWED);
    let mut archives = Kind::new(&codes::ARCHIVE_NOT_OPENED);
    for (path, node) in tree.iter() {
        let place = || Place::file(path.clone());
        match node {
            Node::Folder | Node::Special(_) => {}
            _ if is_inside(path, packages) => {}
            Node::File(_) => {
                if [".skill", ".adcap"].iter().any(|ending| path.as_str().ends_with(ending)) {
                    archives.push(out, place, || format!("`{path}` is a package archive and was not opened"));
                }
            }
            Node::Link { target } => {
                let reaches_package = || resolve(tree, path, target).is_some_and(|at| packages.contains(&at));
                if leads_out(path, target) || (!packages.contains(path) && reaches_package()) {
                    links.push(out, place, || format!("`{path}` is a symbolic link to `{target}`"));
                }
            }
            Node::Unreadable { because } => {
                unreadable.push(out, place, || format!("`{path}` cannot be read: {because}"));
            }
        }
    }
    for entry in tree.unnameable() {
        let inside = |folder| packages.contains(folder) || is_inside(folder, packages);
        if !entry.folder.as_ref().is_some_and(inside) {
            unnameable.push_unnameable(entry, out);
        }
    }
    for kind in [unreadable, unnameable, links, archives] {
        kind.finish(out);
    }
}

/// Whether the link at `path` leads to where nothing was looked at: out of the tree, or below `.git` and `node_modules`.
/// By its text alone; a link on the way is an entry of its own.
fn leads_out(path: &PackagePath, target: &str) -> bool {
    let mut segments: Vec<&str> = path.segments().collect();
    segments.pop();
    if target.starts_with('/') || target.contains('\\') {
        return true;
    }
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if segments.pop().is_none() {
                    return true;
                }
            }
            segment => segments.push(segment),
        }
    }
    segments.into_iter().any(is_machinery)
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

/// The container that a file begins as, whatever its name says: a few first bytes are read. What cannot be opened is no
/// archive here; whoever needs the content says that it cannot be had.
fn begins_as(blob: &Blob) -> Option<Container> {
    if blob.is_empty() {
        return None;
    }
    archive::sniff_content(&mut *blob.open().ok()?).ok()?
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

    fn push_unnameable(&mut self, entry: &Unnameable, out: &mut Findings) {
        let place = || entry.folder.clone().map_or_else(Place::package, Place::file);
        self.push(out, place, || format!("the name `{}` is not valid UTF-8", entry.name));
    }

    fn finish(self, out: &mut Findings) {
        if let Some(more @ 1..) = self.seen.checked_sub(MOST_OF_A_KIND) {
            let message = format!("the same is so of {more} more entries");
            out.push(Finding::new(self.code, Place::package(), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::SpecialKind;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    fn tree(files: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for file in files {
            tree.insert(path(file), Node::File(Blob::from_bytes(""))).unwrap();
        }
        tree
    }

    fn slugs(findings: &Findings) -> Vec<(&str, Option<&str>)> {
        findings
            .iter()
            .map(|finding| (finding.code.slug, finding.place.file.as_ref().map(PackagePath::as_str)))
            .collect()
    }

    #[test]
    fn packages_are_found_at_every_depth_but_not_in_what_belongs_to_a_program() {
        let tree = tree(&[
            "SKILL.md",
            "a/b/c/SKILL.md",
            "d/skill.contract.json",
            "e/manifest.json",
            ".claude/skills/f/SKILL.md",
            ".git/g/SKILL.md",
            "web/node_modules/h/SKILL.md",
            "notes/readme.md",
        ]);
        let found: Vec<_> = discover(&tree)
            .into_iter()
            .map(|(at, marker)| (at.map_or(String::new(), |at| at.to_string()), marker))
            .collect();
        let certain = |at: &str| (at.to_owned(), Marker::Certain);
        let possible = |at: &str| (at.to_owned(), Marker::Possible);
        assert_eq!(
            found,
            [certain(""), certain(".claude/skills/f"), certain("a/b/c"), certain("d"), possible("e")]
        );
    }

    #[test]
    fn an_archive_is_noticed_by_its_first_bytes_under_any_name() {
        let mut tree = Tree::default();
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let files: [(&str, &[u8]); 5] = [
            ("a.md", b"PK\x03\x04"),
            ("b", b"\x1f\x8b\x08"),
            ("c.txt", &tar),
            ("d", b"PK"),
            ("e.md", b"# Text\n"),
        ];
        for (name, bytes) in files {
            tree.insert(path(name), Node::File(Blob::from_bytes(bytes))).unwrap();
        }
        let mut out = Findings::default();
        check_tree(&tree, &BTreeSet::new(), &mut out);
        let nested = "package/nested-archive";
        assert_eq!(slugs(&out), [(nested, Some("a.md")), (nested, Some("b")), (nested, Some("c.txt"))]);
    }

    #[test]
    fn an_entry_is_reported_once_by_the_innermost_package() {
        let mut tree = tree(&["SKILL.md", "in/SKILL.md", "in/b.zip", "c.tar.gz"]);
        let link = || Node::Link { target: "x".to_owned() };
        for at in ["a", "in/b"] {
            tree.insert(path(at), link()).unwrap();
        }
        tree.insert(path("in/pipe"), Node::Special(SpecialKind::Pipe)).unwrap();
        tree.insert_unnameable(Unnameable::new(Some(path("in")), b"\xff"));
        let inner = BTreeSet::from([path("in")]);
        let (mut outer, mut own) = (Findings::default(), Findings::default());
        check_tree(&tree, &inner, &mut outer);
        check_tree(&tree.subtree(&path("in")), &BTreeSet::new(), &mut own);
        assert_eq!(
            slugs(&outer),
            [("package/link", Some("a")), ("package/nested-archive", Some("c.tar.gz"))]
        );
        assert_eq!(
            slugs(&own),
            [
                ("package/link", Some("b")),
                ("package/nested-archive", Some("b.zip")),
                ("package/special-file", Some("pipe")),
                ("package/name-not-utf8", None),
            ]
        );
    }

    #[test]
    fn a_hundred_thousand_links_are_a_hundred_findings_and_a_number() {
        let mut tree = Tree::default();
        for number in 0..1_000 {
            tree.insert(path(&format!("l{number}")), Node::Link { target: "x".to_owned() }).unwrap();
        }
        let mut findings = Findings::default();
        check_tree(&tree, &BTreeSet::new(), &mut findings);
        assert_eq!(findings.len(), MOST_OF_A_KIND + 1);
        let last = findings.iter().last().unwrap();
        assert_eq!(last.message, "the same is so of 900 more entries");
    }

    #[test]
    fn links_to_a_large_package_are_opened_while_that_can_be_afforded_and_the_rest_is_named() {
        let mut tree = tree(&["p/SKILL.md"]);
        for number in 0..999 {
            tree.insert(path(&format!("p/{number}")), Node::File(Blob::from_bytes(""))).unwrap();
        }
        for number in 0..1_010 {
            tree.insert(path(&format!("l{number:04}")), Node::Link { target: "p".to_owned() }).unwrap();
        }
        let found: BTreeSet<_> = discover(&tree).into_keys().flatten().collect();
        let mut findings = Findings::default();
        check_between(&tree, &found, &mut findings);
        assert_eq!(found.len() + findings.len(), 1 + 1_010);
        assert_eq!(found.len(), 1 + Work::MOST / 1_001);
        assert_eq!(slugs(&findings)[0], ("package/link-not-followed", Some("l0999")));
    }

    #[test]
    fn between_packages_only_what_may_hide_one_is_reported() {
        let mut tree = tree(&["p/SKILL.md", "p/x.skill", "x.skill", "x.zip", "readme.md"]);
        for (at, target) in [
            ("CLAUDE.md", "AGENTS.md"),
            ("s/in", "../p"),
            ("s/out", "../../p"),
            ("absolute", "/etc"),
            ("module", "node_modules/x"),
            ("p/link", "/etc"),
        ] {
            tree.insert(path(at), Node::Link { target: target.to_owned() }).unwrap();
        }
        tree.insert(path("pipe"), Node::Special(SpecialKind::Pipe)).unwrap();
        tree.insert(path("closed"), Node::Unreadable { because: "no".to_owned() }).unwrap();
        let mut findings = Findings::default();
        check_between(&tree, &BTreeSet::from([path("p"), path("s/in")]), &mut findings);
        assert_eq!(
            slugs(&findings),
            [
                ("package/link-not-followed", Some("absolute")),
                ("package/unreadable", Some("closed")),
                ("package/link-not-followed", Some("module")),
                ("package/link-not-followed", Some("s/out")),
                ("package/archive-not-opened", Some("x.skill")),
            ]
        );
    }
}
