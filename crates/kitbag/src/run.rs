//! `run`: one tool of a package, inside exactly its permissions.
//!
//! Two steps, so that whoever asked can look in between. [`prepare`] reads the package, compares it with its digests, finds
//! the tool, the program that starts it and what it may do; nothing of the package runs. [`Prepared::run`] starts it, in a
//! sandbox that holds only what it may reach. What runs is a copy of what was read, so that nobody can exchange it between
//! the two.

mod adcap;
mod broker;
mod call;
mod choose;
mod connector;
mod consent;
mod context;
pub(crate) mod copy;
pub(crate) mod dependencies;
mod fault;
pub(crate) mod input;
mod interpreter;
mod node;
mod output;
mod secret;
mod shape;
mod skillpact;
mod splice;
mod starter;
mod typescript;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kitbag_core::digest::{Hasher, Sha256};
use kitbag_core::finding::Severity;
use kitbag_core::formats::Outcome;
use kitbag_core::json::{Json, print};
use kitbag_core::permit::{Confirm, Declaration, Loss, Met, Subjects};
use kitbag_core::schema::{SchemaProblem, Violation};
use kitbag_core::transfer::Pin;
use kitbag_sandbox::egress::{Asked, Outside};
use kitbag_sandbox::{Report, Settings, SystemError};

use crate::interrupt::Interrupt;
use crate::packages::{self, Found, Ground};
use crate::read::{self, Measure, Purpose, ReadError};
use crate::resource::{self, Supply};
use crate::show::{Identity, Permission};
use crate::verify;

use choose::{Chosen, Takes};
use copy::Copy;
use input::Bound;
use secret::Secrets;
use shape::Shape;

pub use broker::{Broker, CapabilityCall};
pub use dependencies::Dependencies;
pub use fault::{Fault, FaultKind};
pub use input::{Given, Input};
pub use output::Written;
pub use secret::secrets;
#[cfg(feature = "typescript")]
pub use typescript::inner_stripper;

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder or an archive that is one package.
    pub path: PathBuf,
    /// The tool, by any of its names.
    pub tool: String,
    /// The user's project, which a tool reaches as far as it may.
    pub project: PathBuf,
    /// A folder of the user's in which copies of packages are kept. It is made when it is not there.
    pub cache: PathBuf,
    /// Where programs are looked for, in order.
    pub search: Vec<PathBuf>,
    /// Variables that could be passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// A program that lends itself to the sandbox ([`kitbag_sandbox::inner_stage()`]), usually the caller's own: where the
    /// system refuses namespaces to it, nothing runs without one.
    pub stage: Option<PathBuf>,
    /// Where packages are that this one needs.
    pub dependencies: Dependencies,
    /// Where contents come from that it names and does not hold.
    pub supply: Supply,
}

impl Request {
    fn settings(&self) -> Settings {
        Settings { stage: self.stage.clone(), ..Settings::default() }
    }
}

/// A tool that can be run.
#[derive(Debug)]
pub struct Prepared {
    /// Whose tool it is.
    pub identity: Identity,
    /// Its name in its document.
    pub tool: String,
    /// What it may do, in plain words.
    pub permissions: Vec<Permission>,
    /// What it names and is fetched before it runs, when it is not kept already.
    pub resources: Vec<Needed>,
    /// The digest of all files of the package and of those it needs: whoever consents, consents to this.
    pub digest: Sha256,
    call: call::Call,
    taken: Takes,
    input: Shape,
    output: Option<Shape>,
    met: Met,
    request: Request,
    copy: Copy,
    broker: Option<Arc<dyn Broker>>,
    outside: Option<Arc<dyn Outside>>,
}

/// A content that a tool names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// The resource.
    pub resource: String,
    /// What it must be.
    pub pin: Pin,
    /// What one must be entitled to, when it is not for everybody.
    pub entitlement: Option<String>,
    /// Whether more may be fetched while the tool runs, by its map.
    pub is_set: bool,
}

