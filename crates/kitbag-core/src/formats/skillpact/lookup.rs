//! What a path leads to inside a package, without a disk: links are followed by their text, and never out of the tree.

use crate::path::{PackagePath, child_of};
use crate::tree::{Blob, Node, Tree};

/// Most links on the way to one file; a loop is longer than any limit.
const MAX_LINKS: usize = 40;

/// Most segments of one way; texts of links can make it longer than the path that was asked for.
const MAX_SEGMENTS: usize = 4_096;

/// What a path leads to.
#[derive(Debug)]
pub(super) enum Found<'t> {
    /// A regular file.
    File(&'t Blob),
    /// A folder; the package itself has no entry of its own.
    Folder,
    /// Something there that is neither: a pipe, or something that cannot be read.
    Other(&'t Node),
    /// Nothing.
    Nothing,
    /// Out of the package.
    Outside,
}

/// What `path`, read from the root of `tree`, leads to. Empty and `.` segments stand for the folder they are in.
pub(super) fn find<'t>(tree: &'t Tree, path: &str) -> Found<'t> {
    let mut todo: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut at: Option<PackagePath> = None;
    let mut found = Found::Folder;
    let mut links = 0;
    while let Some(segment) = todo.pop() {
        if segment.is_empty() || segment == "." {
            continue;
        }
        if !matches!(found, Found::Folder) {
            return Found::Nothing;
        }
        if segment == ".." {
            match at {
                None => return Found::Outside,
                Some(folder) => at = folder.parent(),
            }
            continue;
        }
        let Ok(next) = child_of(at.as_ref(), &segment) else { return Found::Nothing };
        match tree.get(next.as_str()) {
            None => return Found::Nothing,
            Some(Node::Folder) => at = Some(next),
            Some(Node::File(blob)) => found = Found::File(blob),
            Some(Node::Link { target }) => {
                links += 1;
                if links > MAX_LINKS || todo.len() > MAX_SEGMENTS {
                    return Found::Nothing;
                }
                if target.starts_with('/') {
                    return Found::Outside;
                }
                todo.extend(target.split('/').rev().map(str::to_owned));
            }
            Some(node @ (Node::Special(_) | Node::Unreadable { .. })) => found = Found::Other(node),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let mut tree = Tree::default();
        let mut add = |path: &str, node| tree.insert(PackagePath::new(path).unwrap(), node).unwrap();
        let link = |target: &str| Node::Link { target: target.to_owned() };
        add("a/f", Node::File(Blob::from_bytes("x")));
        add("inside", link("a/../a/f"));
        add("a/up", link("../a"));
        add("outside", link("../other"));
        add("absolute", link("/etc/passwd"));
        add("loop", link("loop"));
        add("broken", link("nowhere"));
        tree
    }

    #[test]
    fn links_are_followed_inside_the_package_and_nowhere_else() {
        let tree = tree();
        for path in ["a/f", "./a//f", "inside", "a/up/up/f", "a/../a/f", "a/f/"] {
            assert!(matches!(find(&tree, path), Found::File(_)), "{path}");
        }
        for path in ["", "a", "a/", "a/up"] {
            assert!(matches!(find(&tree, path), Found::Folder), "{path}");
        }
        for path in ["loop", "broken", "b", "a/f/g", "a/f/..", "inside/x"] {
            assert!(matches!(find(&tree, path), Found::Nothing), "{path}");
        }
        for path in ["..", "../a", "a/../../x", "outside", "absolute"] {
            assert!(matches!(find(&tree, path), Found::Outside), "{path}");
        }
    }
}
