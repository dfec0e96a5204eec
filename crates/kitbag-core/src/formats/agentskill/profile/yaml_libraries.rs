//! Where the YAML libraries of the programs differ from the grammar: what they refuse although it is YAML, and what they
//! make of a scalar.

use std::collections::HashMap;

use crate::json::Span;
use crate::yaml::{Content, NodeId, Scalar, Style, layout};

use super::super::reading::{Yaml, is_control, restore};

/// Where the lines of a block begin, so that a column costs a search and not a scan.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// Where the line of `at` begins.
    fn start(&self, at: usize) -> usize {
        self.0[self.0.partition_point(|&start| start <= at).max(1) - 1]
    }
}

/// The first tab that stands between tokens. In the document's bytes.
pub(super) fn stray_tab(yaml: &Yaml<'_>) -> Option<Span> {
    layout::stray_tab(yaml.text.text(), &yaml.stream).map(|span| yaml.text.back(span))
}

/// A line whose indentation holds a tab where libyaml expects spaces: in block context, and behind `- ` or `? `.
pub(super) fn libyaml_tab(yaml: &Yaml<'_>) -> Option<Span> {
    let text = yaml.text.text();
    if !text.contains('\t') {
        return None;
    }
    let (free, plain) = (free_of_indentation(yaml), plain_ends(yaml));
    let lines = Lines::of(text);
    // Where the last line that was not blank ends.
    let mut content_end = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let lead = &line[..line.len() - line.trim_start_matches([' ', '\t', '-', '?']).len()];
        let blank = lead.len() - lead.trim_start_matches([' ', '\t']).len();
        // Behind an indicator only a tab that touches it matters; before one, any.
        let tab = lead.find('\t').filter(|&tab| tab < blank || lead[..tab].ends_with(['-', '?']));
        if let Some(tab) = tab
            && !layout::is_within(&free, at + tab)
            && !continues_plain(text, &lines, &plain, content_end, tab)
        {
            return Some(yaml.text.back(Span::new(at + tab, at + tab + 1)));
        }
        let content = line.trim_end().len();
        if content > 0 {
            content_end = at + content;
        }
        at += line.len();
    }
    None
}

/// The bytes in which a line may begin with anything: quoted scalars, brackets, and block scalars behind their first line,
/// which sets the indentation.
fn free_of_indentation(yaml: &Yaml<'_>) -> Vec<Span> {
    let text = yaml.text.text();
    let mut free: Vec<Span> = Vec::new();
    for (id, node) in yaml.stream.iter() {
        match &node.content {
            Content::Scalar(scalar) if matches!(scalar.style, Style::SingleQuoted | Style::DoubleQuoted) => {
                free.push(node.span);
            }
            Content::Scalar(scalar) if matches!(scalar.style, Style::Literal | Style::Folded) => {
                let body = &text[node.span.range()];
                let first = body.find(|c: char| !matches!(c, '\n' | '\r' | ' ')).unwrap_or(body.len());
                if !body[first..].starts_with('\t') {
                    free.push(Span::new(node.span.start as usize + first, node.span.end as usize));
                }
            }
            _ if yaml.is_flow(id) => free.push(node.span),
            _ => {}
        }
    }
    free.sort_by_key(|span| span.start);
    // Brackets inside brackets add nothing, and would hide what encloses them from the search.
    let mut outer: Vec<Span> = Vec::with_capacity(free.len());
    for span in free {
        if outer.last().is_none_or(|last| span.start >= last.end) {
            outer.push(span);
        }
    }
    outer
}

/// Where each plain scalar ends, and where it begins.
fn plain_ends(yaml: &Yaml<'_>) -> HashMap<usize, usize> {
    let scalars = yaml.stream.iter().filter(|(_, node)| {
        matches!(&node.content, Content::Scalar(scalar) if scalar.style == Style::Plain)
            && node.span.start < node.span.end
    });
    scalars.map(|(_, node)| (node.span.end as usize, node.span.start as usize)).collect()
}

/// Whether a line may still belong to the plain scalar that ends at `content_end`, with its tab behind enough spaces.
fn continues_plain(
    text: &str,
    lines: &Lines,
    plain: &HashMap<usize, usize>,
    content_end: usize,
    tab: usize,
) -> bool {
    plain.get(&content_end).is_some_and(|&start| {
        let line = &text[lines.start(start)..];
        tab > line.len() - line.trim_start_matches(' ').len()
    })
}

/// A block mapping that begins behind a tab on its line.
pub(super) fn tabbed_mapping(yaml: &Yaml<'_>) -> Option<Span> {
    let text = yaml.text.text();
    if !text.contains('\t') {
        return None;
    }
    let lines = Lines::of(text);
    yaml.stream.iter().find_map(|(id, node)| {
        if !matches!(node.content, Content::Mapping(_)) || yaml.is_flow(id) {
            return None;
        }
        let line = lines.start(node.span.start as usize);
        let lead = &text[line..node.span.start as usize];
        if !lead.chars().all(|c| matches!(c, ' ' | '\t' | '-')) {
            return None;
        }
        let tab = line + lead.find('\t')?;
        Some(yaml.text.back(Span::new(tab, tab + 1)))
    })
}

