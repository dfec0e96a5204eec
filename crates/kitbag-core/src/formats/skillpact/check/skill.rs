//! SKILL.md, as far as a contract rests on it (§3, §20): it is there, its front matter can be read, and its name is the
//! folder's. The Agent Skills format checks the same file for its own sake.

use crate::finding::{Finding, Place};
use crate::json::decode::Placed;
use crate::json::excerpt;
use crate::limits::Limits;
use crate::path::{PackagePath, child_of};
use crate::tree::{Node, Tree};

use super::super::codes;
use super::super::decode::is_skill_name;
use super::super::front_matter::{self, Field, FrontMatter, MAX_COMPATIBILITY};
use super::super::lookup::{self, Found};
use super::{Bounded, Subject};

const SKILL_MD: &str = "SKILL.md";
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_BODY_LINES: usize = 500;

fn skill_md() -> PackagePath {
    child_of(None, SKILL_MD).expect("`SKILL.md` is a path of one segment")
}

/// Checks SKILL.md; its name, if it is a skill name.
pub(super) fn check(tree: &Tree, out: &mut Bounded) -> Option<Placed<String>> {
    let missing = |why: &str| {
        Finding::new(&codes::SKILL_MD_MISSING, Place::file(skill_md()), format!("SKILL.md {why}"))
    };
    let blob = match lookup::find(tree, SKILL_MD) {
        Found::File(blob) => blob,
        Found::Nothing => {
            out.push(missing("is not there"));
            return None;
        }
        Found::Outside => {
            out.push(missing("is a symbolic link that leads out of the skill, so it is not read"));
            return None;
        }
        Found::Folder => {
            out.push(missing("is a folder"));
            return None;
        }
        Found::Other(Node::Special(kind)) => {
            out.push(missing(&format!("is a {kind}, which is never opened")));
            return None;
        }
        Found::Other(node) => {
            let because = match node {
                Node::Unreadable { because } => because,
                _ => "it is no file",
            };
            let message = format!("SKILL.md cannot be read: {because}");
            out.push(Finding::new(&codes::FRONTMATTER_MISSING, Place::file(skill_md()), message));
            return None;
        }
    };
    match blob.read(Limits::LOOSEST.document_bytes) {
        Ok(bytes) => match front_matter::read(&bytes) {
            Ok(front) => check_fields(&front, out),
            Err(none) => {
                let place = Place::span(skill_md(), none.span);
                out.push(Finding::new(&codes::FRONTMATTER_MISSING, place, none.message));
                None
            }
        },
        Err(error) => {
            let message = format!("SKILL.md cannot be read: {error}");
            out.push(Finding::new(&codes::FRONTMATTER_MISSING, Place::file(skill_md()), message));
            None
        }
    }
}

fn check_fields(front: &FrontMatter, out: &mut Bounded) -> Option<Placed<String>> {
    let name = check_name(front, out);
    let (problem, span) = match &front.description {
        Field::Text(text, span) => match text.chars().count() {
            0 => (Some("`description` is empty".to_owned()), span),
            length if length > MAX_DESCRIPTION => {
                (Some(format!("`description` has {length} characters, more than {MAX_DESCRIPTION}")), span)
            }
            _ => (None, span),
        },
        Field::Absent(span) => (Some("`description` is missing".to_owned()), span),
        Field::Other(kind, span) => (Some(format!("`description` is {kind}, not text")), span),
    };
    if let Some(message) = problem {
        out.push(Finding::new(&codes::FM_DESCRIPTION, Place::span(skill_md(), *span), message));
    }
    if let Some((length, span)) = front.compatibility
        && length > MAX_COMPATIBILITY
    {
        let message = format!("`compatibility` has more than {MAX_COMPATIBILITY} characters");
        out.push(Finding::new(&codes::FM_COMPAT, Place::span(skill_md(), span), message));
    }
    if front.body_lines > MAX_BODY_LINES {
        let message = format!("the body has {} lines, more than {MAX_BODY_LINES}", front.body_lines);
        out.push(Finding::new(&codes::BODY_LONG, Place::span(skill_md(), front.body), message));
    }
    name
}

fn check_name(front: &FrontMatter, out: &mut Bounded) -> Option<Placed<String>> {
    let (message, span) = match &front.name {
        Field::Text(name, span) => {
            let length = name.chars().count();
            if !is_skill_name(name) {
                let message = format!(
                    "the name `{}` is not groups of a-z and 0-9, joined by single hyphens",
                    excerpt(name)
                );
                (message, span)
            } else if length > MAX_NAME {
                (format!("the name has {length} characters, more than {MAX_NAME}"), span)
            } else {
                return Some(Placed { value: name.to_string(), span: *span });
            }
        }
        Field::Absent(span) => ("`name` is missing".to_owned(), span),
        Field::Other(kind, span) => (format!("`name` is {kind}, not text"), span),
    };
    out.push(Finding::new(&codes::FM_NAME, Place::span(skill_md(), *span), message));
    None
}

/// §3: the name is the folder's.
pub(super) fn check_folder(subject: &Subject<'_>, name: Option<&Placed<String>>, out: &mut Bounded) {
    let (Some(name), Some(folder)) = (name, subject.tree.resolved_name()) else { return };
    if name.value != folder {
        let message = format!("the skill is called `{}` and its folder `{}`", name.value, excerpt(folder));
        let place = Place::span(skill_md(), name.span);
        out.push(Finding::new(&codes::FM_NAME_DIR, place, message).under(subject.version));
    }
}

/// Where the front matter's name stands.
pub(super) fn name_place(name: &Placed<String>) -> Place {
    Place::span(skill_md(), name.span)
}
