//! Bubblewrap, where this program may make no namespaces itself but the system's `bwrap` may: it makes the namespaces and
//! the tree; Landlock, seccomp, limits and everything after are done by a stage of ours inside.
//!
//! The stage is the first process inside (`--as-pid-1`): nobody else is there before it is held as tightly as the program.
//! It lies with its libraries in a folder of its own that cannot be listed, is told what to do through a descriptor, and
//! waits until the supervisor holds it. A program can neither read nor start it: no file rule allows that.

mod arguments;
mod rights;
mod start;

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use self::arguments::Arguments;
use super::bounds::{self, Held};
use super::carried::Carried;
use super::{Prepared, Shortfall, Way};
use crate::groups::Keeps;
use crate::inside::{Reach, Within};
use crate::plan::{Auditing, Item, Network, Plan, PlanError, Programs, text};
use crate::report::{Backend, ExecIsolation, Mechanism, NetworkIsolation, Quantity};
use crate::run::Error;
use crate::settings::Settings;
use crate::step::Step;

pub(crate) use start::{said, start};

/// Where the system has it. The caller's search path is not asked: what is found there may be anybody's.
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// What it must be able to do.
const OPTIONS: [&str; 8] =
    ["--as-pid-1", "--clearenv", "--file", "--hostname", "--info-fd", "--perms", "--remount-ro", "--size"];

/// The stage's own folder inside.
const OWN: &str = "/.kitbag";

/// What a loader reads before it loads anything, whatever it is told.
const PRELOADED: &str = "/etc/ld.so.preload";

/// A word of its command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Argument {
    Text(CString),
    /// The number of a descriptor that these bytes are read from.
    Content(Vec<u8>),
    /// The number of the descriptor that it tells its first process through.
    Info,
    /// The number of the descriptor that the stage is told through what to do.
    Letter,
}

/// What the stage may do before it gives up all rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StageRights {
    /// Change the network that was made for it.
    Network,
    None,
}

/// How bubblewrap is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    /// Like any program.
    Plainly,
    /// As root's for everybody: then it takes no sizes of folders in memory, gives nobody rights, and what remains of it
    /// outside becomes whoever the user inside is said to be.
    SetUserId,
}

impl Installed {
    fn of(program: &Path) -> io::Result<Self> {
        const SET_USER_ID: u32 = 0o4000;
        let is_set = fs::metadata(program)?.mode() & SET_USER_ID != 0;
        Ok(if is_set { Self::SetUserId } else { Self::Plainly })
    }
}

/// What it is asked to do.
pub(crate) struct Errand {
    program: PathBuf,
    installed: Installed,
    arguments: Vec<Argument>,
    within: Within,
    /// The folders in memory, which the stage hands out.
    folders: Vec<CString>,
}

impl Errand {
    pub(crate) const fn installed(&self) -> Installed {
        self.installed
    }
}

/// The system's bubblewrap, when it can do what is needed.
pub(crate) fn find() -> Result<PathBuf, String> {
    let found = PLACES.map(Path::new).into_iter().find(|path| path.is_file());
    let program = found.ok_or("bubblewrap is not installed")?;
    let told = Command::new(program).arg("--help").env_clear().stdin(Stdio::null()).output();
    let told = told.map_err(|error| format!("{}: {error}", program.display()))?;
    let help = String::from_utf8_lossy(&told.stdout);
    match OPTIONS.iter().find(|option| !help.contains(**option)) {
        Some(option) => Err(format!("{} is too old: it has no {option}", program.display())),
        None => Ok(program.to_owned()),
    }
}

pub(super) fn prepare(plan: &Plan, settings: &Settings, keeps: &Keeps) -> Result<Prepared, Error> {
    let is_needed = matches!(plan.network, Network::Listed(_)) && plan.network.hosts().is_some();
    match is_needed.then(|| rights::given(settings)) {
        Some(Ok(())) => with_rights(plan, settings, keeps, StageRights::Network),
        None => with_rights(plan, settings, keeps, StageRights::None),
        Some(Err(because)) => {
            let mut prepared = with_rights(plan, settings, keeps, StageRights::None)?;
            prepared.report.network = NetworkIsolation::Proxied;
            prepared.report.degraded.push(format!(
                "bubblewrap gives the inner part no rights here ({because}), so not every address is led to the supervisor: \
                 programs that heed no proxy reach nothing"
            ));
            Ok(prepared)
        }
    }
}

