//! `kitbag specialist preview PACKAGE`

use std::path::PathBuf;

use kitbag::specialist::{self, ASKER, Look, Request, Verdict};
use kitbag::store::Store;

use crate::cli::HELP;
use crate::failure::{Answer, Failure};
use crate::interrupt;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

use super::{failure, now};

const EXAMPLES: &str = "\
Examples:
  kitbag specialist preview rna-reader.zip                    where nothing is installed yet
  kitbag specialist preview rna-reader.zip --store agents     compared with what is installed there
  kitbag specialist preview rna-reader/ --store agents --output json
                                                              with a token for `install --token`
";

#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub(super) struct Args {
    /// The package: a ZIP or a folder
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,

    /// The folder of a store to compare with; it remembers for ten minutes what was shown, under a token
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,

    /// Who asks: a preview takes the place of the one before by the same name
    #[arg(long, value_name = "NAME", default_value = ASKER, requires = "store")]
    asker: String,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let (answer, token) = match self.store {
            None => (specialist::preview(&Request { package: self.package }).map_err(failure)?, None),
            Some(folder) => {
                let look = Look { package: self.package, store: folder.clone(), now: now() };
                let interrupt = interrupt::on_signals()?;
                specialist::remember(&look, &self.asker, &Store::at(folder), &interrupt).map_err(failure)?
            }
        };
        match self.output {
            Shape::Human => {
                terminal.words(|out| render::human::check(&answer.report, terminal.width(), out))?;
                terminal.words(|out| render::human::specialist(&answer, terminal.width(), out))?;
                if let Some(token) = &token {
                    terminal.talk(|out| writeln!(out, "token: {}, for ten minutes", token.text))?;
                }
            }
            Shape::Json => terminal.data(|out| render::json::specialist(&answer, token.as_ref(), out))?,
        }
        Ok(if answer.verdict == Verdict::Installable { Answer::Yes } else { Answer::No })
    }
}
