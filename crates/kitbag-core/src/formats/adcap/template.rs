//! [`Values`]: what the templates of a workflow read from (§8), and what becomes of a document when they are filled in. A
//! document and the outputs of tools are strangers' words: what is filled in is bounded in bytes, in depth and in work.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Plain;

use crate::json::{Json, MAX_DEPTH, Value, print};

use super::workflow::{Piece, pieces};

/// The most bytes that one filled document may have, about as it would be written.
const BYTES_AT_MOST: u64 = 4 << 20;
/// The most names that are compared to fill one document.
const COMPARED_AT_MOST: u64 = 1 << 26;

/// What templates read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The workflow's inputs: an object.
    pub inputs: Json,
    /// What steps gave, by their ids.
    pub outputs: BTreeMap<String, Json>,
}

/// Why a document cannot be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excess {
    /// It would have too many bytes.
    Bytes,
    /// It would be too deep.
    Depth,
    /// Too much would have to be looked at.
    Work,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => write!(f, "its templates give more than {BYTES_AT_MOST} bytes"),
            Self::Depth => write!(f, "its templates give values more than {MAX_DEPTH} deep"),
            Self::Work => f.write_str("its templates look at too many values"),
        }
    }
}

impl std::error::Error for Excess {}

impl Values {
    /// `json` with its templates filled in. A text that is one template becomes what it reads, whatever its type; a member whose
    /// value reads nothing is left out, an item that reads nothing is null. `None` where `json` itself reads nothing.
    ///
    /// # Errors
    /// [`Excess`].
    pub fn fill(&self, json: &Json) -> Result<Option<Json>, Excess> {
        Filling { values: self, bytes: BYTES_AT_MOST, compared: COMPARED_AT_MOST }.json(json, 0)
    }

    /// `text` with its templates filled in, as a text: texts as they are, other values as JSON, nothing as nothing.
    ///
    /// # Errors
    /// [`Excess`].
    pub fn fill_text(&self, text: &str) -> Result<String, Excess> {
        Filling { values: self, bytes: BYTES_AT_MOST, compared: COMPARED_AT_MOST }.text(text)
    }
}

/// One document being filled, and what is left of its bounds.
struct Filling<'v> {
    values: &'v Values,
    bytes: u64,
    compared: u64,
}

impl<'v> Filling<'v> {
    fn json(&mut self, json: &Json, depth: usize) -> Result<Option<Json>, Excess> {
        let value = match &json.value {
            Value::String(text) => {
                let mut found = pieces(text);
                return match (found.next(), found.next()) {
                    (Some(Piece::Template(path)), None) => match self.read(path)? {
                        None => Ok(None),
                        Some(value) => {
                            self.spend(value, depth)?;
                            Ok(Some(value.clone()))
                        }
                    },
                    _ => Ok(Some(print::text(self.text(text)?))),
                };
            }
            Value::Array(items) => {
                let mut filled = Vec::new();
                for item in items {
                    self.spend_bytes(1)?;
                    filled.push(self.json(item, depth + 1)?.unwrap_or_else(|| print::value(Value::Null)));
                }
                Value::Array(filled)
            }
            Value::Object(members) => {
                let mut filled = Vec::new();
                for member in members {
                    self.spend_bytes(member.name.len() as u64 + 4)?;
                    if let Some(value) = self.json(&member.value, depth + 1)? {
                        filled.push((member.name.as_str(), value));
                    }
                }
                return Ok(Some(print::object(filled)));
            }
            _ => {
                self.spend(json, depth)?;
                return Ok(Some(json.clone()));
            }
        };
        Ok(Some(Json { span: json.span, value }))
    }

