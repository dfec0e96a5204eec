//! [`Rewritten`]: text that was changed before it is read, with the way back to the bytes as written.

use std::borrow::Cow;

use crate::json::Span;

/// A part of a document, perhaps changed.
#[derive(Clone, Debug)]
pub struct Rewritten<'t> {
    text: Cow<'t, str>,
    /// Where the part begins in the document.
    base: usize,
    /// One map per change, the last one last.
    changes: Vec<Turns>,
}

/// Every replaced place of one change, in order.
type Turns = Vec<Turn>;

/// One replaced place.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Where what stands there instead begins and ends.
    new: (usize, usize),
    /// Where it began and ended.
    old: (usize, usize),
}

impl<'t> Rewritten<'t> {
    /// The part of `document` in `span`, unchanged.
    #[must_use]
    pub fn part(document: &'t str, span: Span) -> Self {
        Self { text: Cow::Borrowed(&document[span.range()]), base: span.start as usize, changes: Vec::new() }
    }

    /// The text as it is to be read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the document that `span` of the text stands for.
    #[must_use]
    pub fn back(&self, span: Span) -> Span {
        let back = |at: usize, side| {
            self.base + self.changes.iter().rev().fold(at, |at, turns| before(turns, at, side))
        };
        let start = back(span.start as usize, Side::Start);
        Span::new(start, back(span.end as usize, Side::End).max(start))
    }

    /// The same with places replaced: `find` is given the text and a position and says where the next place is, how long
    /// it is and what stands there instead.
    #[must_use]
    pub fn replace<'w>(
        mut self,
        mut find: impl FnMut(&str, usize) -> Option<(usize, usize, Cow<'w, str>)>,
    ) -> Self {
        let mut text = String::new();
        let mut turns = Vec::new();
        let mut at = 0;
        while let Some((offset, length, with)) = find(&self.text, at) {
            text.push_str(&self.text[at..offset]);
            text.push_str(&with);
            at = offset + length;
            turns.push(Turn { new: (text.len() - with.len(), text.len()), old: (offset, at) });
        }
        if !turns.is_empty() {
            text.push_str(&self.text[at..]);
            self.text = Cow::Owned(text);
            self.changes.push(turns);
        }
        self
    }

    /// The same with CR LF and lone CR made LF, as universal newlines do.
    #[must_use]
    pub fn universal_newlines(self) -> Self {
        self.replace(|text, from| {
            let at = from + text[from..].find('\r')?;
            let pair = text[at..].starts_with("\r\n");
            // `\r\n` loses its first byte, a lone `\r` becomes `\n`.
            Some(if pair { (at, 1, Cow::Borrowed("")) } else { (at, 1, Cow::Borrowed("\n")) })
        })
    }

    /// The same with CR LF made LF.
    #[must_use]
    pub fn unix_newlines(self) -> Self {
        self.replace(|text, from| Some((from + text[from..].find("\r\n")?, 1, Cow::Borrowed(""))))
    }
}

/// Which side of a span a position is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// Where `at` was before a change. At a place that was only removed, a start lies behind it and an end before it.
fn before(turns: &Turns, at: usize, side: Side) -> usize {
    let Some(turn) = turns[..turns.partition_point(|turn| turn.new.1 <= at)].last() else { return at };
    if side == Side::End && turn.new == (at, at) { turn.old.0 } else { turn.old.1 + (at - turn.new.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_finds_its_way_back() {
        let document = "xx\r\nab\rc\r\nd\u{7}e";
        let part = Rewritten::part(document, Span::new(2, document.len()));
        let text = part.universal_newlines().replace(|text, from| {
            let at = from + text[from..].find('\u{7}')?;
            Some((at, 1, Cow::Borrowed("\u{10ff07}")))
        });
        assert_eq!(text.text(), "\nab\nc\nd\u{10ff07}e");
        for word in ["ab", "c", "d", "e"] {
            let at = text.text().find(word).unwrap();
            let back = text.back(Span::new(at, at + word.len()));
            assert_eq!(&document[back.range()], word);
        }
    }

    #[test]
    fn unchanged_text_is_borrowed() {
        let text = Rewritten::part("a\nb", Span::new(0, 3)).universal_newlines().unix_newlines();
        assert!(matches!(text.text, Cow::Borrowed("a\nb")));
    }
}
