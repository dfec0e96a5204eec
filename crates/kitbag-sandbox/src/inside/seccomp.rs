//! System call rules: a filter for the kernel, written by hand.
//!
//! Builders check the architecture only; this one also kills the x32 calls of x86_64, which have the same architecture and
//! other numbers, masks the flags of `clone`, and refuses every call that is newer than this program.

mod alone;

use libc::sock_filter as Instruction;

use super::system::Errno;

pub(crate) use alone::Owner;

/// A filter as the kernel takes it.
pub(crate) struct Filter(Vec<Instruction>);

/// Which files may be started or mapped as code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Executables {
    /// Those on a list: then none may be made out of memory, where no list reaches.
    Listed,
    /// Any.
    Any,
}

/// Whether a call that starts a program is told to a tracer first. Without one it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// It is.
    Tracer,
    /// There is no tracer.
    Nobody,
}

/// Which sockets may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// None but pairs of local ones.
    Pairs,
    /// Besides those, TCP and UDP: they end at the doors of a network of its own.
    Internet,
}

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Allow,
    Refuse(Errno),
    /// The tracer is told first.
    Tell,
    /// A file is made, or what may be done with it is changed, unless it would be run as whoever owns it: the mode is this
    /// argument.
    Mode(u32),
    /// The same where a file is only made when the flags say so: the flags are the first argument, the mode the second.
    ModeIfMade(u32, u32),
    /// `clone`, unless its flags ask for a namespace or to go untraced.
    CloneFlags,
    /// `ioctl`, unless it types on a terminal.
    Terminal,
    /// `socketpair`, of the one family that has them, and of the kinds that stay a pair: one of datagrams can be connected
    /// to somebody else afterwards.
    PairOfSockets,
    /// `socket`, of the internet's two families, for TCP and UDP.
    Internet,
    /// What is done to a process, when this argument says that it is the caller's own.
    Itself(u32),
    /// The same where the first argument says, by this value, that the second is a process.
    ItselfAmong(u32),
    /// A signal that this argument names, unless it is none, or goes to the caller's own group: the process is the first.
    Signal(u32),
    /// A signal that this argument names, unless it is none.
    AnySignal(u32),
    /// `fcntl` or `ioctl`, unless this argument is one of these.
    Unless(u32, &'static [u32]),
    /// A file is opened, unless it is for nothing, or is cut short by who may not write: the flags are this argument.
    Opened(u32, Cutting),
}

/// Whether file rules say which files may be cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cutting {
    /// They do.
    Ruled,
    /// They do not, so nothing is that is not opened to be written.
    Unruled,
}

const LOAD: u16 = 0x20;
const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const ANY_BIT: u16 = 0x45;
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;
const JUMP: u16 = 0x05;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;
const TRACE: u32 = 0x7ff0_0000;

/// Where the kernel puts the number of the call, the architecture, and the low half of an argument.
const CALL: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(index: u32) -> u32 {
    // The low half comes first on both architectures.
    16 + index * 8
}

#[cfg(target_arch = "x86_64")]
const AUDIT_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const AUDIT_ARCH: u32 = 0xc000_00b7;

/// New namespaces, the new clock, and going untraced.
const CLONE_REFUSED: u32 = 0x7e02_0000 | 0x80 | 0x0080_0000;

const fn step(code: u16, value: u32, yes: u8, no: u8) -> Instruction {
    Instruction { code, jt: yes, jf: no, k: value }
}

const fn give(value: u32) -> Instruction {
    step(RETURN, value, 0, 0)
}

fn refuse(errno: i32) -> u32 {
    ERRNO | (errno.cast_unsigned() & 0xffff)
}

impl Filter {
    /// The filter of a sandbox.
    pub(crate) fn new(executables: Executables, asking: Asking, sockets: Sockets) -> Self {
        Self::of(&segments(executables, asking, sockets))
    }

