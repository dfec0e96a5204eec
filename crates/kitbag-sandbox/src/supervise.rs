//! The supervisor: starts what was prepared, feeds and reads it, keeps the time, and leaves nothing behind.
//!
//! What a program says is kept until it ends; when somebody talks with it meanwhile ([`Talk`]), it is passed on at once.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno as Refusal;
use rustix::pipe::PipeFlags;

use crate::audit::{self, Audit, Following};
use crate::backend::{Ends, Way};
use crate::counter::counter;
use crate::egress::{Egress, Outside, Relay};
use crate::folders::Folders;
use crate::groups::{Counted, Groups, Keeps};
use crate::inside::{Errno, Reach, WORD_LENGTH, Word};
use crate::kept::Kept;
use crate::leash::Leash;
use crate::outcome::{Breach, Ending, Outcome};
use crate::plan::{Limits, Plan};
use crate::process::{Command, Talk};
use crate::run::Error;
use crate::step::Step;
use crate::stream::Stream;
use crate::usage::{self, Disk, Used};

/// How often the supervisor looks at what all processes use.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A run that was followed to its end.
pub(crate) struct Followed {
    pub(crate) outcome: Outcome,
    pub(crate) kept: Vec<Kept>,
    pub(crate) audit: Option<Audit>,
    /// Where the network led, if there was one.
    pub(crate) reach: Option<Reach>,
}

/// Starts what was prepared and follows it to its end, while `talk` goes on.
pub(crate) fn supervise(
    way: Way,
    plan: &Plan,
    talk: Option<Talk>,
    outside: Arc<dyn Outside>,
    groups: Groups,
) -> Result<Followed, Error> {
    let prepare = |source: Refusal| Error::Step { step: Step::Prepare, source: source.into() };
    let ready = Pipe::new().map_err(prepare)?;
    let words = Pipe::new().map_err(prepare)?;
    let output = Pipe::new().map_err(prepare)?;
    let errors = Pipe::new().map_err(prepare)?;
    let input = if plan.input.is_empty() && talk.is_none() { Input::none() } else { Input::open() };
    let input = input.map_err(prepare)?;
    let (keeper, giver) = counter().map_err(prepare)?;
    let (gate, way_out) = counter().map_err(prepare)?;

    let mut ends = Ends {
        ready: ready.read.as_fd(),
        words: words.write.as_fd(),
        kept: giver.as_fd(),
        way_out: way_out.as_fd(),
        streams: [&input.program, &output.write, &errors.write].map(OwnedFd::as_fd),
        entry: groups.entry(),
        foreign: [&ready.write, &words.read, &output.read, &errors.read, &keeper, &gate]
            .map(OwnedFd::as_fd)
            .to_vec(),
    };
    ends.foreign.extend(input.supervisor.iter().map(OwnedFd::as_fd));

    let disk = Disk::of(plan).map_err(|error| Error::Unavailable {
        property: "a limit of disk in all",
        because: error.to_string(),
    })?;
    let mut disks: Vec<Disk> = disk.into_iter().collect();
    let admitted = plan.limits.processes.map(|count| count.saturating_add(way.others()));
    groups.admit(admitted).map_err(|source| Error::Step { step: Step::Group, source })?;
    let begun = Instant::now();
    let handed = way.handed(plan);
    let hosts = way.reached(plan).cloned();
    let started = way.start(&ends)?;
    disks.extend(started.made.iter().map(Disk::of_made));
    // The child has its own ends; while ours are open, the pipes never end.
    drop((ready.read, words.write, output.write, errors.write, input.program, giver, way_out));
    rustix::io::write(&ready.write, b"!").map_err(prepare)?;
    if let Some(talk) = &talk {
        talk.begin();
    }
    let limits = &plan.limits;
    // Begun after the child, so that it is a copy of a process with fewer threads.
    let relay = hosts.map(|hosts| Relay::start(gate, hosts, limits.traffic, outside));
    let relay = relay.transpose().map_err(|source| Error::Step { step: Step::Prepare, source })?;
    let mut output = Stream::new(output.read, limits.output, Breach::Output);
    output.line_at_most = limits.line;

    let mut session = Session {
        plan,
        ready: ready.write,
        audit: None,
        fault: None,
        first: started.first,
        keeps: groups.keeps(),
        groups,
        disks,
        folders: Folders::new(keeper, handed, started.made),
        looked: begun,
        leash: started.leash,
        words: Some(words.read),
        said: Vec::new(),
        output,
        errors: Stream::new(errors.read, limits.output, Breach::Errors),
        input: input.supervisor,
        unsent: plan.input.iter().copied().collect(),
        talk,
        relay,
        deadline: begun.checked_add(plan.limits.wall),
        over: None,
    };
    session.follow().map_err(|source| Error::Supervise(source.into()))?;
    if let Some(fault) = session.fault.take() {
        return Err(fault);
    }
    let audit = session.audit.take().map(Following::finish).transpose()?;
    let (egress, reach) = session.relay.take().map(Relay::finish).unwrap_or_default();
    let (outcome, folders) = match session.outcome(&plan.limits, begun.elapsed()) {
        // Nobody inside has said anything; whoever was to make the sandbox may have.
        Err(Error::Lost) => return Err(started.complaints.map_or(Error::Lost, |pipe| complaint(&pipe))),
        outcome => outcome?,
    };
    let kept = folders.kept().map_err(|source| Error::Supervise(source.into()))?;
    Ok(Followed { outcome: Outcome { egress, ..outcome }, kept, audit, reach })
}

