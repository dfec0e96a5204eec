//! Which files a contract's list must hold (§11.2): what is protected, what may be excluded, and the order of the walk.

use std::collections::{BTreeMap, HashSet};

use crate::glob::{Dialect, PatternSet};
use crate::path::{PackagePath, PathRules, Rule};
use crate::tree::{Node, Tree};

use super::FILE;
use super::document::Document;

/// What a listed path may be (§11.2).
pub const LISTED_PATHS: PathRules = PathRules {
    max_bytes: 1024,
    max_segments: 32,
    backslash: Rule::Refuse,
    control: Rule::Refuse,
    drive: Rule::Refuse,
    unportable: Rule::Allow,
};

/// Files that need no digest unless they are protected.
const DEFAULT_EXCLUDES: [&str; 2] = [".git/**", "**/.DS_Store"];

/// Files that must always be listed: what a harness reads, loads or runs without being asked.
const PROTECTED: [&str; 15] = [
    "SKILL.md",
    "**/SKILL.md",
    "**/CLAUDE.md",
    "**/AGENTS.md",
    "**/GEMINI.md",
    "**/.mcp.json",
    ".claude-plugin/**",
    ".claude/**",
    ".cursor/**",
    ".codex/**",
    ".gemini/**",
    ".agents/**",
    "hooks/**",
    "package.json",
    "pyproject.toml",
];

/// Endings of code and bytecode, which must always be listed. They are matched as they are written here.
const CODE: [&str; 31] = [
    "py", "pyc", "pyo", "pyd", "sh", "bash", "zsh", "fish", "js", "mjs", "cjs", "ts", "mts", "cts", "rb",
    "pl", "pm", "php", "lua", "ps1", "psm1", "bat", "cmd", "exe", "so", "dylib", "dll", "jar", "class",
    "wasm", "pth",
];

/// Gaps after which a walk may stop: a list of a thousand missing digests helps nobody.
const ENOUGH: usize = 200;

/// What the walk found that the list does not cover.
#[derive(Debug)]
pub(super) enum Gap<'t> {
    /// A symbolic link, wherever it is.
    Link {
        /// Where it is.
        path: &'t PackagePath,
        /// Its text.
        target: &'t str,
    },
    /// Something that is not listed and not excluded.
    Unlisted {
        /// Where it is.
        path: &'t PackagePath,
        /// What it is.
        node: &'t Node,
    },
    /// The same, with a name that no list can hold.
    Unnameable {
        /// The folder it is in.
        folder: Option<&'t PackagePath>,
        /// Its name, for people.
        name: &'t str,
    },
}

/// Which files must be listed, for one contract.
#[derive(Debug)]
pub(super) struct Coverage<'d> {
    listed: HashSet<&'d str>,
    named: HashSet<String>,
    protected: PatternSet,
    excluded: PatternSet,
}

impl<'d> Coverage<'d> {
    /// The rules of `document`.
    pub(super) fn of(document: &'d Document) -> Self {
        let integrity = document.integrity.as_ref();
        let listed = integrity.map(|integrity| integrity.files.iter().map(|entry| &*entry.name).collect());
        let excludes =
            integrity.into_iter().flat_map(|integrity| integrity.exclude.iter().map(|placed| &*placed.value));
        Self {
            listed: listed.unwrap_or_default(),
            named: required(document),
            protected: PatternSet::new(Dialect::SkillPactPath, PROTECTED),
            excluded: PatternSet::new(Dialect::SkillPactPath, DEFAULT_EXCLUDES.into_iter().chain(excludes)),
        }
    }

    fn is_protected(&mut self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_code = name.rsplit_once('.').is_some_and(|(_, ending)| CODE.contains(&ending));
        is_code || self.named.contains(path) || self.protected.matches(path).is_yes()
    }

    /// Whether a file must be listed and is not. What cannot be decided must be listed.
    fn is_gap(&mut self, path: &str) -> bool {
        !self.listed.contains(path) && (!self.excluded.matches(path).is_yes() || self.is_protected(path))
    }

    /// Everything the list does not cover, folder by folder from the root down. The walk ends after the folder in which
    /// enough was found.
    pub(super) fn gaps<'t>(&mut self, tree: &'t Tree, look: Look) -> Vec<Gap<'t>> {
        let mut gaps = Vec::new();
        for folder in folders(tree) {
            for entry in folder {
                match entry {
                    Entry::Node(path, Node::Link { target }) => gaps.push(Gap::Link { path, target }),
                    Entry::Node(path, node) if look == Look::Everything && path.as_str() != FILE => {
                        if self.is_gap(path.as_str()) {
                            gaps.push(Gap::Unlisted { path, node });
                        }
                    }
                    Entry::Unnameable(folder, name) if look == Look::Everything => {
                        let path =
                            folder.map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"));
                        if self.is_gap(&path) {
                            gaps.push(Gap::Unnameable { folder, name });
                        }
                    }
                    Entry::Node(..) | Entry::Unnameable(..) => {}
                }
            }
            if gaps.len() >= ENOUGH {
                break;
            }
        }
        gaps
    }
}

/// What a walk looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Links and files that are not covered.
    Everything,
    /// Links alone, where no list was written.
    Links,
}

/// One entry of a folder that is not a folder.
enum Entry<'t> {
    Node(&'t PackagePath, &'t Node),
    Unnameable(Option<&'t PackagePath>, &'t str),
}

/// The entries of every folder: a folder before the folders in it, everything in byte order.
fn folders(tree: &Tree) -> impl Iterator<Item = Vec<Entry<'_>>> {
    let mut folders: BTreeMap<Vec<&str>, Vec<Entry<'_>>> = BTreeMap::new();
    for (path, node) in tree.iter().filter(|(_, node)| !matches!(node, Node::Folder)) {
        let mut folder: Vec<&str> = path.segments().collect();
        folder.pop();
        folders.entry(folder).or_default().push(Entry::Node(path, node));
    }
    for entry in tree.unnameable() {
        let folder = entry.folder.as_ref();
        let segments = folder.map(|folder| folder.segments().collect()).unwrap_or_default();
        folders.entry(segments).or_default().push(Entry::Unnameable(folder, &entry.name));
    }
    folders.into_values()
}

/// Every file that an entry, a test or the setup names.
fn required(document: &Document) -> HashSet<String> {
    let entries = document.capabilities.iter().filter_map(|capability| capability.value.cli.as_ref());
    let runs = document.tests.cases.iter().map(|case| &case.value.run);
    entries
        .chain(runs)
        .chain(&document.tests.setup)
        .flatten()
        .flat_map(|token| named_files(&token.value))
        .map(str::to_owned)
        .collect()
}

/// The files of the skill that one word of a command names: what follows `$SKILL_DIR/` up to a blank or a quote.
pub fn named_files(token: &str) -> impl Iterator<Item = &str> {
    const PREFIX: &str = "$SKILL_DIR/";
    let mut rest = token;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find(PREFIX)? + PREFIX.len()..];
            let ends = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\'' | '"');
            let end = rest.find(ends).unwrap_or(rest.len());
            let (named, after) = rest.split_at(end);
            rest = after;
            if !named.is_empty() {
                return Some(named);
            }
        }
    })
}
