//! [`Launch`]: another program that makes a sandbox, started with nothing of the caller's but what it is given.

use std::convert::Infallible as Never;
use std::ffi::CString;

use crate::step::Step;

use super::child::{self, At as _, Fault};
use super::orders::{Entry, Identity, Streams};
use super::system::{self, Errno, Fd};
use super::words::Words;
use super::{groups, rights};

/// The program and what it is given.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: CString,
    pub(crate) arguments: Words,
    pub(crate) environment: Words,
    /// Who it runs as, when that is not the caller.
    pub(crate) identity: Option<Identity>,
    /// The control groups that it begins in.
    pub(crate) entry: Entry,
    /// Its streams.
    pub(crate) streams: Streams,
    /// Descriptors that stay open, by the numbers they have.
    pub(crate) given: Vec<Fd>,
    /// The supervisor's ends of the pipes.
    pub(crate) foreign: Vec<Fd>,
    /// A pipe whose other end only the supervisor holds.
    pub(crate) ready: Fd,
    /// The pipe for words to the supervisor.
    pub(crate) words: Fd,
}

/// Runs in the child, and never returns; see [`child::enter`].
pub(super) extern "C" fn enter(launch: &Launch) -> ! {
    child::fail(launch.words, become_launched(launch))
}

fn become_launched(launch: &Launch) -> Result<Never, Fault> {
    for fd in &launch.foreign {
        system::close(*fd);
    }
    groups::join(&launch.entry).at(Step::Group)?;
    system::new_session().at(Step::Session)?;
    if let Some(identity) = launch.identity {
        child::become_other(identity).at(Step::User)?;
    }
    // Behind the change of user, which forgets it.
    rights::die_with_parent().at(Step::Bond)?;
    if system::hung_up(launch.ready).at(Step::Bond)? {
        return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
    }
    child::connect(&launch.streams).at(Step::Streams)?;
    system::default_signals().at(Step::Streams)?;
    system::close_on_exec_from(3).at(Step::Streams)?;
    for fd in &launch.given {
        system::keep_over_exec(*fd).at(Step::Streams)?;
    }
    Err(Fault(Step::Launch, system::execute(&launch.program, &launch.arguments, &launch.environment)))
}
