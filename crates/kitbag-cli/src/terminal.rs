//! Standard output for data, standard error for talk: when to colour, how wide, and who is listening.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use crate::cli::Color;

/// Columns where nobody says how many there are.
const WIDTH_OF_A_FILE: usize = 100;
/// Narrower than this, wrapping destroys more than it saves.
const NARROWEST: usize = 40;
/// Wider than this, lines are hard to follow.
const WIDEST: usize = 120;

/// The two streams of the program. A reader that closed its end has what it wanted: whatever is written after that is
/// dropped in silence.
#[derive(Clone, Debug)]
pub struct Terminal {
    color: ColorChoice,
}

impl Terminal {
    /// The streams, coloured as asked.
    pub fn new(color: Color) -> Self {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        };
        Self { color }
    }

    /// Writes words to standard output; styles pass only where they are wanted.
    ///
    /// # Errors
    /// Whatever keeps the words from being written, except a closed pipe.
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard output")]
    pub fn words(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        written(AutoStream::new(io::stdout().lock(), self.color), write)
    }

    /// Writes a document for machines to standard output, as it is.
    ///
    /// # Errors
    /// Whatever keeps the document from being written, except a closed pipe.
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard output")]
    pub fn data(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        written(io::stdout().lock(), write)
    }

    /// Writes words to standard error.
    ///
    /// # Errors
    /// Whatever keeps the words from being written, except a closed pipe.
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard error")]
    pub fn talk(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        written(AutoStream::new(io::stderr().lock(), self.color), write)
    }

    /// Whether a person watches standard error.
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard error")]
    pub fn is_watched(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Columns to write for.
    #[expect(clippy::disallowed_methods, reason = "this is the room that owns standard output")]
    pub fn width(&self) -> usize {
        let size = terminal_size::terminal_size_of(io::stdout());
        size.map_or(WIDTH_OF_A_FILE, |(width, _)| usize::from(width.0)).clamp(NARROWEST, WIDEST)
    }
}

fn written(stream: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut stream = BufWriter::with_capacity(64 << 10, stream);
    let result = write(&mut stream).and_then(|()| stream.flush());
    // What is still in the buffer after a failure would be written, and fail, again.
    let _unwritten = stream.into_parts();
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
