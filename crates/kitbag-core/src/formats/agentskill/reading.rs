//! The YAML of a block, read once for all programs that cut it in the same place.
//!
//! Programs read YAML with different libraries. They agree on nearly everything, so there is one grammar; what a library
//! forgives is said here, and what it refuses beyond the grammar in the file of the program that uses it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::json::Span;
use crate::yaml::{self, Bounds, Content, NodeId, Scalar, Stream, SyntaxError, SyntaxErrorKind};

use super::diagnosis;
use super::rewritten::Rewritten;
use super::verdict::Reason;

/// Whose YAML it is: what is forgiven beyond the grammar. What a library refuses is said in its program's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// The grammar itself.
    Grammar,
    /// strictyaml, on ruamel.yaml.
    StrictYaml,
    /// libyaml.
    LibYaml,
    /// Bun's own.
    Bun,
    /// js-yaml.
    JsYaml,
    /// `yaml` by eemeli.
    Eemeli,
}

impl Library {
    /// Whether control characters are read.
    const fn reads_controls(self) -> bool {
        matches!(self, Self::Bun | Self::JsYaml | Self::Eemeli)
    }

    /// Whether a lone carriage return is a character like any other.
    const fn reads_returns(self) -> bool {
        matches!(self, Self::Eemeli)
    }

    /// Whether a comment may touch what stands before it: everywhere, behind values only, or nowhere.
    const fn glued(self) -> Glued {
        match self {
            Self::LibYaml => Glued::Anywhere,
            Self::StrictYaml | Self::JsYaml => Glued::BehindValues,
            Self::Grammar | Self::Bun | Self::Eemeli => Glued::Nowhere,
        }
    }

    /// Whether a plain scalar may begin with a comma.
    const fn reads_commas(self) -> bool {
        matches!(self, Self::Bun)
    }

    /// Whether half a surrogate pair may be escaped.
    const fn reads_surrogates(self) -> bool {
        matches!(self, Self::StrictYaml | Self::JsYaml | Self::Eemeli)
    }

    const fn bounds(self) -> Bounds {
        match self {
            Self::Bun | Self::JsYaml => Bounds { key: 1 << 20, ..Bounds::FRONT_MATTER },
            _ => Bounds::FRONT_MATTER,
        }
    }

    /// Whether there is anything in `text` that the grammar may refuse and the library does not.
    fn forgives_anything_in(self, text: &str) -> bool {
        let key = Bounds::FRONT_MATTER.key;
        (self.reads_controls() && text.contains(is_control))
            || (self.reads_commas() && text.contains(','))
            || (self.glued() != Glued::Nowhere && text.contains('#'))
            || (self.reads_surrogates() && text.contains("\\u"))
            || (self.bounds().key > key && text.lines().any(|line| line.len() > key))
    }
}

/// Where a comment may touch what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Glued {
    Nowhere,
    BehindValues,
    Anywhere,
}

/// A block that was read.
#[derive(Debug)]
pub struct Yaml<'t> {
    /// The tree.
    pub stream: Stream,
    /// The text it was read from.
    pub text: Rewritten<'t>,
}

impl Yaml<'_> {
    /// The bytes of the document that a node stands for.
    #[must_use]
    pub fn span(&self, id: NodeId) -> Span {
        self.text.back(self.stream.node(id).span)
    }

    /// The root of the first document.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.stream.roots().first().copied()
    }

    /// The pairs of the root, if it is a mapping.
    #[must_use]
    pub fn fields(&self) -> &[(NodeId, NodeId)] {
        self.root().and_then(|root| self.stream.mapping(root)).unwrap_or_default()
    }

    /// The last pair whose key is `name`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(NodeId, NodeId)> {
        self.fields().iter().rev().copied().find(|&(key, _)| self.text_of(key).as_deref() == Some(name))
    }

    /// The text of a scalar.
    #[must_use]
    pub fn text_of(&self, id: NodeId) -> Option<Cow<'_, str>> {
        self.stream.scalar(id).map(|scalar| restore(&scalar.text))
    }

    /// The scalar that a node stands for.
    #[must_use]
    pub fn scalar(&self, id: NodeId) -> Option<&Scalar> {
        self.stream.scalar(id)
    }

    /// Whether a node is a sequence or a mapping.
    #[must_use]
    pub fn is_collection(&self, id: NodeId) -> bool {
        matches!(
            self.stream.node(self.stream.resolve(id)).content,
            Content::Sequence(_) | Content::Mapping(_)
        )
    }

    /// Whether a node is written with brackets or braces.
    #[must_use]
    pub fn is_flow(&self, id: NodeId) -> bool {
        self.is_collection(id) && self.source(id).starts_with(['[', '{'])
    }

    /// The text as it was read, where the node stands.
    #[must_use]
    pub fn source(&self, id: NodeId) -> &str {
        &self.text.text()[self.stream.node(id).span.range()]
    }
}