    fn text(&mut self, text: &str) -> Result<String, Excess> {
        let mut filled = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Plain(plain) => {
                    self.spend_bytes(plain.len() as u64)?;
                    filled.push_str(plain);
                }
                Piece::Open(open) => {
                    self.spend_bytes(open.len() as u64 + 2)?;
                    filled.push_str("{{");
                    filled.push_str(open);
                }
                Piece::Template(path) => match self.read(path)? {
                    None => {}
                    Some(Json { value: Value::String(text), .. }) => {
                        self.spend_bytes(text.len() as u64)?;
                        filled.push_str(text);
                    }
                    Some(value) => {
                        self.spend(value, 0)?;
                        filled.push_str(&Plain::from(value).to_string());
                    }
                },
            }
        }
        Ok(filled)
    }

    /// What `path` reads: `inputs…` or `steps.<id>.output…`.
    fn read(&mut self, path: &str) -> Result<Option<&'v Json>, Excess> {
        self.spend_bytes(1)?;
        let mut names = path.split('.');
        let mut at = match names.next() {
            Some("inputs") => &self.values.inputs,
            Some("steps") => {
                let output = names.next().and_then(|id| self.values.outputs.get(id));
                match (output, names.next()) {
                    (Some(output), Some("output")) => output,
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        for name in names {
            let next = match &at.value {
                Value::Object(members) => {
                    self.compared = self.compared.checked_sub(members.len() as u64).ok_or(Excess::Work)?;
                    members.get(name)
                }
                Value::Array(items) => index(name).and_then(|index| items.get(index)),
                _ => None,
            };
            let Some(next) = next else { return Ok(None) };
            at = next;
        }
        Ok(Some(at))
    }

    /// Spends what `json` would take at `depth`, before it is copied there.
    fn spend(&mut self, json: &Json, depth: usize) -> Result<(), Excess> {
        match &json.value {
            Value::String(text) => self.spend_bytes(text.len() as u64 + 2),
            // The top-level value is depth 1, here and in every reader.
            Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => Err(Excess::Depth),
            Value::Array(items) => items.iter().try_for_each(|item| {
                self.spend_bytes(1)?;
                self.spend(item, depth + 1)
            }),
            Value::Object(members) => members.iter().try_for_each(|member| {
                self.spend_bytes(member.name.len() as u64 + 4)?;
                self.spend(&member.value, depth + 1)
            }),
            _ => self.spend_bytes(8),
        }
    }

    fn spend_bytes(&mut self, bytes: u64) -> Result<(), Excess> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Excess::Bytes)?;
        Ok(())
    }
}

