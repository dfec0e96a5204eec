//! Is a schema a schema? The meta-schema of Draft 2020-12, keyword by keyword, as a walk over what was written.
//!
//! Checking a contract asks this of every schema in it, so it must cost next to nothing; compiling the meta-schema for the
//! `jsonschema` crate would cost more than all other checks together. The crate is the second opinion in the tests.

use crate::json::decode::{Decoder, Fields, Others, Placed, Shape, TextRule};
use crate::json::{Json, Problem, ProblemKind, Value};

use super::pattern::is_pattern;

/// Keywords whose value is a schema.
const SCHEMA: [&str; 11] = [
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "if",
    "then",
    "else",
    "not",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
const SCHEMAS: [&str; 4] = ["prefixItems", "allOf", "anyOf", "oneOf"];
/// Keywords whose value maps names to schemas.
const NAMED_SCHEMAS: [&str; 4] = ["$defs", "definitions", "properties", "dependentSchemas"];
/// Keywords whose value is a text of any kind. Formats other than `regex` are not asserted.
const TEXTS: [&str; 10] = [
    "$schema",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$comment",
    "title",
    "description",
    "format",
    "contentEncoding",
    "contentMediaType",
];
const ANCHORS: [&str; 3] = ["$anchor", "$dynamicAnchor", "$recursiveAnchor"];
const TRUTHS: [&str; 4] = ["uniqueItems", "deprecated", "readOnly", "writeOnly"];
const NUMBERS: [&str; 4] = ["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"];
const COUNTS: [&str; 8] = [
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
];
const TYPES: [(&str, ()); 7] = [
    ("array", ()),
    ("boolean", ()),
    ("integer", ()),
    ("null", ()),
    ("number", ()),
    ("object", ()),
    ("string", ()),
];

const ANCHOR: Shape = Shape {
    rule: "a letter or `_`, then letters, digits, `-`, `_` and `.`",
    holds: |text| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    },
};
const IDENTIFIER: Shape = Shape {
    rule: "a reference without a fragment",
    holds: |text| !text.strip_suffix('#').unwrap_or(text).contains('#'),
};
const PATTERN: Shape = Shape { rule: "a regular expression (of Python's `re`)", holds: is_pattern };

/// Whether `schema` is a Draft 2020-12 schema, whatever it names itself. Where its references lead is not asked.
///
/// # Errors
/// The first [`Problem`], by path.
pub fn check(schema: &Json) -> Result<(), Problem> {
    let mut decoder = Decoder::new();
    any_schema(&mut decoder, schema);
    decoder.finish().into_iter().next().map_or(Ok(()), Err)
}

/// Recursion ends at the reader's depth.
fn any_schema<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<()> {
    match json.value {
        Value::Bool(_) => Some(()),
        Value::Object(_) => decoder.object(json, Others::Allowed, keywords),
        _ => {
            let kind = ProblemKind::Mistyped {
                expected: "a schema: an object, `true` or `false`",
                found: json.kind(),
            };
            decoder.problem(json.span, kind);
            None
        }
    }
}

fn keywords(fields: &mut Fields<'_, '_>) -> Option<()> {
    for name in SCHEMA {
        fields.optional(name, any_schema);
    }
    for name in SCHEMAS {
        fields.optional(name, |decoder, json| decoder.filled_array(json, any_schema));
    }
    for name in NAMED_SCHEMAS {
        fields.optional(name, |decoder, json| decoder.map(json, None, any_schema));
    }
    fields.optional("patternProperties", |decoder, json| decoder.map(json, Some(PATTERN), any_schema));
    fields.optional("pattern", |decoder, json| decoder.text_that(json, &[TextRule::Shape(PATTERN)]));
    fields.optional("$id", |decoder, json| decoder.text_that(json, &[TextRule::Shape(IDENTIFIER)]));
    for name in ANCHORS {
        fields.optional(name, |decoder, json| decoder.text_that(json, &[TextRule::Shape(ANCHOR)]));
    }
    fields.optional("$vocabulary", |decoder, json| decoder.map(json, None, Decoder::boolean));
    for name in TEXTS {
        fields.optional(name, Decoder::text);
    }
    for name in TRUTHS {
        fields.optional(name, Decoder::boolean);
    }
    for name in NUMBERS {
        fields.optional(name, Decoder::number);
    }
    fields.optional("multipleOf", |decoder, json| decoder.number_above(json, 0.0));
    for name in COUNTS {
        fields.optional(name, count);
    }
    fields.optional("type", types);
    fields.optional("enum", |decoder, json| decoder.array(json, |_, _| Some(())));
    fields.optional("examples", |decoder, json| decoder.array(json, |_, _| Some(())));
    fields.optional("required", distinct_texts);
    fields.optional("dependentRequired", |decoder, json| decoder.map(json, None, distinct_texts));
    fields.optional("dependencies", |decoder, json| {
        decoder.map(json, None, |decoder, json| match json.value {
            Value::Array(_) => distinct_texts(decoder, json).map(drop),
            _ => any_schema(decoder, json),
        })
    });
    Some(())
}

