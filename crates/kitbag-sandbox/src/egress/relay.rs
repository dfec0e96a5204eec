//! [`Relay`]: takes what comes through the doors of a sandbox, in threads of its own, until the sandbox has ended.

use std::io::{self, PipeReader, PipeWriter};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use kitbag_core::glob::Host;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::SocketType;

use super::asked::{Egress, Refusal, Verdict};
use super::connection;
use super::dns::{self, Answer, Question, Unread};
use super::hosts::Hosts;
use super::names::Names;
use super::outside::Outside;
use super::record::Record;
use super::wait::is_not_yet;
use crate::counter::{Taken, take};
use crate::inside::{EVERYWHERE, Reach};
use crate::outcome::Breach;
use crate::plan::Traffic;

/// What a thread for one connection needs: it reads, compares and passes on.
const STACK: usize = 256 << 10;
/// How soon one looks again whether a connection has ended, when there are as many as may be.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// What goes on at the doors of one sandbox.
#[derive(Debug)]
pub(crate) struct Relay {
    shared: Arc<Shared>,
    /// Readable when a limit was gone over.
    pub(crate) alarm: PipeReader,
    /// Everything ends when this is closed.
    end: Option<PipeWriter>,
    thread: Option<JoinHandle<Option<Reach>>>,
}

/// What every thread of a relay knows.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) hosts: Hosts,
    pub(super) traffic: Traffic,
    pub(super) outside: Arc<dyn Outside>,
    /// Hangs up when the sandbox has ended.
    pub(super) end: PipeReader,
    names: Mutex<Names>,
    record: Mutex<Record>,
    bytes: AtomicU64,
    breach: Mutex<Option<Breach>>,
    alarm: PipeWriter,
}

/// What a panic left behind is still true: every change here is made whole or not at all.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// What a connection to `address` is for.
    pub(super) fn host(&self, address: std::net::IpAddr) -> Host {
        lock(&self.names).host(address)
    }

    /// Notes what was asked for.
    pub(super) fn note(&self, host: &str, port: Option<u16>, verdict: Verdict, bytes: (u64, u64)) {
        lock(&self.record).add(host, port, verdict, bytes);
    }

    /// Counts bytes that go by; whether there are too many now.
    pub(super) fn count(&self, bytes: usize) -> Result<(), Refusal> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.traffic.bytes {
            self.stop(Breach::Traffic);
            return Err(Refusal::Limit("the limit of traffic"));
        }
        Ok(())
    }

    /// Ends the run because of `breach`.
    fn stop(&self, breach: Breach) {
        let mut first = lock(&self.breach);
        if first.is_none() {
            *first = Some(breach);
            // Nobody who listens any more is nobody who could go on.
            let _told = io::Write::write(&mut &self.alarm, b"!");
        }
    }
}

impl Relay {
    /// Waits at `doors` for the doors of a sandbox that is being made.
    pub(crate) fn start(
        doors: OwnedFd,
        hosts: Hosts,
        traffic: Traffic,
        outside: Arc<dyn Outside>,
    ) -> io::Result<Self> {
        let (end, ended) = io::pipe()?;
        let (heard, alarm) = io::pipe()?;
        let shared = Arc::new(Shared {
            hosts,
            traffic,
            outside,
            end,
            names: Mutex::default(),
            record: Mutex::default(),
            bytes: AtomicU64::new(0),
            breach: Mutex::new(None),
            alarm,
        });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("doors".to_owned())
            .spawn(move || Attendant::new(of_thread, doors).attend())?;
        Ok(Self { shared, alarm: heard, end: Some(ended), thread: Some(thread) })
    }

    /// The limit that was gone over.
    pub(crate) fn breach(&self) -> Option<Breach> {
        *lock(&self.shared.breach)
    }

    /// Ends it, after the sandbox has ended: what was asked for, and where the network led; `None` when the sandbox ended
    /// before it had one. No thread and no socket is left.
    pub(crate) fn finish(mut self) -> (Egress, Option<Reach>) {
        let reach = self.end();
        (lock(&self.shared.record).told(), reach)
    }

    fn end(&mut self) -> Option<Reach> {
        drop(self.end.take());
        self.thread.take()?.join().unwrap_or_default()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _reach = self.end();
    }
}

/// The thread that stands at the doors.
struct Attendant {
    shared: Arc<Shared>,
    /// Where doors come from; `None` when all have come.
    doors: Option<OwnedFd>,
    reach: Option<Reach>,
    names: Option<UdpSocket>,
    listeners: Vec<(u16, TcpListener)>,
    connections: Vec<JoinHandle<()>>,
    /// Whether there was no descriptor or thread for the last connection: then the next one waits a moment.
    starved: bool,
}

/// One thing to be attended to.
#[derive(Clone, Copy)]
enum Source {
    End,
    Doors,
    Names,
    Listener(usize),
}

impl Attendant {
    fn new(shared: Arc<Shared>, doors: OwnedFd) -> Self {
        Self {
            shared,
            doors: Some(doors),
            reach: None,
            names: None,
            listeners: Vec::new(),
            connections: Vec::new(),
            starved: false,
        }
    }

    fn attend(mut self) -> Option<Reach> {
        while let Ok(sources) = self.wait() {
            if sources.iter().any(|source| matches!(source, Source::End)) {
                break;
            }
            for source in sources {
                match source {
                    Source::End => {}
                    Source::Doors => self.take_door(),
                    Source::Names => self.answer(),
                    Source::Listener(at) => self.accept(at),
                }
            }
        }
        self.close();
        self.reach
    }

