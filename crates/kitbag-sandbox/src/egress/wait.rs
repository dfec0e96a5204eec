//! Waiting, for one connection: for bytes, for room, for the end of the sandbox, and not for ever.

use std::io::{self, ErrorKind, Read as _};
use std::net::TcpStream;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::asked::Refusal;
use super::relay::Shared;

/// What is read at once.
pub(super) const CHUNK: usize = 16 << 10;

/// Why a connection is over.
#[derive(Debug)]
pub(super) enum Cut {
    /// The sandbox has ended, and nothing is left to be read.
    Over,
    /// The other side is gone.
    Gone,
    /// It was refused.
    Refused(Refusal),
}

impl From<Refusal> for Cut {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// How long one connection is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait<'s> {
    shared: &'s Shared,
    /// `None` when it lies beyond what a clock counts.
    until: Option<Instant>,
}

impl<'s> Wait<'s> {
    pub(super) fn new(shared: &'s Shared) -> Self {
        Self { shared, until: Instant::now().checked_add(shared.traffic.open) }
    }

    /// Waits until one of `asked` is ready; what each of them is ready for.
    pub(super) fn any(&self, asked: Vec<PollFd<'_>>) -> Result<Vec<PollFlags>, Cut> {
        self.within(self.shared.traffic.idle, asked)?.ok_or(Cut::Refused(Refusal::Silent))
    }

    /// Waits until one of `asked` is ready, or `patience` has passed: then nothing.
    ///
    /// A sandbox that has ended is not waited for, but what it left behind is ready.
    pub(super) fn within(
        &self,
        patience: Duration,
        asked: Vec<PollFd<'_>>,
    ) -> Result<Option<Vec<PollFlags>>, Cut> {
        let given_up = Instant::now().checked_add(patience);
        let mut all = asked;
        all.push(PollFd::from_borrowed_fd(self.shared.end.as_fd(), PollFlags::IN));
        loop {
            let timeout = left_now(self.until).into_iter().chain(left_now(given_up)).min();
            let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
            match poll(&mut all, timeout.as_ref()) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return Err(Cut::Gone),
            }
            let mut ready: Vec<PollFlags> = all.iter().map(PollFd::revents).collect();
            let ended = ready.pop().is_some_and(|end| !end.is_empty());
            return if ready.iter().any(|ready| !ready.is_empty()) {
                Ok(Some(ready))
            } else if ended {
                Err(Cut::Over)
            } else if left_now(self.until) == Some(Duration::ZERO) {
                Err(Cut::Refused(Refusal::Lasting))
            } else {
                Ok(None)
            };
        }
    }
}

/// How long it is until then; nothing when it has passed.
fn left_now(until: Option<Instant>) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// A program's connection and what it said on it that was not dealt with.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) stream: TcpStream,
    pub(super) said: Vec<u8>,
}

impl Client {
    /// Waits for more to be said.
    pub(super) fn hear(&mut self, wait: &Wait<'_>) -> Result<(), Cut> {
        loop {
            wait.any(vec![PollFd::new(&self.stream, PollFlags::IN)])?;
            let mut chunk = [0; CHUNK];
            match read(&self.stream, &mut chunk)? {
                None => {}
                Some([]) => return Err(Cut::Gone),
                Some(more) => {
                    self.said.extend_from_slice(more);
                    return Ok(());
                }
            }
        }
    }
}

/// What is there to be read: nothing at the end, `None` when it is not there yet.
pub(super) fn read<'c>(mut stream: &TcpStream, chunk: &'c mut [u8]) -> Result<Option<&'c [u8]>, Cut> {
    match stream.read(chunk) {
        Ok(count) => Ok(Some(chunk.get(..count).unwrap_or_default())),
        Err(error) if is_not_yet(&error) => Ok(None),
        Err(_) => Err(Cut::Gone),
    }
}

pub(super) fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
