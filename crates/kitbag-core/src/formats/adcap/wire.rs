//! One call of a tool, as §7 has it: a JSON object per line, from the host to the tool and back. Bytes in, events out; nothing
//! is read or written here, and whatever the tool says is hostile until it has been read.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value as Plain, json};

use crate::json::{self, Json, Object, SyntaxError, Value};
use crate::path::{PackagePath, PathProblem};

/// The most shards that one call asks for.
const SHARDS_AT_MOST: usize = 4096;
/// The longest text that is quoted in an error.
const QUOTED_AT_MOST: usize = 80;

/// What a tool is told about where it runs. Paths are those that it sees.
#[derive(Clone, Debug)]
pub struct Context<'c> {
    /// The capability's id: `pub/name`.
    pub capability: &'c str,
    /// Its version.
    pub version: &'c str,
    /// Its folder.
    pub dir: &'c str,
    /// The user's workspace, if there is one.
    pub workspace: Option<&'c str>,
    /// The file of each resource of the tool that is there.
    pub resources: &'c [(String, String)],
    /// The folder of each dependency.
    pub dependencies: &'c [(String, String)],
    /// A folder that outlives the call, if there is one.
    pub tool_data_dir: Option<&'c str>,
}

/// The line that begins a call.
#[must_use]
pub fn call(tool: &str, input: &Json, context: &Context<'_>) -> Vec<u8> {
    let map = |entries: &[(String, String)]| -> Plain {
        entries.iter().map(|(name, path)| (name.clone(), path.clone().into())).collect::<Map<_, _>>().into()
    };
    line(&json!({
        "type": "call",
        "tool": tool,
        "input": Plain::from(input),
        "context": {
            "capability": context.capability,
            "version": context.version,
            "dir": context.dir,
            "workspace": context.workspace,
            "resources": map(context.resources),
            "dependencies": map(context.dependencies),
            "toolDataDir": context.tool_data_dir,
        },
    }))
}

/// The answer to a request for a shard that is there.
#[must_use]
pub fn shard_found(request: i64, path: &str) -> Vec<u8> {
    line(&json!({"type": "shard.result", "reqId": request, "path": path}))
}

/// The answer to a request for a shard that cannot be had.
#[must_use]
pub fn shard_refused(request: i64, because: &str) -> Vec<u8> {
    line(&json!({"type": "shard.result", "reqId": request, "error": because}))
}

fn line(message: &Plain) -> Vec<u8> {
    // A line end inside a text is escaped, so the only one ends the line.
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// What a tool has said.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An empty line, which means nothing.
    Nothing,
    /// It asks for a shard, which must be answered.
    Shard(ShardRequest),
    /// It is done, and this is its output.
    Output(Json),
    /// It is done, and failed for this reason.
    Failed(String),
}

/// A request for a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardRequest {
    /// The tool's number for it.
    pub request: i64,
    /// The resource, which is one of the tool's.
    pub resource: String,
    /// The shard's path in it.
    pub path: PackagePath,
}

/// What a tool must not say. Whoever hears it trusts the program no further.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A line that is no JSON, or not what every reader of JSON reads alike.
    Syntax(SyntaxError),
    /// A line that is no object, or has no type that a tool sends.
    Message(String),
    /// A member that is missing, or is something else than it has to be.
    Member(&'static str),
    /// Something after the end of the call.
    After,
    /// The number of a request that was there before.
    Reused(i64),
    /// More shards than one call asks for.
    Shards,
    /// A resource that the tool does not name.
    Resource(String),
    /// A shard's path that is none.
    Path(PathProblem),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "a line on standard output is no message: {error}"),
            Self::Message(what) => write!(f, "a line on standard output is no message: {what}"),
            Self::Member(name) => write!(f, "a message has no proper `{name}`"),
            Self::After => f.write_str("something was said after the result"),
            Self::Reused(request) => write!(f, "the request {request} for a shard was made twice"),
            Self::Shards => write!(f, "more than {SHARDS_AT_MOST} shards were asked for"),
            Self::Resource(name) => {
                write!(f, "a shard of `{name}` was asked for, which the tool does not name")
            }
            Self::Path(error) => write!(f, "a shard's path is none: {error}"),
        }
    }
}

impl std::error::Error for Violation {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Path(error) => Some(error),
            _ => None,
        }
    }
}

