//! Gemini CLI 0.61.0: js-yaml first, and when that does not give two texts, a reader that looks at lines.

use std::collections::HashSet;

use crate::yaml::{Content, NodeId, Style, core_1_2};

use super::super::codes;
use super::super::discovery::{Looks, Reach};
use super::super::reading::{Library, Yaml};
use super::super::subject::Subject;
use super::super::verdict::{At, Effect, Reason};
use super::yaml_libraries::{absent_key, scalar_with_control, tabbed_mapping};
use super::{EVERYWHERE, Outcome, Profile, is_js_space, plain_fence};

static REACH: Reach =
    Reach { depth: 1, depth_when_empty: 1, hidden: Looks::No, skipped: &["node_modules"], ..EVERYWHERE };

pub(super) const PROFILE: Profile =
    Profile { name: "gemini-cli", about: "Gemini CLI 0.61.0", reach: Some(&REACH), read, unread: |_| None };

fn read(subject: &Subject<'_>) -> Outcome {
    let text = subject.text();
    let Some(span) = plain_fence(text, 0) else { return Outcome::lost(subject.no_front_matter()) };
    let block = &text[span.range()];
    let mut reasons = Vec::new();
    let found = match &*subject.read(span, Library::JsYaml) {
        Ok(yaml) => match refused(yaml) {
            None => texts(yaml).ok_or(None),
            Some(reason) => Err(Some(reason)),
        },
        Err(reason) => Err(Some(reason.clone())),
    };
    let found = found.or_else(|refusal| {
        let found = lines(block);
        // The reader of lines takes values as they are written; only what it shows otherwise than meant is worth saying.
        let changes =
            found.as_ref().is_some_and(|(name, description)| is_notation(name) || is_notation(description));
        reasons.extend(refusal.filter(|_| changes).map(|reason| reason.with(Effect::Altered)));
        found.ok_or(())
    });
    match found {
        Ok((name, description)) => {
            Outcome { name: Some(sanitised(&name)), description: Some(description), reasons }
        }
        Err(()) => {
            let at = subject.block_at();
            reasons.push(if scan(block).0.is_none() {
                Reason::lost(&codes::NAME_MISSING, at, "there is no `name`")
            } else {
                Reason::lost(&codes::DESCRIPTION_MISSING, at, "there is no `description`")
            });
            Outcome { name: None, description: None, reasons }
        }
    }
}

/// Whether a value taken as written still holds YAML's notation: quotes, a comment, a block header.
fn is_notation(value: &str) -> bool {
    value.starts_with(['"', '\'', '|', '>', '&', '!']) || value.contains(" #")
}

/// Name and description, when js-yaml gives text for both.
fn texts(yaml: &Yaml<'_>) -> Option<(String, String)> {
    let name = text(yaml, merged(yaml, "name")?)?;
    let description = text(yaml, merged(yaml, "description")?)?;
    Some((name, description))
}

/// The value of a field, also where a merge key brings it.
fn merged(yaml: &Yaml<'_>, name: &str) -> Option<NodeId> {
    if let Some((_, value)) = yaml.field(name) {
        return Some(value);
    }
    let (_, from) = yaml.field("<<")?;
    let sources = yaml.stream.sequence(from).map_or_else(|| vec![from], <[NodeId]>::to_vec);
    sources.into_iter().find_map(|source| {
        let pairs = yaml.stream.mapping(source)?;
        pairs.iter().find(|&&(key, _)| yaml.text_of(key).as_deref() == Some(name)).map(|&(_, value)| value)
    })
}

fn text(yaml: &Yaml<'_>, value: NodeId) -> Option<String> {
    let scalar = yaml.scalar(value)?;
    let node = yaml.stream.node(yaml.stream.resolve(value));
    let untyped = scalar.style == Style::Plain && node.tag.is_none();
    let is_text = match &node.tag {
        Some(tag) => tag.core() == Some("str") || (&*tag.uri == "!" && !scalar.is_absent()),
        None => !untyped || is_text(&scalar.text),
    };
    is_text.then(|| yaml.text_of(value).map(Into::into)).flatten()
}

