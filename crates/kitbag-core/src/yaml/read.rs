//! Text → [`Stream`], under bounds, without recursion.

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError};

use crate::json::Span;

use super::error::{SyntaxError, SyntaxErrorKind};
use super::node::{Anchor, Content, Node, NodeId, Scalar, Stream, Style, Tag};

/// How much of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of text.
    pub bytes: usize,
    /// Levels of collections. Everything that walks a tree may rely on it.
    pub depth: usize,
    /// Nodes. A node costs about a hundred bytes, whatever its text.
    pub nodes: usize,
    /// Characters of a key that stands on one line with its value. YAML allows 1,024; not every reader counts.
    pub key: usize,
}

impl Bounds {
    /// For the front matter of a Markdown file: more than any program reads.
    pub const FRONT_MATTER: Self = Self { bytes: 4 << 20, depth: 200, nodes: 100_000, key: 1024 };
}

impl Default for Bounds {
    fn default() -> Self {
        Self::FRONT_MATTER
    }
}

/// Reads `text`.
///
/// # Errors
/// [`SyntaxError`] where the text breaks the grammar or a bound, with the bytes at which it does.
pub fn read(text: &str, bounds: Bounds) -> Result<Stream, SyntaxError> {
    read_with(text, bounds, LastLine::Ends)
}

/// Whether the last line of a text that does not end with a line feed ends all the same, as far as a block scalar on it is
/// concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastLine {
    /// It does, as the YAML test suite expects.
    Ends,
    /// It does not, as libyaml and PyYAML read it.
    StaysOpen,
}

pub(super) fn read_with(text: &str, bounds: Bounds, last: LastLine) -> Result<Stream, SyntaxError> {
    if text.len() > bounds.bytes {
        let span = Span::new(text.floor_char_boundary(bounds.bytes), text.len());
        return Err(SyntaxError { span, kind: SyntaxErrorKind::Bytes { max: bounds.bytes } });
    }
    let mut builder =
        Builder { text, bounds, stream: Stream::default(), open: Vec::new(), anchored: Vec::new() };
    for event in Parser::new_from_str_with_options(text, options(bounds, last)) {
        let (event, span) = event.map_err(|error| builder.refused(&error))?;
        builder.take(event, &span)?;
    }
    Ok(builder.stream)
}

fn options(bounds: Bounds, last: LastLine) -> Options {
    granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        emit_comments: false,
        // Behind the first character a byte order mark is a character like any other, as it is to every other reader.
        bom_inside_document_as_content: true,
        simple_key_max_lookahead: bounds.key,
        block_scalar_eof_without_line_feed: last == LastLine::StaysOpen,
        // One more than the bound, so that the bound speaks first and in its own words.
        flow_nesting_limit: bounds.depth + 1,
        block_nesting_limit: bounds.depth + 1,
    }
}

/// A collection whose end was not seen yet.
enum Open {
    Sequence { id: NodeId, items: Vec<NodeId> },
    Mapping { id: NodeId, pairs: Vec<(NodeId, NodeId)>, key: Option<NodeId> },
}

struct Builder<'t> {
    text: &'t str,
    bounds: Bounds,
    stream: Stream,
    open: Vec<Open>,
    /// The node of each of the parser's anchor numbers, which count from 1.
    anchored: Vec<Option<NodeId>>,
}

