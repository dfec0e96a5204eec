//! `kitbag run PATH TOOL`

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kitbag::check;
use kitbag::read::Source;
use kitbag::run::{Error, Fault, Given, Input, Prepared, Request, prepare};
use kitbag::show;

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::environment;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::{Fetching, Progress};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

use super::input;
use super::supply::Sources;

const EXAMPLES: &str = "\
Examples:
  kitbag run my-package.adcap                        which tools are there?
  kitbag run my-package scan path=src/main.css       look at what it may do, be asked, run it here
  kitbag run my-package check --input '{\"n\": 1}' --yes
                                                     the input as JSON, without being asked
  kitbag run my-package search --dependency acme/index=index.adcap
                                                     with a package that this one needs
  echo '{\"n\": 1}' | kitbag run my-package check --input - --output json
                                                     for programs: answer, logs, isolation
  kitbag run my-skill image.shrink INPUT=photo.png OUTPUT=small.png -- --width 200
                                                     a command of a SkillPact contract: files, arguments
";

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP)]
pub struct Args {
    /// A folder or an archive that is one package
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// The tool, by any of its names, or the capability that is a command; without it, the tools are listed
    #[arg(value_name = "TOOL")]
    tool: Option<String>,

    /// Members of the input, read as its schema says; for a command, `INPUT=FILE` and `OUTPUT=FILE`
    #[arg(value_name = "KEY=VALUE")]
    members: Vec<String>,

    /// Further arguments, for a command
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,

    /// The input as JSON; `-` is standard input. A command reads it
    #[arg(long, value_name = "JSON")]
    input: Option<String>,

    /// A file of secrets for a connector, a line `NAME=VALUE` each; only what the connector asks for is handed over
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,

    /// The project that the tool reaches as far as it may; without it, the current folder
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,

    #[command(flatten)]
    sources: Sources,

    /// Run it without being asked
    #[arg(long, short = 'y')]
    yes: bool,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Output")]
    output: Shape,
}

impl Args {
    /// Prepares, asks, runs.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let Some(tool) = self.tool else { return list(self.path, self.output, terminal) };
        let interrupt = interrupt::on_signals()?;
        let fetching = Fetching::default();
        let request = Request {
            path: self.path,
            tool: tool.clone(),
            project: environment::absolute(&self.project)?,
            cache: cache()?,
            search: environment::search(),
            environment: variables(self.secrets.as_deref())?,
            stage: environment::myself().ok(),
            dependencies: self.sources.dependencies()?,
            supply: self.sources.supply(&fetching)?,
        };
        let progress = Progress::start("reading", terminal);
        let prepared = match prepare(&request, &interrupt) {
            Ok(prepared) => prepared,
            Err(error) => {
                drop(progress);
                return not_started(error, &tool, self.output, terminal);
            }
        };
        drop(progress);
        let input = match given(&prepared, self.input.as_deref(), &self.members, &self.arguments)? {
            Ok(input) => input,
            Err(fault) => {
                match self.output {
                    Shape::Human => terminal.talk(|out| render::human::run_fault(&fault, out))?,
                    Shape::Json => terminal.data(|out| render::json::run_fault(&prepared, &fault, out))?,
                }
                return Ok(Answer::No);
            }
        };
        match consent(&prepared, self.yes, terminal)? {
            Consent::Given => {}
            Consent::Refused => {
                terminal.talk(|out| writeln!(out, "nothing was run"))?;
                return Ok(Answer::No);
            }
            Consent::Unasked => {
                let said = "nothing was run: nobody is here to be asked; `--yes` runs it without a question";
                terminal.talk(|out| writeln!(out, "{said}"))?;
                return Ok(Answer::No);
            }
        }
        let progress = Progress::fetching("running", fetching, terminal);
        let ran = prepared.run(&input);
        drop(progress);
        let ran = match ran {
            Ok(ran) => ran,
            Err(error) => return not_started(error, &tool, self.output, terminal),
        };
        match self.output {
            Shape::Human => {
                terminal.talk(|out| render::human::run_talk(&ran, out))?;
                if let Ok(output) = &ran.answer {
                    match output.as_str().filter(|_| prepared.gives_text()) {
                        Some(text) => terminal.data(|out| out.write_all(text.as_bytes()))?,
                        None => terminal.data(|out| render::json::run_output(output, out))?,
                    }
                }
            }
            Shape::Json => terminal.data(|out| render::json::run(&prepared, &ran, out))?,
        }
        Ok(if ran.answer.is_ok() { Answer::Yes } else { Answer::No })
    }
}