/// One call, from its first line to its result. By default, of a tool that names no resources.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    resources: BTreeSet<String>,
    asked: BTreeSet<i64>,
    is_over: bool,
}

impl Conversation {
    /// A call of a tool that names these resources.
    #[must_use]
    pub fn new(resources: impl IntoIterator<Item = String>) -> Self {
        Self { resources: resources.into_iter().collect(), asked: BTreeSet::new(), is_over: false }
    }

    /// Whether the tool has given its result.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes a line that the tool has said, without its end.
    ///
    /// # Errors
    /// [`Violation`], when it must not say that.
    pub fn hear(&mut self, line: &[u8]) -> Result<Event, Violation> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Event::Nothing);
        }
        if self.is_over {
            return Err(Violation::After);
        }
        let json = json::read(line).map_err(Violation::Syntax)?;
        let Value::Object(mut message) = json.value else {
            return Err(Violation::Message("it is no object".to_owned()));
        };
        match message.get("type").and_then(Json::as_str) {
            Some("result") => {
                let output = message.remove("output").ok_or(Violation::Member("output"))?;
                self.is_over = true;
                Ok(Event::Output(output.value))
            }
            Some("error") => {
                let because = text(&message, "message")?;
                self.is_over = true;
                Ok(Event::Failed(because.to_owned()))
            }
            Some("shard") => self.shard(&message).map(Event::Shard),
            Some(other) => {
                let other: String = other.chars().take(QUOTED_AT_MOST).collect();
                Err(Violation::Message(format!("no tool sends the type `{}`", other.escape_debug())))
            }
            None => Err(Violation::Message("it has no `type`".to_owned())),
        }
    }

    fn shard(&mut self, message: &Object) -> Result<ShardRequest, Violation> {
        let Some(Value::Integer(request)) = message.get("reqId").map(|json| &json.value) else {
            return Err(Violation::Member("reqId"));
        };
        let resource = text(message, "resource")?;
        let path = PackagePath::new(text(message, "path")?).map_err(Violation::Path)?;
        if !self.resources.contains(resource) {
            return Err(Violation::Resource(resource.chars().take(QUOTED_AT_MOST).collect()));
        }
        if !self.asked.insert(*request) {
            return Err(Violation::Reused(*request));
        }
        if self.asked.len() > SHARDS_AT_MOST {
            return Err(Violation::Shards);
        }
        Ok(ShardRequest { request: *request, resource: resource.to_owned(), path })
    }
}