/// Whether js-yaml takes a plain scalar for text: no null, truth value, number or date.
fn is_text(text: &str) -> bool {
    let binary = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = binary
        .strip_prefix("0b")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| matches!(b, b'0' | b'1' | b'_')));
    let underscored = text.contains('_')
        && matches!(core_1_2::plain(&text.replace('_', "")), core_1_2::Value::Number(_))
        && !text.ends_with('_')
        && !text.starts_with('_');
    matches!(core_1_2::plain(text), core_1_2::Value::Text(_)) && !digits && !underscored && !is_date(text)
}

/// `2024-01-02`, or with a time behind it.
fn is_date(text: &str) -> bool {
    use crate::yaml::yaml_1_1::{Plain, plain};
    matches!(plain(text), Plain::Timestamp(_) | Plain::Impossible) && text.contains('-')
}

/// What js-yaml refuses beyond the grammar.
fn refused(yaml: &Yaml<'_>) -> Option<Reason> {
    if let [_, second, ..] = *yaml.stream.roots() {
        let message = "a second YAML document begins here";
        return Some(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    for (id, node) in yaml.stream.iter() {
        if let Some(tag) = &node.tag
            && !tag_fits(yaml, id)
        {
            let message = format!("the tag `{tag}` is not known");
            return Some(Reason::lost(&codes::TAG, At::Span(yaml.text.back(tag.span)), message));
        }
        let Content::Mapping(pairs) = &node.content else { continue };
        if let Some(key) = repeated(yaml, pairs) {
            let message = "a key is there twice";
            return Some(Reason::lost(&codes::DUPLICATE_FIELD, At::Span(yaml.span(key)), message));
        }
        if let Some(&(key, _)) =
            pairs.iter().find(|&&(key, value)| is_merge(yaml, key) && !is_mergeable(yaml, value))
        {
            let message = "`<<` is given something that is no mapping";
            return Some(Reason::lost(&codes::DIALECT, At::Span(yaml.span(key)), message));
        }
    }
    if let Some(span) = tabbed_mapping(yaml) {
        return Some(Reason::lost(&codes::TAB_INDENT, At::Span(span), "a tab is used for indentation"));
    }
    if let Some(span) = scalar_with_control(yaml) {
        return Some(Reason::lost(&codes::CONTROL, At::Span(span), "a value contains a control character"));
    }
    absent_key(yaml).map(|span| {
        Reason::lost(&codes::DIALECT, At::Span(span), "a value stands behind a colon without a key")
    })
}

fn is_merge(yaml: &Yaml<'_>, key: NodeId) -> bool {
    yaml.scalar(key).is_some_and(|scalar| scalar.style == Style::Plain && &*scalar.text == "<<")
}

fn is_mergeable(yaml: &Yaml<'_>, value: NodeId) -> bool {
    yaml.stream.mapping(value).is_some()
        || yaml
            .stream
            .sequence(value)
            .is_some_and(|items| items.iter().all(|&item| yaml.stream.mapping(item).is_some()))
}

/// The first key that JavaScript would give the name of an earlier one.
fn repeated(yaml: &Yaml<'_>, pairs: &[(NodeId, NodeId)]) -> Option<NodeId> {
    let mut seen = HashSet::with_capacity(pairs.len());
    pairs.iter().map(|&(key, _)| key).filter(|&key| !is_merge(yaml, key)).find(|&key| {
        let Some(scalar) = yaml.scalar(key) else { return false };
        let name = match core_1_2::plain(&scalar.text) {
            core_1_2::Value::Null if scalar.style == Style::Plain => "null",
            _ => &scalar.text,
        };
        !seen.insert(name.to_owned())
    })
}

fn tag_fits(yaml: &Yaml<'_>, id: NodeId) -> bool {
    let node = yaml.stream.node(id);
    let Some(tag) = &node.tag else { return true };
    if &*tag.uri == "!" {
        return true;
    }
    match (&node.content, tag.core()) {
        (Content::Scalar(_), Some("str")) => true,
        (Content::Scalar(scalar), Some("null")) => {
            matches!(core_1_2::plain(&scalar.text), core_1_2::Value::Null) && !scalar.text.is_empty()
        }
        (Content::Scalar(scalar), Some("bool")) => {
            matches!(core_1_2::plain(&scalar.text), core_1_2::Value::Bool(_))
        }
        (Content::Scalar(scalar), Some("int" | "float")) => {
            matches!(core_1_2::plain(&scalar.text), core_1_2::Value::Number(_))
        }
        (Content::Scalar(scalar), Some("timestamp")) => is_date(&scalar.text),
        (Content::Scalar(scalar), Some("binary")) => scalar
            .text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\r')),
        (Content::Sequence(_), Some("seq" | "omap" | "pairs"))
        | (Content::Mapping(_), Some("map" | "set")) => true,
        _ => false,
    }
}

/// The reader of lines: any line that begins with `name:` or `description:` at any indentation, the last of each wins, and
/// a description goes on in the indented lines below it. Quotes and comments stay in the text.
fn lines(block: &str) -> Option<(String, String)> {
    let (name, description) = scan(block);
    Some((name?, description?))
}

fn scan(block: &str) -> (Option<String>, Option<String>) {
    let lines: Vec<&str> = block.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let (mut name, mut description) = (None, None);
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if let Some(value) = value_behind(line, "name:") {
            name = Some(value.to_owned());
        } else if let Some(value) = value_behind(line, "description:") {
            let mut parts = vec![value];
            while let Some(next) = lines.get(at).filter(|line| goes_on(line)) {
                parts.push(next.trim_matches(is_js_space));
                at += 1;
            }
            parts.retain(|part| !part.is_empty());
            description = Some(parts.join(" "));
        }
    }
    (name, description)
}

/// The match of `^\s*key\s*(.*)$`: the dot matches no line end.
fn value_behind<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let value = line.trim_start_matches(is_js_space).strip_prefix(key)?.trim_start_matches(is_js_space);
    (!value.contains(['\r', '\u{2028}', '\u{2029}'])).then(|| value.trim_matches(is_js_space))
}

