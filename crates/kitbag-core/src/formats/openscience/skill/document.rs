//! [`Document`]: a `SKILL.md` as Open-Science reads it (§1.1, §1.2): every scalar is text, whatever it looks like.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::yaml::{self, Bounds, NodeId, Stream, failsafe};

/// A `SKILL.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Whether it begins with a block between `---`, whatever is in there.
    pub has_front_matter: bool,
    /// The field `name`.
    pub name: Option<String>,
    /// The field `description`.
    pub description: Option<String>,
    /// All other fields.
    pub metadata: BTreeMap<String, String>,
    /// What follows the block; without one, the whole text as it is.
    pub body: String,
    /// The names of all fields in lower case, also of those that hold no text. Empty when the block cannot be read.
    pub keys: Vec<String>,
}

/// A text cut into the YAML of its block and what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut<'t> {
    /// The block without its fences.
    pub(super) yaml: &'t str,
    /// What stands behind the closing `---`, from there on.
    pub(super) rest: &'t str,
}

/// Lines end at LF, CR LF and CR alike.
pub(super) fn universal(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text.into() }
}

/// `^---\n([\s\S]*?)\n---\n?`: the block closes at the first later line that begins with `---`.
pub(super) fn cut(text: &str) -> Option<Cut<'_>> {
    let block = text.strip_prefix("---\n")?;
    let end = block.find("\n---")?;
    let rest = &block[end + 4..];
    Some(Cut { yaml: &block[..end], rest: rest.strip_prefix('\n').unwrap_or(rest) })
}

/// The pairs of a block, with the nodes they are.
type Fields = (Stream, Vec<(NodeId, NodeId)>);

/// The mapping of a block, where it is one that js-yaml reads under its failsafe schema.
pub(super) fn fields(yaml: &str) -> Result<Fields, &'static str> {
    let stream = yaml::read(yaml, Bounds::FRONT_MATTER).map_err(|_| "the front matter is no YAML")?;
    let [root] = *stream.roots() else {
        return if stream.roots().is_empty() {
            Ok((stream, Vec::new()))
        } else {
            Err("there is a second YAML document")
        };
    };
    failsafe::check(&stream).map_err(|_| "a tag has no meaning here")?;
    if repeats_a_key(&stream) {
        return Err("a key stands twice");
    }
    let pairs = stream.mapping(root).map(<[_]>::to_vec).unwrap_or_default();
    Ok((stream, pairs))
}

/// Whether some mapping has two equal keys.
fn repeats_a_key(stream: &Stream) -> bool {
    stream.iter().any(|(_, node)| {
        let yaml::Content::Mapping(pairs) = &node.content else { return false };
        let mut seen = std::collections::HashSet::new();
        pairs.iter().filter_map(|&(key, _)| stream.scalar(key)).any(|key| !seen.insert(&*key.text))
    })
}

impl Document {
    /// Reads a document. A block that cannot be read gives no fields, and is no error.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let lines = universal(text);
        let Some(cut) = cut(&lines) else { return Self { body: text.to_owned(), ..Self::default() } };
        let body = cut.rest.trim_start_matches('\n').to_owned();
        let mut document = Self { has_front_matter: true, body, ..Self::default() };
        let Ok((stream, pairs)) = fields(cut.yaml) else { return document };
        for (key, value) in pairs {
            let Some(key) = stream.scalar(key).map(|key| key.text.to_lowercase()) else { continue };
            if let Some(text) = text_of(&stream, value) {
                document.metadata.insert(key.clone(), text);
            }
            document.keys.push(key);
        }
        document.name = document.metadata.remove("name");
        document.description = document.metadata.remove("description");
        document
    }
}

/// A field as text: a list's text items joined, nothing for a mapping.
fn text_of(stream: &Stream, value: NodeId) -> Option<String> {
    match failsafe::resolve(stream, value).ok()? {
        failsafe::Value::Text(text) => Some(text.to_owned()),
        failsafe::Value::Sequence(items) => {
            let texts: Vec<&str> = items
                .iter()
                .filter_map(|&item| match failsafe::resolve(stream, item) {
                    Ok(failsafe::Value::Text(text)) => Some(text),
                    _ => None,
                })
                .collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        failsafe::Value::Mapping(_) | failsafe::Value::Absent => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_closes_at_the_first_line_that_begins_with_dashes() {
        for (text, yaml, body) in [
            ("---\na: 1\n---\nb", "a: 1", "b"),
            ("---\na: 1\n----\nb", "a: 1", "-\nb"),
            ("---\r\na: 1\r\n---x", "a: 1", "x"),
            ("---\n\n---\n\n\nb", "", "b"),
        ] {
            let lines = universal(text);
            let cut = cut(&lines).unwrap();
            assert_eq!((cut.yaml, Document::read(text).body.as_str()), (yaml, body), "{text:?}");
        }
        for text in ["---\n---\n", "--- \na: 1\n---", "\n---\na: 1\n---", "\u{feff}---\na: 1\n---"] {
            let document = Document::read(text);
            assert!(!document.has_front_matter, "{text:?}");
            assert_eq!(document.body, text);
        }
    }

    #[test]
    fn every_scalar_is_text_and_what_is_none_is_dropped() {
        let text =
            "---\nName: 1.0\ndescription: no\ntags: [a, [b], c]\nmeta: {x: y}\nempty:\nquoted: ''\n---\n";
        let document = Document::read(text);
        assert_eq!(document.name.as_deref(), Some("1.0"));
        assert_eq!(document.description.as_deref(), Some("no"));
        let metadata: Vec<(&str, &str)> =
            document.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(metadata, [("quoted", ""), ("tags", "a, c")]);
        assert_eq!(document.keys, ["name", "description", "tags", "meta", "empty", "quoted"]);
    }

    #[test]
    fn a_block_that_cannot_be_read_gives_no_fields() {
        for block in ["a: b: c", "a: 1\na: 2", "a: !!int 1", "- x", "a: 1\n...\nb: 2", "{x: {y: 1, y: 2}}"] {
            let document = Document::read(&format!("---\n{block}\n---\nbody"));
            assert!(document.has_front_matter, "{block}");
            assert_eq!((document.name, document.metadata.len()), (None, 0), "{block}");
        }
    }
}