impl Builder<'_> {
    fn refused(&self, error: &ScanError) -> SyntaxError {
        let at = self.at(error.marker().byte_offset());
        let width = self.text[at..].chars().next().map_or(0, char::len_utf8);
        let kind = match error.kind() {
            ErrorKind::RecursionLimitExceeded => SyntaxErrorKind::Depth { max: self.bounds.depth },
            kind => SyntaxErrorKind::Grammar(kind.to_string()),
        };
        SyntaxError { span: Span::new(at, at + width), kind }
    }

    /// A byte position that is surely inside the text and between two characters.
    fn at(&self, byte: Option<usize>) -> usize {
        self.text.floor_char_boundary(byte.unwrap_or(0))
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let start = self.at(span.start.byte_offset());
        Span::new(start, self.at(span.end.byte_offset()).max(start))
    }

    fn take(&mut self, event: Event<'_>, place: &granit_parser::Span) -> Result<(), SyntaxError> {
        let span = self.span(place);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                // The parser writes `~` where nothing is written.
                let absent = style == Style::Plain && span.start == span.end;
                let scalar = Scalar { text: if absent { "".into() } else { text.into() }, style };
                self.add(span, self.tag(tag.as_deref(), place), anchor, Content::Scalar(scalar))?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_depth(span)?;
                let tag = self.tag(tag.as_deref(), place);
                let id = self.add(span, tag, anchor, Content::Sequence(Vec::new()))?;
                self.open.push(Open::Sequence { id, items: Vec::new() });
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_depth(span)?;
                let tag = self.tag(tag.as_deref(), place);
                let id = self.add(span, tag, anchor, Content::Mapping(Vec::new()))?;
                self.open.push(Open::Mapping { id, pairs: Vec::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(number) => match self.anchored.get(number).copied().flatten() {
                Some(target) => {
                    self.add(span, None, 0, Content::Alias(target))?;
                }
                None => return Err(self.undefined_alias(span)),
            },
            Event::UnresolvedAlias(_) => return Err(self.undefined_alias(span)),
            Event::Anchor(number, name) => {
                if let Some(id) = self.anchored.get(number).copied().flatten() {
                    self.stream.nodes[id.index()].anchor = Some(Anchor { name: name.into(), span });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn undefined_alias(&self, span: Span) -> SyntaxError {
        let name = self.text[span.range()].trim_start_matches('*').to_owned();
        SyntaxError { span, kind: SyntaxErrorKind::UndefinedAlias(name) }
    }

    fn check_depth(&self, span: Span) -> Result<(), SyntaxError> {
        if self.open.len() >= self.bounds.depth {
            return Err(SyntaxError { span, kind: SyntaxErrorKind::Depth { max: self.bounds.depth } });
        }
        Ok(())
    }

    fn tag(&self, tag: Option<&granit_parser::Tag>, place: &granit_parser::Span) -> Option<Tag> {
        let tag = tag?;
        let span = place.tag_span().map_or_else(|| self.span(place), |span| self.span(&span));
        Some(Tag { uri: format!("{}{}", tag.handle(), tag.suffix()).into(), span })
    }

    /// Adds a node and hands it to the collection it stands in.
    fn add(
        &mut self,
        span: Span,
        tag: Option<Tag>,
        anchor: usize,
        content: Content,
    ) -> Result<NodeId, SyntaxError> {
        let kind = SyntaxErrorKind::Nodes { max: self.bounds.nodes };
        let id = match u32::try_from(self.stream.nodes.len()) {
            Ok(next) if self.stream.nodes.len() < self.bounds.nodes => NodeId(next),
            _ => return Err(SyntaxError { span, kind }),
        };
        self.stream.nodes.push(Node { span, tag, anchor: None, content });
        if anchor != 0 {
            // The parser counts anchors up by one, so the table grows with the text.
            if self.anchored.len() <= anchor {
                self.anchored.resize(anchor + 1, None);
            }
            self.anchored[anchor] = Some(id);
        }
        match self.open.last_mut() {
            None => self.stream.roots.push(id),
            Some(Open::Sequence { items, .. }) => items.push(id),
            Some(Open::Mapping { pairs, key, .. }) => match key.take() {
                None => *key = Some(id),
                Some(key) => pairs.push((key, id)),
            },
        }
        Ok(id)
    }

    fn close(&mut self, end: Span) {
        let (id, content) = match self.open.pop() {
            Some(Open::Sequence { id, items }) => (id, Content::Sequence(items)),
            Some(Open::Mapping { id, pairs, .. }) => (id, Content::Mapping(pairs)),
            None => return,
        };
        let last = match &content {
            Content::Sequence(items) => items.last().copied(),
            Content::Mapping(pairs) => pairs.last().map(|&(_, value)| value),
            _ => None,
        };
        // A flow collection ends with its bracket; a block collection ends with its last node, not where the parser
        // noticed the end.
        let end = if end.end > end.start {
            end.end
        } else {
            last.map_or(end.end, |last| self.stream.node(last).span.end)
        };
        let node = &mut self.stream.nodes[id.index()];
        node.content = content;
        node.span.end = end.max(node.span.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> (Stream, NodeId) {
        let stream = read(text, Bounds::default()).unwrap();
        let root = stream.roots()[0];
        (stream, root)
    }

    fn refused(text: &str, bounds: Bounds) -> SyntaxError {
        read(text, bounds).unwrap_err()
    }

    #[test]
    fn every_style_keeps_its_text_and_its_bytes() {
        let text = "a: plain\nb: 's''q'\nc: \"d\\u0041\"\nd: |\n  l1\n  l2\ne: >-\n  f1\n  f2\n";
        let (stream, root) = first(text);
        let found: Vec<_> = stream
            .mapping(root)
            .unwrap()
            .iter()
            .map(|&(_, value)| {
                let scalar = stream.scalar(value).unwrap();
                (&*scalar.text, scalar.style, &text[stream.node(value).span.range()])
            })
            .collect();
        assert_eq!(found[0], ("plain", Style::Plain, "plain"));
        assert_eq!(found[1], ("s'q", Style::SingleQuoted, "'s''q'"));
        assert_eq!(found[2], ("dA", Style::DoubleQuoted, "\"d\\u0041\""));
        assert_eq!((found[3].0, found[3].1), ("l1\nl2\n", Style::Literal));
        assert_eq!(found[3].2, "l1\n  l2\n");
        assert_eq!((found[4].0, found[4].1), ("f1 f2", Style::Folded));
    }

    #[test]
    fn repeated_keys_are_kept_in_order() {
        let (stream, root) = first("a: 1\nb: 2\na: 3\n");
        let pairs = stream.mapping(root).unwrap();
        let texts: Vec<_> = pairs.iter().map(|&(_, value)| &*stream.scalar(value).unwrap().text).collect();
        assert_eq!(texts, ["1", "2", "3"]);
    }

    #[test]
    fn an_alias_is_a_reference_and_a_bomb_stays_small() {
        let mut text = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let below = format!("*l{}, ", level - 1).repeat(9);
            text.push_str(&format!("l{level}: &l{level} [{below}]\n"));
        }
        let stream = read(&text, Bounds::default()).unwrap();
        assert!(stream.len() < 400);
        let (stream, root) = first("a: &n [1]\nb: *n\n");
        let pairs = stream.mapping(root).unwrap();
        assert_eq!(stream.resolve(pairs[1].1), pairs[0].1);
        assert_eq!(stream.node(pairs[0].1).anchor.as_ref().map(|anchor| &*anchor.name), Some("n"));
    }

    #[test]
    fn an_alias_may_refer_to_what_encloses_it() {
        let (stream, root) = first("&r\nself: *r\n");
        assert_eq!(stream.resolve(stream.mapping(root).unwrap()[0].1), root);
    }

    #[test]
    fn an_undefined_alias_is_named_with_its_place() {
        let text = "a: *nope\n";
        let error = refused(text, Bounds::default());
        assert_eq!(error.kind, SyntaxErrorKind::UndefinedAlias("nope".into()));
        assert_eq!(&text[error.span.range()], "*nope");
    }

    #[test]
    fn tags_are_resolved_and_keep_their_bytes() {
        let text = "a: !!str 4\nb: !local x\nc: !<tag:example.org,2000:t> y\n";
        let (stream, root) = first(text);
        let tags: Vec<_> = stream
            .mapping(root)
            .unwrap()
            .iter()
            .filter_map(|&(_, value)| stream.node(value).tag.as_ref())
            .map(|tag| (tag.to_string(), &text[tag.span.range()]))
            .collect();
        assert_eq!(
            tags,
            [
                ("!!str".to_owned(), "!!str"),
                ("!local".to_owned(), "!local"),
                ("!<tag:example.org,2000:t>".to_owned(), "!<tag:example.org,2000:t>"),
            ]
        );
    }

    #[test]
    fn spans_count_bytes_behind_characters_of_any_width() {
        let text = "\u{feff}技: é\nb: 🚀\n";
        let (stream, root) = first(text);
        for (&(key, value), expected) in stream.mapping(root).unwrap().iter().zip([("技", "é"), ("b", "🚀")])
        {
            assert_eq!(
                (&text[stream.node(key).span.range()], &text[stream.node(value).span.range()]),
                expected
            );
        }
    }

    #[test]
    fn a_collection_spans_its_content_and_not_what_follows() {
        let text = "m:\n  a: b\n  c: d\n\n# comment\nn: [e, f]\n";
        let (stream, root) = first(text);
        let pairs = stream.mapping(root).unwrap();
        assert_eq!(&text[stream.node(pairs[0].1).span.range()], "a: b\n  c: d");
        assert_eq!(&text[stream.node(pairs[1].1).span.range()], "[e, f]");
    }

    #[test]
    fn each_bound_is_named() {
        let bounds = Bounds { bytes: 40, depth: 3, nodes: 9, key: 1024 };
        assert!(read("[[[x]]]", bounds).is_ok());
        assert_eq!(refused("[[[[x]]]]", bounds).kind, SyntaxErrorKind::Depth { max: 3 });
        assert_eq!(refused("a:\n b:\n  c:\n   d: 1", bounds).kind, SyntaxErrorKind::Depth { max: 3 });
        assert_eq!(refused("[1, 2, 3, 4, 5, 6, 7, 8, 9]", bounds).kind, SyntaxErrorKind::Nodes { max: 9 });
        assert_eq!(refused(&"x".repeat(41), bounds).kind, SyntaxErrorKind::Bytes { max: 40 });
        assert!(read(&"x".repeat(40), bounds).is_ok());
        let wide = "技".repeat(14);
        assert_eq!(refused(&wide, bounds).span, Span::new(39, 42));
    }

    #[test]
    fn nesting_without_end_is_refused_in_every_form() {
        for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(100_000)]
        {
            assert!(read(&text, Bounds::default()).is_err());
        }
    }

    #[test]
    fn what_is_not_yaml_says_where() {
        let text = "a: b\nc: d: e\n";
        let error = refused(text, Bounds::default());
        assert!(matches!(error.kind, SyntaxErrorKind::Grammar(_)));
        assert_eq!(error.span.start, 9);
    }

    #[test]
    fn documents_are_counted_and_nothing_is_none() {
        let roots = |text: &str| read(text, Bounds::default()).unwrap().roots().len();
        assert_eq!((roots(""), roots("# c\n"), roots("a"), roots("a\n---\nb\n")), (0, 0, 1, 2));
    }
}
