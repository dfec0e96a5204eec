//! YAML 1.2's core schema (YAML 1.2.2 §10.3).
//!
//! Numbers are 64-bit floats, as the readers that follow this schema here hold them; the text as written stays in the node.

use super::error::Problem;
use super::node::{Content, NodeId, Stream, Style};

/// What a node is under this schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'s> {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(&'s str),
    /// Items.
    Sequence(&'s [NodeId]),
    /// Pairs, in the order of the text.
    Mapping(&'s [(NodeId, NodeId)]),
}

/// What the node `id` is; an alias is what it refers to.
///
/// # Errors
/// [`Problem`] when the text does not fit a tag of the schema (`!!int abc`), or a tag of one kind stands on another.
/// Tags outside the schema say nothing: the node is then read by its kind, a scalar as text.
pub fn resolve(stream: &Stream, id: NodeId) -> Result<Value<'_>, Problem> {
    let node = stream.node(stream.resolve(id));
    let tag = node.tag.as_ref();
    let own = |tag: &super::Tag, kind: &str| match tag.core() {
        Some("str" | "null" | "bool" | "int" | "float") if kind != "str" => {
            Err(Problem::new(tag.span, format!("the tag `{tag}` stands on something that is no scalar")))
        }
        Some(core @ ("seq" | "map")) if core != kind => {
            Err(Problem::new(tag.span, format!("the tag `{tag}` stands on something else")))
        }
        _ => Ok(()),
    };
    match &node.content {
        Content::Scalar(scalar) => {
            let text = &*scalar.text;
            let Some(tag) = tag else {
                return Ok(if scalar.style == Style::Plain { plain(text) } else { Value::Text(text) });
            };
            own(tag, "str")?;
            let value = match (tag.core(), plain(text)) {
                (Some("null"), value @ Value::Null)
                | (Some("bool"), value @ Value::Bool(_))
                | (Some("float"), value @ Value::Number(_)) => value,
                (Some("int"), value @ Value::Number(number)) if number.fract() == 0.0 => value,
                (Some("null" | "bool" | "float" | "int"), _) => {
                    return Err(Problem::new(node.span, format!("`{text}` does not fit the tag `{tag}`")));
                }
                _ => Value::Text(text),
            };
            Ok(value)
        }
        Content::Sequence(items) => {
            tag.map_or(Ok(()), |tag| own(tag, "seq")).map(|()| Value::Sequence(items))
        }
        Content::Mapping(pairs) => tag.map_or(Ok(()), |tag| own(tag, "map")).map(|()| Value::Mapping(pairs)),
        // An alias never refers to an alias: the grammar gives aliases no anchor.
        Content::Alias(_) => Ok(Value::Null),
    }
}

/// What a plain scalar is.
#[must_use]
pub fn plain(text: &str) -> Value<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or(Value::Text(text), Value::Number),
    }
}

/// The number that a plain scalar is: `[-+]?[0-9]+`, `0o17`, `0x1F`, `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`,
/// `.inf`, `.nan`.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix: u32| {
        if digits.is_empty() {
            return None;
        }
        digits.chars().try_fold(0.0, |sum: f64, digit| {
            Some(sum.mul_add(f64::from(radix), f64::from(digit.to_digit(radix)?)))
        })
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if rest.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    let mut at = whole;
    let mut fraction = 0;
    if rest[at..].starts_with('.') {
        fraction = digits(&rest[at + 1..]);
        at += 1 + fraction;
    }
    if whole == 0 && fraction == 0 {
        return None;
    }
    if rest[at..].starts_with(['e', 'E']) {
        at += 1;
        at += usize::from(rest[at..].starts_with(['-', '+']));
        match digits(&rest[at..]) {
            0 => return None,
            count => at += count,
        }
    }
    if at < rest.len() { None } else { rest.parse().ok().map(|number: f64| sign * number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Bounds, read};

    #[test]
    fn plain_words_are_what_the_core_schema_says() {
        for (text, value) in [
            ("~", Value::Null),
            ("", Value::Null),
            ("nUll", Value::Text("nUll")),
            ("True", Value::Bool(true)),
            ("tRue", Value::Text("tRue")),
            ("yes", Value::Text("yes")),
            ("017", Value::Number(17.0)),
            ("0o17", Value::Number(15.0)),
            ("0x1F", Value::Number(31.0)),
            ("0XFF", Value::Text("0XFF")),
            ("0x", Value::Text("0x")),
            ("+1", Value::Number(1.0)),
            (".5", Value::Number(0.5)),
            ("5.", Value::Number(5.0)),
            (".", Value::Text(".")),
            ("1e3", Value::Number(1000.0)),
            ("1e", Value::Text("1e")),
            ("1_000", Value::Text("1_000")),
            ("0b11", Value::Text("0b11")),
            ("-.inf", Value::Number(f64::NEG_INFINITY)),
            ("+.nan", Value::Text("+.nan")),
            ("1.2.3", Value::Text("1.2.3")),
            ("infinity", Value::Text("infinity")),
            ("nan", Value::Text("nan")),
        ] {
            assert_eq!(plain(text), value, "{text}");
        }
        assert!(matches!(plain(".NaN"), Value::Number(number) if number.is_nan()));
    }

    #[test]
    fn a_tag_of_the_schema_must_fit() {
        for (text, fits) in [
            ("!!int 4", true),
            ("!!int abc", false),
            ("!!str [a]", false),
            ("!!seq [a]", true),
            ("!x [a]", true),
        ] {
            let stream = read(text, Bounds::default()).unwrap();
            assert_eq!(resolve(&stream, stream.roots()[0]).is_ok(), fits, "{text}");
        }
        let stream = read("!!str 42", Bounds::default()).unwrap();
        assert_eq!(resolve(&stream, stream.roots()[0]), Ok(Value::Text("42")));
    }
}
