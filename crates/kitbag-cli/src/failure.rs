//! Why the program could not do what was asked, in words and hints; and the one place where an exit code is chosen.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

use crate::render::Plain;
use crate::terminal::Terminal;

/// What the question was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Sound, done, there.
    Yes,
    /// Errors found, refused, denied.
    No,
    /// Nothing, because the question could not be understood; that was already said in the form its caller knows.
    Misused,
}

/// Whose turn it is to act on a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whoever typed the command.
    Usage,
    /// Whoever owns the file that cannot be read.
    Input,
    /// Whoever reads our output.
    Output,
}

impl Kind {
    /// The exit code. Whoever has to act, the question has no answer.
    const fn code(self) -> u8 {
        match self {
            Self::Usage | Self::Input | Self::Output => 2,
        }
    }
}

/// The work could not be done. Findings are never failures.
#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    error: Box<dyn Error>,
    hints: Vec<String>,
}

impl Failure {
    /// A failure with the error that caused it.
    pub fn new(kind: Kind, error: impl Into<Box<dyn Error>>) -> Self {
        Self { kind, error: error.into(), hints: Vec::new() }
    }

    /// Says what to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Writing our own output failed: the only unclassified I/O a command does.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(Kind::Output, format!("cannot write the output: {error}"))
    }
}

/// 0 yes, 1 no, 2 could not. Says the failure on standard error first.
pub fn exit_code(answer: Result<Answer, Failure>, terminal: &Terminal) -> ExitCode {
    match answer {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Misused) => ExitCode::from(Kind::Usage.code()),
        Err(failure) => {
            // Nobody is left to tell when standard error is gone too.
            let _unsaid = terminal.talk(|out| say(&failure, out));
            ExitCode::from(failure.kind.code())
        }
    }
}

pub fn say(failure: &Failure, out: &mut dyn Write) -> io::Result<()> {
    let error = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let hint = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
    writeln!(out, "{error}error{error:#}: {}", Plain(&failure.to_string()))?;
    let mut cause = failure.error.source();
    while let Some(error) = cause {
        writeln!(out, "  because: {}", Plain(&error.to_string()))?;
        cause = error.source();
    }
    for text in &failure.hints {
        writeln!(out, "{hint}hint{hint:#}: {}", Plain(text))?;
    }
    Ok(())
}
