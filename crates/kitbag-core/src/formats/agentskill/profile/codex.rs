//! Codex 0.171.0: libyaml into a typed record, with one repair of single lines.

use std::borrow::Cow;
use std::rc::Rc;

use crate::json::{Pointer, Span};
use crate::yaml::{Content, NodeId, Scalar, Style};

use super::super::codes;
use super::super::discovery::{Looks, Reach};
use super::super::fields::{NAME_MAX, shown};
use super::super::reading::{Library, Read, Yaml, read as read_yaml};
use super::super::rewritten::Rewritten;
use super::super::subject::Subject;
use super::super::verdict::{At, Reason};
use super::yaml_libraries::{absent_key, libyaml_tab, line_separator, surrogate_escape};
use super::{EVERYWHERE, Outcome, Profile};

static REACH: Reach =
    Reach { depth: 6, depth_when_empty: 6, hidden: Looks::No, linked_documents: Looks::No, ..EVERYWHERE };

pub(super) const PROFILE: Profile =
    Profile { name: "codex", about: "Codex 0.171.0", reach: Some(&REACH), read, unread: |_| None };

fn read(subject: &Subject<'_>) -> Outcome {
    if let Some(at) = subject.content.invalid {
        let message = format!("byte {at} of the file is not UTF-8");
        return Outcome::lost(Reason::lost(&codes::NOT_UTF8, At::Document, message));
    }
    let mut reasons = Vec::new();
    if let Some(folder) = subject.situation.folder.as_deref().filter(|name| name.contains(['\t', '\n'])) {
        let message = format!("the folder's name `{}` has a tab or a line end in it", shown(folder));
        reasons.push(Reason::lost(&codes::FOLDER_NAME, At::Package, message));
    }
    let Some(span) = fence(subject.text()) else { return Outcome::lost(no_block(subject)) };
    let first = if subject.text()[span.range()].contains("\r\n") {
        Rc::new(read_yaml(Rewritten::part(subject.text(), span).unix_newlines(), Library::LibYaml))
    } else {
        subject.read(span, Library::LibYaml)
    };
    match typed(&first).and_then(|yaml| record(subject, yaml)) {
        Ok(record) => record.outcome(subject, reasons),
        Err(reason) => {
            let part = Rewritten::part(subject.text(), span).unix_newlines();
            let repaired = repair(part);
            match typed(&read_yaml(repaired, Library::LibYaml)).and_then(|yaml| record(subject, yaml)) {
                // The repair reads what the author meant, so there is nothing to say.
                Ok(record) => record.outcome(subject, reasons),
                Err(_) => {
                    reasons.push(reason);
                    Outcome { name: None, description: None, reasons }
                }
            }
        }
    }
}

/// The block between the first line, which trims to `---`, and the first later line that does.
fn fence(text: &str) -> Option<Span> {
    let first = text.find('\n')?;
    if text[..first].trim() != "---" {
        return None;
    }
    let start = first + 1;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim() == "---" {
            return (at > start).then(|| Span::new(start, at));
        }
        at += line.len();
    }
    None
}

/// Why there is no block, in the author's terms.
fn no_block(subject: &Subject<'_>) -> Reason {
    match &subject.front {
        Ok(front)
            if front.mark.is_none()
                && front.before.is_none()
                && front.end == super::super::front::End::FenceWithMore =>
        {
            subject.odd_closing()
        }
        _ => subject.no_front_matter(),
    }
}

/// What libyaml and the typed reader refuse beyond the grammar.
fn typed<'r, 't>(read: &'r Read<'t>) -> Result<&'r Yaml<'t>, Reason> {
    let yaml = read.as_ref().map_err(Clone::clone)?;
    let refused = |code, span, message: &str| Err(Reason::lost(code, At::Span(span), message));
    if let [_, second, ..] = *yaml.stream.roots() {
        return refused(&codes::SEVERAL_DOCUMENTS, yaml.span(second), "a second YAML document begins here");
    }
    let text = yaml.text.text();
    if let Some(at) =
        text.match_indices('\u{feff}').map(|(at, _)| at).find(|&at| at == 0 || text[..at].ends_with('\n'))
    {
        let span = yaml.text.back(Span::new(at, at + '\u{feff}'.len_utf8()));
        return refused(&codes::BYTE_ORDER_MARK, span, "a line begins with a byte order mark");
    }
    if let Some(span) = libyaml_tab(yaml) {
        return refused(&codes::TAB_INDENT, span, "a tab is used for indentation");
    }
    if let Some(span) = surrogate_escape(yaml) {
        return refused(&codes::BAD_ESCAPE, span, "an escape stands for half a character");
    }
    if let Some(span) = line_separator(yaml) {
        return refused(&codes::LINE_SEPARATOR, span, "a value contains a Unicode line separator");
    }
    if let Some(span) = absent_key(yaml) {
        return refused(&codes::DIALECT, span, "a value stands behind a colon without a key");
    }
    let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let odd =
        yaml.stream.iter().filter_map(|(_, node)| node.anchor.as_ref()).find(|anchor| !plain(&anchor.name));
    if let Some(anchor) = odd {
        return refused(&codes::ANCHOR, yaml.text.back(anchor.span), "an anchor's name has odd characters");
    }
    Ok(yaml)
}