/// A run that took place.
#[derive(Debug)]
pub struct Ran {
    /// What it came to.
    pub answer: Result<Json, Fault>,
    /// What it wrote for the user.
    pub written: Option<Written>,
    made: output::Made,
    /// What the tool said beside its answer, as far as it is kept.
    pub logs: String,
    /// From start to end.
    pub duration: Duration,
    /// Every host that it asked for, and what it was answered.
    pub hosts: Vec<Asked>,
    /// What its isolation was.
    pub report: Report,
    /// What it may do and the sandbox could not let it.
    pub losses: Vec<Loss>,
}

/// Why nothing was started.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The package cannot be read at all.
    Read(ReadError),
    /// What was named is no package, or several.
    NoPackage {
        /// How many packages there are.
        found: usize,
    },
    /// A check finds errors in the package.
    Broken {
        /// How many.
        errors: usize,
    },
    /// The package's bytes are not what its digests say.
    Tampered(Outcome),
    /// There is no such tool.
    NoTool {
        /// The name that was asked for.
        asked: String,
        /// The tools that there are.
        known: Vec<String>,
    },
    /// The tool cannot be run here.
    Unsupported {
        /// What is so.
        because: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// A schema of the tool cannot be used.
    Schema(SchemaProblem),
    /// The copy cannot be made.
    Copy(io::Error),
    /// A package that the package needs cannot be used.
    Dependency {
        /// Its id.
        id: String,
        /// Why not.
        error: Box<Error>,
    },
    /// A content that the tool names cannot be had.
    Resource(resource::Error),
    /// The folder in which the tool keeps things, or what it sees of the cache, cannot be made.
    Own(io::Error),
    /// A program is not there.
    Program(SystemError),
    /// The sandbox cannot be made.
    Sandbox(kitbag_sandbox::Error),
}

impl Error {
    /// Its name in every answer: the one that Splice has for it, whatever the format ("Runtime").
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoTool { .. } => "TOOL_NOT_FOUND",
            Self::Unsupported { .. } => "RUNTIME_UNSUPPORTED",
            Self::Read(_)
            | Self::NoPackage { .. }
            | Self::Broken { .. }
            | Self::Tampered(_)
            | Self::Schema(_)
            | Self::Dependency { .. } => "INVALID_PACKAGE",
            Self::Copy(_) | Self::Resource(_) | Self::Own(_) | Self::Program(_) | Self::Sandbox(_) => {
                "TOOL_CRASHED"
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::NoPackage { found: 0 } => f.write_str("this is no package with tools"),
            Self::NoPackage { found } => write!(f, "{found} packages are here, and one can be run"),
            Self::Broken { errors: 1 } => f.write_str("the package has an error, so nothing of it is run"),
            Self::Broken { errors } => write!(f, "the package has {errors} errors, so nothing of it is run"),
            Self::Tampered(outcome) => {
                write!(f, "the package is not what its digests say ({outcome}), so nothing of it is run")
            }
            Self::NoTool { asked, .. } => write!(f, "the package has no tool `{}`", asked.escape_debug()),
            Self::Unsupported { because, .. } => f.write_str(because),
            Self::Schema(_) => f.write_str("a schema of the tool cannot be used"),
            Self::Copy(_) => f.write_str("the copy of the package that would run cannot be made"),
            Self::Dependency { id, error } => {
                write!(f, "{id}, which the package needs, cannot be used: {error}")
            }
            Self::Resource(error) => error.fmt(f),
            Self::Own(_) => f.write_str("the folders that the tool would find cannot be made"),
            Self::Program(error) => error.fmt(f),
            Self::Sandbox(_) => f.write_str("the sandbox cannot be made, and nothing runs without one"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Copy(error) | Self::Own(error) => Some(error),
            Self::Sandbox(error) => Some(error),
            Self::Program(error) => std::error::Error::source(error),
            Self::Read(error) => std::error::Error::source(error),
            _ => None,
        }
    }
}

pub(crate) fn unsupported(because: impl Into<String>) -> Error {
    Error::Unsupported { because: because.into(), help: None }
}

/// Reads the package and makes the tool ready. Nothing of it runs.
///
/// # Errors
/// [`Error`], when it cannot or must not be run.
pub fn prepare(request: &Request, interrupt: &Interrupt) -> Result<Prepared, Error> {
    tool(&package(&request.path)?, request, interrupt)
}

