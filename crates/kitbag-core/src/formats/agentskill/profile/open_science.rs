//! Open-Science 0.26: a bundle or a folder is named to it. It reads with js-yaml's failsafe schema, so every scalar is text.

use crate::json::Span;
use crate::yaml::{NodeId, failsafe};

use super::super::check::duplicates;
use super::super::codes;
use super::super::reading::{Library, Yaml, read as read_yaml};
use super::super::rewritten::Rewritten;
use super::super::subject::Subject;
use super::super::verdict::{At, Reason};
use super::{EVERYWHERE, Outcome, Profile};

pub(super) const PROFILE: Profile = Profile {
    name: "open-science",
    about: "Open-Science 0.26, importing a skill",
    reach: Some(&EVERYWHERE),
    read,
    unread: |_| None,
};

/// Prefixes of names that the program keeps for itself.
const RESERVED: [&str; 2] = ["os-", "mcp-"];

fn read(subject: &Subject<'_>) -> Outcome {
    let text = subject.text();
    // Lines end at LF, CR LF and CR alike; the block closes at the first later line that begins with `---`.
    let Some(span) = fence(text) else { return Outcome::lost(subject.no_front_matter()) };
    if text[span.range()].contains('\r') {
        let read = read_yaml(Rewritten::part(text, span).universal_newlines(), Library::JsYaml);
        fields(subject, &read)
    } else {
        fields(subject, &subject.read(span, Library::JsYaml))
    }
}

/// The block of `^---\n([\s\S]*?)\n---`, on universal newlines.
fn fence(text: &str) -> Option<Span> {
    let rest = text.strip_prefix("---")?;
    let length = newline(rest)?;
    let start = 3 + length;
    let mut at = start;
    loop {
        let end = at + text[at..].find(['\n', '\r'])?;
        at = end + newline(&text[end..])?;
        if text[at..].starts_with("---") {
            return Some(Span::new(start, end));
        }
    }
}

fn newline(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}

fn fields(subject: &Subject<'_>, read: &Result<Yaml<'_>, Reason>) -> Outcome {
    let yaml = match read {
        Ok(yaml) => yaml,
        // A block that cannot be read gives no fields; a required one is then missing.
        Err(reason) => return Outcome::lost(reason.clone()),
    };
    if let Some(reason) = refused(yaml) {
        return Outcome::lost(reason);
    }
    let mut reasons = Vec::new();
    let field = |wanted: &str| {
        let found = yaml
            .fields()
            .iter()
            .rev()
            .find(|&&(key, _)| yaml.text_of(key).is_some_and(|key| key.to_lowercase() == wanted));
        found.and_then(|&(_, value)| text(yaml, value))
    };
    let name = field("name").filter(|name| !name.trim().is_empty());
    let description = field("description").filter(|description| !description.trim().is_empty());
    if name.is_none() {
        reasons.push(Reason::lost(&codes::NAME_MISSING, subject.block_at(), "there is no `name`"));
    }
    if description.is_none() {
        let message = "there is no `description`";
        reasons.push(Reason::lost(&codes::DESCRIPTION_MISSING, subject.block_at(), message));
    }
    let name = name.map(|name| imported(&name));
    if let Some(name) = &name {
        let at = subject.value_at("name");
        if let Some(prefix) = RESERVED.iter().find(|prefix| name.starts_with(**prefix)) {
            let message = format!("imported as `{name}`, the name begins with the reserved `{prefix}`");
            reasons.push(Reason::lost(&codes::NAME_RESERVED, at, message));
        } else if name.ends_with('-') {
            let message = format!("imported as `{name}`, the name ends with a hyphen");
            reasons.push(Reason::lost(&codes::NAME_TOO_LONG, at, message));
        }
    }
    Outcome { name, description, reasons }
}

/// What js-yaml refuses under the failsafe schema: tags of other kinds, repeated keys, several documents.
fn refused(yaml: &Yaml<'_>) -> Option<Reason> {
    if let [_, second, ..] = *yaml.stream.roots() {
        let message = "a second YAML document begins here";
        return Some(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    if let Err(problem) = failsafe::check(&yaml.stream) {
        return Some(Reason::lost(&codes::TAG, At::Span(yaml.text.back(problem.span)), problem.message));
    }
    duplicates(yaml).next()
}

/// A field as text: a list's text items joined by commas, nothing for a mapping.
fn text(yaml: &Yaml<'_>, value: NodeId) -> Option<String> {
    match failsafe::resolve(&yaml.stream, value).ok()? {
        failsafe::Value::Text(text) => Some(text.to_owned()),
        failsafe::Value::Sequence(items) => {
            let texts: Vec<&str> = items
                .iter()
                .filter_map(|&item| match failsafe::resolve(&yaml.stream, item) {
                    Ok(failsafe::Value::Text(text)) => Some(text),
                    _ => None,
                })
                .collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        failsafe::Value::Mapping(_) | failsafe::Value::Absent => None,
    }
}

/// The name under which a skill is imported: lower case, runs of anything but `a-z0-9` become a hyphen, at most 64.
fn imported(name: &str) -> String {
    let mut imported = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            imported.push(character);
        } else if !imported.is_empty() && !imported.ends_with('-') {
            imported.push('-');
        }
    }
    let mut imported = imported.trim_end_matches('-').to_owned();
    imported.truncate(64);
    if imported.is_empty() { "skill".to_owned() } else { imported }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalised_before_they_are_judged() {
        assert_eq!(imported("MCP tools"), "mcp-tools");
        assert_eq!(imported("foo--bar"), "foo-bar");
        assert_eq!(imported("技能"), "skill");
        assert_eq!(imported(&format!("{}-b", "a".repeat(63))), format!("{}-", "a".repeat(63)));
    }

    #[test]
    fn the_block_closes_at_the_first_line_that_begins_with_dashes() {
        let block = |text: &'static str| fence(text).map(|span| &text[span.range()]);
        assert_eq!(block("---\na\n----\nb"), Some("a"));
        assert_eq!(block("---\ra\r---"), Some("a"));
        assert_eq!(block("---\n\n---\n"), Some(""));
        assert_eq!(block("---\n---\n"), None);
        assert_eq!(block("--- \na\n---\n"), None);
    }
}
