//! [`load`]: every node's value, or the first thing the loader cannot construct.

use std::collections::HashMap;

use crate::json::Span;

use super::super::error::Problem;
use super::super::node::{Content, Node, NodeId, Scalar, Stream, Style, Tag};
use super::integer::Integer;
use super::merge::Merged;
use super::scalar::{self, Plain, plain};
use super::timestamp::{self, Look, Timestamp};

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `None`.
    Null,
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Integer(Integer),
    /// A float.
    Float(f64),
    /// Text.
    Text(Box<str>),
    /// A date or time.
    Timestamp(Timestamp),
    /// Bytes.
    Binary(Vec<u8>),
    /// A list.
    Sequence(Vec<NodeId>),
    /// A map: keys distinct, in the order in which they were first set, each with the value set last.
    Mapping(Vec<(NodeId, NodeId)>),
    /// `!!set`: its members.
    Set(Vec<NodeId>),
    /// `!!omap` and `!!pairs`: a list of pairs.
    Pairs(Vec<(NodeId, NodeId)>),
}

impl Value {
    /// The word for what this is: `null`, `a truth value`, `an integer`, `text`, …
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "text",
            Self::Timestamp(Timestamp { time: None, .. }) => "a date",
            Self::Timestamp(_) => "a time",
            Self::Binary(_) => "bytes",
            Self::Sequence(_) | Self::Pairs(_) => "a list",
            Self::Mapping(_) => "a mapping",
            Self::Set(_) => "a set",
        }
    }
}

/// A document with the value of every node.
#[derive(Clone, Debug)]
pub struct Loaded<'s> {
    stream: &'s Stream,
    values: Vec<Value>,
    root: Option<NodeId>,
}

impl<'s> Loaded<'s> {
    /// The root; `None` for a text without a document, which loads as null.
    #[must_use]
    pub const fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The value of a node; of an alias, what it refers to. A value may contain itself.
    #[must_use]
    pub fn value(&self, id: NodeId) -> &Value {
        &self.values[self.stream.resolve(id).index()]
    }

    /// The key and value called `name` in the root, when the root is a mapping that has it.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<(NodeId, NodeId)> {
        let Value::Mapping(pairs) = self.value(self.root?) else { return None };
        pairs
            .iter()
            .copied()
            .find(|&(key, _)| matches!(self.value(key), Value::Text(text) if **text == *name))
    }

    /// The tree it was loaded from.
    #[must_use]
    pub const fn stream(&self) -> &'s Stream {
        self.stream
    }
}

/// Loads the only document of `stream`.
///
/// # Errors
/// [`Problem`] where the loader gives up: a second document, an anchor defined twice, a tag it does not know, a value that
/// does not fit its tag, a list or mapping as a key, a date that is none, a merge of what is no mapping.
pub fn load(stream: &Stream) -> Result<Loaded<'_>, Problem> {
    let root = match *stream.roots() {
        [] => None,
        [root] => Some(root),
        [_, second, ..] => {
            return Err(Problem::new(stream.node(second).span, "a second document begins here"));
        }
    };
    check_anchors(stream)?;
    let mut loader = Loader {
        stream,
        values: vec![Value::Null; stream.len()],
        is_key: keys(stream),
        merged: Merged::new(stream),
    };
    for id in children_first(stream) {
        loader.values[id.index()] = loader.value(id)?;
    }
    // Keys are compared once everything is known, since an alias may stand for a key.
    for (id, _) in stream.iter() {
        let keyed = match &loader.values[id.index()] {
            Value::Mapping(pairs) => Value::Mapping(loader.distinct(pairs)?),
            Value::Set(members) => {
                let pairs: Vec<_> = members.iter().map(|&member| (member, member)).collect();
                Value::Set(loader.distinct(&pairs)?.into_iter().map(|(key, _)| key).collect())
            }
            _ => continue,
        };
        loader.values[id.index()] = keyed;
    }
    Ok(Loaded { stream, values: loader.values, root })
}

/// PyYAML allows an anchor's name once in a document.
fn check_anchors(stream: &Stream) -> Result<(), Problem> {
    let mut seen: HashMap<&str, ()> = HashMap::new();
    for (_, node) in stream.iter() {
        if let Some(anchor) = &node.anchor
            && seen.insert(&anchor.name, ()).is_some()
        {
            return Err(Problem::new(anchor.span, format!("the anchor `&{}` is there twice", anchor.name)));
        }
    }
    Ok(())
}

