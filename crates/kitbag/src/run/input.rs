//! What a tool is given: JSON, and members that were typed one by one.

use kitbag_core::json::{self, Json, Value, print};

use super::{Fault, FaultKind};

fn fault(message: String) -> Fault {
    Fault::new(FaultKind::InvalidInput, message)
}

/// The input in `json`, with `members` in it as `schema` says.
pub(super) fn read(schema: &Json, json: Option<&[u8]>, members: &[(&str, &str)]) -> Result<Json, Fault> {
    let input = match json {
        Some(bytes) => json::read(bytes).map_err(|error| fault(format!("the input is no JSON: {error}")))?,
        None => print::object([]),
    };
    if members.is_empty() {
        return Ok(input);
    }
    let Value::Object(mut object) = input.value else {
        return Err(fault("the input is no object, so it has no members".to_owned()));
    };
    for (name, text) in members {
        let wanted = schema.get("properties").and_then(|properties| properties.get(name));
        object.insert(name, member(wanted, name, text)?);
    }
    Ok(print::value(Value::Object(object)))
}

/// The value that was typed as `text`: itself where a text is wanted, JSON where something else is, and whichever fits where
/// nothing says.
fn member(schema: Option<&Json>, name: &str, text: &str) -> Result<Json, Fault> {
    let types: Vec<&str> = match schema.and_then(|schema| schema.get("type")).map(|json| &json.value) {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let takes_text = types.contains(&"string");
    if takes_text && types.len() == 1 {
        return Ok(print::text(text));
    }
    match json::read(text.as_bytes()) {
        Ok(value) => Ok(value),
        Err(_) if takes_text || types.is_empty() => Ok(print::text(text)),
        Err(error) => {
            let wanted = types.join(" or ");
            Err(fault(format!("`{}` is no {wanted}: {error}", name.escape_debug())))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Plain;

    use super::*;

    fn input(json: Option<&str>, members: &[(&str, &str)]) -> Result<String, String> {
        let schema = br#"{"properties": {"text": {"type": "string"}, "n": {"type": "integer"},
            "either": {"type": ["integer", "string"]}, "list": {"type": "array"}, "on": {"type": "boolean"}}}"#;
        let schema = json::read(schema).unwrap();
        read(&schema, json.map(str::as_bytes), members)
            .map(|json| Plain::from(&json).to_string())
            .map_err(|fault| fault.message)
    }

    #[test]
    fn members_are_what_the_schema_says() {
        let typed =
            [("text", "1"), ("n", "1"), ("either", "a"), ("list", "[1, 2]"), ("on", "true"), ("new", "x=y")];
        assert_eq!(
            input(None, &typed).unwrap(),
            r#"{"either":"a","list":[1,2],"n":1,"new":"x=y","on":true,"text":"1"}"#
        );
        assert_eq!(input(Some(r#"{"n":1,"text":"a"}"#), &[("n", "2")]).unwrap(), r#"{"n":2,"text":"a"}"#);
        assert_eq!(input(Some("[1]"), &[]).unwrap(), "[1]", "a schema may take anything");
        assert_eq!(input(None, &[]).unwrap(), "{}");
        assert_eq!(input(None, &[("new", "1")]).unwrap(), r#"{"new":1}"#);
    }

    #[test]
    fn what_cannot_be_read_says_so() {
        assert!(input(Some("{"), &[]).unwrap_err().starts_with("the input is no JSON"));
        assert!(input(Some("[]"), &[("n", "1")]).unwrap_err().contains("no object"));
        assert!(input(None, &[("n", "one")]).unwrap_err().starts_with("`n` is no integer"));
    }
}
