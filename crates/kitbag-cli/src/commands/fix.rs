//! `kitbag fix FOLDER`

use std::path::PathBuf;

use kitbag::fix::{Mode, Outcome, Report, Request, fix};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag fix --dry-run my-skill     what would be done
  kitbag fix my-skill               do it: quote a colon, strip a byte order mark, match the folder's name
  kitbag fix skills/                every package below a folder
";

/// Arguments of `fix`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// The folder of a package, or of many
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Show what would be done and write nothing
    #[arg(long)]
    dry_run: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Fixes.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let mode = if self.dry_run { Mode::Preview } else { Mode::Write };
        let progress = Progress::start("fixing", terminal);
        let request = Request { folder: self.folder, mode };
        let report = fix(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        drop(progress);
        match self.output {
            Shape::Human => terminal.words(|out| render::human::fix(&report, out))?,
            Shape::Json => terminal.data(|out| render::json::fix(&report, out))?,
        }
        if self.output == Shape::Human {
            terminal.talk(|out| render::human::fix_summary(&report, mode, out))?;
        }
        Ok(answer(&report))
    }
}

fn answer(report: &Report) -> Answer {
    let refused = report.packages.iter().any(|package| matches!(package.outcome, Outcome::Refused { .. }));
    if refused || report.errors_left > 0 { Answer::No } else { Answer::Yes }
}
