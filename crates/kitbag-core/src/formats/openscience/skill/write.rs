//! The documents that Open-Science writes (§1.4): the one an import makes, and the ones of an export.
//!
//! The YAML written here is ours: every value is text, a plain one where no reader could take it for anything else and in
//! double quotes otherwise, so that it reads back as it was. js-yaml would spell some of it differently.

use std::fmt::Write as _;

use crate::yaml::{Content, NodeId, Stream, failsafe};

use super::document::{self, Document};

/// Most bytes of a block that is written: an alias may stand for a thousand copies.
const BLOCK_BYTES: usize = 4 << 20;

/// Why a canonical document cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewriteError {
    /// The block is no YAML that Open-Science reads.
    Unreadable(&'static str),
    /// Written out, the block is longer than any that is read.
    TooLong,
}

impl std::fmt::Display for RewriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(because) => f.write_str(because),
            Self::TooLong => write!(f, "the front matter would be longer than {BLOCK_BYTES} bytes"),
        }
    }
}

impl std::error::Error for RewriteError {}

/// The document that an import stores: lines end with LF, every field stays with its own spelling, and `name` is the name
/// that the import gave, as the last field. A text without a block, or with one that is no mapping, stays as it is.
///
/// # Errors
/// When the block cannot be read: Open-Science does not import the Skill then.
pub fn imported(text: &str, name: &str) -> Result<String, RewriteError> {
    let lines = document::universal(text);
    let Some(cut) = document::cut(&lines) else { return Ok(text.to_owned()) };
    let (stream, pairs) = document::fields(cut.yaml).map_err(RewriteError::Unreadable)?;
    if stream.roots().first().is_some_and(|&root| stream.mapping(root).is_none()) {
        return Ok(text.to_owned());
    }
    let mut out = String::from("---\n");
    for (key, value) in pairs {
        let is_name = stream.scalar(key).is_some_and(|key| key.text.to_lowercase() == "name");
        if !is_name {
            pair(&stream, key, value, 0, &mut out)?;
        }
    }
    let _infallible = write!(out, "name: {}\n---\n", scalar(name));
    // Exactly what stood behind the closing dashes, which may be more of their own line.
    Ok(out + cut.rest)
}

/// The document of a Skill in a Specialist package: `name`, `description`, `version`, then the other fields by name.
#[must_use]
pub fn bundled_document(text: &str, name: &str, version: &str) -> String {
    let document = Document::read(text.strip_prefix('\u{feff}').unwrap_or(text));
    let description = document.description.as_deref();
    let own = [("name", Some(name)), ("description", description), ("version", Some(version))];
    let mut out = String::from("---\n");
    for (key, value) in own {
        if let Some(value) = value {
            let _infallible = writeln!(out, "{key}: {}", quoted(value));
        }
    }
    let others = document.metadata.iter();
    for (key, value) in others.filter(|(key, _)| !matches!(key.as_str(), "version" | "displayname")) {
        let _infallible = writeln!(out, "{}: {}", quoted(key), quoted(value));
    }
    out.push_str("---\n\n");
    out.push_str(document.body.trim_start());
    out
}

/// The document of an exported Skill: `displayName` is the application's and is left out; everything else stays.
///
/// # Errors
/// When the block cannot be read.
pub fn exported(text: &str) -> Result<String, RewriteError> {
    let lines = document::universal(text);
    let Some(cut) = document::cut(&lines) else { return Ok(lines.into_owned()) };
    let (stream, pairs) = document::fields(cut.yaml).map_err(RewriteError::Unreadable)?;
    let mut out = String::from("---\n");
    let mut fields: Vec<(NodeId, NodeId)> = pairs;
    let key_of = |key: NodeId| stream.scalar(key).map(|key| key.text.to_lowercase()).unwrap_or_default();
    fields.retain(|&(key, _)| key_of(key) != "displayname");
    // The two that every reader looks for come first.
    fields.sort_by_key(|&(key, _)| match key_of(key).as_str() {
        "name" => 0,
        "description" => 1,
        _ => 2,
    });
    for (key, value) in fields {
        pair(&stream, key, value, 0, &mut out)?;
    }
    out.push_str("---\n\n");
    out.push_str(cut.rest.trim_start());
    Ok(out)
}

fn pair(
    stream: &Stream,
    key: NodeId,
    value: NodeId,
    level: usize,
    out: &mut String,
) -> Result<(), RewriteError> {
    indent(level, out);
    match stream.scalar(key) {
        Some(key) => out.push_str(&scalar(&key.text)),
        // A list as a key has no better spelling than the one readers give it.
        None => return Err(RewriteError::Unreadable("a key is no text")),
    }
    out.push(':');
    node(stream, value, level, out)
}

