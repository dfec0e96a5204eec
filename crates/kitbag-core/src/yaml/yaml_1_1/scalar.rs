//! What a plain scalar is: the loader's implicit rules.

use super::integer::Integer;
use super::timestamp::{self, Look, Timestamp};

/// What a plain scalar is.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    /// Nothing, `~`, `null`.
    Null,
    /// `yes`, `on`, `true`, …
    Bool(bool),
    /// An integer.
    Integer(Integer),
    /// A float.
    Float(f64),
    /// A date or time.
    Timestamp(Timestamp),
    /// `<<`: as a key it merges, as a value it cannot be constructed.
    Merge,
    /// `=`: as a key it is text, as a value it cannot be constructed.
    Default,
    /// It has the shape of an integer, float or date and is none, such as `0b_` or the 30th of February.
    Impossible,
    /// Anything else.
    Text,
}

/// What the plain scalar `text` is.
#[must_use]
pub fn plain(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "<<" => return Plain::Merge,
        "=" => return Plain::Default,
        _ => {}
    }
    if let Some(truth) = truth(text) {
        return Plain::Bool(truth);
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) {
        return Plain::Text;
    }
    if looks_float(text) {
        return float(text).map_or(Plain::Impossible, Plain::Float);
    }
    if looks_integer(text) {
        return Integer::parse(text).map_or(Plain::Impossible, Plain::Integer);
    }
    match timestamp::look(text) {
        Look::Timestamp(timestamp) => Plain::Timestamp(timestamp),
        Look::Impossible => Plain::Impossible,
        Look::No => Plain::Text,
    }
}

/// `yes`, `true`, `on` and their opposites, in lower case, upper case or with a capital.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

/// The rest of `text` after the leading bytes that `belongs` accepts.
fn after(text: &str, belongs: impl Fn(u8) -> bool) -> &str {
    &text[text.bytes().take_while(|&byte| belongs(byte)).count()..]
}

fn digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// `(:[0-5]?[0-9])+` at the start of `text`: what follows it, or `None` where it is not there.
fn after_sixties(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut seen = false;
    while let Some(part) = rest.strip_prefix(':') {
        let digits = part.bytes().take(2).take_while(u8::is_ascii_digit).count();
        match (digits, part.as_bytes().first()) {
            (0, _) => break,
            (2, Some(b'6'..=b'9')) => rest = &part[1..],
            (count, _) => rest = &part[count..],
        }
        seen = true;
    }
    seen.then_some(rest)
}

fn looks_integer(text: &str) -> bool {
    let digits = unsigned(text);
    if let Some(rest) = digits.strip_prefix("0b") {
        return !rest.is_empty() && after(rest, |byte| matches!(byte, b'0' | b'1' | b'_')).is_empty();
    }
    if let Some(rest) = digits.strip_prefix("0x") {
        return !rest.is_empty() && after(rest, |byte| byte.is_ascii_hexdigit() || byte == b'_').is_empty();
    }
    if let Some(rest) = digits.strip_prefix('0') {
        return after(rest, |byte| matches!(byte, b'0'..=b'7' | b'_')).is_empty();
    }
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let rest = after(digits, digit_or_underscore);
    rest.is_empty() || after_sixties(rest) == Some("")
}

fn looks_float(text: &str) -> bool {
    let exponent_ends = |rest: &str| {
        let Some(rest) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
        let Some(digits) = rest.strip_prefix(['-', '+']) else { return false };
        !digits.is_empty() && after(digits, |byte| byte.is_ascii_digit()).is_empty()
    };
    let digits = unsigned(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if let Some(fraction) = text.strip_prefix('.') {
        return fraction.starts_with(|first: char| first.is_ascii_digit())
            && exponent_ends(after(fraction, digit_or_underscore));
    }
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let rest = after(digits, digit_or_underscore);
    if let Some(fraction) = rest.strip_prefix('.') {
        return exponent_ends(after(fraction, digit_or_underscore));
    }
    let fraction = after_sixties(rest).and_then(|rest| rest.strip_prefix('.'));
    fraction.is_some_and(|fraction| after(fraction, digit_or_underscore).is_empty())
}

/// Parses what the loader takes for a float.
pub(super) fn float(text: &str) -> Option<f64> {
    let text: String = text
        .chars()
        .filter(|&character| character != '_')
        .map(|character| character.to_ascii_lowercase())
        .collect();
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let number = match unsigned(&text) {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        sixties if sixties.contains(':') => {
            let parts: Option<Vec<f64>> = sixties.split(':').map(|part| part.parse().ok()).collect();
            parts?.into_iter().fold(0.0, |sum, part| sum * 60.0 + part)
        }
        // Rust reads `infinity` and `nan` where the loader's words begin with a point.
        digits if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
            digits.parse().ok()?
        }
        _ => return None,
    };
    Some(sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> Plain {
        Plain::Integer(Integer::parse(text).unwrap())
    }

    #[test]
    fn plain_words_are_what_pyyaml_takes_them_for() {
        for (text, value) in [
            ("", Plain::Null),
            ("Null", Plain::Null),
            ("nUll", Plain::Text),
            ("yes", Plain::Bool(true)),
            ("OFF", Plain::Bool(false)),
            ("y", Plain::Text),
            ("010", integer("8")),
            ("08", Plain::Text),
            ("0o17", Plain::Text),
            ("0b11", integer("3")),
            ("1_000", integer("1000")),
            ("1:20", integer("80")),
            ("1:60", Plain::Text),
            ("12:30:45", integer("45045")),
            ("1:20.5", Plain::Float(80.5)),
            ("1e3", Plain::Text),
            ("1.e+3", Plain::Float(1000.0)),
            ("1.0e3", Plain::Text),
            (".5", Plain::Float(0.5)),
            ("-.5", Plain::Text),
            ("1.", Plain::Float(1.0)),
            ("-.Inf", Plain::Float(f64::NEG_INFINITY)),
            ("+.nan", Plain::Text),
            ("0b_", Plain::Impossible),
            ("2024-02-30", Plain::Impossible),
            ("2024-2-3", Plain::Text),
            ("=", Plain::Default),
            ("<<", Plain::Merge),
            ("-", Plain::Text),
            ("+1", integer("1")),
        ] {
            assert_eq!(plain(text), value, "{text}");
        }
        assert!(matches!(plain("2024-02-29"), Plain::Timestamp(_)));
    }
}
