//! Whose files a program sees: for a root caller, what root owns is shown as the program's own.
//!
//! A root caller's programs run as somebody who owns nothing, so they could neither read what is closed to others nor write
//! what was listed to be written. Such a folder is mounted with its owners exchanged: what root owns on the disk is that
//! user's in this mount and nowhere else, and what that user makes there is root's on the disk. Files of everybody else keep
//! an owner whom nobody inside is.
//!
//! A file system that cannot do this is mounted as it is.

use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};

use crate::inside::{self, Fd};

/// A copy of what is mounted at `path` and below, restricted by `attributes`, in which root's files are `user`'s. `None`
/// where that cannot be had.
pub(crate) fn copy(path: &CStr, attributes: u64, user: u32) -> Option<OwnedFd> {
    // Made once: every sandbox of this program exchanges the same two.
    static NAMESPACE: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let namespace = NAMESPACE.get_or_init(|| namespace(user).ok()).as_ref()?;
    inside::copy_with_owners(path, attributes, Fd(namespace.as_raw_fd())).ok()
}

/// A namespace of users in which 0 is `user` outside.
fn namespace(user: u32) -> io::Result<OwnedFd> {
    let (held, holder) = io::pipe()?;
    let orders = inside::Waiting { until: Fd(held.as_raw_fd()), foreign: Fd(holder.as_raw_fd()) };
    let waiting =
        inside::wait_as_another_user(&orders).map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
    let below = |name: &str| format!("/proc/{}/{name}", waiting.process);
    let made = (|| {
        for map in ["uid_map", "gid_map"] {
            fs::write(below(map), format!("0 {user} 1\n"))?;
        }
        Ok(rustix::fs::open(below("ns/user"), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
    })();
    // The process ends when nobody holds the pipe any more.
    drop(holder);
    rustix::io::retry_on_intr(|| {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        waitid(WaitId::PidFd(std::os::fd::AsFd::as_fd(&waiting.pidfd)), WaitIdOptions::EXITED)
    })?;
    made
}