    /// Waits for something to do.
    fn wait(&mut self) -> Result<Vec<Source>, Errno> {
        self.connections.retain(|connection| !connection.is_finished());
        let full = self.connections.len() >= self.shared.traffic.at_once || self.starved;
        self.starved = false;
        let mut open = vec![(Source::End, self.shared.end.as_fd())];
        open.extend(self.doors.iter().map(|doors| (Source::Doors, doors.as_fd())));
        open.extend(self.names.iter().map(|names| (Source::Names, names.as_fd())));
        if !full {
            let listeners = self.listeners.iter().enumerate();
            open.extend(listeners.map(|(at, (_, listener))| (Source::Listener(at), listener.as_fd())));
        }
        let mut asked: Vec<PollFd<'_>> =
            open.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        match poll(&mut asked, full.then_some(&LOOK_AGAIN)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let answered = open.iter().zip(&asked).filter(|(_, asked)| !asked.revents().is_empty());
        Ok(answered.map(|((source, _), _)| *source).collect())
    }

    /// Takes a door that the sandbox hands out.
    fn take_door(&mut self) {
        let Some(doors) = &self.doors else { return };
        match take(doors) {
            Ok(Taken::Descriptor(door, word)) => {
                self.reach = Some(if word == EVERYWHERE { Reach::Everywhere } else { Reach::Proxy });
                self.open(door);
            }
            Ok(Taken::NotYet) => {}
            Ok(Taken::Closed) | Err(_) => self.doors = None,
        }
    }

    fn open(&mut self, door: OwnedFd) {
        if rustix::net::sockopt::socket_type(&door) == Ok(SocketType::DGRAM) {
            self.names = Some(UdpSocket::from(door));
            return;
        }
        let listener = TcpListener::from(door);
        if let Ok(address) = listener.local_addr() {
            self.listeners.push((address.port(), listener));
        }
    }

    /// Answers the questions that wait.
    fn answer(&mut self) {
        let Some(socket) = &self.names else { return };
        let mut message = [0; dns::MESSAGE_AT_MOST];
        while let Ok((length, from)) = socket.recv_from(&mut message) {
            let answer = match Question::read(message.get(..length).unwrap_or_default()) {
                Ok(question) => question.answered(known(&self.shared, &question)),
                Err(Unread::Refused(head)) => head.to_vec(),
                Err(Unread::Ignored) => continue,
            };
            // Whoever takes no answer asks again.
            let _sent = socket.send_to(&answer, from);
        }
    }

    /// Takes the connections that wait at a listener, as long as there may be more.
    fn accept(&mut self, at: usize) {
        while self.connections.len() < self.shared.traffic.at_once {
            let Some((port, stream)) = self.next(at) else { return };
            let shared = Arc::clone(&self.shared);
            let serve = move || connection::serve(&shared, stream, port);
            match thread::Builder::new().name("door visit".to_owned()).stack_size(STACK).spawn(serve) {
                Ok(thread) => self.connections.push(thread),
                // Nobody can serve it; it is closed by being dropped.
                Err(_) => {
                    self.starved = true;
                    return;
                }
            }
        }
    }

    /// The next connection that waits at a listener, unless it is one too many.
    fn next(&mut self, at: usize) -> Option<(u16, TcpStream)> {
        let (port, listener) = self.listeners.get(at)?;
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                self.starved = !is_not_yet(&error);
                return None;
            }
        };
        let mut record = lock(&self.shared.record);
        if record.connections >= self.shared.traffic.connections {
            drop(record);
            self.shared.stop(Breach::Connections);
            return None;
        }
        record.connections += 1;
        Some((*port, stream))
    }

    /// The sandbox has ended. What it had asked for before is still looked at, so that it is recorded.
    fn close(&mut self) {
        while self.doors.is_some() {
            let before = self.listeners.len() + usize::from(self.names.is_some());
            self.take_door();
            if self.listeners.len() + usize::from(self.names.is_some()) == before {
                self.doors = None;
            }
        }
        self.answer();
        for at in 0..self.listeners.len() {
            while let Some((port, stream)) = self.next(at) {
                connection::serve(&self.shared, stream, port);
            }
        }
        for connection in self.connections.drain(..) {
            // One that panicked has recorded nothing more; the others have.
            let _ended = connection.join();
        }
    }
}

/// What is answered to `question`. No question leaves the host.
fn known(shared: &Shared, question: &Question<'_>) -> Answer {
    let name = question.name().and_then(|name| Host::parse(&name).ok());
    let refuse = |shown: &str, refusal: Refusal| {
        shared.note(shown, None, Verdict::Refused(refusal), (0, 0));
        Answer::NoName
    };
    match name {
        Some(host @ Host::Name(_)) if shared.hosts.know(&host) => {
            let shown = host.to_string();
            match lock(&shared.names).address(&shown) {
                Some(address) => {
                    shared.note(&shown, None, Verdict::Allowed, (0, 0));
                    Answer::Address(address)
                }
                None => {
                    refuse(&shown, Refusal::Limit("the limit of names"));
                    Answer::Failure
                }
            }
        }
        // Whose name an address has is asked out of habit, and is nobody's host.
        Some(_) if question.kind == dns::POINTER => Answer::NoName,
        Some(host) => refuse(&host.to_string(), Refusal::NotListed),
        None => refuse(&question.shown(), Refusal::NoHost),
    }
}
