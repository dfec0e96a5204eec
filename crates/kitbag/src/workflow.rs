//! `workflow run`: the steps of a workflow of an .adcap package (§8), one after the other. A tool step runs as `run` runs it; at
//! a step for an agent it stops, hands over the instruction and what there is so far, and can be gone on with later.
//!
//! As with `run`, there are two steps: [`prepare`] reads the package and makes every tool that steps call ready, so that
//! somebody can look at what they may do; [`Prepared::run`] starts them.

mod state;

use std::fmt;

use kitbag_core::digest::Sha256;
use kitbag_core::formats::Face;
use kitbag_core::formats::adcap::workflow::{self as document, Workflow};
use kitbag_core::formats::adcap::{Course, Document, Next, Unfit};
use kitbag_core::json::{self, Json, print};
use kitbag_core::limits::Limits;

use crate::interrupt::Interrupt;
use crate::packages::Found;
use crate::run::{self, Fault, FaultKind, Ran, copy, dependencies, input, unsupported};
use crate::show::Identity;

pub use state::{State, StateError};

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The package and everything that its tools need; which tool is asked for does not matter.
    pub run: run::Request,
    /// The workflow, by its id.
    pub workflow: String,
}

/// A workflow that can be run.
#[derive(Debug)]
pub struct Prepared {
    /// Whose workflow it is.
    pub identity: Identity,
    /// Its id.
    pub workflow: String,
    /// The tools that its steps call, each once, in order.
    pub tools: Vec<run::Prepared>,
    /// The digest of all files of the package and of everything that runs.
    pub digest: Sha256,
    document: Workflow,
    /// What steps call each of the tools: the capability when it is another one, and the name.
    names: Vec<(Option<String>, String)>,
}

/// Why nothing was started, or no further step.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The package or one of the tools cannot be run.
    Run(run::Error),
    /// There is no such workflow.
    NoWorkflow {
        /// The id that was asked for.
        asked: String,
        /// The workflows that there are.
        known: Vec<String>,
    },
    /// The state cannot be read, written or gone on from.
    State(StateError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(error) => error.fmt(f),
            Self::NoWorkflow { asked, .. } => {
                write!(f, "the package has no workflow `{}`", asked.escape_debug())
            }
            Self::State(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Run(error) => std::error::Error::source(error),
            Self::State(error) => std::error::Error::source(error),
            Self::NoWorkflow { .. } => None,
        }
    }
}

impl From<run::Error> for Error {
    fn from(error: run::Error) -> Self {
        Self::Run(error)
    }
}

impl From<StateError> for Error {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

/// One step that ran.
#[derive(Debug)]
pub struct Step {
    /// Its id.
    pub id: String,
    /// The tool that it called.
    pub tool: String,
    /// What that came to.
    pub ran: Ran,
}

/// How far a workflow came.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// To its end, with this output.
    Done(Json),
    /// To a step that only an agent can do.
    Agent {
        /// The step.
        step: String,
        /// What the agent has to do.
        instruction: String,
    },
    /// To a step that failed, or to its output.
    Failed {
        /// The step; `None`: the output.
        step: Option<String>,
        /// Why.
        fault: Fault,
    },
}

/// What running a workflow came to.
#[derive(Debug)]
pub struct Outcome {
    /// How far it came.
    pub ended: Ended,
    /// What ran now, in order.
    pub steps: Vec<Step>,
    /// What steps gave so far, those that ran earlier included, in order.
    pub results: Vec<(String, Json)>,
}

/// Reads the package and makes every tool ready that the workflow calls. Nothing of it runs.
///
/// # Errors
/// [`Error`], when it cannot or must not be run.
pub fn prepare(request: &Request, interrupt: &Interrupt) -> Result<Prepared, Error> {
    let found = run::package(&request.run.path)?;
    let capabilities = found.package.faces.iter().find_map(|face| match face {
        Face::Adcap(capability) => Some((face, capability.document()?)),
        _ => None,
    });
    let Some((face, manifest)) = capabilities else {
        return Err(unsupported("only .adcap packages have workflows").into());
    };
    let document = workflow(&found, manifest, &request.workflow)?;
    let own = copy::digest(&found.package.tree).map_err(run::Error::Copy)?;
    let (mut tools, mut names) = (Vec::new(), Vec::new());
    // The workflow is only asked what it calls; it begins with its inputs later.
    for (capability, name) in document::tools(&document) {
        let asked = run::Request { tool: name.to_owned(), ..request.run.clone() };
        let prepared = match capability.filter(|capability| *capability != manifest.id.value) {
            None => run::tool(&found, &asked, interrupt)?,
            Some(capability) => {
                let (path, other) = dependencies::found(manifest, capability, &request.run)?;
                run::tool(&other, &run::Request { path, ..asked }, interrupt)?
            }
        };
        tools.push(prepared);
        names.push((capability.map(str::to_owned), name.to_owned()));
    }
    let digests: Vec<Sha256> = tools.iter().map(|tool| tool.digest).collect();
    Ok(Prepared {
        identity: Identity::of(face.document()),
        workflow: request.workflow.clone(),
        digest: run::together(own, &digests),
        tools,
        document,
        names,
    })
}

