//! Splice's permission items (Splice 1, "Permissions"): project paths, hosts, names of variables and capabilities.
//!
//! Whether one item *covers* another is not asked here: Splice's own consent is exact equality of texts, so `.` does not
//! cover `data` and `*` does not cover `a.example`. What an item *matches* when a tool runs is another question, and this
//! is its answer.

use std::collections::HashSet;

use super::{Dialect, host};

/// Whether one of the items `texts` matches `subject`: a path in the project, a host, or a name.
pub(super) fn matches(dialect: Dialect, texts: &HashSet<String>, subject: &str) -> bool {
    match dialect {
        Dialect::SplicePath => matches_path(texts, subject),
        Dialect::SpliceHost => matches_host(texts, &host::folded(subject)),
        _ => texts.contains(subject),
    }
}

/// A path is a file or a folder with everything below it; `.` is the whole project. A path that climbs is in none.
fn matches_path(texts: &HashSet<String>, subject: &str) -> bool {
    if super::path::has_traversal(subject) || subject.starts_with('/') {
        return false;
    }
    let is_below = |at| texts.contains(&subject[..at]);
    texts.contains(".") || texts.contains(subject) || subject.match_indices('/').any(|(at, _)| is_below(at))
}

/// `*.x` is every host strictly below `x`. `*` is any public host: an address or name of this machine or a private
/// network has to be named. What a public name resolves to is for whoever connects to look at.
fn matches_host(texts: &HashSet<String>, subject: &str) -> bool {
    if texts.contains(subject) {
        return true;
    }
    if texts.contains("*") && !host::is_local(subject) {
        return true;
    }
    let below = |at: usize| texts.contains(&format!("*{}", &subject[at..]));
    subject.match_indices('.').any(|(at, _)| at > 0 && below(at))
}

#[cfg(test)]
mod tests {
    use crate::glob::{Coverage, Dialect, Pattern, PatternSet, covers, covers_across};

    fn matches(dialect: Dialect, texts: &[&str], subject: &str) -> bool {
        PatternSet::new(dialect, texts.iter().copied()).matches(subject).is_yes()
    }

    #[test]
    fn a_path_is_its_subtree_and_a_point_is_the_project() {
        let path = |texts: &[&str], subject: &str| matches(Dialect::SplicePath, texts, subject);
        assert!(path(&["data"], "data") && path(&["data"], "data/a/b") && path(&["."], "x/y"));
        assert!(path(&["*"], "*"), "there are no wildcards in paths");
        assert!(!path(&["data"], "database") && !path(&["data/a"], "data") && !path(&["*"], "x"));
        assert!(!path(&["data"], "data/../etc") && !path(&["."], "../x") && !path(&["."], "/etc"));
    }

    #[test]
    fn a_star_is_public_hosts_only_and_a_wildcard_is_strictly_below() {
        let host = |texts: &[&str], subject: &str| matches(Dialect::SpliceHost, texts, subject);
        assert!(host(&["*.example.com"], "a.example.com") && host(&["*.example.com"], "A.B.example.com."));
        assert!(!host(&["*.example.com"], "example.com") && !host(&["*.example.com"], "evil-example.com"));
        assert!(host(&["*"], "example.com") && host(&["*"], "8.8.8.8"));
        for local in ["localhost", "127.0.0.1", "10.0.0.1", "169.254.1.1", "[::1]"] {
            assert!(!host(&["*"], local), "{local}");
        }
        assert!(host(&["127.0.0.1"], "127.0.0.1") && host(&["localhost"], "LOCALHOST"));
    }

    #[test]
    fn consent_is_equality_and_another_dialect_agrees_on_literal_hosts_only() {
        for (dialect, outer, inner) in [
            (Dialect::SplicePath, ".", "data"),
            (Dialect::SplicePath, "data", "data/a"),
            (Dialect::SpliceHost, "*", "a.com"),
            (Dialect::SpliceHost, "*.x.com", "a.x.com"),
            (Dialect::SpliceName, "A", "B"),
        ] {
            assert_eq!(covers(dialect, &[outer], inner), Coverage::No, "{outer} {inner}");
            assert_eq!(covers(dialect, &[outer], outer), Coverage::Yes, "{outer}");
        }
        let across = |outer, inner, text| {
            covers_across(&[Pattern { dialect: outer, text }], Pattern { dialect: inner, text })
        };
        assert_eq!(across(Dialect::SkillPactHost, Dialect::SpliceHost, "a.com"), Coverage::Yes);
        assert_eq!(across(Dialect::SkillPactHost, Dialect::SpliceHost, "*.a.com"), Coverage::Unknown);
        assert_eq!(across(Dialect::SkillPactHost, Dialect::SpliceHost, "*"), Coverage::Unknown);
        // The same text is under the project to one format and wherever a program runs to the other.
        assert_eq!(across(Dialect::SkillPactPath, Dialect::SplicePath, "data"), Coverage::Unknown);
    }
}
