//! [`within`]: does everything that one schema lets through also pass another? The question of compatibility when a tool
//! changes: what callers send must still be taken, what a tool answers must still be understood.
//!
//! Keywords are compared one by one, so an answer of "yes" is always right, with one exception that is meant: a property
//! that the narrower schema does not name counts as never sent, because nobody could have known it. What cannot be
//! compared keyword by keyword (`pattern`, `anyOf`, `$ref`, …) counts as "yes" only where both schemas say the same.

mod keywords;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::json::compare::same;
use crate::json::{Json, Object, Pointer, canonical, excerpt};

use keywords::{
    ANNOTATIONS, concerns, is_everything, is_nothing, list, may_be, names, number, properties, types,
    types_of_values, values,
};

/// Most gaps that are listed.
const MAX_GAPS: usize = 50;

/// Most bytes of the pointers of all schemas that are visited: a long name can hold many.
const MAX_POINTER_BYTES: usize = 1 << 20;

/// Something that the narrower schema lets through and the wider one does not, or is not known to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The schema it is about, in the wider of the two.
    pub pointer: Pointer,
    /// What is so: ``​`unit` is required``.
    pub message: String,
}

/// Every gap between two schemas, up to a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Each.
    pub listed: Vec<Gap>,
    /// Whether there may be more than are listed.
    pub more: bool,
}

impl Gaps {
    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty() && !self.more
    }
}

/// Keywords that are compared by what they mean.
const COMPARED: [&str; 19] = [
    "additionalProperties",
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "properties",
    "required",
    "type",
    "uniqueItems",
    "unevaluatedProperties",
];

/// Bounds that a schema sets, and whether a greater one lets more through.
const BOUNDS: [(&str, Order); 10] = [
    ("minimum", Order::LessIsWider),
    ("exclusiveMinimum", Order::LessIsWider),
    ("maximum", Order::MoreIsWider),
    ("exclusiveMaximum", Order::MoreIsWider),
    ("minLength", Order::LessIsWider),
    ("maxLength", Order::MoreIsWider),
    ("minItems", Order::LessIsWider),
    ("maxItems", Order::MoreIsWider),
    ("minProperties", Order::LessIsWider),
    ("maxProperties", Order::MoreIsWider),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    LessIsWider,
    MoreIsWider,
}

