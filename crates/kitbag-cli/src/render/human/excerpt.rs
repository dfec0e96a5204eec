//! The lines of a document that a finding points at: few, short, and harmless.

use std::ops::Range;

use kitbag_core::json::Span;

use crate::render::plain::{is_hostile, stand_in};

/// Most bytes of a line before and after where a finding begins. The renderer cuts further, to the terminal's width; it
/// needs what is before only to count columns.
const BEFORE: usize = 8 << 10;
const AFTER: usize = 400;

/// One line of a document, or the part of it around a finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, one line, without anything that a terminal would obey.
    pub text: String,
    /// The bytes of `text` that the finding is about.
    pub marked: Range<usize>,
    /// Whether characters are missing before it, so that its columns are not the document's.
    pub cut: Cut,
}

/// Whether an excerpt has the whole beginning of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It has.
    No,
    /// The line is too long.
    Left,
}

/// The line of `document` where `span` begins, with what of `span` is on that line.
pub fn excerpt(document: &[u8], span: Span) -> Excerpt {
    let at = (span.start as usize).min(document.len());
    let end = (span.end as usize).clamp(at, document.len());
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');

    let left = &document[at.saturating_sub(BEFORE)..at];
    let (left, cut_left) = match left.iter().rposition(is_end) {
        Some(line_end) => (&left[line_end + 1..], false),
        None => (left, at > BEFORE),
    };
    let right = &document[at..(at + AFTER).min(document.len())];
    let (right, cut_right) = match right.iter().position(is_end) {
        Some(line_end) => (&right[..line_end], false),
        None => (right, at + AFTER < document.len()),
    };
    let marked = (end - at).min(right.len());

    let mut text = String::new();
    if cut_left {
        text.push('…');
    }
    push(&mut text, trim_start(left));
    let start = text.len();
    push(&mut text, &right[..marked]);
    let stop = text.len();
    push(&mut text, &right[marked..]);
    if cut_right {
        text.push('…');
    }
    Excerpt { text, marked: start..stop, cut: if cut_left { Cut::Left } else { Cut::No } }
}

/// Without the rest of a character that the cut went through.
fn trim_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    &bytes[rest..]
}

fn push(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if c != '\t' && is_hostile(c) => text.push(stand_in(c)),
                c => text.push(c),
            }
        }
        if !chunk.invalid().is_empty() {
            text.push('\u{fffd}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(document: &str, range: Range<usize>) -> (String, String) {
        let excerpt = excerpt(document.as_bytes(), Span::new(range.start, range.end));
        let marked = excerpt.text[excerpt.marked].to_owned();
        (excerpt.text, marked)
    }

    #[test]
    fn the_line_of_the_span_is_shown_and_the_span_is_marked() {
        assert_eq!(of("one\nname: x\nthree", 10..11), ("name: x".into(), "x".into()));
        assert_eq!(of("one\r\ntwo\r\n", 5..8), ("two".into(), "two".into()));
        assert_eq!(of("a: >\n  b\n  c\n", 0..12), ("a: >".into(), "a: >".into()));
        assert_eq!(of("x", 9..12), ("x".into(), String::new()));
        assert_eq!(of("", 0..0), (String::new(), String::new()));
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_span() {
        let document = "é".repeat(1 << 20);
        let (text, marked) = of(&document, 1_000_000..1_000_004);
        assert_eq!(marked, "éé");
        assert!(text.len() < 9000 && text.starts_with('…') && text.ends_with('…'), "{}", text.len());
    }

    #[test]
    fn an_escape_sequence_is_shown_and_not_obeyed() {
        assert_eq!(of("n: \u{1b}[2Jx\u{9b}1m", 3..8), ("n: ␛[2Jx\u{fffd}1m".into(), "␛[2Jx".into()));
        assert_eq!(of("a\tb\u{202e}c", 2..3), ("a\tb\u{fffd}c".into(), "b".into()));
    }
}
