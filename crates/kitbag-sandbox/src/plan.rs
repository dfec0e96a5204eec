//! [`Plan`]: what exists inside a sandbox and what may be used up there. Plain data: nothing is looked up, nothing is
//! started, and what is not said is not there.

use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::egress::Hosts;

/// One program, the world it sees, and its limits. Paths inside are absolute and name nothing twice.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program, as it is called inside.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Its environment; nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// What exists, in order; a later item may lie inside an earlier one.
    pub tree: Vec<Item>,
    /// How much of `/proc` there is.
    pub proc: Proc,
    /// What it reaches.
    pub network: Network,
    /// What it may start.
    pub programs: Programs,
    /// Whether somebody takes down which programs are started.
    pub audit: Auditing,
    /// What it may use up.
    pub limits: Limits,
    /// What it reads from standard input.
    pub input: Vec<u8>,
}

/// One thing that exists inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A folder or file of the host.
    Host {
        /// What it is outside; links are followed once, when the sandbox is made.
        from: PathBuf,
        /// What it is called inside.
        at: PathBuf,
        /// What may be done with it.
        rights: Rights,
    },
    /// An empty folder in memory, written and read.
    Memory {
        /// What it is called inside.
        at: PathBuf,
        /// The most bytes in it.
        bytes: u64,
        /// The most files in it.
        files: u64,
        /// What becomes of it.
        afterwards: Afterwards,
    },
    /// A file that only exists inside.
    File {
        /// What it is called inside.
        at: PathBuf,
        /// What is in it.
        content: Vec<u8>,
    },
    /// A symbolic link that only exists inside.
    Link {
        /// What it is called inside.
        at: PathBuf,
        /// What it says.
        to: PathBuf,
    },
}

/// What becomes of a folder in memory when the program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// It is gone.
    Gone,
    /// It is handed to the caller.
    Kept,
}

/// What may be done with something of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rights {
    /// Read; neither started nor loaded as code by the system.
    Read,
    /// Read and loaded as code: libraries. Started as well where [`Programs::Any`] is said.
    Code,
    /// Read and written; neither started nor loaded as code.
    Write,
    /// Everything. Refused where programs are listed: what is written could be loaded.
    WriteCode,
}

/// How much of `/proc` there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proc {
    /// The sandbox's own processes; nothing of the system. `os.cpus()` of node is empty then.
    #[default]
    Processes,
    /// All of it: the system's figures are seen, other processes are not.
    Full,
    /// None.
    Absent,
}

/// What a program reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Network {
    /// Nothing: no interface, no sockets but pairs of local ones.
    #[default]
    Off,
    /// These hosts, by TCP, whether or not a program knows that it is watched. Where the system cannot lead every address
    /// to the supervisor, it is as with [`Self::Proxied`], and the report says so. An empty list is as [`Self::Off`].
    Listed(Hosts),
    /// These hosts, by a proxy that the environment names (`HTTPS_PROXY` and its like). A program that does not heed it
    /// reaches nothing.
    Proxied(Hosts),
}

impl Network {
    /// The hosts that are listed, if there are any.
    #[must_use]
    pub fn hosts(&self) -> Option<&Hosts> {
        match self {
            Self::Off => None,
            Self::Listed(hosts) | Self::Proxied(hosts) => Some(hosts).filter(|hosts| !hosts.is_empty()),
        }
    }
}

/// What a program may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Programs {
    /// Whatever it can load.
    Any,
    /// These files, by their names inside, and nothing else: not by another name, not through the dynamic loader from a
    /// place that is not loaded as code, not out of memory. A dynamic program needs its loader on the list.
    Listed(Vec<PathBuf>),
}

/// Whether somebody takes down which programs are started and refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auditing {
    /// Nobody: what is not listed is prevented, and not told.
    #[default]
    Off,
    /// Each program is taken down before it begins, for tests. One that is loaded without being listed is ended. The programs
    /// cannot be debugged meanwhile.
    Programs,
}

