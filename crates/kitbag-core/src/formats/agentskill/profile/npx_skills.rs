//! npx skills 1.7.4 (vercel-labs/skills): strict YAML 1.2, both fields required and of type text.

use std::collections::HashSet;

use crate::json::Pointer;
use crate::yaml::{Content, NodeId, Scalar, core_1_2};

use super::super::codes;
use super::super::discovery::{Looks, Reach};
use super::super::fields::shown;
use super::super::reading::{Library, Yaml};
use super::super::subject::Subject;
use super::super::verdict::{At, Reason};
use super::yaml_libraries::{aliases_expand_beyond, tabbed_mapping, under_indented};
use super::{EVERYWHERE, Outcome, Profile, plain_fence};

static REACH: Reach = Reach { depth: 1, depth_when_empty: 5, linked_folders: Looks::No, ..EVERYWHERE };

pub(super) const PROFILE: Profile = Profile {
    name: "npx-skills",
    about: "npx skills 1.7.4 (vercel-labs/skills)",
    reach: Some(&REACH),
    read,
    unread: |_| None,
};

/// Most nodes that aliases may expand to.
const MAX_ALIASES: usize = 100;

fn read(subject: &Subject<'_>) -> Outcome {
    let text = subject.text();
    let from = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let Some(span) = plain_fence(text, from) else {
        let unmarked = subject.no_front_matter();
        // One mark is expected; what is wrong lies behind it.
        return Outcome::lost(if unmarked.code == &codes::BYTE_ORDER_MARK {
            behind_the_mark(subject)
        } else {
            unmarked
        });
    };
    let read = subject.read(span, Library::Eemeli);
    let yaml = match &*read {
        Ok(yaml) => yaml,
        Err(reason) => return Outcome::lost(reason.clone()),
    };
    if let Some(reason) = refused(yaml) {
        return Outcome::lost(reason);
    }
    let mut reasons = Vec::new();
    let name = field(subject, yaml, "name", &mut reasons);
    let description = field(subject, yaml, "description", &mut reasons);
    if let Some(at) = internal(yaml) {
        reasons.push(Reason::hidden(
            &codes::NOT_OFFERED,
            at,
            "`metadata.internal` keeps the skill from being listed",
        ));
    }
    Outcome {
        name: name.map(|name| sanitised(&name)),
        description: description.map(|text| sanitised(&text)),
        reasons,
    }
}

fn behind_the_mark(subject: &Subject<'_>) -> Reason {
    match &subject.front {
        Ok(front) if front.opening_space.is_some() => {
            let message = "white space follows the `---` that opens the front matter";
            Reason::lost(&codes::FENCE_SPACE, subject.block_at(), message)
        }
        _ => Reason::lost(&codes::NO_FRONT_MATTER, At::Document, "the file has no front matter"),
    }
}