/// The fields the program reads.
struct Record {
    name: Option<String>,
    description: Option<String>,
}

/// Takes the record out of the block.
fn record(subject: &Subject<'_>, yaml: &Yaml<'_>) -> Result<Record, Reason> {
    let lost = |code, span, message: String| Err(Reason::lost(code, At::Span(span), message));
    let Some(root) = yaml.root() else { return Ok(Record { name: None, description: None }) };
    let Some(pairs) = yaml.stream.mapping(root) else {
        if is_null(yaml, root) {
            return Ok(Record { name: None, description: None });
        }
        let message = "the front matter is not a mapping of fields";
        return Err(Reason::lost(&codes::NOT_A_MAPPING, subject.block_at(), message));
    };
    let (mut name, mut description, mut metadata) = (None, None, None);
    for &(key, value) in pairs {
        let Some(field) = yaml.text_of(key) else {
            return lost(&codes::DIALECT, yaml.span(key), "a key is a list or a mapping".to_owned());
        };
        let slot = match &*field {
            "name" => &mut name,
            "description" => &mut description,
            "metadata" => &mut metadata,
            _ => continue,
        };
        if slot.replace(value).is_some() {
            let message = format!("the key `{field}` is there twice");
            return lost(&codes::DUPLICATE_FIELD, yaml.span(key), message);
        }
    }
    if let Some(metadata) = metadata {
        check_metadata(yaml, metadata)?;
    }
    let text = |value: Option<NodeId>, code, field: &str| match value {
        None => Ok(None),
        Some(value) if is_null(yaml, value) => Ok(None),
        Some(value) => match yaml.text_of(value) {
            Some(text) => Ok(Some(squeezed(&text)).filter(|text| !text.is_empty())),
            None => {
                let message = format!("the `{field}` is a list or a mapping");
                Err(Reason::lost(code, subject.value_at(field), message))
            }
        },
    };
    Ok(Record {
        name: text(name, &codes::NAME_NOT_TEXT, "name")?,
        description: text(description, &codes::DESCRIPTION_NOT_TEXT, "description")?,
    })
}

fn check_metadata(yaml: &Yaml<'_>, metadata: NodeId) -> Result<(), Reason> {
    // Nothing at all is no mapping and passes; the words for null do not.
    if yaml.scalar(metadata).is_some_and(Scalar::is_absent) {
        return Ok(());
    }
    let at = |id| At::Field(Pointer::root().join("metadata"), yaml.span(id));
    let Some(pairs) = yaml.stream.mapping(metadata) else {
        return Err(Reason::lost(
            &codes::METADATA_NOT_MAPPING,
            at(metadata),
            "the `metadata` is not a mapping",
        ));
    };
    let mut seen = false;
    for &(key, value) in pairs {
        let Some(name) = yaml.text_of(key) else {
            return Err(Reason::lost(&codes::DIALECT, at(key), "a key is a list or a mapping"));
        };
        if name != "short-description" {
            continue;
        }
        if std::mem::replace(&mut seen, true) {
            return Err(Reason::lost(
                &codes::DUPLICATE_FIELD,
                at(key),
                "the key `short-description` is there twice",
            ));
        }
        if yaml.is_collection(value) {
            let message = "`metadata.short-description` is a list or a mapping";
            return Err(Reason::lost(&codes::SHORT_DESCRIPTION, at(value), message));
        }
    }
    Ok(())
}

/// Whether a value counts as absent.
fn is_null(yaml: &Yaml<'_>, id: NodeId) -> bool {
    let tagged = yaml.stream.node(yaml.stream.resolve(id)).tag.is_some();
    yaml.scalar(id).is_some_and(|scalar| {
        !tagged
            && scalar.style == Style::Plain
            && matches!(&*scalar.text, "" | "~" | "null" | "Null" | "NULL")
    })
}

