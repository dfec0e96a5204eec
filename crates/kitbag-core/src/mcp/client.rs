//! [`Client`]: calls one tool of a server, in whichever of the two eras the server speaks. A handshake is tried first, since most
//! servers know nothing else; one that does not know it is spoken to without.

use std::fmt;

use serde_json::{Value as Plain, json};

use crate::json::{self, Json, SyntaxError, Value, print};
use crate::schema::Schema;

use super::message::{self, HANDSHAKE, HANDSHAKES, Message, Refused, STATELESS};

/// The most pages of tools that are asked for.
const PAGES_AT_MOST: usize = 64;
/// The most tools that are named where one is missing.
const NAMED_AT_MOST: usize = 50;
/// The most messages that are heard in one call.
const MESSAGES_AT_MOST: usize = 100_000;
/// The most things that are told of an input that a tool does not take.
const DETAILS_AT_MOST: usize = 20;
/// The longest text that is quoted of a server.
const QUOTED_AT_MOST: usize = 500;

/// The call of one tool.
#[derive(Debug)]
pub struct Client {
    tool: String,
    input: Json,
    era: Era,
    awaited: Awaited,
    /// The number of the request that is not answered yet.
    request: i64,
    pages: usize,
    messages: usize,
    known: Vec<String>,
    output: Option<Schema>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Handshake,
    Stateless,
}

/// What the next response answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Handshake,
    Tools,
    Call,
    Nothing,
}

/// What a line of the server came to.
#[derive(Debug, PartialEq)]
pub enum Event {
    /// Nothing that has to be answered.
    Nothing,
    /// These lines are to be sent.
    Send(Vec<u8>),
    /// The call is over.
    Over(Answer),
}

/// What a call came to.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// What the tool gives: its structured content, or the text that is all of its content, or its content.
    Output(Json),
    /// The tool, or the server, says that it failed.
    Failed(String),
    /// The server has no such tool. These are some of those that it has.
    NoTool(Vec<String>),
    /// The tool does not take the input.
    InvalidInput(Vec<String>),
    /// What the tool gave is not what it says that it gives.
    InvalidOutput(Vec<String>),
}

/// What a server must not say. It is heard no further.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// A line that is no JSON, or not what every reader of JSON reads alike.
    Syntax(SyntaxError),
    /// A line that is no message.
    Message,
    /// An answer to nothing that was asked.
    Unasked,
    /// An answer without what it has to have.
    Lacks(&'static str),
    /// A revision of the protocol that is not known here.
    Revision(String),
    /// More pages of tools than are asked for.
    Pages,
    /// More messages than are heard.
    Messages,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "a line on standard output is no message: {error}"),
            Self::Message => f.write_str("a line on standard output is no message of JSON-RPC 2.0"),
            Self::Unasked => f.write_str("the server answered what was not asked"),
            Self::Lacks(what) => write!(f, "an answer of the server has no proper `{what}`"),
            Self::Revision(revision) => {
                write!(
                    f,
                    "the server speaks revision `{}` of MCP, which is not known here",
                    revision.escape_debug()
                )
            }
            Self::Pages => write!(f, "the server has more than {PAGES_AT_MOST} pages of tools"),
            Self::Messages => write!(f, "the server sent more than {MESSAGES_AT_MOST} messages"),
        }
    }
}

impl std::error::Error for Violation {}

impl Client {
    /// The call of `tool` with `input`.
    #[must_use]
    pub fn new(tool: &str, input: Json) -> Self {
        Self {
            tool: tool.to_owned(),
            input,
            era: Era::Handshake,
            awaited: Awaited::Handshake,
            request: 0,
            pages: 0,
            messages: 0,
            known: Vec::new(),
            output: None,
        }
    }

    /// What is sent first.
    #[must_use]
    pub fn opening(&self) -> Vec<u8> {
        let params = json!({
            "protocolVersion": HANDSHAKE,
            "capabilities": {},
            "clientInfo": {"name": "kitbag", "version": env!("CARGO_PKG_VERSION")},
        });
        message::request(self.request, "initialize", &params)
    }

