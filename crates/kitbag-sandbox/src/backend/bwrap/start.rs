//! Starting bubblewrap, and taking hold of the stage inside before it goes on.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, Mode, OFlags, SeekFrom};
use rustix::io::Errno as Refusal;
use rustix::process::{Pid, PidfdFlags};

use super::{Argument, Errand};
use crate::backend::{Begun, Ends, nobody_for_root};
use crate::inside::{self, Descriptors, Fd, Launch, Letter, Streams, Words};
use crate::leash::Leash;
use crate::plan::text;
use crate::run::Error;
use crate::step::Step;
use crate::supervise::{Pipe, step};

/// How long bubblewrap may take to say that it has begun.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most of what it says that is read.
const SAID_AT_MOST: usize = 4096;

/// Descriptors that are passed on, numbered so that none is one of the streams.
#[derive(Default)]
struct Passed(Vec<OwnedFd>);

impl Passed {
    fn number(&mut self, fd: BorrowedFd<'_>) -> Result<Fd, Error> {
        let fd = rustix::io::fcntl_dupfd_cloexec(fd, 3).map_err(prepare)?;
        let number = Fd(fd.as_raw_fd());
        self.0.push(fd);
        Ok(number)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<Fd, Error> {
        self.number(in_memory(bytes).map_err(prepare)?.as_fd())
    }
}

fn prepare(source: Refusal) -> Error {
    Error::Step { step: Step::Prepare, source: source.into() }
}

/// Starts bubblewrap, and takes hold of the stage inside.
pub(crate) fn start(errand: Errand, ends: &Ends<'_>) -> Result<Begun, Error> {
    let Errand { program, arguments, mut within, folders, installed: _ } = errand;
    let info = Pipe::new().map_err(prepare)?;
    let complaints = Pipe::new().map_err(prepare)?;
    rustix::io::ioctl_fionbio(&complaints.read, true).map_err(prepare)?;
    let nothing =
        rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).map_err(prepare)?;

    let mut passed = Passed::default();
    let streams = Streams {
        input: passed.number(ends.streams[0])?,
        output: passed.number(ends.streams[1])?,
        errors: passed.number(ends.streams[2])?,
    };
    let ready = passed.number(ends.ready)?;
    let words = passed.number(ends.words)?;
    let (kept, way_out) = (passed.number(ends.kept)?, passed.number(ends.way_out)?);
    within.connect(Descriptors { ready, words, kept, way_out, streams });
    let letter = passed.content(&Letter { handed: folders, within }.bytes())?;
    let info_number = passed.number(info.write.as_fd())?;

    let number = |Fd(number): Fd| text(number.to_string().as_ref());
    let mut command = Vec::new();
    for argument in arguments {
        command.push(match argument {
            Argument::Text(text) => text,
            Argument::Content(content) => number(passed.content(&content)?)?,
            Argument::Info => number(info_number)?,
            Argument::Letter => number(letter)?,
        });
    }
    let of = |fd: &OwnedFd| Fd(fd.as_raw_fd());
    let launch = Launch {
        program: text(program.as_os_str())?,
        arguments: Words::new(command),
        environment: Words::new(Vec::<CString>::new()),
        identity: nobody_for_root(),
        entry: ends.entry.clone(),
        streams: Streams { input: of(&nothing), output: of(&nothing), errors: of(&complaints.write) },
        given: passed.0.iter().map(of).collect(),
        foreign: ends.foreign.iter().map(|fd| Fd(fd.as_raw_fd())).collect(),
        ready,
        words,
    };
    let started = inside::launch(&launch).map_err(|errno| step(Step::Launch, errno))?;
    let mut leash = Leash::of_maker(started.pidfd);
    drop((passed, info.write, complaints.write));

