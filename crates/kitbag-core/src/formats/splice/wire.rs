//! One call of a tool (Splice 1, "Runtime"): what its host script is told, and what it says. Bytes in, events out; nothing
//! is read or written here, and whatever comes from there is hostile until it has been read.
//!
//! Splice leaves these lines to whoever runs a tool. The script is told a word that nobody else knows, and what it says
//! begins with it: so a tool can print whatever it likes, answers included, and all of it is a log.

use std::fmt;

use serde_json::{Map, Value as Plain, json};

use crate::json::{self, Json, SyntaxError, SyntaxErrorKind, Value};

use super::descriptor;
use super::document::Document;

/// The most bytes of an input.
pub const INPUT_BYTES: usize = 4 << 20;
/// The most bytes of an output.
pub const OUTPUT_BYTES: usize = 1 << 20;
/// The most bytes of logs that are kept.
pub const LOG_BYTES: usize = 64 << 10;
/// The most calls of capabilities in one call of a tool.
pub const CAPABILITIES_AT_MOST: usize = 25;
/// The most calls of capabilities that are not answered yet.
pub const IN_FLIGHT_AT_MOST: usize = 4;
/// The most bytes of what a capability is given.
pub const ARGUMENT_BYTES: usize = 256 << 10;
/// The deepest nesting of what a capability is given.
pub const ARGUMENT_DEPTH: usize = 32;
/// The most bytes of what a capability gives.
pub const CAPABILITY_BYTES: usize = 4 << 20;
/// The longest text of a failure that is kept, in characters.
const MESSAGE_AT_MOST: usize = 16_384;

/// What is called, and what its host script has to know. Paths are those that the tool sees.
#[derive(Clone, Debug)]
pub struct Call<'c> {
    /// The word that begins what the script says.
    pub word: &'c str,
    /// The module.
    pub entry: &'c str,
    /// What the tool is given.
    pub input: &'c Json,
    /// What the tool is told about where it runs.
    pub context: &'c Plain,
    /// The variables that it sees; there are no others.
    pub environment: Vec<(String, String)>,
    /// What of files it may read and write: absolute paths, each with everything below it.
    pub files: Vec<String>,
    /// Where the modules lie whose types have been taken out, by their names below the package.
    pub types: Option<&'c str>,
    /// Modules that cannot be loaded, and why.
    pub faults: Vec<(String, String)>,
    /// Whether a module without a word on its kind is an ES module when it looks like one.
    pub guesses: bool,
}

impl Call<'_> {
    /// The line that begins a call.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let map = |entries: &[(String, String)]| -> Plain {
            entries
                .iter()
                .map(|(name, value)| (name.clone(), value.clone().into()))
                .collect::<Map<_, _>>()
                .into()
        };
        line(&json!({
            "word": self.word,
            "entry": self.entry,
            "input": Plain::from(self.input),
            "context": self.context,
            "environment": map(&self.environment),
            "files": self.files,
            "types": self.types,
            "faults": map(&self.faults),
            "guesses": self.guesses,
            "outputBytes": OUTPUT_BYTES,
            "logBytes": LOG_BYTES,
        }))
    }
}

/// The context of a tool (§6.5), without what it can call.
#[must_use]
pub fn context(document: &Document, tool: &str, package: &str, project: &str) -> Plain {
    json!({
        "package": {"id": document.id(), "version": document.version},
        "tool": tool,
        "paths": {"project": project, "package": package},
        "permissions": descriptor::permissions(&document.permissions),
    })
}

/// The answer to a call of a capability.
#[must_use]
pub fn reply(id: i64, answer: &Result<Plain, Refusal>) -> Vec<u8> {
    match answer {
        Ok(result) => line(&json!({"id": id, "result": result})),
        Err(Refusal { code, message }) => {
            line(&json!({"id": id, "error": {"code": code, "message": message}}))
        }
    }
}

fn line(message: &Plain) -> Vec<u8> {
    // A line end inside a text is escaped, so the only one ends the line.
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Why a call of a capability is not even passed on: the tool's promise is rejected with this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Splice's code.
    pub code: &'static str,
    /// What is so.
    pub message: String,
}

