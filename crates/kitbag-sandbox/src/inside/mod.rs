//! The unsafe room: everything between clone and exec, and nothing else.
//!
//! Where another program makes the sandbox, `launch` starts that, and `stage` does in a process of ours inside what is left
//! to do. Where nobody makes namespaces, `alone` is the child, and `sweep` removes what it leaves.
//!
//! It takes [`Orders`], prepared down to the last byte before the child exists, because the child may not allocate: it is
//! a copy of a process whose other threads, and the locks they held, are gone. So the child does nothing but make system
//! calls on what is prepared. Only `system` speaks to the kernel; the rest of the room is safe code that calls it.
//! It knows neither plans nor reports.

mod alone;
pub(crate) mod canary;
mod child;
mod doors;
mod groups;
mod landlock;
mod launch;
mod letter;
mod mounts;
mod orders;
mod rights;
mod seccomp;
mod stage;
mod sweep;
mod system;
pub(crate) mod trace;
mod word;
mod words;

use std::ffi::CStr;
use std::os::fd::{FromRawFd as _, OwnedFd};

pub(crate) use alone::{Alone, Made};
pub(crate) use doors::{EVERYWHERE, PROXY};
pub(crate) use landlock::{Access, Rule, Rules, version as landlock_version};
pub(crate) use launch::Launch;
pub(crate) use letter::Letter;
pub(crate) use orders::{
    AskingForAll, Descriptors, Doors, Entry, Identity, Limit, MOUNTS_AT_MOST, Operation, Orders, Proc, Reach,
    Streams, Within,
};
pub(crate) use seccomp::{Asking, Executables, Filter, Owner, Sockets};
pub(crate) use stage::enter as enter_stage;
pub(crate) use system::{Errno, Fd};
pub(crate) use word::{LENGTH as WORD_LENGTH, Word};
pub(crate) use words::Words;

/// The exit code of a child that could not do what it was ordered.
const FAILED: u8 = 125;

/// A sandbox whose child waits for its user to be mapped.
#[derive(Debug)]
pub(crate) struct Started {
    /// The number of its first process.
    pub(crate) process: i32,
    /// The descriptor that stands for it.
    pub(crate) pidfd: OwnedFd,
}

/// What a process waits for that does nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The pipe whose end it waits for.
    pub(crate) until: Fd,
    /// The other end, which it must not keep open itself.
    pub(crate) foreign: Fd,
}

/// Starts a child in a user namespace of its own that only waits, so that somebody can take hold of the namespace.
pub(crate) fn wait_as_another_user(orders: &Waiting) -> Result<Started, Errno> {
    // SAFETY: the child goes straight into `child::wait`, which never returns and neither allocates nor locks.
    started(unsafe { system::clone_into(libc::CLONE_NEWUSER, None) }?, orders, child::wait)
}

/// A copy of what is mounted at `path` and below, attached nowhere, with `attributes` added and its owners exchanged as
/// `users`, a namespace, says. The caller must be root, and the file systems must know how to.
pub(crate) fn copy_with_owners(path: &CStr, attributes: u64, users: Fd) -> Result<OwnedFd, Errno> {
    let copy = system::mount::copy(path)?;
    // SAFETY: the kernel has just made this descriptor, and nobody else knows of it.
    let owned = unsafe { OwnedFd::from_raw_fd(copy.0) };
    system::mount::exchange_owners(copy, attributes, users)?;
    Ok(owned)
}

/// Starts a child that does what it is ordered, and waits for a byte before anything that needs its user.
///
/// It dies when the thread that calls this ends.
pub(crate) fn start(orders: &Orders) -> Result<Started, Errno> {
    // SAFETY: the child goes straight into `child::enter`, which never returns and neither allocates nor locks.
    started(unsafe { system::clone_into(orders.namespaces, orders.entry.into) }?, orders, child::enter)
}

/// Starts the program of `launch`. It dies when the thread that calls this ends.
pub(crate) fn launch(launch: &Launch) -> Result<Started, Errno> {
    // SAFETY: the child goes straight into `launch::enter`, which never returns and neither allocates nor locks.
    started(unsafe { system::clone_into(0, launch.entry.into) }?, launch, launch::enter)
}

/// Starts a child that begins in the groups of `entry` and ends: well, when it could.
pub(crate) fn begin_and_end(entry: &Entry) -> Result<Started, Errno> {
    // SAFETY: the child goes straight into `groups::begin_and_end`, which never returns and neither allocates nor locks.
    started(unsafe { system::clone_into(0, entry.into) }?, entry, groups::begin_and_end)
}

/// Starts a child in no namespace of its own, which waits for a byte before it does what it is ordered. It is told to end
/// when the thread that calls this does.
pub(crate) fn start_alone(orders: &Alone) -> Result<Started, Errno> {
    // SAFETY: the child goes straight into `alone::enter`, which never returns and neither allocates nor locks.
    started(unsafe { system::clone_into(0, orders.entry.into) }?, orders, alone::enter)
}

/// Goes on as whom `cloned` says: the child does what it is `told`.
fn started<T>(cloned: system::Cloned, told: &T, enter: extern "C" fn(&T) -> !) -> Result<Started, Errno> {
    match cloned {
        system::Cloned::Child => enter(told),
        system::Cloned::Parent(process, pidfd) => {
            // SAFETY: the kernel has just made this descriptor, and nobody else knows of it.
            let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd.0) };
            Ok(Started { process, pidfd })
        }
    }
}
