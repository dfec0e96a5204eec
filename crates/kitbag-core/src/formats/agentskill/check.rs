//! The specification's clauses, in its order: what a skill must be, whoever reads it.

use crate::json::{Pointer, Span};
use crate::yaml::{Content, NodeId, failsafe};

use super::codes;
use super::fields::{self, BODY_LINES, COMPATIBILITY_MAX, DESCRIPTION_MAX, FIELDS, normal, shown};
use super::front::{End, NoFront};
use super::reading::Yaml;
use super::situation::{Document, FILE_NAME};
use super::subject::Subject;
use super::verdict::{At, Effect, Reason};

/// Most reasons of one kind about one document. Ten thousand unknown fields are one mistake.
const MOST_OF_A_KIND: usize = 50;

/// Everything in which the document departs from the specification. What only deserves a remark has the effect
/// [`Effect::Altered`].
#[must_use]
pub fn check(subject: &Subject<'_>, file: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    structure(subject, file, &mut reasons);
    format(subject, &mut reasons);
    if let Some(read) = subject.meant() {
        match &*read {
            Ok(yaml) => frontmatter(subject, yaml, &mut reasons),
            Err(reason) => match subject.repaired() {
                Some(repaired) => {
                    reasons.extend(repaired.quoted.iter().map(|value| value.reason.clone()));
                    frontmatter(subject, &repaired.yaml, &mut reasons);
                }
                None => reasons.push(reason.clone()),
            },
        }
    }
    body(subject, &mut reasons);
    reasons
}

/// Agent Skills, "Directory structure": a folder that holds a file called `SKILL.md`.
fn structure(subject: &Subject<'_>, file: &str, out: &mut Vec<Reason>) {
    if file != FILE_NAME {
        out.push(Reason::lost(&codes::FILE_CASE, At::Document, format!("the file is called `{file}`")));
    }
    match &subject.situation.document {
        Document::NotAFile => {
            out.push(Reason::lost(
                &codes::NOT_A_FILE,
                At::Document,
                format!("`{file}` is not a regular file"),
            ));
        }
        Document::LinkAstray { target } => {
            let message = format!("`{file}` is a symbolic link to `{}`, where no file is", shown(target));
            out.push(Reason::lost(&codes::LINK_DANGLES, At::Document, message));
        }
        _ => {}
    }
}

/// Agent Skills, "SKILL.md format": front matter, then Markdown.
fn format(subject: &Subject<'_>, out: &mut Vec<Reason>) {
    if let Some(at) = subject.content.invalid {
        // Places cannot be shown in a file whose bytes are no text.
        let message = format!("byte {at} of the file is not UTF-8");
        out.push(Reason::lost(&codes::NOT_UTF8, At::Document, message));
    }
    match &subject.front {
        Err(NoFront::Nothing | NoFront::Unclosed(_)) => out.push(subject.no_front_matter()),
        Ok(front) => {
            if let Some(before) = front.before {
                let message = "something stands before the front matter";
                out.push(Reason::lost(&codes::TEXT_BEFORE, At::Span(before), message));
            }
            if front.end == End::FenceWithMore {
                out.push(subject.odd_closing());
            }
        }
    }
}

