//! What bounds a program once its tree is there, whoever made that: file rules, rules of system calls, the kernel's limits
//! of each process. And what that amounts to.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::tree::DEVICES;
use crate::groups::{Counted, Keeps};
use crate::inside::{
    Access, Asking, AskingForAll, Doors, Executables, Fd, Filter, Limit, PROXY, Reach, Rule, Rules, Sockets,
    Streams, Within, Words, landlock_version,
};
use crate::plan::{Auditing, Item, Limits, Network, Plan, PlanError, Proc, Programs, Rights, text, variable};
use crate::report::{
    Backend, ExecIsolation, Limited, Mechanism, NetworkIsolation, ProcView, Quantity, Report,
};
use crate::run::Error;
use crate::settings::{Lack, Settings};

/// The version of Landlock there is; nought when there is none, and nothing in `plan` needs one.
pub(super) fn landlock(plan: &Plan, keeps: &Keeps) -> Result<u32, Error> {
    let version = landlock_version();
    if version == 0 && plan.programs != Programs::Any {
        return Err(Error::Unavailable {
            property: "a list of programs",
            because: "the kernel has no Landlock, or it is not switched on".to_owned(),
        });
    }
    let is_looked_at = |limit: Option<u64>, counted| limit.is_some() && !keeps.has(counted);
    let needed = [
        (is_looked_at(plan.limits.memory_in_all, Counted::Memory), "a limit of memory in all"),
        (is_looked_at(plan.limits.cpu_in_all, Counted::Cpu), "a limit of processor time in all"),
        (plan.audit == Auditing::Programs, "an audit of programs"),
    ];
    match needed.into_iter().find(|(is_needed, _)| *is_needed) {
        Some((_, property)) if !crate::usage::can_be_seen() => Err(Error::Unavailable {
            property,
            because: "the system does not tell whose child a process is".to_owned(),
        }),
        _ => Ok(version),
    }
}

/// What is done once the tree is there. The descriptors are the supervisor's to add.
pub(super) fn within(plan: &Plan, version: u32, keeps: &Keeps, settings: &Settings) -> Result<Within, Error> {
    let listed = plan.programs != Programs::Any;
    let executables = if listed { Executables::Listed } else { Executables::Any };
    let mut arguments = vec![text(plan.program.as_os_str())?];
    for argument in &plan.arguments {
        arguments.push(text(argument)?);
    }
    let environment: Result<Vec<CString>, PlanError> =
        plan.environment.iter().map(|(name, value)| variable(name, value)).collect();
    let followed = plan.audit == Auditing::Programs;
    let asking = if followed { Asking::Tracer } else { Asking::Nobody };
    let sockets = if plan.network.hosts().is_some() { Sockets::Internet } else { Sockets::Pairs };
    let absent = Fd(-1);
    let doors = plan.network.hosts().map(|hosts| -> Result<Doors, PlanError> {
        Ok(Doors {
            reach: if matches!(plan.network, Network::Proxied(_)) { Reach::Proxy } else { Reach::Everywhere },
            asking: if settings.lacking.contains(&Lack::AnyAddress) {
                AskingForAll::Pointless
            } else {
                AskingForAll::Allowed
            },
            ports: hosts.ports().into_iter().collect(),
            to: absent,
            proxied: Words::new(proxied(plan)?),
        })
    });
    Ok(Within {
        ready: absent,
        words: absent,
        kept: absent,
        streams: Streams { input: absent, output: absent, errors: absent },
        folder: text(plan.folder.as_os_str())?,
        doors: doors.transpose()?,
        rules: Rules::new(version, sockets, rules(plan)?),
        filter: Filter::new(executables, asking, sockets),
        followed,
        limits: limits(&plan.limits, keeps),
        program: text(plan.program.as_os_str())?,
        arguments: Words::new(arguments),
        environment: Words::new(environment?),
    })
}

