//! Tools of Open-Science Connectors that are programs (`stdio`): a server of the Model Context Protocol, started for one call.

use std::ffi::OsString;
use std::time::Duration;

use kitbag_core::formats::openscience::Connector;
use kitbag_core::formats::openscience::connector::{Template, Transport};
use kitbag_core::mcp::{Answer, Client, Event};
use kitbag_sandbox::{Limits, Process};

use super::call::{Begun, Call, Ear, Heard, Wire};
use super::input::Input;
use super::interpreter;
use super::starter::Starter;
use super::{Error, Fault, FaultKind, Prepared, Request, unsupported};

/// The longest message of a server.
const LINE_BYTES: usize = 4 << 20;
/// The most that a server says on a stream in all.
const STREAM_BYTES: usize = 16 << 20;
/// How long a call may take, the server's start included. A template does not say.
const WALL: Duration = Duration::from_secs(120);

/// Programs that fetch what they start: nothing in a template says what that is, and it would be another thing each time.
const FETCHERS: [&str; 8] = ["npx", "bunx", "pnpx", "uvx", "pipx", "docker", "podman", "deno"];

/// Finds what starts the server of `connector`, which may have the tool that was asked for.
pub(super) fn prepare(connector: &Connector, request: &Request) -> Result<Call, Error> {
    let template = connector.template().ok_or_else(|| unsupported("the template cannot be read"))?;
    if template.transport != Transport::Stdio {
        let word = template.transport;
        return Err(Error::Unsupported {
            because: format!("the connector is a server elsewhere ({word}), so nothing of it runs here"),
            help: Some("`kitbag connector export` writes what a client needs to reach it".to_owned()),
        });
    }
    let command = template.command.as_deref().ok_or_else(|| unsupported("the connector has no command"))?;
    let name = command.rsplit('/').next().unwrap_or(command);
    if FETCHERS.contains(&name) {
        return Err(Error::Unsupported {
            because: format!(
                "`{name}` fetches a program when it starts, and the template does not say which bytes"
            ),
            help: Some("install the server, and name its own program as `command`".to_owned()),
        });
    }
    secrets(template, request)?;
    let limits = Limits { wall: WALL, output: STREAM_BYTES, line: Some(LINE_BYTES), ..Limits::default() };
    let mut starter = Starter::of_host(interpreter::named(command, request)?, limits);
    starter.arguments = template.args.iter().flatten().map(OsString::from).collect();
    Ok(Call { starter, wire: Box::new(Server { tool: request.tool.clone() }) })
}

/// Every secret that the template asks for has to be there: a server without one would only say something unclear.
fn secrets(template: &Template, request: &Request) -> Result<(), Error> {
    let is_there = |name: &&String| request.environment.iter().any(|(known, _)| known == name.as_str());
    let missing: Vec<&str> =
        template.secrets.environment.iter().filter(|name| !is_there(name)).map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Unsupported {
        because: format!("the connector needs {}, which nobody gave", missing.join(", ")),
        help: Some("set it in the environment, or write NAME=VALUE into a file for `--secrets`".to_owned()),
    })
}

/// A server, for the call of one tool.
#[derive(Debug)]
struct Server {
    tool: String,
}

impl Wire for Server {
    fn begin(&self, _prepared: &Prepared, input: &Input) -> Result<Begun, Error> {
        let client = Client::new(&self.tool, input.json().clone());
        let opening = client.opening();
        let ear = Box::new(Session { tool: self.tool.clone(), client });
        Ok(Begun { opening, ear, items: Vec::new() })
    }
}

struct Session {
    tool: String,
    client: Client,
}

impl Ear for Session {
    fn hear(&mut self, line: &[u8], process: &mut Process) -> Heard {
        match self.client.hear(line) {
            Ok(Event::Nothing) => Heard::On,
            Ok(Event::Send(lines)) => {
                process.send(lines);
                Heard::On
            }
            Ok(Event::Over(answer)) => Heard::Answer(self.told(answer)),
            Err(violation) => Heard::Broken(violation.to_string()),
        }
    }
}

impl Session {
    fn told(&self, answer: Answer) -> Result<kitbag_core::json::Json, Fault> {
        let tool = self.tool.escape_debug();
        Err(match answer {
            Answer::Output(output) => return Ok(output),
            Answer::Failed(message) => Fault::new(FaultKind::ToolError, message),
            Answer::NoTool(known) => Fault {
                kind: FaultKind::InvalidInput,
                message: format!("the server has no tool `{tool}`; it has {}", known.join(", ")),
                details: Vec::new(),
            },
            Answer::InvalidInput(details) => {
                let message = "the input is not what the tool takes".to_owned();
                Fault { kind: FaultKind::InvalidInput, message, details }
            }
            Answer::InvalidOutput(details) => {
                let message = "the output is not what the tool says that it gives".to_owned();
                Fault { kind: FaultKind::InvalidOutput, message, details }
            }
        })
    }
}
