//! `kitbag man [COMMAND]`

use clap::CommandFactory;

use crate::cli::{Cli, HELP};
use crate::failure::{Answer, Failure, Kind};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag man | man -l -
  kitbag man check > kitbag-check.1
";

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The command whose page is printed; without it, the page of kitbag itself
    command: Vec<String>,
}

impl Args {
    /// Prints the page.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let mut command = Cli::command().display_name("kitbag");
        command.build();
        for name in &self.command {
            let below = command.find_subcommand(name).cloned();
            command = below.ok_or_else(|| {
                Failure::new(Kind::Usage, format!("`{}` has no command `{name}`", command.get_name()))
                    .hint("`kitbag --help` lists the commands")
            })?;
        }
        // The generator prints what follows the help and not what comes before it.
        if let Some(examples) = command.get_before_help().map(ToString::to_string) {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            command = command.after_help(format!("{examples}\n{after}"));
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        terminal.data(|out| out.write_all(&page))?;
        Ok(Answer::Yes)
    }
}
