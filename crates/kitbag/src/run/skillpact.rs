//! Capabilities of SkillPact that are commands (§7, `entry.cli`): a program with arguments, started where its variables are
//! bound. What it says on standard output is what it gives.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use kitbag_core::formats::skillpact::Capability;
use kitbag_core::json::{self, print};
use kitbag_sandbox::{Ending, Limits, Plan, Process, WORK};

use super::call::{Begun, Call, Ear, Heard, Wire};
use super::input::Input;
use super::interpreter;
use super::starter::Starter;
use super::{Error, Fault, FaultKind, Prepared, Request, unsupported};

/// The variables of §6. Each is an environment variable of the command as well.
const VARIABLES: [&str; 6] = ["INPUT", "INPUT_DIR", "OUTPUT", "WORKDIR", "SKILL_DIR", "TMPDIR"];

/// The package, in the words of a contract.
const OF_PACKAGE: &str = "$SKILL_DIR/";

/// The most that a command says on a stream.
const STREAM_BYTES: usize = 8 << 20;

/// How long a command may take. A contract does not say.
const WALL: Duration = Duration::from_secs(600);

/// Finds what starts the command of `capability`.
pub(super) fn prepare(capability: &Capability, request: &Request) -> Result<Call, Error> {
    let Some(command) = &capability.cli else {
        return Err(unsupported(match &capability.mcp_tool {
            Some(tool) => {
                format!(
                    "the capability is the tool `{}` of an MCP server, and no command",
                    tool.escape_debug()
                )
            }
            None => "the capability is text for an agent, and no command".to_owned(),
        }));
    };
    let mut words = command.iter().map(|word| word.value.as_str());
    let program = words.next().ok_or_else(|| unsupported("the capability's command is empty"))?;
    let limits = Limits { wall: WALL, output: STREAM_BYTES, ..Limits::default() };
    let mut starter = match program.strip_prefix(OF_PACKAGE) {
        Some(entry) => Starter::of_package(entry, limits),
        None => Starter::of_host(interpreter::named(program, request)?, limits),
    };
    starter.arguments = words.map(OsString::from).collect();
    starter.folder = WORK;
    // The package is only read.
    starter.environment.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
    Ok(Call { starter, wire: Box::new(Command { gives_json: capability.outputs.is_some() }) })
}

/// The variables that the command of `capability` names, without which it makes no sense.
pub(super) fn named(capability: &Capability) -> Vec<&'static str> {
    let words = capability.cli.iter().flatten().skip(1);
    let all: Vec<&str> = words.flat_map(|word| pieces(&word.value)).filter_map(Piece::variable).collect();
    VARIABLES.into_iter().filter(|variable| all.contains(variable)).collect()
}

/// A command.
#[derive(Debug)]
struct Command {
    /// Whether what it says is JSON: a schema says what it looks like.
    gives_json: bool,
}

impl Wire for Command {
    fn begin(&self, _prepared: &Prepared, input: &Input) -> Result<Begun, Error> {
        let ear = Box::new(Said { bytes: Vec::new(), gives_json: self.gives_json });
        Ok(Begun { opening: input.standard_input.clone(), ear, items: Vec::new() })
    }

    fn converses(&self) -> bool {
        false
    }

    fn settle(&self, plan: &mut Plan) {
        let bound = |variable: &str| {
            plan.environment.iter().find(|(name, _)| name == variable).map(|(_, value)| value.as_os_str())
        };
        plan.arguments = plan.arguments.iter().map(|word| replaced(word, bound)).collect();
    }
}

/// A part of a word of a command.
enum Piece<'w> {
    Text(&'w str),
    Variable(&'static str),
}

impl Piece<'_> {
    fn variable(self) -> Option<&'static str> {
        match self {
            Self::Variable(name) => Some(name),
            Self::Text(_) => None,
        }
    }
}