/// What a tool, or its host script, has said.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Something that the tool printed: a log.
    Log,
    /// The tool calls a capability, which must be answered.
    Capability(CapabilityCall),
    /// The tool is done, and this is its output.
    Output(Json),
    /// The tool is done, and its output is no JSON that every reader reads alike.
    Unreadable(SyntaxError),
    /// The tool is done, and its output is too long.
    TooLong(usize),
    /// The tool is done, and failed.
    Failed {
        /// How.
        how: Failure,
        /// Why.
        message: String,
    },
}

/// How a tool failed, as its host script sees it (§6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It threw something.
    Threw,
    /// It did what its package does not declare.
    Denied,
    /// Its module cannot be loaded, or exports no function.
    Load,
}

/// A call of a capability.
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityCall {
    /// The tool's number for it.
    pub id: i64,
    /// The capability, which the package declares.
    pub name: String,
    /// What it is given; or why the call is refused.
    pub arguments: Result<Plain, Refusal>,
}

/// What a host script never says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A message that is none.
    Message,
    /// Something after the end of the call.
    After,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Message => "the tool has meddled with the words between its host script and this host",
            Self::After => "something was said after the result",
        })
    }
}

impl std::error::Error for Violation {}

/// One call, from its first line to its result.
#[derive(Clone, Debug)]
pub struct Conversation {
    word: String,
    capabilities: Vec<String>,
    calls: usize,
    is_over: bool,
}

impl Conversation {
    /// A call of a tool whose package declares `capabilities`; what its script says begins with `word`.
    #[must_use]
    pub fn new(word: String, capabilities: Vec<String>) -> Self {
        Self { word, capabilities, calls: 0, is_over: false }
    }

    /// Takes a line from standard output, without its end, while `in_flight` calls of capabilities wait for an answer.
    ///
    /// # Errors
    /// [`Violation`], when the script cannot have said that.
    pub fn hear(&mut self, line: &[u8], in_flight: usize) -> Result<Event, Violation> {
        let Some(message) = line.strip_prefix(self.word.as_bytes()) else { return Ok(Event::Log) };
        if self.is_over {
            return Err(Violation::After);
        }
        let mut parts = message.splitn(3, |byte| *byte == b' ');
        let (Some(b""), Some(kind), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Violation::Message);
        };
        match kind {
            b"output" => {
                self.is_over = true;
                Ok(output(value))
            }
            b"failed" => {
                let json = json::read(value).map_err(|_other| Violation::Message)?;
                let message = text(&json, "message")?.chars().take(MESSAGE_AT_MOST).collect();
                let how = match text(&json, "code")? {
                    "PERMISSION_DENIED" => Failure::Denied,
                    "TOOL_LOAD_FAILED" => Failure::Load,
                    // Splice 1, "Messages": another code is an error of the tool.
                    _ => Failure::Threw,
                };
                self.is_over = true;
                Ok(Event::Failed { how, message })
            }
            b"too-long" => {
                let length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.is_over = true;
                length.map(Event::TooLong).ok_or(Violation::Message)
            }
            b"capability" => {
                let json = json::read(value).map_err(|_other| Violation::Message)?;
                let Some(Value::Integer(id)) = json.get("id").map(|json| &json.value) else {
                    return Err(Violation::Message);
                };
                let name = text(&json, "name")?.to_owned();
                let arguments = self.admit(&name, text(&json, "args")?.as_bytes(), in_flight);
                Ok(Event::Capability(CapabilityCall { id: *id, name, arguments }))
            }
            _ => Err(Violation::Message),
        }
    }

    /// Whether a capability is called at all: declared, within the budgets, with arguments of a size (§6.7, in its order). A
    /// call of what is not declared uses up nothing.
    fn admit(&mut self, name: &str, arguments: &[u8], in_flight: usize) -> Result<Plain, Refusal> {
        let refusal = |code, message: String| Err(Refusal { code, message });
        if !self.capabilities.iter().any(|declared| declared == name) {
            let name: String = name.chars().take(80).collect();
            let message = format!(
                "the capability `{}` is denied: permissions.capabilities does not list it",
                name.escape_debug()
            );
            return refusal("PERMISSION_DENIED", message);
        }
        self.calls += 1;
        if self.calls > CAPABILITIES_AT_MOST {
            let message =
                format!("more than {CAPABILITIES_AT_MOST} calls of capabilities in one call of a tool");
            return refusal("CAPABILITY_LIMIT", message);
        }
        if in_flight >= IN_FLIGHT_AT_MOST {
            let message = format!("more than {IN_FLIGHT_AT_MOST} calls of capabilities at once");
            return refusal("CAPABILITY_LIMIT", message);
        }
        if arguments.len() > ARGUMENT_BYTES {
            let message = format!("the arguments have {} bytes (at most {ARGUMENT_BYTES})", arguments.len());
            return refusal("INPUT_TOO_LARGE", message);
        }
        let too_deep = || {
            refusal("INPUT_TOO_LARGE", format!("the arguments are nested more than {ARGUMENT_DEPTH} deep"))
        };
        match json::read(arguments) {
            Ok(json) if depth(&json) > ARGUMENT_DEPTH => too_deep(),
            Ok(json) => Ok(Plain::from(&json)),
            Err(error) if error.kind == SyntaxErrorKind::TooDeep => too_deep(),
            Err(error) => refusal("INVALID_INPUT", format!("the arguments are no JSON: {error}")),
        }
    }
}

