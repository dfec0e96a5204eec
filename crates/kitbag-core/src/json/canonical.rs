//! Canonical JSON: the bytes that are hashed and signed. Three promises, each by its own name.
//!
//! | | order of names | numbers | who |
//! |---|---|---|---|
//! | [`jcs`] | UTF-16 code units | as ECMAScript prints a double | RFC 8785; SkillPact from 0.4 |
//! | [`adcap`] | UTF-16 code units | integers as they are written; a fraction or exponent is refused | `.adcap` §4 |
//! | [`legacy_sorted`] | code points | integers by value; anything else is refused | SkillPact 0.1 to 0.3 |
//!
//! All three print no white space, keep everything but `"`, `\` and control characters as it is, and refuse integers
//! beyond ±(2^53−1): the bytes would stand for another number than the author wrote. There is no function that chooses:
//! whoever signs names the promise.

use std::fmt;

use super::read::MAX_INTEGER;
use super::value::{Json, Member, Object, Pointer, Span, Value};

/// RFC 8785, the JSON Canonicalization Scheme.
///
/// # Errors
/// An integer beyond ±(2^53−1), or a number that is not finite; the reader lets neither through.
pub fn jcs(json: &Json) -> Result<String, Refused> {
    Writer::print(json, by_utf16, |number| match number {
        Value::Float(double) if double.is_finite() => Ok(Number::Double(*double)),
        Value::Float(_) => Err(RefusedKind::NotFinite),
        _ => integer(number),
    })
}

/// The form of `.adcap` §4: as RFC 8785, with integers only. A number written with a fraction or an exponent is refused,
/// also where its value is whole: some reader keeps it as a double, and floats are not allowed in signed data.
///
/// # Errors
/// The first number that is no integer, or is beyond ±(2^53−1).
pub fn adcap(json: &Json) -> Result<String, Refused> {
    Writer::print(json, by_utf16, integer)
}

/// The form of SkillPact 0.1 to 0.3 (SkillPact §11.1): names by code point, integers only. A double with a whole value is
/// that integer, as it was for the programs that signed these versions.
///
/// # Errors
/// The first number that is no whole number, or is beyond ±(2^53−1): the contract cannot be verified and has to be migrated.
pub fn legacy_sorted(json: &Json) -> Result<String, Refused> {
    Writer::print(
        json,
        |members| members.sort_by(|a, b| a.name.cmp(&b.name)),
        |number| match number {
            #[expect(clippy::cast_precision_loss, reason = "2^53 − 1 is a double")]
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole double within ±(2^53−1) is that integer"
            )]
            Value::Float(double) if double.fract() == 0.0 && double.abs() <= MAX_INTEGER as f64 => {
                Ok(Number::Integer(*double as i64))
            }
            _ => integer(number),
        },
    )
}

/// Why a value has no canonical form, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub kind: RefusedKind,
    /// The value.
    pub pointer: Pointer,
    /// Its bytes.
    pub span: Span,
}

/// Why a value has no canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedKind {
    /// A number with a fraction or an exponent, where only integers are signed.
    NotInteger,
    /// An integer beyond ±(2^53−1).
    IntegerRange,
    /// Not a number, or infinite.
    NotFinite,
}

impl fmt::Display for RefusedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInteger => f.write_str("only integers may stand in signed data"),
            Self::IntegerRange => {
                write!(f, "the integer is beyond ±{MAX_INTEGER}, which not every reader keeps")
            }
            Self::NotFinite => f.write_str("the number is not finite"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no canonical form at `{}`: {}", self.pointer, self.kind)
    }
}

impl std::error::Error for Refused {}

/// A number, ready to be printed.
#[derive(Clone, Copy)]
enum Number {
    Integer(i64),
    Double(f64),
}

fn integer(number: &Value) -> Result<Number, RefusedKind> {
    match number {
        Value::Integer(integer) if integer.unsigned_abs() <= MAX_INTEGER.unsigned_abs() => {
            Ok(Number::Integer(*integer))
        }
        Value::Integer(_) => Err(RefusedKind::IntegerRange),
        _ => Err(RefusedKind::NotInteger),
    }
}

/// RFC 8785 §3.2.3. This differs from the order of code points only between U+E000–U+FFFF and what lies above.
fn by_utf16(members: &mut [&Member]) {
    members.sort_by(|a, b| a.name.encode_utf16().cmp(b.name.encode_utf16()));
}

struct Writer<N> {
    out: String,
    sort: fn(&mut [&Member]),
    number: N,
}

/// What is wrong, and the path to it from the inside out.
struct Trail {
    kind: RefusedKind,
    span: Span,
    tokens: Vec<String>,
}

