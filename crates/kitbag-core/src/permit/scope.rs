//! How far an effect reaches.

use std::collections::HashSet;
use std::sync::Arc;

use crate::glob::{self, Coverage, Dialect, MixedSet};

/// How far an effect reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nowhere: the author said "none".
    Nothing,
    /// Only here. The list is shared, because the statements about many capabilities repeat the package's.
    Patterns(Arc<[Pattern]>),
    /// Anywhere.
    Anything,
}

/// One pattern, in its own dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The symbolic folder it starts from, when it names one.
    pub root: Option<Root>,
    /// The text as the author wrote it, with its variable.
    pub text: String,
    /// Whose rules it follows.
    pub dialect: Dialect,
}

/// A symbolic folder or file, known only when a sandbox is planned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The package's own folder.
    Package,
    /// The user's project.
    Project,
    /// A scratch folder of one run.
    Work,
    /// The input file.
    Input,
    /// The folder of the input file.
    InputDir,
    /// The output file or folder.
    Output,
    /// The folder for temporary files.
    Temp,
}

impl Pattern {
    /// The pattern as the matchers take it.
    #[must_use]
    pub fn glob(&self) -> glob::Pattern<'_> {
        glob::Pattern { dialect: self.dialect, text: &self.text }
    }
}

impl Scope {
    /// The patterns; none for "nothing" and for "anything".
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        match self {
            Self::Patterns(patterns) => patterns,
            Self::Nothing | Self::Anything => &[],
        }
    }

    /// Whether it reaches nowhere.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Patterns(patterns) => patterns.is_empty(),
            Self::Anything => false,
        }
    }

    /// Whether it is word for word the other one; a shared list is not read.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Patterns(one), Self::Patterns(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => self == other,
        }
    }

    /// All of `scopes` together, each pattern once. A list that several of them share is not read again.
    #[must_use]
    pub fn union<'s>(scopes: impl IntoIterator<Item = &'s Self>) -> Self {
        let mut lists: Vec<&Arc<[Pattern]>> = Vec::new();
        let mut seen = HashSet::new();
        for scope in scopes {
            match scope {
                Self::Anything => return Self::Anything,
                Self::Patterns(list) if seen.insert(Arc::as_ptr(list)) => lists.push(list),
                Self::Patterns(_) | Self::Nothing => {}
            }
        }
        match &*lists {
            [] => Self::Nothing,
            [list] => Self::Patterns(Arc::clone(list)),
            lists => {
                let mut taken = HashSet::new();
                let all = lists.iter().flat_map(|list| list.iter());
                Self::Patterns(all.filter(|pattern| taken.insert(pattern.glob())).cloned().collect())
            }
        }
    }
}

/// A scope, read once and asked what it covers.
#[derive(Debug)]
pub(super) enum Covering {
    Nothing,
    Patterns(MixedSet),
    Anything,
}

impl Covering {
    pub(super) fn new(scope: &Scope) -> Self {
        match scope {
            Scope::Nothing => Self::Nothing,
            Scope::Patterns(patterns) => Self::Patterns(MixedSet::new(patterns.iter().map(Pattern::glob))),
            Scope::Anything => Self::Anything,
        }
    }

    /// Whether everything the pattern reaches is reached.
    pub(super) fn covers(&mut self, pattern: &Pattern) -> Coverage {
        match self {
            Self::Nothing => Coverage::No,
            Self::Patterns(set) => set.covers(pattern.glob()),
            Self::Anything => Coverage::Yes,
        }
    }

    /// Whether "anything" is reached: no list of patterns is known to be everything.
    pub(super) const fn covers_anything(&self) -> Coverage {
        match self {
            Self::Nothing | Self::Patterns(_) => Coverage::No,
            Self::Anything => Coverage::Yes,
        }
    }
}