/// As [`prepare`], when it is known what the stage is given.
fn with_rights(
    plan: &Plan,
    settings: &Settings,
    keeps: &Keeps,
    rights: StageRights,
) -> Result<Prepared, Error> {
    let unavailable =
        |because: String| Error::Unavailable { property: "a sandbox made by bubblewrap", because };
    let stage = settings.stage.as_deref();
    let stage = stage.ok_or_else(|| unavailable("no program is named for its inner part".to_owned()))?;
    let program = find().map_err(unavailable)?;
    let stage = Carried::of(stage).map_err(|error| unavailable(format!("{}: {error}", stage.display())))?;
    let installed =
        Installed::of(&program).map_err(|error| unavailable(format!("{}: {error}", program.display())))?;
    if installed == Installed::SetUserId
        && plan.audit == Auditing::Programs
        && !rustix::process::geteuid().is_root()
    {
        return Err(Error::Unavailable {
            property: "an audit of programs",
            because: "bubblewrap is installed set-user-id, and what it makes is looked into by root alone"
                .to_owned(),
        });
    }
    let arguments = Arguments::of(plan, &stage, rights, installed)?;
    check(plan)?;
    let version = bounds::landlock(plan, keeps)?;
    let mut within = bounds::within(plan, version, keeps, settings)?;
    if let (Some(doors), StageRights::None) = (&mut within.doors, rights) {
        doors.reach = Reach::Proxy;
    }
    let shortfalls: Vec<Shortfall> = loadable(plan).into_iter().collect();
    let listed = if shortfalls.is_empty() { ExecIsolation::Prevented } else { ExecIsolation::Loadable };
    let filter = within.filter.length();
    let mut report = bounds::report(
        plan,
        &Held { backend: Backend::Bubblewrap, listed, landlock: version, filter, keeps },
    );
    if version == 0 {
        report.degraded.push("the kernel has no Landlock: the tree alone says what is written".to_owned());
    }
    let folder = |item: &Item| match item {
        Item::Memory { at, .. } => Some(text(at.as_os_str())),
        _ => None,
    };
    let folders = plan.tree.iter().filter_map(folder).collect::<Result<_, _>>()?;
    if installed == Installed::SetUserId {
        for limited in &mut report.limits {
            if limited.quantity == Quantity::FolderSize {
                limited.by = Mechanism::Look;
            }
        }
    }
    let errand = Errand { program, installed, arguments, within, folders };
    Ok(Prepared { way: Way::Bubblewrap(errand), report, shortfalls })
}

/// Its words for `plan`, whatever its stage is.
#[cfg(any(test, feature = "storm"))]
pub(super) fn words(plan: &Plan) -> Result<Vec<std::ffi::OsString>, Error> {
    use std::os::unix::ffi::OsStringExt as _;
    let stage = Carried { program: "/stage".into(), loaded: None };
    let word = |argument| match argument {
        Argument::Text(text) => std::ffi::OsString::from_vec(text.into_bytes()),
        // A descriptor's number, which is not known yet.
        Argument::Content(_) | Argument::Info | Argument::Letter => "-".into(),
    };
    Ok(Arguments::of(plan, &stage, StageRights::None, Installed::Plainly)?.into_iter().map(word).collect())
}

/// Bubblewrap attaches nothing as data only, so whatever can be read can be loaded as code by a dynamic loader, where one
/// may be started.
fn loadable(plan: &Plan) -> Option<Shortfall> {
    let Programs::Listed(programs) = &plan.programs else { return None };
    if plan.audit == Auditing::Programs {
        // A loader that is started by itself is ended.
        return None;
    }
    let is_loader =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"ld"));
    programs.iter().any(is_loader).then(|| Shortfall {
        property: "complete list of programs",
        because: "bubblewrap attaches nothing as data only, so a listed dynamic loader can be told to load any file that \
                  can be read"
            .to_owned(),
    })
}

/// Whether bubblewrap makes of the plan what it says. It makes places that are missing, and follows links, in folders of
/// the host as well; so there must be neither.
fn check(plan: &Plan) -> Result<(), Error> {
    for item in &plan.tree {
        let at = item.at();
        if at.starts_with(OWN) {
            return Err(PlanError::Taken(at.to_owned()).into());
        }
        // The stage's loader would believe it.
        let same =
            matches!(item, Item::Host { from, .. } if from == at) || matches!(item, Item::Memory { .. });
        if Path::new(PRELOADED).starts_with(at) && !same {
            return Err(Error::Unavailable {
                property: "a sandbox made by bubblewrap",
                because: format!("`{}` would choose what its inner part loads", at.display()),
            });
        }
        let above = plan.tree.iter().filter(|above| above.at() != at && at.starts_with(above.at()));
        let nearest = above.max_by_key(|above| above.at().components().count());
        if let Some(Item::Host { from, at: outer, .. }) = nearest {
            there(from, at.strip_prefix(outer).unwrap_or(at)).map_err(|source| Error::Step {
                step: Step::Place,
                source: io::Error::new(source.kind(), format!("{}: {source}", at.display())),
            })?;
        }
    }
    Ok(())
}

/// Whether `rest` is there below `from`, without a link on the way.
fn there(from: &Path, rest: &Path) -> io::Result<()> {
    let mut path = from.to_owned();
    for part in rest {
        path.push(part);
        if fs::symlink_metadata(&path)?.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a link lies on the way"));
        }
    }
    Ok(())
}
