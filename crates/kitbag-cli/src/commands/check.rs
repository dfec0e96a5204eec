//! `kitbag check PATH…`

use std::path::PathBuf;

use kitbag::check::{Grading, Regrade, Report, Request, Warnings, check};

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

    /// The file name of standard input; without it, the content decides
    #[arg(long, value_name = "NAME")]
    stdin_name: Option<String>,

    #[command(flatten)]
    profiles: input::Profiles,

    /// Warnings fail the check too
    #[arg(long)]
    strict: bool,

    /// Findings with this code are errors; may be repeated
    #[arg(long, value_name = "CODE")]
    deny: Vec<String>,

    /// Findings with this code are left out; may be repeated
    #[arg(long, value_name = "CODE")]
    allow: Vec<String>,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Output,
}

impl Args {
    /// Checks.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let warnings = if self.strict { Warnings::Count } else { Warnings::Ignore };
        let request = Request {
            regrade: regrade(&self.deny, &self.allow)?,
            profiles: self.profiles.wanted()?,
            sources: input::sources(self.paths, self.stdin_name.as_deref())?,
            warnings,
        };
        let progress = Progress::start("checking", terminal);
        let report = check(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        drop(progress);
        render::check(&report, self.output, warnings, terminal)?;
        if self.output == Output::Human {
            terminal.talk(|out| render::human::summary(&report.counts, out))?;
        }
        Ok(answer(&report))
    }
}

fn answer(report: &Report) -> Answer {
    if report.ok() { Answer::Yes } else { Answer::No }
}

fn regrade(deny: &[String], allow: &[String]) -> Result<Regrade, Failure> {
    let mut regrade = Regrade::default();
    for (codes, grading) in [(allow, Grading::Allow), (deny, Grading::Deny)] {
        for code in codes {
            regrade.set(code, grading).map_err(|error| {
                Failure::new(Kind::Usage, error).hint("`kitbag explain` lists every code")
            })?;
        }
    }
    Ok(regrade)
}
