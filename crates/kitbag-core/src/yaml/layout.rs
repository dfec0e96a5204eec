//! What the layout of a text says that its tree does not: where tabs and odd line ends stand. Readers of YAML 1.1 refuse some
//! that YAML 1.2 allows.

use crate::json::Span;

use super::node::{Content, Stream, Style};

/// The first tab that stands between tokens: outside quotes, block scalars and comments.
#[must_use]
pub fn stray_tab(text: &str, stream: &Stream) -> Option<Span> {
    if !text.contains('\t') {
        return None;
    }
    let sheltered = sheltered(stream);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let comment = comment(text, &sheltered, start, line);
        let tab = line
            .match_indices('\t')
            .map(|(at, _)| start + at)
            .take_while(|&at| at < comment)
            .find(|&at| !is_within(&sheltered, at));
        if let Some(at) = tab {
            return Some(Span::new(at, at + 1));
        }
        start += line.len();
    }
    None
}

/// The bytes of quoted and block scalars, in order.
fn sheltered(stream: &Stream) -> Vec<Span> {
    let mut spans: Vec<Span> = stream
        .iter()
        .filter(|(_, node)| matches!(&node.content, Content::Scalar(scalar) if scalar.style != Style::Plain))
        .map(|(_, node)| node.span)
        .collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// Whether one of `spans`, which are in order and do not overlap, covers the byte `at`.
#[must_use]
pub fn is_within(spans: &[Span], at: usize) -> bool {
    let after = spans.partition_point(|span| span.start as usize <= at);
    after > 0 && at < spans[after - 1].end as usize
}

/// Where the comment of the line at `start` begins; its end when it has none.
fn comment(text: &str, sheltered: &[Span], start: usize, line: &str) -> usize {
    let begins = |hash: &usize| {
        let glued = text[..*hash].chars().next_back().is_some_and(|before| !before.is_whitespace());
        !glued && !is_within(sheltered, *hash)
    };
    let mut hashes = line.match_indices('#').map(|(offset, _)| start + offset);
    hashes.find(begins).unwrap_or(start + line.len())
}

/// The further line ends of YAML 1.1: NEL, LS and PS.
const SEPARATORS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// A further line end of YAML 1.1 in a plain scalar, followed by something that is not indented: there the scalar ends.
#[must_use]
pub fn line_separator(text: &str, stream: &Stream) -> Option<Span> {
    stream.iter().find_map(|(_, node)| {
        let Content::Scalar(scalar) = &node.content else { return None };
        if scalar.style != Style::Plain {
            return None;
        }
        let source = &text[node.span.range()];
        let at = source.find(SEPARATORS)?;
        let mut rest = source[at..].chars();
        let width = rest.next().map_or(0, char::len_utf8);
        let start = node.span.start as usize + at;
        (rest.next()? != ' ').then(|| Span::new(start, start + width))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Bounds, read};

    fn tab(text: &str) -> Option<u32> {
        stray_tab(text, &read(text, Bounds::default()).unwrap()).map(|span| span.start)
    }

    #[test]
    fn tabs_are_stray_outside_quotes_block_scalars_and_comments() {
        for (text, at) in [
            ("a: b", None),
            ("a: \"x\ty\" # \tc", None),
            ("a: |\n  x\ty\nb: c", None),
            ("#\tc\na: b", None),
            ("a:\tb", Some(2)),
            ("a: x\ty", Some(4)),
            ("a: b\t# c", Some(4)),
            ("a: b#c\td", Some(6)),
        ] {
            assert_eq!(tab(text), at, "{text:?}");
        }
    }

    #[test]
    fn a_separator_ends_a_plain_scalar_unless_the_next_line_is_indented() {
        let found = |text: &str| line_separator(text, &read(text, Bounds::default()).unwrap()).is_some();
        assert!(found("a: x\u{2028}y") && found("a: x\u{85}y"));
        assert!(!found("a: x\u{2028} y") && !found("a: \"x\u{2028}y\"") && !found("a: xy"));
    }
}
