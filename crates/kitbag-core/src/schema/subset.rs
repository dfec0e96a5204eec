//! Splice's closed subset of JSON Schema (Splice 1, "Schema subset"): fourteen keywords, every other one refused, never
//! ignored.
//!
//! [`Subset::new`] says whether a schema is one; [`Subset::violations`] whether a value is as it says. Both list all there
//! is to say, up to a bound, in the order in which Splice's own implementation does. Names are looked up as own names
//! only: there, a value could satisfy `required` or slip past `additionalProperties` through a name that every JavaScript
//! object inherits (`constructor`, `toString`, …). Here it cannot.

mod judge;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::json::{Json, Pointer, Span, Value, canonical, excerpt};

/// The keywords there are.
pub const KEYWORDS: [&str; 14] = [
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "default",
];

/// Deepest nesting of `properties` and `items`; the schema itself is depth 0.
pub const MAX_DEPTH: usize = 16;

/// Most faults of one schema, and most violations of one value, that are listed.
pub const MAX_LISTED: usize = 1_000;

/// Most bytes of the paths of all faults of one schema: a long name can hold many.
const MAX_PATH_BYTES: usize = 1 << 20;

/// Most members of an `enum` that a message lists.
const MAX_SHOWN: usize = 20;

/// Why a schema is none of the subset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The schema or keyword it is about, in Splice's words: `.properties.q.type`, to follow the name of the schema.
    pub path: String,
    /// The same as a pointer, to follow the pointer to the schema.
    pub tokens: Vec<String>,
    /// The bytes to look at.
    pub span: Span,
    /// What is so.
    pub message: String,
}

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// A keyword that the subset does not have.
    Keyword,
    /// A keyword whose value is not what it must be, or something that is no schema.
    Definition,
}

/// What about a value is not as the schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The value, in Splice's words: `input.tags[1]`.
    pub path: String,
    /// What is so.
    pub message: String,
}

/// A schema of the subset, ready to be asked.
#[derive(Debug, Default)]
pub struct Subset {
    kind: Option<Kind>,
    properties: HashMap<String, Self>,
    required: Vec<String>,
    others: Others,
    items: Option<Box<Self>>,
    one_of: Option<OneOf>,
    length: Bounds,
    count: Bounds,
    minimum: Option<f64>,
    maximum: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Others {
    #[default]
    Allowed,
    Refused,
}

/// Least and most, as they are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    least: Option<f64>,
    most: Option<f64>,
}

#[derive(Debug)]
struct OneOf {
    members: HashSet<Scalar>,
    shown: String,
}

/// A value that `enum` can list. Numbers are equal by value.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Scalar {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Null,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Object, Self::String, Self::Number, Self::Integer, Self::Boolean, Self::Array, Self::Null];

    const fn word(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Null => "null",
        }
    }

    fn matches(self, json: &Json) -> bool {
        match self {
            Self::Object => json.as_object().is_some(),
            Self::String => json.as_str().is_some(),
            Self::Number => number(json).is_some(),
            Self::Integer => number(json).is_some_and(|number| number.fract() == 0.0),
            Self::Boolean => json.as_bool().is_some(),
            Self::Array => json.as_array().is_some(),
            Self::Null => json.value == Value::Null,
        }
    }
}

impl Subset {
    /// Reads a schema.
    ///
    /// # Errors
    /// Every [`Fault`], up to [`MAX_LISTED`]; one more says that there would be more.
    pub fn new(schema: &Json) -> Result<Self, Vec<Fault>> {
        let mut reading = Reading::default();
        let subset = reading.schema(schema, 0);
        if reading.faults.is_empty() { Ok(subset) } else { Err(reading.faults) }
    }

    /// What about `value`, which people call `root`, is not as the schema says; up to [`MAX_LISTED`].
    #[must_use]
    pub fn violations(&self, value: &Json, root: &str) -> Vec<Unlike> {
        judge::violations(self, value, root)
    }
}

/// Reads a schema and notes what is wrong with it.
#[derive(Default)]
struct Reading {
    tokens: Vec<String>,
    faults: Vec<Fault>,
    path_bytes: usize,
}

