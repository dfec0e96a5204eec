//! [`Stream`]: one of a program's streams as the supervisor reads it, bounded in all and line by line.

use std::os::fd::OwnedFd;
use std::sync::mpsc::Sender;

use rustix::io::Errno as Refusal;

use crate::outcome::Breach;

/// One of the program's streams.
pub(crate) struct Stream {
    pub(crate) from: Option<OwnedFd>,
    /// What is kept of it; nothing when it is passed on.
    pub(crate) kept: Vec<u8>,
    /// How many bytes may still come.
    room: usize,
    breach: Breach,
    /// The longest line there may be.
    pub(crate) line_at_most: Option<usize>,
    /// The length of the line that is going on.
    line: usize,
}

/// What is read at once.
const CHUNK: usize = 16 << 10;

impl Stream {
    pub(crate) fn new(from: OwnedFd, at_most: usize, breach: Breach) -> Self {
        Self { from: Some(from), kept: Vec::new(), room: at_most, breach, line_at_most: None, line: 0 }
    }

    /// Reads what is there, keeps it or passes it on; the breach, when it is more than may be.
    pub(crate) fn read(&mut self, to: Option<&Sender<Vec<u8>>>) -> Result<Option<Breach>, Refusal> {
        let Some(from) = &self.from else { return Ok(None) };
        let mut chunk = [0; CHUNK];
        let count = match rustix::io::read(from, &mut chunk) {
            Err(Refusal::INTR) => return Ok(None),
            answer => answer?,
        };
        let read = chunk.get(..count).unwrap_or_default();
        if read.is_empty() {
            self.from = None;
        }
        let taken = read.get(..self.room.min(count)).unwrap_or_default();
        let breach = (count > self.room).then_some(self.breach).or_else(|| self.long_line(taken));
        self.room -= taken.len();
        match to {
            // Whoever has stopped listening misses nothing.
            Some(to) if !taken.is_empty() => drop(to.send(taken.to_vec())),
            Some(_) => {}
            None => self.kept.extend_from_slice(taken),
        }
        Ok(breach)
    }

    /// Counts the lines in `bytes`; the breach, when one of them is too long.
    fn long_line(&mut self, bytes: &[u8]) -> Option<Breach> {
        let at_most = self.line_at_most?;
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            self.line = if at == 0 { self.line.saturating_add(line.len()) } else { line.len() };
            if self.line > at_most {
                return Some(Breach::Line);
            }
        }
        None
    }
}
