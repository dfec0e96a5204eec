//! The check of a Skill before it is published (§1.5). Its codes are Open-Science's own.

use std::collections::BTreeSet;

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::{self, Json, Value};
use crate::path::PackagePath;
use crate::tree::{Blob, Names, Node, SpecialKind, Tree};

use super::super::{codes, words};
use super::{APP_OWNED, DEPTH, DOCUMENT, Document, FILE_BYTES, FILES, TOTAL_BYTES, links};

/// Most bytes of a Markdown file whose links are looked at.
const MARKDOWN_BYTES: u64 = 4 << 20;
/// Most findings about links.
const MOST_LINKS: usize = 100;

/// Checks the Skill in `tree`, which is expected to have this name.
pub fn check(tree: &Tree, expected_name: Option<&str>, out: &mut Findings) {
    let Some(files) = inventory(tree, out) else { return };
    document(tree, expected_name, out);
    dead_links(&files, tree, out);
    for (name, judge, code) in [
        ("trigger-evals.json", is_trigger_evals as fn(&Json) -> bool, &codes::INVALID_TRIGGER_EVALS),
        ("evals/evals.json", is_output_evals, &codes::INVALID_OUTPUT_EVALS),
    ] {
        if let Some(blob) = tree.file(name) {
            evals(name, blob, judge, code, out);
        }
    }
}

/// The files that count; `None` after the first thing that keeps the Skill from being looked at.
fn inventory<'t>(tree: &'t Tree, out: &mut Findings) -> Option<Vec<(&'t PackagePath, &'t Blob)>> {
    let mut files = Vec::new();
    let mut bytes = 0u64;
    for (path, node) in tree.iter().filter(|(path, _)| !APP_OWNED.contains(&path.as_str())) {
        let segments = path.segments().count();
        let fault: Option<(&'static Code, String)> = match node {
            _ if is_unsafe(path.as_str()) => {
                Some((&codes::UNSAFE_PACKAGE_ENTRY, format!("`{path}` has a name that no archive may hold")))
            }
            Node::Folder if segments > DEPTH => {
                let message = format!("`{path}` is {segments} folders deep, and {DEPTH} are allowed");
                Some((&codes::PACKAGE_DEPTH, message))
            }
            Node::Folder => None,
            Node::Link { .. } => Some((&codes::UNSAFE_PACKAGE_ENTRY, format!("`{path}` is a symbolic link"))),
            Node::Special(kind) => {
                let kind = match kind {
                    SpecialKind::Pipe => "a pipe",
                    SpecialKind::Socket => "a socket",
                    _ => "a device",
                };
                Some((&codes::UNSUPPORTED_PACKAGE_ENTRY, format!("`{path}` is {kind}")))
            }
            Node::Unreadable { because } => {
                Some((&codes::UNSUPPORTED_PACKAGE_ENTRY, format!("`{path}` cannot be read: {because}")))
            }
            Node::File(blob) if blob.names() == Names::Several => {
                let message = format!("`{path}` is a hard link: the same file is also somewhere else");
                Some((&codes::UNSAFE_PACKAGE_ENTRY, message))
            }
            Node::File(blob) => {
                files.push((path, blob));
                bytes = bytes.saturating_add(blob.len());
                if files.len() as u64 > FILES {
                    Some((&codes::PACKAGE_FILE_COUNT, format!("there are more than {FILES} files")))
                } else if blob.len() > FILE_BYTES {
                    let message = format!("`{path}` has {} bytes and may have {FILE_BYTES}", blob.len());
                    Some((&codes::PACKAGE_FILE_SIZE, message))
                } else if bytes > TOTAL_BYTES {
                    let message = format!("the files have more than {TOTAL_BYTES} bytes in all");
                    Some((&codes::PACKAGE_TOTAL_SIZE, message))
                } else {
                    None
                }
            }
        };
        if let Some((code, message)) = fault {
            out.push(Finding::new(code, Place::file(path.clone()), message));
            return None;
        }
    }
    Some(files)
}

/// The rule of names in archives (§2.3), as far as a path can break it.
fn is_unsafe(path: &str) -> bool {
    let drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    path.contains('\\') || drive || path.starts_with('.') || path.starts_with("__MACOSX/")
}

