//! `kitbag specialist list` and `kitbag specialist show ID`

use kitbag::specialist;
use kitbag::store::Store;

use crate::cli::HELP;
use crate::failure::{Answer, Failure};
use crate::interrupt;
use crate::render::{self, Plain, Shape};
use crate::terminal::Terminal;

use super::{StoreArg, failure};

const LIST: &str = "\
Examples:
  kitbag specialist list --store agents
  kitbag specialist list --store agents --output json
";

#[derive(Debug, clap::Args)]
#[command(before_help = LIST, help_template = HELP)]
pub(super) struct ListArgs {
    #[command(flatten)]
    store: StoreArg,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

const SHOW: &str = "\
Examples:
  kitbag specialist show rna-reader --store agents     its Skills, where they are, and what it may do
";

#[derive(Debug, clap::Args)]
#[command(before_help = SHOW, help_template = HELP)]
pub(super) struct ShowArgs {
    /// The identity of the Specialist, as `list` says it
    #[arg(value_name = "ID")]
    id: String,

    #[command(flatten)]
    store: StoreArg,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl ListArgs {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let entries = specialist::list(&Store::at(self.store.store), &interrupt).map_err(failure)?;
        match self.output {
            Shape::Human if entries.is_empty() => {
                terminal.talk(|out| writeln!(out, "no Specialist is installed"))?;
            }
            Shape::Human => terminal.words(|out| render::human::specialists(&entries, out))?,
            Shape::Json => terminal.data(|out| render::json::specialists(&entries, out))?,
        }
        Ok(Answer::Yes)
    }
}

impl ShowArgs {
    pub(super) fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let store = Store::at(self.store.store);
        let entry = specialist::show(&store, &self.id, &interrupt).map_err(failure)?;
        match (&entry, self.output) {
            (Some(entry), Shape::Human) => {
                terminal.words(|out| render::human::installed_specialist(entry, terminal.width(), out))?;
            }
            (None, Shape::Human) => {
                let id = self.id;
                terminal.talk(|out| writeln!(out, "no Specialist `{}` is installed", Plain(&id)))?;
            }
            (entry, Shape::Json) => {
                terminal.data(|out| render::json::installed_specialist(entry.as_ref(), out))?;
            }
        }
        Ok(if entry.is_some() { Answer::Yes } else { Answer::No })
    }
}
