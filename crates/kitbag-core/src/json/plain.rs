//! The same value without places, for crates that read serde's form.

use serde_json::{Map, Number, Value as Plain};

use super::value::{Json, Value};

impl From<&Json> for Plain {
    /// Recursion ends at the reader's depth.
    fn from(json: &Json) -> Self {
        match &json.value {
            Value::Null => Self::Null,
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Integer(number) => Self::Number((*number).into()),
            Value::Float(number) => Number::from_f64(*number).map_or(Self::Null, Self::Number),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(object) => {
                let members = object.iter().map(|member| (member.name.clone(), Self::from(&member.value)));
                Self::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}
