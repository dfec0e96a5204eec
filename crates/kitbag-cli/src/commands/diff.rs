//! `kitbag diff OLD NEW`

use std::path::PathBuf;

use kitbag::diff::{DiffError, Request, diff};
use kitbag::read::Source;

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag diff my-skill-1.0.0.tar.gz my-skill    what changed since the release?
  kitbag diff old.adcap new.adcap               may the new one take the old one's place?
  kitbag diff --output json old/ new/           for programs
";

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = EXAMPLES,
    help_template = HELP,
    after_help = "\
Exit code: 0 when NEW may take the place of OLD without asking anybody: it asks for nothing more, and its version says
how much changed. 1 when it asks for more, or its version says less than it should. 2 when the two cannot be compared."
)]
pub struct Args {
    /// The old version: a folder, an archive or a document with one package
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The new version, in any of these forms
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Compares.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let request = Request { old: Source::Path(self.old), new: Source::Path(self.new) };
        let progress = Progress::start("comparing", terminal);
        let difference = diff(&request).map_err(failure)?;
        drop(progress);
        match self.output {
            Shape::Human => terminal.words(|out| render::human::diff(&difference, terminal.width(), out))?,
            Shape::Json => terminal.data(|out| render::json::diff(&difference, out))?,
        }
        Ok(if difference.is_fine() { Answer::Yes } else { Answer::No })
    }
}

fn failure(error: DiffError) -> Failure {
    let hint = match &error {
        DiffError::Several { .. } => Some("name the folder of one of them"),
        DiffError::NoPackage { .. } => Some("`kitbag check` says what is wrong there"),
        _ => None,
    };
    let failure = Failure::new(Kind::Input, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