/// A value, behind a colon or a hyphen. The depth is bounded by the reader's.
fn node(stream: &Stream, id: NodeId, level: usize, out: &mut String) -> Result<(), RewriteError> {
    if out.len() > BLOCK_BYTES || level > 2 * crate::yaml::Bounds::FRONT_MATTER.depth {
        return Err(RewriteError::TooLong);
    }
    match &stream.node(stream.resolve(id)).content {
        Content::Scalar(_) => {
            match failsafe::resolve(stream, id) {
                Ok(failsafe::Value::Text(text)) => {
                    out.push(' ');
                    out.push_str(&scalar(text));
                }
                _ => out.push_str(" null"),
            }
            out.push('\n');
        }
        Content::Sequence(items) if items.is_empty() => out.push_str(" []\n"),
        Content::Sequence(items) => {
            out.push('\n');
            for &item in items {
                indent(level + 1, out);
                out.push('-');
                node(stream, item, level + 1, out)?;
            }
        }
        Content::Mapping(pairs) if pairs.is_empty() => out.push_str(" {}\n"),
        Content::Mapping(pairs) => {
            out.push('\n');
            for &(key, value) in pairs {
                pair(stream, key, value, level + 1, out)?;
            }
        }
        Content::Alias(_) => return Err(RewriteError::Unreadable("an alias stands for itself")),
    }
    Ok(())
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

/// A scalar: plain where every reader takes it for this text, else in double quotes.
fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a text may stand without quotes: it begins with a letter, holds nothing that YAML has a use for, and is no word
/// that some reader takes for a truth value, a number or nothing.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 11] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    let is_inner = |c: char| {
        c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | '/' | '(' | ')' | ';' | '+')
    };
    let starts = text.starts_with(|c: char| c.is_alphabetic());
    let ends = !text.ends_with([' ', ',']);
    starts && ends && text.chars().all(is_inner) && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A text in double quotes, on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // What YAML calls unprintable, and the line ends of its older version.
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                let _infallible = write!(out, "\\u{:04x}", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imported_document_keeps_its_fields_and_gets_its_name_last() {
        let text = "---\r\nName: Old\r\ndescription: >\r\n  one\r\n  two\r\nMeta:\r\n  a: [x, {k: z}]\r\n  b:\r\n---x\r\nbody\r\n";
        let made = imported(text, "new").unwrap();
        assert_eq!(
            made,
            "---\ndescription: \"one two\\n\"\nMeta:\n  a:\n    - x\n    -\n      k: z\n  b: null\nname: new\n---\nx\nbody\n"
        );
        let document = Document::read(&made);
        assert_eq!(document.name.as_deref(), Some("new"));
        assert_eq!(document.description.as_deref(), Some("one two\n"));
        assert_eq!(imported("no block\r\n", "new").unwrap(), "no block\r\n");
        assert_eq!(imported("---\n- a\n---\n", "new").unwrap(), "---\n- a\n---\n");
        assert!(imported("---\na: b: c\n---\n", "new").is_err());
    }

    #[test]
    fn every_text_reads_back_as_it_was() {
        for text in [
            "no",
            "1e3",
            "null",
            "~",
            "--- ",
            "---",
            "a: b",
            "a #b",
            "  lead",
            "trail ",
            "line\nline\n\n",
            "",
            "2026-07-17",
            "0x1F",
            "- x",
            "[a]",
            "{a}",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "'a'",
            "\"a\"",
            "a\\b",
            "\u{7f}\u{85}\u{2028}\u{feff}",
            "技能 é 😀",
            "a, b",
            "Yes",
            "key:",
            "?x",
            "|",
            ">",
        ] {
            let made = bundled_document("---\nname: x\n---\n", text, text);
            assert_eq!(Document::read(&made).name.as_deref(), Some(text), "{made}");
            let made = imported("---\na: b\n---\n", text).unwrap();
            assert_eq!(Document::read(&made).name.as_deref(), Some(text), "{made}");
        }
    }

    #[test]
    fn an_alias_that_multiplies_is_cut() {
        let mut text = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let items = vec![format!("*a{}", level - 1); 8].join(", ");
            let _infallible = writeln!(text, "a{level}: &a{level} [{items}]");
        }
        text.push_str("---\n");
        assert_eq!(imported(&text, "x"), Err(RewriteError::TooLong));
    }
}
