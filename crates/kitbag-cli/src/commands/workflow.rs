//! `kitbag workflow run`

use std::path::PathBuf;

use clap::Subcommand;
use kitbag::run;
use kitbag::workflow::{Ended, Error, Prepared, Request, State, prepare};
use kitbag_core::formats::adcap::Course;
use kitbag_core::json::print;

use crate::ask::{Consent, ask};
use crate::cli::HELP;
use crate::environment;
use crate::failure::{Answer, Failure, Kind};
use crate::interrupt;
use crate::progress::{Fetching, Progress};
use crate::render::{self, Shape};
use crate::terminal::Terminal;

use super::input;
use super::run::{cache, pairs, refused};
use super::supply::Sources;

const EXAMPLES: &str = "\
Examples:
  kitbag workflow run my-package review path=src/main.css
                                       its steps one after the other, each inside its permissions
";

/// Arguments of `workflow`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, help_template = HELP, arg_required_else_help = true)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with a workflow.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a workflow of an .adcap package: its tools, as `run` runs them, up to a step that only an agent can do
    Run(Run),
}

const RUN: &str = "\
Examples:
  kitbag workflow run my-package review path=a.css     look at what its tools may do, be asked, run them
  kitbag workflow run my-package review path=a.css --state review.json
                                       stop where an agent has something to do, and keep what there is
  kitbag workflow run my-package review --state review.json --answer 'two are too pale'
                                       go on from there, with what the agent said
  kitbag workflow run my-package review --input '{\"path\": \"a.css\"}' --output json --yes
                                       for programs: .ended, .output, .instruction, .results
";

#[derive(Debug, clap::Args)]
#[command(
    before_help = RUN,
    help_template = HELP,
    after_help = "\
At a step for an agent, its instruction is the answer and the exit code is 0: whoever has an agent
carries it out and goes on with --state. A step that failed is tried again by the next run with the
same state; the file goes when the workflow has ended."
)]
struct Run {
    /// A folder or an archive that is one package
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// The workflow, by its id
    #[arg(value_name = "WORKFLOW")]
    workflow: String,

    /// Members of the input, read as the workflow says
    #[arg(value_name = "KEY=VALUE")]
    members: Vec<String>,

    /// The input as JSON; `-` is standard input
    #[arg(long, value_name = "JSON")]
    input: Option<String>,

    /// Where it is written down how far the workflow is; where that is a file already, it is gone on from
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// What the agent said that was told what to do
    #[arg(long, value_name = "TEXT", requires = "state")]
    answer: Option<String>,

    /// The project that tools reach as far as they may; without it, the current folder
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
    /// Does it.
    pub fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let Verb::Run(args) = self.verb;
        args.run(terminal)
    }
}

impl Run {
    fn run(self, terminal: &Terminal) -> Result<Answer, Failure> {
        let interrupt = interrupt::on_signals()?;
        let fetching = Fetching::default();
        let run = run::Request {
            path: self.path.clone(),
            tool: String::new(),
            project: environment::absolute(&self.project)?,
            cache: cache()?,
            search: environment::search(),
            environment: environment::variables(),
            stage: environment::myself().ok(),
            dependencies: self.sources.dependencies()?,
            supply: self.sources.supply(&fetching)?,
        };
        let progress = Progress::start("reading", terminal);
        let prepared = prepare(&Request { run, workflow: self.workflow.clone() }, &interrupt);
        drop(progress);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return failed(error, terminal),
        };
        let state = self.state.clone().map(State::at);
        let mut course = match self.course(&prepared, state.as_ref())? {
            Ok(course) => course,
            Err(fault) => {
                match self.output {
                    Shape::Human => terminal.talk(|out| render::human::run_fault(&fault, out))?,
                    Shape::Json => {
                        terminal.data(|out| render::json::workflow_fault(&prepared, &fault, out))?;
                    }
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
        let outcome = prepared.run(&mut course, state.as_ref());
        drop(progress);
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return failed(error, terminal),
        };
        match self.output {
            Shape::Human => {
                terminal.talk(|out| render::human::workflow_talk(&outcome, out))?;
                match &outcome.ended {
                    Ended::Done(output) => terminal.data(|out| render::json::run_output(output, out))?,
                    Ended::Agent { instruction, .. } => {
                        terminal.words(|out| render::human::workflow_instruction(instruction, out))?;
                    }
                    Ended::Failed { .. } => {}
                }
            }
            Shape::Json => terminal.data(|out| render::json::workflow(&prepared, &outcome, out))?,
        }
        Ok(if matches!(outcome.ended, Ended::Failed { .. }) { Answer::No } else { Answer::Yes })
    }

    /// The workflow where it begins, or where it was.
    fn course(
        &self,
        prepared: &Prepared,
        state: Option<&State>,
    ) -> Result<Result<Course, run::Fault>, Failure> {
        let usage = |said: &str| Failure::new(Kind::Usage, said.to_owned());
        let resumed = match state {
            Some(state) => {
                let resumed = prepared.resume(state).map_err(|error| Failure::new(Kind::Input, error))?;
                resumed.map(|course| (course, state))
            }
            None => None,
        };
        let Some((mut course, _)) = resumed else {
            if self.answer.is_some() {
                return Err(usage("no agent has been told anything: there is no such state yet"));
            }
            let bytes = match self.input.as_deref() {
                Some("-") => Some(input::all()?),
                Some(text) => Some(text.as_bytes().to_vec()),
                None => None,
            };
            return Ok(prepared.begin(bytes.as_deref(), &pairs(&self.members)?));
        };
        if self.input.is_some() || !self.members.is_empty() {
            return Err(usage("the workflow has begun, with the input that it was given then")
                .hint("without an input, it goes on; with another file as `--state`, it begins anew"));
        }
        match (course.is_asked(), &self.answer) {
            (true, answer) => course.took(answer.as_ref().map(print::text)),
            (false, None) => {}
            (false, Some(_)) => {
                return Err(usage("no agent has been told anything that would have an answer"));
            }
        }
        Ok(Ok(course))
    }
}

fn consent(prepared: &Prepared, yes: bool, terminal: &Terminal) -> Result<Consent, Failure> {
    if yes || prepared.is_remembered() {
        return Ok(Consent::Given);
    }
    if terminal.is_watched() {
        for tool in &prepared.tools {
            terminal.talk(|out| render::human::run_question(tool, terminal.width(), out))?;
        }
    }
    let answer = ask(&format!("run {}?", render::Plain(&prepared.workflow)), terminal)
        .map_err(|error| Failure::new(Kind::Input, format!("nobody could be asked: {error}")))?;
    if answer == Consent::Given {
        prepared.remember().map_err(|error| {
            Failure::new(Kind::Output, format!("the answer cannot be remembered: {error}"))
        })?;
    }
    Ok(answer)
}

/// What was asked for is not done.
fn failed(error: Error, terminal: &Terminal) -> Result<Answer, Failure> {
    match error {
        Error::Run(error) => refused(error, terminal),
        Error::NoWorkflow { ref known, .. } => {
            let hint = match known.len() {
                0 => "it has none".to_owned(),
                _ => format!("it has {}", known.join(", ")),
            };
            Err(Failure::new(Kind::Usage, error).hint(hint))
        }
        error => Err(Failure::new(Kind::Output, error)),
    }
}