    /// The filter that does what is said for each run of numbers.
    fn of(segments: &[(u32, Action)]) -> Self {
        let mut filter = vec![
            step(LOAD, ARCHITECTURE, 0, 0),
            step(EQUAL, AUDIT_ARCH, 1, 0),
            // On x86_64: `int 0x80`, the calls of 32-bit programs, with numbers of their own.
            give(KILL),
            step(LOAD, CALL, 0, 0),
        ];
        if cfg!(target_arch = "x86_64") {
            const X32: u32 = 0x4000_0000;
            filter.extend([step(AT_LEAST, X32, 0, 1), give(KILL)]);
        }
        filter.extend(tree(segments));
        Self(filter)
    }

    /// How many instructions it has.
    pub(crate) fn length(&self) -> usize {
        self.0.len()
    }

    /// The instructions as numbers.
    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|Instruction { code, jt, jf, k }| {
            u64::from(*code) << 48 | u64::from(*jt) << 40 | u64::from(*jf) << 32 | u64::from(*k)
        })
    }

    /// The filter that these numbers are; `None` when they are no instructions.
    pub(super) fn from_words(words: &[u64]) -> Option<Self> {
        let instruction = |word: &u64| {
            let [k0, k1, k2, k3, jf, jt, c0, c1] = word.to_le_bytes();
            let (code, k) = (u16::from_le_bytes([c0, c1]), u32::from_le_bytes([k0, k1, k2, k3]));
            Instruction { code, jt, jf, k }
        };
        // The kernel takes no empty one, and none longer.
        (1..=4096).contains(&words.len()).then(|| Self(words.iter().map(instruction).collect()))
    }

    pub(super) fn instructions(&self) -> &[Instruction] {
        &self.0
    }
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Filter({} instructions)", self.0.len())
    }
}

/// Numbers of calls in runs with one action: the first number of each run, in order, the first being 0.
fn segments(executables: Executables, asking: Asking, sockets: Sockets) -> Vec<(u32, Action)> {
    let mut special: Vec<(u32, Action)> = REFUSED.iter().map(|call| (*call, Action::Refuse(EPERM))).collect();
    if executables == Executables::Listed {
        special.extend(CODE_FROM_MEMORY.iter().map(|call| (*call, Action::Refuse(EPERM))));
    }
    if asking == Asking::Tracer {
        let calls = [libc::SYS_execve, libc::SYS_execveat];
        special.extend(calls.map(|call| (number(call), Action::Tell)));
    }
    special.extend([
        (number(libc::SYS_clone3), Action::Refuse(Errno(libc::ENOSYS))),
        (number(libc::SYS_clone), Action::CloneFlags),
        (number(libc::SYS_ioctl), Action::Terminal),
        (
            number(libc::SYS_socket),
            match sockets {
                Sockets::Pairs => Action::Refuse(Errno(libc::EAFNOSUPPORT)),
                Sockets::Internet => Action::Internet,
            },
        ),
        (number(libc::SYS_socketpair), Action::PairOfSockets),
    ]);
    special.extend(MODES);
    let mut segments = runs(special);
    segments.push((NEWEST + 1, Action::Refuse(Errno(libc::ENOSYS))));
    segments
}

/// What is `special` and, in between, what is allowed.
fn runs(mut special: Vec<(u32, Action)>) -> Vec<(u32, Action)> {
    special.sort_by_key(|(call, _)| *call);
    let mut segments = vec![(0, Action::Allow)];
    for (call, action) in special {
        match segments.last_mut() {
            Some(last) if last.0 == call => last.1 = action,
            _ => segments.push((call, action)),
        }
        segments.push((call + 1, Action::Allow));
    }
    segments.dedup_by(|next, last| next.1 == last.1);
    segments
}

const EPERM: Errno = Errno(libc::EPERM);

/// Finds the run of a number by halves, and does what it says.
fn tree(segments: &[(u32, Action)]) -> Vec<Instruction> {
    match segments {
        [] => vec![give(KILL)],
        [(_, action)] => act(*action),
        _ => {
            let (low, high) = segments.split_at(segments.len() / 2);
            let first = high.first().map_or(0, |(call, _)| *call);
            let (low, high) = (tree(low), tree(high));
            let over = u32::try_from(low.len()).unwrap_or(u32::MAX);
            let mut found = match u8::try_from(over) {
                Ok(over) => vec![step(AT_LEAST, first, over, 0)],
                // A conditional jump reaches 255 instructions; a plain one reaches any.
                Err(_far) => vec![step(AT_LEAST, first, 0, 1), step(JUMP, over, 0, 0)],
            };
            found.extend(low);
            found.extend(high);
            found
        }
    }
}