/// A scalar that contains a control character.
pub(super) fn scalar_with_control(yaml: &Yaml<'_>) -> Option<Span> {
    yaml.stream.iter().find_map(|(id, node)| {
        let Content::Scalar(_) = &node.content else { return None };
        // Escaped ones are fine: only what stands there as such counts.
        restore(yaml.source(id)).contains(is_control).then(|| yaml.span(id))
    })
}

/// The first quoted scalar or flow collection that goes on in a line not indented beyond its key. Readers of strict
/// indentation take such a line for the next key.
pub(super) fn under_indented(yaml: &Yaml<'_>) -> Option<Span> {
    let text = yaml.text.text();
    let lines = Lines::of(text);
    for (id, node) in yaml.stream.iter() {
        let Content::Mapping(pairs) = &node.content else { continue };
        if yaml.is_flow(id) {
            continue;
        }
        for &(key, value) in pairs {
            let value = yaml.stream.node(value);
            let key = yaml.stream.node(key).span.start as usize;
            let indent = key - lines.start(key);
            let source = &text[value.span.range()];
            let enclosed = match &value.content {
                Content::Scalar(scalar) => matches!(scalar.style, Style::SingleQuoted | Style::DoubleQuoted),
                Content::Sequence(_) | Content::Mapping(_) => source.starts_with(['[', '{']),
                Content::Alias(_) => false,
            };
            if !enclosed {
                continue;
            }
            let mut at = value.span.start as usize;
            for (number, line) in source.split_inclusive('\n').enumerate() {
                let content = line.trim_start_matches([' ', '\t']);
                let column = line.len() - content.len();
                let closes = matches!(content.trim_end(), "]" | "}") && column == indent;
                if number > 0 && column <= indent && !content.trim().is_empty() && !closes {
                    return Some(yaml.text.back(Span::new(at + column, at + column + 1)));
                }
                at += line.len();
            }
        }
    }
    None
}

/// Whether an escape in double quotes stands for a surrogate, alone or in a pair.
pub(super) fn surrogate_escape(yaml: &Yaml<'_>) -> Option<Span> {
    yaml.stream.iter().find_map(|(id, node)| {
        let Content::Scalar(scalar) = &node.content else { return None };
        if scalar.style != Style::DoubleQuoted {
            return None;
        }
        let mut rest = yaml.source(id);
        while let Some(at) = rest.find('\\') {
            let escape = &rest.as_bytes()[at + 1..];
            if let [b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..] = escape {
                return Some(yaml.text.back(node.span));
            }
            let next = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
            rest = &rest[at + 1 + next..];
        }
        None
    })
}

/// A further line end of YAML 1.1 that ends a plain scalar. In the document's bytes.
pub(super) fn line_separator(yaml: &Yaml<'_>) -> Option<Span> {
    layout::line_separator(yaml.text.text(), &yaml.stream).map(|span| yaml.text.back(span))
}

/// A key of which nothing is written: `: value`.
pub(super) fn absent_key(yaml: &Yaml<'_>) -> Option<Span> {
    let text = yaml.text.text();
    yaml.stream.iter().find_map(|(_, node)| {
        let Content::Mapping(pairs) = &node.content else { return None };
        pairs.iter().find_map(|&(key, value)| {
            let at = yaml.stream.node(key).span.start as usize;
            let absent = yaml.scalar(key).is_some_and(Scalar::is_absent);
            let explicit = text[..at].trim_end().ends_with('?');
            (absent && !explicit).then(|| yaml.span(value))
        })
    })
}

/// Whether every alias of a document expands to at most `max` nodes in all, as one library counts: per anchor, how often
/// it is used times how many aliases are inside it.
pub(super) fn aliases_expand_beyond(yaml: &Yaml<'_>, max: usize) -> Option<Span> {
    let mut weights: HashMap<NodeId, usize> = HashMap::new();
    let mut uses: HashMap<NodeId, usize> = HashMap::new();
    for (id, node) in yaml.stream.iter() {
        let Content::Alias(target) = node.content else { continue };
        let count = uses.entry(target).or_default();
        *count += 1;
        let count = *count;
        let weight = match weights.get(&target) {
            Some(&weight) => weight,
            None => {
                let weight = weigh(yaml, target, &weights, &uses);
                weights.insert(target, weight);
                weight
            }
        };
        if count.saturating_mul(weight) > max {
            return Some(yaml.span(id));
        }
    }
    None
}

/// The greatest number of expansions inside a node.
fn weigh(
    yaml: &Yaml<'_>,
    root: NodeId,
    weights: &HashMap<NodeId, usize>,
    uses: &HashMap<NodeId, usize>,
) -> usize {
    let mut most = 1;
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        match &yaml.stream.node(id).content {
            Content::Alias(target) => {
                let used = uses.get(target).copied().unwrap_or(0);
                most = most.max(used.saturating_mul(weights.get(target).copied().unwrap_or(1)));
            }
            Content::Sequence(items) => todo.extend(items),
            Content::Mapping(pairs) => todo.extend(pairs.iter().flat_map(|&(key, value)| [key, value])),
            Content::Scalar(_) => {}
        }
    }
    most
}
