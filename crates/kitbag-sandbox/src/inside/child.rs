//! The child: from the clone to the program, and the first process that stays behind to reap.

use std::convert::Infallible as Never;

use crate::step::Step;

use super::orders::{Identity, Orders, Reach, Streams, Within};
use super::system::{self, Errno, Fd};
use super::word::Word;
use super::words::Words;
use super::{FAILED, Waiting, doors, groups, mounts, rights};

/// The step that failed, and why.
pub(super) struct Fault(pub(super) Step, pub(super) Errno);

/// Names the step at which an error happened.
pub(super) trait At<T> {
    fn at(self, step: Step) -> Result<T, Fault>;
}

impl<T> At<T> for Result<T, Errno> {
    fn at(self, step: Step) -> Result<T, Fault> {
        self.map_err(|errno| Fault(step, errno))
    }
}

/// Runs in the child. A panic here must not unwind into the caller's code, of which this process is a copy: leaving a
/// function of this kind by a panic ends the process.
pub(super) extern "C" fn enter(orders: &Orders) -> ! {
    fail(orders.within.words, make(orders))
}

/// Runs in a child that only waits.
pub(super) extern "C" fn wait(orders: &Waiting) -> ! {
    if rights::die_with_parent().is_ok() {
        system::close(orders.foreign);
        let _end = system::read_byte(orders.until);
    }
    system::exit(0)
}

/// Says what failed, and ends.
pub(super) fn fail(words: Fd, made: Result<Never, Fault>) -> ! {
    let Err(fault) = made;
    say(words, Word::Fault(fault.0, fault.1));
    system::exit(FAILED)
}

pub(super) fn say(words: Fd, word: Word) {
    // If nobody listens any more, nobody misses it.
    let _said = system::write(words, &word.bytes());
}

fn make(orders: &Orders) -> Result<Never, Fault> {
    rights::die_with_parent().at(Step::Bond)?;
    for fd in &orders.foreign {
        system::close(*fd);
    }
    groups::join_alone(&orders.entry).at(Step::Group)?;
    if !system::read_byte(orders.within.ready).at(Step::MapUser)? {
        // The supervisor ended before it could map the user.
        return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
    }
    system::new_session().at(Step::Session)?;
    let sources = mounts::take_hold(orders)?;
    become_user(orders.identity).at(Step::User)?;
    // A change of user forgets whom to die with. Whoever has died meanwhile has closed the pipe.
    rights::die_with_parent().at(Step::Bond)?;
    if system::hung_up(orders.within.ready).at(Step::Bond)? {
        return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
    }
    mounts::enter(orders, &sources)?;
    finish(&orders.within)
}

/// Gives up all rights, takes on every rule, and starts the program. The tree is there, and this is its first process.
pub(super) fn finish(orders: &Within) -> Result<Never, Fault> {
    let environment = environment(orders)?;
    rights::give_up().at(Step::Rights)?;
    if let Some(rules) = &orders.rules {
        rules.apply().at(Step::Landlock)?;
    }
    connect(&orders.streams).at(Step::Streams)?;
    system::default_signals().at(Step::Streams)?;
    rights::hide_memory().at(Step::Rights)?;
    // From here on the first process is held as tightly as the program: there is nobody inside worth taking over.
    system::lock::filter(orders.filter.instructions()).at(Step::Calls)?;
    match system::fork().at(Step::Fork)? {
        0 => become_program(orders, environment),
        program => reap(orders, program),
    }
}

/// Makes the way out, and gives the environment that suits it.
fn environment(orders: &Within) -> Result<&Words, Fault> {
    let Some(way_out) = &orders.doors else { return Ok(&orders.environment) };
    match doors::make(way_out).at(Step::Network)? {
        Reach::Everywhere => Ok(&orders.environment),
        Reach::Proxy => Ok(&way_out.proxied),
    }
}

fn become_user(identity: Identity) -> Result<(), Errno> {
    rights::fix_user_rules()?;
    become_other(identity)
}

/// Becomes the user and the group of `identity`, by the kernel's own rules.
pub(super) fn become_other(identity: Identity) -> Result<(), Errno> {
    if identity.leaves_groups {
        system::leave_groups()?;
    }
    system::become_group(identity.group)?;
    system::become_user(identity.user)
}

pub(super) fn connect(streams: &Streams) -> Result<(), Errno> {
    // First out of the way of 0, 1 and 2, which a caller without streams of its own may have given us.
    let input = system::raise(streams.input, 3)?;
    let output = system::raise(streams.output, 3)?;
    let errors = system::raise(streams.errors, 3)?;
    system::duplicate(input, 0)?;
    system::duplicate(output, 1)?;
    system::duplicate(errors, 2)
}

/// Becomes the program.
fn become_program(orders: &Within, environment: &Words) -> Result<Never, Fault> {
    system::new_session().at(Step::Session)?;
    for limit in &orders.limits {
        system::limit(limit.resource, limit.soft, limit.hard).at(Step::Limits)?;
    }
    // Only 0, 1 and 2 survive; the pipe for words is open until the program has started, to say that it has not.
    system::close_on_exec_from(3).at(Step::Streams)?;
    if orders.followed {
        // Until it is followed, there is nobody inside to whom this process could be open.
        rights::show_memory().at(Step::Trace)?;
        say(orders.words, Word::Waiting);
        if !system::read_byte(orders.ready).at(Step::Trace)? {
            return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
        }
    }
    Err(Fault(Step::Execute, system::execute(&orders.program, &orders.arguments, environment)))
}

/// The first process of the sandbox: reaps whoever is left to it, and ends when the program has. Then the kernel ends
/// everything else inside.
fn reap(orders: &Within, program: usize) -> Result<Never, Fault> {
    keep_only(orders.words.0.cast_unsigned()).at(Step::Streams)?;
    loop {
        match system::wait_for_any() {
            Ok(ended) if ended.process == program => {
                say(orders.words, Word::Ended { status: ended.status, cpu: ended.cpu, memory: ended.memory });
                system::exit(0)
            }
            Ok(_) | Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(Fault(Step::Fork, errno)),
        }
    }
}

fn keep_only(kept: u32) -> Result<(), Errno> {
    if let Some(last) = kept.checked_sub(1) {
        system::close_range(0, last)?;
    }
    system::close_range(kept.saturating_add(1), u32::MAX)
}
