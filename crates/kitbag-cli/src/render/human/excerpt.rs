//! The lines of a document that a finding points at: few, short, and harmless.

use std::ops::Range;

use kitbag_core::json::Span;

use crate::render::plain::{is_hostile, stand_in};

use super::wrap::{self, width};

/// Most bytes of a line before and after where a finding begins. The renderer cuts further, to the terminal's width; it
/// needs what is before only to count columns.
const BEFORE: usize = 1 << 10;
const AFTER: usize = 400;
/// Columns that the renderer needs for what it puts in place of what it cuts.
const ELLIPSES: usize = 12;

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

/// The line of `document` where `span` begins, with what of `span` is on that line and fits into `columns`.
pub fn excerpt(document: &[u8], span: Span, columns: usize) -> Excerpt {
    let at = (span.start as usize).min(document.len());
    let end = (span.end as usize).clamp(at, document.len());
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');

    let left = &document[at.saturating_sub(BEFORE)..at];
    let (left, cut) = match left.iter().rposition(is_end) {
        Some(line_end) => (&left[line_end + 1..], Cut::No),
        None if at > BEFORE => (trim_start(left), Cut::Left),
        None => (left, Cut::No),
    };
    let right = &document[at..(at + AFTER).min(document.len())];
    let (right, goes_on) = match right.iter().position(is_end) {
        Some(line_end) => (&right[..line_end], false),
        None => (right, at + AFTER < document.len()),
    };
    let (marked, rest) = right.split_at((end - at).min(right.len()));

    let before = shown(left);
    let mut text = if cut == Cut::Left { format!("…{before}") } else { before };
    let start = text.len();
    let marked = shown(marked);
    // A short beginning of the line stays in sight; before a long one, the renderer cuts.
    let taken = width(&text);
    let room = columns.saturating_sub(if taken < columns / 2 { taken } else { ELLIPSES }).max(1);
    if width(&marked) > room {
        text.push_str(&wrap::cut(&marked, room));
        return Excerpt { marked: start..text.len(), text, cut };
    }
    text.push_str(&marked);
    let stop = text.len();
    text.push_str(&shown(rest));
    if goes_on {
        text.push('…');
    }
    Excerpt { text, marked: start..stop, cut }
}

/// Without the rest of a character that the cut went through.
fn trim_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    &bytes[rest..]
}

/// Bytes as text of which a terminal obeys nothing, with the same number of characters.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().chars().map(|c| if c != '\t' && is_hostile(c) { stand_in(c) } else { c }));
        if !chunk.invalid().is_empty() {
            text.push('\u{fffd}');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(document: &str, range: Range<usize>) -> (String, String) {
        let excerpt = excerpt(document.as_bytes(), Span::new(range.start, range.end), 80);
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
    fn a_mark_wider_than_the_terminal_is_cut() {
        let document = format!("name: {}", "x".repeat(300));
        let (text, marked) = of(&document, 6..306);
        assert_eq!((width(&text), width(&marked)), (80, 74));
        let (text, marked) = of(&format!("{}é", "y".repeat(300)), 0..302);
        assert_eq!(text, marked);
        assert!(text.ends_with('…') && width(&text) == 80, "{text}");
    }

    #[test]
    fn an_escape_sequence_is_shown_and_not_obeyed() {
        assert_eq!(of("n: \u{1b}[2Jx\u{9b}1m", 3..8), ("n: ␛[2Jx\u{fffd}1m".into(), "␛[2Jx".into()));
        assert_eq!(of("a\tb\u{202e}c", 2..3), ("a\tb\u{fffd}c".into(), "b".into()));
    }
}