/// Makes the tool that `request` names ready, of a package that was found.
pub(crate) fn tool(found: &Found, request: &Request, interrupt: &Interrupt) -> Result<Prepared, Error> {
    let package = &found.package;
    let declarations: Vec<Declaration> =
        package.faces.iter().map(|face| face.document().permissions()).collect();
    let mut known = Vec::new();
    for face in &package.faces {
        let chosen = choose::of(face, &package.tree, &declarations, &mut known, (request, interrupt))?;
        let Some(Chosen { name, subject, call, resources, needed, taken, input, output }) = chosen else {
            continue;
        };
        let format = face.document().identity().format;
        let own = declarations
            .iter()
            .filter_map(Declaration::grants)
            .map(|grants| Declaration::Spoken(Subjects::new(grants).of(&subject)));
        let permissions = own.flat_map(|own| Permission::all(format, &own)).collect();
        let copy = copy::verified(&package.tree, &request.cache, interrupt).map_err(Error::Copy)?;
        return Ok(Prepared {
            identity: Identity::of(face.document()),
            tool: name,
            permissions,
            resources,
            digest: together(copy.digest(), &needed),
            call,
            taken,
            input,
            output,
            met: choose::met(&declarations, &subject),
            request: request.clone(),
            copy,
            broker: None,
            outside: None,
        });
    }
    Err(Error::NoTool { asked: request.tool.clone(), known })
}

/// One digest for a package and those it needs; its own when it needs none.
pub(crate) fn together(own: Sha256, others: &[Sha256]) -> Sha256 {
    if others.is_empty() {
        return own;
    }
    let mut hasher = Hasher::default();
    for digest in std::iter::once(&own).chain(others) {
        hasher.update(digest.as_bytes());
    }
    hasher.finish()
}

/// The one package that was named, sound and as its digests say.
pub(crate) fn package(path: &Path) -> Result<Found, Error> {
    let reading = read::read_for(path, Purpose::Unpack(Measure::Small)).map_err(Error::Read)?;
    let worth = verify::judge(reading.clone(), None);
    let mut packages = Vec::new();
    let check = |mut found: Found| {
        found.check();
        found
    };
    packages::each(reading, check, |found| packages.push(found));
    packages.retain(|found| found.ground == Ground::Package && found.package.at.is_none());
    let count = packages.len();
    let Some(found) = packages.pop().filter(|_| count == 1) else {
        return Err(Error::NoPackage { found: count });
    };
    let errors = found.findings.count(Severity::Error);
    if errors > 0 {
        return Err(Error::Broken { errors });
    }
    match worth.packages.iter().find(|one| one.outcome.is_negative()) {
        Some(bad) => Err(Error::Tampered(bad.outcome)),
        None => Ok(found),
    }
}

impl Prepared {
    /// The input that was given: an object where no JSON was, with the members in it, each read as the tool's schema says.
    /// A command's members are its variables and files, from the project's folder; its JSON is what it reads.
    ///
    /// # Errors
    /// [`Fault`] of the kind [`FaultKind::InvalidInput`], when it cannot be read or is not what the tool takes, and of the kind
    /// [`FaultKind::InputTooLarge`], when it has more than 4 MiB or is nested more than 64 deep.
    pub fn input(&self, given: &Given<'_>) -> Result<Input, Fault> {
        match &self.taken {
            Takes::Json(_) if !given.arguments.is_empty() => {
                Err(Fault::new(FaultKind::InvalidInput, "the tool takes no arguments, but JSON".to_owned()))
            }
            Takes::Json(wanted) => self.takes(input::read(wanted, given.json, given.members)?),
            Takes::Files(wanted) => {
                let json = input::read(&print::object([]), given.json, &[])?;
                if given.json.is_some() {
                    self.input.check(&json, FaultKind::InvalidInput)?;
                }
                let places = Bound::read(given.members, wanted, &self.request.project)?;
                let standard_input = given.json.map(<[u8]>::to_vec).unwrap_or_default();
                Ok(Input { json, standard_input, places, further: given.arguments.to_vec() })
            }
        }
    }

