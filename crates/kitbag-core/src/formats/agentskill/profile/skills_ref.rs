//! skills-ref 0.1.1, the reference validator: a folder is named to it, and it reads with strictyaml.

use crate::json::{Pointer, Span};
use crate::yaml::{Content, NodeId, Style};

use super::super::check::{duplicates, not_directory, too_long, unexpected_fields};
use super::super::codes;
use super::super::discovery::Reach;
use super::super::fields::{COMPATIBILITY_MAX, DESCRIPTION_MAX, name_problems, normal};
use super::super::front::NoFront;
use super::super::reading::{Library, Yaml, read as read_yaml};
use super::super::rewritten::Rewritten;
use super::super::subject::Subject;
use super::super::verdict::{At, Effect, Reason};
use super::yaml_libraries::stray_tab;
use super::{EVERYWHERE, Outcome, Profile};

static REACH: Reach = Reach { spellings: &["SKILL.md", "skill.md"], ..EVERYWHERE };

pub(super) const PROFILE: Profile = Profile {
    name: "skills-ref",
    about: "skills-ref 0.1.1, the reference validator",
    reach: Some(&REACH),
    read,
    unread: |_| None,
};

fn read(subject: &Subject<'_>) -> Outcome {
    if let Some(at) = subject.content.invalid {
        let message = format!("byte {at} of the file is not UTF-8");
        return Outcome::lost(Reason::lost(&codes::NOT_UTF8, At::Document, message));
    }
    let text = subject.text();
    if !text.starts_with("---") {
        return Outcome::lost(subject.no_front_matter());
    }
    // The block is what stands between the first two `---`, wherever the second is.
    let Some(end) = text[3..].find("---").map(|length| 3 + length) else {
        return Outcome::lost(unclosed(subject));
    };
    let early = subject.early_end(end);
    let span = Span::new(3, end);
    let mut reasons: Vec<Reason> = early.iter().cloned().collect();
    let outcome = if text[span.range()].contains('\r') {
        block(subject, &read_yaml(Rewritten::part(text, span).universal_newlines(), Library::StrictYaml))
    } else {
        block(subject, &subject.read(span, Library::StrictYaml))
    };
    match outcome {
        Ok(outcome) => {
            reasons.extend(outcome.reasons);
            Outcome { reasons, ..outcome }
        }
        // An early end explains whatever is wrong with the rest.
        Err(reason) => Outcome::lost(early.unwrap_or(reason)),
    }
}

fn unclosed(subject: &Subject<'_>) -> Reason {
    match &subject.front {
        Err(NoFront::Unclosed(_)) => subject.no_front_matter(),
        _ => {
            Reason::lost(&codes::UNCLOSED, subject.block_at(), "the front matter is never closed with `---`")
        }
    }
}

fn block(subject: &Subject<'_>, read: &Result<Yaml<'_>, Reason>) -> Result<Outcome, Reason> {
    let yaml = read.as_ref().map_err(Clone::clone)?;
    if let Some(reason) = refused(yaml) {
        return Err(reason);
    }
    if yaml.root().is_none_or(|root| yaml.stream.mapping(root).is_none()) {
        let message = "the front matter is not a mapping of fields";
        return Err(Reason::lost(&codes::NOT_A_MAPPING, subject.block_at(), message));
    }
    let mut reasons: Vec<Reason> = unexpected_fields(yaml).collect();
    let name = name(subject, yaml, &mut reasons);
    let description = description(subject, yaml, &mut reasons);
    compatibility(yaml, &mut reasons);
    Ok(Outcome { name, description, reasons })
}