/// The variables that could be passed on, those in a file before those of the environment.
fn variables(secrets: Option<&Path>) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut variables = environment::variables();
    let Some(path) = secrets else { return Ok(variables) };
    let given = kitbag::run::secrets(path).map_err(|error| {
        let shown = path.display();
        Failure::new(Kind::Input, format!("the secrets in `{shown}` cannot be read: {error}"))
    })?;
    variables.retain(|(name, _)| !given.iter().any(|(given, _)| given == name));
    variables.extend(given);
    Ok(variables)
}

/// Where copies and consents are kept.
pub(super) fn cache() -> Result<PathBuf, Failure> {
    environment::cache().ok_or_else(|| {
        Failure::new(Kind::Usage, "nothing says where your cache is")
            .hint("set KITBAG_CACHE to a folder of yours, as an absolute path")
    })
}

/// Shows what can be run.
fn list(path: PathBuf, output: Shape, terminal: &Terminal) -> Result<Answer, Failure> {
    let request = show::Request { source: Source::Path(path), profiles: check::Profiles::Only(Vec::new()) };
    let shown = show::show(&request).map_err(|error| Failure::new(Kind::Input, error))?;
    match output {
        Shape::Human => terminal.words(|out| render::human::tools(&shown, terminal.width(), out))?,
        Shape::Json => terminal.data(|out| render::json::tools(&shown, out))?,
    }
    let has_tools = shown.packages.iter().any(|one| !(one.tools.is_empty() && one.commands.is_empty()));
    Ok(if has_tools { Answer::Yes } else { Answer::No })
}

/// The input that was given, if it is what the tool takes.
fn given(
    prepared: &Prepared,
    json: Option<&str>,
    members: &[String],
    arguments: &[OsString],
) -> Result<Result<Input, Fault>, Failure> {
    let bytes = match json {
        Some("-") => Some(input::all()?),
        Some(text) => Some(text.as_bytes().to_vec()),
        None => None,
    };
    Ok(prepared.input(&Given { json: bytes.as_deref(), members: &pairs(members)?, arguments }))
}

/// Members that were typed one by one.
pub(super) fn pairs(members: &[String]) -> Result<Vec<(&str, &str)>, Failure> {
    let pair = |member| {
        let member: &String = member;
        member.split_once('=').ok_or_else(|| {
            Failure::new(Kind::Usage, format!("`{}` is no KEY=VALUE", member.escape_debug()))
                .hint("a whole input goes behind `--input`")
        })
    };
    members.iter().map(pair).collect()
}

fn consent(prepared: &Prepared, yes: bool, terminal: &Terminal) -> Result<Consent, Failure> {
    if yes || prepared.is_remembered() {
        return Ok(Consent::Given);
    }
    if terminal.is_watched() {
        terminal.talk(|out| render::human::run_question(prepared, terminal.width(), out))?;
    }
    let answer = ask(&format!("run {}?", prepared.tool), terminal)
        .map_err(|error| Failure::new(Kind::Input, format!("nobody could be asked: {error}")))?;
    if answer == Consent::Given {
        prepared.remember().map_err(|error| {
            Failure::new(Kind::Output, format!("the answer cannot be remembered: {error}"))
        })?;
    }
    Ok(answer)
}

/// Nothing was started. Programs are told so in the form of every answer.
fn not_started(error: Error, tool: &str, output: Shape, terminal: &Terminal) -> Result<Answer, Failure> {
    if output == Shape::Json {
        terminal.data(|out| render::json::run_refused(tool, &error, out))?;
    }
    refused(error, terminal)
}

/// What was asked for is not done. Where the package itself is the reason, that is an answer.
pub(super) fn refused(error: Error, terminal: &Terminal) -> Result<Answer, Failure> {
    let kind = match &error {
        Error::NoTool { .. } | Error::NoPackage { .. } => Kind::Usage,
        Error::Copy(_) => Kind::Output,
        _ => Kind::Input,
    };
    let hint = match &error {
        Error::NoTool { known, .. } if !known.is_empty() => Some(format!("it has {}", known.join(", "))),
        Error::Unsupported { help, .. } => help.clone(),
        Error::Resource(kitbag::resource::Error::Offline { .. }) => {
            Some("without `--offline`, it is fetched".to_owned())
        }
        Error::Broken { .. } => Some("`kitbag check` says what is wrong".to_owned()),
        Error::Tampered(_) => Some("`kitbag verify` says which files".to_owned()),
        _ => None,
    };
    let is_answer = matches!(error, Error::Broken { .. } | Error::Tampered(_));
    let failure = Failure::new(kind, error);
    let failure = match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    };
    if is_answer {
        terminal.talk(|out| crate::failure::say(&failure, out))?;
        return Ok(Answer::No);
    }
    Err(failure)
}