/// Every node after its children: what an alias can refer to, except what encloses it, comes before it.
fn children_first(stream: &Stream) -> Vec<NodeId> {
    enum Step {
        Enter(NodeId),
        Leave(NodeId),
    }
    let mut order = Vec::with_capacity(stream.len());
    let mut steps: Vec<Step> = stream.roots().iter().rev().map(|&root| Step::Enter(root)).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Leave(id) => order.push(id),
            Step::Enter(id) => {
                steps.push(Step::Leave(id));
                match &stream.node(id).content {
                    Content::Sequence(items) => {
                        steps.extend(items.iter().rev().map(|&item| Step::Enter(item)));
                    }
                    Content::Mapping(pairs) => {
                        steps.extend(
                            pairs
                                .iter()
                                .rev()
                                .flat_map(|&(key, value)| [Step::Enter(value), Step::Enter(key)]),
                        );
                    }
                    Content::Scalar(_) | Content::Alias(_) => {}
                }
            }
        }
    }
    order
}

/// For every node, whether it is the key of a mapping.
fn keys(stream: &Stream) -> Vec<bool> {
    let mut is_key = vec![false; stream.len()];
    for (_, node) in stream.iter() {
        if let Content::Mapping(pairs) = &node.content {
            for &(key, _) in pairs {
                is_key[key.index()] = true;
            }
        }
    }
    is_key
}

struct Loader<'s> {
    stream: &'s Stream,
    values: Vec<Value>,
    is_key: Vec<bool>,
    merged: Merged,
}

impl Loader<'_> {
    fn value(&mut self, id: NodeId) -> Result<Value, Problem> {
        let stream = self.stream;
        let node = stream.node(id);
        let tag = node.tag.as_ref().filter(|tag| &*tag.uri != "!");
        let known = |tag: &Tag| tag.core().map_or_else(|| Err(unknown(tag)), |core| Ok(core.to_owned()));
        let tag_name = tag.map(known).transpose()?;
        match (&node.content, tag_name.as_deref()) {
            (Content::Alias(_), _) => Ok(Value::Null),
            // The non-specific tag `!` says nothing to this loader: a plain scalar keeps its type.
            (Content::Scalar(scalar), None) if scalar.style != Style::Plain => {
                Ok(Value::Text(scalar.text.clone()))
            }
            (Content::Scalar(scalar), None) => self.plain(id, scalar, node.span),
            (Content::Scalar(scalar), Some(name)) => tagged(scalar, name, node),
            (Content::Sequence(items), None | Some("seq")) => Ok(Value::Sequence(items.clone())),
            (Content::Sequence(items), Some("omap" | "pairs")) => self.pairs(items),
            (Content::Mapping(pairs), None | Some("map")) => {
                Ok(Value::Mapping(self.merged.flatten(stream, id, pairs)?))
            }
            (Content::Mapping(pairs), Some("set")) => {
                let pairs = self.merged.flatten(stream, id, pairs)?;
                Ok(Value::Set(pairs.into_iter().map(|(key, _)| key).collect()))
            }
            (Content::Mapping(pairs), Some(name)) => {
                // A mapping with the key `=` may stand for that key's value.
                let default = pairs.iter().find(|&&(key, _)| self.is_default(key));
                match default.map(|&(_, value)| stream.resolve(value)) {
                    Some(value) if is_scalar_tag(name) => match &stream.node(value).content {
                        Content::Scalar(scalar) => tagged(scalar, name, node),
                        _ => Err(misplaced(node, name)),
                    },
                    _ => Err(misplaced(node, name)),
                }
            }
            (Content::Sequence(_), Some(name)) => Err(misplaced(node, name)),
        }
    }

    fn is_default(&self, key: NodeId) -> bool {
        let node = self.stream.node(key);
        matches!(&node.content, Content::Scalar(scalar) if node.tag.is_none() && scalar.style == Style::Plain && &*scalar.text == "=")
    }

    fn plain(&self, id: NodeId, scalar: &Scalar, span: Span) -> Result<Value, Problem> {
        let text = &*scalar.text;
        match plain(text) {
            Plain::Null => Ok(Value::Null),
            Plain::Bool(truth) => Ok(Value::Bool(truth)),
            Plain::Integer(integer) => Ok(Value::Integer(integer)),
            Plain::Float(float) => Ok(Value::Float(float)),
            Plain::Timestamp(timestamp) => Ok(Value::Timestamp(timestamp)),
            Plain::Text => Ok(Value::Text(text.into())),
            Plain::Merge | Plain::Default if self.is_key[id.index()] => Ok(Value::Text(text.into())),
            Plain::Merge | Plain::Default => {
                Err(Problem::new(span, format!("a plain `{text}` as a value cannot be loaded")))
            }
            Plain::Impossible => {
                Err(Problem::new(span, format!("`{text}` has the shape of a number or date and is none")))
            }
        }
    }

    fn pairs(&self, items: &[NodeId]) -> Result<Value, Problem> {
        let pairs = items.iter().map(|&item| match self.stream.mapping(item) {
            Some(&[pair]) => Ok(pair),
            _ => Err(Problem::new(self.stream.node(item).span, "a list of pairs needs mappings of one key")),
        });
        Ok(Value::Pairs(pairs.collect::<Result<_, _>>()?))
    }

    /// The pairs of a map with distinct keys, the last value of each.
    fn distinct(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<(NodeId, NodeId)>, Problem> {
        let mut at: HashMap<Key<'_>, usize> = HashMap::with_capacity(pairs.len());
        let mut distinct: Vec<(NodeId, NodeId)> = Vec::with_capacity(pairs.len());
        for &(key, value) in pairs {
            let target = self.stream.resolve(key);
            let Some(same) = Key::of(&self.values[target.index()], target) else {
                let kind = self.values[target.index()].kind();
                return Err(Problem::new(self.stream.node(key).span, format!("{kind} cannot be a key")));
            };
            match at.get(&same) {
                Some(&index) => distinct[index].1 = value,
                None => {
                    at.insert(same, distinct.len());
                    distinct.push((key, value));
                }
            }
        }
        Ok(distinct)
    }
}