    /// Hears a line of the server, without its end.
    ///
    /// # Errors
    /// [`Violation`] when it says what it must not.
    pub fn hear(&mut self, line: &[u8]) -> Result<Event, Violation> {
        self.messages += 1;
        if self.messages > MESSAGES_AT_MOST {
            return Err(Violation::Messages);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Event::Nothing);
        }
        let json = json::read(line).map_err(Violation::Syntax)?;
        match Message::of(&json).ok_or(Violation::Message)? {
            Message::Notification => Ok(Event::Nothing),
            // Nothing of what a client may offer is offered, but for saying that it is there.
            Message::Request { id, method: "ping" } => Ok(Event::Send(message::answer(id, Ok(json!({}))))),
            Message::Request { id, .. } => {
                Ok(Event::Send(message::answer(id, Err((-32601, "this client has no such method")))))
            }
            Message::Response { id, outcome } => {
                if id != Some(self.request) || self.awaited == Awaited::Nothing {
                    return Err(Violation::Unasked);
                }
                self.answered(outcome)
            }
        }
    }

    fn answered(&mut self, outcome: Result<&Json, Refused>) -> Result<Event, Violation> {
        match (self.awaited, outcome) {
            (Awaited::Handshake, Ok(result)) => {
                let revision = member(result, "protocolVersion").and_then(Json::as_str);
                let revision = revision.ok_or(Violation::Lacks("protocolVersion"))?;
                if !HANDSHAKES.contains(&revision) {
                    return Err(Violation::Revision(quoted(revision)));
                }
                let mut lines = message::notification("notifications/initialized");
                lines.extend(self.tools(None));
                Ok(Event::Send(lines))
            }
            (Awaited::Handshake, Err(_)) => {
                self.era = Era::Stateless;
                let lines = self.tools(None);
                Ok(Event::Send(lines))
            }
            (_, Err(refused)) => {
                Ok(self.over(Answer::Failed(format!("{} ({})", quoted(&refused.message), refused.code))))
            }
            (Awaited::Tools, Ok(result)) => self.listed(result),
            (_, Ok(result)) => {
                let answer = self.output(result)?;
                Ok(self.over(answer))
            }
        }
    }

    /// Asks for a page of the tools.
    fn tools(&mut self, cursor: Option<&str>) -> Vec<u8> {
        self.awaited = Awaited::Tools;
        self.ask("tools/list", cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor})))
    }

    fn ask(&mut self, method: &str, mut params: Plain) -> Vec<u8> {
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "kitbag", "version": env!("CARGO_PKG_VERSION")},
            });
        }
        self.request += 1;
        message::request(self.request, method, &params)
    }

    fn listed(&mut self, result: &Json) -> Result<Event, Violation> {
        let Some(Value::Array(tools)) = member(result, "tools").map(|tools| &tools.value) else {
            return Err(Violation::Lacks("tools"));
        };
        for tool in tools {
            let name = member(tool, "name").and_then(Json::as_str).ok_or(Violation::Lacks("name"))?;
            if name == self.tool {
                return self.found(tool);
            }
            if self.known.len() < NAMED_AT_MOST {
                self.known.push(quoted(name));
            }
        }
        let Some(cursor) = member(result, "nextCursor").and_then(Json::as_str) else {
            let known = std::mem::take(&mut self.known);
            return Ok(self.over(Answer::NoTool(known)));
        };
        self.pages += 1;
        if self.pages >= PAGES_AT_MOST {
            return Err(Violation::Pages);
        }
        let lines = self.tools(Some(cursor));
        Ok(Event::Send(lines))
    }

    /// Calls the tool, if it takes the input.
    fn found(&mut self, tool: &Json) -> Result<Event, Violation> {
        let input = member(tool, "inputSchema").ok_or(Violation::Lacks("inputSchema"))?;
        let input = Schema::new(input).map_err(|_| Violation::Lacks("inputSchema"))?;
        let output = member(tool, "outputSchema").map(Schema::new).transpose();
        self.output = output.map_err(|_| Violation::Lacks("outputSchema"))?;
        let wrong = violations(&input, &self.input);
        if !wrong.is_empty() {
            return Ok(self.over(Answer::InvalidInput(wrong)));
        }
        self.awaited = Awaited::Call;
        let params = json!({"name": self.tool, "arguments": Plain::from(&self.input)});
        Ok(Event::Send(self.ask("tools/call", params)))
    }

    fn output(&self, result: &Json) -> Result<Answer, Violation> {
        let word = member(result, "resultType").and_then(Json::as_str);
        if word.is_some_and(|word| word != "complete") {
            return Ok(Answer::Failed("the tool asks for more, and nobody is here to be asked".to_owned()));
        }
        let content = member(result, "content");
        let texts = content.map_or_else(|| Some(Vec::new()), texts).ok_or(Violation::Lacks("content"))?;
        let is_all_text = texts.iter().all(Option::is_some);
        let text = || texts.iter().flatten().copied().collect::<Vec<_>>().join("\n");
        if member(result, "isError").is_some_and(|is_error| matches!(is_error.value, Value::Bool(true))) {
            return Ok(Answer::Failed(quoted(&text())));
        }
        let structured = member(result, "structuredContent");
        if let Some(schema) = &self.output {
            let wrong = match structured {
                Some(structured) => violations(schema, structured),
                None => vec!["there is no structured content, which the tool promises".to_owned()],
            };
            if !wrong.is_empty() {
                return Ok(Answer::InvalidOutput(wrong));
            }
        }
        Ok(Answer::Output(match (structured, content) {
            (Some(structured), _) => structured.clone(),
            (None, Some(content)) if !is_all_text => content.clone(),
            (None, _) => print::text(text()),
        }))
    }

    fn over(&mut self, answer: Answer) -> Event {
        self.awaited = Awaited::Nothing;
        Event::Over(answer)
    }
}

fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    json.get(name)
}

/// The texts of a content, `None` for each block that is something else; nothing at all when it is no content.
fn texts(content: &Json) -> Option<Vec<Option<&str>>> {
    let Value::Array(blocks) = &content.value else { return None };
    blocks
        .iter()
        .map(|block| match block.get("type").and_then(Json::as_str)? {
            "text" => block.get("text").and_then(Json::as_str).map(Some),
            _ => Some(None),
        })
        .collect()
}

fn violations(schema: &Schema, value: &Json) -> Vec<String> {
    let tell = |violation: &crate::schema::Violation| match violation.pointer.as_str() {
        "" => violation.message.clone(),
        pointer => format!("{pointer}: {}", violation.message),
    };
    schema.violations(value).iter().take(DETAILS_AT_MOST).map(tell).collect()
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED_AT_MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Client {
        Client::new("add", json::read(br#"{"a": 1}"#).unwrap())
    }

    /// What was sent, line by line.
    fn sent(event: Event) -> Vec<Plain> {
        let Event::Send(lines) = event else { panic!("{event:?}") };
        let lines = String::from_utf8(lines).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn hear(client: &mut Client, message: &Plain) -> Result<Event, Violation> {
        client.hear(message.to_string().as_bytes())
    }

    fn result(id: i64, result: impl Into<Plain>) -> Plain {
        json!({"jsonrpc": "2.0", "id": id, "result": result.into()})
    }

    fn add() -> Plain {
        json!({"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}})
    }

    fn shaken(client: &mut Client) {
        let event = hear(client, &result(0, json!({"protocolVersion": "2025-06-18"}))).unwrap();
        let lines = sent(event);
        assert_eq!(lines[0]["method"], "notifications/initialized");
        assert_eq!((&lines[1]["method"], &lines[1]["params"]), (&json!("tools/list"), &json!({})));
    }

    #[test]
    fn a_tool_is_called_after_a_handshake() {
        let mut client = client();
        let opening: Plain = serde_json::from_slice(&client.opening()).unwrap();
        assert_eq!((&opening["method"], &opening["id"]), (&json!("initialize"), &json!(0)));
        shaken(&mut client);
        assert_eq!(client.hear(b""), Ok(Event::Nothing));
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
        assert_eq!(hear(&mut client, &note), Ok(Event::Nothing));
        let page = result(1, json!({"tools": [{"name": "sub"}], "nextCursor": "2"}));
        assert_eq!(sent(hear(&mut client, &page).unwrap())[0]["params"], json!({"cursor": "2"}));
        let call = sent(hear(&mut client, &result(2, json!({"tools": [add()]}))).unwrap());
        assert_eq!(call[0]["params"], json!({"name": "add", "arguments": {"a": 1}}));
        let content = json!({"content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]});
        assert_eq!(
            hear(&mut client, &result(3, content)),
            Ok(Event::Over(Answer::Output(print::text("1\n2"))))
        );
        assert_eq!(hear(&mut client, &result(3, json!({}))), Err(Violation::Unasked));
    }

    #[test]
    fn a_server_without_handshakes_is_spoken_to_without() {
        let mut client = client();
        let unknown =
            json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no such method"}});
        let list = sent(hear(&mut client, &unknown).unwrap());
        let version = "io.modelcontextprotocol/protocolVersion";
        assert_eq!(list[0]["params"]["_meta"][version], "2026-07-28");
        let call = sent(hear(&mut client, &result(1, json!({"tools": [add()]}))).unwrap());
        assert_eq!(call[0]["params"]["_meta"][version], "2026-07-28");
        assert_eq!(call[0]["params"]["name"], "add");
        let more = json!({"resultType": "input_required", "content": []});
        let Ok(Event::Over(Answer::Failed(message))) = hear(&mut client, &result(2, more)) else { panic!() };
        assert!(message.contains("nobody is here"), "{message}");
    }

    #[test]
    fn what_a_server_asks_is_answered() {
        let mut client = client();
        let ping = json!({"jsonrpc": "2.0", "id": "x", "method": "ping"});
        let pong = json!({"jsonrpc": "2.0", "id": "x", "result": {}});
        assert_eq!(sent(hear(&mut client, &ping).unwrap()), [pong]);
        let roots = json!({"jsonrpc": "2.0", "id": 0, "method": "roots/list"});
        assert_eq!(sent(hear(&mut client, &roots).unwrap())[0]["error"]["code"], -32601);
        shaken(&mut client);
    }

    #[test]
    fn every_way_not_to_give_an_output_has_its_name() {
        let called = |tool: Plain| {
            let mut client = client();
            shaken(&mut client);
            let event = hear(&mut client, &result(1, json!({"tools": vec![tool]})));
            (client, event)
        };
        let (_, event) = called(json!({"name": "sub"}));
        assert_eq!(event, Ok(Event::Over(Answer::NoTool(vec!["sub".to_owned()]))));
        let (_, event) = called(json!({"name": "add", "inputSchema": {"required": ["b"]}}));
        assert!(matches!(event, Ok(Event::Over(Answer::InvalidInput(_)))), "{event:?}");
        let (_, event) = called(json!({"name": "add"}));
        assert_eq!(event, Err(Violation::Lacks("inputSchema")));
        let (mut client, _) = called(add());
        let failed = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
        assert_eq!(hear(&mut client, &result(2, failed)), Ok(Event::Over(Answer::Failed("no".to_owned()))));
        let (mut client, _) = called(add());
        let error = json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "bad"}});
        assert_eq!(hear(&mut client, &error), Ok(Event::Over(Answer::Failed("bad (-32602)".to_owned()))));
        let mut promising = add();
        promising["outputSchema"] = json!({"type": "object", "required": ["sum"]});
        for (given, is_right) in
            [(json!({"structuredContent": {"sum": 1}}), true), (json!({"content": []}), false)]
        {
            let (mut client, _) = called(promising.clone());
            let event = hear(&mut client, &result(2, given)).unwrap();
            assert_eq!(matches!(event, Event::Over(Answer::Output(_))), is_right, "{event:?}");
        }
    }

    #[test]
    fn what_is_no_message_ends_the_conversation() {
        for line in
            ["hello", "[]", "{}", r#"{"jsonrpc": "2.0"}"#, r#"{"jsonrpc": "2.0", "id": 0}"#, "{\"a\": NaN}"]
        {
            assert!(client().hear(line.as_bytes()).is_err(), "{line}");
        }
        assert_eq!(hear(&mut client(), &result(7, json!({}))), Err(Violation::Unasked));
        let strange = result(0, json!({"protocolVersion": "1999-01-01"}));
        assert_eq!(hear(&mut client(), &strange), Err(Violation::Revision("1999-01-01".to_owned())));
        let mut client = client();
        shaken(&mut client);
        let endless = |id: i64| result(id, json!({"tools": [], "nextCursor": "again"}));
        let refused = (1..).map(|id| hear(&mut client, &endless(id))).find(Result::is_err).unwrap();
        assert_eq!(refused, Err(Violation::Pages));
    }
}
