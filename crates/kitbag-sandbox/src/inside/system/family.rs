//! A first process and its family, where no namespace of processes holds them together.

use std::ffi::c_int;
use std::mem;
use std::ptr;

use super::{Errno, call, signed};

/// Every signal there is.
const EVERY: u64 = u64::MAX;

/// Orphans of this process's descendants become its children.
pub(in super::super) fn adopt_orphans() -> Result<(), Errno> {
    super::control(libc::PR_SET_CHILD_SUBREAPER, [1, 0, 0, 0]).map(drop)
}

/// Sends `signal` to whom `process` says, as `kill` does.
pub(in super::super) fn kill(process: c_int, signal: c_int) -> Result<(), Errno> {
    plain!(libc::SYS_kill, signed(process), signed(signal)).map(drop)
}

/// The number of the parent.
pub(in super::super) fn parent() -> Result<c_int, Errno> {
    c_int::try_from(plain!(libc::SYS_getppid)?).map_err(|_no_number| Errno(libc::EOVERFLOW))
}

/// Blocks every signal that can be; gives what was blocked before.
pub(in super::super) fn block_signals() -> Result<u64, Errno> {
    let mut before = 0_u64;
    let words = [
        signed(libc::SIG_SETMASK),
        ptr::from_ref(&EVERY) as usize,
        ptr::from_mut(&mut before) as usize,
        size_of::<u64>(),
    ];
    // SAFETY: one mask of 64 bits is read, one is written.
    unsafe { call(libc::SYS_rt_sigprocmask, words) }?;
    Ok(before)
}

/// Blocks what `mask` says and nothing else.
pub(in super::super) fn restore_signals(mask: u64) -> Result<(), Errno> {
    let words = [signed(libc::SIG_SETMASK), ptr::from_ref(&mask) as usize, 0, size_of::<u64>()];
    // SAFETY: one mask of 64 bits is read; nothing is asked back.
    unsafe { call(libc::SYS_rt_sigprocmask, words) }.map(drop)
}

/// Waits for one of `signals`, which must be blocked, but no longer than `seconds`. `None` when none came.
pub(in super::super) fn next_signal(signals: &[c_int], seconds: i64) -> Option<c_int> {
    let set = signals.iter().fold(0_u64, |set, signal| set | 1 << (signal - 1));
    let patience = [seconds, 0_i64];
    let words = [ptr::from_ref(&set) as usize, 0, patience.as_ptr() as usize, size_of::<u64>()];
    // SAFETY: one mask of 64 bits and one time of two words are read; nothing is asked back.
    let came = unsafe { call(libc::SYS_rt_sigtimedwait, words) };
    came.ok().and_then(|signal| c_int::try_from(signal).ok())
}

/// A child that has ended, which is left for [`super::wait_for_any`] or [`reap`]; `None` when none has.
pub(in super::super) fn ended_child() -> Result<Option<c_int>, Errno> {
    // SAFETY: a structure of numbers, for which nought is a value.
    let mut told: libc::siginfo_t = unsafe { mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
    let kind = usize::try_from(libc::P_ALL).unwrap_or(0);
    let words = [kind, 0, ptr::from_mut(&mut told) as usize, signed(options), 0];
    // SAFETY: one structure is written to where there is room for it; no usage is asked for.
    unsafe { call(libc::SYS_waitid, words) }?;
    // SAFETY: for a child that has ended the kernel has written its number; otherwise it is still nought.
    let process = unsafe { told.si_pid() };
    Ok((process != 0).then_some(process))
}

/// Takes what is left of the child `process`, which has ended.
pub(in super::super) fn reap(process: c_int) -> Result<(), Errno> {
    plain!(libc::SYS_wait4, signed(process), 0, signed(libc::__WALL), 0).map(drop)
}

/// A namespace of control groups of this process's own, whose top is the group it is in.
pub(in super::super) fn new_group_namespace() -> Result<(), Errno> {
    plain!(libc::SYS_unshare, signed(libc::CLONE_NEWCGROUP)).map(drop)
}

/// As [`super::clone_into`] without namespaces and groups, by the older call. That leaves the handlers of signals, so the child begins with
/// every signal blocked, and must give them their default meaning first.
///
/// # Safety
/// As for [`super::clone_into`].
pub(super) unsafe fn clone_as_before(pidfd: &mut c_int) -> Result<usize, Errno> {
    let before = block_signals()?;
    let words = [signed(libc::CLONE_PIDFD | libc::SIGCHLD), 0, ptr::from_mut(pidfd) as usize, 0, 0];
    // SAFETY: `pidfd` has room for one descriptor; without CLONE_VM the child has its own copy of this stack. What the child
    // does is the caller's promise.
    let answer = unsafe { call(libc::SYS_clone, words) };
    if answer != Ok(0) {
        // A mask that was read back cannot be refused.
        let _restored = restore_signals(before);
    }
    answer
}
