//! What only a canary asks of the kernel.

use std::ffi::c_int;

use super::{Errno, call, signed};

/// As [`super::fork`], but a tracer is not told of the child.
pub(in super::super) fn fork_untraced() -> Result<usize, Errno> {
    plain!(libc::SYS_clone, signed(libc::SIGCHLD | libc::CLONE_UNTRACED), 0, 0, 0, 0)
}

/// A user namespace of this process's own.
pub(in super::super) fn new_user_namespace() -> Result<(), Errno> {
    plain!(libc::SYS_unshare, signed(libc::CLONE_NEWUSER)).map(drop)
}

/// Whether descriptor `number` is open.
pub(in super::super) fn is_open(number: c_int) -> bool {
    plain!(libc::SYS_fcntl, signed(number), signed(libc::F_GETFD), 0).is_ok()
}
