//! Merge keys: `<<: *defaults`.

use super::super::error::Problem;
use super::super::node::{Content, NodeId, Stream, Style};

/// Most pairs that merging may add to a document. Each mapping that merges another copies its pairs, so the sum can grow
/// with the square of the text.
const MAX_MERGED: usize = 1_000_000;

/// The pairs of every mapping that merges others, in the order in which they are set: what is merged first, its own last.
pub(super) struct Merged {
    pairs: Vec<Option<Vec<(NodeId, NodeId)>>>,
    added: usize,
}

impl Merged {
    /// Nothing merged yet.
    pub(super) fn new(stream: &Stream) -> Self {
        Self { pairs: vec![None; stream.len()], added: 0 }
    }

    /// Merges what the mapping `id` asks for. Everything it can refer to, except what encloses it, must have been given
    /// before it.
    pub(super) fn flatten(
        &mut self,
        stream: &Stream,
        id: NodeId,
        own: &[(NodeId, NodeId)],
    ) -> Result<Vec<(NodeId, NodeId)>, Problem> {
        let mut pairs = Vec::new();
        for &(key, value) in own.iter().filter(|&&(key, _)| is_merge(stream, key)) {
            let target = stream.resolve(value);
            match &stream.node(target).content {
                Content::Mapping(_) => self.copy(stream, target, value, &mut pairs)?,
                Content::Sequence(items) => {
                    // The first of the list wins, so it is set last.
                    for &item in items.iter().rev() {
                        self.copy(stream, stream.resolve(item), item, &mut pairs)?;
                    }
                }
                _ => {
                    let span = stream.node(value).span;
                    return Err(Problem::new(span, "`<<` needs a mapping or a list of mappings"));
                }
            }
            self.check(stream, key)?;
        }
        pairs.extend(own.iter().filter(|&&(key, _)| !is_merge(stream, key)));
        self.pairs[id.index()] = Some(pairs.clone());
        Ok(pairs)
    }

    fn copy(
        &mut self,
        stream: &Stream,
        from: NodeId,
        named: NodeId,
        into: &mut Vec<(NodeId, NodeId)>,
    ) -> Result<(), Problem> {
        let span = stream.node(named).span;
        match (&self.pairs[from.index()], &stream.node(from).content) {
            (Some(pairs), _) => {
                self.added += pairs.len();
                if self.added <= MAX_MERGED {
                    into.extend_from_slice(pairs);
                }
                Ok(())
            }
            (None, Content::Mapping(_)) => Err(Problem::new(span, "`<<` merges the mapping it stands in")),
            _ => Err(Problem::new(span, "`<<` needs a mapping or a list of mappings")),
        }
    }

    fn check(&self, stream: &Stream, key: NodeId) -> Result<(), Problem> {
        if self.added > MAX_MERGED {
            let span = stream.node(key).span;
            return Err(Problem::new(span, format!("merging adds more than {MAX_MERGED} pairs")));
        }
        Ok(())
    }
}

/// Whether a key is the merge key: `<<` written plainly, or tagged so.
pub(super) fn is_merge(stream: &Stream, key: NodeId) -> bool {
    let node = stream.node(stream.resolve(key));
    match (&node.content, &node.tag) {
        (Content::Scalar(scalar), None) => scalar.style == Style::Plain && &*scalar.text == "<<",
        (Content::Scalar(_), Some(tag)) => tag.core() == Some("merge"),
        _ => false,
    }
}
