//! [`covers`]: is one pattern inside others? Three answers, because two dialects cannot always be compared.

use std::collections::{BTreeMap, HashSet};

use super::{Dialect, PatternSet, host};

/// Whether patterns cover another pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coverage {
    /// Everything the inner pattern matches is matched.
    Yes,
    /// It cannot be said. Whoever decides treats this as [`Coverage::No`], and says so.
    Unknown,
    /// The rule of the dialect says no.
    No,
}

impl Coverage {
    /// Covered by this or by that.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.min(other)
    }

    /// Both covered.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether it is [`Coverage::Yes`].
    #[must_use]
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

/// A pattern and whose rules it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern<'p> {
    /// Whose rules it follows.
    pub dialect: Dialect,
    /// The pattern as the author wrote it.
    pub text: &'p str,
}

/// Whether the patterns `outer` cover the pattern `inner`, all of one dialect. To ask about many inner patterns, keep a
/// [`PatternSet`].
#[must_use]
pub fn covers<S: AsRef<str>>(dialect: Dialect, outer: &[S], inner: &str) -> Coverage {
    PatternSet::new(dialect, outer.iter().map(AsRef::as_ref)).covers(inner)
}

/// Whether the patterns `outer`, each of its own dialect, cover `inner`. To ask about many inner patterns, keep a
/// [`MixedSet`].
#[must_use]
pub fn covers_across(outer: &[Pattern<'_>], inner: Pattern<'_>) -> Coverage {
    MixedSet::new(outer.iter().copied()).covers(inner)
}

/// Patterns of several dialects, read once and asked often.
///
/// Patterns of another dialect cover one only when both are literal and equal after each dialect's own normalisation;
/// otherwise nothing can be said.
#[derive(Debug)]
pub struct MixedSet {
    sets: BTreeMap<Dialect, PatternSet>,
    literals: HashSet<String>,
}

impl MixedSet {
    /// Reads the patterns.
    pub fn new<'p>(patterns: impl IntoIterator<Item = Pattern<'p>>) -> Self {
        let mut texts: BTreeMap<Dialect, Vec<&str>> = BTreeMap::new();
        let mut literals = HashSet::new();
        for pattern in patterns {
            literals.extend(pattern.literal());
            texts.entry(pattern.dialect).or_default().push(pattern.text);
        }
        let sets = texts.into_iter().map(|(dialect, texts)| (dialect, PatternSet::new(dialect, texts)));
        Self { sets: sets.collect(), literals }
    }

    /// Whether the patterns cover `inner`.
    pub fn covers(&mut self, inner: Pattern<'_>) -> Coverage {
        let own = self.sets.get_mut(&inner.dialect).map_or(Coverage::No, |set| set.covers(inner.text));
        let others = self.sets.keys().any(|dialect| *dialect != inner.dialect);
        if own.is_yes() || !others {
            return own;
        }
        let equal = inner.literal().is_some_and(|literal| self.literals.contains(&literal));
        if equal { Coverage::Yes } else { Coverage::Unknown }
    }
}