/// A key as Python compares it: `1`, `1.0` and `True` are one.
#[derive(PartialEq, Eq, Hash)]
enum Key<'v> {
    Null,
    Number(String),
    NotANumber(NodeId),
    Text(&'v str),
    Timestamp(Timestamp),
    Binary(&'v [u8]),
}

impl<'v> Key<'v> {
    /// `None` for what cannot be a key.
    fn of(value: &'v Value, id: NodeId) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Number(u8::from(*truth).to_string()),
            Value::Integer(integer) => Self::Number(integer.to_string()),
            Value::Float(float) if float.is_nan() => Self::NotANumber(id),
            Value::Float(float) => {
                Self::Number(if *float == 0.0 { "0".to_owned() } else { float.to_string() })
            }
            Value::Text(text) => Self::Text(text),
            Value::Timestamp(timestamp) => Self::Timestamp(*timestamp),
            Value::Binary(bytes) => Self::Binary(bytes),
            Value::Sequence(_) | Value::Mapping(_) | Value::Set(_) | Value::Pairs(_) => return None,
        })
    }
}

fn unknown(tag: &Tag) -> Problem {
    Problem::new(tag.span, format!("the tag `{tag}` cannot be loaded"))
}

fn misplaced(node: &Node, name: &str) -> Problem {
    let span = node.tag.as_ref().map_or(node.span, |tag| tag.span);
    if is_scalar_tag(name) || matches!(name, "seq" | "map" | "set" | "omap" | "pairs") {
        Problem::new(span, format!("the tag `!!{name}` stands on something else"))
    } else {
        Problem::new(span, format!("the tag `!!{name}` cannot be loaded"))
    }
}

fn is_scalar_tag(name: &str) -> bool {
    matches!(name, "str" | "null" | "bool" | "int" | "float" | "timestamp" | "binary")
}

/// A scalar under an explicit tag.
fn tagged(scalar: &Scalar, name: &str, node: &Node) -> Result<Value, Problem> {
    let text = &*scalar.text;
    let value = match name {
        "str" => Some(Value::Text(text.into())),
        "null" => Some(Value::Null),
        "bool" => scalar::truth(text).or_else(|| scalar::truth(&text.to_lowercase())).map(Value::Bool),
        "int" => Integer::parse(text.trim()).map(Value::Integer),
        "float" => scalar::float(text.trim()).map(Value::Float),
        "timestamp" => match timestamp::look(text) {
            Look::Timestamp(timestamp) => Some(Value::Timestamp(timestamp)),
            _ => None,
        },
        "binary" => base64(text).map(Value::Binary),
        _ => return Err(misplaced(node, name)),
    };
    value.ok_or_else(|| Problem::new(node.span, format!("`{text}` does not fit the tag `!!{name}`")))
}

