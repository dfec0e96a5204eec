//! YAML's failsafe schema (YAML 1.2.2 §10.1): every scalar is text.
//!
//! A value of which nothing is written (`key:`) is [`Value::Absent`], which is not the empty text `""`.

use super::error::Problem;
use super::node::{Content, NodeId, Stream};

/// What a node is under this schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'s> {
    /// Nothing is written.
    Absent,
    /// Text, spelled as written.
    Text(&'s str),
    /// Items.
    Sequence(&'s [NodeId]),
    /// Pairs, in the order of the text.
    Mapping(&'s [(NodeId, NodeId)]),
}

/// What the node `id` is; an alias is what it refers to.
///
/// # Errors
/// [`Problem`] when the node has a tag that is not the one of its kind: `!!str`, `!!seq`, `!!map`, or `!`.
pub fn resolve(stream: &Stream, id: NodeId) -> Result<Value<'_>, Problem> {
    let node = stream.node(stream.resolve(id));
    let (value, own) = match &node.content {
        Content::Scalar(scalar) if scalar.is_absent() && node.tag.is_none() => (Value::Absent, "str"),
        Content::Scalar(scalar) => (Value::Text(&scalar.text), "str"),
        Content::Sequence(items) => (Value::Sequence(items), "seq"),
        Content::Mapping(pairs) => (Value::Mapping(pairs), "map"),
        // An alias never refers to an alias: the grammar gives aliases no anchor.
        Content::Alias(_) => (Value::Absent, "str"),
    };
    match &node.tag {
        Some(tag) if &*tag.uri != "!" && tag.core() != Some(own) => {
            Err(Problem::new(tag.span, format!("the tag `{tag}` has no meaning here")))
        }
        _ => Ok(value),
    }
}

/// Resolves every node.
///
/// # Errors
/// The first [`Problem`].
pub fn check(stream: &Stream) -> Result<(), Problem> {
    stream.iter().try_for_each(|(id, _)| resolve(stream, id).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Bounds, read};

    #[test]
    fn every_scalar_is_text_and_nothing_is_not_the_empty_text() {
        let stream = read("a: yes\nb:\nc: ''\nd: 0x1F\n", Bounds::default()).unwrap();
        let values: Vec<_> = stream
            .mapping(stream.roots()[0])
            .unwrap()
            .iter()
            .map(|&(_, value)| resolve(&stream, value).unwrap())
            .collect();
        assert_eq!(values, [Value::Text("yes"), Value::Absent, Value::Text(""), Value::Text("0x1F")]);
    }

    #[test]
    fn only_the_tag_of_its_own_kind_is_known() {
        for (text, known) in [
            ("a: !!str 4", true),
            ("a: !!seq [b]", true),
            ("a: ! b", true),
            ("a: !!int 4", false),
            ("a: !!str [b]", false),
            ("a: !custom b", false),
        ] {
            assert_eq!(check(&read(text, Bounds::default()).unwrap()).is_ok(), known, "{text}");
        }
    }
}