fn text<'m>(message: &'m Object, name: &'static str) -> Result<&'m str, Violation> {
    message.get(name).and_then(Json::as_str).ok_or(Violation::Member(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation::new(["maps".to_owned()])
    }

    fn heard(line: &str) -> Result<Event, Violation> {
        conversation().hear(line.as_bytes())
    }

    #[test]
    fn a_call_is_one_line_that_reads_back() {
        let input = json::read(br#"{"text":"a\nb","n":1.5,"list":[null,true]}"#).unwrap();
        let context = Context {
            capability: "pub/name",
            version: "1.0.0",
            dir: "/package",
            workspace: None,
            resources: &[("maps".to_owned(), "/resource/maps".to_owned())],
            dependencies: &[],
            tool_data_dir: Some("/data"),
        };
        let line = call("draw", &input, &context);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert_eq!(line.last(), Some(&b'\n'));
        let read: Plain = serde_json::from_slice(&line).unwrap();
        assert_eq!(
            read,
            json!({"type": "call", "tool": "draw", "input": {"text": "a\nb", "n": 1.5, "list": [null, true]},
                "context": {"capability": "pub/name", "version": "1.0.0", "dir": "/package", "workspace": null,
                    "resources": {"maps": "/resource/maps"}, "dependencies": {}, "toolDataDir": "/data"}})
        );
        let found: Plain = serde_json::from_slice(&shard_found(7, "/x")).unwrap();
        assert_eq!(found, json!({"type": "shard.result", "reqId": 7, "path": "/x"}));
        let refused: Plain = serde_json::from_slice(&shard_refused(8, "no")).unwrap();
        assert_eq!(refused, json!({"type": "shard.result", "reqId": 8, "error": "no"}));
    }

    #[test]
    fn a_result_an_error_and_shards_are_heard() {
        let mut conversation = conversation();
        assert_eq!(conversation.hear(b""), Ok(Event::Nothing));
        let shard = |request: i64, path: &str| ShardRequest {
            request,
            resource: "maps".into(),
            path: PackagePath::new(path).unwrap(),
        };
        for (request, path) in [(1, "a.bin"), (2, "shards/b.jsonl"), (-1, "a.bin")] {
            let line =
                format!(r#"{{"type":"shard","reqId":{request},"resource":"maps","path":"{path}","more":1}}"#);
            assert_eq!(conversation.hear(line.as_bytes()), Ok(Event::Shard(shard(request, path))));
        }
        assert!(!conversation.is_over());
        let Ok(Event::Output(output)) = conversation.hear(br#" {"type":"result","output":[1]} "#) else {
            panic!("an output");
        };
        assert_eq!(Plain::from(&output), json!([1]));
        assert!(conversation.is_over());
        assert_eq!(conversation.hear(b"  \r"), Ok(Event::Nothing));
        assert_eq!(heard(r#"{"type":"error","message":"no map"}"#), Ok(Event::Failed("no map".into())));
        assert_eq!(
            heard(r#"{"type":"result","output":null}"#).map(|event| matches!(event, Event::Output(_))),
            Ok(true)
        );
    }

    #[test]
    fn what_a_tool_must_not_say_is_told_apart() {
        let deep = format!(r#"{{"type":"result","output":{}{}}}"#, "[".repeat(65), "]".repeat(65));
        let shallow = format!(r#"{{"type":"result","output":{}{}}}"#, "[".repeat(63), "]".repeat(63));
        assert!(heard(&shallow).is_ok());
        for line in [
            "loading…",
            r#"{"type":"result","output":NaN}"#,
            r#"{"type":"result","type":"result","output":1}"#,
            &deep,
        ] {
            assert!(matches!(heard(line), Err(Violation::Syntax(_))), "{line}");
        }
        assert!(matches!(
            conversation().hear(b"{\"type\":\"result\",\"output\":\"\xff\"}"),
            Err(Violation::Syntax(_))
        ));
        for line in ["[]", "1", "{}", r#"{"type":1}"#, r#"{"type":"call"}"#, r#"{"type":"shard.result"}"#] {
            assert!(matches!(heard(line), Err(Violation::Message(_))), "{line}");
        }
        let member = |line: &str, name| assert_eq!(heard(line), Err(Violation::Member(name)), "{line}");
        member(r#"{"type":"result"}"#, "output");
        member(r#"{"type":"error","message":1}"#, "message");
        member(r#"{"type":"shard","reqId":1.5,"resource":"maps","path":"a"}"#, "reqId");
        member(r#"{"type":"shard","reqId":1,"path":"a"}"#, "resource");
        member(r#"{"type":"shard","reqId":1,"resource":"maps"}"#, "path");
        for path in ["../a", "/etc/passwd", "", "a//b", "a/../../b"] {
            let line = format!(r#"{{"type":"shard","reqId":1,"resource":"maps","path":"{path}"}}"#);
            assert!(matches!(heard(&line), Err(Violation::Path(_))), "{path}");
        }
        let other = r#"{"type":"shard","reqId":1,"resource":"other","path":"a"}"#;
        assert_eq!(heard(other), Err(Violation::Resource("other".into())));
    }

    #[test]
    fn a_request_is_made_once_and_there_are_not_many() {
        let shard =
            |request: usize| format!(r#"{{"type":"shard","reqId":{request},"resource":"maps","path":"a"}}"#);
        let mut conversation = conversation();
        for request in 0..SHARDS_AT_MOST {
            assert!(conversation.hear(shard(request).as_bytes()).is_ok());
        }
        assert_eq!(conversation.hear(shard(7).as_bytes()), Err(Violation::Reused(7)));
        assert_eq!(conversation.hear(shard(SHARDS_AT_MOST).as_bytes()), Err(Violation::Shards));
    }

    #[test]
    fn nothing_comes_after_the_end() {
        for first in [r#"{"type":"result","output":1}"#, r#"{"type":"error","message":"x"}"#] {
            for second in [first, "x", r#"{"type":"shard","reqId":1,"resource":"maps","path":"a"}"#] {
                let mut conversation = conversation();
                assert!(conversation.hear(first.as_bytes()).is_ok());
                assert_eq!(conversation.hear(second.as_bytes()), Err(Violation::After), "{second}");
            }
        }
    }
}
