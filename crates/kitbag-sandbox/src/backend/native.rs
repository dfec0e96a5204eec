//! The default on Linux: namespaces, a tree of its own, Landlock and seccomp, without any other program.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::inside::{
    Access, Asking, Doors, Executables, Fd, Filter, Identity, Limit, MOUNTS_AT_MOST, Operation, Orders,
    PROXY, Proc as InsideProc, Reach, Rule, Rules, Sockets, Streams, Words, landlock_version,
};
use crate::owners;
use crate::plan::{
    Afterwards, Auditing, Item, Limits, Network, Plan, PlanError, Proc, Programs, Rights, inside, text,
    variable,
};
use crate::report::{Backend, ExecIsolation, NetworkIsolation, ProcView, Report};
use crate::run::Error;

/// The number of the user and of the group inside, whoever it is outside.
pub(crate) const USER_INSIDE: u32 = 1000;

/// A root caller's programs run as this user and group outside: one that owns nothing.
pub(crate) const NOBODY: u32 = 65534;

/// Devices without which few programs start.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Everything that `plan` asks for, prepared, and what it will amount to. The descriptors are the supervisor's to add.
pub(crate) fn prepare(plan: &Plan) -> Result<(Orders, Report), Error> {
    let version = landlock_version();
    let listed = matches!(plan.programs, Programs::Listed(_));
    if version == 0 && listed {
        return Err(Error::Unavailable {
            property: "a list of programs",
            because: "the kernel has no Landlock, or it is not switched on".to_owned(),
        });
    }
    if plan.limits.memory_in_all.is_some() && !crate::usage::can_be_seen() {
        return Err(Error::Unavailable {
            property: "a limit of memory in all",
            because: "the system does not tell whose child a process is".to_owned(),
        });
    }
    let executables = if listed { Executables::Listed } else { Executables::Any };
    let privileged = rustix::process::geteuid().is_root();
    let followed = plan.audit == Auditing::Programs;
    if followed && !crate::usage::can_be_seen() {
        return Err(Error::Unavailable {
            property: "an audit of programs",
            because: "the system does not tell whose child a process is".to_owned(),
        });
    }
    let asking = if followed { Asking::Tracer } else { Asking::Nobody };
    let sockets = if plan.network.hosts().is_some() { Sockets::Internet } else { Sockets::Pairs };
    let filter = Filter::new(executables, asking, sockets);
    let owners = if privileged { Owners::Exchanged } else { Owners::Kept };
    let mut degraded = Vec::new();
    if version == 0 {
        degraded.push("the kernel has no Landlock: the tree alone says what is written".to_owned());
    }
    let report = Report {
        backend: Backend::Native,
        files_isolated: true,
        files_hidden: true,
        network: match (plan.network.hosts(), &plan.network) {
            (None, _) => NetworkIsolation::None,
            (_, Network::Proxied(_)) => NetworkIsolation::Proxied,
            _ => NetworkIsolation::Listed,
        },
        exec: if listed { ExecIsolation::Prevented } else { ExecIsolation::Unlisted },
        proc: match plan.proc {
            Proc::Processes => ProcView::Processes,
            Proc::Full => ProcView::Full,
            Proc::Absent => ProcView::Absent,
        },
        landlock: (version > 0).then_some(version),
        filter: filter.length(),
        other_user: privileged,
        degraded,
    };
    let absent = Fd(-1);
    let mut arguments = vec![text(plan.program.as_os_str())?];
    for argument in &plan.arguments {
        arguments.push(text(argument)?);
    }
    let environment: Result<Vec<CString>, PlanError> =
        plan.environment.iter().map(|(name, value)| variable(name, value)).collect();
    let doors = plan.network.hosts().map(|hosts| -> Result<Doors, PlanError> {
        Ok(Doors {
            reach: if matches!(plan.network, Network::Proxied(_)) { Reach::Proxy } else { Reach::Everywhere },
            ports: hosts.ports().into_iter().collect(),
            to: absent,
            proxied: Words::new(proxied(plan)?),
        })
    });
    let orders = Orders {
        namespaces: libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNET
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP,
        identity: Identity { user: USER_INSIDE, group: USER_INSIDE, leaves_groups: privileged },
        ready: absent,
        foreign: Vec::new(),
        words: absent,
        kept: absent,
        streams: Streams { input: absent, output: absent, errors: absent },
        root_size: c"16m".to_owned(),
        tree: tree(plan, owners)?,
        proc: match plan.proc {
            Proc::Processes => InsideProc::Processes,
            Proc::Full => InsideProc::Full,
            Proc::Absent => InsideProc::Absent,
        },
        folder: text(plan.folder.as_os_str())?,
        doors: doors.transpose()?,
        rules: Rules::new(version, sockets, rules(plan)?),
        filter,
        followed,
        limits: limits(&plan.limits),
        program: text(plan.program.as_os_str())?,
        arguments: Words::new(arguments),
        environment: Words::new(environment?),
    };
    Ok((orders, report))
}

/// Whose the files of the host are inside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owners {
    /// Whose they are outside.
    Kept,
    /// What is root's is the program's.
    Exchanged,
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