/// What strictyaml refuses beyond YAML's grammar: flow style, anchors, tags, repeated keys, tabs between tokens, several
/// documents.
fn refused(yaml: &Yaml<'_>) -> Option<Reason> {
    let stream = &yaml.stream;
    if let [_, second, ..] = *stream.roots() {
        let message = "a second YAML document begins here";
        return Some(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    if let Some(tab) = stray_tab(yaml) {
        return Some(Reason::lost(
            &codes::TAB,
            At::Span(tab),
            "a tab stands outside quotes in the front matter",
        ));
    }
    for (id, node) in stream.iter() {
        let refused = |code, span: Span, message: &str| {
            Some(Reason::lost(code, At::Span(yaml.text.back(span)), message))
        };
        if let Some(anchor) = &node.anchor {
            return refused(&codes::ANCHOR, anchor.span, "an anchor is used");
        }
        if let Some(tag) = &node.tag {
            return refused(&codes::TAG, tag.span, "a tag is used");
        }
        match &node.content {
            Content::Alias(_) => return refused(&codes::ANCHOR, node.span, "an alias is used"),
            Content::Sequence(_) | Content::Mapping(_) if yaml.is_flow(id) => {
                return refused(&codes::FLOW, node.span, "a value is written with brackets or braces");
            }
            Content::Mapping(pairs) => {
                let odd = pairs.iter().find(|&&(key, value)| {
                    yaml.is_collection(key) || (is_plain(yaml, key, "<<") && !yaml.is_collection(value))
                });
                if let Some(&(key, _)) = odd {
                    let span = stream.node(key).span;
                    return refused(&codes::DIALECT, span, "a key is one that strict readers cannot use");
                }
            }
            Content::Sequence(_) | Content::Scalar(_) => {}
        }
    }
    duplicates(yaml).next()
}

fn is_plain(yaml: &Yaml<'_>, id: NodeId, text: &str) -> bool {
    yaml.scalar(id).is_some_and(|scalar| scalar.style == Style::Plain && &*scalar.text == text)
}

/// The text of a field; `None` for a list, a mapping, nothing, and the two plain words it makes objects of.
fn text<'y>(yaml: &'y Yaml<'_>, value: NodeId) -> Option<&'y str> {
    if is_plain(yaml, value, "=") || is_plain(yaml, value, "<<") {
        return None;
    }
    Some(&yaml.scalar(value)?.text)
}

fn name(subject: &Subject<'_>, yaml: &Yaml<'_>, out: &mut Vec<Reason>) -> Option<String> {
    let Some((_, value)) = yaml.field("name") else {
        out.push(Reason::lost(&codes::NAME_MISSING, subject.block_at(), "there is no `name`"));
        return None;
    };
    let at = subject.value_at("name");
    let Some(name) = text(yaml, value) else {
        out.push(Reason::lost(&codes::NAME_NOT_TEXT, at, "the `name` is a list or a mapping"));
        return None;
    };
    let normal = normal(name);
    if normal.is_empty() {
        out.push(Reason::lost(&codes::NAME_EMPTY, at, "the `name` is empty"));
        return None;
    }
    out.extend(
        name_problems(&normal).into_iter().map(|(code, message)| Reason::lost(code, at.clone(), message)),
    );
    out.extend(not_directory(subject, &normal, at));
    Some(name.trim().to_owned())
}

fn description(subject: &Subject<'_>, yaml: &Yaml<'_>, out: &mut Vec<Reason>) -> Option<String> {
    let Some((_, value)) = yaml.field("description") else {
        let message = "there is no `description`";
        out.push(Reason::lost(&codes::DESCRIPTION_MISSING, subject.block_at(), message));
        return None;
    };
    let at = subject.value_at("description");
    match text(yaml, value) {
        Some(description) if !description.trim().is_empty() => {
            // Counted before white space around it is removed.
            let length = description.chars().count();
            if length > DESCRIPTION_MAX {
                let message = too_long("description", length, DESCRIPTION_MAX);
                out.push(Reason::lost(&codes::DESCRIPTION_TOO_LONG, at, message));
            }
            Some(description.trim().to_owned())
        }
        Some(_) => {
            out.push(Reason::lost(&codes::DESCRIPTION_EMPTY, at, "the `description` is empty"));
            None
        }
        None => {
            let message = "the `description` is a list or a mapping";
            out.push(Reason::lost(&codes::DESCRIPTION_NOT_TEXT, at, message));
            None
        }
    }
}

fn compatibility(yaml: &Yaml<'_>, out: &mut Vec<Reason>) {
    let Some((_, value)) = yaml.field("compatibility") else { return };
    let at = At::Field(Pointer::root().join("compatibility"), yaml.span(value));
    match text(yaml, value) {
        Some(compatibility) => {
            let length = compatibility.chars().count();
            if length > COMPATIBILITY_MAX {
                let message = too_long("compatibility", length, COMPATIBILITY_MAX);
                out.push(Reason::lost(&codes::COMPATIBILITY_TOO_LONG, at, message).with(Effect::Lost));
            }
        }
        None => {
            let message = "the `compatibility` is a list or a mapping";
            out.push(Reason::lost(&codes::COMPATIBILITY_NOT_TEXT, at, message));
        }
    }
}
