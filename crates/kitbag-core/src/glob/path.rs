//! Path and generic patterns (SkillPact §6.1): `*` and `?` stop at `/`, a whole segment `**` stands for zero or more
//! segments, so `a/**` matches `a` as well. Everything else stands for itself, by code point and case.

use super::steps::{Exhausted, Steps};
use super::wildcard::{self, Token};

/// Whether `pattern` matches `subject`, a plain text in which nothing is a wildcard.
///
/// The cost is at most the pattern's length plus the square of the subject's.
#[must_use]
pub fn matches(pattern: &str, subject: &str) -> bool {
    if too_short(pattern, subject) {
        return false;
    }
    let (pattern, subject) = (Segments::of_pattern(pattern), Segments::of_text(subject));
    pattern.matches(&subject, &mut Steps::endless()).unwrap_or(false)
}

/// Why a path scope points outside of what it seems to name (SkillPact §6.1, `SCOPE_TRAVERSAL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// A backslash, which is a separator on some systems.
    Backslash,
    /// A segment is empty: two slashes in a row, a slash at the end, or nothing at all.
    EmptySegment,
    /// A segment is `.` or `..`.
    DotSegment,
}

/// What makes the path scope `scope` a traversal; `None` when nothing does. One leading `/` is allowed.
#[must_use]
pub fn traversal(scope: &str) -> Option<Traversal> {
    if scope.contains('\\') {
        return Some(Traversal::Backslash);
    }
    scope.strip_prefix('/').unwrap_or(scope).split('/').find_map(|segment| match segment {
        "" => Some(Traversal::EmptySegment),
        "." | ".." => Some(Traversal::DotSegment),
        _ => None,
    })
}

/// Whether the path scope `scope` contains an empty, `.` or `..` segment or a backslash.
#[must_use]
pub fn has_traversal(scope: &str) -> bool {
    traversal(scope).is_some()
}

/// A pattern or a text, split at `/`.
#[derive(Debug)]
pub(super) struct Segments {
    tokens: Vec<Token>,
    segments: Vec<Segment>,
    /// Fewest segments of the other side that this needs as a pattern.
    fewest: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment {
    /// A whole segment `**`.
    Any,
    /// Tokens from and up to.
    Of(usize, usize),
}

impl Segments {
    pub(super) fn of_pattern(text: &str) -> Self {
        Self::split(text, |segment| (segment != "**").then(|| wildcard::pattern_tokens(segment)))
    }

    pub(super) fn of_text(text: &str) -> Self {
        Self::split(text, |segment| Some(wildcard::text_tokens(segment)))
    }

    /// Splits at `/`; `read` gives the tokens of a segment, or nothing for one that stands for any number of segments.
    fn split(text: &str, read: impl Fn(&str) -> Option<Vec<Token>>) -> Self {
        let mut split = Self { tokens: Vec::new(), segments: Vec::new(), fewest: 0 };
        for segment in text.split('/') {
            let Some(tokens) = read(segment) else {
                split.segments.push(Segment::Any);
                continue;
            };
            let start = split.tokens.len();
            split.tokens.extend(tokens);
            split.segments.push(Segment::Of(start, split.tokens.len()));
            split.fewest += 1;
        }
        split
    }

    /// Whether this pattern matches `subject`; a `**` of the subject is taken only by a `**`.
    pub(super) fn matches(&self, subject: &Self, steps: &mut Steps) -> Result<bool, Exhausted> {
        if self.fewest > subject.segments.len() {
            return Ok(false);
        }
        wildcard::sequence_matches(
            &self.segments,
            &subject.segments,
            |segment| *segment == Segment::Any,
            |segment, unit, steps| match (*segment, *unit) {
                (Segment::Of(from, to), Segment::Of(start, end)) => {
                    wildcard::segment_matches(&self.tokens[from..to], &subject.tokens[start..end], steps)
                }
                _ => Ok(false),
            },
            steps,
        )
    }
}

/// Whether `pattern` needs more characters than `subject` has, found without keeping anything.
fn too_short(pattern: &str, subject: &str) -> bool {
    let mut fewest = 0;
    let mut fixed = 0usize;
    for segment in pattern.split('/').filter(|segment| *segment != "**") {
        fewest += segment.chars().filter(|&c| c != '*').count();
        fixed += 1;
    }
    fewest + fixed.saturating_sub(1) > subject.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stars_stand_for_zero_or_more_segments() {
        for subject in ["a", "a/", "a/b", "a/b/c", "a//b"] {
            assert!(matches("a/**", subject), "{subject}");
        }
        for subject in ["", "ab", "b/a", "A"] {
            assert!(!matches("a/**", subject), "{subject}");
        }
        assert!(matches("a/**/b", "a/b") && matches("a/**/b", "a/x/y/b") && !matches("a/**/b", "ab"));
        assert!(matches("**/b", "b") && matches("**/b", "/b") && matches("**/**", "a") && matches("**", ""));
        assert!(matches("a**", "abc") && !matches("a**", "a/c") && !matches("***", "a/b"));
    }

    #[test]
    fn one_star_and_the_question_mark_stop_at_a_slash() {
        assert!(
            matches("a/*", "a/b") && matches("a/*", "a/") && !matches("a/*", "a") && !matches("*", "a/b")
        );
        assert!(!matches("a?b", "a/b") && matches("a?b", "a*b"));
    }

    #[test]
    fn traversal_is_named() {
        assert_eq!(traversal("a\\..\\b"), Some(Traversal::Backslash));
        assert_eq!(traversal("/"), Some(Traversal::EmptySegment));
        assert_eq!(traversal("a/../b"), Some(Traversal::DotSegment));
        assert_eq!(traversal("/a/.../b"), None);
    }

    #[test]
    fn ten_thousand_hostile_characters_end() {
        let subject = "a".repeat(10_000);
        assert!(!matches(&format!("{}b", "*a".repeat(5_000)), &subject));
        assert!(matches(&"*a".repeat(5_000), &subject));
        assert!(!matches(&format!("*{}b", "?a".repeat(2_500)), &subject));
        let deep = "a/".repeat(5_000);
        assert!(!matches(&format!("{}b", "**/a/".repeat(2_000)), &deep));
        assert!(matches(&"**/".repeat(3_334), &deep));
        assert!(!matches(&"a".repeat(5_000_000), &subject));
    }
}
