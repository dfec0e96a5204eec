//! `kitbag specialist preview`

use std::path::PathBuf;

use clap::Subcommand;
use kitbag::specialist::{self, Request, Verdict};
use kitbag_core::formats::openscience::specialist::preview::Installed;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag specialist preview rna-reader.zip    what would an installation do?
";

/// Arguments of `specialist`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with a Specialist package.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what an installation where nothing is installed yet would do, and whether Open-Science would allow it
    Preview(Preview),
}

const PREVIEW: &str = "\
Examples:
  kitbag specialist preview rna-reader.zip
  kitbag specialist preview rna-reader/ --output json
";

#[derive(Debug, clap::Args)]
#[command(before_help = PREVIEW, help_template = HELP)]
struct Preview {
    /// The package: a ZIP or a folder
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let Verb::Preview(args) = self.verb;
        let request = Request { package: args.package, installed: Installed::default() };
        let answer = specialist::preview(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        match args.output {
            Shape::Human => {
                terminal.words(|out| render::human::check(&answer.report, terminal.width(), out))?;
                terminal.words(|out| render::human::specialist(&answer, out))?;
            }
            Shape::Json => terminal.data(|out| render::json::specialist(&answer, out))?,
        }
        Ok(if answer.verdict == Verdict::Installable { Answer::Yes } else { Answer::No })
    }
}
