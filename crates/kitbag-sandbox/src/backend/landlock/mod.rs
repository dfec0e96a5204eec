//! Landlock alone, where neither this program nor the system's bubblewrap may make namespaces: in containers, mostly.
//!
//! Nothing is mounted, so everything keeps the name it has on the host, and what is not listed can be seen to exist. It
//! can neither be read, written nor started, and nobody is reached: file rules say so and, where these are not asked, a
//! filter of system calls. A folder in memory is a folder of the host here, made for the run and removed with it. What
//! namespaces would give is said to be missing, so that nothing runs here unless less will do.

mod places;
mod start;

use std::fs;

use self::places::Places;
use super::bounds::{self, Held};
use super::{Prepared, Shortfall, Way, nobody_for_root};
use crate::groups::{Counted, Keeps};
use crate::inside::{self, Alone, Entry, Filter, Limit, Owner, Rules, Sockets};
use crate::plan::{Auditing, Network, Plan, Proc, Programs};
use crate::report::{Backend, ExecIsolation, NetworkIsolation, ProcView};
use crate::run::Error;
use crate::settings::Settings;

pub(super) use start::start;

/// What is made and started.
pub(crate) struct Errand {
    orders: Alone,
    places: Places,
}

pub(super) fn prepare(plan: &Plan, settings: &Settings, keeps: &Keeps) -> Result<Prepared, Error> {
    of_version(plan, settings, keeps, inside::landlock_version())
}

/// As [`prepare`], with no more of Landlock than `version` has.
fn of_version(plan: &Plan, settings: &Settings, keeps: &Keeps, version: u32) -> Result<Prepared, Error> {
    if version == 0 {
        return Err(Error::Unavailable {
            property: "a sandbox of file rules",
            because: "the kernel has no Landlock, or it is not switched on".to_owned(),
        });
    }
    bounds::landlock(plan, keeps)?;
    let places = Places::of(plan)?;
    // Nothing is reached, so that what is listed is not gone past: see `shortfalls`.
    let closed = Plan { network: Network::Off, ..plan.clone() };
    let mut within = bounds::within(&closed, version, keeps, settings)?;
    within.rules = Rules::new(version, Sockets::Pairs, bounds::listed(plan, |item| places.is_there(item))?);
    count_processes(&mut within.limits, keeps);
    let listed =
        if plan.audit == Auditing::Programs { ExecIsolation::Prevented } else { ExecIsolation::Loadable };
    let owner = if nobody_for_root().is_some() { Owner::Nobody } else { Owner::Caller };
    let apart = Filter::apart(owner, version);
    let filter = within.filter.length() + apart.length();
    let held = Held { backend: Backend::Landlock, listed, landlock: version, filter, keeps };
    let mut report = bounds::report(&closed, &held);
    report.files_hidden = false;
    report.files_isolated = !places.is_written;
    report.network = NetworkIsolation::None;
    report.proc = ProcView::Closed;
    let shortfalls = shortfalls(plan, &places, owner, &By { version, keeps });
    let orders = Alone {
        entry: Entry::default(),
        identity: nobody_for_root(),
        foreign: Vec::new(),
        among_themselves: Rules::among_themselves(version),
        apart,
        folders: places.made_inside()?,
        within,
    };
    Ok(Prepared { way: Way::Landlock(Errand { orders, places }), report, shortfalls })
}

/// What holds a program besides its rules.
struct By<'k> {
    /// The version of Landlock.
    version: u32,
    /// What control groups keep.
    keeps: &'k Keeps,
}

/// What a plan asks for and has not here, in the order of its weight.
fn shortfalls(plan: &Plan, places: &Places, owner: Owner, by: &By<'_>) -> Vec<Shortfall> {
    let By { version, keeps } = *by;
    let mut all = Vec::new();
    let mut missing = |property: &'static str, because: String| all.push(Shortfall { property, because });
    if !places.widened.is_empty() {
        let named = places::named(&places.widened);
        let because = format!(
            "{named}: a rule reaches everything below its place, so the wider one holds there as well"
        );
        missing("narrower place within a wider one", because);
    }
    let because = "without namespaces the program can see that files of the host which are not listed exist, how large and \
                   whose they are, and where links lead; it can neither read nor write them";
    missing("hidden files", because.to_owned());
    if plan.network.hosts().is_some() {
        let because = "without a network of its own a program could go past the supervisor, so nothing is reached at all";
        missing("list of hosts", because.to_owned());
    }
    if !matches!(plan.programs, Programs::Any) && plan.audit == Auditing::Off {
        let because = "without mounts nothing is data only, so a listed dynamic loader can be told to load any file that can \
                       be read or was written";
        missing("complete list of programs", because.to_owned());
    }
    if plan.proc != Proc::Absent {
        let because = "the host's cannot be narrowed to the program's own processes, so no file of it can be read; which \
                       processes there are can still be found out";
        missing("/proc of its own", because.to_owned());
    }
    if !places.missing.is_empty() {
        let named = places::named(&places.missing);
        missing(
            "file that only exists inside",
            format!("nothing can be mounted, so there is no {named} but the host's, unread"),
        );
    }
    if !places.folders.is_empty() {
        let named: Vec<_> = places.folders.iter().map(|folder| folder.at.clone()).collect();
        let named = places::named(&named);
        let because = format!(
            "{named}: a folder on the host's disk is made instead and removed with the run; how much is in it is looked at a few times a second"
        );
        missing("folder in memory", because);
    }
    if plan.limits.processes.is_some() && !keeps.has(Counted::Processes) {
        let because = "the kernel counts the processes of the user, those outside among them; as many more may be started as \
                       were asked for";
        missing("exact limit of processes", because.to_owned());
    }
    let because = "programs see the host's name, and run as a user that others have as well";
    missing("system of its own", because.to_owned());
    if owner == Owner::Caller {
        let because = "no rule speaks of modes, owners and times of files, so they cannot be changed at all, not even in a \
                       folder that is written to";
        missing("change of a file's mode", because.to_owned());
    }
    if version < 6 {
        let because = format!(
            "Landlock {version} does not keep signals among the program's own processes, so it can send none and begin no session"
        );
        missing("signals among its own processes", because);
    }
    all
}

/// Leaves the count of processes to a group that counts just them. Otherwise the kernel counts all of a user's, and as many
/// more may be started as the limit says.
fn count_processes(limits: &mut Vec<Limit>, keeps: &Keeps) {
    let of_processes = bounds::resource(libc::RLIMIT_NPROC);
    if keeps.has(Counted::Processes) {
        limits.retain(|limit| limit.resource != of_processes);
        return;
    }
    let user = nobody_for_root().map_or_else(|| rustix::process::getuid().as_raw(), |nobody| nobody.user);
    for limit in limits.iter_mut().filter(|limit| limit.resource == of_processes) {
        let others = processes_of(user);
        limit.soft = limit.soft.saturating_add(others);
        limit.hard = limit.hard.saturating_add(others);
    }
}

/// How many processes and threads there are of `user`, which the kernel counts together.
fn processes_of(user: u32) -> u64 {
    let threads = |process: fs::DirEntry| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let real = field("Uid:")?.split_whitespace().next()?.parse::<u32>().ok()?;
        (real == user).then(|| field("Threads:")?.parse::<u64>().ok())?
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(threads).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