/// The workflow of `manifest` that is called `asked`.
fn workflow(found: &Found, manifest: &Document, asked: &str) -> Result<Workflow, Error> {
    let entry = manifest.workflows.iter().find(|entry| entry.value.id.value == asked);
    let Some(entry) = entry else {
        let known = manifest.workflows.iter().map(|entry| entry.value.id.value.clone()).collect();
        return Err(Error::NoWorkflow { asked: asked.to_owned(), known });
    };
    let unreadable = || unsupported("the workflow cannot be read; `kitbag check` says why");
    let blob = found.package.tree.file(&entry.value.path.value).ok_or_else(unreadable)?;
    let bytes = blob.read(Limits::LOOSEST.document_bytes).map_err(|_| unreadable())?;
    let json = json::read(&bytes).map_err(|_| unreadable())?;
    Ok(document::decode(&json).map_err(|_| unreadable())?)
}

impl Prepared {
    /// Whether somebody has said yes to all of its tools before.
    #[must_use]
    pub fn is_remembered(&self) -> bool {
        self.tools.iter().all(run::Prepared::is_remembered)
    }

    /// Remembers that somebody has said yes.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn remember(&self) -> std::io::Result<()> {
        self.tools.iter().try_for_each(run::Prepared::remember)
    }

    /// Begins with the input that is written in `json`, an object without it, with `members` in it, each read as the workflow's
    /// inputs say.
    ///
    /// # Errors
    /// [`Fault`] of the kind [`FaultKind::InvalidInput`], when it cannot be read or is not what the workflow takes.
    pub fn begin(&self, json: Option<&[u8]>, members: &[(&str, &str)]) -> Result<Course, Fault> {
        let nothing = print::object([]);
        let input = input::read(self.document.inputs.as_ref().unwrap_or(&nothing), json, members)?;
        Course::begin(self.document.clone(), &input).map_err(|unfit| {
            let details = match &unfit {
                Unfit::Inputs(violations) => run::details(violations),
                Unfit::Schema(problem) => vec![problem.message.clone()],
                _ => Vec::new(),
            };
            Fault { kind: FaultKind::InvalidInput, message: unfit.to_string(), details }
        })
    }

    /// Goes on from what `state` says; `None` where it says nothing yet.
    ///
    /// # Errors
    /// [`StateError`], when it cannot be read, or is that of something else.
    pub fn resume(&self, state: &State) -> Result<Option<Course>, StateError> {
        let Some(json) = state.read()? else { return Ok(None) };
        let course = Course::resume(self.document.clone(), &json, self.digest);
        course.map(Some).map_err(|unfit| state.unfit(&unfit))
    }

    /// Runs steps until the workflow ends, one fails, or an agent has to do something. What is so after each step is written
    /// down in `state`, which goes when the workflow has ended.
    ///
    /// # Errors
    /// [`Error`], when a step cannot be started or the state cannot be written; what ran before is in the state.
    pub fn run(&self, course: &mut Course, state: Option<&State>) -> Result<Outcome, Error> {
        let mut steps = Vec::new();
        let ended = loop {
            let failed = |step: Option<&str>, fault| Ended::Failed { step: step.map(str::to_owned), fault };
            match course.next() {
                Err(excess) => {
                    let fault = Fault {
                        kind: FaultKind::InvalidInput,
                        message: excess.to_string(),
                        details: Vec::new(),
                    };
                    break failed(course.step(), fault);
                }
                Ok(Next::Done(output)) => {
                    if let Some(state) = state {
                        state.remove()?;
                    }
                    break Ended::Done(output);
                }
                Ok(Next::Ask { step, instruction }) => {
                    let ended = Ended::Agent { step: step.to_owned(), instruction };
                    course.asked();
                    if let Some(state) = state {
                        state.write(&course.state(self.digest))?;
                    }
                    break ended;
                }
                Ok(Next::Call { step, capability, tool, input }) => {
                    let prepared = self.tool(capability, tool)?;
                    let given = match prepared.takes(input) {
                        Ok(given) => given,
                        Err(fault) => break failed(Some(step), fault),
                    };
                    let ran = prepared.run(&given)?;
                    let id = step.to_owned();
                    let answer = ran.answer.clone();
                    steps.push(Step { id: id.clone(), tool: prepared.tool.clone(), ran });
                    match answer {
                        Err(fault) => break failed(Some(&id), fault),
                        Ok(output) => course.took(Some(output)),
                    }
                    if let Some(state) = state {
                        state.write(&course.state(self.digest))?;
                    }
                }
            }
        };
        let results = course.results().map(|(step, output)| (step.to_owned(), output.clone())).collect();
        Ok(Outcome { ended, steps, results })
    }

    fn tool(&self, capability: Option<&str>, tool: &str) -> Result<&run::Prepared, Error> {
        let is_it = |(of, name): &(Option<String>, String)| of.as_deref() == capability && name == tool;
        let place = self.names.iter().position(is_it);
        let prepared = place.and_then(|place| self.tools.get(place));
        Ok(prepared.ok_or_else(|| unsupported("the workflow calls a tool that was not made ready"))?)
    }
}
