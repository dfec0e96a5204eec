//! §3.1: each skill is a folder with a SKILL.md whose name is the folder's. What else a SKILL.md may hold is for the Agent
//! Skills format, which checks the same file for its own sake.

use std::collections::HashSet;

use crate::finding::{Finding, Findings, Place};
use crate::json::{Span, excerpt};
use crate::limits::Limits;
use crate::path::PackagePath;
use crate::tree::Blob;
use crate::yaml::core_1_2::{self, Value};
use crate::yaml::{self, Bounds};

use super::super::codes;
use super::super::shape::is_skill_name;
use super::{Subject, at};

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    let mut seen: HashSet<&str> = HashSet::new();
    for (index, skill) in subject.document.skills.iter().enumerate() {
        let folder = &skill.value.path;
        if !seen.insert(&*folder.value) {
            continue;
        }
        let path = format!("{}/SKILL.md", folder.value);
        let pointer = at("skills").join(index).join("path");
        subject.check_file(&path, &pointer, folder.span, out);
        if let (Some(blob), Ok(file)) = (subject.tree.file(&path), PackagePath::new(&path)) {
            check_file(&file, blob, out);
        }
    }
}

fn check_file(file: &PackagePath, blob: &Blob, out: &mut Findings) {
    let unreadable = |span: Option<Span>, message: String| {
        let place = match span {
            Some(span) => Place::span(file.clone(), span),
            None => Place::file(file.clone()),
        };
        Finding::new(&codes::SKILL_FRONT_MATTER, place, message)
    };
    let bytes = match blob.read(Limits::LOOSEST.document_bytes) {
        Ok(bytes) => bytes,
        Err(error) => {
            out.push(unreadable(None, format!("SKILL.md cannot be read: {error}")));
            return;
        }
    };
    match front_matter(&bytes) {
        Ok(front) => check_fields(file, &front, out),
        Err((span, message)) => out.push(unreadable(Some(span), message)),
    }
}

/// The two fields that §3.1 speaks of.
struct FrontMatter {
    name: Field,
    description: Field,
}

enum Field {
    Absent(Span),
    Text(String, Span),
    Other(Span),
}

fn front_matter(bytes: &[u8]) -> Result<FrontMatter, (Span, String)> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        (Span::new(at, at + error.error_len().unwrap_or(1)), "SKILL.md is not UTF-8".to_owned())
    })?;
    let none = |message: &str| (Span::new(0, text.find('\n').unwrap_or(text.len())), message.to_owned());
    let start = ["---\n", "---\r\n"].into_iter().find(|open| text.starts_with(open)).map(str::len);
    let start = start.ok_or_else(|| none("the first line of SKILL.md is not `---`"))?;
    let end = block_end(text, start).ok_or_else(|| none("the front matter is not closed by a line `---`"))?;
    let shift = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
    let stream = yaml::read(&text[start..end], Bounds::FRONT_MATTER)
        .map_err(|error| (shift(error.span), format!("the front matter is not YAML: {error}")))?;
    let root = stream.roots().first().copied();
    let mut front =
        FrontMatter { name: Field::Absent(Span::new(0, 3)), description: Field::Absent(Span::new(0, 3)) };
    let Some(pairs) = root.and_then(|root| stream.mapping(root)) else {
        return Err(none("the front matter is no mapping of names to values"));
    };
    for &(key, value) in pairs {
        let field = match stream.scalar(key).map(|scalar| &*scalar.text) {
            Some("name") => &mut front.name,
            Some("description") => &mut front.description,
            _ => continue,
        };
        if !matches!(field, Field::Absent(_)) {
            let span = shift(stream.node(key).span);
            return Err((span, "the front matter has the same name twice".to_owned()));
        }
        let span = shift(stream.node(value).span);
        *field = match core_1_2::resolve(&stream, value) {
            Ok(Value::Text(text)) => Field::Text(text.to_owned(), span),
            _ => Field::Other(span),
        };
    }
    Ok(front)
}

/// Where the line `---` that closes the block begins.
fn block_end(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn check_fields(file: &PackagePath, front: &FrontMatter, out: &mut Findings) {
    let folder = file.parent();
    let folder = folder.as_ref().map_or("", PackagePath::name);
    let (problem, span) = match &front.name {
        Field::Absent(span) => (Some("`name` is missing".to_owned()), span),
        Field::Other(span) => (Some("`name` is no text".to_owned()), span),
        Field::Text(name, span) => {
            let length = name.chars().count();
            let problem = if !is_skill_name(name) {
                Some(format!("`{}` is not groups of a-z and 0-9, joined by single hyphens", excerpt(name)))
            } else if length > MAX_NAME {
                Some(format!("the name has {length} characters and at most {MAX_NAME} are allowed"))
            } else if name != folder {
                Some(format!("the skill is called `{name}` and its folder `{}`", excerpt(folder)))
            } else {
                None
            };
            (problem, span)
        }
    };
    if let Some(message) = problem {
        out.push(Finding::new(&codes::SKILL_NAME, Place::span(file.clone(), *span), message));
    }
    let (problem, span) = match &front.description {
        Field::Absent(span) => (Some("`description` is missing".to_owned()), span),
        Field::Other(span) => (Some("`description` is no text".to_owned()), span),
        Field::Text(text, span) => {
            let length = text.chars().count();
            let problem = if text.trim().is_empty() {
                Some("`description` is empty".to_owned())
            } else if length > MAX_DESCRIPTION {
                Some(format!(
                    "the description has {length} characters and at most {MAX_DESCRIPTION} are allowed"
                ))
            } else {
                None
            };
            (problem, span)
        }
    };
    if let Some(message) = problem {
        out.push(Finding::new(&codes::SKILL_DESCRIPTION, Place::span(file.clone(), *span), message));
    }
}