/// What whoever was to make the sandbox has said, as the reason why there was none.
fn complaint(pipe: &OwnedFd) -> Error {
    let said = crate::backend::bwrap::said(pipe);
    if said.is_empty() {
        Error::Lost
    } else {
        Error::Step { step: Step::Launch, source: io::Error::other(said) }
    }
}

pub(crate) fn step(step: Step, errno: Errno) -> Error {
    Error::Step { step, source: io::Error::from_raw_os_error(errno.0) }
}

/// A pipe that no other program inherits.
pub(crate) struct Pipe {
    pub(crate) read: OwnedFd,
    pub(crate) write: OwnedFd,
}

impl Pipe {
    pub(crate) fn new() -> Result<Self, Refusal> {
        let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Self { read, write })
    }
}

/// The two ends of standard input; ours is missing when there is nothing to send.
struct Input {
    program: OwnedFd,
    supervisor: Option<OwnedFd>,
}

impl Input {
    fn none() -> Result<Self, Refusal> {
        let program = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { program, supervisor: None })
    }

    fn open() -> Result<Self, Refusal> {
        let pipe = Pipe::new()?;
        rustix::io::ioctl_fionbio(&pipe.write, true)?;
        Ok(Self { program: pipe.read, supervisor: Some(pipe.write) })
    }
}

/// A run that is going on.
struct Session<'p> {
    plan: &'p Plan,
    /// Held open to the end: the child takes the end of this for ours.
    ready: OwnedFd,
    /// Who follows its programs, when somebody does.
    audit: Option<Following>,
    /// Why the program was not let begin.
    fault: Option<Error>,
    /// The number of the first process.
    first: i32,
    /// What its control groups keep.
    keeps: Keeps,
    /// What may be written, where the supervisor keeps that limit.
    disks: Vec<Disk>,
    /// The folders in memory that were handed out.
    folders: Folders,
    /// When these were last looked at.
    looked: Instant,
    leash: Leash,
    /// Its control groups, which are empty when nothing is on the leash any more.
    groups: Groups,
    words: Option<OwnedFd>,
    said: Vec<Word>,
    output: Stream,
    errors: Stream,
    input: Option<OwnedFd>,
    unsent: VecDeque<u8>,
    talk: Option<Talk>,
    /// What goes on at its doors, if it has any.
    relay: Option<Relay>,
    /// `None` when it lies beyond what a clock counts.
    deadline: Option<Instant>,
    /// Why it was ended, when it did not end by itself.
    over: Option<Over>,
}