/// Whether a line continues a description: indented, and not blank.
fn goes_on(line: &str) -> bool {
    let content = line.trim_start_matches([' ', '\t']);
    content.len() < line.len() && content.starts_with(|c: char| !is_js_space(c))
}

/// The name with everything that a file name could not hold replaced.
fn sanitised(name: &str) -> String {
    name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Span;

    #[test]
    fn lines_are_read_as_the_program_reads_them() {
        for (block, name, description) in [
            ("name:a\ndescription:b", "a", "b"),
            ("name: \"a\" # c\ndescription: Use: x", "\"a\" # c", "Use: x"),
            ("name: a\ndescription: b\n  c\n\n  d", "a", "b c"),
            ("description: b\n  name: inner\nname: a", "a", "b name: inner"),
            ("name: a\ndescription: b\nmetadata:\n  name: other", "other", "b"),
            ("name: a\ndescription: |\n  x\n  y", "a", "| x y"),
            ("name:\ndescription:", "", ""),
        ] {
            assert_eq!(lines(block), Some((name.to_owned(), description.to_owned())), "{block}");
        }
        assert_eq!(lines("name: a"), None);
        assert_eq!(lines("name: a\ndescription: b\u{2028}c"), None);
    }

    #[test]
    fn only_plain_words_without_a_type_are_text() {
        for text in ["yes", "1.2.3", "12:30:45", "a_b", "0xZZ", "+", "y"] {
            assert!(is_text(text), "{text}");
        }
        for text in ["42", "0b11", "1_000", "true", "~", "", "2026-01-02", ".inf", "2026-01-02T03:04:05Z"] {
            assert!(!is_text(text), "{text}");
        }
    }

    #[test]
    fn the_fence_closes_at_dashes_at_the_start_of_a_line() {
        let block = |text: &'static str| {
            plain_fence(text, 0).map(|Span { start, end }| &text[start as usize..end as usize])
        };
        assert_eq!(block("---\na\n---x"), Some("a"));
        assert_eq!(block("---\r\na\r\n---\r\n"), Some("a"));
        assert_eq!(block("---\n---\n"), None);
        assert_eq!(block("---\n---\n\n---"), Some("---\n"));
        assert_eq!(block("--- \na\n---"), None);
        assert_eq!(block("---\na---\n"), None);
    }
}