/// The variables in `word`, and what is between them. A name ends where no name goes on, so `$SKILL_DIRX` is text.
fn pieces(word: &str) -> Vec<Piece<'_>> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut pieces = Vec::new();
    let (mut rest, mut from) = (word, 0);
    while let Some(at) = rest.get(from..).and_then(|behind| behind.find('$')).map(|at| from + at) {
        let name = rest.get(at + 1..).unwrap_or_default();
        let name = name.split(|letter: char| !is_of_name(letter)).next().unwrap_or_default();
        from = at + 1 + name.len();
        if let Some(variable) = VARIABLES.into_iter().find(|variable| *variable == name) {
            pieces.extend(rest.get(..at).filter(|text| !text.is_empty()).map(Piece::Text));
            pieces.push(Piece::Variable(variable));
            rest = rest.get(from..).unwrap_or_default();
            from = 0;
        }
    }
    pieces.extend(Some(rest).filter(|text| !text.is_empty()).map(Piece::Text));
    pieces
}

/// `word` with what is bound in the place of its variables; those that are not bound stay as they are written.
fn replaced<'e>(word: &OsStr, bound: impl Fn(&str) -> Option<&'e OsStr>) -> OsString {
    let Some(text) = word.to_str() else { return word.to_owned() };
    let mut whole = OsString::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => whole.push(text),
            Piece::Variable(name) => match bound(name) {
                Some(value) => whole.push(value),
                None => whole.push(format!("${name}")),
            },
        }
    }
    whole
}

/// What a command has said so far.
struct Said {
    bytes: Vec<u8>,
    gives_json: bool,
}

impl Ear for Said {
    fn hear(&mut self, line: &[u8], _process: &mut Process) -> Heard {
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        Heard::On
    }

    fn end(&mut self, rest: Option<&[u8]>, ending: Ending, _process: &mut Process) -> Heard {
        self.bytes.extend_from_slice(rest.unwrap_or_default());
        let answer = match ending {
            Ending::Exited(0) => self.answer(),
            ending => Err(Fault {
                kind: FaultKind::ToolError,
                message: format!("the command {ending}"),
                details: last_lines(&self.bytes),
            }),
        };
        Heard::Answer(answer)
    }
}

impl Said {
    fn answer(&self) -> Result<json::Json, Fault> {
        let wrong = |message: String| Fault::new(FaultKind::InvalidOutput, message);
        if self.gives_json {
            return json::read(&self.bytes).map_err(|error| wrong(format!("the output is no JSON: {error}")));
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(print::text(text)),
            Err(_) => Err(wrong("the output is no text; a command writes other bytes to $OUTPUT".to_owned())),
        }
    }
}

/// The most lines that are told of what a command said before it failed.
const LINES_AT_MOST: usize = 20;
/// The most characters that are told of such a line.
const CHARACTERS_AT_MOST: usize = 500;

fn last_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().skip(lines.len().saturating_sub(LINES_AT_MOST));
    last.map(|line| line.chars().take(CHARACTERS_AT_MOST).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_where_their_names_end() {
        let bound = |name: &str| match name {
            "INPUT" => Some(OsStr::new("/input/a b.csv")),
            "INPUT_DIR" => Some(OsStr::new("/input")),
            "SKILL_DIR" => Some(OsStr::new("/package")),
            _ => None,
        };
        for (word, becomes) in [
            ("$INPUT", "/input/a b.csv"),
            ("--from=$INPUT_DIR/x", "--from=/input/x"),
            ("$SKILL_DIRX", "$SKILL_DIRX"),
            ("$SKILL_DIR$SKILL_DIR", "/package/package"),
            ("$OUTPUT", "$OUTPUT"),
            ("$$INPUT and $", "$/input/a b.csv and $"),
            ("$HOME/é$INPUT_DIR", "$HOME/é/input"),
            ("", ""),
        ] {
            assert_eq!(replaced(OsStr::new(word), bound), OsStr::new(becomes), "{word}");
        }
    }
}
