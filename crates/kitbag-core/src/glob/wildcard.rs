//! What every SkillPact pattern is made of: tokens inside a segment or label, and the one matching rule.
//!
//! The rule is used on two levels. Inside a segment, `*` is the part of any length and the units are characters; between
//! segments, `**` is the part of any length and the units are segments. Because the part of any length takes whatever
//! comes, only its latest occurrence ever has to be tried again, so the cost is at most pattern × subject and never
//! exponential.

use super::steps::{Exhausted, Steps};

/// One character of a segment or label, or a wildcard that stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Token {
    /// A character that stands for itself.
    Char(char),
    /// `?`: one character.
    One,
    /// `*`, or several in a row: any run of characters.
    Run,
}

impl Token {
    /// Whether this token of a pattern takes `subject` as its one unit. A wildcard of the subject is a literal that only
    /// an equal or wider wildcard can match (SkillPact §6.1).
    fn takes(self, subject: Self) -> bool {
        match self {
            Self::Run => false,
            Self::One => subject != Self::Run,
            Self::Char(_) => subject == self,
        }
    }
}

/// The tokens of a pattern's segment or label: `*` and `?` are wildcards, everything else stands for itself.
pub(super) fn pattern_tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = text
        .chars()
        .map(|c| match c {
            '*' => Token::Run,
            '?' => Token::One,
            c => Token::Char(c),
        })
        .collect();
    tokens.dedup_by(|later, first| *later == Token::Run && *first == Token::Run);
    tokens
}

/// The tokens of a plain text, in which nothing is a wildcard: a file may be called `a*b`.
pub(super) fn text_tokens(text: &str) -> Vec<Token> {
    text.chars().map(Token::Char).collect()
}

/// Whether the tokens of one segment or label match those of another.
pub(super) fn segment_matches(
    pattern: &[Token],
    subject: &[Token],
    steps: &mut Steps,
) -> Result<bool, Exhausted> {
    sequence_matches(
        pattern,
        subject,
        |token| *token == Token::Run,
        |token, unit, _| Ok(token.takes(*unit)),
        steps,
    )
}

/// The matching rule. `any` says which units of the pattern stand for any run of the subject's units; `takes` says
/// whether another unit of the pattern matches one unit of the subject.
pub(super) fn sequence_matches<P, S>(
    pattern: &[P],
    subject: &[S],
    any: impl Fn(&P) -> bool,
    mut takes: impl FnMut(&P, &S, &mut Steps) -> Result<bool, Exhausted>,
    steps: &mut Steps,
) -> Result<bool, Exhausted> {
    let (mut p, mut s) = (0, 0);
    // Behind the latest part of any length, and the first unit of the subject that it has not taken yet.
    let mut latest: Option<(usize, usize)> = None;
    while s < subject.len() {
        steps.take()?;
        let unit = pattern.get(p);
        if unit.is_some_and(&any) {
            p += 1;
            latest = Some((p, s));
            continue;
        }
        let taken = match unit {
            Some(unit) => takes(unit, &subject[s], steps)?,
            None => false,
        };
        if taken {
            p += 1;
            s += 1;
        } else if let Some((behind, from)) = latest {
            p = behind;
            s = from + 1;
            latest = Some((behind, from + 1));
        } else {
            return Ok(false);
        }
    }
    Ok(pattern[p..].iter().all(any))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pattern: &str, subject: &str) -> bool {
        segment_matches(&pattern_tokens(pattern), &text_tokens(subject), &mut Steps::endless()).unwrap()
    }

    #[test]
    fn a_run_of_stars_is_one_star_and_characters_are_code_points() {
        assert_eq!(pattern_tokens("a***?"), [Token::Char('a'), Token::Run, Token::One]);
        assert!(text("?", "😀") && text("??", "e\u{301}") && !text("?", "e\u{301}"));
        assert!(text("*", "") && text("a*", "a") && !text("?*", ""));
        assert!(text("[ab]", "[ab]") && !text("[ab]", "a") && text("a\nb*", "a\nb\n"));
    }

    #[test]
    fn a_wildcard_of_the_subject_is_taken_only_by_one_as_wide() {
        let covered = |pattern: &str, subject: &str| {
            segment_matches(&pattern_tokens(pattern), &pattern_tokens(subject), &mut Steps::endless())
                .unwrap()
        };
        assert!(covered("*", "a*b?") && covered("?", "?") && covered("a*", "ab*") && covered("*?", "*?"));
        assert!(!covered("?", "*") && !covered("a", "?") && !covered("???", "*") && !covered("?*", "*"));
    }

    #[test]
    fn steps_run_out_instead_of_time() {
        let pattern = pattern_tokens(&format!("*{}b", "a".repeat(1000)));
        let subject = text_tokens(&"a".repeat(4000));
        assert_eq!(segment_matches(&pattern, &subject, &mut Steps::new(10_000_000)), Ok(false));
        assert_eq!(segment_matches(&pattern, &subject, &mut Steps::new(10_000)), Err(Exhausted));
    }
}
