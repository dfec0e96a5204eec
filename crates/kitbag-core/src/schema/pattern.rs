//! Is a text a regular expression? As Python's `re` reads them, which is what SkillPact's reference asks of the patterns
//! in a schema; nothing is compiled and nothing is matched, so the answer costs one pass.
//!
//! The two languages differ: `(?P<x>a)` is one and `(?<x>a)` and `\p{L}` are none here, the other way round in ECMA-262.

mod characters;
mod groups;

use std::collections::{HashMap, HashSet};

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 200;

/// The number that stands for "without end".
const ENDLESS: u64 = (1 << 32) - 1;

/// Whether `text` is a regular expression.
#[must_use]
pub fn is_pattern(text: &str) -> bool {
    let first = Reader::new(text, Blanks::Literal).pattern();
    match first {
        // `(?x)` at the start changes how the whole text is read.
        Err(Refused::Verbose) => Reader::new(text, Blanks::Layout).pattern().is_ok(),
        other => other.is_ok(),
    }
}

/// What blanks and `#` mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// Themselves.
    Literal,
    /// Nothing: they lay the pattern out and comment on it.
    Layout,
}

/// Where something stands in the whole text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Nothing is before it.
    Start,
    /// Something is.
    Later,
}

/// Why reading ended.
enum Refused {
    /// It is no regular expression.
    Syntax,
    /// It is to be read again, with blanks and comments passed over.
    Verbose,
}

type Read<T> = Result<T, Refused>;

/// Fewest and most characters that something matches.
#[derive(Clone, Copy)]
struct Width(u64, u64);

impl Width {
    const NONE: Self = Self(0, 0);
    const ONE: Self = Self(1, 1);

    fn then(self, next: Self) -> Self {
        Self((self.0 + next.0).min(ENDLESS - 1), (self.1 + next.1).min(ENDLESS))
    }

    fn or(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.max(other.1))
    }

    fn times(self, least: u64, most: u64) -> Self {
        Self((self.0.saturating_mul(least)).min(ENDLESS - 1), (self.1.saturating_mul(most)).min(ENDLESS))
    }
}

/// What stands before a quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Position,
    Repeated,
    Item,
}