    let failed = |source: io::Error| {
        let said = said(&complaints.read);
        let source = if said.is_empty() { source } else { io::Error::other(said) };
        Error::Step { step: Step::Launch, source }
    };
    let told = hear(&info.read).map_err(failed)?;
    let first = first_process(&told)
        .ok_or_else(|| failed(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended at once")))?;
    leash.hold_first(hold(first, started.process).map_err(failed)?);
    Ok(Begun { first, leash, complaints: Some(complaints.read), made: Vec::new() })
}

/// A file in memory that holds `bytes`, to be read from its beginning.
fn in_memory(bytes: &[u8]) -> Result<OwnedFd, Refusal> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::NOEXEC_SEAL;
    let file = match rustix::fs::memfd_create("kitbag", flags) {
        // Older kernels do not know that it holds no program.
        Err(Refusal::INVAL) => rustix::fs::memfd_create("kitbag", MemfdFlags::CLOEXEC)?,
        file => file?,
    };
    let mut left = bytes;
    while !left.is_empty() {
        let count = rustix::io::retry_on_intr(|| rustix::io::write(&file, left))?;
        left = left.get(count..).unwrap_or_default();
    }
    rustix::fs::seek(&file, SeekFrom::Start(0))?;
    Ok(file)
}

/// What bubblewrap says of the sandbox it has begun: all of it, or what there was when it ended.
fn hear(info: &OwnedFd) -> io::Result<String> {
    let until = Instant::now() + PATIENCE;
    let mut told = Vec::new();
    while told.len() < SAID_AT_MOST && !told.contains(&b'}') {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        let mut asked = [PollFd::new(info, PollFlags::IN)];
        match poll(&mut asked, timeout.as_ref()) {
            Err(Refusal::INTR) => continue,
            Ok(0) => return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not begin")),
            ready => ready?,
        };
        let mut chunk = [0; 512];
        match rustix::io::read(info, &mut chunk) {
            Err(Refusal::INTR) => {}
            Ok(0) => break,
            Ok(count) => told.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(refusal) => return Err(refusal.into()),
        }
    }
    Ok(String::from_utf8_lossy(&told).into_owned())
}

/// The number of the first process in what bubblewrap says.
fn first_process(told: &str) -> Option<i32> {
    let (_, rest) = told.split_once("\"child-pid\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.split(|digit: char| !digit.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|number| *number > 1)
}

/// Takes hold of the process `first`, which must be a child of `maker`: a number alone may have become somebody else's.
fn hold(first: i32, maker: i32) -> io::Result<OwnedFd> {
    let gone = || io::Error::new(io::ErrorKind::NotFound, "its first process has ended");
    let held = rustix::process::pidfd_open(Pid::from_raw(first).ok_or_else(gone)?, PidfdFlags::empty())?;
    // What is held was alive after its parent was read, so that parent is its own.
    let status = fs::read_to_string(format!("/proc/{first}/status"))?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).map(str::trim);
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_alive = poll(&mut [PollFd::new(&held, PollFlags::IN)], Some(&now))? == 0;
    (is_alive && parent.and_then(|parent| parent.parse().ok()) == Some(maker))
        .then_some(held)
        .ok_or_else(gone)
}

/// What bubblewrap has said of itself so far, as one line.
pub(crate) fn said(complaints: &OwnedFd) -> String {
    let mut said = [0; SAID_AT_MOST];
    let count = rustix::io::read(complaints, &mut said).unwrap_or(0);
    let text = String::from_utf8_lossy(said.get(..count).unwrap_or_default()).into_owned();
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    text.trim().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::{first_process, hold, in_memory};

    #[test]
    fn the_first_process_is_found_in_what_is_told() {
        assert_eq!(first_process("{\n    \"child-pid\": 22107,\n    \"net-namespace\": 1\n}\n"), Some(22107));
        for nothing in [
            "",
            "{",
            "{\"child-pid\"",
            "{\"child-pid\": }",
            "{\"child-pid\": 1}",
            "{\"child-pid\": 99999999999}",
        ] {
            assert_eq!(first_process(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_a_child_of_its_maker_is_held() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let number = i32::try_from(child.id()).unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(hold(number, me).is_ok());
        assert!(hold(number, me + 1).is_err(), "somebody else's");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(hold(number, me).is_err(), "gone");
    }

    #[test]
    fn content_is_read_from_its_beginning() {
        let file = std::fs::File::from(in_memory(b"content").unwrap());
        assert_eq!(std::io::read_to_string(file).unwrap(), "content");
    }
}