/// The environment of a program that has only the proxy: it is named in every way that programs look for one.
fn proxied(plan: &Plan) -> Result<Vec<CString>, PlanError> {
    let proxy = format!("http://127.0.0.1:{PROXY}");
    let mut named = vec![("NODE_USE_ENV_PROXY", "1")];
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        named.push((name, &proxy));
    }
    let is_named =
        |name: &OsStr| named.iter().any(|(own, _)| name == *own) || name.eq_ignore_ascii_case("NO_PROXY");
    let own = plan.environment.iter().filter(|(name, _)| !is_named(name));
    let own = own.map(|(name, value)| variable(name, value));
    let named = named.iter().map(|(name, value)| variable(OsStr::new(name), OsStr::new(value)));
    own.chain(named).collect()
}

/// What differs between backends that make a tree of their own.
pub(super) struct Held<'k> {
    pub(super) backend: Backend,
    /// What a list of programs amounts to.
    pub(super) listed: ExecIsolation,
    pub(super) landlock: u32,
    pub(super) filter: usize,
    /// What control groups keep.
    pub(super) keeps: &'k Keeps,
}

/// What carrying out `plan` in namespaces amounts to.
pub(super) fn report(plan: &Plan, held: &Held<'_>) -> Report {
    Report {
        backend: held.backend,
        files_isolated: true,
        files_hidden: true,
        network: match (plan.network.hosts(), &plan.network) {
            (None, _) => NetworkIsolation::None,
            (_, Network::Proxied(_)) => NetworkIsolation::Proxied,
            _ => NetworkIsolation::Listed,
        },
        exec: if plan.programs == Programs::Any { ExecIsolation::Unlisted } else { held.listed },
        proc: match plan.proc {
            Proc::Processes => ProcView::Processes,
            Proc::Full => ProcView::Full,
            Proc::Absent => ProcView::Absent,
        },
        landlock: (held.landlock > 0).then_some(held.landlock),
        filter: held.filter,
        other_user: rustix::process::geteuid().is_root(),
        limits: kept_by(plan, held),
        degraded: Vec::new(),
    }
}

/// What keeps each limit that `plan` sets.
fn kept_by(plan: &Plan, held: &Held<'_>) -> Vec<Limited> {
    let limits = &plan.limits;
    let in_memory = plan.tree.iter().any(|item| matches!(item, Item::Memory { .. })).then_some(());
    let (size, files) = match held.backend {
        Backend::Native => (Mechanism::FileSystem, Mechanism::FileSystem),
        Backend::Bubblewrap => (Mechanism::FileSystem, Mechanism::Look),
        Backend::Landlock => (Mechanism::Look, Mechanism::Look),
    };
    let group_or = |counted, other| if held.keeps.has(counted) { Mechanism::Group } else { other };
    let mut all = vec![(Quantity::Wall, Mechanism::Supervisor), (Quantity::Output, Mechanism::Supervisor)];
    let each = [
        (limits.line.map(drop), Quantity::Line, Mechanism::Supervisor),
        (limits.cpu.map(drop), Quantity::Cpu, Mechanism::Rlimit),
        (limits.cpu_in_all.map(drop), Quantity::CpuInAll, group_or(Counted::Cpu, Mechanism::Look)),
        (limits.memory.map(drop), Quantity::Memory, Mechanism::Rlimit),
        (limits.memory_in_all.map(drop), Quantity::MemoryInAll, group_or(Counted::Memory, Mechanism::Look)),
        (limits.processes.map(drop), Quantity::Processes, group_or(Counted::Processes, Mechanism::Rlimit)),
        (limits.file_size.map(drop), Quantity::FileSize, Mechanism::Rlimit),
        (limits.open_files.map(drop), Quantity::OpenFiles, Mechanism::Rlimit),
        (limits.disk.map(drop), Quantity::Disk, Mechanism::Look),
        (plan.network.hosts().map(drop), Quantity::Connections, Mechanism::Supervisor),
        (plan.network.hosts().map(drop), Quantity::Traffic, Mechanism::Supervisor),
        (in_memory, Quantity::FolderSize, size),
        (in_memory, Quantity::FolderFiles, files),
    ];
    all.extend(each.into_iter().filter_map(|(set, quantity, by)| set.map(|()| (quantity, by))));
    all.into_iter().map(|(quantity, by)| Limited { quantity, by }).collect()
}

