//! [`Leash`]: holds a sandbox so that nothing of it is left when it is let go.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno as Refusal;
use rustix::process::{Signal, WaitId, WaitIdOptions};

/// Holds a sandbox: when it is let go, nothing of it is left, whatever went wrong.
#[derive(Debug)]
pub(crate) struct Leash {
    /// The child of ours.
    child: OwnedFd,
    /// The first process inside, where that is another.
    first: Option<OwnedFd>,
    end: End,
    reaped: bool,
}

/// What ends everything inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The end of the first process: the kernel sees to the others.
    WithFirst,
    /// The first process, which must be asked: without it nobody would.
    ByFirst,
}

/// How long nobody asks again who was asked already.
const ASK_EVERY: Duration = Duration::from_millis(100);

impl Leash {
    /// Holds a child that is the first process of its sandbox.
    pub(crate) const fn of_first(child: OwnedFd) -> Self {
        Self { child, first: None, end: End::WithFirst, reaped: false }
    }

    /// Holds a child that is the first process of its sandbox and ends all others itself when it is asked to.
    pub(crate) const fn of_keeper(child: OwnedFd) -> Self {
        Self { child, first: None, end: End::ByFirst, reaped: false }
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
        let signal = match self.end {
            End::WithFirst => Signal::KILL,
            End::ByFirst => Signal::TERM,
        };
        // It may have ended by itself, which is as good. What makes a sandbox takes its first process with it.
        let _sent = rustix::process::pidfd_send_signal(self.end(), signal);
    }

    /// How long there is nothing to be done about the end that was ordered. One that is asked may not have listened yet.
    pub(crate) const fn patience(&self) -> Option<Duration> {
        match self.end {
            End::WithFirst => None,
            End::ByFirst => Some(ASK_EVERY),
        }
    }

    /// Whether the first process has ended, which is waited for a moment.
    fn has_ended(&self) -> bool {
        let moment = Timespec::try_from(ASK_EVERY).ok();
        // Whoever cannot be asked after is waited for.
        poll(&mut [PollFd::from_borrowed_fd(self.end(), PollFlags::IN)], moment.as_ref()) != Ok(0)
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
            while self.end == End::ByFirst && !self.has_ended() {
                self.kill();
            }
            // Nothing is left to be done if it cannot be waited for.
            let _reaped = self.reap();
        }
    }
}
