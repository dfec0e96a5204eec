//! Following the programs of a sandbox from outside: the one part of this room that the supervisor runs, on a thread of its
//! own. It sees the kernel commit a new program before the first instruction of that runs, so no name can be exchanged in
//! between.

use std::ffi::{c_int, c_uint};
use std::mem;
use std::ptr;

use super::system::Errno;

/// What the options ask for: a stop at each new program and each new process or thread, one at each call that the filter
/// gives to the tracer, ends of calls told apart from signals, and the end of everything with the tracer.
const OPTIONS: usize = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x0010_0000;

/// Why a process stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A new program is about to begin.
    Program,
    /// It asked to start a program.
    Asked(Question),
    /// The call it asked for has ended with this, negative numbers being errors.
    Answered(i64),
    /// It is stopped as a whole, as by `SIGSTOP`.
    Whole,
    /// It is about to get this signal; nought for none.
    Signal(c_int),
}

/// A call that starts a program, as it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The folder that the name starts from, where the call takes one.
    pub(crate) folder: Option<i32>,
    /// Where in the process's memory the name is.
    pub(crate) name: u64,
}

/// What became of a process that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It, or one of its threads, has ended.
    Ended(i32),
    /// It stopped, and waits to be let go on.
    Stopped(i32, Stop),
}

/// How a process that stopped goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoOn {
    /// With this signal; nought for none.
    With(c_int),
    /// Until the call it asked for has ended.
    UntilAnswer,
    /// Not: it stays stopped, as it was told to be by whoever stopped it.
    Stopped,
}

/// Begins to follow `process` and everything it will start.
pub(crate) fn follow(process: i32) -> Result<(), Errno> {
    request(libc::PTRACE_SEIZE, process, 0, OPTIONS)
}

/// Lets `process` go on. One that has been killed meanwhile needs no leave.
pub(crate) fn go_on(process: i32, how: GoOn) {
    let _gone = match how {
        GoOn::With(signal) => request(libc::PTRACE_CONT, process, 0, (signal as isize).cast_unsigned()),
        GoOn::UntilAnswer => request(libc::PTRACE_SYSCALL, process, 0, 0),
        GoOn::Stopped => request(libc::PTRACE_LISTEN, process, 0, 0),
    };
}

/// Waits for the next event of a process that this thread follows; `None` when there is none left.
pub(crate) fn next() -> Result<Option<Event>, Errno> {
    let mut status = 0;
    // SAFETY: one number is written to where it is. The children of other threads are left alone.
    let process = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
    if process < 0 {
        // SAFETY: the address is that of this thread's own number, always valid.
        return match unsafe { *libc::__errno_location() } {
            libc::ECHILD => Ok(None),
            errno => Err(Errno(errno)),
        };
    }
    if !libc::WIFSTOPPED(status) {
        return Ok(Some(Event::Ended(process)));
    }
    let signal = libc::WSTOPSIG(status);
    let stop = match status >> 16 {
        libc::PTRACE_EVENT_EXEC => Stop::Program,
        libc::PTRACE_EVENT_SECCOMP => match call(process) {
            Some(Call::Asked(question)) => Stop::Asked(question),
            _ => Stop::Signal(0),
        },
        libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Stop::Whole,
        0 if signal == libc::SIGTRAP | 0x80 => match call(process) {
            Some(Call::Answered(value)) => Stop::Answered(value),
            _ => Stop::Signal(0),
        },
        0 => Stop::Signal(signal),
        // A new process or thread, which is followed as well.
        _ => Stop::Signal(0),
    };
    Ok(Some(Event::Stopped(process, stop)))
}

fn request(request: c_uint, process: i32, address: usize, data: usize) -> Result<(), Errno> {
    // SAFETY: none of the requests that are made here takes an address of ours.
    if unsafe { libc::ptrace(request, process, address, data) } < 0 {
        // SAFETY: the address is that of this thread's own number, always valid.
        return Err(Errno(unsafe { *libc::__errno_location() }));
    }
    Ok(())
}

enum Call {
    Asked(Question),
    Answered(i64),
}

/// The call in which `process` stopped, the same way on every architecture.
fn call(process: i32) -> Option<Call> {
    /// `struct ptrace_syscall_info`, up to what a question holds.
    #[repr(C)]
    struct Info {
        kind: u8,
        padding: [u8; 3],
        architecture: u32,
        instruction: u64,
        stack: u64,
        /// The number of the call or, where it has ended, what it came to.
        number: u64,
        words: [u64; 6],
    }
    const GET_INFO: c_uint = 0x420e;
    const ENDED: u8 = 2;
    const FILTERED: u8 = 3;
    // SAFETY: a structure of numbers, for which nought is a value.
    let mut info: Info = unsafe { mem::zeroed() };
    // SAFETY: no more than the size that is said is written to where `info` is.
    let read = unsafe { libc::ptrace(GET_INFO, process, size_of::<Info>(), ptr::from_mut(&mut info)) };
    if read < 0 {
        return None;
    }
    let [first, second, ..] = info.words;
    let number = |call: libc::c_long| u64::try_from(call).ok();
    match info.kind {
        ENDED => Some(Call::Answered(info.number.cast_signed())),
        FILTERED if Some(info.number) == number(libc::SYS_execve) => {
            Some(Call::Asked(Question { folder: None, name: first }))
        }
        FILTERED if Some(info.number) == number(libc::SYS_execveat) => {
            #[expect(clippy::cast_possible_truncation, reason = "the kernel reads the low half as well")]
            let folder = first as u32;
            Some(Call::Asked(Question { folder: Some(folder.cast_signed()), name: second }))
        }
        _ => None,
    }
}
