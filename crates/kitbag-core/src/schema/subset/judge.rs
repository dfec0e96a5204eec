//! Values against a schema of the subset, in the order in which Splice's own implementation looks at them.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::json::{Json, Value, excerpt};

use super::{Bounds, Kind, MAX_LISTED, Others, Scalar, Subset, Unlike, number};

/// What about `value`, which people call `root`, is not as `schema` says.
pub(super) fn violations(schema: &Subset, value: &Json, root: &str) -> Vec<Unlike> {
    let mut judging = Judging { path: root.to_owned(), found: Vec::new() };
    judging.value(schema, value);
    judging.found
}

/// Judges one value.
struct Judging {
    path: String,
    found: Vec<Unlike>,
}

impl Judging {
    fn is_full(&self) -> bool {
        self.found.len() >= MAX_LISTED
    }

    fn say(&mut self, message: impl Into<String>) {
        if !self.is_full() {
            self.found.push(Unlike { path: self.path.clone(), message: message.into() });
        }
    }

    /// Goes one step down the path and back.
    fn below(&mut self, step: std::fmt::Arguments<'_>, judge: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        let _infallible = self.path.write_fmt(step);
        judge(self);
        self.path.truncate(len);
    }

    /// Recursion ends at the schema's depth.
    fn value(&mut self, schema: &Subset, json: &Json) {
        if self.is_full() {
            return;
        }
        if let Some(kind) = schema.kind
            && !kind.matches(json)
        {
            let actual = match (&json.value, kind) {
                (Value::Float(_), Kind::Integer) => "non-integer number",
                (Value::Integer(_) | Value::Float(_), _) => "number",
                (Value::Null, _) => "null",
                (Value::Bool(_), _) => "boolean",
                (Value::String(_), _) => "string",
                (Value::Array(_), _) => "array",
                (Value::Object(_), _) => "object",
            };
            self.say(format!("expected {}, got {actual}", kind.word()));
            return;
        }
        if let Some(one_of) = &schema.one_of
            && !Scalar::of(json).is_some_and(|scalar| one_of.members.contains(&scalar))
        {
            self.say(format!("must be one of {}", one_of.shown));
        }
        match &json.value {
            Value::String(text) => self.bounds(schema.length, text.encode_utf16().count(), "characters"),
            Value::Integer(_) | Value::Float(_) => {
                let number = number(json).unwrap_or_default();
                if let Some(least) = schema.minimum.filter(|least| number < *least) {
                    self.say(format!("must be >= {least}"));
                }
                if let Some(most) = schema.maximum.filter(|most| number > *most) {
                    self.say(format!("must be <= {most}"));
                }
            }
            Value::Array(items) => {
                self.bounds(schema.count, items.len(), "items");
                if let Some(schema) = &schema.items {
                    for (index, item) in items.iter().enumerate() {
                        self.below(format_args!("[{index}]"), |judging| judging.value(schema, item));
                    }
                }
            }
            Value::Object(object) => {
                let own: HashSet<&str> = match schema.required.is_empty() {
                    true => HashSet::new(),
                    false => object.iter().map(|member| member.name.as_str()).collect(),
                };
                for name in schema.required.iter().filter(|name| !own.contains(name.as_str())) {
                    if self.is_full() {
                        return;
                    }
                    self.below(format_args!(".{}", excerpt(name)), |judging| judging.say("is required"));
                }
                for member in object.in_script_order() {
                    let step = excerpt(&member.name);
                    self.below(format_args!(".{step}"), |judging| {
                        match schema.properties.get(&member.name) {
                            Some(schema) => judging.value(schema, &member.value),
                            None if schema.others == Others::Refused => judging.say("unknown property"),
                            None => {}
                        }
                    });
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn bounds(&mut self, bounds: Bounds, count: usize, what: &str) {
        // In floating point, as the bounds are written: `5.0` and `1e9` are counts too.
        #[expect(clippy::cast_precision_loss, reason = "no text or list in memory has 2^53 parts")]
        let count = count as f64;
        let verb = if what == "items" { "contain" } else { "be" };
        if let Some(least) = bounds.least.filter(|least| count < *least) {
            self.say(format!("must {verb} at least {least} {what}"));
        }
        if let Some(most) = bounds.most.filter(|most| count > *most) {
            self.say(format!("must {verb} at most {most} {what}"));
        }
    }
}
