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
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.color);
    let answer = cli.command.run(&terminal);
    failure::exit_code(answer, &terminal)
}
