//! `kitbag completions SHELL`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, HELP};
use crate::failure::{Answer, Failure};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag completions bash > ~/.local/share/bash-completion/completions/kitbag
  kitbag completions zsh > ~/.zfunc/_kitbag
  kitbag completions fish > ~/.config/fish/completions/kitbag.fish
";

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Args {
    /// Prints the script.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        // The generator panics when its writer fails, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "kitbag", &mut script);
        terminal.data(|out| out.write_all(&script))?;
        Ok(Answer::Yes)
    }
}
