//! [`Plain`]: text from outside that can do nothing to a terminal.

use std::fmt::{self, Write};

/// Prints text that somebody else wrote on one line, with everything a terminal would obey or a reader could not see
/// written as `\u{…}`: control characters (C0, DEL and C1), line and paragraph separators, bidirectional overrides and
/// marks, and invisible characters that can hide a message, such as tags.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'t>(pub &'t str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_hostile) {
            f.write_str(&rest[..at])?;
            let mut chars = rest[at..].chars();
            if let Some(c) = chars.next() {
                escape(c, f)?;
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

fn escape(c: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match c {
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        c => write!(f, "\\u{{{:x}}}", u32::from(c)),
    }
}

/// Whether a terminal would obey `c`, or a reader could not see it.
pub const fn is_hostile(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator: seen by a parser, not by a person.
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        // Zero-width space and the two direction marks. The joiners between them belong to real scripts and stay.
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One visible character of the same width for a character that a terminal would obey, so that carets still point at it.
pub fn stand_in(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    }
}

/// [`Plain`] as a string.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _infallible = write!(out, "{}", Plain(text));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out_and_everything_else_stays() {
        assert_eq!(plain("\u{1b}[31mred\u{9b}0m\u{7f}"), "\\u{1b}[31mred\\u{9b}0m\\u{7f}");
        assert_eq!(
            plain("a\u{202e}b\u{2066}c\u{e0041}d\u{feff}"),
            "a\\u{202e}b\\u{2066}c\\u{e0041}d\\u{feff}"
        );
        assert_eq!(plain("two\r\nlines\u{2028}"), "two\\r\\nlines\\u{2028}");
        for untouched in ["", "plain", "技能 né 👩‍🔬", "می‌خواهم", "back\\slash"] {
            assert_eq!(plain(untouched), untouched);
        }
    }

    #[test]
    fn a_stand_in_is_one_visible_character() {
        assert_eq!(stand_in('\u{1b}'), '␛');
        assert_eq!(stand_in('\t'), '␉');
        assert_eq!(stand_in('\u{7f}'), '␡');
        assert_eq!(stand_in('\u{202e}'), '\u{fffd}');
    }
}