struct Reader<'t> {
    rest: std::str::Chars<'t>,
    blanks: Blanks,
    depth: usize,
    /// Widths of closed groups by number; `None` while a group is open. Group 0 is the whole.
    groups: Vec<Option<Width>>,
    names: HashMap<&'t str, usize>,
    /// Numbers that conditions name, which must exist at the end.
    conditions: HashSet<usize>,
    /// Number of groups where the outermost look-behind began.
    behind: Option<usize>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, blanks: Blanks) -> Self {
        Self {
            rest: text.chars(),
            blanks,
            depth: 0,
            groups: vec![None],
            names: HashMap::new(),
            conditions: HashSet::new(),
            behind: None,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.rest.next();
        }
        there
    }

    fn need(&mut self, wanted: char) -> Read<()> {
        if self.take(wanted) { Ok(()) } else { Err(Refused::Syntax) }
    }

    fn take_while(&mut self, most: usize, belongs: fn(char) -> bool) -> &'t str {
        let text = self.rest.as_str();
        let end = text.chars().take(most).take_while(|c| belongs(*c)).map(char::len_utf8).sum();
        self.rest = text[end..].chars();
        &text[..end]
    }

    /// What stands before the next `end`, which is passed over.
    fn until(&mut self, end: char) -> Read<&'t str> {
        let text = self.rest.as_str();
        let at = text.find(end).ok_or(Refused::Syntax)?;
        self.rest = text[at + end.len_utf8()..].chars();
        Ok(&text[..at])
    }

    fn pattern(&mut self) -> Read<()> {
        self.alternatives(self.blanks, At::Start)?;
        if self.peek().is_some() {
            // A parenthesis that nothing opened.
            return Err(Refused::Syntax);
        }
        if self.conditions.iter().all(|group| *group < self.groups.len()) {
            Ok(())
        } else {
            Err(Refused::Syntax)
        }
    }

    fn alternatives(&mut self, blanks: Blanks, at: At) -> Read<Width> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refused::Syntax);
        }
        let mut width = self.sequence(blanks, at)?;
        while self.take('|') {
            width = width.or(self.sequence(blanks, At::Later)?);
        }
        self.depth -= 1;
        Ok(width)
    }

    /// Items up to `|`, `)` or the end. `first` is the first sequence of the whole text.
    fn sequence(&mut self, blanks: Blanks, at: At) -> Read<Width> {
        let mut before = Before::Nothing;
        let mut is_empty = true;
        let (mut width, mut last) = (Width::NONE, Width::NONE);
        while let Some(c) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            self.next();
            if blanks == Blanks::Layout && matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}') {
                continue;
            }
            if blanks == Blanks::Layout && c == '#' {
                while self.next().is_some_and(|c| c != '\n') {}
                continue;
            }
            let (item, kind) = match c {
                '*' | '+' | '?' | '{' => match self.quantifier(c)? {
                    Some((least, most)) => {
                        if before != Before::Item {
                            return Err(Refused::Syntax);
                        }
                        if !self.take('?') {
                            self.take('+');
                        }
                        last = last.times(least, most);
                        before = Before::Repeated;
                        continue;
                    }
                    None => (Width::ONE, Before::Item),
                },
                '^' | '$' => (Width::NONE, Before::Position),
                '\\' => self.escape()?,
                '[' => (self.class()?, Before::Item),
                '(' => match self.group(blanks, if is_empty { at } else { At::Later })? {
                    Some(width) => (width, Before::Item),
                    None => continue,
                },
                _ => (Width::ONE, Before::Item),
            };
            is_empty = false;
            width = width.then(last);
            last = item;
            before = kind;
        }
        Ok(width.then(last))
    }

    /// The quantifier that begins with `c`, or `None` for a brace that is only a brace.
    fn quantifier(&mut self, c: char) -> Read<Option<(u64, u64)>> {
        match c {
            '*' => return Ok(Some((0, ENDLESS))),
            '+' => return Ok(Some((1, ENDLESS))),
            '?' => return Ok(Some((0, 1))),
            _ => {}
        }
        let here = self.rest.clone();
        if self.peek() == Some('}') {
            return Ok(None);
        }
        let least = self.take_while(usize::MAX, |c| c.is_ascii_digit());
        let most = if self.take(',') { self.take_while(usize::MAX, |c| c.is_ascii_digit()) } else { least };
        if !self.take('}') {
            self.rest = here;
            return Ok(None);
        }
        let number = |digits: &str, otherwise| match digits {
            "" => Ok(otherwise),
            digits => digits.parse::<u64>().ok().filter(|n| *n < ENDLESS).ok_or(Refused::Syntax),
        };
        let (least, most) = (number(least, 0)?, number(most, ENDLESS)?);
        if most < least { Err(Refused::Syntax) } else { Ok(Some((least, most))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_reads_is_told_from_what_it_does_not() {
        for good in [
            "",
            "a{}",
            "a{",
            "a{,2}",
            "a{2",
            "{",
            "a|",
            "()",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[-a]",
            r"[\w-]",
            r"\.",
            r"\_",
            r"(a)\1",
            r"(?P<n>a)(?P=n)",
            "(?i)a",
            "(?i)(?m)a",
            "(?x) a # b )",
            "(?x: a # )\n)",
            "(?:a*)*",
            "a*?",
            "a*+",
            "(?>a)",
            "(?<=ab|cd)e",
            r"(?<!\w{3})a",
            "(a)(?(1)b|c)",
            "(?(1)a)(b)",
            "(?#c)a",
            "a(?#c)*",
            r"\0",
            r"\012",
            r"[\012]",
            r"\x41",
            r"\u0041",
            "(?=a)*",
            "(?!)",
            "(?i-s:a)",
            "é{2}",
            r"(a)(?<=\1)",
            r"\N{DIGIT ONE}",
            "(?<=(?=a*)b)c",
        ] {
            assert!(is_pattern(good), "{good:?}");
        }
        for bad in [
            "(",
            ")",
            "a)",
            "[",
            "[]",
            "[^]",
            "*",
            "+a",
            "a|*",
            "a**",
            "a{2}{3}",
            "^*",
            r"\b+",
            r"\",
            r"\p{L}",
            r"\z",
            r"\e",
            r"[\A]",
            r"[\8]",
            "[z-a]",
            r"[\w-a]",
            r"[a-\d]",
            "(?<x>a)",
            "(?P<1>a)",
            "(?P<n>a)(?P<n>b)",
            "(?P<n>",
            "(?P=n)",
            "(?Px)",
            r"\1",
            r"(\1)",
            r"(a)\2",
            "a(?i)",
            "(?i)a|(?m)b",
            "(?L)a",
            "(?au)a",
            "(?-i)a",
            "(?)",
            "(?",
            "(?i-i:a)",
            "(?-:a)",
            "(?k:a)",
            "(?<=a*)b",
            "(?<=a|bc)d",
            r"(?<=(a)\1)b",
            "(a)(?(2)b)",
            "(?(0)a)",
            "(a)(?(1)b|c|d)",
            "(?(x)a)",
            "(?#c",
            "a{3,2}",
            "a{4294967295}",
            r"\x4",
            r"\u004",
            r"\U00110000",
            r"\400",
            r"\N",
            r"\N{}",
            "(?<",
            "(?*)",
            "(?i)*",
        ] {
            assert!(!is_pattern(bad), "{bad:?}");
        }
    }

    #[test]
    fn nesting_without_end_is_refused_and_deep_nesting_is_read() {
        let nested = |depth: usize| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
        assert!(is_pattern(&nested(MAX_DEPTH - 1)));
        assert!(!is_pattern(&nested(MAX_DEPTH + 1)));
        assert!(!is_pattern(&nested(1_000_000)));
    }
}
