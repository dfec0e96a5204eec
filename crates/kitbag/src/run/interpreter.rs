//! The programs of this host that start tools: found by name, asked for their version in a sandbox, with what they read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kitbag_core::version::Version;
use kitbag_core::version::requirement::npm::{Prereleases, Requirement};
use kitbag_sandbox::{Ending, Item, Limits, Plan, Rights, System};

use super::{Error, Request, unsupported};

/// How long a program may take to say its version.
const VERSION_WITHIN: Duration = Duration::from_secs(10);

/// The most that it says then, in bytes.
const SAID_AT_MOST: usize = 64 << 10;

/// A kind of interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Python,
}

/// An interpreter of this host.
#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    /// The program, by the name it was found under.
    pub(super) program: PathBuf,
    /// What it reads, besides the system's own.
    pub(super) items: Vec<Item>,
}

impl Kind {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Node => &["node"],
            Self::Python => &["python3", "python"],
        }
    }

    /// Whether `path` is such an interpreter itself. What version managers put into PATH is a script, or a link to the
    /// manager, which would look for the interpreter where a tool sees nothing.
    fn is_one(self, path: &Path) -> bool {
        let Ok(real) = fs::canonicalize(path) else { return false };
        let name = real.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_called_so = match self {
            Self::Node => name.starts_with("node"),
            Self::Python => name.starts_with("python") || name.starts_with("pypy"),
        };
        let mut begin = [0; 2];
        let read = File::open(&real).and_then(|mut file| file.read_exact(&mut begin));
        is_called_so && read.is_ok() && begin != *b"#!"
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Node => "Node.js",
            Self::Python => "Python 3",
        }
    }

    /// Whether `version` is one of `range`.
    pub(super) fn check(self, version: &Version, range: &str) -> Result<(), Error> {
        let title = self.title();
        let wanted = Requirement::parse(range, Prereleases::Named).map_err(|error| {
            unsupported(format!("the range `{range}` of {title} cannot be read: {error}"))
        })?;
        if wanted.matches(version) {
            return Ok(());
        }
        Err(Error::Unsupported {
            because: format!("the tool needs {title} {range}, and {version} is there"),
            help: Some(format!("put a {title} of that range first in PATH")),
        })
    }
}

/// The first interpreter in `PATH`; its version is asked for when `range`, in npm's grammar, wants one.
pub(super) fn find(kind: Kind, range: Option<&str>, request: &Request) -> Result<Interpreter, Error> {
    let interpreter = first(kind, request)?;
    if let Some(range) = range {
        kind.check(&interpreter.version(request)?, range)?;
    }
    Ok(interpreter)
}

/// The first interpreter in `PATH`, of whatever version.
pub(super) fn first(kind: Kind, request: &Request) -> Result<Interpreter, Error> {
    let mut candidates =
        kind.names().iter().flat_map(|name| request.search.iter().map(move |folder| folder.join(name)));
    let title = kind.title();
    let Some(program) = candidates.find(|path| kind.is_one(path)) else {
        return Err(Error::Unsupported {
            because: format!("the tool needs {title}, which is not there"),
            help: Some(format!("install {title}, so that `{}` is found in PATH", kind.names()[0])),
        });
    };
    let items = match kind {
        Kind::Node => Vec::new(),
        Kind::Python => library(&program),
    };
    Ok(Interpreter { program, items })
}

/// The program that a command begins with: a path of this host, or the first of its name in `PATH`.
pub(super) fn named(name: &str, request: &Request) -> Result<Interpreter, Error> {
    let kinds = [Kind::Node, Kind::Python];
    if let Some(kind) = kinds.into_iter().find(|kind| kind.names().contains(&name)) {
        return find(kind, None, request);
    }
    let path = Path::new(name);
    let found = if path.is_absolute() {
        path.is_file().then(|| path.to_owned())
    } else if name.contains('/') {
        return Err(unsupported(format!(
            "the command begins with `{}`, a path from nowhere",
            name.escape_debug()
        )));
    } else {
        request.search.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    };
    let Some(program) = found else {
        return Err(Error::Unsupported {
            because: format!("the command needs `{}`, which is not there", name.escape_debug()),
            help: Some("install it, so that it is found in PATH".to_owned()),
        });
    };
    let items = if Kind::Python.is_one(&program) { library(&program) } else { Vec::new() };
    Ok(Interpreter { program, items })
}

/// The modules of a Python that is not the system's: nothing else of where it is installed.
fn library(program: &Path) -> Vec<Item> {
    let Ok(real) = fs::canonicalize(program) else { return Vec::new() };
    let Some(library) = real.parent().and_then(Path::parent).map(|prefix| prefix.join("lib")) else {
        return Vec::new();
    };
    if real.starts_with("/usr") {
        return Vec::new();
    }
    let entries = fs::read_dir(&library).into_iter().flatten().filter_map(Result::ok);
    let mut items: Vec<Item> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("python3") || name.starts_with("libpython3")
        })
        .map(|entry| Item::Host { from: entry.path(), at: entry.path(), rights: Rights::Code })
        .collect();
    items.sort_by(|one, other| one.at().cmp(other.at()));
    items
}

impl Interpreter {
    /// What it says its version is.
    fn version(&self, request: &Request) -> Result<Version, Error> {
        let said = self.says(&["--version"], request)?;
        let version = said.as_deref().and_then(|said| said.split_whitespace().last());
        match version.map(|word| Version::parse(word.trim_start_matches('v'))) {
            Some(Ok(version)) => Ok(version),
            _ => Err(self.is_silent()),
        }
    }

    pub(super) fn is_silent(&self) -> Error {
        unsupported(format!("`{}` does not say what version it is", self.program.display()))
    }

    /// What it says to `arguments`, in a sandbox that holds nothing else; `None` when it fails.
    pub(super) fn says(&self, arguments: &[&str], request: &Request) -> Result<Option<String>, Error> {
        let system = System::with_programs(std::slice::from_ref(&self.program)).map_err(Error::Program)?;
        let mut tree = system.items;
        tree.extend(self.items.iter().cloned());
        let limits = Limits { wall: VERSION_WITHIN, output: SAID_AT_MOST, ..Limits::default() };
        let plan = Plan {
            arguments: arguments.iter().map(Into::into).collect(),
            limits,
            ..Plan::new(&self.program, tree, system.programs)
        };
        let outcome = kitbag_sandbox::run_with(&plan, &request.settings()).map_err(Error::Sandbox)?.outcome;
        let has_said = outcome.ending == Ending::Exited(0);
        Ok(has_said.then(|| String::from_utf8_lossy(&outcome.output).into_owned()))
    }
}
