//! [`Process`]: a program that is talked with while it runs.
//!
//! A thread of its own supervises it, because a sandbox dies with the thread that started it. What the program says comes
//! through channels; the plan's limits bound what can wait there.

use std::io::{self, PipeReader, PipeWriter, Read, Write as _};
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::plan::Plan;
use crate::run::{self, Error, Run};
use crate::settings::Settings;
use crate::step::Step;

/// A program that runs in a sandbox. When this is dropped, everything in the sandbox ends.
#[derive(Debug)]
pub struct Process {
    /// What it says on standard output.
    pub output: Lines,
    /// What it says on standard errors.
    pub errors: Lines,
    commands: Sender<Command>,
    bell: PipeWriter,
    /// `None` when it was waited for.
    supervisor: Option<JoinHandle<Result<Run, Error>>>,
}

/// What sends to a program's standard input from another thread than the one that hears it.
#[derive(Debug)]
pub struct Voice {
    commands: Sender<Command>,
    bell: PipeWriter,
}

/// What a program says on one stream, as it comes. The bytes can be read as well.
#[derive(Debug)]
pub struct Lines {
    chunks: Receiver<Vec<u8>>,
    /// What came, and was not taken from `begin` on.
    waiting: Vec<u8>,
    /// How much of it was taken: many short lines are not moved one by one.
    begin: usize,
    /// Up to where it is known to hold no end of a line.
    searched: usize,
}

/// What waiting for a line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// What came behind the last end of a line before the stream ended.
    Rest(Vec<u8>),
    /// The time passed first.
    Late,
    /// The stream has ended, and all of it was taken.
    End,
}

/// Starts `plan`. Its `input` is sent first, and more can be.
///
/// # Errors
/// [`Error`] when nothing was started. What goes wrong inside before the program begins, [`Process::wait`] tells.
pub fn spawn(plan: Plan) -> Result<Process, Error> {
    spawn_with(plan, Settings::default())
}

/// Starts `plan` as `settings` say; otherwise like [`spawn()`].
///
/// # Errors
/// [`Error`] when nothing was started. What goes wrong inside before the program begins, [`Process::wait`] tells.
pub fn spawn_with(plan: Plan, settings: Settings) -> Result<Process, Error> {
    plan.check()?;
    let prepare = |source| Error::Step { step: Step::Prepare, source };
    let (heard, bell) = io::pipe().map_err(prepare)?;
    let (commands, obeyed) = channel();
    let (begun, begin) = channel();
    let (said, output) = channel();
    let (complained, errors) = channel();
    let talk =
        Talk { begun, commands: obeyed, bell: heard, may_send: true, output: said, errors: complained };
    let supervisor = thread::Builder::new()
        .name("sandbox".to_owned())
        .spawn(move || run::start(&plan, &settings, Some(talk)))
        .map_err(prepare)?;
    if begin.recv().is_err() {
        // Nobody begins without saying so.
        return Err(joined(supervisor).err().unwrap_or(Error::Lost));
    }
    Ok(Process {
        output: Lines::new(output),
        errors: Lines::new(errors),
        commands,
        bell,
        supervisor: Some(supervisor),
    })
}

fn joined(supervisor: JoinHandle<Result<Run, Error>>) -> Result<Run, Error> {
    supervisor.join().unwrap_or(Err(Error::Lost))
}

impl Process {
    /// Sends `bytes` to standard input, without waiting until they are taken. A program that has stopped reading misses
    /// them.
    pub fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        self.command(Command::Send(bytes.into()));
    }

    /// Another way to send. It outlives the process, and is then heard by nobody.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn voice(&self) -> io::Result<Voice> {
        Ok(Voice { commands: self.commands.clone(), bell: self.bell.try_clone()? })
    }

    /// Ends standard input behind what was sent.
    pub fn end_input(&mut self) {
        self.command(Command::EndInput);
    }

    /// Ends the program and everything it started; [`Self::wait`] then tells [`Ending::Stopped`](crate::Ending::Stopped),
    /// unless it had ended before.
    pub fn stop(&mut self) {
        self.command(Command::Stop);
    }

    /// Waits until it has ended, and everything it started with it. What it said is taken through [`Self::output`] and
    /// [`Self::errors`]; the outcome's own are empty.
    ///
    /// # Errors
    /// [`Error`] when the program did not run, or was not followed to its end.
    pub fn wait(&mut self) -> Result<Run, Error> {
        match self.supervisor.take() {
            Some(supervisor) => joined(supervisor),
            None => Err(Error::Lost),
        }
    }

    fn command(&mut self, command: Command) {
        tell(&self.commands, &mut self.bell, command);
    }
}

fn tell(commands: &Sender<Command>, bell: &mut PipeWriter, command: Command) {
    // One that has ended needs no commands.
    if commands.send(command).is_ok() {
        let _rung = bell.write(&[0]);
    }
}