/// A place in a list, in one spelling.
fn index(name: &str) -> Option<usize> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    is_plain.then(|| name.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn values() -> Values {
        let output =
            r#"{"n": 1.5, "none": null, "list": [10, {"deep": true}], "text": "a \"b\"", "obj": {"k": []}}"#;
        Values {
            inputs: json(r#"{"path": "a.png", "limit": 4, "on": false}"#),
            outputs: [("look".to_owned(), json(output))].into(),
        }
    }

    fn filled(text: &str) -> String {
        match values().fill(&json(text)) {
            Ok(Some(json)) => Plain::from(&json).to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_text_that_is_one_template_keeps_the_type_of_what_it_reads() {
        for (template, value) in [
            ("inputs.path", r#""a.png""#),
            ("inputs.limit", "4"),
            ("inputs.on", "false"),
            ("steps.look.output.n", "1.5"),
            ("steps.look.output.none", "null"),
            ("steps.look.output.list", r#"[10,{"deep":true}]"#),
            ("steps.look.output.list.1.deep", "true"),
            ("steps.look.output.obj", r#"{"k":[]}"#),
            ("inputs", r#"{"limit":4,"on":false,"path":"a.png"}"#),
        ] {
            assert_eq!(filled(&format!(r#""{{{{{template}}}}}""#)), value);
            assert_eq!(filled(&format!(r#""{{{{ {template} }}}}""#)), value);
        }
    }

    #[test]
    fn a_text_with_more_in_it_stays_a_text() {
        for (text, value) in [
            ("{{inputs.path}}.txt", "a.png.txt"),
            (" {{inputs.limit}}", " 4"),
            ("{{inputs.limit}}{{inputs.limit}}", "44"),
            ("{{steps.look.output.list}}!", r#"[10,{"deep":true}]!"#),
            ("[{{steps.look.output.none}}] [{{inputs.nothing}}]", "[null] []"),
            ("no {template} }} here", "no {template} }} here"),
        ] {
            assert_eq!(values().fill_text(text).unwrap(), value);
            let expected = Plain::from(value).to_string();
            assert_eq!(filled(&Plain::from(text).to_string()), expected);
        }
        assert_eq!(values().fill_text("{{steps.look.output.text}}").unwrap(), "a \"b\"");
    }

    #[test]
    fn what_reads_nothing_is_dropped_and_null_is_something() {
        for nothing in [
            "inputs.nothing",
            "inputs.path.length",
            "steps.other.output",
            "steps.look.output.list.2",
            "steps.look.output.list.01",
            "steps.look.output.list.-1",
            "steps.look.output.n.x",
            "steps.look.input",
        ] {
            assert_eq!(
                filled(&format!(r#"{{"a": 1, "b": "{{{{{nothing}}}}}"}}"#)),
                r#"{"a":1}"#,
                "{nothing}"
            );
        }
        assert_eq!(
            filled(r#"{"a": {"b": "{{inputs.x}}"}, "c": ["{{inputs.x}}", 1]}"#),
            r#"{"a":{},"c":[null,1]}"#
        );
        assert_eq!(filled(r#"{"a": "{{steps.look.output.none}}"}"#), r#"{"a":null}"#);
        assert_eq!(values().fill(&json(r#""{{inputs.x}}""#)), Ok(None));
        assert_eq!(filled(r#"{"{{inputs.path}}": 1}"#), r#"{"{{inputs.path}}":1}"#, "a name is no template");
    }

    #[test]
    fn what_was_filled_in_is_not_filled_again() {
        let values = Values { inputs: json(r#"{"a": "{{inputs.b}}", "b": "secret"}"#), ..values() };
        assert_eq!(values.fill_text("{{inputs.a}}").unwrap(), "{{inputs.b}}");
        let filled = values.fill(&json(r#"["{{inputs.a}}"]"#)).unwrap().unwrap();
        assert_eq!(Plain::from(&filled).to_string(), r#"["{{inputs.b}}"]"#);
    }

    #[test]
    fn a_document_that_grows_without_measure_is_refused() {
        let big = format!(r#"{{"t": "{}"}}"#, "x".repeat(1 << 20));
        let values = Values { inputs: json(&big), outputs: BTreeMap::new() };
        let times = |count: usize| format!("[{}]", vec![r#""{{inputs.t}}""#; count].join(","));
        assert!(values.fill(&json(&times(3))).is_ok());
        assert_eq!(values.fill(&json(&times(5))), Err(Excess::Bytes));
        assert!(values.fill_text(&"{{inputs.t}}".repeat(3)).is_ok());
        assert_eq!(values.fill_text(&"{{inputs.t}}".repeat(5)), Err(Excess::Bytes));
        let members: Vec<String> = (0..10_000).map(|number| format!(r#""m{number}": 1"#)).collect();
        let wide = Values { inputs: json(&format!("{{{}}}", members.join(","))), outputs: BTreeMap::new() };
        let reads = |count: usize| format!("[{}]", vec![r#""{{inputs.m9999}}""#; count].join(","));
        assert!(wide.fill(&json(&reads(1000))).is_ok());
        assert_eq!(wide.fill(&json(&reads(7000))), Err(Excess::Work));
    }

    #[test]
    fn what_no_reader_would_read_is_not_written() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let values = |depth| Values {
            inputs: json(&format!(r#"{{"v": {}}}"#, nested(depth))),
            outputs: BTreeMap::new(),
        };
        let document = json(r#"{"a": {"b": "{{inputs.v}}"}}"#);
        let filled = values(62).fill(&document).unwrap().unwrap();
        assert!(read(Plain::from(&filled).to_string().as_bytes()).is_ok());
        assert_eq!(values(63).fill(&document), Err(Excess::Depth));
    }
}