impl Reading {
    fn fault(&mut self, kind: FaultKind, span: Span, message: impl Into<String>) {
        if self.faults.len() > MAX_LISTED || self.path_bytes > MAX_PATH_BYTES {
            return;
        }
        self.path_bytes += self.tokens.iter().map(String::len).sum::<usize>();
        if self.faults.len() == MAX_LISTED || self.path_bytes > MAX_PATH_BYTES {
            self.path_bytes = usize::MAX;
            let (kind, path, tokens) = (FaultKind::Definition, String::new(), Vec::new());
            let message = "the schema has more faults than are listed".to_owned();
            self.faults.push(Fault { kind, path, tokens, span, message });
        } else {
            let mut path = String::new();
            self.tokens.iter().for_each(|token| {
                let _infallible = write!(path, ".{}", excerpt(token));
            });
            let (tokens, message) = (self.tokens.clone(), message.into());
            self.faults.push(Fault { kind, path, tokens, span, message });
        }
    }

    fn below<T>(&mut self, token: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.tokens.push(token.to_owned());
        let result = read(self);
        self.tokens.pop();
        result
    }

    fn schema(&mut self, json: &Json, depth: usize) -> Subset {
        let mut subset = Subset::default();
        if depth > MAX_DEPTH {
            let message = format!("schema nesting is too deep (max {MAX_DEPTH})");
            self.fault(FaultKind::Definition, json.span, message);
            return subset;
        }
        let Some(object) = json.as_object() else {
            self.fault(FaultKind::Definition, json.span, "must be an object");
            return subset;
        };
        for member in object.in_script_order() {
            if !is_keyword(&member.name) {
                let message = format!("unsupported keyword \"{}\"", excerpt(&member.name));
                self.fault(FaultKind::Keyword, member.name_span, message);
            }
        }
        let keyword = |name: &str| object.get(name);
        if let Some(json) = keyword("type") {
            subset.kind = Kind::ALL.into_iter().find(|kind| json.as_str() == Some(kind.word()));
            if subset.kind.is_none() {
                let words = Kind::ALL.map(Kind::word).join(", ");
                self.wrong("type", json, format!("must be one of {words}"));
            }
        }
        if let Some(json) = keyword("description").filter(|json| json.as_str().is_none()) {
            self.wrong("description", json, "must be a string");
        }
        if let Some(json) = keyword("properties") {
            match json.as_object() {
                Some(properties) => self.below("properties", |reading| {
                    for member in properties.in_script_order() {
                        let property =
                            reading.below(&member.name, |reading| reading.schema(&member.value, depth + 1));
                        subset.properties.insert(member.name.clone(), property);
                    }
                }),
                None => self.wrong("properties", json, "must be an object of schemas"),
            }
        }
        if let Some(json) = keyword("required") {
            let names: Option<Vec<String>> = json
                .as_array()
                .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
            match names {
                Some(names) => subset.required = names,
                None => self.wrong("required", json, "must be an array of strings"),
            }
        }
        if let Some(json) = keyword("additionalProperties") {
            match json.as_bool() {
                Some(true) => {}
                Some(false) => subset.others = Others::Refused,
                None => self.wrong("additionalProperties", json, "must be true or false"),
            }
        }
        if let Some(json) = keyword("items") {
            let items = self.below("items", |reading| reading.schema(json, depth + 1));
            subset.items = Some(Box::new(items));
        }
        if let Some(json) = keyword("enum") {
            subset.one_of = OneOf::of(json);
            if subset.one_of.is_none() {
                self.wrong("enum", json, "must be a non-empty array of strings, numbers, booleans or null");
            }
        }
        subset.length = Bounds {
            least: keyword("minLength").and_then(|json| self.count("minLength", json)),
            most: keyword("maxLength").and_then(|json| self.count("maxLength", json)),
        };
        subset.minimum = keyword("minimum").and_then(|json| self.bound("minimum", json));
        subset.maximum = keyword("maximum").and_then(|json| self.bound("maximum", json));
        subset.count = Bounds {
            least: keyword("minItems").and_then(|json| self.count("minItems", json)),
            most: keyword("maxItems").and_then(|json| self.count("maxItems", json)),
        };
        subset
    }

    fn wrong(&mut self, keyword: &str, json: &Json, message: impl Into<String>) {
        self.below(keyword, |reading| reading.fault(FaultKind::Definition, json.span, message));
    }

    fn count(&mut self, keyword: &str, json: &Json) -> Option<f64> {
        let count = number(json).filter(|number| number.fract() == 0.0 && *number >= 0.0);
        if count.is_none() {
            self.wrong(keyword, json, "must be a non-negative integer");
        }
        count
    }

