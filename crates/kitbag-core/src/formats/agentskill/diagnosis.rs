//! What is wrong with a text that is not YAML, in the author's terms instead of the parser's.

use crate::finding::Code;
use crate::json::Span;
use crate::yaml::{SyntaxError, SyntaxErrorKind};

use super::codes;
use super::rewritten::Rewritten;
use super::verdict::{At, Reason};

/// The reason for which a program that reads `text` strictly loses the skill.
#[must_use]
pub fn of(text: &Rewritten<'_>, error: &SyntaxError) -> Reason {
    let words = error.to_string();
    let line = Line::at(text.text(), error.span.start as usize);
    let (code, message, span) = match &error.kind {
        SyntaxErrorKind::UndefinedAlias(_) => (
            &codes::UNQUOTED_INDICATOR,
            line.says("begins with `*`, which YAML takes for an alias"),
            error.span,
        ),
        SyntaxErrorKind::Grammar(words) => grammar(words, &line, error.span),
        _ => (&codes::YAML_LIMIT, words, error.span),
    };
    Reason::lost(code, At::Span(text.back(span)), message)
}

/// The line of an error: its key and its value, as far as they can be told.
struct Line<'t> {
    /// The text before the first colon, if that looks like a key.
    key: Option<&'t str>,
    /// The value behind it.
    value: &'t str,
    /// Where the value stands in the text.
    span: Span,
    /// The whole line.
    text: &'t str,
}

impl<'t> Line<'t> {
    fn at(text: &'t str, at: usize) -> Self {
        let ends = |c: char| matches!(c, '\n' | '\r');
        let start = text[..at].rfind(ends).map_or(0, |end| end + 1);
        let end = text[at..].find(ends).map_or(text.len(), |length| at + length);
        let line = &text[start..end];
        let split = line.find(':').filter(|&colon| {
            let rest = &line[colon + 1..];
            colon > 0 && (rest.is_empty() || rest.starts_with([' ', '\t']))
        });
        match split {
            Some(colon) => {
                let value = line[colon + 1..].trim();
                let from = end - line[colon + 1..].trim_start().len();
                let key = line[..colon].trim().trim_start_matches("- ").trim();
                Self { key: Some(key), value, span: Span::new(from, from + value.len()), text: line }
            }
            None => Self { key: None, value: line.trim(), span: Span::new(start, end), text: line },
        }
    }

    fn says(&self, what: &str) -> String {
        match self.key {
            Some(key) if key.chars().count() <= 60 => format!("the value of `{key}` {what}"),
            _ => format!("a value {what}"),
        }
    }
}

/// Characters with which no plain scalar may begin, or which mean something there.
const INDICATORS: &[char] = &['@', '`', '%', '*', '&', '!', '|', '>', '[', ']', '{', '}', ',', '?', '-', '#'];

fn grammar(words: &str, line: &Line<'_>, span: Span) -> (&'static Code, String, Span) {
    let first = line.value.chars().next().filter(|first| INDICATORS.contains(first));
    let has_colon = line.value.contains(": ") || line.value.contains(":\t") || line.value.ends_with(':');
    if let Some(code) = words.strip_prefix("unexpected character: `\\u{") {
        let code = code.trim_end_matches(['}', '`', '\'']).to_uppercase();
        return (
            &codes::CONTROL,
            format!("the control character U+{code:0>4} stands in the front matter"),
            span,
        );
    }
    if line.text.trim_start_matches(' ').starts_with('\t') || words.contains("tab") {
        return (&codes::TAB_INDENT, "a tab is used for indentation".to_owned(), span);
    }
    if words.contains("unclosed quote") || words.contains("trailing content after") {
        return (&codes::UNCLOSED_QUOTE, line.says("has quotes that do not enclose it"), span);
    }
    if words.contains("escape") || words.contains("hexadecimal") || words.contains("surrogate") {
        return (&codes::BAD_ESCAPE, line.says("has a backslash sequence that YAML does not know"), span);
    }
    match first {
        Some(first) if line.key.is_some() && !line.value.starts_with("- ") => (
            &codes::UNQUOTED_INDICATOR,
            line.says(&format!("begins with `{first}`, which means something in YAML")),
            line.span,
        ),
        _ if line.key.is_some() && has_colon => (
            &codes::UNQUOTED_COLON,
            line.says("contains an unquoted colon followed by white space"),
            line.span,
        ),
        _ => (&codes::INVALID_YAML, format!("the front matter is not YAML: {words}"), span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{self, Bounds};

    fn says(text: &str) -> (&'static str, String, &str) {
        let error = yaml::read(text, Bounds::default()).unwrap_err();
        let reason = of(&Rewritten::part(text, Span::new(0, text.len())), &error);
        let At::Span(span) = reason.at else { panic!("no span") };
        (reason.code.slug, reason.message, &text[span.range()])
    }

    #[test]
    fn common_mistakes_are_called_by_their_name() {
        for (text, slug, words, at) in [
            ("name: a\ndescription: Use when: x", "unquoted-colon", "`description`", "Use when: x"),
            ("description: @me", "unquoted-indicator", "begins with `@`", "@me"),
            ("description: *bold* text", "unquoted-indicator", "begins with `*`", "*bold*"),
            ("description: [x] todo", "unquoted-indicator", "begins with `[`", "[x] todo"),
            ("description: \"a\" b", "unclosed-quote", "`description`", "b"),
            ("description: \"a\\d\"", "bad-escape", "`description`", ""),
            ("m:\n\ta: b", "tab-indentation", "tab", ""),
            ("d: a\u{7}", "control-character", "U+0007", ""),
            ("name: a\nnot yaml", "invalid-yaml", "not YAML", ""),
        ] {
            let (found, message, span) = says(text);
            assert_eq!(found, format!("agent-skill/{slug}"), "{text}: {message}");
            assert!(message.contains(words), "{message}");
            assert!(at.is_empty() || span == at, "{text}: {span}");
        }
    }
}
