//! One call of a tool, whatever its format: it is started, heard line by line, ended, and what came of it is told. What the
//! lines mean is the format's [`Wire`].

use std::fmt;
use std::io::Read as _;
use std::time::{Duration, Instant};

use kitbag_core::json::Json;
use kitbag_sandbox::{Breach, Ending, Item, Line, Plan, Process, spawn_with};

use super::input::Input;
use super::starter::Starter;
use super::{Error, Fault, FaultKind, Prepared, Ran, output};

/// What is kept of a tool's logs, in bytes.
const LOG_BYTES: usize = 64 << 10;
/// How much more of them is looked at.
const BEHIND_LOGS: usize = 16 << 10;
/// How long a tool that has answered may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// How one tool is called.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) starter: Starter,
    pub(super) wire: Box<dyn Wire>,
}

/// How a format speaks with its tools. One that was started is told what to do; what it says on standard output is heard
/// line by line. All of that is hostile.
pub(super) trait Wire: fmt::Debug + Send + Sync {
    /// Begins a call with `input`. Whatever the tool needs and is not here yet is fetched now, before its time begins.
    ///
    /// # Errors
    /// [`Error`], when it cannot be had; nothing is started then.
    fn begin(&self, prepared: &Prepared, input: &Input) -> Result<Begun, Error>;

    /// Whether it says something to a tool after the beginning.
    fn converses(&self) -> bool {
        true
    }

    /// What the format still has to say about a plan, once every place in it is known.
    fn settle(&self, _plan: &mut Plan) {}
}

/// The beginning of one call.
pub(super) struct Begun {
    /// What the tool reads first.
    pub(super) opening: Vec<u8>,
    /// Who hears it.
    pub(super) ear: Box<dyn Ear>,
    /// What exists inside for this call alone.
    pub(super) items: Vec<Item>,
}

/// One conversation with a tool.
pub(super) trait Ear {
    /// Hears a line, without its end. What the tool asks for is answered by [`Process::send`].
    fn hear(&mut self, line: &[u8], process: &mut Process) -> Heard;

    /// Hears what came behind the last end of a line, when the tool has ended so and nothing was cut.
    fn end(&mut self, rest: Option<&[u8]>, _ending: Ending, process: &mut Process) -> Heard {
        rest.map_or(Heard::On, |rest| self.hear(rest, process))
    }

    /// Changes what is told of the call as the format wants it told.
    fn tell(&mut self, _ran: &mut Ran) {}
}

/// What a line came to.
#[derive(Debug)]
pub(super) enum Heard {
    /// Nothing that ends the call.
    On,
    /// The tool has answered. It may end by itself for a moment, and must say nothing more.
    Answer(Result<Json, Fault>),
    /// The tool has answered, and is ended with that.
    Last(Result<Json, Fault>),
    /// It has broken the protocol, and is heard no further. An answer that it gave before does not count.
    Broken(String),
}

impl Call {
    /// Calls the tool.
    pub(super) fn run(&self, prepared: &Prepared, input: &Input) -> Result<Ran, Error> {
        let Begun { opening, ear, items } = self.wire.begin(prepared, input)?;
        let mut lowered = self.starter.plan(prepared, input, opening, items)?;
        self.wire.settle(&mut lowered.value);
        let begun = Instant::now();
        let mut process = spawn_with(lowered.value, prepared.settings()).map_err(Error::Sandbox)?;
        if !self.wire.converses() {
            process.end_input();
        }
        let mut talk = Talk { ear, answer: None, rest: None };
        talk.listen(&mut process);
        let mut run = process.wait().map_err(Error::Sandbox)?;
        // A line that was cut by a limit is not held against the tool; the limit is.
        if let ending @ (Ending::Exited(_) | Ending::Signalled(_)) = run.outcome.ending {
            talk.end(ending, &mut process);
        }
        let answer = talk.answer.unwrap_or_else(|| Err(self.without_answer(run.outcome.ending)));
        let mut ran = Ran {
            answer: answer.and_then(|output| prepared.checked(output)),
            written: None,
            made: output::Made::of(&mut run),
            logs: logs(&mut process),
            duration: begun.elapsed(),
            hosts: run.outcome.egress.asked,
            report: run.report,
            losses: lowered.losses,
        };
        talk.ear.tell(&mut ran);
        ran.logs = kept(&ran.logs);
        Ok(ran)
    }

    fn without_answer(&self, ending: Ending) -> Fault {
        match ending {
            Ending::Breached(Breach::Wall) => {
                let within = self.starter.limits.wall.as_millis();
                Fault::new(FaultKind::Timeout, format!("the tool gave no answer within {within} ms"))
            }
            Ending::Breached(breach @ (Breach::Output | Breach::Line)) => {
                Fault::new(FaultKind::OutputTooLarge, format!("the tool went over {breach}"))
            }
            ending => Fault::new(FaultKind::ToolCrashed, format!("the tool {ending} and gave no answer")),
        }
    }
}

/// A conversation, and what came of it.
struct Talk {
    ear: Box<dyn Ear>,
    answer: Option<Result<Json, Fault>>,
    /// What came without the end of a line, at the end.
    rest: Option<Vec<u8>>,
}

/// Whether a tool is to be heard further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Further {
    On,
    Enough,
}

impl Talk {
    /// Hears the tool until it ends, which it may do by itself for a moment after its answer.
    fn listen(&mut self, process: &mut Process) {
        // The sandbox ends a run whose time is over, and with it its output.
        let mut patience = Duration::MAX;
        loop {
            match process.output.line(patience) {
                Line::Whole(line) => {
                    if self.hear(&line, process) == Further::Enough {
                        return process.stop();
                    }
                }
                Line::Rest(rest) => self.rest = Some(rest),
                Line::End => return,
                Line::Late => return process.stop(),
            }
            if self.answer.is_some() && patience != GRACE {
                process.end_input();
                patience = GRACE;
            }
        }
    }

    fn hear(&mut self, line: &[u8], process: &mut Process) -> Further {
        let heard = self.ear.hear(line, process);
        self.take(heard)
    }

    fn end(&mut self, ending: Ending, process: &mut Process) {
        let rest = self.rest.take();
        let heard = self.ear.end(rest.as_deref(), ending, process);
        self.take(heard);
    }

    fn take(&mut self, heard: Heard) -> Further {
        match heard {
            Heard::On => Further::On,
            Heard::Answer(answer) => {
                self.answer = Some(answer);
                Further::On
            }
            Heard::Last(answer) => {
                self.answer = Some(answer);
                Further::Enough
            }
            Heard::Broken(message) => {
                self.answer = Some(Err(Fault::new(FaultKind::Protocol, message)));
                Further::Enough
            }
        }
    }
}

/// What the tool said on standard errors: text, and little more of it than is kept, so that a secret at the end of that is
/// seen as a whole.
fn logs(process: &mut Process) -> String {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    while bytes.len() <= LOG_BYTES + BEHIND_LOGS {
        match process.errors.read(&mut chunk) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&chunk[..count]),
            // What a channel gives cannot fail.
            _ => break,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What is kept of `logs`.
fn kept(logs: &str) -> String {
    let end = logs.floor_char_boundary(LOG_BYTES);
    let mut text = logs[..end].trim().to_owned();
    if end < logs.len() {
        text.push_str("\n[logs truncated]");
    }
    text
}
