//! A block that cannot be read because of values which can only be meant as text, read as if these were quoted: so that one
//! colon does not hide every other mistake, and a fix has something to quote.

use crate::json::Span;

use super::codes;
use super::front::{self, Front};
use super::reading::{Library, Yaml, read};
use super::rewritten::Rewritten;
use super::verdict::{At, Reason};

/// A block with its values quoted.
#[derive(Debug)]
pub struct Repaired<'t> {
    /// What was quoted, in the order of the text. Never empty.
    pub quoted: Vec<Quoted>,
    /// What is read then. Places are those of the document as it is.
    pub yaml: Yaml<'t>,
}

/// One value in quotes.
#[derive(Debug)]
pub struct Quoted {
    /// Why the block could not be read with it.
    pub reason: Reason,
    /// Where it stands.
    pub span: Span,
    /// Itself, in quotes.
    pub with: String,
    /// The key before it.
    pub key: String,
}

/// Most values that are quoted in one block.
const MAX_QUOTED: usize = 64;

/// Most bytes of a block that is repaired. It is read once for each value.
const MAX_BLOCK: u32 = 64 << 10;

/// Quotes values that break the block, one after the other, until it can be read. There is nothing to repair in a block that
/// can be read, and nothing is repaired by halves.
#[must_use]
pub fn repair<'t>(text: &'t str, front: &Front) -> Option<Repaired<'t>> {
    let block = front.block;
    if block.end - block.start > MAX_BLOCK {
        return None;
    }
    let mut quoted: Vec<Quoted> = Vec::new();
    loop {
        let patched = Rewritten::part(text, block).replace(|_, from| {
            let value = quoted.iter().find(|value| (value.span.start - block.start) as usize >= from)?;
            let start = (value.span.start - block.start) as usize;
            Some((start, (value.span.end - value.span.start) as usize, value.with.clone().into()))
        });
        let reason = match read(patched, Library::Grammar) {
            Ok(yaml) => return (!quoted.is_empty()).then_some(Repaired { quoted, yaml }),
            Err(reason) => reason,
        };
        let At::Span(span) = reason.at else { return None };
        if quoted.len() == MAX_QUOTED
            || (reason.code != &codes::UNQUOTED_COLON && reason.code != &codes::UNQUOTED_INDICATOR)
        {
            return None;
        }
        let (span, with, key) = quotable(text, front, span.start as usize)?;
        if quoted.iter().any(|other| other.span.start < span.end && span.start < other.span.end) {
            return None;
        }
        let at = quoted.partition_point(|other| other.span.start < span.start);
        quoted.insert(at, Quoted { reason, span, with, key });
    }
}

/// The value of the line at `at`, with its quoted form and its key, when it can mean only one thing.
fn quotable(text: &str, front: &Front, at: usize) -> Option<(Span, String, String)> {
    let ends = |c: char| matches!(c, '\n' | '\r');
    let start = text[..at].rfind(ends).map_or(0, |end| end + 1).max(front.block.start as usize);
    let line = front::line(text, start);
    let source = &text[line.range()];
    let colon = source.find(": ").or_else(|| source.find(":\t"))?;
    let key = source[..colon].trim_start_matches([' ', '-']).trim_end();
    let from = start + source.len() - source[colon + 1..].trim_start().len();
    let value = text[from..line.end as usize].trim_end();
    let is_word =
        |key: &str| key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if key.is_empty() || !is_word(key) || !has_one_meaning(value) {
        return None;
    }
    // A value may go on in lines that are indented further; quotes then span them, and fold them alike.
    let indent = source.len() - source.trim_start_matches(' ').len();
    let (mut end, mut whole) = (from + value.len(), value.to_owned());
    let mut next = front::next_line(text, line.end as usize);
    while next < front.block.end as usize {
        let line = front::line(text, next);
        let more = &text[line.range()];
        let deeper = more.len() - more.trim_start_matches(' ').len() > indent;
        if !deeper || more.trim().is_empty() {
            break;
        }
        // A line that could be an item, a comment or a field of its own has more than one meaning.
        let field = more.contains(": ") || more.trim_end().ends_with(':');
        if field || more.trim_start().starts_with(['-', '#']) || !has_one_meaning(more.trim()) {
            return None;
        }
        whole = format!("{whole} {}", more.trim());
        end = line.end as usize - (more.len() - more.trim_end().len());
        next = front::next_line(text, line.end as usize);
    }
    Some((Span::new(from, end), quoted(&whole), key.to_owned()))
}

/// Whether a value that is no YAML can be meant as text only.
fn has_one_meaning(value: &str) -> bool {
    let Some(first) = value.chars().next() else { return false };
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    if value.contains(" #") || value.contains(odd) {
        return false;
    }
    match first {
        '"' | '\'' | '|' | '>' | '#' | '?' | '-' => false,
        // `[x] y` is text; `[x` may be a list that was not closed.
        '[' => value.rfind(']').is_some_and(|end| end + 1 < value.len()),
        '{' => value.rfind('}').is_some_and(|end| end + 1 < value.len()),
        _ => true,
    }
}

/// Text in quotes: double, unless it has double quotes or backslashes and nothing that single quotes would have to double.
pub fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) && !text.contains('\'') {
        format!("'{text}'")
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(document: &str) -> Option<Vec<(&'static str, String)>> {
        let front = front::find(document).unwrap();
        let Repaired { quoted, yaml } = repair(document, &front)?;
        for value in &quoted {
            let (_, node) = yaml.fields().iter().copied().find(|&(_, node)| yaml.span(node) == value.span)?;
            assert_eq!(yaml.text_of(node).unwrap(), &document[value.span.range()], "{document}");
        }
        Some(quoted.into_iter().map(|value| (value.reason.code.slug, value.key)).collect())
    }

    #[test]
    fn every_value_that_breaks_the_block_is_named_with_its_own_reason() {
        let document = "---\nname: a\ndescription: Use when: x\nlicense: @me\nnote: b: c\n---\n";
        let expected = [
            ("agent-skill/unquoted-colon", "description"),
            ("agent-skill/unquoted-indicator", "license"),
            ("agent-skill/unquoted-colon", "note"),
        ];
        let expected = expected.map(|(code, key)| (code, key.to_owned()));
        assert_eq!(repaired(document).unwrap(), expected);
    }

    #[test]
    fn a_block_that_can_be_read_or_breaks_otherwise_is_not_repaired() {
        assert_eq!(repaired("---\nname: a\n---\n"), None);
        assert_eq!(repaired("---\ndescription: a: b\nlicense: \"MIT\n---\n"), None);
    }

    #[test]
    fn at_most_so_many_values_are_quoted_in_a_block_of_so_many_bytes() {
        let document = |values: usize| format!("---\n{}---\n", "k: a: b\n".repeat(values));
        let front = |document: &str| front::find(document).unwrap();
        let most = document(MAX_QUOTED);
        assert_eq!(repair(&most, &front(&most)).unwrap().quoted.len(), MAX_QUOTED);
        let more = document(MAX_QUOTED + 1);
        assert!(repair(&more, &front(&more)).is_none());
        let large = |bytes: usize| format!("---\nk: a: b\nx: {}\n---\n", "y".repeat(bytes));
        let (fits, exceeds) = (large(MAX_BLOCK as usize - 20), large(MAX_BLOCK as usize));
        assert!(repair(&fits, &front(&fits)).is_some());
        assert!(repair(&exceeds, &front(&exceeds)).is_none());
    }
}