    fn bound(&mut self, keyword: &str, json: &Json) -> Option<f64> {
        let bound = number(json);
        if bound.is_none() {
            self.wrong(keyword, json, "must be a number");
        }
        bound
    }
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

impl OneOf {
    fn of(json: &Json) -> Option<Self> {
        let items = json.as_array().filter(|items| !items.is_empty())?;
        let members = items.iter().map(Scalar::of).collect::<Option<HashSet<_>>>()?;
        let print = |item: &Json| match &item.value {
            Value::String(text) => format!("\"{}\"", excerpt(text)),
            _ => canonical::jcs(item).unwrap_or_default(),
        };
        let mut shown = items.iter().take(MAX_SHOWN).map(print).collect::<Vec<_>>().join(", ");
        if items.len() > MAX_SHOWN {
            let _infallible = write!(shown, " and {} more", items.len() - MAX_SHOWN);
        }
        Some(Self { members, shown })
    }
}

impl Scalar {
    fn of(json: &Json) -> Option<Self> {
        Some(match &json.value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::String(text) => Self::Text(text.clone()),
            // Adding zero makes −0 and 0 one number.
            Value::Integer(_) | Value::Float(_) => Self::Number((number(json)? + 0.0).to_bits()),
            Value::Array(_) | Value::Object(_) => return None,
        })
    }
}

