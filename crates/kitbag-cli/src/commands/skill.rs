//! `kitbag skill check|import`

mod import;

use std::path::PathBuf;

use clap::Subcommand;
use kitbag::check::Warnings;
use kitbag::skill::{self, Request};

use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

pub use import::Outcome as ImportOutcome;

const EXAMPLES: &str = "\
Examples:
  kitbag skill check my-skill           can it be published, by the rules of Open-Science?
  kitbag skill import skills.zip        which Skills are in it? Import those that are wanted
";

/// Arguments of `skill`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with a Skill of Open-Science.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Check a Skill before it is published in Open-Science, which is stricter than any program that loads one
    Check(Check),
    /// Import Skills from folders, archives and documents: look first, then say yes
    Import(import::Args),
}

const CHECK: &str = "\
Examples:
  kitbag skill check my-skill
  kitbag skill check --strict my-skill another
  kitbag skill check --output json my-skill.zip
";

#[derive(Debug, clap::Args)]
#[command(before_help = CHECK, help_template = HELP)]
struct Check {
    /// Folders or archives, each of them one Skill
    #[arg(value_name = "SKILL", required = true)]
    skills: Vec<PathBuf>,

    /// Warnings fail the check too
    #[arg(long)]
    strict: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let args = match self.verb {
            Verb::Check(args) => args,
            Verb::Import(args) => return args.run(terminal),
        };
        let warnings = if args.strict { Warnings::Count } else { Warnings::Ignore };
        let request = Request { skills: args.skills, warnings };
        let report = skill::check(&request).map_err(|error| Failure::new(Kind::Input, error))?;
        match args.output {
            Shape::Human => {
                terminal.words(|out| render::human::check(&report, terminal.width(), out))?;
                terminal.talk(|out| render::human::summary(&report.counts, out))?;
            }
            Shape::Json => terminal.data(|out| render::json::skill_check(&report, out))?,
        }
        Ok(if report.ok() { Answer::Yes } else { Answer::No })
    }
}