/// What `narrow` lets through and `wide` does not, or is not known to.
#[must_use]
pub fn within(narrow: &Json, wide: &Json) -> Gaps {
    let definitions = |json: &Json| {
        let at = |name| json.get(name).map(canonical::jcs);
        (at("$defs"), at("definitions"))
    };
    let mut walk = Walk {
        // A reference means the same on both sides where what it may refer to is the same.
        references: if definitions(narrow) == definitions(wide) {
            References::Same
        } else {
            References::Differ
        },
        pointer_bytes: 0,
        gaps: Gaps::default(),
    };
    walk.schema(&Pointer::root(), narrow, wide);
    walk.gaps
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum References {
    Same,
    Differ,
}

struct Walk {
    references: References,
    pointer_bytes: usize,
    gaps: Gaps,
}

impl Walk {
    fn gap(&mut self, at: &Pointer, message: impl Into<String>) {
        if self.gaps.listed.len() < MAX_GAPS {
            self.gaps.listed.push(Gap { pointer: at.clone(), message: message.into() });
        } else {
            self.gaps.more = true;
        }
    }

    fn join(&mut self, at: &Pointer, token: &str) -> Option<Pointer> {
        let pointer = at.join(token);
        self.pointer_bytes = self.pointer_bytes.saturating_add(pointer.as_str().len());
        if self.pointer_bytes > MAX_POINTER_BYTES {
            self.gaps.more = true;
            return None;
        }
        Some(pointer)
    }

    /// Recursion ends at the reader's depth.
    fn schema(&mut self, at: &Pointer, narrow: &Json, wide: &Json) {
        if self.gaps.more || is_everything(wide) || is_nothing(narrow) {
            return;
        }
        if is_nothing(wide) {
            return self.gap(at, "nothing is allowed here any more");
        }
        let empty = Object::default();
        let (Some(wide), narrow) = (wide.as_object(), narrow.as_object().unwrap_or(&empty)) else {
            return self.gap(at, "this is no schema that can be compared");
        };
        self.types(at, narrow, wide);
        self.values(at, narrow, wide);
        for (keyword, order) in BOUNDS {
            self.bound(at, (keyword, order), narrow, wide);
        }
        self.object(at, narrow, wide);
        self.items(at, narrow, wide);
        let truth = |object: &Object| object.get("uniqueItems").and_then(Json::as_bool) == Some(true);
        if truth(wide) && !truth(narrow) {
            self.gap(at, "items must be distinct");
        }
        self.others(at, narrow, wide);
    }

    fn types(&mut self, at: &Pointer, narrow: &Object, wide: &Object) {
        let Some(allowed) = types(wide) else { return };
        let Some(given) = types(narrow).or_else(|| types_of_values(narrow)) else {
            return self.gap(at, format!("it must be {}", list(&allowed)));
        };
        let passes =
            |kind: &&str| allowed.contains(*kind) || (*kind == "integer" && allowed.contains("number"));
        let refused: BTreeSet<&str> = given.iter().copied().filter(|kind| !passes(kind)).collect();
        if !refused.is_empty() {
            self.gap(at, format!("it must be {} and no longer {}", list(&allowed), list(&refused)));
        }
    }

    fn values(&mut self, at: &Pointer, narrow: &Object, wide: &Object) {
        let Some(allowed) = values(wide) else { return };
        let Some(given) = values(narrow) else {
            return self.gap(at, "only listed values are allowed");
        };
        let texts: HashSet<String> =
            allowed.into_iter().filter_map(|value| canonical::jcs(value).ok()).collect();
        for value in given {
            let text = canonical::jcs(value).ok();
            if !text.as_ref().is_some_and(|text| texts.contains(text)) {
                let shown = excerpt(text.as_deref().unwrap_or("a value")).to_string();
                self.gap(at, format!("{shown} is no longer allowed"));
            }
        }
    }

    fn bound(&mut self, at: &Pointer, (keyword, order): (&str, Order), narrow: &Object, wide: &Object) {
        let Some(limit) = number(wide.get(keyword)) else { return };
        // "At least zero" bounds no count.
        if limit <= 0.0 && matches!(keyword, "minLength" | "minItems" | "minProperties") {
            return;
        }
        let holds = match number(narrow.get(keyword)) {
            Some(own) => match order {
                Order::LessIsWider => limit <= own,
                Order::MoreIsWider => limit >= own,
            },
            // A bound that is met exclusively is met.
            None => match keyword {
                "minimum" => number(narrow.get("exclusiveMinimum")).is_some_and(|own| limit <= own),
                "maximum" => number(narrow.get("exclusiveMaximum")).is_some_and(|own| limit >= own),
                _ => false,
            },
        };
        // Listed values can be compared one by one.
        let all_pass = || {
            let listed = values(narrow)?;
            let value = |json| number(Some(json));
            let passes = |number: f64| match keyword {
                "minimum" => number >= limit,
                "exclusiveMinimum" => number > limit,
                "maximum" => number <= limit,
                "exclusiveMaximum" => number < limit,
                _ => false,
            };
            Some(listed.into_iter().all(|json| value(json).is_none_or(passes)))
        };
        if !holds && all_pass() != Some(true) && concerns(keyword, narrow) {
            self.gap(at, format!("`{keyword}` is {limit}"));
        }
    }

    fn object(&mut self, at: &Pointer, narrow: &Object, wide: &Object) {
        if !may_be("object", narrow) {
            return;
        }
        let (own, others) = (names(narrow, "required"), names(wide, "required"));
        for name in others.difference(&own) {
            self.gap(at, format!("`{}` is required", excerpt(name)));
        }
        let empty = Object::default();
        let (given, known) = (properties(narrow).unwrap_or(&empty), properties(wide).unwrap_or(&empty));
        let given_names: HashSet<&str> = given.iter().map(|member| &*member.name).collect();
        let known_names: HashMap<&str, &Json> =
            known.iter().map(|member| (&*member.name, &member.value)).collect();
        let rest = wide.get("additionalProperties").or_else(|| wide.get("unevaluatedProperties"));
        let has_patterns = wide.get("patternProperties").is_some();
        for member in given {
            let Some(here) = self.join(at, "properties").and_then(|at| self.join(&at, &member.name)) else {
                return;
            };
            match (known_names.get(&*member.name), rest) {
                (Some(known), _) => self.schema(&here, &member.value, known),
                (None, Some(rest)) if !has_patterns && is_nothing(rest) && !is_nothing(&member.value) => {
                    self.gap(at, format!("`{}` is gone", excerpt(&member.name)));
                }
                (None, Some(rest)) => self.schema(&here, &member.value, rest),
                (None, None) => {}
            }
        }
        // What the narrower schema takes beyond the properties it names.
        let own_rest = narrow.get("additionalProperties").or_else(|| narrow.get("unevaluatedProperties"));
        match (own_rest, rest) {
            (Some(own), _) if is_nothing(own) => {}
            (Some(own), Some(rest)) => {
                if let Some(here) = self.join(at, "additionalProperties") {
                    self.schema(&here, own, rest);
                }
            }
            (None, Some(rest)) if !is_everything(rest) => {
                self.gap(at, "properties that are not listed are no longer taken");
            }
            // A schema for all others has to hold for the properties that are new, too.
            (Some(own), None) if !is_everything(own) => {
                for member in known.iter().filter(|member| !given_names.contains(&*member.name)) {
                    let Some(here) = self.join(at, "properties").and_then(|at| self.join(&at, &member.name))
                    else {
                        return;
                    };
                    self.schema(&here, own, &member.value);
                }
            }
            _ => {}
        }
    }

    fn items(&mut self, at: &Pointer, narrow: &Object, wide: &Object) {
        let Some(known) = wide.get("items") else { return };
        if !may_be("array", narrow) || is_everything(known) {
            return;
        }
        match (narrow.get("items"), self.join(at, "items")) {
            (Some(given), Some(here)) => self.schema(&here, given, known),
            (None, Some(here)) => self.gap(&here, "items could be anything and no longer can"),
            (_, None) => {}
        }
    }

    /// Keywords that only sameness settles.
    fn others(&mut self, at: &Pointer, narrow: &Object, wide: &Object) {
        for member in wide {
            let keyword = member.name.as_str();
            if ANNOTATIONS.contains(&keyword) || COMPARED.contains(&keyword) || keyword.starts_with("x-") {
                continue;
            }
            let refers = keyword.contains("$") && self.references == References::Differ;
            let is_same = narrow.get(keyword).is_some_and(|own| same(own, &member.value)) && !refers;
            if !is_same {
                self.gap(at, format!("`{}` is not what it was, and cannot be compared", excerpt(keyword)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::schema::Schema;
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    fn gaps(narrow: &str, wide: &str) -> Vec<String> {
        let gaps = within(&json(narrow), &json(wide));
        gaps.listed.into_iter().map(|gap| format!("{}: {}", gap.pointer, gap.message)).collect()
    }

    #[test]
    fn a_schema_is_within_itself_and_within_everything() {
        for schema in [
            "{}",
            "true",
            "false",
            r#"{"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}, "required": ["a"]}"#,
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##,
            r#"{"anyOf": [{"type": "string"}, {"enum": [1, 2.5, null]}], "minimum": 3}"#,
        ] {
            assert_eq!(gaps(schema, schema), [""; 0], "{schema}");
            assert_eq!(gaps(schema, "{}"), [""; 0], "{schema}");
            assert_eq!(gaps("false", schema), [""; 0], "{schema}");
        }
        assert_eq!(gaps("{}", "false"), [": nothing is allowed here any more"]);
    }

    #[test]
    fn each_way_to_take_less_is_told() {
        let object = r#"{"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}"#;
        for (narrow, wide, told) in [
            (
                object,
                r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#,
                "/properties/a: it must be `integer` and no longer `number`",
            ),
            (r#"{"type": "object"}"#, r#"{"type": "object", "required": ["b"]}"#, ": `b` is required"),
            (object, r#"{"type": "object", "additionalProperties": false}"#, ": `a` is gone"),
            (r#"{"type": "string"}"#, r#"{"type": "string", "maxLength": 3}"#, ": `maxLength` is 3"),
            (
                r#"{"type": "number", "minimum": 1}"#,
                r#"{"type": "number", "minimum": 2}"#,
                ": `minimum` is 2",
            ),
            (r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a"]}"#, r#": "b" is no longer allowed"#),
            (r#"{"type": "string"}"#, r#"{"enum": ["a"]}"#, ": only listed values are allowed"),
            (
                r#"{"type": "array"}"#,
                r#"{"type": "array", "items": {"type": "string"}}"#,
                "/items: items could be anything and no longer can",
            ),
            (
                r#"{"type": "string"}"#,
                r#"{"type": "string", "pattern": "a"}"#,
                ": `pattern` is not what it was, and cannot be compared",
            ),
            (
                r##"{"$ref": "#/$defs/a", "$defs": {"a": {}}}"##,
                r##"{"$ref": "#/$defs/a", "$defs": {"a": false}}"##,
                ": `$ref` is not what it was, and cannot be compared",
            ),
            (r#"{"type": "array"}"#, r#"{"type": "array", "uniqueItems": true}"#, ": items must be distinct"),
        ] {
            let found = gaps(narrow, wide);
            assert!(found.iter().any(|gap| gap == told), "{narrow} within {wide}: {found:?}");
        }
    }

    #[test]
    fn what_takes_more_is_compatible() {
        for (narrow, wide) in [
            (r#"{"type": "integer"}"#, r#"{"type": "number"}"#),
            (r#"{"type": "string"}"#, r#"{"type": ["string", "null"]}"#),
            (r#"{"enum": ["a"]}"#, r#"{"enum": ["a", "b"], "type": "string"}"#),
            (r#"{"const": 3}"#, r#"{"minimum": 2, "type": "integer"}"#),
            (
                r#"{"type": "string", "maxLength": 3}"#,
                r#"{"type": "string", "maxLength": 4, "minLength": 0}"#,
            ),
            (r#"{"exclusiveMinimum": 3}"#, r#"{"minimum": 3}"#),
            (r#"{"type": "object", "required": ["a", "b"]}"#, r#"{"type": "object", "required": ["a"]}"#),
            // An optional property that is new.
            (r#"{"type": "object"}"#, r#"{"type": "object", "properties": {"new": {"type": "string"}}}"#),
            (r#"{"type": "object", "additionalProperties": false}"#, r#"{"type": "object"}"#),
            (r#"{"title": "old"}"#, r#"{"title": "new", "description": "x", "default": 1}"#),
            (r#"{"type": "string", "maxItems": 3}"#, r#"{"type": "string", "maxItems": 1}"#),
        ] {
            assert_eq!(gaps(narrow, wide), [""; 0], "{narrow} within {wide}");
        }
    }

    #[test]
    fn hostile_schemas_are_compared_to_a_bound() {
        let members = |value: &str| {
            let members: Vec<String> = (0..20_000).map(|n| format!("\"{n}\": {value}")).collect();
            json(&format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", members.join(",")))
        };
        let found = within(&members("{}"), &members("{\"type\": \"string\"}"));
        assert_eq!((found.listed.len(), found.more), (MAX_GAPS, true));
        assert!(within(&members("{}"), &members("{}")).is_empty());
    }

    fn schema() -> impl Strategy<Value = String> {
        let number = || prop_oneof![Just("0"), Just("1"), Just("2"), Just("1.5"), Just("-1")];
        let leaf = prop_oneof![
            Just("{}".to_owned()),
            Just("false".to_owned()),
            (number(), number())
                .prop_map(|(least, most)| format!(r#"{{"minimum": {least}, "maximum": {most}}}"#)),
            number().prop_map(|least| format!(r#"{{"type": "number", "exclusiveMinimum": {least}}}"#)),
            number().prop_map(|value| format!(r#"{{"const": {value}}}"#)),
            (number(), number()).prop_map(|(one, two)| format!(r#"{{"enum": [{one}, "a", {two}, null]}}"#)),
            prop_oneof![Just("string"), Just("integer"), Just("number"), Just("null"), Just("boolean")]
                .prop_map(|kind| format!(r#"{{"type": "{kind}"}}"#)),
            (0..3u8).prop_map(|most| format!(r#"{{"type": ["string", "array"], "maxLength": {most}}}"#)),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                (inner.clone(), 0..3u8)
                    .prop_map(|(items, most)| format!(r#"{{"items": {items}, "maxItems": {most}}}"#)),
                (inner.clone(), inner.clone(), any::<bool>(), any::<bool>()).prop_map(
                    |(a, b, closed, required)| {
                        let rest = if closed { r#", "additionalProperties": false"# } else { "" };
                        let required = if required { r#", "required": ["a"]"# } else { "" };
                        format!(
                            r#"{{"type": "object", "properties": {{"a": {a}, "b": {b}}}{rest}{required}}}"#
                        )
                    }
                ),
                inner.prop_map(|all| format!(r#"{{"type": "object", "additionalProperties": {all}}}"#)),
            ]
        })
    }

    fn value() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null"),
            Just("true"),
            Just("0"),
            Just("1"),
            Just("1.5"),
            Just("2"),
            Just("-1"),
            Just("\"\""),
            Just("\"a\""),
            Just("\"aaa\""),
            Just("[]"),
            Just("{}"),
        ];
        leaf.prop_map(str::to_owned).prop_recursive(2, 6, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
                (inner.clone(), inner).prop_map(|(a, b)| format!(r#"{{"a": {a}, "b": {b}}}"#)),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        /// What passes the narrower schema passes the wider one, by another implementation's judgement.
        #[test]
        fn an_answer_of_yes_is_right(narrow in schema(), wide in schema(), values in prop::collection::vec(value(), 24)) {
            let (narrow_json, wide_json) = (json(&narrow), json(&wide));
            if within(&narrow_json, &wide_json).is_empty() {
                let (inner, outer) = (Schema::new(&narrow_json).unwrap(), Schema::new(&wide_json).unwrap());
                for value in &values {
                    let value_json = json(value);
                    // A property that the narrower schema does not name is never sent.
                    let unknown = narrow.contains("additionalProperties\": {") || !narrow.contains("properties");
                    if unknown && value.contains('{') {
                        continue;
                    }
                    if inner.violations(&value_json).is_empty() {
                        let found = outer.violations(&value_json);
                        prop_assert!(found.is_empty(), "{value} passes {narrow} and not {wide}: {found:?}");
                    }
                }
            }
        }
    }
}