fn number(json: &Json) -> Option<f64> {
    match json.value {
        #[expect(clippy::cast_precision_loss, reason = "the reader keeps integers within ±(2^53−1)")]
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// The pointer to what a fault is about, from the pointer to its schema.
#[must_use]
pub fn pointer(schema: &Pointer, fault: &Fault) -> Pointer {
    fault.tokens.iter().fold(schema.clone(), |pointer, token| pointer.join(token))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    fn faults(schema: &str) -> Vec<String> {
        let faults = Subset::new(&json(schema)).err().unwrap_or_default();
        faults.into_iter().map(|fault| format!("schema{}: {}", fault.path, fault.message)).collect()
    }

    fn unlike(schema: &str, value: &str) -> Vec<String> {
        let unlike = Subset::new(&json(schema)).unwrap().violations(&json(value), "$");
        unlike.into_iter().map(|unlike| format!("{}: {}", unlike.path, unlike.message)).collect()
    }

    #[test]
    fn every_keyword_of_the_subset_is_taken_and_no_other() {
        assert_eq!(
            faults(
                r#"{"type": "object", "description": "d", "properties": {"a": {}, "b": {"type": "null"}},
                    "required": ["a", "a", "z"], "additionalProperties": true, "items": {}, "enum": [1, "a", null, true],
                    "minLength": 5.0, "maxLength": 1, "minimum": -1.5, "maximum": 1e3, "minItems": 0, "maxItems": 0,
                    "default": {"any": []}}"#
            ),
            [""; 0]
        );
        for keyword in ["x-vendor", "$schema", "title", "format", "pattern", "oneOf", "const", "", "Type"] {
            let found = faults(&format!(r#"{{"{keyword}": 1}}"#));
            assert_eq!(found, [format!("schema: unsupported keyword \"{keyword}\"")]);
        }
    }

    #[test]
    fn every_fault_is_listed_with_its_path() {
        assert_eq!(
            faults(
                r#"{"maxItems": 1.5, "pattern": "", "9": 1, "type": ["string"], "description": 1,
                    "properties": {"q": {"type": "strng"}, "r": true}, "required": [1], "additionalProperties": {},
                    "items": [], "enum": [], "minLength": -1, "minimum": "1"}"#
            ),
            [
                "schema: unsupported keyword \"9\"",
                "schema: unsupported keyword \"pattern\"",
                "schema.type: must be one of object, string, number, integer, boolean, array, null",
                "schema.description: must be a string",
                "schema.properties.q.type: must be one of object, string, number, integer, boolean, array, null",
                "schema.properties.r: must be an object",
                "schema.required: must be an array of strings",
                "schema.additionalProperties: must be true or false",
                "schema.items: must be an object",
                "schema.enum: must be a non-empty array of strings, numbers, booleans or null",
                "schema.minLength: must be a non-negative integer",
                "schema.minimum: must be a number",
                "schema.maxItems: must be a non-negative integer",
            ]
        );
        assert_eq!(faults(r#"{"enum": [[]]}"#).len(), 1);
        assert_eq!(faults("true"), ["schema: must be an object"]);
    }

    #[test]
    fn a_schema_of_sixteen_levels_is_read_and_one_more_is_too_deep() {
        let nested = |levels: usize| format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels));
        assert_eq!(faults(&nested(16)), [""; 0]);
        let path = ".items".repeat(17);
        assert_eq!(faults(&nested(17)), [format!("schema{path}: schema nesting is too deep (max 16)")]);
        assert_eq!(faults(&nested(30)).len(), 1);
    }

    #[test]
    fn a_value_is_judged_in_order_and_in_full() {
        let schema = r#"{"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "name": {"type": "string", "minLength": 1}, "count": {"type": "integer", "maximum": 3},
            "mode": {"enum": ["a", "b"]}, "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}}}"#;
        assert_eq!(unlike(schema, r#"{"name": "n", "count": 2.0, "mode": "a", "tags": []}"#), [""; 0]);
        assert_eq!(
            unlike(schema, r#"{"count": 1.5, "mode": "c", "tags": ["x", 1, "z"], "extra": 1}"#),
            [
                "$.name: is required",
                "$.count: expected integer, got non-integer number",
                "$.mode: must be one of \"a\", \"b\"",
                "$.tags: must contain at most 2 items",
                "$.tags[1]: expected string, got number",
                "$.extra: unknown property",
            ]
        );
        assert_eq!(unlike(schema, "[]"), ["$: expected object, got array"]);
        assert_eq!(
            unlike(schema, r#"{"name": "", "count": 4}"#),
            ["$.name: must be at least 1 characters", "$.count: must be <= 3"]
        );
    }

    #[test]
    fn keywords_hold_whenever_a_value_has_their_kind() {
        assert_eq!(unlike(r#"{"minLength": 2}"#, r#""𝒳""#), [""; 0], "two UTF-16 units");
        assert_eq!(unlike(r#"{"minLength": 2}"#, r#""é""#).len(), 1);
        assert_eq!(unlike(r#"{"minLength": 2}"#, "1"), [""; 0]);
        assert_eq!(unlike(r#"{"minimum": 2}"#, "1"), ["$: must be >= 2"]);
        assert_eq!(unlike(r#"{"enum": [1, 0]}"#, "1.0"), [""; 0]);
        assert_eq!(unlike(r#"{"enum": [1, 0]}"#, "-0.0"), [""; 0]);
        assert_eq!(unlike(r#"{"enum": [1]}"#, r#""1""#), ["$: must be one of 1"]);
        assert_eq!(unlike(r#"{"enum": [1]}"#, "[1]"), ["$: must be one of 1"]);
        assert_eq!(unlike(r#"{"type": "integer"}"#, "1e300"), [""; 0]);
        assert_eq!(unlike(r#"{"default": 1}"#, "{}"), [""; 0]);
    }

    #[test]
    fn a_name_that_javascript_inherits_is_a_name_like_any_other() {
        for name in ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"] {
            let required = format!(r#"{{"required": ["{name}"]}}"#);
            assert_eq!(unlike(&required, "{}"), [format!("$.{name}: is required")]);
            let closed = r#"{"additionalProperties": false}"#;
            assert_eq!(
                unlike(closed, &format!(r#"{{"{name}": 1}}"#)),
                [format!("$.{name}: unknown property")]
            );
        }
    }

    #[test]
    fn a_hostile_schema_is_read_to_a_bound_and_says_so() {
        let inner: Vec<String> = (0..5_000).map(|at| format!(r#""k{at}":1"#)).collect();
        for name in ["n".to_owned(), "n".repeat(100_000)] {
            let schema = format!(r#"{{"properties":{{"{name}":{{{}}}}}}}"#, inner.join(","));
            let found = Subset::new(&json(&schema)).err().unwrap();
            assert!(found.len() <= MAX_LISTED + 1);
            assert_eq!(found.last().unwrap().message, "the schema has more faults than are listed");
            assert!(
                found.iter().flat_map(|fault| &fault.tokens).map(String::len).sum::<usize>()
                    <= MAX_PATH_BYTES
            );
        }
    }

    #[test]
    fn a_hostile_value_is_judged_to_a_bound() {
        let schema = Subset::new(&json(r#"{"items": {"required": ["a"], "enum": [1]}}"#)).unwrap();
        let value = json(&format!("[{}{{}}]", "{},".repeat(50_000)));
        assert_eq!(schema.violations(&value, "$").len(), MAX_LISTED);
    }
}
