//! The default on Linux: namespaces, a tree of its own, Landlock and seccomp, without any other program.

use std::fs;
use std::io;

use super::bounds::{self, Held};
use super::tree::{Owners, tree};
use super::{Begun, Ends, NOBODY, Prepared, USER_INSIDE, Way};
use crate::groups::Keeps;
use crate::inside::{self, Entry, Identity, Orders, Proc as InsideProc};
use crate::leash::Leash;
use crate::plan::{Plan, Proc};
use crate::report::{Backend, ExecIsolation};
use crate::run::Error;
use crate::settings::Settings;
use crate::step::Step;
use crate::supervise::step;

/// Everything that `plan` asks for, prepared, and what it will amount to. The descriptors are the supervisor's to add.
pub(super) fn prepare(plan: &Plan, settings: &Settings, keeps: &Keeps) -> Result<Prepared, Error> {
    let version = bounds::landlock(plan, keeps)?;
    let within = bounds::within(plan, version, keeps, settings)?;
    let mut report = bounds::report(
        plan,
        &Held {
            backend: Backend::Native,
            listed: ExecIsolation::Prevented,
            landlock: version,
            filter: within.filter.length(),
            keeps,
        },
    );
    if version == 0 {
        report.degraded.push("the kernel has no Landlock: the tree alone says what is written".to_owned());
    }
    let orders = Orders {
        namespaces: libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNET
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP,
        entry: Entry::default(),
        identity: Identity { user: USER_INSIDE, group: USER_INSIDE, leaves_groups: report.other_user },
        foreign: Vec::new(),
        root_size: c"16m".to_owned(),
        tree: tree(plan, if report.other_user { Owners::Exchanged } else { Owners::Kept })?,
        proc: match plan.proc {
            Proc::Processes => InsideProc::Processes,
            Proc::Full => InsideProc::Full,
            Proc::Absent => InsideProc::Absent,
        },
        within,
    };
    Ok(Prepared { way: Way::Native(orders), report, shortfalls: Vec::new() })
}

/// Starts a child that carries out `orders`, as a user that it is told.
pub(super) fn start(mut orders: Orders, ends: &Ends<'_>) -> Result<Begun, Error> {
    orders.entry = ends.entry.clone();
    orders.foreign = ends.foreign();
    orders.within.connect(ends.descriptors());
    let started = inside::start(&orders).map_err(|errno| step(Step::Clone, errno))?;
    let leash = Leash::of_first(started.pidfd);
    map_user(started.process).map_err(|source| Error::Step { step: Step::MapUser, source })?;
    Ok(Begun { first: started.process, leash, complaints: None, made: Vec::new() })
}

/// Says which user outside stands for the one inside. Only one line is needed, which the caller may write for itself.
fn map_user(process: i32) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let below = |name: &str| format!("/proc/{process}/{name}");
    let (user, group) = if user.is_root() {
        (NOBODY, NOBODY)
    } else {
        // Leaving groups would be a way round a file that is closed to one of them; so it is not allowed.
        fs::write(below("setgroups"), "deny")?;
        (user.as_raw(), group.as_raw())
    };
    fs::write(below("uid_map"), format!("{USER_INSIDE} {user} 1\n"))?;
    fs::write(below("gid_map"), format!("{USER_INSIDE} {group} 1\n"))
}
