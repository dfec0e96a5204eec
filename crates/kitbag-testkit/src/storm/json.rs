//! JSON: what is accepted means the same to everybody, has its places, and survives its canonical forms.

use kitbag_core::json::canonical::{adcap, jcs, legacy_sorted};
use kitbag_core::json::{Json, Span, SyntaxErrorKind, Value, read};

/// Any bytes as a JSON document.
///
/// # Panics
/// When the reader breaks a promise.
pub fn json(bytes: &[u8]) {
    let json = match read(bytes) {
        Ok(json) => json,
        Err(error) => return assert_inside(error.span, bytes.len()),
    };
    assert_inside(json.span, bytes.len());
    assert_places(&json, bytes);
    let other: serde_json::Value = serde_json::from_slice(bytes)
        .unwrap_or_else(|error| panic!("accepted what another reader refuses: {error}"));
    assert!(is_same(&json, &other), "read otherwise than by another reader");
    let canonical =
        jcs(&json).unwrap_or_else(|error| panic!("what was read has no canonical form: {error:?}"));
    assert_fixpoint(&canonical, |json| jcs(json).ok());
    if let Ok(text) = adcap(&json) {
        assert_eq!(text, canonical, "of integers, both forms are the same");
    }
    if let Ok(text) = legacy_sorted(&json) {
        assert_fixpoint(&text, |json| legacy_sorted(json).ok());
    }
}

pub(super) fn assert_inside(span: Span, len: usize) {
    assert!(span.start <= span.end && span.end as usize <= len, "{span:?} of {len} bytes");
}

/// Reading a canonical form and writing it again changes nothing. RFC 8785 prints a double such as 1e20 without exponent,
/// which is an integer to the next reader, and one too large for I-JSON: that alone is no fault.
fn assert_fixpoint(text: &str, write: impl Fn(&Json) -> Option<String>) {
    match read(text.as_bytes()) {
        Ok(json) => assert_eq!(write(&json).as_deref(), Some(text)),
        Err(error) => {
            assert_eq!(error.kind, SyntaxErrorKind::IntegerRange, "its own canonical form: {error}");
        }
    }
}

/// Every value lies inside its parent, and its first byte is what such a value begins with.
fn assert_places(json: &Json, bytes: &[u8]) {
    let first = bytes[json.span.start as usize];
    let last = bytes[json.span.end as usize - 1];
    let is_right = match &json.value {
        Value::Null => first == b'n',
        Value::Bool(truth) => first == if *truth { b't' } else { b'f' },
        Value::Integer(_) | Value::Float(_) => first == b'-' || first.is_ascii_digit(),
        Value::String(_) => first == b'"' && last == b'"',
        Value::Array(items) => {
            for item in items {
                assert_within(item.span, json.span);
                assert_places(item, bytes);
            }
            first == b'[' && last == b']'
        }
        Value::Object(members) => {
            for member in members {
                assert_within(member.name_span, json.span);
                assert_within(member.value.span, json.span);
                assert_places(&member.value, bytes);
            }
            first == b'{' && last == b'}'
        }
    };
    assert!(is_right, "{:?} begins or ends elsewhere", json.kind());
}

fn assert_within(inner: Span, outer: Span) {
    assert!(outer.start < inner.start && inner.end < outer.end, "{inner:?} in {outer:?}");
}

#[expect(clippy::cast_precision_loss, reason = "both readers must give the very same double")]
fn is_same(json: &Json, other: &serde_json::Value) -> bool {
    use serde_json::Value as Other;
    match (&json.value, other) {
        (Value::Null, Other::Null) => true,
        (Value::Bool(a), Other::Bool(b)) => a == b,
        (Value::String(a), Other::String(b)) => a == b,
        (Value::Integer(a), Other::Number(b)) => b.as_i64() == Some(*a) || b.as_f64() == Some(*a as f64),
        (Value::Float(a), Other::Number(b)) => b.as_f64() == Some(*a),
        (Value::Array(a), Other::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Other::Object(b)) => {
            let is_there = |name: &str, value| b.get(name).is_some_and(|other| is_same(value, other));
            a.len() == b.len() && a.iter().all(|member| is_there(&member.name, &member.value))
        }
        _ => false,
    }
}
