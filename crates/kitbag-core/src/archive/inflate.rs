//! Raw deflate, a chunk at a time, with the count of what went in and what came out.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress, Status};

use super::codes;
use super::refusal::{Offset, Refusal};

/// Compressed bytes held at once.
const BUFFER_BYTES: usize = 32 << 10;

/// Inflates one raw deflate stream and stops exactly at its end; what follows stays readable through [`Inflate::rest`].
pub(super) struct Inflate<R> {
    source: R,
    /// Where `source` stood in the archive when it was handed over.
    base: u64,
    buffer: Box<[u8]>,
    /// The bytes of `buffer` not consumed yet.
    waiting: std::ops::Range<usize>,
    deflate: Decompress,
    ended: bool,
}

impl<R: Read> Inflate<R> {
    pub(super) fn new(source: R, base: u64) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self { source, base, buffer, waiting: 0..0, deflate: Decompress::new(false), ended: false }
    }

    /// Compressed bytes consumed so far.
    pub(super) fn consumed(&self) -> u64 {
        self.deflate.total_in()
    }

    /// The next byte of the archive to be consumed.
    pub(super) fn at(&self) -> Offset {
        Offset::Archive(self.base.saturating_add(self.consumed()))
    }

    /// What follows the stream: bytes read too far, then the source.
    pub(super) fn rest(&mut self) -> impl Read + '_ {
        (&self.buffer[self.waiting.clone()]).chain(&mut self.source)
    }

    fn refill(&mut self) -> io::Result<()> {
        loop {
            match self.source.read(&mut self.buffer) {
                Ok(n) => {
                    self.waiting = 0..n;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !into.is_empty() {
            if self.waiting.is_empty() {
                self.refill()?;
            }
            let (before_in, before_out) = (self.deflate.total_in(), self.deflate.total_out());
            let step =
                self.deflate.decompress(&self.buffer[self.waiting.clone()], into, FlushDecompress::None);
            let went_in = usize::try_from(self.deflate.total_in() - before_in).unwrap_or(usize::MAX);
            let came_out = usize::try_from(self.deflate.total_out() - before_out).unwrap_or(usize::MAX);
            let nothing_waits = self.waiting.is_empty();
            self.waiting.start += went_in;
            match step {
                Ok(Status::StreamEnd) => self.ended = true,
                Ok(Status::Ok | Status::BufError) => {}
                Err(_) => {
                    let message = "the compressed bytes are not deflate";
                    return Err(Refusal::new(&codes::DEFLATE, self.at(), message).into());
                }
            }
            if came_out > 0 {
                return Ok(came_out);
            }
            if nothing_waits && !self.ended {
                let message = "the compressed bytes end in the middle";
                return Err(Refusal::new(&codes::TRUNCATED, self.at(), message).into());
            }
            if went_in == 0 && !self.ended {
                // Room to write, bytes to read, no step taken: the decoder would stand still for ever.
                let message = "the compressed bytes lead nowhere";
                return Err(Refusal::new(&codes::DEFLATE, self.at(), message).into());
            }
        }
        Ok(0)
    }
}
