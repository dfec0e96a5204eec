//! The program `kitbag`: words in, words out. Every rule of the domain is in the library; this crate knows the command
//! line, the terminal and how answers are written down.
#![forbid(unsafe_code)]

mod ask;
mod cli;
mod commands;
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
    let cli = Cli::parse();
    let terminal = Terminal::new(cli.color);
    let answer = cli.command.run(&terminal);
    failure::exit_code(answer, &terminal)
}
