//! Consent: a question on standard error, an answer on standard input. Where nobody watches, the answer is no.

use std::io::{self, BufRead, IsTerminal, Read};

use crate::terminal::Terminal;

/// Longest answer that is read.
const ANSWER_BYTES: u64 = 1 << 10;

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Yes, in so many letters.
    Given,
    /// Anything else.
    Refused,
    /// Nobody was there to be asked.
    Unasked,
}

/// Asks `question`. Both ends must be a terminal: a question that nobody sees is not answered by what comes next in a pipe.
///
/// # Errors
/// When the question cannot be written or the answer not be read.
#[expect(clippy::disallowed_methods, reason = "this is the room that asks a person")]
pub fn ask(question: &str, terminal: &Terminal) -> io::Result<Consent> {
    if !terminal.is_watched() || !io::stdin().is_terminal() {
        return Ok(Consent::Unasked);
    }
    terminal.talk(|out| write!(out, "{question} [y/N] "))?;
    let mut answer = Vec::new();
    io::stdin().lock().take(ANSWER_BYTES).read_until(b'\n', &mut answer)?;
    let answer = String::from_utf8_lossy(&answer).trim().to_lowercase();
    Ok(if matches!(answer.as_str(), "y" | "yes") { Consent::Given } else { Consent::Refused })
}