/// Text with every run of white space made one space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Record {
    fn outcome(self, subject: &Subject<'_>, mut reasons: Vec<Reason>) -> Outcome {
        if self.description.is_none() {
            let known = subject.value_at("description");
            let reason = match known {
                At::Field(..) => {
                    let message = "the `description` is empty";
                    Reason::lost(&codes::DESCRIPTION_EMPTY, known, message)
                }
                _ => {
                    Reason::lost(&codes::DESCRIPTION_MISSING, subject.block_at(), "there is no `description`")
                }
            };
            reasons.push(reason);
        }
        let name = self.name.or_else(|| subject.situation.folder.as_deref().map(squeezed));
        let length = name.as_ref().map_or(0, |name| name.chars().count());
        if length > NAME_MAX {
            let message = format!("the name has {length} characters and at most {NAME_MAX} are allowed");
            reasons.push(Reason::lost(&codes::NAME_TOO_LONG, subject.value_at("name"), message));
        }
        Outcome { name, description: self.description, reasons }
    }
}

/// The block with doubtful values quoted, line by line.
fn repair(text: Rewritten<'_>) -> Rewritten<'_> {
    let mut state = Lines::default();
    text.replace(move |text, from| {
        let mut at = from;
        if at > 0 && !text[..at].ends_with('\n') {
            at += text[at..].find('\n')? + 1;
        }
        while at < text.len() {
            let length = text[at..].find('\n').unwrap_or(text.len() - at);
            if let Some((offset, width, quoted)) = state.repair(&text[at..at + length]) {
                return Some((at + offset, width, Cow::Owned(quoted)));
            }
            at += length + 1;
        }
        None
    })
}

/// What is remembered from line to line: the indentation of a block scalar's key.
#[derive(Default)]
struct Lines {
    block: Option<usize>,
}

impl Lines {
    /// The value of a line that is to be quoted: where it is, how long, and what stands there instead.
    fn repair(&mut self, line: &str) -> Option<(usize, usize, String)> {
        let indent = line.len() - line.trim_start().len();
        if let Some(key) = self.block {
            if line.trim().is_empty() || indent > key {
                return None;
            }
            self.block = None;
        }
        if line.trim_start().starts_with('#') {
            return None;
        }
        if line[indent..].trim_start_matches("- ").starts_with(['|', '>']) {
            self.block = Some(indent);
            return None;
        }
        let colon = line.find(':')?;
        let behind = &line[colon + 1..];
        if !behind.starts_with([' ', '\t']) {
            return None;
        }
        let from = line.len() - behind.trim_start().len();
        let value = without_comment(&line[from..]).trim_end();
        match value.chars().next()? {
            '"' | '\'' => return None,
            '|' | '>' => {
                self.block = Some(indent);
                return None;
            }
            _ => {}
        }
        let doubtful = value.contains(": ") || value.contains(":\t") || value.starts_with(['@', '`']);
        let broken = value.starts_with(['[', '{']) && !is_yaml(value);
        (doubtful || broken).then(|| (from, value.len(), quoted(value)))
    }
}

/// A value without the comment behind it.
fn without_comment(value: &str) -> &str {
    let hash =
        value.match_indices('#').map(|(at, _)| at).find(|&at| at == 0 || value[..at].ends_with([' ', '\t']));
    hash.map_or(value, |at| &value[..at])
}

fn is_yaml(value: &str) -> bool {
    read_yaml(Rewritten::part(value, Span::new(0, value.len())), Library::LibYaml)
        .is_ok_and(|yaml| yaml.stream.iter().all(|(_, node)| !matches!(node.content, Content::Alias(_))))
}

fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> String {
        repair(Rewritten::part(text, Span::new(0, text.len()))).text().to_owned()
    }

    #[test]
    fn doubtful_values_are_quoted_and_nothing_else() {
        for (text, expected) in [
            ("a: b: c", "a: 'b: c'"),
            ("a: b: c # d", "a: 'b: c' # d"),
            ("  - k: @x", "  - k: '@x'"),
            ("a: [x] y", "a: '[x] y'"),
            ("a: it's b: c", "a: 'it''s b: c'"),
            ("a: \"x\": y", "a: \"x\": y"),
            ("a: b:", "a: b:"),
            ("- @x", "- @x"),
            ("http://x: y: z", "http://x: y: z"),
            ("a: |\n  b: c: d\ne: f: g", "a: |\n  b: c: d\ne: 'f: g'"),
            ("# a: b: c\nd: e: f", "# a: b: c\nd: 'e: f'"),
            ("a: [x, y]", "a: [x, y]"),
        ] {
            assert_eq!(repaired(text), expected);
        }
    }

    #[test]
    fn the_fence_is_a_line_that_trims_to_dashes() {
        let block = |text: &'static str| fence(text).map(|span| &text[span.range()]);
        assert_eq!(block(" ---\t\na\n  --- \nb"), Some("a\n"));
        assert_eq!(block("---\na\n---x\n"), None);
        assert_eq!(block("---\n---\n"), None);
        assert_eq!(block("---\n\n---"), Some("\n"));
        assert_eq!(block("\u{feff}---\na\n---\n"), None);
    }
}
