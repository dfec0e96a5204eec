//! The child where there are no namespaces: a first process that adopts whoever is left to it and ends all of them, and a
//! program that only rules keep from the rest of the host.
//!
//! A namespace of processes ends with its first; here that process must see to it. From version 6 on Landlock keeps the
//! signals of the first process and of everything below it among themselves, so "everybody" is whom it is to end, at once
//! and without a way out. Before that the program may neither leave its group of processes nor send signals, and the group
//! is ended.

use std::convert::Infallible as Never;
use std::ffi::{CString, c_int};

use crate::step::Step;

use super::child::{self, At as _, Fault, say};
use super::landlock::Rules;
use super::orders::{Entry, Identity, Within};
use super::seccomp::Filter;
use super::system::{self, Ended, Errno, Fd, family, files};
use super::word::Word;
use super::{groups, rights, sweep};

/// What the child does.
#[derive(Debug)]
pub(crate) struct Alone {
    /// The control groups that the child begins in.
    pub(crate) entry: Entry,
    /// Who the child becomes, when that is not the caller.
    pub(crate) identity: Option<Identity>,
    /// The supervisor's ends of the pipes, which the child must not keep open.
    pub(crate) foreign: Vec<Fd>,
    /// What keeps the signals of all processes among themselves, where the kernel can.
    pub(crate) among_themselves: Option<Rules>,
    /// What only the program is refused.
    pub(crate) apart: Filter,
    /// The folders that were made for this run.
    pub(crate) folders: Vec<Made>,
    /// Everything else.
    pub(crate) within: Within,
}

/// A folder that was made for a run.
#[derive(Debug)]
pub(crate) struct Made {
    /// Where it is.
    pub(crate) at: CString,
    /// Whether the supervisor takes results out of it.
    pub(crate) kept: bool,
}

/// Runs in the child, and never returns; see [`child::enter`].
pub(super) extern "C" fn enter(orders: &Alone) -> ! {
    child::fail(orders.within.words, make(orders))
}

/// The signal by which the first process is asked to end everything.
const ASKED: c_int = libc::SIGTERM;
/// The signal by which it is told that its supervisor has ended.
const ORPHANED: c_int = libc::SIGHUP;

fn make(orders: &Alone) -> Result<Never, Fault> {
    let within = &orders.within;
    // Nothing else is there yet, so a signal that asks for the end may simply end this process.
    system::default_signals().at(Step::Bond)?;
    rights::tell_when_parent_ends(ORPHANED).at(Step::Bond)?;
    for fd in &orders.foreign {
        system::close(*fd);
    }
    groups::join(&orders.entry).at(Step::Group)?;
    let gone = Fault(Step::Bond, Errno(libc::EPIPE));
    if !system::read_byte(within.ready).at(Step::Bond)? {
        return Err(gone);
    }
    system::new_session().at(Step::Session)?;
    family::adopt_orphans().at(Step::Bond)?;
    rights::gain_nothing().at(Step::Rights)?;
    if let Some(rules) = &orders.among_themselves {
        rules.apply().at(Step::Landlock)?;
        signals_stay_among_themselves().at(Step::Landlock)?;
    }
    rights::empty_bounding_set_if_allowed().at(Step::Rights)?;
    if let Some(identity) = orders.identity {
        rights::fix_user_rules().at(Step::User)?;
        child::become_other(identity).at(Step::User)?;
        // A change of user forgets whom to die with. Whoever has died meanwhile has closed the pipe.
        rights::tell_when_parent_ends(ORPHANED).at(Step::Bond)?;
    }
    if system::hung_up(within.ready).at(Step::Bond)? {
        return Err(gone);
    }
    system::change_folder(&within.folder).at(Step::Folder)?;
    rights::drop_capabilities().at(Step::Rights)?;
    child::connect(&within.streams).at(Step::Streams)?;
    rights::hide_memory().at(Step::Rights)?;
    system::lock::filter(within.filter.instructions()).at(Step::Calls)?;
    family::block_signals().at(Step::Bond)?;
    match system::fork().at(Step::Fork)? {
        0 => become_program(orders),
        program => {
            let program = c_int::try_from(program).map_err(|_no_number| Errno(libc::EOVERFLOW));
            let program = program.at(Step::Fork)?;
            let unable = tend(orders, program);
            // Whoever cannot tend them ends them all the same.
            end_everybody(orders, program);
            unable
        }
    }
}

