//! What can be typed. Each verb's own arguments are beside the verb, in `commands/`.

use clap::{Parser, ValueEnum};

use crate::commands::Command;

/// Help of every command: what it does, examples, then usage and options.
pub const HELP: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  kitbag check my-skill          is it sound, and which programs would load it?
  kitbag check skills/           every package below a folder
  kitbag show my-skill.zip       what is it, and what may it do?
  kitbag init my-tool --splice   begin a package of your own
  kitbag diff old.adcap new/     what changed, and does it ask for more?
  kitbag fix my-skill            repair what can be repaired safely
  kitbag pack my-package         build its archive
  kitbag verify package.adcap    are these the bytes that its digests name?
  kitbag doctor                  what isolation is real on this machine?
  kitbag explain agent-skill/name-missing
                                 what a code means and what to do
";

/// The package manager and trust layer for what AI agents install
#[derive(Debug, Parser)]
#[command(
    name = "kitbag",
    version,
    before_help = EXAMPLES,
    help_template = HELP,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "\
Exit code: 0 yes, 1 no (errors found, refused), 2 could not (usage, reading, writing).
Standard output is data, standard error is talk."
)]
pub struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub command: Command,

    /// When to colour the output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: Color,
}

/// When to colour the output. `auto` is on a terminal, unless NO_COLOR is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}
