//! Passing bytes on, both ways, until both sides have said all.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};

use rustix::event::{PollFd, PollFlags};

use super::asked::Refusal;
use super::body::Body;
use super::relay::Shared;
use super::wait::{CHUNK, Client, Cut, Wait, is_not_yet, read};

/// How much of what a program says is passed on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Upload {
    /// All of it, to its end.
    All,
    /// The content of one request. Its end is not the end of the connection: a server may take that for a change of mind.
    One(Body),
}

/// Bytes that went by, out and in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    pub(super) sent: u64,
    pub(super) received: u64,
    /// Whether something was said after the content of the one request.
    pub(super) second: bool,
}

/// One direction.
struct Way {
    /// What was read and is to be written.
    waiting: Vec<u8>,
    /// How much of it is written.
    written: usize,
    /// Whether nothing more is read.
    ended: bool,
    /// Whether the end was passed on, where it is.
    closed: bool,
}

impl Way {
    const fn new(waiting: Vec<u8>) -> Self {
        Self { waiting, written: 0, ended: false, closed: false }
    }

    fn is_empty(&self) -> bool {
        self.written == self.waiting.len()
    }

    /// Writes what waits, as far as there is room.
    fn write(&mut self, mut to: &TcpStream) -> Result<(), Cut> {
        let waiting = self.waiting.get(self.written..).unwrap_or_default();
        match to.write(waiting) {
            Ok(count) => self.written += count,
            Err(error) if is_not_yet(&error) => {}
            Err(_) => return Err(Cut::Gone),
        }
        if self.is_empty() {
            self.waiting.clear();
            self.written = 0;
        }
        Ok(())
    }
}

/// Passes on what `client` says to `upstream`, `first` before anything else, and the other way round.
///
/// # Errors
/// [`Cut`] when it ends otherwise than by both sides having said all; what had gone by until then is in `passed`.
pub(super) fn pump(
    shared: &Shared,
    wait: &Wait<'_>,
    passed: &mut Passed,
    client: &mut Client,
    upstream: &TcpStream,
    first: Vec<u8>,
    mut upload: Upload,
) -> Result<(), Cut> {
    shared.count(first.len())?;
    passed.sent += length(first.len());
    let (mut up, mut down) = (Way::new(first), Way::new(Vec::new()));
    let said = std::mem::take(&mut client.said);
    take(shared, passed, &mut up, &mut upload, &said)?;
    loop {
        if up.ended && up.is_empty() && !up.closed {
            up.closed = true;
            if matches!(upload, Upload::All) {
                // One that is gone has been told as well.
                let _closed = upstream.shutdown(Shutdown::Write);
            }
        }
        if down.ended && down.is_empty() && !down.closed {
            down.closed = true;
            let _closed = client.stream.shutdown(Shutdown::Write);
        }
        if down.closed && (up.closed || matches!(upload, Upload::One(_))) {
            return Ok(());
        }
        let flags = |reads: bool, writes: bool| {
            let reads = if reads { PollFlags::IN } else { PollFlags::empty() };
            reads | if writes { PollFlags::OUT } else { PollFlags::empty() }
        };
        let of_client = flags(!up.ended && up.is_empty(), !down.is_empty());
        let of_upstream = flags(!down.ended && down.is_empty(), !up.is_empty());
        // A side that nothing is wanted of is left out: it would be ready for its own end, again and again.
        let sides = [(of_client, &client.stream), (of_upstream, upstream)];
        let asked =
            sides.iter().filter(|(flags, _)| !flags.is_empty()).map(|(flags, fd)| PollFd::new(*fd, *flags));
        let mut ready = wait.any(asked.collect())?.into_iter();
        let mut of = |asked: PollFlags| match asked.is_empty() {
            true => PollFlags::empty(),
            false => ready.next().unwrap_or(PollFlags::empty()),
        };
        let (client_ready, upstream_ready) = (of(of_client), of(of_upstream));
        // What is wrong with a side shows when it is read or written.
        let serve = |asked: PollFlags, ready: PollFlags, flag: PollFlags| {
            asked.contains(flag) && ready.intersects(flag | PollFlags::HUP | PollFlags::ERR)
        };
        let mut chunk = [0; CHUNK];
        if serve(of_client, client_ready, PollFlags::IN) {
            match read(&client.stream, &mut chunk)? {
                None => {}
                Some([]) => up.ended = true,
                Some(said) => take(shared, passed, &mut up, &mut upload, said)?,
            }
        }
        if serve(of_upstream, upstream_ready, PollFlags::IN) {
            match read(upstream, &mut chunk)? {
                None => {}
                Some([]) => down.ended = true,
                Some(said) => {
                    shared.count(said.len())?;
                    passed.received += length(said.len());
                    down.waiting.extend_from_slice(said);
                }
            }
        }
        if serve(of_upstream, upstream_ready, PollFlags::OUT) {
            up.write(upstream)?;
        }
        if serve(of_client, client_ready, PollFlags::OUT) {
            down.write(&client.stream)?;
        }
    }
}

/// Takes what a program said, as far as it belongs to what is passed on.
fn take(
    shared: &Shared,
    passed: &mut Passed,
    up: &mut Way,
    upload: &mut Upload,
    said: &[u8],
) -> Result<(), Cut> {
    let taken = match upload {
        Upload::All => said,
        Upload::One(body) => {
            let count = body.take(said).map_err(|_| Refusal::Malformed("the pieces of the content"))?;
            if count < said.len() {
                // The answer to the first request is still passed on.
                up.ended = true;
                passed.second = true;
            }
            said.get(..count).unwrap_or_default()
        }
    };
    shared.count(taken.len())?;
    passed.sent += length(taken.len());
    up.waiting.extend_from_slice(taken);
    Ok(())
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