impl<N: Fn(&Value) -> Result<Number, RefusedKind>> Writer<N> {
    fn print(json: &Json, sort: fn(&mut [&Member]), number: N) -> Result<String, Refused> {
        let mut writer = Self { out: String::new(), sort, number };
        match writer.value(json) {
            Ok(()) => Ok(writer.out),
            Err(Trail { kind, span, tokens }) => {
                let pointer = tokens.iter().rev().fold(Pointer::root(), |pointer, token| pointer.join(token));
                Err(Refused { kind, pointer, span })
            }
        }
    }

    fn value(&mut self, json: &Json) -> Result<(), Trail> {
        match &json.value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Integer(_) | Value::Float(_) => {
                let number = (self.number)(&json.value);
                self.number(number.map_err(|kind| Trail { kind, span: json.span, tokens: Vec::new() })?);
            }
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    self.value(item).map_err(|trail| trail.below(&at))?;
                }
                self.out.push(']');
            }
            Value::Object(object) => self.object(object)?,
        }
        Ok(())
    }

    fn object(&mut self, object: &Object) -> Result<(), Trail> {
        let mut members: Vec<&Member> = object.iter().collect();
        (self.sort)(&mut members);
        self.out.push('{');
        for (at, member) in members.into_iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.string(&member.name);
            self.out.push(':');
            self.value(&member.value).map_err(|trail| trail.below(&member.name))?;
        }
        self.out.push('}');
        Ok(())
    }

    fn number(&mut self, number: Number) {
        match number {
            Number::Integer(integer) => self.out.push_str(&integer.to_string()),
            Number::Double(double) => self.out.push_str(ryu_js::Buffer::new().format_finite(double)),
        }
    }

    /// RFC 8785 §3.2.2.2; `JSON.stringify` prints the same.
    fn string(&mut self, text: &str) {
        self.out.push('"');
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                0x08 => "\\b",
                b'\t' => "\\t",
                b'\n' => "\\n",
                0x0c => "\\f",
                b'\r' => "\\r",
                0..0x20 => "",
                _ => continue,
            };
            self.out.push_str(&text[plain..at]);
            plain = at + 1;
            if short.is_empty() {
                self.out.push_str(&format!("\\u{byte:04x}"));
            } else {
                self.out.push_str(short);
            }
        }
        self.out.push_str(&text[plain..]);
        self.out.push('"');
    }
}

impl Trail {
    fn below(mut self, token: &impl fmt::Display) -> Self {
        self.tokens.push(token.to_string());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_three_promises_differ_where_they_say_so_and_nowhere_else() {
        let names = json(r#"{"\ufb33":1,"\ud83d\ude00":2,"b":{"z":[],"a":{}}}"#);
        let utf16 = "{\"b\":{\"a\":{},\"z\":[]},\"😀\":2,\"\u{fb33}\":1}";
        assert_eq!(jcs(&names).unwrap(), utf16);
        assert_eq!(adcap(&names).unwrap(), utf16);
        assert_eq!(legacy_sorted(&names).unwrap(), "{\"b\":{\"a\":{},\"z\":[]},\"\u{fb33}\":1,\"😀\":2}");
        let numbers = json("[-0, -0.0, 1.0, 1e3, 9007199254740991]");
        assert_eq!(jcs(&numbers).unwrap(), "[0,0,1,1000,9007199254740991]");
        assert_eq!(legacy_sorted(&numbers).unwrap(), "[0,0,1,1000,9007199254740991]");
        assert_eq!(adcap(&json("[-0, -1, 9007199254740991]")).unwrap(), "[0,-1,9007199254740991]");
    }

    #[test]
    fn what_has_no_canonical_form_is_refused_with_its_pointer() {
        let deep = json(r#"{"b":1.5,"a":[0,{"x/y":1.0}]}"#);
        let refused = adcap(&deep).unwrap_err();
        assert_eq!((refused.kind, refused.pointer.as_str()), (RefusedKind::NotInteger, "/a/1/x~1y"));
        assert_eq!(refused.span, deep.at(&refused.pointer).unwrap().span);
        assert_eq!(legacy_sorted(&deep).unwrap_err().pointer.as_str(), "/b");
        assert!(jcs(&deep).is_ok());
        assert!(legacy_sorted(&json("9007199254740993.0")).is_err());
        let made = |value| Json { span: Span::default(), value };
        assert_eq!(jcs(&made(Value::Integer(i64::MIN))).unwrap_err().kind, RefusedKind::IntegerRange);
        assert_eq!(adcap(&made(Value::Integer(1 << 53))).unwrap_err().kind, RefusedKind::IntegerRange);
        for double in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(jcs(&made(Value::Float(double))).unwrap_err().kind, RefusedKind::NotFinite);
            assert!(legacy_sorted(&made(Value::Float(double))).is_err());
        }
    }
}