impl Pattern<'_> {
    /// The one text this pattern stands for, normalised by its dialect; `None` when it has a wildcard, a variable, a token
    /// or traversal, which each dialect reads its own way.
    fn literal(&self) -> Option<String> {
        if self.text.contains(['*', '?', '$']) || self.text.starts_with('@') {
            return None;
        }
        match self.dialect {
            Dialect::SkillPactPath => (!super::path::has_traversal(self.text)).then(|| self.text.to_owned()),
            Dialect::SkillPactName => Some(self.text.to_owned()),
            Dialect::SkillPactHost | Dialect::SpliceHost => Some(host::folded(self.text)),
            Dialect::SpliceName | Dialect::Plain => Some(self.text.to_owned()),
            // It starts from the project, whatever another dialect starts from.
            Dialect::SplicePath => None,
            Dialect::AgentSkillTool => (!self.text.contains(['(', ')'])).then(|| self.text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(outer: &str, inner: &str) -> bool {
        covers(Dialect::SkillPactPath, &[outer], inner).is_yes()
    }

    #[test]
    fn a_wildcard_is_covered_only_by_one_as_wide() {
        assert!(path("a/**", "a/**") && path("a/**", "a/*/b?") && path("**", "a/**/b") && path("a/**", "a"));
        assert!(!path("a/*/*", "a/**") && !path("*/*", "**") && !path("a/*/*/b", "a/**/b"));
        let name = |outer: &str, inner: &str| covers(Dialect::SkillPactName, &[outer], inner).is_yes();
        assert!(name("py*", "python3") && name("py*", "py?*") && !name("py???", "py*") && !name("?*", "*"));
        let host = |outer: &str, inner: &str| covers(Dialect::SkillPactHost, &[outer], inner).is_yes();
        assert!(
            host("**.x", "*.x") && host("*.x", "**.a.x") && host("A.com", "a.COM.") && host("@local", "::1")
        );
        assert!(
            !host("*.x", "**.x")
                && !host("?.x", "*.x")
                && !host("a.?.com", "a.*.com")
                && !host("*", "@local")
        );
        assert!(!host("@local", "127.*.*.*") && !host("localhost", "@local"));
    }

    #[test]
    fn traversal_is_never_covered_and_a_token_of_tomorrow_is_unknown() {
        assert!(!path("**", "a/../b") && !path("a/../b", "a/../b"));
        assert!(covers(Dialect::SkillPactName, &["**"], "a/../b").is_yes(), "only paths have traversal");
        assert_eq!(covers(Dialect::SkillPactHost, &["**.*", "*"], "@mesh"), Coverage::Unknown);
        assert_eq!(covers(Dialect::SkillPactHost, &["@mesh"], "@mesh"), Coverage::Yes);
    }

    #[test]
    fn other_dialects_cover_only_equal_literals() {
        let pattern = |dialect, text| Pattern { dialect, text };
        let (name, tool) = (Dialect::SkillPactName, Dialect::AgentSkillTool);
        assert_eq!(covers_across(&[pattern(name, "git")], pattern(tool, "git")), Coverage::Yes);
        assert_eq!(covers_across(&[pattern(name, "*")], pattern(tool, "git")), Coverage::Unknown);
        assert_eq!(covers_across(&[pattern(name, "git")], pattern(tool, "hg")), Coverage::Unknown);
        assert_eq!(covers_across(&[pattern(tool, "hg")], pattern(tool, "git")), Coverage::No);
        assert_eq!(
            covers_across(&[pattern(name, "x"), pattern(tool, "git")], pattern(tool, "git")),
            Coverage::Yes
        );
        assert_eq!(covers_across(&[], pattern(tool, "git")), Coverage::No);
    }

    #[test]
    fn an_empty_list_is_not_covered_and_one_stranger_spoils_a_list() {
        let mut set = PatternSet::new(Dialect::SkillPactPath, ["a/**"]);
        assert_eq!(set.covers_all([]), Coverage::No);
        assert_eq!(set.covers_all(["a/b", "a"]), Coverage::Yes);
        assert_eq!(set.covers_all(["a/b", "b"]), Coverage::No);
    }

    #[test]
    fn a_hostile_list_gets_the_answer_unknown_and_equal_patterns_still_yes() {
        let outer: Vec<String> = (0..4_000).map(|n| format!("*a*a*a*a*b{n}")).collect();
        let mut set = PatternSet::new(Dialect::SkillPactName, outer.iter().map(String::as_str));
        let inner: Vec<String> = (0..12).map(|n| format!("{}{n}", "a".repeat(500))).collect();
        let answers: Vec<Coverage> = inner.iter().map(|inner| set.covers(inner)).collect();
        assert_eq!(answers.first(), Some(&Coverage::No));
        assert_eq!(answers.last(), Some(&Coverage::Unknown));
        assert_eq!(set.covers(&outer[7]), Coverage::Yes);
    }
}
