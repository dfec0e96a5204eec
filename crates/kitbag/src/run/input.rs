//! What a tool is given: JSON, and members that were typed one by one. A command is given files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kitbag_core::json::{self, Json, SyntaxErrorKind, Value, print};

use crate::draft::{exists, folder_of};

use super::{Fault, FaultKind};

/// What somebody typed for a tool.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'g> {
    /// The input as JSON.
    pub json: Option<&'g [u8]>,
    /// Members of the input, each read as the tool's schema says; for a command, its variables and the files they name.
    pub members: &'g [(&'g str, &'g str)],
    /// Further arguments, which only a command takes.
    pub arguments: &'g [OsString],
}

/// What a tool is given, once it is known that it takes it.
#[derive(Clone, Debug)]
pub struct Input {
    pub(super) json: Json,
    /// What a command reads.
    pub(super) standard_input: Vec<u8>,
    pub(super) places: Bound,
    pub(super) further: Vec<OsString>,
}

/// Files of the user's that have a name inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    pub(super) input: Option<PathBuf>,
    /// What will be written; nothing is there yet.
    pub(super) output: Option<PathBuf>,
}

impl Input {
    /// The input of a tool that is called with JSON.
    pub(super) fn of_json(json: Json) -> Self {
        Self { json, standard_input: Vec::new(), places: Bound::default(), further: Vec::new() }
    }

    /// The input itself, for a tool that is called with JSON.
    #[must_use]
    pub const fn json(&self) -> &Json {
        &self.json
    }
}

impl Bound {
    /// The files that `members` name, from `folder`; a command that names `wanted` needs them.
    pub(super) fn read(members: &[(&str, &str)], wanted: &[&str], folder: &Path) -> Result<Self, Fault> {
        let mut bound = Self::default();
        for (name, text) in members {
            let place = match *name {
                "INPUT" => &mut bound.input,
                "OUTPUT" => &mut bound.output,
                other => {
                    let other = other.escape_debug();
                    return Err(fault(format!("a command has INPUT and OUTPUT, and `{other}` is neither")));
                }
            };
            if place.replace(folder.join(text)).is_some() {
                return Err(fault(format!("{name} is given twice")));
            }
        }
        for (name, place) in [("INPUT", &bound.input), ("OUTPUT", &bound.output)] {
            // The folder of an input is known by the input.
            let is_named = wanted.iter().any(|one| one.strip_suffix("_DIR").unwrap_or(one) == name);
            if is_named && place.is_none() {
                return Err(fault(format!("the command needs a file: `{name}=FILE` says which")));
            }
        }
        if let Some(input) = &bound.input
            && let Err(error) = std::fs::metadata(input)
        {
            return Err(fault(format!("INPUT cannot be read: `{}`: {error}", input.display())));
        }
        if let Some(output) = &bound.output {
            let shown = output.display();
            let cannot = |because: &str| fault(format!("OUTPUT cannot be written: `{shown}`: {because}"));
            if output.file_name().is_none() || !folder_of(output).is_dir() {
                return Err(cannot("its folder is not there"));
            }
            if exists(output).map_err(|error| cannot(&error.to_string()))? {
                return Err(cannot("something is there already; name another file, or remove it"));
            }
        }
        Ok(bound)
    }
}

fn fault(message: String) -> Fault {
    Fault::new(FaultKind::InvalidInput, message)
}

/// The most bytes of an input (Splice 1, "Runtime").
const BYTES_AT_MOST: usize = 4 << 20;

fn small_enough(length: usize) -> Result<(), Fault> {
    if length <= BYTES_AT_MOST {
        return Ok(());
    }
    let message = format!("the input has {length} bytes (at most {BYTES_AT_MOST})");
    Err(Fault::new(FaultKind::InputTooLarge, message))
}

/// The input in `json`, with `members` in it as `schema` says.
pub(crate) fn read(schema: &Json, json: Option<&[u8]>, members: &[(&str, &str)]) -> Result<Json, Fault> {
    let input = match json {
        Some(bytes) => {
            let length = bytes.len();
            small_enough(length)?;
            json::read(bytes).map_err(|error| match error.kind {
                SyntaxErrorKind::TooDeep => Fault::new(FaultKind::InputTooLarge, error.to_string()),
                _ => fault(format!("the input is no JSON: {error}")),
            })?
        }
        None => print::object([]),
    };
    if members.is_empty() {
        return Ok(input);
    }
    small_enough(members.iter().map(|(name, text)| name.len() + text.len()).sum())?;
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