    /// The input that `json` is.
    ///
    /// # Errors
    /// [`Fault`] of the kind [`FaultKind::InvalidInput`], when it is not what the tool takes.
    pub fn takes(&self, json: Json) -> Result<Input, Fault> {
        self.input.check(&json, FaultKind::InvalidInput)?;
        Ok(Input::of_json(json))
    }

    /// Whether what it gives is text, and no JSON.
    #[must_use]
    pub const fn gives_text(&self) -> bool {
        matches!(self.taken, Takes::Files(_)) && self.output.is_none()
    }

    /// Whether somebody has said yes to this tool of exactly this package before, and does not want to be asked each time.
    #[must_use]
    pub fn is_remembered(&self) -> bool {
        let asks = |confirm| matches!(confirm, Confirm::Each | Confirm::Session);
        let mut allowed = self.met.allowed.iter().filter(|allowed| !allowed.scope.is_nothing());
        !allowed.any(|allowed| asks(allowed.confirm))
            && consent::is_given(&self.request.cache, self.digest, &self.tool)
    }

    /// Remembers that somebody has said yes.
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn remember(&self) -> io::Result<()> {
        consent::give(&self.request.cache, self.digest, &self.tool)
    }

    /// Runs the tool with `input`, which [`Self::input`] has read.
    ///
    /// # Errors
    /// [`Error`] when it was not started.
    pub fn run(&self, input: &Input) -> Result<Ran, Error> {
        let mut ran = self.call.run(self, input)?;
        let secrets = Secrets::of(&self.met, &self.request.environment);
        secrets.hide(&mut ran.logs);
        if let Err(fault) = &mut ran.answer {
            secrets.hide(&mut fault.message);
            fault.details.iter_mut().for_each(|detail| secrets.hide(detail));
        }
        if ran.answer.is_ok() {
            match ran.put(input) {
                Ok(written) => ran.written = written,
                Err(fault) => ran.answer = Err(fault),
            }
        }
        Ok(ran)
    }

    /// The output, if it is what the tool says that it gives.
    fn checked(&self, output: Json) -> Result<Json, Fault> {
        if let Some(shape) = &self.output {
            shape.check(&output, FaultKind::InvalidOutput)?;
        }
        Ok(output)
    }

    /// Has `broker` answer what the tool asks of its host. Without one, nothing is available.
    #[must_use]
    pub fn answered_by(self, broker: Arc<dyn Broker>) -> Self {
        Self { broker: Some(broker), ..self }
    }

    /// Has `outside` say where the hosts are that the tool may reach. Without it, the internet does.
    #[must_use]
    pub fn reaching(self, outside: Arc<dyn Outside>) -> Self {
        Self { outside: Some(outside), ..self }
    }

    fn settings(&self) -> Settings {
        let settings = self.request.settings();
        match &self.outside {
            Some(outside) => Settings { outside: Arc::clone(outside), ..settings },
            None => settings,
        }
    }
}

impl Ran {
    /// Gives what the tool wrote for the user its place.
    fn put(&self, input: &Input) -> Result<Option<Written>, Fault> {
        let Some(path) = &input.places.output else { return Ok(None) };
        let shown = path.display();
        match self.made.put(path) {
            Ok(Some(bytes)) => Ok(Some(Written { path: path.clone(), bytes })),
            Ok(None) => {
                Err(Fault::new(FaultKind::InvalidOutput, format!("nothing was written for `{shown}`")))
            }
            Err(error) => {
                Err(Fault::new(FaultKind::InvalidOutput, format!("`{shown}` cannot be written: {error}")))
            }
        }
    }
}

/// The most things that are told of a value.
const DETAILS_AT_MOST: usize = 20;

/// Each thing that is wrong with a value, in words.
pub(crate) fn details(violations: &[Violation]) -> Vec<String> {
    let detail = |violation: &Violation| match violation.pointer.as_str() {
        "" => violation.message.clone(),
        pointer => format!("{pointer}: {}", violation.message),
    };
    violations.iter().take(DETAILS_AT_MOST).map(detail).collect()
}
