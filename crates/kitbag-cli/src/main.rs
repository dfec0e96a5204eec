//! The program `kitbag`: words in, words out. Every rule of the domain is in the library; this crate knows the command
//! line, the terminal and how answers are written down.
#![forbid(unsafe_code)]

mod ask;
mod cli;
mod commands;
mod environment;
mod failure;
mod interrupt;
mod progress;
mod render;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    // Before anything else: the sandbox may have started this program as its inner part.
    kitbag_sandbox::inner_stage();
    if let Some(code) = inner_part() {
        return code;
    }
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.color);
    let answer = cli.command.run(&terminal);
    failure::exit_code(answer, &terminal)
}

/// What this program does where the library has started it in a sandbox, to read what a stranger wrote.
#[cfg(feature = "typescript")]
#[expect(clippy::disallowed_methods, reason = "it speaks with the library, and with no person")]
fn inner_part() -> Option<ExitCode> {
    let words = std::env::args_os().skip(1);
    let input = std::io::BufReader::new(std::io::stdin());
    kitbag::run::inner_stripper(words, input, std::io::stdout()).map(ExitCode::from)
}

#[cfg(not(feature = "typescript"))]
fn inner_part() -> Option<ExitCode> {
    None
}