impl Voice {
    /// Sends `bytes` to standard input, like [`Process::send`].
    pub fn send(&mut self, bytes: impl Into<Vec<u8>>) {
        tell(&self.commands, &mut self.bell, Command::Send(bytes.into()));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.supervisor.is_some() {
            self.stop();
            let _ended = self.wait();
        }
    }
}

impl Lines {
    const fn new(chunks: Receiver<Vec<u8>>) -> Self {
        Self { chunks, waiting: Vec::new(), begin: 0, searched: 0 }
    }

    /// The next line; waits for its end no longer than `within`. What came meanwhile is not lost.
    pub fn line(&mut self, within: Duration) -> Line {
        let until = Instant::now().checked_add(within);
        loop {
            let new = self.waiting.get(self.searched..).unwrap_or_default();
            if let Some(end) = new.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + end;
                let line = self.waiting.get(self.begin..end).unwrap_or_default().to_vec();
                (self.begin, self.searched) = (end + 1, end + 1);
                return Line::Whole(line);
            }
            self.waiting.drain(..mem::take(&mut self.begin));
            self.searched = self.waiting.len();
            let next = match until {
                Some(until) => self.chunks.recv_timeout(until.saturating_duration_since(Instant::now())),
                None => self.chunks.recv().map_err(|_ended| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(chunk) => self.waiting.extend_from_slice(&chunk),
                Err(RecvTimeoutError::Timeout) => return Line::Late,
                Err(RecvTimeoutError::Disconnected) if self.waiting.is_empty() => return Line::End,
                Err(RecvTimeoutError::Disconnected) => {
                    self.searched = 0;
                    return Line::Rest(mem::take(&mut self.waiting));
                }
            }
        }
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.begin == self.waiting.len() {
            // Nothing more is the end.
            (self.waiting, self.begin) = (self.chunks.recv().unwrap_or_default(), 0);
        }
        let count = self.waiting.get(self.begin..).unwrap_or_default().read(into)?;
        self.begin += count;
        self.searched = self.begin;
        Ok(count)
    }
}

/// What whoever talks with a program wants.
#[derive(Debug)]
#[cfg_attr(not(sandbox), expect(dead_code, reason = "there is no supervisor"))]
pub(crate) enum Command {
    Send(Vec<u8>),
    EndInput,
    Stop,
}

/// The supervisor's side.
#[derive(Debug)]
#[cfg_attr(not(sandbox), expect(dead_code, reason = "there is no supervisor"))]
pub(crate) struct Talk {
    begun: Sender<()>,
    commands: Receiver<Command>,
    /// Gives a byte for each command.
    pub(crate) bell: PipeReader,
    /// Whether more can be sent to the program.
    pub(crate) may_send: bool,
    /// Where standard output goes.
    pub(crate) output: Sender<Vec<u8>>,
    /// Where standard errors go.
    pub(crate) errors: Sender<Vec<u8>>,
}

#[cfg(sandbox)]
impl Talk {
    /// Tells that the sandbox has been started.
    pub(crate) fn begin(&self) {
        // Who does not wait any more drops the process, and says so by a command.
        let _told = self.begun.send(());
    }

    /// What is wanted, when the bell has rung.
    pub(crate) fn commands(&mut self) -> io::Result<Vec<Command>> {
        let mut rings = [0; 64];
        if self.bell.read(&mut rings)? == 0 {
            // Whoever talked is gone.
            return Ok(vec![Command::Stop]);
        }
        Ok(self.commands.try_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::{Line, Lines};

    const NOW: Duration = Duration::ZERO;

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[test]
    fn lines_are_cut_wherever_the_chunks_are() {
        let (say, heard) = channel();
        let mut lines = Lines::new(heard);
        assert_eq!(lines.line(NOW), Line::Late);
        for chunk in ["on", "e\ntwo", "\n\nthr"] {
            say.send(chunk.into()).unwrap();
        }
        assert_eq!(lines.line(NOW), whole("one"));
        assert_eq!(lines.line(NOW), whole("two"));
        assert_eq!(lines.line(NOW), whole(""));
        assert_eq!(lines.line(NOW), Line::Late);
        say.send("ee\nrest".into()).unwrap();
        assert_eq!(lines.line(Duration::MAX), whole("three"));
        drop(say);
        assert_eq!(lines.line(Duration::MAX), Line::Rest("rest".into()));
        assert_eq!(lines.line(Duration::MAX), Line::End);
    }

    #[test]
    fn bytes_and_lines_can_be_taken_in_turns() {
        let (say, heard) = channel();
        let mut lines = Lines::new(heard);
        say.send("one\ntwo\nthree".into()).unwrap();
        drop(say);
        let mut byte = [0];
        lines.read_exact(&mut byte).unwrap();
        assert_eq!(lines.line(NOW), whole("ne"));
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "two\nthree");
        assert_eq!(lines.line(NOW), Line::End);
    }
}