/// A block, read or refused.
pub type Read<'t> = Result<Yaml<'t>, Reason>;

/// Every block of one document that was read, so that none is read twice.
#[derive(Debug, Default)]
pub struct Readings<'t> {
    done: RefCell<Vec<(Key, Rc<Read<'t>>)>>,
}

type Key = (Span, Library);

impl<'t> Readings<'t> {
    /// Reads the part `span` of `document`. Line ends around it make no difference and are not read.
    #[must_use]
    pub fn read(&self, document: &'t str, span: Span, library: Library) -> Rc<Read<'t>> {
        let span = trim_line_ends(document, span);
        let known = |library| {
            let done = self.done.borrow();
            done.iter().find(|(other, _)| *other == (span, library)).map(|(_, read)| read.clone())
        };
        if let Some(read) = known(library) {
            return read;
        }
        // Where the grammar itself can read it, nothing needs to be forgiven.
        let differs = library.reads_returns() && has_lone_return(&document[span.range()]);
        if library != Library::Grammar && !differs {
            let strict = self.read(document, span, Library::Grammar);
            if strict.is_ok() || !library.forgives_anything_in(&document[span.range()]) {
                return strict;
            }
        }
        let read = Rc::new(read(Rewritten::part(document, span), library));
        self.done.borrow_mut().push(((span, library), read.clone()));
        read
    }
}

fn has_lone_return(text: &str) -> bool {
    text.match_indices('\r').any(|(at, _)| !text[at + 1..].starts_with('\n'))
}

/// `span` without the line end of the fence before it and without that of its own last line.
fn trim_line_ends(document: &str, span: Span) -> Span {
    let text = &document[span.range()];
    let (before, after) = (&document[..span.start as usize], &document[span.end as usize..]);
    let front = match text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')) {
        Some(rest) if !before.ends_with('\n') => rest,
        _ => text,
    };
    let start = span.end as usize - front.len();
    if after.starts_with(['\n', '\r']) {
        return Span::new(start, span.end as usize);
    }
    let back = front.strip_suffix('\n').unwrap_or(front);
    Span::new(start, start + back.strip_suffix('\r').unwrap_or(back).len())
}

/// Most places that are forgiven before a text is given up.
const MAX_FORGIVEN: usize = 16;

