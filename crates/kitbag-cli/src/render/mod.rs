//! How answers are written down. Each form is a file; each takes the library's answer and a writer, and knows nothing
//! else.

mod document;
#[cfg(test)]
mod fixture;
mod github;
pub mod human;
pub mod json;
mod junit;
mod place;
mod plain;
mod sarif;

use std::io;

use clap::ValueEnum;
use kitbag::check::{Report, Warnings};

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
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations in a GitHub Actions log
    Github,
    /// JUnit XML, for test reports
    Junit,
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
pub fn check(report: &Report, output: Output, warnings: Warnings, terminal: &Terminal) -> io::Result<()> {
    // Machines look for files from where the program runs. Where that is gone, paths stay as they were typed.
    let here = std::env::current_dir().unwrap_or_default();
    match output {
        Output::Human => terminal.words(|out| human::check(report, terminal.width(), out)),
        Output::Json => terminal.data(|out| json::check(report, out)),
        Output::Sarif => terminal.data(|out| sarif::check(report, &here, out)),
        Output::Github => terminal.data(|out| github::check(report, &here, out)),
        Output::Junit => terminal.data(|out| junit::check(report, warnings, out)),
    }
}
