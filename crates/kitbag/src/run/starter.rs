//! What starts a tool: a program of its package, or an interpreter of this host. It becomes a plan for one call, in the same
//! way for every format.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kitbag_core::permit::Lowered;
use kitbag_sandbox::{
    Afterwards, Item, Limits, PACKAGE, PackageFiles, Places, Plan, Proc, Scratch, Start, Work, lower,
};

use super::interpreter::{self, Kind};
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
        let found = interpreter::find(kind, range, request)?;
        let environment = match kind {
            Kind::Node => Vec::new(),
            // The package is only read, and nobody waits for a buffer to be full.
            Kind::Python => ["PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"]
                .map(|name| (OsString::from(name), OsString::from("1")))
                .into(),
        };
        Ok(Self {
            program: found.program.clone(),
            arguments: Vec::new(),
            programs: vec![found.program],
            package: PackageFiles::Data,
            items: found.items,
            environment,
            limits,
        })
    }

    /// The plan for one call that begins with `input`, in the package's folder, with `items` beside what is always there.
    pub(super) fn plan(
        &self,
        prepared: &Prepared,
        input: Vec<u8>,
        items: Vec<Item>,
    ) -> Result<Lowered<Plan>, Error> {
        let request = &prepared.request;
        let places = Places {
            package: prepared.copy.path().to_owned(),
            project: Some(request.project.clone()),
            input: None,
            output: None,
            work: Work::Memory(Afterwards::Gone),
            further: Vec::new(),
            scratch: Scratch::default(),
            search: request.search.clone(),
            environment: request.environment.clone(),
        };
        let start = Start {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            programs: self.programs.clone(),
            package: self.package,
            items: self.items.iter().cloned().chain(items).collect(),
            environment: self.environment.clone(),
            folder: Some(PACKAGE.into()),
            proc: Proc::Processes,
            limits: self.limits,
            input,
        };
        lower(&prepared.met, &places, &start).map_err(Error::Program)
    }
}

/// The place in the package of the file that a tool begins with.
pub(super) fn entry(entry: Option<&str>) -> Result<PathBuf, Error> {
    entry.map(|entry| Path::new(PACKAGE).join(entry)).ok_or_else(|| unsupported("the tool has no entry"))
}