fn output(value: &[u8]) -> Event {
    if value.len() > OUTPUT_BYTES {
        return Event::TooLong(value.len());
    }
    match json::read(value) {
        Ok(json) => Event::Output(json),
        Err(error) => Event::Unreadable(error),
    }
}

/// How deep a value is nested: a container is one. Recursion ends at the reader's depth.
fn depth(json: &Json) -> usize {
    match &json.value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(object) => 1 + object.iter().map(|member| depth(&member.value)).max().unwrap_or(0),
        _ => 0,
    }
}

fn text<'m>(message: &'m Json, name: &str) -> Result<&'m str, Violation> {
    message.get(name).and_then(Json::as_str).ok_or(Violation::Message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation::new("w0rd".to_owned(), vec!["web.search".to_owned()])
    }

    fn heard(line: &str) -> Result<Event, Violation> {
        conversation().hear(line.as_bytes(), 0)
    }

    fn capability(name: &str, arguments: &str) -> String {
        format!("w0rd capability {}", json!({"id": 1, "name": name, "args": arguments}))
    }

    fn code(heard: Result<Event, Violation>) -> Option<&'static str> {
        match heard {
            Ok(Event::Capability(call)) => call.arguments.err().map(|refusal| refusal.code),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_tool_prints_is_a_log_whatever_it_looks_like() {
        for line in
            ["", "hello", r#"output {"a":1}"#, "w0r output 1", " w0rd output 1", "{\"type\":\"result\"}"]
        {
            assert_eq!(heard(line), Ok(Event::Log), "{line}");
        }
        assert!(matches!(heard("w0rd output {\"a\":1}"), Ok(Event::Output(_))));
    }

    #[test]
    fn a_result_is_an_output_or_a_failure() {
        let Ok(Event::Output(output)) = heard("w0rd output [1, \"a b\"]") else { panic!("an output") };
        assert_eq!(Plain::from(&output), json!([1, "a b"]));
        for (code, how) in [
            ("TOOL_ERROR", Failure::Threw),
            ("PERMISSION_DENIED", Failure::Denied),
            ("TOOL_LOAD_FAILED", Failure::Load),
            ("WHATEVER", Failure::Threw),
        ] {
            let line = format!(r#"w0rd failed {{"code": "{code}", "message": "boom"}}"#);
            assert_eq!(heard(&line), Ok(Event::Failed { how, message: "boom".into() }), "{code}");
        }
        let deepest = format!("w0rd output {}{}", "[".repeat(64), "]".repeat(64));
        assert!(matches!(heard(&deepest), Ok(Event::Output(_))));
        let deeper = format!("w0rd output {}{}", "[".repeat(65), "]".repeat(65));
        assert!(matches!(heard(&deeper), Ok(Event::Unreadable(_))));
        assert!(matches!(heard(r#"w0rd output "\ud800""#), Ok(Event::Unreadable(_))));
        let longest = format!("w0rd output \"{}\"", "x".repeat(OUTPUT_BYTES - 2));
        assert!(matches!(heard(&longest), Ok(Event::Output(_))));
        let longer = format!("w0rd output \"{}\"", "x".repeat(OUTPUT_BYTES - 1));
        assert_eq!(heard(&longer), Ok(Event::TooLong(OUTPUT_BYTES + 1)));
        assert_eq!(heard("w0rd too-long 9000000"), Ok(Event::TooLong(9_000_000)));
    }

    #[test]
    fn what_a_script_never_says_is_told_apart() {
        for line in [
            "w0rd",
            "w0rdoutput 1",
            "w0rd output",
            "w0rd other 1",
            "w0rd failed 1",
            r#"w0rd failed {"code":"X"}"#,
            "w0rd too-long x",
            "w0rd capability {}",
            r#"w0rd capability {"id":1.5,"name":"a","args":"1"}"#,
        ] {
            assert_eq!(heard(line), Err(Violation::Message), "{line}");
        }
        let mut conversation = conversation();
        assert!(conversation.hear(b"w0rd output 1", 0).is_ok());
        assert_eq!(conversation.hear(b"w0rd output 1", 0), Err(Violation::After));
        assert_eq!(conversation.hear(b"bye", 0), Ok(Event::Log));
    }

    #[test]
    fn a_capability_is_called_when_it_is_declared_and_within_the_budgets() {
        let Ok(Event::Capability(call)) = heard(&capability("web.search", r#"{"q":"a"}"#)) else {
            panic!("a call")
        };
        assert_eq!((call.id, call.arguments), (1, Ok(json!({"q": "a"}))));
        assert_eq!(code(heard(&capability("ai.generate", "{}"))), Some("PERMISSION_DENIED"));
        assert_eq!(code(heard(&capability("web.search", "{"))), Some("INVALID_INPUT"));
        let nested = |deep: usize| format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(code(heard(&capability("web.search", &nested(ARGUMENT_DEPTH)))), None);
        assert_eq!(
            code(heard(&capability("web.search", &nested(ARGUMENT_DEPTH + 1)))),
            Some("INPUT_TOO_LARGE")
        );
        assert_eq!(code(heard(&capability("web.search", &nested(65)))), Some("INPUT_TOO_LARGE"));
        let sized = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        assert_eq!(code(heard(&capability("web.search", &sized(ARGUMENT_BYTES)))), None);
        assert_eq!(
            code(heard(&capability("web.search", &sized(ARGUMENT_BYTES + 1)))),
            Some("INPUT_TOO_LARGE")
        );
        let mut conversation = conversation();
        for _ in 0..30 {
            let undeclared = capability("ai.models", "{}");
            assert_eq!(code(conversation.hear(undeclared.as_bytes(), 0)), Some("PERMISSION_DENIED"));
        }
        let call = capability("web.search", "{}");
        assert_eq!(code(conversation.hear(call.as_bytes(), 3)), None);
        assert_eq!(code(conversation.hear(call.as_bytes(), 4)), Some("CAPABILITY_LIMIT"));
        let answers: Vec<Option<&str>> =
            (0..30).map(|_| code(conversation.hear(call.as_bytes(), 0))).collect();
        assert_eq!(answers.iter().filter(|code| code.is_none()).count(), 23, "two were counted before");
        assert!(answers[23..].iter().all(|code| *code == Some("CAPABILITY_LIMIT")));
    }

    #[test]
    fn a_call_and_a_reply_are_one_line_each() {
        let input = json::read(br#"{"text":"a\nb"}"#).unwrap();
        let call = Call {
            word: "w0rd",
            entry: "/package/tools/a.mjs",
            input: &input,
            context: &json!({}),
            environment: vec![("KEY".into(), "a\nb".into())],
            files: vec!["/project/data".into()],
            types: None,
            faults: Vec::new(),
            guesses: true,
        };
        let line = call.line();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let read: Plain = serde_json::from_slice(&line).unwrap();
        assert_eq!((&read["input"]["text"], &read["environment"]["KEY"]), (&json!("a\nb"), &json!("a\nb")));
        let refused = Err(Refusal { code: "CAPABILITY_LIMIT", message: "no".into() });
        assert_eq!(reply(7, &Ok(json!([1]))), b"{\"id\":7,\"result\":[1]}\n");
        assert_eq!(
            String::from_utf8(reply(8, &refused)).unwrap(),
            "{\"error\":{\"code\":\"CAPABILITY_LIMIT\",\"message\":\"no\"},\"id\":8}\n"
        );
    }
}
