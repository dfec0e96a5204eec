//! How answers are written down. Each form is a file; each takes the library's answer and a writer, and knows nothing
//! else.

pub mod human;
pub mod json;
mod plain;

use std::io;

use clap::ValueEnum;
use kitbag::check::Report;

use crate::terminal::Terminal;

pub use plain::Plain;

/// The forms of the answer of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    #[default]
    Human,
    /// Version 1 of kitbag's JSON
    Json,
}

/// The forms of every other answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// For people
    #[default]
    Human,
    /// Version 1 of kitbag's JSON
    Json,
}

/// Writes the answer of `check` to standard output.
///
/// # Errors
/// Whatever keeps it from being written.
pub fn check(report: &Report, output: Output, terminal: &Terminal) -> io::Result<()> {
    match output {
        Output::Human => terminal.words(|out| human::check(report, terminal.width(), out)),
        Output::Json => terminal.data(|out| json::check(report, out)),
    }
}
