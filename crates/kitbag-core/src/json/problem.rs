//! [`Problem`]: something about a document that is not as its format wants it, in words that name no format.

use std::fmt;

use super::decode::MAX_PROBLEMS;
use super::value::{Pointer, Span};

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// To an item of an array.
    Index(usize),
    /// To a member of an object.
    Name(String),
}

/// Something that is not as the format wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What.
    pub kind: ProblemKind,
    /// The value it is about, from the root of the document.
    pub path: Vec<Step>,
    /// The bytes to look at.
    pub span: Span,
    /// Further bytes to look at, each with a few words.
    pub related: Vec<(Span, String)>,
}

impl Problem {
    /// The pointer to the value it is about.
    #[must_use]
    pub fn pointer(&self) -> Pointer {
        self.path.iter().fold(Pointer::root(), |pointer, step| match step {
            Step::Index(index) => pointer.join(index),
            Step::Name(name) => pointer.join(name),
        })
    }
}

/// What is not as the format wants it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A value of another kind.
    Mistyped {
        /// With article: `a string`.
        expected: &'static str,
        /// With article: `a number`.
        found: &'static str,
    },
    /// A member that must be there is not.
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// Members that the format does not know.
    Unknown {
        /// The first of them.
        names: Vec<String>,
        /// How many there are.
        count: usize,
        /// The members it does know.
        known: Vec<&'static str>,
    },
    /// Not one of the words that may stand here.
    NotOneOf {
        /// What stands here.
        found: String,
        /// What may.
        allowed: Vec<&'static str>,
    },
    /// A text that breaks a rule.
    Text {
        /// The text, cut where it is long.
        found: String,
        /// What the rule asks for, to follow "must be".
        rule: &'static str,
    },
    /// A text of too many characters.
    TooLong {
        /// Characters found.
        length: usize,
        /// Most characters allowed.
        max: usize,
    },
    /// A text or list in which nothing is.
    Empty,
    /// A member name that breaks a rule.
    Name {
        /// The name, cut where it is long.
        found: String,
        /// What the rule asks for, to follow "must be".
        rule: &'static str,
    },
    /// Two equal items in a list that is a set.
    Twins,
    /// A number that is not above another.
    NotAbove {
        /// The number that was found.
        found: f64,
        /// What it must be above.
        bound: f64,
    },
    /// A whole number outside of a range.
    NotWithin {
        /// The number that was found.
        found: f64,
        /// The least that is allowed.
        least: i64,
        /// The most that is allowed.
        most: i64,
    },
    /// A list of too many items.
    TooManyItems {
        /// Items found.
        count: usize,
        /// Most items allowed.
        max: usize,
    },
    /// A rule that several members keep together.
    Rule {
        /// The rule, as a sentence without full stop.
        rule: &'static str,
    },
    /// There was more to say than is kept.
    TooMany,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistyped { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Missing { name } => write!(f, "the member `{name}` is missing"),
            Self::Unknown { names, count, .. } => {
                let more = count - names.len().min(*count);
                f.write_str(if *count == 1 { "unknown member " } else { "unknown members " })?;
                for (at, name) in names.iter().enumerate() {
                    write!(f, "{}`{name}`", if at == 0 { "" } else { ", " })?;
                }
                if more > 0 { write!(f, " and {more} more") } else { Ok(()) }
            }
            Self::NotOneOf { found, allowed } => {
                let allowed = allowed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
                write!(f, "{found} is not one of {allowed}")
            }
            Self::Text { found, rule } => write!(f, "`{found}` must be {rule}"),
            Self::TooLong { length, max } => {
                write!(f, "the text has {length} characters and at most {max} are allowed")
            }
            Self::Empty => f.write_str("nothing is in it, and something must be"),
            Self::Name { found, rule } => write!(f, "the member name `{found}` must be {rule}"),
            Self::Twins => f.write_str("the same item stands twice in a list that is a set"),
            Self::NotAbove { found, bound } => write!(f, "{found} is not above {bound}"),
            Self::NotWithin { found, least, most } => write!(f, "{found} is not between {least} and {most}"),
            Self::TooManyItems { count, max } => {
                write!(f, "the list has {count} items and at most {max} are allowed")
            }
            Self::Rule { rule } => f.write_str(rule),
            Self::TooMany => write!(f, "more than {MAX_PROBLEMS} problems; the rest is not listed"),
        }
    }
}

/// A text as a message can quote it: one line, without characters that do not print, and cut where it is long.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut cut = String::new();
    for c in text.chars().take(MOST) {
        match c {
            '"' | '\'' | '\\' => cut.push(c),
            _ => cut.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(MOST).is_some() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_one_short_line() {
        assert_eq!(excerpt("a\nb\u{202e}c \"q\""), "a\\nb\\u{202e}c \"q\"");
        assert_eq!(excerpt(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
        assert_eq!(excerpt(&"x".repeat(60)), "x".repeat(60));
    }
}