fn document(tree: &Tree, expected: Option<&str>, out: &mut Findings) {
    let file = PackagePath::new(DOCUMENT).ok();
    let place = || file.clone().map_or(Place::package(), Place::file);
    let mut push = |code, message: String| out.push(Finding::new(code, place(), message));
    let Some(blob) = tree.file(DOCUMENT) else {
        push(&codes::MISSING_SKILL_DOCUMENT, format!("there is no `{DOCUMENT}`"));
        return;
    };
    let bytes = match blob.read(FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            push(&codes::MISSING_SKILL_DOCUMENT, format!("`{DOCUMENT}` cannot be read: {error}"));
            return;
        }
    };
    let document = Document::read(&String::from_utf8_lossy(&bytes));
    let has = |field: &Option<String>| field.as_deref().is_some_and(|text| !words::is_blank(text));
    let missing: Vec<&str> = [("name", &document.name), ("description", &document.description)]
        .into_iter()
        .filter(|(_, field)| !has(field))
        .map(|(name, _)| name)
        .collect();
    if !missing.is_empty() {
        push(&codes::MISSING_FRONTMATTER, format!("the front matter has no {}", missing.join(" and no ")));
    }
    let known = ["name", "description", "displayname"];
    let unknown: Vec<&str> =
        document.keys.iter().map(String::as_str).filter(|key| !known.contains(key)).take(8).collect();
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| format!("`{}`", json::excerpt(name))).collect();
        let message = format!("the front matter has fields that are not published: {}", names.join(", "));
        push(&codes::INVALID_FRONTMATTER_FIELDS, message);
    }
    if let (Some(expected), Some(name)) = (expected, &document.name)
        && words::trim(name) != words::trim(expected)
        && !words::is_blank(name)
    {
        let message =
            format!("the name is `{}` and `{expected}` is expected", json::excerpt(words::trim(name)));
        push(&codes::NAME_MISMATCH, message);
    }
    if words::is_blank(&document.body) {
        push(&codes::EMPTY_BODY, "there is nothing behind the front matter".to_owned());
    }
}

fn dead_links(files: &[(&PackagePath, &Blob)], tree: &Tree, out: &mut Findings) {
    let mut told = 0;
    for (path, blob) in files.iter().filter(|(path, _)| path.as_str().to_ascii_lowercase().ends_with(".md")) {
        let Ok(bytes) = blob.read(MARKDOWN_BYTES) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let mut seen = BTreeSet::new();
        for link in links::relative(&text, path) {
            let target = link.target.as_str();
            if tree.get(target).is_some() || !seen.insert(target.to_owned()) {
                continue;
            }
            told += 1;
            if told > MOST_LINKS {
                return;
            }
            let place = match &text {
                std::borrow::Cow::Borrowed(_) => Place::span((*path).clone(), link.span),
                std::borrow::Cow::Owned(_) => Place::file((*path).clone()),
            };
            let message = format!("`{}` is not in the Skill", json::excerpt(target));
            out.push(Finding::new(&codes::MISSING_LOCAL_LINK, place, message));
        }
    }
}

fn evals(name: &str, blob: &Blob, judge: fn(&Json) -> bool, code: &'static Code, out: &mut Findings) {
    let place = PackagePath::new(name).map_or(Place::package(), Place::file);
    let bytes = blob.read(FILE_BYTES).unwrap_or_default();
    match json::read(&bytes) {
        Ok(json) if judge(&json) => {}
        Ok(_) => {
            out.push(Finding::new(code, place, format!("`{name}` does not have the shape of its kind")));
        }
        Err(error) => {
            let code = if super::super::connector::is_ambiguous(&error.kind) {
                &codes::JSON_AMBIGUOUS
            } else {
                &codes::INVALID_JSON
            };
            out.push(Finding::new(code, place, format!("`{name}`: {}", error.kind)));
        }
    }
}

fn has_text(json: &Json, names: &[&str]) -> bool {
    names.iter().all(|name| json.get(name).and_then(Json::as_str).is_some_and(|text| !words::is_blank(text)))
}

fn is_version_1(json: &Json) -> bool {
    json.get("schema_version").is_some_and(|version| matches!(version.value, Value::Integer(1)))
}

fn each(json: &Json, name: &str, holds: impl Fn(&Json) -> bool) -> bool {
    json.get(name).and_then(Json::as_array).is_some_and(|items| items.iter().all(holds))
}

/// `{schema_version: 1, kind: "trigger", cases: [{id, query, should_trigger}]}`
fn is_trigger_evals(json: &Json) -> bool {
    is_version_1(json)
        && json.get("kind").and_then(Json::as_str) == Some("trigger")
        && each(json, "cases", |case| {
            has_text(case, &["id", "query"])
                && case.get("should_trigger").is_some_and(|truth| truth.as_bool().is_some())
        })
}

/// `{schema_version: 1, skill_id, source_revision, evals: [{id, prompt, expected_output, files, expectations}]}`
fn is_output_evals(json: &Json) -> bool {
    is_version_1(json)
        && has_text(json, &["skill_id", "source_revision"])
        && each(json, "evals", |case| {
            let texts = |name| each(case, name, |item| item.as_str().is_some());
            has_text(case, &["id", "prompt", "expected_output"]) && texts("files") && texts("expectations")
        })
}