/// Why a run was ended.
#[derive(Clone, Copy)]
enum Over {
    /// It went over a limit.
    Breach(Breach),
    /// Whoever started it wanted so.
    Wanted,
}

/// Whose turn it is.
#[derive(Clone, Copy)]
enum Source {
    End,
    Words,
    Output,
    Errors,
    Input,
    Talk,
    Relay,
}

/// How many sources there are.
const SOURCES: usize = 7;

impl Session<'_> {
    /// Reads and writes until everything inside is gone, then reads what is left.
    ///
    /// The end is that of the first process, not that of the pipes: another thread of the caller may have started a process
    /// meanwhile that holds our ends open until it becomes a program.
    fn follow(&mut self) -> Result<(), Refusal> {
        while !self.leash.is_reaped() {
            let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                self.stop(Over::Breach(Breach::Wall));
            }
            if self.over.is_some() && self.leash.patience().is_some() {
                self.leash.kill();
            }
            let sources = self.wait(self.patience(left))?;
            self.look()?;
            self.look_at_disk();
            for source in sources.into_iter().flatten() {
                self.serve(source)?;
            }
        }
        self.look_at_disk();
        if self.over.is_none() {
            self.look_at_folders()?;
        }
        loop {
            let left = self.wait(Some(Duration::ZERO))?;
            if left.iter().all(Option::is_none) {
                return Ok(());
            }
            for source in left.into_iter().flatten() {
                self.serve(source)?;
            }
        }
    }

    /// How long nothing need be done, when the run has `left` to go. One that is over only has to end.
    fn patience(&self, left: Option<Duration>) -> Option<Duration> {
        if self.over.is_some() {
            return self.leash.patience();
        }
        let look = self.is_looked_at().then_some(LOOK_EVERY);
        let disk = self.disks.iter().map(|disk| disk.next().saturating_duration_since(Instant::now()));
        left.into_iter().chain(look).chain(disk).min()
    }

    /// Looks at what all processes use together, when it is time to.
    fn look(&mut self) -> Result<(), Refusal> {
        if self.over.is_some() || !self.is_looked_at() || self.looked.elapsed() < LOOK_EVERY {
            return Ok(());
        }
        let breach = self.groups.breach().or_else(|| self.used_up());
        breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
        self.look_at_folders()?;
        self.looked = Instant::now();
        Ok(())
    }

    /// Looks at what is in folders in memory, where nobody else counts that.
    fn look_at_folders(&mut self) -> Result<(), Refusal> {
        let breach = if self.folders.are_counted() { self.folders.breach()? } else { None };
        breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
        Ok(())
    }

    /// The limit of what all processes use together that is gone over, as far as somebody has to look.
    fn used_up(&self) -> Option<Breach> {
        let Limits { memory_in_all, cpu_in_all, .. } = self.plan.limits;
        let memory = memory_in_all.filter(|_| !self.keeps.has(Counted::Memory));
        let counted = self.groups.cpu();
        let cpu = cpu_in_all.filter(|_| counted.is_none());
        let used = match (memory, cpu) {
            (None, None) => Used::default(),
            _ => usage::below(self.first),
        };
        let time = counted.unwrap_or(used.cpu);
        if memory.is_some_and(|limit| used.memory > limit) {
            return Some(Breach::Memory);
        }
        cpu_in_all.is_some_and(|limit| time > Duration::from_secs(limit)).then_some(Breach::CpuInAll)
    }

    /// Whether something must be looked at while the program runs.
    fn is_looked_at(&self) -> bool {
        let Limits { memory_in_all, cpu_in_all, .. } = self.plan.limits;
        memory_in_all.is_some()
            || cpu_in_all.is_some()
            || self.keeps.has(Counted::Processes)
            || self.folders.are_counted()
    }

    /// Looks at what has been written, when it is time to, and once more at the end.
    fn look_at_disk(&mut self) {
        if self.over.is_some() {
            return;
        }
        let (now, ended) = (Instant::now(), self.leash.is_reaped());
        let due = self.disks.iter_mut().filter(|disk| ended || disk.next() <= now);
        let breach = due.filter_map(Disk::breach).next();
        breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
    }

    /// Ends the run.
    fn stop(&mut self, over: Over) {
        if self.over.is_none() {
            self.over = Some(over);
            self.deadline = None;
            self.leash.kill();
            self.groups.kill();
        }
    }

    /// Waits for something to do, or for `left` to pass.
    fn wait(&self, left: Option<Duration>) -> Result<[Option<Source>; SOURCES], Refusal> {
        let input = self.input.as_ref().filter(|_| self.has_to_send());
        let bell = self.talk.as_ref().filter(|_| self.over.is_none()).map(|talk| talk.bell.as_fd());
        let alarm = self.relay.as_ref().filter(|_| self.over.is_none()).map(|relay| relay.alarm.as_fd());
        let readers = [
            (Source::Words, self.words.as_ref().map(OwnedFd::as_fd), PollFlags::IN),
            (Source::Output, self.output.from.as_ref().map(OwnedFd::as_fd), PollFlags::IN),
            (Source::Errors, self.errors.from.as_ref().map(OwnedFd::as_fd), PollFlags::IN),
            (Source::Input, input.map(OwnedFd::as_fd), PollFlags::OUT),
            (Source::Talk, bell, PollFlags::IN),
            (Source::Relay, alarm, PollFlags::IN),
            (Source::End, (!self.leash.is_reaped()).then(|| self.leash.end()), PollFlags::IN),
        ];
        let open: Vec<(Source, BorrowedFd<'_>, PollFlags)> =
            readers.iter().filter_map(|(source, fd, flags)| Some((*source, (*fd)?, *flags))).collect();
        let mut asked: Vec<PollFd<'_>> =
            open.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut asked, timeout.as_ref()) {
            Ok(_) | Err(Refusal::INTR) => {}
            Err(refusal) => return Err(refusal),
        }
        let mut turns = [None; SOURCES];
        let answered = open.iter().zip(&asked).filter(|(_, asked)| !asked.revents().is_empty());
        for (turn, ((source, ..), _)) in turns.iter_mut().zip(answered) {
            *turn = Some(*source);
        }
        Ok(turns)
    }

    fn serve(&mut self, source: Source) -> Result<(), Refusal> {
        match source {
            Source::End => {
                // Nobody is left to read.
                self.input = None;
                self.leash.reap()
            }
            Source::Words => self.hear(),
            Source::Input => {
                self.send();
                Ok(())
            }
            Source::Output => {
                let breach = self.output.read(self.talk.as_ref().map(|talk| &talk.output))?;
                breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
                Ok(())
            }
            Source::Errors => {
                let breach = self.errors.read(self.talk.as_ref().map(|talk| &talk.errors))?;
                breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
                Ok(())
            }
            Source::Talk => self.obey(),
            Source::Relay => {
                let breach = self.relay.as_ref().and_then(Relay::breach);
                breach.into_iter().for_each(|breach| self.stop(Over::Breach(breach)));
                Ok(())
            }
        }
    }

    /// Does what whoever talks with the program wants.
    fn obey(&mut self) -> Result<(), Refusal> {
        let Some(talk) = &mut self.talk else { return Ok(()) };
        let commands =
            talk.commands().map_err(|error| Refusal::from_io_error(&error).unwrap_or(Refusal::IO))?;
        for command in commands {
            match command {
                Command::Send(bytes) => self.unsent.extend(bytes),
                Command::EndInput => {
                    if let Some(talk) = &mut self.talk {
                        talk.may_send = false;
                    }
                }
                Command::Stop => self.stop(Over::Wanted),
            }
        }
        Ok(())
    }

    /// Whether there is something to send, or the end of it to be told.
    fn has_to_send(&self) -> bool {
        !self.unsent.is_empty() || !self.may_send_more()
    }

    fn hear(&mut self) -> Result<(), Refusal> {
        let Some(words) = &self.words else { return Ok(()) };
        let mut bytes = [0; WORD_LENGTH];
        match rustix::io::read(words, &mut bytes) {
            Err(Refusal::INTR) => {}
            Ok(WORD_LENGTH) => match Word::read(&bytes) {
                Some(Word::Waiting) => self.begin_audit()?,
                word => self.said.extend(word),
            },
            // A word is written at once or not at all; anything shorter is the end.
            Ok(_) => self.words = None,
            Err(refusal) => return Err(refusal),
        }
        Ok(())
    }

    /// Has the program followed that waits for it, and lets it begin.
    fn begin_audit(&mut self) -> Result<(), Refusal> {
        let program = usage::children(self.first).first().copied();
        match program.ok_or(Error::Lost).and_then(|program| audit::follow(program, self.plan)) {
            Ok(following) => {
                self.audit = Some(following);
                // One that has been killed meanwhile does not read.
                match rustix::io::write(&self.ready, b"!") {
                    Ok(_) | Err(Refusal::PIPE) => {}
                    Err(refusal) => return Err(refusal),
                }
            }
            Err(fault) => {
                self.fault = Some(fault);
                self.stop(Over::Wanted);
            }
        }
        Ok(())
    }

    fn may_send_more(&self) -> bool {
        self.talk.as_ref().is_some_and(|talk| talk.may_send)
    }

    /// Sends what the program takes. One that reads no further has its reasons: what is left is dropped.
    fn send(&mut self) {
        let Some(input) = &self.input else { return };
        match rustix::io::write(input, self.unsent.as_slices().0) {
            Err(Refusal::INTR | Refusal::AGAIN) => {}
            Err(_closed) => self.input = None,
            Ok(count) => drop(self.unsent.drain(..count)),
        }
        if self.unsent.is_empty() && !self.may_send_more() {
            self.input = None;
        }
    }

    /// What the run came to.
    fn outcome(mut self, limits: &Limits, wall: Duration) -> Result<(Outcome, Folders), Error> {
        let mut ended = None;
        for word in self.said {
            match word {
                Word::Fault(at, errno) => return Err(step(at, errno)),
                Word::Waiting => {}
                Word::Ended { status, cpu, memory } => ended = Some((status, cpu, memory)),
            }
        }
        if self.over.is_none() {
            // Whoever was ended by the kernel for it may have been all there was.
            self.over = self.groups.breach().map(Over::Breach);
        }
        let ending = match (self.over, ended) {
            (Some(Over::Breach(breach)), _) => Ending::Breached(breach),
            (Some(Over::Wanted), _) => Ending::Stopped,
            (None, Some((status, cpu, _))) => ending(status, cpu, limits),
            (None, None) => return Err(Error::Lost),
        };
        let outcome = Outcome {
            ending,
            output: self.output.kept,
            errors: self.errors.kept,
            wall,
            cpu: ended.map(|(_, cpu, _)| Duration::from_micros(cpu)),
            memory: ended.map(|(.., memory)| memory.saturating_mul(1024)),
            egress: Egress::default(),
        };
        Ok((outcome, self.folders))
    }
}

/// What a wait status says. The kernel tells a limit by a signal of its own; a program that lived on after the one for
/// processor time was ended a second later, which the time it used gives away.
fn ending(status: i32, cpu: u64, limits: &Limits) -> Ending {
    if libc::WIFEXITED(status) {
        return Ending::Exited(libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGXCPU => Ending::Breached(Breach::Cpu),
        libc::SIGXFSZ => Ending::Breached(Breach::FileSize),
        libc::SIGKILL if limits.cpu.is_some_and(|seconds| cpu >= seconds.saturating_mul(1_000_000)) => {
            Ending::Breached(Breach::Cpu)
        }
        signal => Ending::Signalled(signal),
    }
}