/// Agent Skills, "Frontmatter": a mapping of at most six fields.
fn frontmatter(subject: &Subject<'_>, yaml: &Yaml<'_>, out: &mut Vec<Reason>) {
    let stream = &yaml.stream;
    if let [_, second, ..] = *stream.roots() {
        let message = "a second YAML document begins here";
        return out.push(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    if yaml.root().is_none_or(|root| stream.mapping(root).is_none()) {
        let message = "the front matter is not a mapping of fields";
        return out.push(Reason::lost(&codes::NOT_A_MAPPING, subject.block_at(), message));
    }
    out.extend(duplicates(yaml).take(MOST_OF_A_KIND));
    name(subject, yaml, out);
    description(subject, yaml, out);
    other_fields(yaml, out);
    out.extend(unexpected_fields(yaml));
}

/// The fields that the specification does not have; of a flood, the first.
pub fn unexpected_fields<'y>(yaml: &'y Yaml<'_>) -> impl Iterator<Item = Reason> + 'y {
    let fields = yaml.fields().iter().filter_map(|&(key, _)| Some((key, yaml.text_of(key)?)));
    fields
        .filter(|(_, field)| !FIELDS.contains(&&**field))
        .map(|(key, field)| unexpected(&field, At::Field(Pointer::root().join(&field), yaml.span(key))))
        .take(MOST_OF_A_KIND)
}

/// YAML 1.2.2 §3.2.1.3: keys are unique, in every mapping. The first repetition of each mapping.
pub fn duplicates<'y>(yaml: &'y Yaml<'_>) -> impl Iterator<Item = Reason> + 'y {
    yaml.stream.iter().filter_map(|(_, node)| {
        let Content::Mapping(pairs) = &node.content else { return None };
        let mut seen = std::collections::HashMap::with_capacity(pairs.len());
        pairs.iter().find_map(|&(key, _)| {
            let text = &*yaml.scalar(key)?.text;
            let first = seen.insert(text, key)?;
            let message = format!("the key `{}` is there twice", shown(text));
            let (first, second) = (yaml.span(first), yaml.span(key));
            debug_assert!(first.start <= second.start, "pairs are in the order of the text");
            Some(Reason::lost(&codes::DUPLICATE_FIELD, At::Span(second), message))
        })
    })
}

/// The reason for which a strict reader refuses the field `field`, and a careful author may keep it.
fn unexpected(field: &str, at: At) -> Reason {
    let readers = fields::readers(field);
    if readers.is_empty() {
        let message = format!("`{}` is no field of the specification", shown(field));
        Reason::lost(&codes::UNEXPECTED_FIELD, at, message)
    } else {
        let message =
            format!("`{field}` is no field of the specification; {} reads it", readers.join(" and "));
        Reason::lost(&codes::EXTENSION_FIELD, at, message)
    }
}

fn field_text<'y>(yaml: &'y Yaml<'_>, value: NodeId) -> failsafe::Value<'y> {
    // A tag says nothing about the rules of a field; what it does to programs is their profiles' matter.
    failsafe::resolve(&yaml.stream, value).unwrap_or_else(|_| {
        yaml.scalar(value).map_or(failsafe::Value::Absent, |scalar| failsafe::Value::Text(&scalar.text))
    })
}

/// Agent Skills, "`name` field".
fn name(subject: &Subject<'_>, yaml: &Yaml<'_>, out: &mut Vec<Reason>) {
    let Some((_, value)) = yaml.field("name") else {
        return out.push(Reason::lost(&codes::NAME_MISSING, subject.block_at(), "there is no `name`"));
    };
    let at = subject.value_at("name");
    if yaml.is_collection(value) {
        return out.push(Reason::lost(&codes::NAME_NOT_TEXT, at, "the `name` is a list or a mapping"));
    }
    let name = match field_text(yaml, value) {
        failsafe::Value::Text(text) => normal(text),
        _ => String::new(),
    };
    if name.is_empty() {
        return out.push(Reason::lost(&codes::NAME_EMPTY, at, "the `name` is empty"));
    }
    for (code, message) in fields::name_problems(&name) {
        out.push(Reason::lost(code, at.clone(), message));
    }
    out.extend(not_directory(subject, &name, at));
}

/// The name must be that of the folder, both in normal form.
#[must_use]
pub fn not_directory(subject: &Subject<'_>, name: &str, at: At) -> Option<Reason> {
    let folder = subject.situation.folder.as_deref()?;
    (normal(folder) != name).then(|| {
        let message = format!("the name is `{}` and the folder is called `{}`", shown(name), shown(folder));
        Reason::lost(&codes::NAME_NOT_DIRECTORY, at, message)
    })
}

/// Agent Skills, "`description` field".
fn description(subject: &Subject<'_>, yaml: &Yaml<'_>, out: &mut Vec<Reason>) {
    let Some((_, value)) = yaml.field("description") else {
        let message = "there is no `description`";
        return out.push(Reason::lost(&codes::DESCRIPTION_MISSING, subject.block_at(), message));
    };
    let at = subject.value_at("description");
    if yaml.is_collection(value) {
        let message = "the `description` is a list or a mapping";
        return out.push(Reason::lost(&codes::DESCRIPTION_NOT_TEXT, at, message));
    }
    match field_text(yaml, value) {
        failsafe::Value::Text(text) if !text.trim().is_empty() => {
            let length = text.chars().count();
            if length > DESCRIPTION_MAX {
                out.push(Reason::lost(
                    &codes::DESCRIPTION_TOO_LONG,
                    at,
                    too_long("description", length, DESCRIPTION_MAX),
                ));
            }
        }
        _ => out.push(Reason::lost(&codes::DESCRIPTION_EMPTY, at, "the `description` is empty")),
    }
}

/// What is so when a text field is too long.
#[must_use]
pub fn too_long(field: &str, length: usize, max: usize) -> String {
    format!("the `{field}` has {length} characters and at most {max} are allowed")
}

/// Agent Skills, "`license`", "`compatibility`", "`metadata`" and "`allowed-tools` field".
fn other_fields(yaml: &Yaml<'_>, out: &mut Vec<Reason>) {
    let find = |name: &str| {
        yaml.field(name).map(|(_, value)| (value, At::Field(Pointer::root().join(name), yaml.span(value))))
    };
    if let Some((value, at)) = find("license")
        && yaml.is_collection(value)
    {
        out.push(Reason::lost(&codes::LICENSE_NOT_TEXT, at, "the `license` is a list or a mapping"));
    }
    if let Some((value, at)) = find("compatibility") {
        match field_text(yaml, value) {
            failsafe::Value::Text(text) if !text.trim().is_empty() => {
                let length = text.chars().count();
                if length > COMPATIBILITY_MAX {
                    let message = too_long("compatibility", length, COMPATIBILITY_MAX);
                    out.push(Reason::lost(&codes::COMPATIBILITY_TOO_LONG, at, message));
                }
            }
            failsafe::Value::Text(_) | failsafe::Value::Absent => {
                out.push(Reason::lost(&codes::COMPATIBILITY_EMPTY, at, "the `compatibility` is empty"));
            }
            _ => {
                let message = "the `compatibility` is a list or a mapping";
                out.push(Reason::lost(&codes::COMPATIBILITY_NOT_TEXT, at, message));
            }
        }
    }
    if let Some((value, at)) = find("metadata") {
        metadata(yaml, value, at, out);
    }
    if let Some((value, at)) = find("allowed-tools") {
        match field_text(yaml, value) {
            failsafe::Value::Text(text) if has_commas(text) => {
                let message = "the tools in `allowed-tools` are separated by commas";
                out.push(Reason::altered(&codes::TOOLS_COMMAS, at, message));
            }
            failsafe::Value::Text(_) | failsafe::Value::Absent => {}
            _ => {
                let message = "the `allowed-tools` is a list or a mapping";
                out.push(Reason::lost(&codes::TOOLS_NOT_TEXT, at, message));
            }
        }
    }
}

/// Whether a comma stands between tools: outside parentheses, where it may belong to a pattern.
fn has_commas(tools: &str) -> bool {
    let mut depth = 0usize;
    tools.chars().any(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
}

fn metadata(yaml: &Yaml<'_>, value: NodeId, at: At, out: &mut Vec<Reason>) {
    let Some(pairs) = yaml.stream.mapping(value) else {
        if yaml.scalar(value).is_none_or(|scalar| !scalar.is_absent()) {
            out.push(Reason::lost(&codes::METADATA_NOT_MAPPING, at, "the `metadata` is not a mapping"));
        }
        return;
    };
    let odd = pairs.iter().filter(|&&(_, value)| yaml.is_collection(value));
    for &(key, value) in odd.take(MOST_OF_A_KIND) {
        let name = yaml.text_of(key).unwrap_or_default();
        let pointer = Pointer::root().join("metadata").join(&name);
        let message = format!("the value of `metadata.{}` is a list or a mapping", shown(&name));
        out.push(Reason::lost(&codes::METADATA_VALUE, At::Field(pointer, yaml.span(value)), message));
    }
}

/// Agent Skills, "Body content" and "Progressive disclosure".
fn body(subject: &Subject<'_>, out: &mut Vec<Reason>) {
    let Ok(front) = &subject.front else { return };
    let lines = subject.text()[front.body..].lines().count();
    if lines > BODY_LINES {
        let message =
            format!("the body has {lines} lines; the specification recommends at most {BODY_LINES}");
        let at = At::Span(Span::new(front.body, front.body));
        out.push(Reason::lost(&codes::LONG_BODY, at, message).with(Effect::Altered));
    }
}