/// What the program's library refuses beyond the grammar.
fn refused(yaml: &Yaml<'_>) -> Option<Reason> {
    if let [_, second, ..] = *yaml.stream.roots() {
        let message = "a second YAML document begins here";
        return Some(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    if let Some(span) = under_indented(yaml) {
        let message = "a quoted or bracketed value goes on in a line that is not indented";
        return Some(Reason::lost(&codes::DIALECT, At::Span(span), message));
    }
    if let Some(span) = tabbed_mapping(yaml) {
        return Some(Reason::lost(&codes::TAB_INDENT, At::Span(span), "a tab is used for indentation"));
    }
    if let Some(span) = aliases_expand_beyond(yaml, MAX_ALIASES) {
        let message = format!("aliases expand to more than {MAX_ALIASES} values");
        return Some(Reason::lost(&codes::ANCHOR, At::Span(span), message));
    }
    repeated(yaml).map(|(key, text)| {
        let message = format!("the key `{}` is there twice", shown(&text));
        Reason::lost(&codes::DUPLICATE_FIELD, At::Span(yaml.span(key)), message)
    })
}

/// The first key that is equal to an earlier one of its mapping in type and value: `1` and `"1"` are two keys, `~` and
/// `null` are one.
fn repeated(yaml: &Yaml<'_>) -> Option<(NodeId, String)> {
    yaml.stream.iter().find_map(|(_, node)| {
        let Content::Mapping(pairs) = &node.content else { return None };
        let mut seen = HashSet::with_capacity(pairs.len());
        pairs.iter().find_map(|&(key, _)| {
            let text = yaml.text_of(key)?.into_owned();
            let typed = match core_1_2::resolve(&yaml.stream, key) {
                Ok(core_1_2::Value::Null) => "null".to_owned(),
                Ok(core_1_2::Value::Bool(truth)) => truth.to_string(),
                Ok(core_1_2::Value::Number(number)) => format!("number {number}"),
                _ => format!("text {text}"),
            };
            (!seen.insert(typed)).then_some((key, text))
        })
    })
}

/// A required field: there, not falsy, and text.
fn field(
    subject: &Subject<'_>,
    yaml: &Yaml<'_>,
    name: &'static str,
    out: &mut Vec<Reason>,
) -> Option<String> {
    let (missing, empty, not_text, word) = match name {
        "name" => (&codes::NAME_MISSING, &codes::NAME_EMPTY, &codes::NAME_NOT_TEXT, &codes::NAME_WORD),
        _ => (
            &codes::DESCRIPTION_MISSING,
            &codes::DESCRIPTION_EMPTY,
            &codes::DESCRIPTION_NOT_TEXT,
            &codes::DESCRIPTION_WORD,
        ),
    };
    let Some((_, value)) = yaml.field(name) else {
        out.push(Reason::lost(missing, subject.block_at(), format!("there is no `{name}`")));
        return None;
    };
    let at = subject.value_at(name);
    let written = |kind: &str| format!("`{name}: {}` is {kind} to YAML", shown(yaml.source(value)));
    let (code, message) = match core_1_2::resolve(&yaml.stream, value) {
        Ok(core_1_2::Value::Text(text)) if !text.is_empty() => return yaml.text_of(value).map(Into::into),
        // A text that does not fit its tag stays text.
        Err(_) if yaml.scalar(value).is_some() => return yaml.text_of(value).map(Into::into),
        Ok(core_1_2::Value::Text(_)) => (empty, format!("the `{name}` is empty")),
        Ok(core_1_2::Value::Null) if yaml.scalar(value).is_some_and(Scalar::is_absent) => {
            (empty, format!("the `{name}` is empty"))
        }
        Ok(core_1_2::Value::Null) => (word, written("null")),
        Ok(core_1_2::Value::Bool(_)) => (word, written("a truth value")),
        Ok(core_1_2::Value::Number(_)) => (word, written("a number")),
        _ => (not_text, format!("the `{name}` is a list or a mapping")),
    };
    out.push(Reason::lost(code, at, message));
    None
}

/// Where `metadata.internal` is true.
fn internal(yaml: &Yaml<'_>) -> Option<At> {
    let (_, metadata) = yaml.field("metadata")?;
    let pairs = yaml.stream.mapping(metadata)?;
    let &(_, value): &(NodeId, NodeId) =
        pairs.iter().find(|&&(key, _)| yaml.text_of(key).as_deref() == Some("internal"))?;
    matches!(core_1_2::resolve(&yaml.stream, value), Ok(core_1_2::Value::Bool(true)))
        .then(|| At::Field(Pointer::root().join("metadata").join("internal"), yaml.span(value)))
}

/// A text as the program prints it: without terminal escapes and control characters, lines joined.
fn sanitised(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 2..];
        let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    let kept: String = plain.chars().filter(|&c| matches!(c, '\t' | '\n') || !c.is_control()).collect();
    let mut lines = kept.split('\n').filter(|line| !line.is_empty());
    let mut joined = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        joined.push(' ');
        joined.push_str(line);
    }
    joined.trim().to_owned()
}