fn count<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<f64> {
    let count = decoder.whole_number(json)?;
    if count < 0.0 {
        decoder.problem(json.span, ProblemKind::NotAbove { found: count, bound: -1.0 });
        return None;
    }
    Some(count)
}

fn types<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<()> {
    match &json.value {
        Value::Array(items) if items.is_empty() => {
            decoder.problem(json.span, ProblemKind::Empty);
            None
        }
        Value::Array(_) => decoder.set(json, |decoder, json| decoder.one_of(json, &TYPES)).map(drop),
        _ => decoder.one_of(json, &TYPES),
    }
}

fn distinct_texts<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Vec<Placed<String>>> {
    decoder.set(json, Decoder::text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::schema::Schema;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    /// What the meta-schema itself says; its formats are not asserted there.
    fn second_opinion() -> Schema {
        Schema::new(&json(r#"{"$ref": "https://json-schema.org/draft/2020-12/schema"}"#)).unwrap()
    }

    #[test]
    fn a_schema_is_told_from_what_only_looks_like_one() {
        for good in [
            "{}",
            "true",
            r#"{"type": ["string", "null"], "minLength": 1.0}"#,
            r#"{"$schema": "nonsense", "$ref": "https://example.invalid/none"}"#,
            r#"{"pattern": "(?P<x>a)", "patternProperties": {"^a$": true}}"#,
            r#"{"properties": {"$ref": {"type": "string"}, "pattern": {}}}"#,
            r#"{"enum": [], "const": null, "default": {"type": 1}, "examples": [{"type": 1}], "unknown": {"type": 1}}"#,
        ] {
            assert_eq!(check(&json(good)), Ok(()), "{good}");
        }
        for (bad, at) in [
            ("1", ""),
            (r#"{"type": "x"}"#, "/type"),
            (r#"{"minLength": -1}"#, "/minLength"),
            (r#"{"properties": {"a": {"pattern": "("}}}"#, "/properties/a/pattern"),
            (r#"{"patternProperties": {"[": true}}"#, "/patternProperties"),
            (r#"{"allOf": []}"#, "/allOf"),
            (r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$defs": 1}"#, "/$defs"),
            (r##"{"$id": "a#b"}"##, "/$id"),
        ] {
            assert_eq!(check(&json(bad)).unwrap_err().pointer().as_str(), at, "{bad}");
        }
    }

    #[test]
    fn every_keyword_with_every_kind_of_value_is_judged_as_the_meta_schema_judges_it() {
        let meta = second_opinion();
        let listed =
            [&SCHEMA[..], &SCHEMAS, &NAMED_SCHEMAS, &TEXTS, &ANCHORS, &TRUTHS, &NUMBERS, &COUNTS].concat();
        let single = [
            "patternProperties",
            "pattern",
            "$id",
            "$vocabulary",
            "multipleOf",
            "type",
            "enum",
            "examples",
            "required",
            "dependentRequired",
            "dependencies",
            "const",
            "default",
        ];
        let values = [
            "null",
            "true",
            "0",
            "-1",
            "-0.0",
            "1",
            "1.5",
            "2.0",
            r#""""#,
            r#""a""#,
            r##""a#b""##,
            r#""a#""#,
            r#""1a""#,
            r#""string""#,
            "[]",
            "[1]",
            "[1, 1.0]",
            r#"["a"]"#,
            r#"["a", "a"]"#,
            r#"["string", "null"]"#,
            r#"["string", "string"]"#,
            "[true]",
            "[{}]",
            r#"[{"type": 1}]"#,
            "{}",
            r#"{"a": 1}"#,
            r#"{"a": true}"#,
            r#"{"a": {}}"#,
            r#"{"a": {"type": "x"}}"#,
            r#"{"a": ["b"]}"#,
            r#"{"a": ["b", "b"]}"#,
            r#"{"a": [1]}"#,
            r#"{"type": 1}"#,
            r#"{"items": {"not": {"type": 1}}}"#,
        ];
        let (mut accepted, mut refused) = (0, 0);
        for keyword in listed.iter().chain(&single) {
            for value in values {
                let schema = json(&format!("{{{keyword:?}: {value}}}"));
                let ours = check(&schema).is_ok();
                assert_eq!(ours, meta.violations(&schema).is_empty(), "{keyword}: {value}");
                if ours { accepted += 1 } else { refused += 1 }
            }
        }
        assert!(accepted > 300 && refused > 300, "{accepted} and {refused}");
    }
}