fn act(action: Action) -> Vec<Instruction> {
    let eperm = give(refuse(libc::EPERM));
    match action {
        Action::Allow => vec![give(ALLOW)],
        Action::Refuse(errno) => vec![give(refuse(errno.0))],
        Action::Tell => vec![give(TRACE)],
        Action::Mode(mode) => {
            vec![step(LOAD, argument(mode), 0, 0), step(ANY_BIT, RUN_AS_OWNER, 0, 1), eperm, give(ALLOW)]
        }
        Action::ModeIfMade(flags, mode) => vec![
            step(LOAD, argument(flags), 0, 0),
            step(ANY_BIT, MAKES_FILE, 0, 3),
            step(LOAD, argument(mode), 0, 0),
            step(ANY_BIT, RUN_AS_OWNER, 0, 1),
            eperm,
            give(ALLOW),
        ],
        Action::CloneFlags => {
            vec![step(LOAD, argument(0), 0, 0), step(ANY_BIT, CLONE_REFUSED, 0, 1), eperm, give(ALLOW)]
        }
        Action::Terminal => {
            let mut asked = vec![step(LOAD, argument(1), 0, 0)];
            for request in TERMINAL_REQUESTS {
                asked.extend([step(EQUAL, *request, 0, 1), eperm]);
            }
            asked.push(give(ALLOW));
            asked
        }
        Action::Internet => internet(),
        Action::Itself(process) => {
            vec![step(LOAD, argument(process), 0, 0), step(EQUAL, 0, 1, 0), eperm, give(ALLOW)]
        }
        Action::ItselfAmong(kind) => vec![
            step(LOAD, argument(0), 0, 0),
            step(EQUAL, kind, 0, 2),
            step(LOAD, argument(1), 0, 0),
            step(EQUAL, 0, 1, 0),
            eperm,
            give(ALLOW),
        ],
        Action::Signal(signal) => vec![
            step(LOAD, argument(0), 0, 0),
            step(EQUAL, 0, 3, 0),
            step(LOAD, argument(signal), 0, 0),
            step(EQUAL, 0, 1, 0),
            eperm,
            give(ALLOW),
        ],
        Action::AnySignal(signal) => {
            vec![step(LOAD, argument(signal), 0, 0), step(EQUAL, 0, 1, 0), eperm, give(ALLOW)]
        }
        Action::Unless(index, refused) => {
            let mut asked = vec![step(LOAD, argument(index), 0, 0)];
            for value in refused {
                asked.extend([step(EQUAL, *value, 0, 1), eperm]);
            }
            asked.push(give(ALLOW));
            asked
        }
        Action::Opened(flags, cutting) => opened(flags, cutting),
        Action::PairOfSockets => vec![
            step(LOAD, argument(0), 0, 0),
            step(EQUAL, libc::AF_UNIX.cast_unsigned(), 1, 0),
            give(refuse(libc::EAFNOSUPPORT)),
            step(LOAD, argument(1), 0, 0),
            // The kind; higher bits are settings.
            step(AND, KIND, 0, 0),
            step(EQUAL, libc::SOCK_STREAM.cast_unsigned(), 2, 0),
            step(EQUAL, libc::SOCK_SEQPACKET.cast_unsigned(), 1, 0),
            eperm,
            give(ALLOW),
        ],
    }
}

/// What is left of an argument when settings are taken away: the kind of a socket.
const KIND: u32 = 0xf;