/// Base64 as Python decodes it: characters outside the alphabet are skipped, padding must come out even.
fn base64(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count, mut padding) = (0u32, 0usize, 0usize);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if count % 4 >= 2 => {
                padding += 1;
                if count % 4 + padding >= 4 {
                    return Some(bytes);
                }
                continue;
            }
            _ => continue,
        };
        padding = 0;
        bits = bits << 6 | u32::from(six);
        count += 1;
        if count % 4 != 1 {
            let shift = [0, 0, 4, 2][count % 4];
            bytes.push((bits >> shift & 0xff).to_le_bytes()[0]);
        }
    }
    (count % 4 == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Bounds, read};

    fn with<T>(text: &str, ask: impl FnOnce(Result<Loaded<'_>, Problem>) -> T) -> T {
        ask(load(&read(text, Bounds::default()).unwrap()))
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        with(text, |loaded| {
            let loaded = loaded.unwrap();
            let Value::Mapping(pairs) = loaded.value(loaded.root().unwrap()) else { panic!("no mapping") };
            pairs.iter().map(|&(_, value)| loaded.value(value).kind()).collect()
        })
    }

    fn refused(text: &str) -> String {
        with(text, |loaded| loaded.unwrap_err().message)
    }

    #[test]
    fn values_have_python_types() {
        let text =
            "a: ! yes\nb: ! 'yes'\nc: 010\nd: 1.5\ne: 2024-01-02\nf: ~\ng: [x]\nh: {x: y}\ni: !!set {x}\n";
        let kinds = kinds(text);
        assert_eq!(
            kinds,
            [
                "a truth value",
                "text",
                "an integer",
                "a float",
                "a date",
                "null",
                "a list",
                "a mapping",
                "a set"
            ]
        );
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        with("name: a\n\"name\": b\n", |loaded| {
            let loaded = loaded.unwrap();
            let (_, value) = loaded.entry("name").unwrap();
            assert_eq!(loaded.value(value), &Value::Text("b".into()));
        });
    }

    #[test]
    fn merges_give_way_to_own_keys_and_the_first_of_a_list_wins() {
        let text = "x: &x {a: x, b: x, c: x}\ny: &y {b: y, c: y}\nz: &z\n  c: own\n  <<: [*y, *x]\n<<: *z\n";
        with(text, |loaded| {
            let loaded = loaded.unwrap();
            let get = |name| match loaded.value(loaded.entry(name).unwrap().1) {
                Value::Text(text) => text.to_string(),
                other => panic!("{other:?}"),
            };
            assert_eq!((get("a"), get("b"), get("c")), ("x".into(), "y".into(), "own".into()));
        });
    }

    #[test]
    fn what_pyyaml_cannot_construct_is_a_problem() {
        for (text, words) in [
            ("a: !foo b", "cannot be loaded"),
            ("a: !!python/name:os.system x", "cannot be loaded"),
            ("? [a]\n: b", "cannot be a key"),
            ("a: &x [1]\n*x : b", "cannot be a key"),
            ("a: 2024-02-30", "is none"),
            ("a: =", "as a value"),
            ("a: !!int b", "does not fit"),
            ("a: !!seq b", "stands on something else"),
            ("<<: x", "needs a mapping"),
            ("a: &a\n  <<: *a", "merges the mapping it stands in"),
            ("a: &x 1\nb: &x 2", "there twice"),
            ("a: 1\n--- \nb: 2", "second document"),
        ] {
            assert!(refused(text).contains(words), "{text}: {}", refused(text));
        }
        assert_eq!(kinds("=: x\na: &a {k: *a}\nb: &x [*x]\n"), ["text", "a mapping", "a list"]);
    }

    #[test]
    fn merging_cannot_multiply_without_end() {
        let mut text = "m0: &m0 {".to_owned();
        text.push_str(&(0..2000).map(|n| format!("k{n}: 1, ")).collect::<String>());
        text.push_str("}\n");
        for level in 1..40 {
            let below = level - 1;
            text.push_str(&format!("m{level}: &m{level}\n  <<: [*m{below}, *m{below}, *m{below}]\n"));
        }
        assert!(refused(&text).contains("pairs"));
    }

    #[test]
    fn base64_is_read_as_python_reads_it() {
        assert_eq!(base64("aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(base64("aGVs\n bG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(base64("aGVsbG8"), None);
        assert_eq!(base64("é"), None);
    }
}
