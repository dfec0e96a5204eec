//! [`Stream`]: every node of a text in one arena, so that a reference is a number and a cycle costs nothing.

use std::fmt;

use crate::json::Span;

/// A node, by its place in the [`Stream`] that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The place in the arena.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Everything that one text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<NodeId>,
}

impl Stream {
    /// The root of every document, in order. A text without any content has none.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node, parents before their children.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0u32..).map(NodeId).zip(&self.nodes)
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node that `id` stands for: itself, or what an alias refers to. An anchor belongs to a node with content, so one
    /// step is enough.
    #[must_use]
    pub fn resolve(&self, id: NodeId) -> NodeId {
        match self.node(id).content {
            Content::Alias(target) => target,
            _ => id,
        }
    }

    /// The pairs of the mapping that `id` stands for, if it is one.
    #[must_use]
    pub fn mapping(&self, id: NodeId) -> Option<&[(NodeId, NodeId)]> {
        match &self.node(self.resolve(id)).content {
            Content::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The items of the sequence that `id` stands for, if it is one.
    #[must_use]
    pub fn sequence(&self, id: NodeId) -> Option<&[NodeId]> {
        match &self.node(self.resolve(id)).content {
            Content::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The scalar that `id` stands for, if it is one.
    #[must_use]
    pub fn scalar(&self, id: NodeId) -> Option<&Scalar> {
        match &self.node(self.resolve(id)).content {
            Content::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }
}

/// A node and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The bytes of the content, without tag and anchor; of a block scalar, its text without the header (`|`).
    pub span: Span,
    /// The explicit tag.
    pub tag: Option<Tag>,
    /// The anchor.
    pub anchor: Option<Anchor>,
    /// What it is.
    pub content: Content,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Scalar(Scalar),
    /// Items.
    Sequence(Vec<NodeId>),
    /// Pairs of key and value in the order of the text; a key may be there twice.
    Mapping(Vec<(NodeId, NodeId)>),
    /// A reference to a node with an anchor, possibly one that encloses this one.
    Alias(NodeId),
}

/// A scalar as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text after unescaping and folding.
    pub text: Box<str>,
    /// How it is written.
    pub style: Style,
}

impl Scalar {
    /// Whether nothing is written at all: `key:`.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.style == Style::Plain && self.text.is_empty()
    }
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `plain`
    Plain,
    /// `'single'`
    SingleQuoted,
    /// `"double"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// An explicit tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The full tag: `tag:yaml.org,2002:str` for `!!str`, `!foo` for a local one, `!` alone for the non-specific one.
    pub uri: Box<str>,
    /// The bytes as written.
    pub span: Span,
}

impl Tag {
    /// The name in YAML's own namespace: `str` for `!!str`.
    #[must_use]
    pub fn core(&self) -> Option<&str> {
        self.uri.strip_prefix("tag:yaml.org,2002:")
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.core() {
            Some(name) => write!(f, "!!{name}"),
            None if self.uri.starts_with('!') => f.write_str(&self.uri),
            None => write!(f, "!<{}>", self.uri),
        }
    }
}

/// An anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its name without `&`.
    pub name: Box<str>,
    /// The bytes as written.
    pub span: Span,
}