fn internet() -> Vec<Instruction> {
    let plain = |value: i32| value.cast_unsigned();
    vec![
        step(LOAD, argument(0), 0, 0),
        step(EQUAL, plain(libc::AF_INET), 2, 0),
        step(EQUAL, plain(libc::AF_INET6), 1, 0),
        give(refuse(libc::EAFNOSUPPORT)),
        step(LOAD, argument(1), 0, 0),
        step(AND, KIND, 0, 0),
        step(EQUAL, plain(libc::SOCK_STREAM), 2, 0),
        step(EQUAL, plain(libc::SOCK_DGRAM), 4, 0),
        give(refuse(libc::EPERM)),
        // A stream is TCP, and no other protocol that makes streams.
        step(LOAD, argument(2), 0, 0),
        step(EQUAL, 0, 4, 0),
        step(EQUAL, plain(libc::IPPROTO_TCP), 3, 4),
        // Datagrams are UDP, and neither pings nor anything else.
        step(LOAD, argument(2), 0, 0),
        step(EQUAL, 0, 1, 0),
        step(EQUAL, plain(libc::IPPROTO_UDP), 0, 1),
        give(ALLOW),
        give(refuse(libc::EPROTONOSUPPORT)),
    ]
}

/// Opened for neither reading nor writing, a file can still be changed by `ioctl` and cut short, and no rule is asked.
fn opened(flags: u32, cutting: Cutting) -> Vec<Instruction> {
    const HOW: u32 = libc::O_ACCMODE.cast_unsigned();
    let eperm = give(refuse(libc::EPERM));
    let mut asked =
        vec![step(LOAD, argument(flags), 0, 0), step(AND, HOW, 0, 0), step(EQUAL, HOW, 0, 1), eperm];
    if cutting == Cutting::Unruled {
        asked.extend([
            step(EQUAL, libc::O_RDONLY.cast_unsigned(), 0, 3),
            step(LOAD, argument(flags), 0, 0),
            step(ANY_BIT, libc::O_TRUNC.cast_unsigned(), 0, 1),
            eperm,
        ]);
    }
    asked.push(give(ALLOW));
    asked
}

/// Typing into a terminal, selecting and pasting on a console, taking over its output, changing its discipline.
const TERMINAL_REQUESTS: &[u32] = &[0x5412, 0x541c, 0x541d, 0x5423];

/// The bits by which a program runs as its owner or as its group. A file in a folder of the host would keep them after the
/// run, and would lend the caller's rights to whoever starts it.
const RUN_AS_OWNER: u32 = 0o6000;

/// `O_CREAT` and what tells `O_TMPFILE` apart.
const MAKES_FILE: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)).cast_unsigned();

/// The calls that are given a mode. `openat2` keeps its own in memory, where a filter does not see it, so it is not there.
const MODES: &[(u32, Action)] = &[
    #[cfg(target_arch = "x86_64")]
    (number(libc::SYS_chmod), Action::Mode(1)),
    #[cfg(target_arch = "x86_64")]
    (number(libc::SYS_creat), Action::Mode(1)),
    #[cfg(target_arch = "x86_64")]
    (number(libc::SYS_mknod), Action::Mode(1)),
    #[cfg(target_arch = "x86_64")]
    (number(libc::SYS_open), Action::ModeIfMade(1, 2)),
    (number(libc::SYS_fchmod), Action::Mode(1)),
    (number(libc::SYS_fchmodat), Action::Mode(2)),
    (FCHMODAT2, Action::Mode(2)),
    (number(libc::SYS_mknodat), Action::Mode(2)),
    (number(libc::SYS_openat), Action::ModeIfMade(2, 3)),
    (number(libc::SYS_openat2), Action::Refuse(Errno(libc::ENOSYS))),
];

const fn number(call: libc::c_long) -> u32 {
    // Numbers of calls are small and not negative; `every_number_of_a_call_is_small` holds it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a constant of the system")]
    let number = call as u32;
    number
}

/// `file_setattr`: the newest call this program knows, on both architectures. Newer ones do not exist for the program.
const NEWEST: u32 = 469;

macro_rules! calls {
    ($($name:ident)*) => { &[$(number(libc::$name)),*] };
}

/// Calls that make code out of memory, which no list of files covers.
const CODE_FROM_MEMORY: &[u32] = calls! { SYS_memfd_create SYS_memfd_secret };