/// What may be done where in a tree of its own.
fn rules(plan: &Plan) -> Result<Vec<Rule>, Error> {
    // Nothing else is there, so everything may be listed.
    let mut rules = vec![rule(Path::new("/"), Access::LIST)?];
    rules.extend(listed(plan, |_| true)?);
    if plan.proc != Proc::Absent {
        rules.push(rule(Path::new("/proc"), Access::READ)?);
    }
    Ok(rules)
}

/// What may be done with the items of `plan` that are `there`, its programs, and the devices. A rule reaches everything
/// below its place.
pub(super) fn listed(plan: &Plan, there: impl Fn(&Item) -> bool) -> Result<Vec<Rule>, Error> {
    let any = plan.programs == Programs::Any;
    let code = if any { Access::READ.and(Access::EXECUTE) } else { Access::READ };
    let write = Access::READ.and(Access::CHANGE);
    let mut rules = Vec::new();
    for item in plan.tree.iter().filter(|item| there(item)) {
        let access = match item {
            Item::Host { rights: Rights::Read, .. } | Item::File { .. } => Access::READ,
            Item::Host { rights: Rights::Code, .. } => code,
            Item::Host { rights: Rights::Write, .. } | Item::Memory { .. } => write,
            Item::Host { rights: Rights::WriteCode, .. } => write.and(Access::EXECUTE),
            Item::Link { .. } => continue,
        };
        rules.push(rule(item.at(), access)?);
    }
    if let Programs::Listed(programs) = &plan.programs {
        for program in programs {
            rules.push(rule(program, Access::READ.and(Access::EXECUTE))?);
        }
    }
    for device in DEVICES {
        let access = match device {
            "null" | "full" | "zero" => Access::READ.and(Access::WRITE_FILE),
            _ => Access::READ,
        };
        rules.push(rule(&Path::new("/dev").join(device), access)?);
    }
    Ok(rules)
}

fn rule(at: &Path, access: Access) -> Result<Rule, Error> {
    Ok(Rule {
        at: CString::new(at.as_os_str().as_bytes()).map_err(|_nul| PlanError::Path(at.to_owned()))?,
        access,
    })
}

/// The kernel's limits of each process.
fn limits(limits: &Limits, keeps: &Keeps) -> Vec<Limit> {
    let mut all = vec![
        // No core dump: at nought the kernel would still hand one to the host's program for them, at one it does not.
        both(libc::RLIMIT_CORE, 1),
        // No message queues, and little memory that cannot be swapped.
        both(libc::RLIMIT_MSGQUEUE, 0),
        both(libc::RLIMIT_MEMLOCK, 64 << 10),
        // No precedence over the host's processes, few signals that wait, and the usual stack, whatever the caller has.
        both(libc::RLIMIT_RTPRIO, 0),
        both(libc::RLIMIT_NICE, 0),
        both(libc::RLIMIT_SIGPENDING, 1024),
        Limit { resource: resource(libc::RLIMIT_STACK), soft: 8 << 20, hard: 64 << 20 },
    ];
    if let Some(seconds) = limits.cpu {
        // A signal that says so at the limit, and no mercy a second later.
        let hard = seconds.saturating_add(1);
        all.push(Limit { resource: resource(libc::RLIMIT_CPU), soft: seconds, hard });
    }
    // The first process of the sandbox is one as well. A group that counts must be the first to refuse, to be asked.
    let more = if keeps.has(Counted::Processes) { 2 } else { 1 };
    let each = [
        (limits.memory, libc::RLIMIT_DATA),
        (limits.processes.map(|count| count.saturating_add(more)), libc::RLIMIT_NPROC),
        (limits.file_size, libc::RLIMIT_FSIZE),
        (limits.open_files, libc::RLIMIT_NOFILE),
    ];
    all.extend(each.into_iter().filter_map(|(value, name)| value.map(|value| both(name, value))));
    all
}

fn both(name: impl TryInto<i32>, value: u64) -> Limit {
    Limit { resource: resource(name), soft: value, hard: value }
}

/// The number of a resource, which C libraries give different types.
pub(super) fn resource(name: impl TryInto<i32>) -> i32 {
    // There is no resource of this number: the kernel would refuse it, and the run with it.
    name.try_into().unwrap_or(-1)
}
