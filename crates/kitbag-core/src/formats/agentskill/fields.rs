//! The fields: their rules as the specification words them, and those that only some program knows.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::finding::Code;

use super::codes;

/// The fields of the specification.
pub const FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Most characters of a name.
pub const NAME_MAX: usize = 64;
/// Most characters of a description.
pub const DESCRIPTION_MAX: usize = 1024;
/// Most characters of a compatibility note.
pub const COMPATIBILITY_MAX: usize = 500;
/// Most lines of a body before the specification advises against it.
pub const BODY_LINES: usize = 500;

/// Fields outside the specification, each with the programs that read it.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("agent", &["claude-code"]),
    ("argument-hint", &["claude-code"]),
    ("arguments", &["claude-code"]),
    ("context", &["claude-code"]),
    ("disable-model-invocation", &["claude-code"]),
    ("displayName", &["open-science"]),
    ("effort", &["claude-code"]),
    ("hooks", &["claude-code"]),
    ("model", &["claude-code"]),
    ("paths", &["claude-code"]),
    ("shell", &["claude-code"]),
    ("user-invocable", &["claude-code"]),
    ("version", &["claude-code"]),
    ("when_to_use", &["claude-code"]),
];

/// The programs that read a field outside the specification.
#[must_use]
pub fn readers(field: &str) -> &'static [&'static str] {
    EXTENSIONS.iter().find(|(name, _)| *name == field).map_or(&[], |(_, programs)| programs)
}

/// A name as it is compared: Unicode's compatible composed form, without white space around it.
#[must_use]
pub fn normal(name: &str) -> String {
    name.trim().nfkc().collect()
}

/// What is wrong with the letters of a name, each with what is so. The name is in normal form.
///
/// The specification says "unicode lowercase alphanumeric (a-z, 0-9)", which contradicts itself; its own validator and that
/// validator's tests accept the letters and digits of every script, and so does this.
#[must_use]
pub fn name_problems(name: &str) -> Vec<(&'static Code, String)> {
    let mut problems = Vec::new();
    let length = name.chars().count();
    if length > NAME_MAX {
        let message = format!("the name has {length} characters and at most {NAME_MAX} are allowed");
        problems.push((&codes::NAME_TOO_LONG, message));
    }
    if name.to_lowercase() != name {
        problems.push((&codes::NAME_UPPER_CASE, format!("the name `{}` is not lower case", shown(name))));
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems
            .push((&codes::NAME_HYPHENS, format!("the name `{}` begins or ends with a hyphen", shown(name))));
    }
    if name.contains("--") {
        problems.push((&codes::NAME_HYPHENS, format!("the name `{}` has two hyphens in a row", shown(name))));
    }
    if let Some(other) = name.chars().find(|&c| c != '-' && (is_combining_mark(c) || !c.is_alphanumeric())) {
        let message = format!("the name `{}` contains `{}`", shown(name), other.escape_debug());
        problems.push((&codes::NAME_CHARACTERS, message));
    }
    problems
}

/// A value as it is printed inside a message.
#[must_use]
pub fn shown(text: &str) -> String {
    const MAX: usize = 80;
    let mut shown: String = text.chars().take(MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(name: &str) -> Vec<&'static str> {
        name_problems(&normal(name))
            .into_iter()
            .map(|(code, _)| code.slug.trim_start_matches("agent-skill/"))
            .collect()
    }

    #[test]
    fn letters_of_every_script_make_a_name() {
        for name in ["pdf", "a-1", "技能", "мой-навык", "cafe\u{301}", "ａｂ", "a"] {
            assert!(slugs(name).is_empty(), "{name}: {:?}", slugs(name));
        }
    }

    #[test]
    fn each_rule_of_names_has_its_own_code() {
        for (name, slug) in [
            ("A", "name-upper-case"),
            ("НАВЫК", "name-upper-case"),
            ("-a", "name-hyphens"),
            ("a-", "name-hyphens"),
            ("a--b", "name-hyphens"),
            ("a b", "name-characters"),
            ("a_b", "name-characters"),
            ("../a", "name-characters"),
            ("a\u{202e}b", "name-characters"),
            ("🚀", "name-characters"),
        ] {
            assert_eq!(slugs(name), [slug], "{name}");
        }
        assert!(slugs(&"a".repeat(64)).is_empty());
        assert_eq!(slugs(&"a".repeat(65)), ["name-too-long"]);
    }
}
