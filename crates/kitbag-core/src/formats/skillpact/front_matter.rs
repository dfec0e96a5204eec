//! The front matter of SKILL.md as SkillPact's reference reads it: YAML 1.1 between the first line `---` and the next
//! line that begins with `---`.
//!
//! How each harness reads the same file is the Agent Skills format's business; this is the one reading against which a
//! contract is judged.

use std::collections::HashSet;

use crate::json::Span;
use crate::yaml::yaml_1_1::{self, Loaded, Value};
use crate::yaml::{Bounds, NodeId};

/// What a contract is compared with.
#[derive(Clone, Debug)]
pub(super) struct FrontMatter {
    pub name: Field,
    pub description: Field,
    /// Characters of `compatibility` written out, up to one more than [`MAX_COMPATIBILITY`]; `None` where it is absent.
    pub compatibility: Option<(usize, Span)>,
    /// Line ends in the body.
    pub body_lines: usize,
    /// The bytes of the body.
    pub body: Span,
}

/// Most characters of `compatibility`.
pub(super) const MAX_COMPATIBILITY: usize = 500;

/// One value of the front matter.
#[derive(Clone, Debug)]
pub(super) enum Field {
    /// It is not there; the span is where the block begins.
    Absent(Span),
    /// It is text.
    Text(Box<str>, Span),
    /// It is something else, such as `a date`.
    Other(&'static str, Span),
}

/// Why there is no front matter.
#[derive(Clone, Debug)]
pub(super) struct NoFrontMatter {
    pub span: Span,
    pub message: String,
}

fn none(span: Span, message: impl Into<String>) -> NoFrontMatter {
    NoFrontMatter { span, message: message.into() }
}

/// Reads the front matter of a SKILL.md.
pub(super) fn read(bytes: &[u8]) -> Result<FrontMatter, NoFrontMatter> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        none(Span::new(at, at + error.error_len().unwrap_or(1)), "SKILL.md is not UTF-8")
    })?;
    let (block, body) = split(text)?;
    let shift = |span: Span| Span::new(block.start + span.start as usize, block.start + span.end as usize);
    let yaml = &text[block.clone()];
    if let Some(at) =
        yaml.find(|c| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'))
    {
        let span = Span::new(block.start + at, block.start + at + 1);
        return Err(none(span, "the front matter contains a control character"));
    }
    let stream = yaml_1_1::read(yaml, Bounds::FRONT_MATTER)
        .map_err(|error| none(shift(error.span), format!("the front matter is not YAML: {error}")))?;
    let loaded = yaml_1_1::load(&stream).map_err(|problem| {
        none(shift(problem.span), format!("the front matter cannot be read as YAML 1.1: {problem}"))
    })?;
    let start = Span::new(block.start, block.start);
    if let Some(root) = loaded.root()
        && !matches!(loaded.value(root), Value::Mapping(_))
        && !is_falsy(loaded.value(root))
    {
        let kind = loaded.value(root).kind();
        let span = shift(stream.node(root).span);
        return Err(none(span, format!("the front matter is {kind}, not a mapping of names to values")));
    }
    let field = |name| match loaded.entry(name) {
        None => Field::Absent(start),
        Some((_, value)) => {
            let span = shift(stream.node(value).span);
            match loaded.value(value) {
                Value::Text(text) => Field::Text(text.clone(), span),
                other => Field::Other(other.kind(), span),
            }
        }
    };
    let compatibility = loaded.entry("compatibility").map(|(_, value)| {
        let mut written = Written { loaded: &loaded, open: HashSet::new(), length: 0 };
        written.top(value);
        (written.length, shift(stream.node(value).span))
    });
    Ok(FrontMatter {
        name: field("name"),
        description: field("description"),
        compatibility,
        body_lines: line_ends(&text[body.clone()]),
        body: Span::new(body.start, body.end),
    })
}

/// An empty document of any kind counts as an empty mapping.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Integer(integer) => integer.as_str() == "0",
        Value::Float(float) => *float == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Binary(bytes) => bytes.is_empty(),
        Value::Sequence(items) | Value::Set(items) => items.is_empty(),
        Value::Pairs(pairs) => pairs.is_empty(),
        Value::Bool(true) | Value::Timestamp(_) | Value::Mapping(_) => false,
    }
}

/// Length of the line end at the start of `text`, if there is one.
fn line_end(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}

fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    bytes
        .iter()
        .enumerate()
        .filter(|&(at, &byte)| byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')))
        .count()
}

/// The bytes of the YAML block and of the body.
fn split(text: &str) -> Result<(std::ops::Range<usize>, std::ops::Range<usize>), NoFrontMatter> {
    let opened = text.strip_prefix("---").and_then(line_end).map(|end| 3 + end);
    let Some(start) = opened else {
        let end = text.find(['\r', '\n']).unwrap_or(text.len());
        let message = if text.starts_with('\u{feff}') {
            "SKILL.md begins with a byte order mark, so its first line is not `---`"
        } else {
            "the first line of SKILL.md is not `---`"
        };
        return Err(none(Span::new(0, end), message));
    };
    // The marker needs a line end of its own before it, so an empty block (`---` twice in a row) is none.
    for (at, _) in text[start..].match_indices(['\r', '\n']) {
        let at = start + at;
        let after = at + line_end(&text[at..]).unwrap_or(1);
        if text[after..].starts_with("---") {
            let body = after + 3;
            return Ok((start..at, body + line_end(&text[body..]).unwrap_or(0)..text.len()));
        }
    }
    Err(none(Span::new(0, 3), "the front matter is not closed by a line `---` of its own after a first line"))
}