/// Tries the rule out before anything relies on it: the supervisor is no longer reached.
fn signals_stay_among_themselves() -> Result<(), Errno> {
    match family::kill(family::parent()?, 0) {
        Err(Errno(libc::EPERM)) => Ok(()),
        Err(errno) => Err(errno),
        Ok(()) => Err(Errno(libc::ENOTSUP)),
    }
}

/// Becomes the program.
fn become_program(orders: &Alone) -> Result<Never, Fault> {
    let within = &orders.within;
    system::new_session().at(Step::Session)?;
    for limit in &within.limits {
        system::limit(limit.resource, limit.soft, limit.hard).at(Step::Limits)?;
    }
    // Should the first process be ended by somebody else, the program at least goes with it.
    rights::die_with_parent().at(Step::Bond)?;
    // Should there be no memory, the program goes, and not who ends everybody. The file is its own only while it may be looked
    // into, and nobody else is here yet; not every system has it.
    rights::show_memory().at(Step::Limits)?;
    let _told = files::write_to(c"/proc/self/oom_score_adj", b"1000");
    if let Some(rules) = &within.rules {
        rules.apply().at(Step::Landlock)?;
    }
    system::close_on_exec_from(3).at(Step::Streams)?;
    system::default_signals().at(Step::Streams)?;
    system::lock::filter(orders.apart.instructions()).at(Step::Calls)?;
    if within.followed {
        say(within.words, Word::Waiting);
        if !system::read_byte(within.ready).at(Step::Trace)? {
            return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
        }
    }
    let refused = system::execute(&within.program, &within.arguments, &within.environment);
    Err(Fault(Step::Execute, refused))
}

/// How often the first process looks whether its supervisor is still there, in seconds. It is told as well.
const LOOK_EVERY: i64 = 1;

/// The first process: takes whoever is left to it until the program has ended, the supervisor has, or it asks for the end.
/// Then it ends everybody else.
fn tend(orders: &Alone, program: c_int) -> Result<Never, Fault> {
    let [words, ready] = keep_only([orders.within.words, orders.within.ready]).at(Step::Streams)?;
    let mut end = false;
    let mut orphaned = false;
    while !end {
        let signal = family::next_signal(&[libc::SIGCHLD, ASKED, ORPHANED], LOOK_EVERY);
        orphaned = signal == Some(ORPHANED) || system::hung_up(ready).unwrap_or(true);
        end = orphaned || signal == Some(ASKED);
        // The program is left until everybody has been ended: as long as it is there, its group's number is its own.
        while let (false, Ok(Some(ended))) = (end, family::ended_child()) {
            if ended == program {
                end = true;
            } else {
                family::reap(ended).at(Step::Fork)?;
            }
        }
    }
    let last = end_everybody(orders, program);
    orphaned |= system::hung_up(ready).unwrap_or(true);
    for folder in &orders.folders {
        if orphaned || !folder.kept {
            sweep::remove(&folder.at);
        }
    }
    if let Some(ended) = last {
        say(words, Word::Ended { status: ended.status, cpu: ended.cpu, memory: ended.memory });
    }
    system::exit(0)
}

/// Ends everybody else and waits until nobody is left; how the program ended.
fn end_everybody(orders: &Alone, program: c_int) -> Option<Ended> {
    let everybody = if orders.among_themselves.is_some() { -1 } else { -program };
    let mut last = None;
    loop {
        // When the program has been taken, its group's number may become somebody else's; everybody in it has been sent the
        // signal by then. There may be nobody.
        if everybody == -1 || last.is_none() {
            let _ended = family::kill(everybody, libc::SIGKILL);
        }
        loop {
            match family::ended_child() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // Nobody is left.
                Err(_none) => return last,
            }
            match system::wait_for_any() {
                Ok(ended) if c_int::try_from(ended.process) == Ok(program) => last = Some(ended),
                _ => {}
            }
        }
        family::next_signal(&[libc::SIGCHLD], LOOK_EVERY);
    }
}

/// Closes everything but `kept`, which get other numbers.
fn keep_only(kept: [Fd; 2]) -> Result<[Fd; 2], Errno> {
    const FIRST: c_int = 3;
    let raised = [system::raise(kept[0], FIRST + 2)?, system::raise(kept[1], FIRST + 2)?];
    system::duplicate(raised[0], FIRST)?;
    system::duplicate(raised[1], FIRST + 1)?;
    system::close_range(0, FIRST.cast_unsigned() - 1)?;
    system::close_range(FIRST.cast_unsigned() + 2, u32::MAX)?;
    Ok([Fd(FIRST), Fd(FIRST + 1)])
}