/// What may be used up. `None` leaves it unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From start to end.
    pub wall: Duration,
    /// Processor seconds of each process.
    pub cpu: Option<u64>,
    /// Processor seconds of all processes together, those that have ended among them.
    pub cpu_in_all: Option<u64>,
    /// Private writable memory of each process, in bytes. node from 24 on needs 640 MiB more than it uses.
    pub memory: Option<u64>,
    /// Memory of all processes together, in bytes. A control group, where there is one, keeps it at every moment, and
    /// counts files in memory as well; elsewhere it is looked at a few times a second.
    pub memory_in_all: Option<u64>,
    /// Processes and threads at once. One more is refused; where a control group counts, that ends the run.
    pub processes: Option<u64>,
    /// The largest file, in bytes.
    pub file_size: Option<u64>,
    /// By how much the written folders of the host may grow in all, in bytes on disk, looked at a few times a second and at
    /// the end.
    pub disk: Option<u64>,
    /// Open files of each process.
    pub open_files: Option<u64>,
    /// Standard output and standard errors, in bytes each.
    pub output: usize,
    /// The longest line of standard output, in bytes.
    pub line: Option<usize>,
    /// What goes over the network, where there is one.
    pub traffic: Traffic,
}

/// What may go over the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Connections in all.
    pub connections: u64,
    /// Connections at once; one more waits.
    pub at_once: usize,
    /// Bytes in all, both ways.
    pub bytes: u64,
    /// How long a connection may be silent.
    pub idle: Duration,
    /// How long a connection may last.
    pub open: Duration,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            connections: 1000,
            at_once: 64,
            bytes: 256 << 20,
            idle: Duration::from_secs(60),
            open: Duration::from_secs(600),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Some(30),
            cpu_in_all: Some(600),
            memory: Some(4 << 30),
            memory_in_all: Some(4 << 30),
            processes: Some(256),
            file_size: Some(64 << 20),
            disk: Some(1 << 30),
            open_files: Some(256),
            output: 8 << 20,
            line: None,
            traffic: Traffic::default(),
        }
    }
}

/// Why a plan cannot be carried out anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// A path inside is relative, has `.` or `..` in it, or a NUL.
    Path(PathBuf),
    /// Two items have one name, or an item lies where the sandbox keeps its own (`/proc`, `/dev`).
    Taken(PathBuf),
    /// Something lies below a link or a file.
    BelowNoFolder(PathBuf),
    /// An item would cover one that is listed before it.
    Covers(PathBuf),
    /// Something that only exists inside lies in a folder of the host, where nothing is made.
    InsideHost(PathBuf),
    /// There are more items than can be made.
    TooMany,
    /// A place would be both written and loaded as code, while programs are listed.
    WrittenAndLoaded(PathBuf),
    /// An argument or a variable holds a NUL, or a variable's name is empty or holds `=`.
    Text(OsString),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "`{}` is no absolute path without `..`", path.display()),
            Self::Taken(path) => write!(f, "`{}` is there already", path.display()),
            Self::BelowNoFolder(path) => {
                write!(f, "`{}` lies below something that is no folder", path.display())
            }
            Self::Covers(path) => {
                write!(f, "`{}` would cover something that is listed before it", path.display())
            }
            Self::InsideHost(path) => {
                write!(f, "`{}` would have to be made in a folder of the host", path.display())
            }
            Self::TooMany => f.write_str("the sandbox lists too many items"),
            Self::WrittenAndLoaded(path) => {
                write!(
                    f,
                    "`{}` would be written and loaded as code while programs are listed",
                    path.display()
                )
            }
            Self::Text(text) => write!(f, "`{}` cannot be an argument or a variable", text.display()),
        }
    }
}

impl std::error::Error for PlanError {}

/// The most items of one plan, and so the most folders above them that are made.
const ITEMS_AT_MOST: usize = 512;

