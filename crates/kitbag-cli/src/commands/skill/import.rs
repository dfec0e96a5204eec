//! `kitbag skill import`

use std::path::PathBuf;

use clap::ValueEnum;
use kitbag::skill::import::{self, Error, OnConflict, Order, Plan, Request, Written};

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::Progress;
use crate::render::{self, Shape};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  kitbag skill import skills.zip --dry-run               which Skills are in it, and what would become of them here?
  kitbag skill import skills.zip --to ~/.claude/skills   look, be asked, import
  kitbag skill import a.skill b.zip notes.md folder/ --yes
                                                         several at once, without being asked
  kitbag skill import skills.zip --only pdf --existing replace --yes
                                                         one of them, in the place of the one that is there
";

/// Arguments of `skill import`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// Folders, archives (.zip, .skill, the archive of a repository) or Markdown documents; each holds one Skill or many
    #[arg(value_name = "PATH", required = true)]
    sources: Vec<PathBuf>,

    /// The folder that each Skill gets a folder in
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    to: PathBuf,

    /// Only these Skills, by name or by their place in the source
    #[arg(long, value_name = "SKILL,…", value_delimiter = ',')]
    only: Vec<String>,

    /// What to do where another folder has the name of a Skill
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    existing: WhenThere,

    /// Show what would be done and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Do what the preview says without being asked
    #[arg(long, short = 'y')]
    yes: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

/// What to do where something else has the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum WhenThere {
    /// Import neither, and say so
    #[default]
    Refuse,
    /// Leave the one that is there
    Skip,
    /// Import it under another name
    KeepBoth,
    /// Put it in the place of the one that is there
    Replace,
}

impl From<WhenThere> for OnConflict {
    fn from(existing: WhenThere) -> Self {
        match existing {
            WhenThere::Refuse => Self::Refuse,
            WhenThere::Skip => Self::Skip,
            WhenThere::KeepBoth => Self::KeepBoth,
            WhenThere::Replace => Self::Replace,
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    /// It was only looked at.
    Previewed,
    /// Nobody said yes.
    Unconfirmed(Consent),
    /// Nothing is to be written.
    Nothing,
    /// It was done.
    Imported(Written),
}

impl Args {
    /// Looks, asks, imports.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let progress = Progress::start("reading", terminal);
        let order = Order { only: self.only, on_conflict: self.existing.into() };
        let request = Request { sources: self.sources, to: self.to, order };
        let plan = import::plan(&request).map_err(failure)?;
        drop(progress);
        if self.output == Shape::Human {
            terminal.words(|out| render::human::check(&plan.report, terminal.width(), out))?;
            terminal.words(|out| render::human::import(&plan, terminal.width(), out))?;
        }
        let outcome = if self.dry_run {
            Outcome::Previewed
        } else if plan.tally().to_write() == 0 {
            Outcome::Nothing
        } else {
            match consent(&plan, self.yes, terminal)? {
                Consent::Given => {
                    let progress = Progress::start("importing", terminal);
                    let written = plan.write(&interrupt).map_err(failure)?;
                    drop(progress);
                    Outcome::Imported(written)
                }
                consent => Outcome::Unconfirmed(consent),
            }
        };
        match self.output {
            Shape::Human => terminal.talk(|out| render::human::import_summary(&plan, &outcome, out))?,
            Shape::Json => terminal.data(|out| render::json::import(&plan, &outcome, out))?,
        }
        let is_done = !matches!(outcome, Outcome::Unconfirmed(_));
        Ok(if is_done && plan.is_complete() { Answer::Yes } else { Answer::No })
    }
}

fn consent(plan: &Plan, yes: bool, terminal: &Terminal) -> Result<Consent, Failure> {
    if yes {
        return Ok(Consent::Given);
    }
    let question = render::human::import_question(plan);
    ask(&question, terminal)
        .map_err(|error| Failure::new(Kind::Input, format!("nobody could be asked: {error}")))
}

fn failure(error: Error) -> Failure {
    let kind = match error {
        Error::Read(_) => Kind::Input,
        Error::NotThere { .. } => Kind::Usage,
        _ => Kind::Output,
    };
    let hint = match error {
        Error::NotThere { .. } => Some("`--dry-run` without `--only` lists what is there"),
        Error::Stale { .. } => Some("nothing was written; run the command again"),
        _ => None,
    };
    let failure = Failure::new(kind, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
