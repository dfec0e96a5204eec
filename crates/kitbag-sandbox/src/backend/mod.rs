//! Ways to carry out a plan, one row each, in the order in which they are preferred.

mod bounds;
pub(crate) mod bwrap;
mod carried;
pub(crate) mod landlock;
pub(crate) mod native;
mod tree;
#[cfg(any(test, feature = "storm"))]
pub(crate) mod tree_storm;

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::doctor::help;
use crate::egress::Hosts;
use crate::folders::{Handed, Made};
use crate::groups::{Groups, Keeps};
use crate::inside::{Descriptors, Entry, Fd, Identity, Orders, Streams};
use crate::leash::Leash;
use crate::plan::{Afterwards, Item, Limits, Plan, Programs};
use crate::report::{Backend, Report};
use crate::run::Error;
use crate::settings::{Choice, Degraded, Settings};
use crate::step::Step;

/// The number of the user and of the group inside, whoever it is outside.
pub(crate) const USER_INSIDE: u32 = 1000;

/// A root caller's programs run as this user and group outside: one that owns nothing.
pub(crate) const NOBODY: u32 = 65534;

/// One way to carry out a plan.
struct Row {
    backend: Backend,
    /// What a plan asks for, made ready.
    prepare: fn(&Plan, &Settings, &Keeps) -> Result<Prepared, Error>,
}

/// Every backend.
static BACKENDS: [Row; 3] = [
    Row { backend: Backend::Native, prepare: native::prepare },
    Row { backend: Backend::Bubblewrap, prepare: bwrap::prepare },
    Row { backend: Backend::Landlock, prepare: landlock::prepare },
];

/// A plan made ready by one backend.
pub(crate) struct Prepared {
    pub(crate) way: Way,
    pub(crate) report: Report,
    /// What the plan asks for and this backend does not hold.
    pub(crate) shortfalls: Vec<Shortfall>,
}

/// A property that a plan asks for and a backend does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    pub(crate) property: &'static str,
    pub(crate) because: String,
}

impl From<Shortfall> for Error {
    fn from(shortfall: Shortfall) -> Self {
        let Shortfall { property, because } = shortfall;
        Self::Unavailable { property, because }
    }
}

/// A way to start what was prepared.
pub(crate) enum Way {
    Native(Orders),
    Bubblewrap(bwrap::Errand),
    Landlock(landlock::Errand),
}

/// The child's ends of what connects it with the supervisor.
pub(crate) struct Ends<'e> {
    /// A byte comes when the program may begin; the other end closes with the supervisor.
    pub(crate) ready: BorrowedFd<'e>,
    pub(crate) words: BorrowedFd<'e>,
    /// Where folders in memory are handed out.
    pub(crate) kept: BorrowedFd<'e>,
    /// Where the doors of its network are.
    pub(crate) way_out: BorrowedFd<'e>,
    /// Standard input, output and errors.
    pub(crate) streams: [BorrowedFd<'e>; 3],
    /// The control groups it begins in.
    pub(crate) entry: Entry,
    /// The supervisor's ends, which the child must not keep open.
    pub(crate) foreign: Vec<BorrowedFd<'e>>,
}

impl Ends<'_> {
    /// What a child that is made here finds them under.
    fn descriptors(&self) -> Descriptors {
        let [input, output, errors] = self.streams.map(number);
        Descriptors {
            ready: number(self.ready),
            words: number(self.words),
            kept: number(self.kept),
            way_out: number(self.way_out),
            streams: Streams { input, output, errors },
        }
    }

    /// What it has to close.
    fn foreign(&self) -> Vec<Fd> {
        self.foreign.iter().copied().map(number).collect()
    }
}

fn number(fd: BorrowedFd<'_>) -> Fd {
    Fd(fd.as_raw_fd())
}

/// A sandbox that is being made, and waits for a byte.
pub(crate) struct Begun {
    /// The number of its first process.
    pub(crate) first: i32,
    pub(crate) leash: Leash,
    /// What another program that makes it has to say about that.
    pub(crate) complaints: Option<OwnedFd>,
    /// Folders of the host that were made for it.
    pub(crate) made: Vec<Made>,
}

impl Way {
    /// The folders in memory that the supervisor is given.
    pub(crate) fn handed(&self, plan: &Plan) -> Vec<Handed> {
        let folder = |item: &Item| {
            let Item::Memory { at, bytes, files, afterwards } = item else { return None };
            let (at, afterwards) = (at.clone(), *afterwards);
            match self {
                // The file system counts for itself.
                Self::Native(_) => (afterwards == Afterwards::Kept).then_some(Handed {
                    at,
                    afterwards,
                    files: None,
                    bytes: None,
                }),
                Self::Bubblewrap(errand) => Some(Handed {
                    at,
                    afterwards,
                    files: Some(*files),
                    bytes: (errand.installed() == bwrap::Installed::SetUserId).then_some(*bytes),
                }),
                // There is none; what is made instead comes with what is begun.
                Self::Landlock(_) => None,
            }
        };
        plan.tree.iter().filter_map(folder).collect()
    }

    /// How many processes are counted with the program's own.
    pub(crate) const fn others(&self) -> u64 {
        match self {
            // The first process.
            Self::Native(_) | Self::Landlock(_) => 1,
            // And bubblewrap outside of it.
            Self::Bubblewrap(_) => 2,
        }
    }

