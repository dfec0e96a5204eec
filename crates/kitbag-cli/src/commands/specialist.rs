//! `kitbag specialist preview`, `install`, `list`, `show`, `export` and `delete`

mod delete;
mod export;
mod install;
mod list;
mod preview;

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use kitbag::specialist::Error;
use kitbag::store::StoreError;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag specialist preview rna-reader.zip                    what would an installation do?
  kitbag specialist install rna-reader.zip --store agents     show it, ask, install it
  kitbag specialist list --store agents                       what is installed there?
  kitbag specialist export rna-reader --store agents          as a package for others
  kitbag specialist delete rna-reader --store agents          take it away
";

/// Arguments of `specialist`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with a Specialist.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what an installation would do, and whether Open-Science would allow it
    Preview(preview::Args),
    /// Install a package in a store, once it was shown and agreed to
    Install(install::Args),
    /// List the Specialists of a store
    List(list::ListArgs),
    /// Show a Specialist of a store: its Skills, and what it may do
    Show(list::ShowArgs),
    /// Export a Specialist of a store as a package, the same bytes every time
    Export(export::Args),
    /// Delete a Specialist of a store, and those of its Skills that nobody else needs
    Delete(delete::Args),
}

/// Where Specialists are installed.
#[derive(Debug, clap::Args)]
struct StoreArg {
    /// The folder of the store
    #[arg(long, value_name = "FOLDER")]
    store: PathBuf,
}

impl Args {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        match self.verb {
            Verb::Preview(args) => args.run(terminal),
            Verb::Install(args) => args.run(terminal),
            Verb::List(args) => args.run(terminal),
            Verb::Show(args) => args.run(terminal),
            Verb::Export(args) => args.run(terminal),
            Verb::Delete(args) => args.run(terminal),
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn failure(error: Error) -> Failure {
    let kind = match &error {
        Error::Write { .. } | Error::NotReadBack { .. } => Kind::Output,
        _ => Kind::Input,
    };
    let hint = match &error {
        Error::Store(StoreError::Missing { .. }) => "`kitbag specialist install` makes one",
        Error::Store(StoreError::Foreign { .. }) => "name a folder that is not there yet, or is empty",
        Error::Store(StoreError::Newer { .. }) => "use the newer kitbag",
        Error::Store(StoreError::Damaged { .. }) => {
            "nothing was changed; put the file back from a copy, or install into another store"
        }
        _ => return Failure::new(kind, error),
    };
    Failure::new(kind, error).hint(hint)
}
