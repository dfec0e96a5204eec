//! `kitbag check PATH…`

use std::path::PathBuf;

use kitbag::check::{Request, check};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::progress::Progress;
use crate::render::{self, Output};
use crate::terminal::Terminal;

use super::input;

const EXAMPLES: &str = "\
Examples:
  kitbag check my-skill                     one package
  kitbag check skills/ more.zip             every package below a folder, and an archive
  kitbag check --profile codex my-skill     would Codex load it?
  kitbag check --strict --output github .   in GitHub Actions; warnings fail too
  kitbag check --output sarif . > kitbag.sarif
  kitbag check - < SKILL.md                 one document from standard input
";

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// Folders, archives or documents; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The file name under which standard input is checked
    #[arg(long, value_name = "NAME", default_value = "SKILL.md")]
    stdin_name: String,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Output,
}

impl Args {
    /// Checks.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let sources = input::sources(self.paths, &self.stdin_name)?;
        let progress = Progress::start("checking", terminal);
        let report = check(&Request { sources, ..Request::default() })
            .map_err(|error| Failure::new(Kind::Input, error))?;
        drop(progress);
        render::check(&report, self.output, terminal)?;
        Ok(if report.ok() { Answer::Yes } else { Answer::No })
    }
}