impl Item {
    /// What it is called inside.
    #[must_use]
    pub fn at(&self) -> &Path {
        match self {
            Self::Host { at, .. }
            | Self::Memory { at, .. }
            | Self::File { at, .. }
            | Self::Link { at, .. } => at,
        }
    }
}

impl Plan {
    /// `program` in a world that holds `tree`, where it may start `programs`. It starts in the root folder with nothing given
    /// to it, reaches no network, is followed by nobody, and may use up what is usual.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, tree: Vec<Item>, programs: Programs) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: "/".into(),
            tree,
            proc: Proc::Processes,
            network: Network::Off,
            programs,
            audit: Auditing::Off,
            limits: Limits::default(),
            input: Vec::new(),
        }
    }

    /// Whether the plan makes sense by itself.
    ///
    /// # Errors
    /// [`PlanError`], the first thing that does not.
    pub fn check(&self) -> Result<(), PlanError> {
        inside(&self.program)?;
        inside(&self.folder)?;
        if self.tree.len() > ITEMS_AT_MOST {
            return Err(PlanError::TooMany);
        }
        let mut taken = BTreeSet::from([Path::new("/"), Path::new("/proc"), Path::new("/dev")]);
        let mut no_folders = BTreeSet::new();
        for item in &self.tree {
            let at = item.at();
            inside(at)?;
            if !taken.insert(at) || ["/proc", "/dev"].iter().any(|own| at.starts_with(own)) {
                return Err(PlanError::Taken(at.to_owned()));
            }
            if at.ancestors().any(|above| no_folders.contains(above)) {
                return Err(PlanError::BelowNoFolder(at.to_owned()));
            }
            if taken.iter().any(|earlier| *earlier != at && earlier.starts_with(at)) {
                return Err(PlanError::Covers(at.to_owned()));
            }
            match item {
                Item::File { .. } => {
                    no_folders.insert(at);
                }
                Item::Link { to, .. } => {
                    text(to.as_os_str())?;
                    no_folders.insert(at);
                }
                Item::Host { from, rights: Rights::WriteCode, .. } if self.programs != Programs::Any => {
                    return Err(PlanError::WrittenAndLoaded(from.clone()));
                }
                Item::Host { from, .. } => drop(text(from.as_os_str())?),
                Item::Memory { .. } => {}
            }
        }
        if let Programs::Listed(programs) = &self.programs {
            for program in programs {
                inside(program)?;
            }
        }
        for argument in &self.arguments {
            text(argument)?;
        }
        for (name, value) in &self.environment {
            variable(name, value)?;
        }
        Ok(())
    }
}

/// The path inside, relative to the root, as the kernel takes it. One place has one spelling: `Path` forgives `a//b`,
/// `a/./b` and `a/`, so the bytes are looked at.
pub(crate) fn inside(path: &Path) -> Result<CString, PlanError> {
    let wrong = || PlanError::Path(path.to_owned());
    let below = path.as_os_str().as_encoded_bytes().strip_prefix(b"/").ok_or_else(wrong)?;
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..");
    if !below.is_empty() && !below.split(|byte| *byte == b'/').all(is_name) {
        return Err(wrong());
    }
    CString::new(below).map_err(|_nul| wrong())
}

/// A text that holds no NUL.
pub(crate) fn text(text: &OsStr) -> Result<CString, PlanError> {
    CString::new(text.as_encoded_bytes()).map_err(|_nul| PlanError::Text(text.to_owned()))
}

/// `NAME=value`.
pub(crate) fn variable(name: &OsStr, value: &OsStr) -> Result<CString, PlanError> {
    if name.is_empty() || name.as_encoded_bytes().contains(&b'=') {
        return Err(PlanError::Text(name.to_owned()));
    }
    let mut both = name.to_owned();
    both.push("=");
    both.push(value);
    text(&both)
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