    /// The hosts that are reached through the supervisor.
    pub(crate) fn reached<'p>(&self, plan: &'p Plan) -> Option<&'p Hosts> {
        match self {
            Self::Native(_) | Self::Bubblewrap(_) => plan.network.hosts(),
            Self::Landlock(_) => None,
        }
    }

    pub(crate) fn start(self, ends: &Ends<'_>) -> Result<Begun, Error> {
        match self {
            Self::Native(orders) => native::start(orders, ends),
            Self::Bubblewrap(errand) => bwrap::start(errand, ends),
            Self::Landlock(errand) => landlock::start(errand, ends),
        }
    }
}

/// What carries out `plan`: the first backend that works here and holds all it asks for, or the one that is named. When
/// less will do, the first that works.
pub(crate) fn choose(plan: &Plan, settings: &Settings, keeps: &Keeps) -> Result<(Way, Report), Error> {
    if let Choice::Only(backend) = settings.backend {
        let row = row(backend)
            .map_err(|because| Error::Unavailable { property: "the backend that is named", because })?;
        return accept((row.prepare)(plan, settings, keeps)?, settings.degraded);
    }
    let mut reasons = Vec::new();
    let mut second_best = None;
    for row in &BACKENDS {
        if let Err(because) = works(row.backend, settings) {
            reasons.push(format!("{}: {because}", row.backend));
            continue;
        }
        match (row.prepare)(plan, settings, keeps) {
            Ok(prepared) if prepared.shortfalls.is_empty() => return accept(prepared, Degraded::Refused),
            Ok(prepared) => {
                let missing = prepared.shortfalls.iter().map(|shortfall| {
                    format!("{}: no {}: {}", row.backend, shortfall.property, shortfall.because)
                });
                reasons.extend(missing);
                second_best = second_best.or(Some(prepared));
            }
            Err(Error::Unavailable { property, because }) => {
                reasons.push(format!("{}: no {property}: {because}", row.backend));
            }
            Err(error) => return Err(error),
        }
    }
    match second_best {
        Some(prepared) if settings.degraded == Degraded::Allowed => accept(prepared, Degraded::Allowed),
        _ => {
            if works(Backend::Native, settings).is_err() {
                reasons.push(format!("what helps is to {}", help(Backend::Native)));
            }
            Err(Error::Unavailable { property: "a sandbox that holds the plan", because: reasons.join("; ") })
        }
    }
}

fn row(backend: Backend) -> Result<&'static Row, String> {
    let found = BACKENDS.iter().find(|row| row.backend == backend);
    found.ok_or_else(|| "this program was built without it".to_owned())
}

/// Takes what was prepared, unless less than all of it will not do.
fn accept(prepared: Prepared, degraded: Degraded) -> Result<(Way, Report), Error> {
    let Prepared { way, mut report, mut shortfalls } = prepared;
    if degraded == Degraded::Refused && !shortfalls.is_empty() {
        return Err(shortfalls.swap_remove(0).into());
    }
    let words =
        shortfalls.into_iter().map(|Shortfall { property, because }| format!("no {property}: {because}"));
    report.degraded.extend(words);
    Ok((way, report))
}

/// Whether a backend works here at all, asked once for each program that would do its inner part.
pub(crate) fn works(backend: Backend, settings: &Settings) -> Result<(), String> {
    type Known = BTreeMap<(Backend, Option<PathBuf>), Result<(), String>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let row = row(backend)?;
    let key = (backend, settings.stage.clone());
    // Whoever panicked while he held it has left whole entries.
    let known = || KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = known().get(&key) {
        return known.clone();
    }
    let found = probe(row, settings);
    known().insert(key, found.clone());
    found
}

/// Makes an empty sandbox and has it start a program that is not there.
fn probe(row: &Row, settings: &Settings) -> Result<(), String> {
    let plan = empty();
    begun(&plan, (row.prepare)(&plan, settings, &Keeps::default()), settings)
}

/// A plan of nothing, whose program is not there.
fn empty() -> Plan {
    let limits = Limits { memory_in_all: None, cpu_in_all: None, ..Limits::default() };
    Plan { limits, ..Plan::new("/nothing", Vec::new(), Programs::Any) }
}

/// Carries out what was prepared of [`empty`]. When all that fails is its program, everything else works.
fn begun(plan: &Plan, prepared: Result<Prepared, Error>, settings: &Settings) -> Result<(), String> {
    let ran = prepared.and_then(|prepared| {
        let groups = Groups::default();
        crate::supervise::supervise(prepared.way, plan, None, settings.outside.clone(), groups)
    });
    match ran {
        Err(Error::Step { step: Step::Execute, source }) if source.kind() == std::io::ErrorKind::NotFound => {
            Ok(())
        }
        Err(error) => Err(reason(&error)),
        Ok(_) => Err("it started a program that is not there".to_owned()),
    }
}

/// An error and what is behind it, in one line.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

/// Whom a root caller's programs run as; nobody else for anybody else.
pub(crate) fn nobody_for_root() -> Option<Identity> {
    let nobody = Identity { user: NOBODY, group: NOBODY, leaves_groups: true };
    rustix::process::geteuid().is_root().then_some(nobody)
}
