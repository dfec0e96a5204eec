//! What starts a tool: a program of its package, or an interpreter of this host. It becomes a plan for one call, in the same
//! way for every format.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kitbag_core::permit::Lowered;
use kitbag_sandbox::{
    Afterwards, Item, Limits, PACKAGE, PackageFiles, Places, Plan, Proc, Scratch, Start, Work, lower,
};

use super::input::Input;
use super::interpreter::{self, Interpreter, Kind};
use super::{Error, Prepared, Request, unsupported};

/// What is started for a call, and what may be used up.
#[derive(Clone, Debug)]
pub(super) struct Starter {
    /// The program, as it is called inside.
    program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// Programs of the host that it cannot do without.
    programs: Vec<PathBuf>,
    package: PackageFiles,
    /// Further things that exist inside.
    pub(super) items: Vec<Item>,
    /// Further variables.
    pub(super) environment: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub(super) folder: &'static str,
    pub(super) limits: Limits,
}

impl Starter {
    /// The program at `entry` in the package.
    pub(super) fn of_package(entry: &str, limits: Limits) -> Self {
        Self {
            program: Path::new(PACKAGE).join(entry),
            arguments: Vec::new(),
            programs: Vec::new(),
            package: PackageFiles::Programs,
            items: Vec::new(),
            environment: Vec::new(),
            folder: PACKAGE,
            limits,
        }
    }

    /// A program of this host.
    pub(super) fn of_host(found: Interpreter, limits: Limits) -> Self {
        Self {
            program: found.program.clone(),
            arguments: Vec::new(),
            programs: vec![found.program],
            package: PackageFiles::Data,
            items: found.items,
            environment: Vec::new(),
            folder: PACKAGE,
            limits,
        }
    }

    /// An interpreter of this host, of a version in `range`; what it reads and how is for the caller to add.
    pub(super) fn interpreter(
        kind: Kind,
        range: Option<&str>,
        limits: Limits,
        request: &Request,
    ) -> Result<Self, Error> {
        let mut starter = Self::of_host(interpreter::find(kind, range, request)?, limits);
        if kind == Kind::Python {
            // The package is only read, and nobody waits for a buffer to be full.
            let set = |name: &str| (OsString::from(name), OsString::from("1"));
            starter.environment.extend([set("PYTHONDONTWRITEBYTECODE"), set("PYTHONUNBUFFERED")]);
        }
        Ok(starter)
    }

    /// The plan for one call with `input`, which begins with `opening`, with `items` beside what is always there.
    pub(super) fn plan(
        &self,
        prepared: &Prepared,
        input: &Input,
        opening: Vec<u8>,
        items: Vec<Item>,
    ) -> Result<Lowered<Plan>, Error> {
        let request = &prepared.request;
        let places = Places {
            package: prepared.copy.path().to_owned(),
            project: Some(request.project.clone()),
            input: input.places.input.clone(),
            output: input.places.output.clone(),
            work: Work::Memory(Afterwards::Gone),
            further: Vec::new(),
            scratch: Scratch::default(),
            search: request.search.clone(),
            environment: request.environment.clone(),
        };
        let start = Start {
            program: self.program.clone(),
            arguments: [self.arguments.as_slice(), &input.further].concat(),
            programs: self.programs.clone(),
            package: self.package,
            items: self.items.iter().cloned().chain(items).collect(),
            environment: self.environment.clone(),
            folder: Some(self.folder.into()),
            proc: Proc::Processes,
            limits: self.limits,
            input: opening,
        };
        lower(&prepared.met, &places, &start).map_err(Error::Program)
    }
}

/// The place in the package of the file that a tool begins with.
pub(super) fn entry(entry: Option<&str>) -> Result<PathBuf, Error> {
    entry.map(|entry| Path::new(PACKAGE).join(entry)).ok_or_else(|| unsupported("the tool has no entry"))
}
