//! The walk: folder by folder, names in byte order, under a budget. The system's calls are in `unix.rs` and
//! `portable.rs`; what becomes of an entry is decided here.

use std::fmt;

use kitbag_core::finding::{Finding, Findings, Place};
use kitbag_core::formats::{self, Marker, codes};
use kitbag_core::limits::{Budget, Exceeded};
use kitbag_core::path::{PackagePath, child_of};
use kitbag_core::tree::{Node, Tree, Unnameable};

/// A walk under way: what was seen, and what may still be.
pub(super) struct Walk {
    tree: Tree,
    budget: Budget,
    findings: Findings,
    state: State,
}

/// Whether the walk goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It does.
    Going,
    /// The budget is spent.
    Stopped,
}

/// Whether a folder is in a package, which decides whether `.git` and `node_modules` matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// It is a package, or below one: every entry belongs to it.
    Package,
    /// It lies between packages.
    Between,
}

impl Ground {
    /// The ground of a folder with these names in it.
    pub fn with<'a>(self, names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let certain = |name: &[u8]| {
            std::str::from_utf8(name).is_ok_and(|name| formats::marker(name) == Some(Marker::Certain))
        };
        if self == Self::Package || names.into_iter().any(certain) { Self::Package } else { Self::Between }
    }
}

/// What to do with a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Enter {
    /// Look inside.
    Yes,
    /// It is listed, and that is all.
    No,
}

impl Walk {
    pub fn new(tree: Tree, budget: Budget) -> Self {
        Self { tree, budget, findings: Findings::default(), state: State::Going }
    }

    pub fn finish(self) -> (Tree, Findings) {
        (self.tree, self.findings)
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// Most names worth listing in one folder: one more than may still be seen.
    pub fn most_names(&self) -> usize {
        let left = self.budget.limits().entries.saturating_sub(self.budget.entries_spent());
        usize::try_from(left).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// The path of the entry called `name`; `None` when none can hold it, or the budget is spent.
    pub fn name(&mut self, folder: Option<&PackagePath>, name: &[u8]) -> Option<PackagePath> {
        if let Err(exceeded) = self.budget.spend_entry() {
            self.stop(folder, exceeded);
            return None;
        }
        let path = std::str::from_utf8(name).ok().and_then(|name| child_of(folder, name).ok());
        if path.is_none() {
            self.tree.insert_unnameable(Unnameable::new(folder.cloned(), name));
        }
        path
    }

    /// Adds an entry.
    pub fn add(&mut self, path: PackagePath, node: Node) {
        // One folder cannot list a name twice, so this fails only where a file system lies; the first stays.
        let _ = self.tree.insert(path, node);
    }

    /// Adds an entry that cannot be read.
    pub fn add_unreadable(&mut self, path: PackagePath, because: &dyn fmt::Display) {
        self.add(path, Node::Unreadable { because: because.to_string() });
    }

    /// Whether to look inside a folder.
    pub fn folder(&mut self, path: &PackagePath, ground: Ground) -> Enter {
        if ground == Ground::Between && formats::is_machinery(path.name()) {
            return Enter::No;
        }
        // The entries of this folder are one level deeper than it is.
        let level = path.segments().count() + 1;
        if let Err(exceeded) = self.budget.check_depth(level) {
            let message = format!("{exceeded}; what is in `{path}` was not looked at");
            self.findings.push(Finding::new(&codes::TOO_MUCH, Place::file(path.clone()), message));
            return Enter::No;
        }
        Enter::Yes
    }

    fn stop(&mut self, folder: Option<&PackagePath>, exceeded: Exceeded) {
        if self.state == State::Stopped {
            return;
        }
        self.state = State::Stopped;
        let place = folder.cloned().map_or_else(Place::package, Place::file);
        let message = format!("{exceeded}; the rest was not looked at");
        self.findings.push(Finding::new(&codes::TOO_MUCH, place, message));
    }
}