/// Calls that are refused, on every architecture.
#[cfg(target_arch = "x86_64")]
const REFUSED: &[u32] = &concat_calls(REFUSED_EVERYWHERE, REFUSED_HERE);
#[cfg(target_arch = "aarch64")]
const REFUSED: &[u32] = REFUSED_EVERYWHERE;

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[u32] = calls! {
    // Raw ports, segment tables.
    SYS_iopl SYS_ioperm SYS_modify_ldt
    // Long gone, or of no use.
    SYS_uselib SYS_ustat SYS_sysfs SYS__sysctl
};

#[cfg(target_arch = "x86_64")]
const fn concat_calls(one: &[u32], other: &[u32]) -> [u32; REFUSED_EVERYWHERE.len() + REFUSED_HERE.len()] {
    let mut all = [0; REFUSED_EVERYWHERE.len() + REFUSED_HERE.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < one.len() { one[at] } else { other[at - one.len()] };
        at += 1;
    }
    all
}

const REFUSED_EVERYWHERE: &[u32] = &[
    // Looking into other processes.
    number(libc::SYS_ptrace),
    number(libc::SYS_process_vm_readv),
    number(libc::SYS_process_vm_writev),
    number(libc::SYS_kcmp),
    number(libc::SYS_pidfd_getfd),
    number(libc::SYS_process_madvise),
    // Programs for the kernel, and parts of it that have been ways in.
    number(libc::SYS_bpf),
    number(libc::SYS_perf_event_open),
    number(libc::SYS_userfaultfd),
    number(libc::SYS_io_uring_setup),
    number(libc::SYS_io_uring_enter),
    number(libc::SYS_io_uring_register),
    number(libc::SYS_kexec_load),
    number(libc::SYS_kexec_file_load),
    number(libc::SYS_init_module),
    number(libc::SYS_finit_module),
    number(libc::SYS_delete_module),
    number(libc::SYS_lookup_dcookie),
    number(libc::SYS_nfsservctl),
    // Keys, which belong to a user and to no namespace.
    number(libc::SYS_keyctl),
    number(libc::SYS_add_key),
    number(libc::SYS_request_key),
    // The tree.
    number(libc::SYS_mount),
    number(libc::SYS_umount2),
    number(libc::SYS_pivot_root),
    number(libc::SYS_chroot),
    number(libc::SYS_open_tree),
    number(libc::SYS_move_mount),
    number(libc::SYS_fsopen),
    number(libc::SYS_fsconfig),
    number(libc::SYS_fsmount),
    number(libc::SYS_fspick),
    number(libc::SYS_mount_setattr),
    STATMOUNT,
    LISTMOUNT,
    OPEN_TREE_ATTR,
    number(libc::SYS_name_to_handle_at),
    number(libc::SYS_open_by_handle_at),
    number(libc::SYS_fanotify_init),
    number(libc::SYS_fanotify_mark),
    number(libc::SYS_swapon),
    number(libc::SYS_swapoff),
    number(libc::SYS_quotactl),
    number(libc::SYS_quotactl_fd),
    number(libc::SYS_acct),
    // Namespaces.
    number(libc::SYS_setns),
    number(libc::SYS_unshare),
    // The system.
    number(libc::SYS_reboot),
    number(libc::SYS_sethostname),
    number(libc::SYS_setdomainname),
    number(libc::SYS_settimeofday),
    number(libc::SYS_clock_settime),
    number(libc::SYS_adjtimex),
    number(libc::SYS_clock_adjtime),
    number(libc::SYS_syslog),
    number(libc::SYS_vhangup),
    number(libc::SYS_personality),
    LSM_SET_SELF_ATTR,
    // Memory that belongs to no process, and so to no limit.
    number(libc::SYS_shmget),
    // Where memory lies.
    number(libc::SYS_mbind),
    number(libc::SYS_set_mempolicy),
    number(libc::SYS_set_mempolicy_home_node),
    number(libc::SYS_migrate_pages),
    number(libc::SYS_move_pages),
];

/// Calls that the library has no names for yet; their numbers are the same on both architectures.
const FCHMODAT2: u32 = 452;
const STATMOUNT: u32 = 457;
const LISTMOUNT: u32 = 458;
const LSM_SET_SELF_ATTR: u32 = 460;
const OPEN_TREE_ATTR: u32 = 467;

#[cfg(test)]
#[path = "seccomp_tests.rs"]
mod tests;
