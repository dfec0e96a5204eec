//! What a canary attempts with calls of the kernel, in a process that is nobody's copy and has one thread.

use std::ffi::CStr;

use super::system::{self, Errno, attempts};
use super::words::Words;

/// A call that is attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Start a program.
    Program,
    /// Start it by the call that takes a descriptor.
    ProgramAt,
    /// Start it in a child that no tracer is told of.
    Untraced,
    /// Make a user namespace.
    Namespace,
}

/// Attempts it in a child; `program` is what is started, and must end well when it is.
pub(crate) fn attempt(attempt: Attempt, program: &CStr) -> Result<(), i32> {
    let (arguments, environment) = (Words::new(vec![program.to_owned()]), Words::new(Vec::new()));
    let child = match attempt {
        Attempt::Untraced => attempts::fork_untraced(),
        _ => system::fork(),
    };
    match child.map_err(|Errno(errno)| errno)? {
        0 => {
            let refused = match attempt {
                Attempt::Program | Attempt::Untraced => system::execute(program, &arguments, &environment),
                Attempt::ProgramAt => system::execute_at(program, &arguments, &environment),
                Attempt::Namespace => attempts::new_user_namespace().err().unwrap_or(Errno(0)),
            };
            system::exit(u8::try_from(refused.0).unwrap_or(u8::MAX))
        }
        child => loop {
            match system::wait_for_any() {
                Ok(ended) if ended.process == child => {
                    let code = libc::WEXITSTATUS(ended.status);
                    let went_well = libc::WIFEXITED(ended.status) && code == 0;
                    return if went_well { Ok(()) } else { Err(code) };
                }
                Ok(_) | Err(Errno(libc::EINTR)) => {}
                Err(Errno(errno)) => return Err(errno),
            }
        },
    }
}

/// Whether something is open behind the three streams.
pub(crate) fn has_open_descriptor() -> bool {
    (3..1024).any(attempts::is_open)
}
