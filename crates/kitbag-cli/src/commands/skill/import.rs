//! `kitbag skill import`

use std::path::PathBuf;

use clap::ValueEnum;
use kitbag::skill::import::{self, Error, OnConflict, Order, Plan, Request, Source, Written};
use kitbag_core::formats::openscience::github::{self, Trouble};
use kitbag_registry::fetch::{Fetch, Token};
use kitbag_registry::github::{Client, Error as RemoteError};
#[cfg(feature = "https")]
use kitbag_registry::http::{Https, Plain};
use url::Url;

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::environment;
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
  kitbag skill import github:acme/skills/pdf@v2 --to skills
                                                         a folder of a repository, asked for over the network
";

/// Arguments of `skill import`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// Folders, archives (.zip, .skill, the archive of a repository) or Markdown documents; each holds one Skill or many.
    /// Or `github:owner/repo[/path][@ref]`, or an address on GitHub
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

    /// The variable that holds a token for GitHub; it is sent to GitHub's API and files, and nowhere else
    #[arg(long, value_name = "VARIABLE", help_heading = "GitHub")]
    token_from: Option<String>,

    /// Another server that answers as GitHub's API does
    #[arg(long, value_name = "URL", help_heading = "GitHub")]
    github_api: Option<Url>,

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
        let sources = self.sources.into_iter().map(source).collect::<Result<_, _>>()?;
        let request = Request { sources, to: self.to, order };
        let token = self.token_from.as_deref().map(token).transpose()?;
        let fetch = fetch(self.github_api.as_ref());
        let client = fetch.as_deref().map(|fetch| Client::new(fetch, self.github_api, token));
        let plan = import::plan(&request, client.as_ref()).map_err(failure)?;
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

/// What was named: a place on GitHub where it says so, otherwise a path.
fn source(named: PathBuf) -> Result<Source, Failure> {
    match named.to_str().filter(|text| github::is_meant(text)) {
        None => Ok(Source::Path(named)),
        Some(text) => github::place(text).map(Source::GitHub).ok_or_else(|| {
            let error = format!("`{text}` is no place on GitHub");
            Failure::new(Kind::Usage, error)
                .hint("write github:owner/repo[/path][@ref], or https://github.com/owner/repo/tree/ref/path")
        }),
    }
}

/// The token in a variable that was named. It is asked for by name, so that none is sent that nobody meant.
fn token(variable: &str) -> Result<Token, Failure> {
    let value = environment::variable(variable);
    value
        .as_deref()
        .and_then(Token::new)
        .ok_or_else(|| Failure::new(Kind::Usage, format!("the variable `{variable}` holds no token")))
}

/// Whoever asks the network for this program. A server of one's own may be asked without encryption, if it is on this machine.
#[cfg(feature = "https")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there is none")]
fn fetch(api: Option<&Url>) -> Option<Box<dyn Fetch>> {
    let plain = match api {
        Some(api) if github::is_loopback(api) => Plain::ToThisMachine,
        _ => Plain::Refused,
    };
    Some(Box::new(Https::new(plain)))
}

/// Nobody, in a program that was built without a network.
#[cfg(not(feature = "https"))]
fn fetch(_api: Option<&Url>) -> Option<Box<dyn Fetch>> {
    None
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
        Error::Read(_) | Error::Remote { .. } | Error::Offline { .. } => Kind::Input,
        Error::NotThere { .. } => Kind::Usage,
        _ => Kind::Output,
    };
    let hint = match error {
        Error::NotThere { .. } => Some("`--dry-run` without `--only` lists what is there"),
        Error::Remote {
            error: RemoteError::Trouble(Trouble::Limited | Trouble::Forbidden { .. }), ..
        } => Some("`--token-from VARIABLE` asks in your own name, which GitHub allows more often"),
        Error::Stale { .. } => Some("nothing was written; run the command again"),
        _ => None,
    };
    let failure = Failure::new(kind, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
