//! What one schema says, keyword by keyword.

use std::collections::BTreeSet;

use crate::json::{Json, Object, Value, excerpt};

/// Keywords that say nothing about which values pass.
pub(super) const ANNOTATIONS: [&str; 15] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "$vocabulary",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
];

pub(super) fn is_everything(schema: &Json) -> bool {
    match &schema.value {
        Value::Bool(truth) => *truth,
        Value::Object(object) => object.iter().all(|member| ANNOTATIONS.contains(&&*member.name)),
        _ => false,
    }
}

pub(super) fn is_nothing(schema: &Json) -> bool {
    schema.as_bool() == Some(false)
}

/// The types that `type` lists.
pub(super) fn types(schema: &Object) -> Option<BTreeSet<&str>> {
    match &schema.get("type")?.value {
        Value::String(kind) => Some([kind.as_str()].into()),
        Value::Array(kinds) => Some(kinds.iter().filter_map(Json::as_str).collect()),
        _ => None,
    }
}

/// The types of the values that are listed.
pub(super) fn types_of_values(schema: &Object) -> Option<BTreeSet<&'static str>> {
    let kind = |json: &Json| match json.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Integer(_) => "integer",
        Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Some(values(schema)?.into_iter().map(kind).collect())
}

/// The values that `const` or `enum` lists.
pub(super) fn values(schema: &Object) -> Option<Vec<&Json>> {
    match schema.get("const") {
        Some(only) => Some(vec![only]),
        None => Some(schema.get("enum")?.as_array()?.iter().collect()),
    }
}

pub(super) fn may_be(kind: &str, schema: &Object) -> bool {
    types(schema).or_else(|| types_of_values(schema)).is_none_or(|kinds| kinds.contains(kind))
}

/// Whether a bound is about a kind of value that the schema lets through.
pub(super) fn concerns(keyword: &str, schema: &Object) -> bool {
    match keyword {
        "minLength" | "maxLength" => may_be("string", schema),
        "minItems" | "maxItems" => may_be("array", schema),
        "minProperties" | "maxProperties" => may_be("object", schema),
        _ => may_be("number", schema) || may_be("integer", schema),
    }
}

pub(super) fn number(json: Option<&Json>) -> Option<f64> {
    match &json?.value {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the reader lets no integer through that a double cannot hold"
        )]
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

pub(super) fn properties(schema: &Object) -> Option<&Object> {
    schema.get("properties")?.as_object()
}

pub(super) fn names<'j>(schema: &'j Object, keyword: &str) -> BTreeSet<&'j str> {
    schema.get(keyword).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

/// `null or string`
pub(super) fn list(kinds: &BTreeSet<&str>) -> String {
    let kinds: Vec<String> = kinds.iter().map(|kind| format!("`{}`", excerpt(kind))).collect();
    kinds.join(" or ")
}