/// How many characters Python's `str` writes for a value; counting stops past [`MAX_COMPATIBILITY`]. A value may contain
/// itself, which is written `[...]`.
struct Written<'l, 's> {
    loaded: &'l Loaded<'s>,
    open: HashSet<NodeId>,
    length: usize,
}

impl Written<'_, '_> {
    fn top(&mut self, id: NodeId) {
        match self.loaded.value(id) {
            Value::Text(text) => self.length = text.chars().take(MAX_COMPATIBILITY + 1).count(),
            Value::Timestamp(time) => self.length = if time.time.is_some() { 19 } else { 10 },
            _ => self.value(id),
        }
    }

    fn value(&mut self, id: NodeId) {
        if self.length > MAX_COMPATIBILITY {
            return;
        }
        let target = self.loaded.stream().resolve(id);
        match self.loaded.value(target) {
            Value::Null | Value::Bool(true) => self.length += 4,
            Value::Bool(false) => self.length += 5,
            Value::Integer(integer) => self.length += integer.as_str().len(),
            Value::Float(float) => self.length += format!("{float:?}").len(),
            Value::Text(text) => self.length += quoted(text),
            Value::Timestamp(time) => {
                self.length += if time.time.is_some() {
                    "datetime.datetime(2024, 1, 1, 0, 0)"
                } else {
                    "datetime.date(2024, 1, 1)"
                }
                .len();
            }
            Value::Binary(bytes) => {
                self.length += 3 + bytes
                    .iter()
                    .map(|byte| if (b' '..=b'~').contains(byte) { 1 } else { 4 })
                    .sum::<usize>();
            }
            Value::Sequence(items) => self.all(target, items.iter().map(|&item| [item].into_iter())),
            Value::Set(items) => self.all(target, items.iter().map(|&item| [item].into_iter())),
            Value::Mapping(pairs) => {
                self.all(target, pairs.iter().map(|&(key, value)| [key, value].into_iter()));
            }
            Value::Pairs(pairs) => {
                self.length += 2 * pairs.len();
                self.all(target, pairs.iter().map(|&(key, value)| [key, value].into_iter()));
            }
        }
    }

    /// Brackets, and two characters between all values: `, ` or `: `.
    fn all<I: Iterator<Item = NodeId>>(&mut self, id: NodeId, groups: impl Iterator<Item = I>) {
        if !self.open.insert(id) {
            self.length += 5;
            return;
        }
        self.length += 2;
        for (at, value) in groups.flatten().enumerate() {
            if self.length > MAX_COMPATIBILITY {
                break;
            }
            self.length += if at == 0 { 0 } else { 2 };
            self.value(value);
        }
        self.open.remove(&id);
    }
}

/// Characters of a text in Python's quotes.
fn quoted(text: &str) -> usize {
    let both = text.contains('\'') && text.contains('"');
    2 + text
        .chars()
        .take(MAX_COMPATIBILITY + 1)
        .map(|c| match c {
            '\\' | '\n' | '\r' | '\t' => 2,
            '\'' if both => 2,
            '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' => 4,
            _ => 1,
        })
        .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_of(text: &str) -> String {
        match read(text.as_bytes()) {
            Ok(FrontMatter { name: Field::Text(name, span), .. }) => {
                let written = &text[span.range()];
                assert!(written.contains(&*name), "{written:?} does not hold {name:?}");
                name.into()
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }

    #[test]
    fn the_block_ends_at_the_first_line_that_begins_with_three_dashes() {
        for text in [
            "---\nname: a\n---\nbody",
            "---\r\nname: a\r\n---\r\nbody",
            "---\rname: a\r---\rbody",
            "---\nname: a\n----\nbody",
            "---\nname: a\n---body\n---\n",
            "---\n---\nname: a\n---",
        ] {
            assert_eq!(name_of(text), "a", "{text:?}");
        }
        for text in [
            "",
            "---",
            "---\n---\n",
            " ---\nname: a\n---\n",
            "--- \nname: a\n---\n",
            "\u{feff}---\nname: a\n---\n",
            "---\nname: a\n...\n",
            "\n---\nname: a\n---\n",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_where() {
        for (text, at) in [
            ("---\nname: a\ndescription: a: b\n---\n", "a: b"),
            ("---\nname: *q\n---\n", "*q"),
            ("---\nname: !x y\n---\n", "!x"),
            ("---\nname: 2024-13-01\n---\n", "2024-13-01"),
            ("---\n? [a]\n: b\n---\n", "[a]"),
            ("---\n- a\n---\n", "- a"),
            ("---\nname: a\0\n---\n", "\0"),
        ] {
            let span = read(text.as_bytes()).unwrap_err().span;
            let found = text.find(at).unwrap();
            let line_of = |at: usize| text[..at].matches('\n').count();
            assert_eq!(line_of(span.start as usize), line_of(found), "{text:?} {span:?}");
        }
    }

    #[test]
    fn lines_are_counted_at_every_kind_of_line_end() {
        let front = read(b"---\nname: a\n---\r\n1\r\n2\r3\n4").unwrap();
        assert_eq!(front.body_lines, 3);
    }

    #[test]
    fn compatibility_is_counted_as_it_is_written_out_and_a_list_may_hold_itself() {
        let count = |yaml: &str| {
            read(format!("---\ncompatibility: {yaml}\n---\n").as_bytes()).unwrap().compatibility.unwrap().0
        };
        assert_eq!(count("ab"), 2);
        assert_eq!(count("[a, 1, yes]"), "['a', 1, True]".len());
        assert_eq!(count("{a: b}"), "{'a': 'b'}".len());
        assert_eq!(count("&x [a, *x]"), "['a', [...]]".len());
        assert_eq!(count(&"x".repeat(600)), MAX_COMPATIBILITY + 1);
    }
}