/// Reads `text`.
///
/// # Errors
/// A [`Reason`] for which the skill is lost, where the text is not YAML.
pub fn read(text: Rewritten<'_>, library: Library) -> Read<'_> {
    let mut text = if library.reads_controls() { hide(text, is_control) } else { text };
    if library.reads_returns() {
        text = hide_lone_returns(text);
    }
    if library.reads_commas() {
        text = hide_leading_commas(text);
    }
    for _ in 0..MAX_FORGIVEN {
        match yaml::read(text.text(), library.bounds()) {
            Ok(stream) => return Ok(Yaml { stream, text }),
            Err(error) => match forgiven(&text, &error, library) {
                Some(change) => {
                    let mut once = Some(change);
                    text = text.replace(|_, _| once.take());
                }
                None => return Err(diagnosis::of(&text, &error)),
            },
        }
    }
    yaml::read(text.text(), library.bounds())
        .map(|stream| Yaml { stream, text: text.clone() })
        .map_err(|error| diagnosis::of(&text, &error))
}

/// The change that makes an error go away which the library would not have made: position, length, replacement.
fn forgiven(
    text: &Rewritten<'_>,
    error: &SyntaxError,
    library: Library,
) -> Option<(usize, usize, Cow<'static, str>)> {
    let SyntaxErrorKind::Grammar(words) = &error.kind else { return None };
    let at = error.span.start as usize;
    let text = text.text();
    if words.starts_with("comments must be separated") && text[at..].starts_with('#') {
        let behind_header = text[..at].ends_with(['|', '>', '-', '+']);
        let allowed = match library.glued() {
            Glued::Anywhere => true,
            Glued::BehindValues => !behind_header,
            Glued::Nowhere => false,
        };
        return allowed.then_some((at, 0, Cow::Borrowed(" ")));
    }
    if words.contains("surrogate") && library.reads_surrogates() {
        let escape = text.get(..text.len().min(at + 6))?.rfind("\\u")?;
        let is_surrogate = matches!(text.as_bytes().get(escape + 2), Some(b'd' | b'D'));
        return is_surrogate.then_some((escape, 6.min(text.len() - escape), Cow::Borrowed("\\ufffd")));
    }
    None
}

/// A character that YAML does not allow.
#[must_use]
pub fn is_control(character: char) -> bool {
    matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}')
        || matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// Control characters as the grammar is shown them: at the end of the last private plane.
const STAND_IN: u32 = 0x10_fe00;

fn hide(text: Rewritten<'_>, which: impl Fn(char) -> bool) -> Rewritten<'_> {
    text.replace(|text, from| {
        let (offset, control) = text[from..].char_indices().find(|&(_, character)| which(character))?;
        let hidden = char::from_u32(STAND_IN + (u32::from(control) & 0x1ff))?;
        Some((from + offset, control.len_utf8(), Cow::Owned(hidden.to_string())))
    })
}

fn hide_lone_returns(text: Rewritten<'_>) -> Rewritten<'_> {
    text.replace(|text, from| {
        let at = text[from..]
            .match_indices('\r')
            .map(|(at, _)| from + at)
            .find(|at| !text[at + 1..].starts_with('\n'))?;
        let hidden = char::from_u32(STAND_IN + u32::from('\r'))?;
        Some((at, 1, Cow::Owned(hidden.to_string())))
    })
}

/// Hides each comma that is the first thing on its line, or the first behind `key: ` or `- `.
fn hide_leading_commas(text: Rewritten<'_>) -> Rewritten<'_> {
    text.replace(|text, from| {
        text[from..].match_indices(',').map(|(at, _)| from + at).find(|&at| leads(text, at)).and_then(|at| {
            let hidden = char::from_u32(STAND_IN + u32::from(','))?;
            Some((at, 1, Cow::Owned(hidden.to_string())))
        })
    })
}

/// Whether a value or key begins at `at`: nothing but blanks stands before it on the line, or blanks behind a colon or
/// dash. Looks no further back than a key is long.
fn leads(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n') || (before.len() < at && before.ends_with([':', '-']))
}

/// Text with the control characters that were hidden from the grammar.
#[must_use]
pub fn restore(text: &str) -> Cow<'_, str> {
    let shown = |character: char| match u32::from(character).checked_sub(STAND_IN) {
        Some(code @ (0x1fe | 0x1ff)) => char::from_u32(0xfe00 + code),
        Some(code @ 0..=0x9f) => char::from_u32(code),
        _ => None,
    };
    if text.chars().any(|character| shown(character).is_some()) {
        Cow::Owned(text.chars().map(|character| shown(character).unwrap_or(character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(document: &str) -> Rewritten<'_> {
        Rewritten::part(document, Span::new(0, document.len()))
    }

    #[test]
    fn the_same_block_is_read_once_whatever_line_ends_surround_it() {
        let document = "---\nname: a\n---\n";
        let readings = Readings::default();
        let one = readings.read(document, Span::new(3, 12), Library::Grammar);
        let two = readings.read(document, Span::new(4, 11), Library::Bun);
        let three = readings.read(document, Span::new(4, 12), Library::LibYaml);
        assert!(Rc::ptr_eq(&one, &two) && Rc::ptr_eq(&one, &three));
        let yaml = (*one).as_ref().unwrap();
        let (_, value) = yaml.field("name").unwrap();
        assert_eq!(&document[yaml.span(value).range()], "a");
    }

    #[test]
    fn control_characters_are_forgiven_only_where_the_library_does_and_come_back() {
        let document = "a: x\u{7}y\u{9f}\u{ffff}\nb: z";
        for strict in [Library::Grammar, Library::StrictYaml, Library::LibYaml] {
            assert!(read(part(document), strict).is_err());
        }
        let yaml = read(part(document), Library::Bun).unwrap();
        let value = |name| yaml.field(name).unwrap().1;
        assert_eq!(yaml.text_of(value("a")).unwrap(), "x\u{7}y\u{9f}\u{ffff}");
        assert_eq!(&document[yaml.span(value("b")).range()], "z");
    }

    #[test]
    fn glued_comments_are_forgiven_only_where_the_library_does() {
        let document = "a: \"x\"#c\nb: [y]#d\nc: z";
        for strict in [Library::Grammar, Library::Bun, Library::Eemeli] {
            assert!(read(part(document), strict).is_err());
        }
        let yaml = read(part(document), Library::JsYaml).unwrap();
        assert_eq!(&document[yaml.span(yaml.field("c").unwrap().1).range()], "z");
        assert!(read(part("a: |#c\n  b"), Library::JsYaml).is_err());
        assert!(read(part("a: |#c\n  b"), Library::LibYaml).is_ok());
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line_for_all_but_one() {
        let document = "a: x\ry";
        assert!(read(part(document), Library::Grammar).is_err());
        let yaml = read(part(document), Library::Eemeli).unwrap();
        assert_eq!(yaml.text_of(yaml.field("a").unwrap().1).unwrap(), "x\ry");
    }

    #[test]
    fn half_a_surrogate_pair_is_forgiven_only_where_the_library_does() {
        let document = "a: \"\\ud83d\"\nb: z";
        assert!(read(part(document), Library::Bun).is_err());
        assert!(read(part(document), Library::LibYaml).is_err());
        assert!(read(part(document), Library::JsYaml).is_ok());
    }
}
