//! [`Leash`]: holds a sandbox so that nothing of it is left when it is let go.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno as Refusal;
use rustix::process::{Signal, WaitId, WaitIdOptions};

/// Holds a sandbox: when it is let go, nothing of it is left, whatever went wrong.
#[derive(Debug)]
pub(crate) struct Leash {
    /// The child of ours.
    child: OwnedFd,
    /// The first process inside, where that is another.
    first: Option<OwnedFd>,
    reaped: bool,
}

impl Leash {
    /// Holds a child that is the first process of its sandbox.
    pub(crate) const fn of_first(child: OwnedFd) -> Self {
        Self { child, first: None, reaped: false }
    }

    /// Holds a child that makes a sandbox whose first process is not known yet.
    pub(crate) const fn of_maker(child: OwnedFd) -> Self {
        Self::of_first(child)
    }

    /// Takes hold of the first process as well.
    pub(crate) fn hold_first(&mut self, first: OwnedFd) {
        self.first = Some(first);
    }

    /// Readable when the first process, and with it every other, is gone.
    pub(crate) fn end(&self) -> BorrowedFd<'_> {
        self.first.as_ref().unwrap_or(&self.child).as_fd()
    }

    pub(crate) const fn is_reaped(&self) -> bool {
        self.reaped
    }

    /// Ends everything inside: the kernel ends a namespace of processes with its first.
    pub(crate) fn kill(&self) {
        // It may have ended by itself, which is as good. What makes a sandbox takes its first process with it.
        let _sent = rustix::process::pidfd_send_signal(self.end(), Signal::KILL);
    }

    /// Waits until the first process, and with it every other, is gone; then for the child, which goes with it.
    pub(crate) fn reap(&mut self) -> Result<(), Refusal> {
        if let Some(first) = &self.first {
            rustix::io::retry_on_intr(|| poll(&mut [PollFd::new(first, PollFlags::IN)], None))?;
        }
        rustix::io::retry_on_intr(|| {
            rustix::process::waitid(WaitId::PidFd(self.child.as_fd()), WaitIdOptions::EXITED)
        })?;
        self.reaped = true;
        Ok(())
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            // Nothing is left to be done if it cannot be waited for.
            let _reaped = self.reap();
        }
    }
}
