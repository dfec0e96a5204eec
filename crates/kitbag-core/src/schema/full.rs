//! [`Schema`]: a compiled schema.

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value as Plain;

use crate::json::{Json, Pointer};

/// Most violations of one value that are reported.
const MAX_VIOLATIONS: usize = 1_000;

/// Steps a pattern may take where it needs an engine that can go back.
const BACKTRACK_LIMIT: usize = 100_000;

/// Largest compiled pattern, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// Why a schema cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Where in the schema.
    pub pointer: Pointer,
    /// What is so.
    pub message: String,
}

/// What about a value is not as the schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where in the value.
    pub pointer: Pointer,
    /// The keyword that was not kept.
    pub keyword: String,
    /// What is so.
    pub message: String,
}

/// A compiled schema.
#[derive(Debug)]
pub struct Schema(Validator);

impl Schema {
    /// Compiles `schema` as Draft 2020-12, whatever it names itself. References out of it are refused.
    ///
    /// # Errors
    /// [`SchemaProblem`] for what is no schema, a reference that leads nowhere, and a pattern that no engine takes.
    pub fn new(schema: &Json) -> Result<Self, SchemaProblem> {
        let plain = Plain::from(schema);
        let options =
            || jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(false).offline();
        let linear = PatternOptions::regex().size_limit(PATTERN_BYTES);
        let backtracking =
            PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(PATTERN_BYTES);
        options()
            .with_pattern_options(linear)
            .build(&plain)
            .or_else(|_| options().with_pattern_options(backtracking).build(&plain))
            .map(Self)
            .map_err(|error| problem(&error))
    }

    /// What about `value` is not as the schema says, in the order in which the crate meets them.
    #[must_use]
    pub fn violations(&self, value: &Json) -> Vec<Violation> {
        let value = Plain::from(value);
        self.0
            .iter_errors(&value)
            .take(MAX_VIOLATIONS)
            .map(|error| Violation {
                pointer: pointer(error.instance_path().as_str()),
                keyword: error.kind().keyword().to_owned(),
                message: error.masked().to_string(),
            })
            .collect()
    }
}

/// An error of the crate in our words: without the value, which may be long and is pointed at.
fn problem(error: &ValidationError<'_>) -> SchemaProblem {
    SchemaProblem { pointer: pointer(error.instance_path().as_str()), message: error.masked().to_string() }
}

fn pointer(text: &str) -> Pointer {
    let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
    text.split('/').skip(1).fold(Pointer::root(), |pointer, token| pointer.join(unescape(token)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_value_is_checked_and_every_violation_has_its_place() {
        let schema =
            Schema::new(&json(r#"{"required": ["a"], "properties": {"b/c": {"type": "integer"}}}"#)).unwrap();
        assert_eq!(schema.violations(&json(r#"{"a": 1, "b/c": 1.0}"#)), []);
        let violations = schema.violations(&json(r#"{"b/c": true}"#));
        let places: Vec<_> =
            violations.iter().map(|violation| (violation.pointer.as_str(), &*violation.keyword)).collect();
        assert_eq!(places, [("", "required"), ("/b~1c", "type")]);
    }

    #[test]
    fn references_out_of_a_schema_are_refused_and_those_inside_are_followed() {
        assert!(Schema::new(&json(r#"{"$ref": "https://example.invalid/none"}"#)).is_err());
        assert!(Schema::new(&json(r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##)).is_ok());
    }

    #[test]
    fn look_around_is_possible_and_a_pattern_that_goes_back_for_ever_ends() {
        let schema = Schema::new(&json(r#"{"pattern": "^(?!b)(a|aa)+$"}"#)).unwrap();
        assert_eq!(schema.violations(&json(r#""aaa""#)), []);
        let hostile = format!("\"{}!\"", "a".repeat(60));
        assert_eq!(schema.violations(&json(&hostile)).len(), 1);
    }
}