/// What is made, in order. Folders above an item are made as long as the tree itself is what they would be made in; a
/// folder of the host is never written to, so a place inside one must be there.
fn tree(plan: &Plan, owners: Owners) -> Result<Vec<Operation>, Error> {
    let mut made = Made::default();
    for item in plan.tree.iter().filter(|item| !matches!(item, Item::Link { .. })) {
        let at = item.at();
        match item {
            Item::Host { from, rights, .. } => {
                // A place is a folder or a file as its source is; what it is when the child looks is what counts, and
                // a source that changed its kind meanwhile cannot be attached.
                let metadata = std::fs::metadata(from).map_err(|source| Error::Step {
                    step: crate::step::Step::Source,
                    source: std::io::Error::new(source.kind(), format!("{}: {source}", from.display())),
                })?;
                let kind = if metadata.is_dir() { Kind::Folder } else { Kind::File };
                made.place(at, kind)?;
                made.host.insert(at.to_owned(), kind);
                let attributes = Operation::TAME
                    | match rights {
                        Rights::Read => Operation::READ_ONLY | Operation::NO_EXECUTION,
                        Rights::Code => Operation::READ_ONLY,
                        Rights::Write => Operation::NO_EXECUTION,
                        Rights::WriteCode => 0,
                    };
                let from = text(from.as_os_str())?;
                // What is code is read by everybody anyway.
                let is_exchanged = owners == Owners::Exchanged && *rights != Rights::Code;
                let copy = is_exchanged.then(|| owners::copy(&from, attributes, NOBODY)).flatten();
                made.operations.push(Operation::Bind { from, at: inside(at)?, attributes, copy });
            }
            Item::Memory { bytes, files, afterwards, .. } => {
                made.place(at, Kind::Folder)?;
                made.operations.push(Operation::Memory {
                    at: inside(at)?,
                    size: number(*bytes),
                    // The folder itself is one.
                    inodes: number(files.saturating_add(1)),
                    kept: *afterwards == Afterwards::Kept,
                });
            }
            Item::File { content, .. } => {
                made.own(at)?;
                made.operations.push(Operation::File(inside(at)?, content.clone()));
            }
            Item::Link { .. } => {}
        }
    }
    for device in DEVICES {
        let at = Path::new("/dev").join(device);
        made.place(&at, Kind::File)?;
        made.operations.push(Operation::Bind {
            from: text(at.as_os_str())?,
            at: inside(&at)?,
            attributes: Operation::DEVICE,
            copy: None,
        });
    }
    made.place(Path::new("/proc"), Kind::Folder)?;
    // Links come last: nothing is made through one.
    for item in &plan.tree {
        if let Item::Link { at, to } = item {
            made.own(at)?;
            made.operations.push(Operation::Link(text(to.as_os_str())?, inside(at)?));
        }
    }
    for (at, to) in [
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
    ] {
        made.operations.push(Operation::Link(text(OsStr::new(to))?, text(OsStr::new(at))?));
    }
    let sources =
        made.operations.iter().filter(|operation| matches!(operation, Operation::Bind { .. })).count();
    if sources > MOUNTS_AT_MOST {
        return Err(PlanError::TooMany.into());
    }
    Ok(made.operations)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
}

#[derive(Default)]
struct Made {
    operations: Vec<Operation>,
    folders: BTreeSet<PathBuf>,
    /// What is of the host, and what it is.
    host: BTreeMap<PathBuf, Kind>,
}

impl Made {
    /// Makes the folders above `at`, which is about to be made itself: only in the tree's own folders.
    fn own(&mut self, at: &Path) -> Result<(), Error> {
        if self.is_of_host(at) {
            return Err(PlanError::InsideHost(at.to_owned()).into());
        }
        self.above(at)
    }

    /// Makes the folders above `at`.
    fn above(&mut self, at: &Path) -> Result<(), Error> {
        if at.ancestors().any(|above| self.host.get(above) == Some(&Kind::File)) {
            return Err(PlanError::BelowNoFolder(at.to_owned()).into());
        }
        let mut above: Vec<&Path> = at.ancestors().skip(1).filter(|path| *path != Path::new("/")).collect();
        above.reverse();
        for folder in above {
            self.folder(folder)?;
        }
        Ok(())
    }

    /// Makes `at` itself, to attach something there, and the folders above.
    fn place(&mut self, at: &Path, kind: Kind) -> Result<(), Error> {
        self.above(at)?;
        match kind {
            Kind::Folder => self.folder(at),
            Kind::File if self.is_of_host(at) => Ok(()),
            Kind::File => {
                self.operations.push(Operation::File(inside(at)?, Vec::new()));
                Ok(())
            }
        }
    }

    fn folder(&mut self, at: &Path) -> Result<(), Error> {
        if !self.is_of_host(at) && self.folders.insert(at.to_owned()) {
            self.operations.push(Operation::Folder(inside(at)?));
        }
        Ok(())
    }

    fn is_of_host(&self, at: &Path) -> bool {
        at.ancestors().any(|above| self.host.contains_key(above))
    }
}

fn number(value: u64) -> CString {
    CString::new(value.to_string()).unwrap_or_default()
}

/// What may be done where. A rule reaches everything below its place.
fn rules(plan: &Plan) -> Result<Vec<Rule>, Error> {
    let any = plan.programs == Programs::Any;
    let code = if any { Access::READ.and(Access::EXECUTE) } else { Access::READ };
    let write = Access::READ.and(Access::CHANGE);
    let mut rules = vec![rule(Path::new("/"), Access::LIST)?];
    for item in &plan.tree {
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
    if plan.proc != Proc::Absent {
        rules.push(rule(Path::new("/proc"), Access::READ)?);
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
fn limits(limits: &Limits) -> Vec<Limit> {
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
    let each = [
        (limits.memory, libc::RLIMIT_DATA),
        // The first process of the sandbox is one as well.
        (limits.processes.map(|count| count.saturating_add(1)), libc::RLIMIT_NPROC),
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
fn resource(name: impl TryInto<i32>) -> i32 {
    // There is no resource of this number: the kernel would refuse it, and the run with it.
    name.try_into().unwrap_or(-1)
}

#[cfg(test)]
#[path = "native_tests.rs"]
mod tests;
