//! System calls as functions that cannot be called wrongly: each takes what the kernel reads by reference and copies out
//! what it wrote. None allocates, so all of them may run between clone and exec.

use std::ffi::{CStr, c_int, c_long, c_uint};
use std::mem;
use std::ptr;

/// Why the kernel refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) c_int);

/// A descriptor, by number. The child owns the whole of its table, and what is in it ends with it, so nothing is closed
/// by dropping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fd(pub(crate) c_int);

impl Fd {
    /// Paths start from the current folder.
    pub(super) const HERE: Self = Self(libc::AT_FDCWD);

    const fn word(self) -> usize {
        signed(self.0)
    }
}

const fn signed(value: c_int) -> usize {
    (value as isize).cast_unsigned()
}

/// Makes one call.
///
/// # Safety
/// Every word that the kernel takes for an address must be valid for what this call reads or writes there.
unsafe fn call<const N: usize>(number: c_long, given: [usize; N]) -> Result<usize, Errno> {
    let mut words = [0; 6];
    for (word, value) in words.iter_mut().zip(given) {
        *word = value;
    }
    let [a, b, c, d, e, f] = words;
    // SAFETY: the caller vouches for the addresses; a call that takes fewer words ignores the rest.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    usize::try_from(answer).map_err(|_negative| {
        // SAFETY: the address is that of this thread's own number, always valid.
        Errno(unsafe { *libc::__errno_location() })
    })
}

fn descriptor(answer: usize) -> Result<Fd, Errno> {
    c_int::try_from(answer).map(Fd).map_err(|_no_descriptor| Errno(libc::EBADF))
}

/// Makes a call that takes no address.
macro_rules! plain {
    ($number:expr $(, $word:expr)* $(,)?) => {
        // SAFETY: this call takes numbers only.
        unsafe { call($number, [$($word),*]) }
    };
}

pub(super) fn exit(code: u8) -> ! {
    loop {
        let _never = plain!(libc::SYS_exit_group, usize::from(code));
    }
}

pub(super) fn close(fd: Fd) {
    let _closed = plain!(libc::SYS_close, fd.word());
}

/// Closes everything from descriptor `first` to `last`.
pub(super) fn close_range(first: c_uint, last: c_uint) -> Result<(), Errno> {
    plain!(libc::SYS_close_range, first as usize, last as usize, 0).map(drop)
}

/// Marks everything from descriptor `first` on to be closed by exec.
pub(super) fn close_on_exec_from(first: c_uint) -> Result<(), Errno> {
    const CLOSE_RANGE_CLOEXEC: usize = 4;
    plain!(libc::SYS_close_range, first as usize, c_uint::MAX as usize, CLOSE_RANGE_CLOEXEC).map(drop)
}

/// Makes `to` another name of `from` that survives exec.
pub(super) fn duplicate(from: Fd, to: c_int) -> Result<(), Errno> {
    if from.0 == to {
        // dup3 refuses equal numbers; all that is left to do is to keep it open.
        return keep_over_exec(from);
    }
    plain!(libc::SYS_dup3, from.word(), signed(to), 0).map(drop)
}

/// Keeps `fd` open when another program is started.
pub(super) fn keep_over_exec(fd: Fd) -> Result<(), Errno> {
    plain!(libc::SYS_fcntl, fd.word(), signed(libc::F_SETFD), 0).map(drop)
}

/// Another descriptor of the same file, numbered `least` or higher and closed by exec.
pub(super) fn raise(from: Fd, least: c_int) -> Result<Fd, Errno> {
    plain!(libc::SYS_fcntl, from.word(), signed(libc::F_DUPFD_CLOEXEC), signed(least)).and_then(descriptor)
}

/// Reads one byte; whether there was one.
pub(super) fn read_byte(fd: Fd) -> Result<bool, Errno> {
    let mut byte = 0_u8;
    loop {
        // SAFETY: one byte is written at most, and `byte` is one byte.
        match unsafe { call(libc::SYS_read, [fd.word(), ptr::from_mut(&mut byte) as usize, 1]) } {
            Err(Errno(libc::EINTR)) => {}
            answer => return answer.map(|count| count == 1),
        }
    }
}

/// Everything behind `fd`, which must not be more than `at_most` bytes. This allocates: it is for a process that is nobody's
/// copy.
pub(super) fn read_to_end(fd: Fd, at_most: usize) -> Result<Vec<u8>, Errno> {
    let mut all = Vec::new();
    loop {
        let mut chunk = [0_u8; 4096];
        // SAFETY: as many bytes are written as the chunk has at most.
        match unsafe { call(libc::SYS_read, [fd.word(), chunk.as_mut_ptr() as usize, chunk.len()]) } {
            Err(Errno(libc::EINTR)) => {}
            Err(errno) => return Err(errno),
            Ok(0) => return Ok(all),
            Ok(count) if count > at_most.saturating_sub(all.len()) => return Err(Errno(libc::EFBIG)),
            Ok(count) => all.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
}

pub(super) fn write(fd: Fd, bytes: &[u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel reads `bytes.len()` bytes from where they are.
    unsafe { call(libc::SYS_write, [fd.word(), bytes.as_ptr() as usize, bytes.len()]) }
}

/// Sends the descriptor `given` through `socket`, with one byte that says what it is.
pub(super) fn hand_out(socket: Fd, given: Fd, word: u8) -> Result<(), Errno> {
    /// One control message with one descriptor, padded as the kernel pads it.
    #[repr(C)]
    struct Control {
        length: usize,
        level: c_int,
        kind: c_int,
        descriptor: c_int,
        padding: c_int,
    }
    let mut control = Control {
        length: size_of::<Control>() - size_of::<c_int>(),
        level: libc::SOL_SOCKET,
        kind: libc::SCM_RIGHTS,
        descriptor: given.0,
        padding: 0,
    };
    let mut byte = [word];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: byte.len() };
    // SAFETY: a structure of numbers and addresses, for which nought is a value.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    #[expect(clippy::useless_conversion, reason = "C libraries give it different types")]
    let length = size_of::<Control>().try_into().map_err(|_too_long| Errno(libc::EMSGSIZE))?;
    message.msg_controllen = length;
    let words = [socket.word(), (&raw const message) as usize, signed(libc::MSG_NOSIGNAL)];
    // SAFETY: the message is one byte and one control message, each as long as is said, and all of them live until here.
    unsafe { call(libc::SYS_sendmsg, words) }.map(drop)
}

/// Whether the other end of the pipe `fd` is gone.
pub(super) fn hung_up(fd: Fd) -> Result<bool, Errno> {
    let mut asked = libc::pollfd { fd: fd.0, events: libc::POLLIN, revents: 0 };
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let (asked_at, now_at) = (ptr::from_mut(&mut asked) as usize, ptr::from_ref(&now) as usize);
    // SAFETY: one pollfd is read and written, one timespec is read; no signal mask is given.
    unsafe { call(libc::SYS_ppoll, [asked_at, 1, now_at, 0, 0])? };
    Ok(asked.revents & libc::POLLHUP != 0)
}

pub(super) fn open(folder: Fd, path: &CStr, flags: c_int, mode: u32) -> Result<Fd, Errno> {
    let words = [folder.word(), path.as_ptr() as usize, signed(flags | libc::O_CLOEXEC), mode as usize];
    // SAFETY: the path ends with NUL.
    unsafe { call(libc::SYS_openat, words) }.and_then(descriptor)
}

/// The place `path` below `folder`, without following a link anywhere on the way and without leaving the folder.
pub(super) fn place(folder: Fd, path: &CStr) -> Result<Fd, Errno> {
    const NO_MAGIC_LINKS_NO_LINKS_BENEATH: u64 = 0x02 | 0x04 | 0x08;
    #[repr(C)]
    struct How {
        flags: u64,
        mode: u64,
        resolve: u64,
    }
    let flags = u64::from((libc::O_PATH | libc::O_CLOEXEC).cast_unsigned());
    let how = How { flags, mode: 0, resolve: NO_MAGIC_LINKS_NO_LINKS_BENEATH };
    let words = [folder.word(), path.as_ptr() as usize, ptr::from_ref(&how) as usize, size_of::<How>()];
    // SAFETY: the path ends with NUL, and `how` is as long as is said.
    unsafe { call(libc::SYS_openat2, words) }.and_then(descriptor)
}

pub(super) fn make_folder(root: Fd, path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends with NUL.
    unsafe { call(libc::SYS_mkdirat, [root.word(), path.as_ptr() as usize, 0o755]) }.map(drop)
}

pub(super) fn make_link(target: &CStr, root: Fd, path: &CStr) -> Result<(), Errno> {
    let words = [target.as_ptr() as usize, root.word(), path.as_ptr() as usize];
    // SAFETY: both paths end with NUL.
    unsafe { call(libc::SYS_symlinkat, words) }.map(drop)
}

pub(super) fn change_folder(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends with NUL.
    unsafe { call(libc::SYS_chdir, [path.as_ptr() as usize]) }.map(drop)
}

pub(super) fn change_folder_to(fd: Fd) -> Result<(), Errno> {
    plain!(libc::SYS_fchdir, fd.word()).map(drop)
}

pub(super) fn host_name(name: &CStr) -> Result<(), Errno> {
    // SAFETY: as many bytes are read as the name has.
    unsafe { call(libc::SYS_sethostname, [name.as_ptr() as usize, name.count_bytes()]) }.map(drop)
}

pub(super) fn new_session() -> Result<(), Errno> {
    plain!(libc::SYS_setsid).map(drop)
}

/// What `prctl` does with numbers.
pub(super) fn control(option: c_int, values: [usize; 4]) -> Result<usize, Errno> {
    let [a, b, c, d] = values;
    // The options used here are listed in `rights`; none takes an address.
    plain!(libc::SYS_prctl, signed(option), a, b, c, d)
}

pub(super) fn become_user(user: u32) -> Result<(), Errno> {
    let user = user as usize;
    plain!(libc::SYS_setresuid, user, user, user).map(drop)
}

pub(super) fn become_group(group: u32) -> Result<(), Errno> {
    let group = group as usize;
    plain!(libc::SYS_setresgid, group, group, group).map(drop)
}

/// Leaves every further group.
pub(super) fn leave_groups() -> Result<(), Errno> {
    // A list of length nought is not read.
    plain!(libc::SYS_setgroups, 0, 0).map(drop)
}

/// Gives up every capability.
pub(super) fn drop_capabilities() -> Result<(), Errno> {
    const VERSION_3: u32 = 0x2008_0522;
    let (header, none) = ([VERSION_3, 0], [0_u32; 6]);
    let words = [header.as_ptr() as usize, none.as_ptr() as usize];
    // SAFETY: version 3 reads a header of two words and two sets of three.
    unsafe { call(libc::SYS_capset, words) }.map(drop)
}

/// Sets both the soft and the hard limit. Whoever is held more tightly already stays so.
pub(super) fn limit(resource: c_int, soft: u64, hard: u64) -> Result<(), Errno> {
    let (limit, mut held) = ([soft, hard], [0_u64; 2]);
    // SAFETY: `prlimit64` reads two words of 64 bits; nothing is asked back.
    let set = |limit: &[u64; 2]| unsafe {
        call(libc::SYS_prlimit64, [0, signed(resource), limit.as_ptr() as usize, 0]).map(drop)
    };
    match set(&limit) {
        Err(Errno(libc::EPERM)) => {}
        done => return done,
    }
    // SAFETY: `prlimit64` writes two words of 64 bits; nothing is set.
    unsafe { call(libc::SYS_prlimit64, [0, signed(resource), 0, held.as_mut_ptr() as usize]) }?;
    let [_, most] = held;
    set(&[soft.min(most), hard.min(most)])
}

/// Gives every signal its default meaning, and blocks none.
pub(super) fn default_signals() -> Result<(), Errno> {
    const SIGNALS: c_int = 64;
    let size = size_of::<u64>();
    // The kernel's own layout: handler, flags, restorer, mask; all nought is the default.
    let default = [0_u64; 4];
    for signal in (1..=SIGNALS).filter(|signal| ![libc::SIGKILL, libc::SIGSTOP].contains(signal)) {
        let words = [signed(signal), default.as_ptr() as usize, 0, size];
        // SAFETY: at most four words of 64 bits are read; nothing is asked back.
        unsafe { call(libc::SYS_rt_sigaction, words)? };
    }
    let none = 0_u64;
    let words = [signed(libc::SIG_SETMASK), ptr::from_ref(&none) as usize, 0, size];
    // SAFETY: one mask of 64 bits is read; nothing is asked back.
    unsafe { call(libc::SYS_rt_sigprocmask, words) }.map(drop)
}

/// A process like this one: nought in the child, its number in the parent.
pub(super) fn fork() -> Result<usize, Errno> {
    // No flag, no stack, no addresses: the child goes on with a copy of everything.
    plain!(libc::SYS_clone, signed(libc::SIGCHLD), 0, 0, 0, 0)
}

/// How a child ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) process: usize,
    pub(super) status: c_int,
    /// Processor time of it and of everything it waited for, in microseconds.
    pub(super) cpu: u64,
    /// Its largest memory, in KiB.
    pub(super) memory: u64,
}

/// Waits for any child.
pub(super) fn wait_for_any() -> Result<Ended, Errno> {
    let mut status: c_int = 0;
    // SAFETY: a structure of numbers, for which nought is a value.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    let (status_at, usage_at) = (ptr::from_mut(&mut status) as usize, ptr::from_mut(&mut usage) as usize);
    // SAFETY: one status and one usage are written where there is room for them.
    let process = unsafe { call(libc::SYS_wait4, [usize::MAX, status_at, signed(libc::__WALL), usage_at])? };
    let time = |value: libc::timeval| {
        u64::try_from(value.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(value.tv_usec).unwrap_or(0)
    };
    let memory = u64::try_from(usage.ru_maxrss).unwrap_or(0);
    Ok(Ended { process, status, cpu: time(usage.ru_utime) + time(usage.ru_stime), memory })
}

/// The system's arguments of `clone3`.
#[repr(C)]
#[derive(Default)]
struct CloneArguments {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// What [`clone_into`] left behind.
#[derive(Clone, Copy)]
pub(super) enum Cloned {
    /// This is the child.
    Child,
    /// This is the parent: the child's number and the descriptor that stands for it.
    Parent(c_int, Fd),
}

/// A child with a copy of this process's memory, in the namespaces of `flags`, with no handler of a signal. It begins in the
/// control group of version 2 whose folder is `group`, where one is given.
///
/// # Safety
/// The child must not return into code that does not expect a second copy of itself, and must neither allocate nor take
/// a lock: another thread may have held it when the memory was copied.
pub(super) unsafe fn clone_into(flags: c_int, group: Option<Fd>) -> Result<Cloned, Errno> {
    const CLONE_CLEAR_SIGHAND: u64 = 0x1_0000_0000;
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut pidfd: c_int = -1;
    let arguments = CloneArguments {
        flags: u64::from((flags | libc::CLONE_PIDFD).cast_unsigned())
            | CLONE_CLEAR_SIGHAND
            | group.map_or(0, |_| CLONE_INTO_CGROUP),
        pidfd: ptr::from_mut(&mut pidfd) as u64,
        exit_signal: u64::from(libc::SIGCHLD.cast_unsigned()),
        cgroup: group.map_or(0, |group| u64::from(group.0.cast_unsigned())),
        ..CloneArguments::default()
    };
    let words = [ptr::from_ref(&arguments) as usize, size_of::<CloneArguments>()];
    // SAFETY: the arguments are as long as is said, `pidfd` has room for one descriptor; without CLONE_VM the child has
    // its own copy of this stack. What the child does is the caller's promise.
    let answer = match unsafe { call(libc::SYS_clone3, words) } {
        // Where namespaces are refused, this call often is as well, because a filter cannot see what it asks for.
        Err(Errno(libc::ENOSYS | libc::EPERM)) if flags == 0 && group.is_none() => {
            // SAFETY: what the child does is the caller's promise, as above.
            unsafe { family::clone_as_before(&mut pidfd) }?
        }
        answer => answer?,
    };
    match c_int::try_from(answer) {
        Ok(0) => Ok(Cloned::Child),
        Ok(process) => Ok(Cloned::Parent(process, Fd(pidfd))),
        Err(_no_number) => Err(Errno(libc::EOVERFLOW)),
    }
}

/// Becomes another program. Comes back only to say why not.
pub(super) fn execute(
    program: &CStr,
    arguments: &super::words::Words,
    environment: &super::words::Words,
) -> Errno {
    let words = [program.as_ptr() as usize, arguments.address(), environment.address()];
    // SAFETY: the path ends with NUL, and `Words` is a list of such texts that ends with a null address.
    match unsafe { call(libc::SYS_execve, words) } {
        Ok(_never) => Errno(0),
        Err(errno) => errno,
    }
}

/// As [`execute`], by the call that takes a folder or a file as well.
pub(super) fn execute_at(
    program: &CStr,
    arguments: &super::words::Words,
    environment: &super::words::Words,
) -> Errno {
    let words = [Fd::HERE.word(), program.as_ptr() as usize, arguments.address(), environment.address(), 0];
    // SAFETY: the path ends with NUL, and `Words` is a list of such texts that ends with a null address.
    match unsafe { call(libc::SYS_execveat, words) } {
        Ok(_never) => Errno(0),
        Err(errno) => errno,
    }
}

pub(super) mod attempts;
pub(super) mod family;
pub(super) mod files;
pub(super) mod network;

/// Mounts, by descriptor.
pub(super) mod mount {
    use super::{CStr, Errno, Fd, c_int, call, descriptor, signed};

    pub(in super::super) const READ_ONLY: u64 = 1;
    pub(in super::super) const NO_SET_USER: u64 = 2;
    pub(in super::super) const NO_DEVICES: u64 = 4;
    pub(in super::super) const NO_EXECUTION: u64 = 8;
    const AT_EMPTY_PATH: c_int = 0x1000;
    const AT_RECURSIVE: c_int = 0x8000;

    /// Nothing that is mounted here is seen elsewhere, and the other way round.
    pub(in super::super) fn make_private() -> Result<(), Errno> {
        let flags = usize::try_from(libc::MS_REC | libc::MS_PRIVATE).unwrap_or(0);
        // SAFETY: the target ends with NUL; with these flags the kernel reads no other text.
        unsafe { call(libc::SYS_mount, [0, c"/".as_ptr() as usize, 0, flags, 0]) }.map(drop)
    }

    /// A copy of what is mounted at `path` and below, attached nowhere.
    pub(in super::super) fn copy(path: &CStr) -> Result<Fd, Errno> {
        const OPEN_TREE_CLONE: c_int = 1;
        let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC | AT_RECURSIVE;
        // SAFETY: the path ends with NUL.
        unsafe { call(libc::SYS_open_tree, [Fd::HERE.word(), path.as_ptr() as usize, signed(flags)]) }
            .and_then(descriptor)
    }

    /// How far a change reaches.
    #[derive(Clone, Copy)]
    pub(in super::super) enum Reach {
        This,
        AllBelow,
    }

    /// Adds `attributes` to the mount `tree`.
    pub(in super::super) fn restrict(tree: Fd, attributes: u64, reach: Reach) -> Result<(), Errno> {
        let change = [attributes, 0_u64, 0, 0];
        let flags = match reach {
            Reach::This => AT_EMPTY_PATH,
            Reach::AllBelow => AT_EMPTY_PATH | AT_RECURSIVE,
        };
        let words = [
            tree.word(),
            c"".as_ptr() as usize,
            signed(flags),
            change.as_ptr() as usize,
            size_of_val(&change),
        ];
        // SAFETY: the path ends with NUL, and the four words of 64 bits are as long as is said.
        unsafe { call(libc::SYS_mount_setattr, words) }.map(drop)
    }

    /// Adds `attributes` to the copied mount `tree` and everything below, keeps it apart from what it was copied from, and
    /// exchanges its owners as `users`, a namespace, says.
    pub(in super::super) fn exchange_owners(tree: Fd, attributes: u64, users: Fd) -> Result<(), Errno> {
        const EXCHANGE_OWNERS: u64 = 0x10_0000;
        let propagation = libc::MS_PRIVATE;
        let users = u64::try_from(users.0).map_err(|_no_descriptor| Errno(libc::EBADF))?;
        let change = [attributes | EXCHANGE_OWNERS, 0_u64, propagation, users];
        let words = [
            tree.word(),
            c"".as_ptr() as usize,
            signed(AT_EMPTY_PATH | AT_RECURSIVE),
            change.as_ptr() as usize,
            size_of_val(&change),
        ];
        // SAFETY: the path ends with NUL, and the four words of 64 bits are as long as is said.
        unsafe { call(libc::SYS_mount_setattr, words) }.map(drop)
    }

    /// A new file system of the kind `kind`, attached nowhere.
    pub(in super::super) fn fresh(
        kind: &CStr,
        settings: &[(&CStr, &CStr)],
        attributes: u64,
    ) -> Result<Fd, Errno> {
        const FSCONFIG_SET_STRING: usize = 1;
        const FSCONFIG_CMD_CREATE: usize = 6;
        const CLOSE_ON_EXEC: usize = 1;
        // SAFETY: the name ends with NUL.
        let system = unsafe { call(libc::SYS_fsopen, [kind.as_ptr() as usize, CLOSE_ON_EXEC]) }?;
        for (name, value) in settings {
            let words = [system, FSCONFIG_SET_STRING, name.as_ptr() as usize, value.as_ptr() as usize, 0];
            // SAFETY: both texts end with NUL.
            unsafe { call(libc::SYS_fsconfig, words)? };
        }
        plain!(libc::SYS_fsconfig, system, FSCONFIG_CMD_CREATE, 0, 0, 0)?;
        let attributes = usize::try_from(attributes).unwrap_or(0);
        let tree = plain!(libc::SYS_fsmount, system, CLOSE_ON_EXEC, attributes).and_then(descriptor);
        super::close(descriptor(system)?);
        tree
    }

    /// Attaches `tree` at `place`.
    pub(in super::super) fn attach(tree: Fd, place: Fd) -> Result<(), Errno> {
        const BOTH_EMPTY: usize = 0x4 | 0x40;
        let empty = c"".as_ptr() as usize;
        // SAFETY: both paths are empty and end with NUL.
        unsafe { call(libc::SYS_move_mount, [tree.word(), empty, place.word(), empty, BOTH_EMPTY]) }.map(drop)
    }

    /// Makes the current folder the root, and lets go of the old one.
    pub(in super::super) fn pivot_here() -> Result<(), Errno> {
        let here = c".".as_ptr() as usize;
        // SAFETY: the paths end with NUL.
        unsafe { call(libc::SYS_pivot_root, [here, here])? };
        // SAFETY: the path ends with NUL.
        unsafe { call(libc::SYS_umount2, [here, signed(libc::MNT_DETACH)]) }.map(drop)
    }
}

/// Landlock and seccomp.
pub(super) mod lock {
    use super::{Errno, Fd, call, descriptor, ptr};

    /// What a rule set speaks of; a list of words that grows with the version.
    pub(in super::super) type Attributes = [u64; 3];

    /// The newest version the kernel knows, nought when it knows none.
    pub(in super::super) fn version() -> u32 {
        const CREATE_RULESET_VERSION: usize = 1;
        let answer = plain!(libc::SYS_landlock_create_ruleset, 0, 0, CREATE_RULESET_VERSION);
        answer.ok().and_then(|version| u32::try_from(version).ok()).unwrap_or(0)
    }

    /// A rule set; the kernel knows the first `known` words of the attributes.
    pub(in super::super) fn rules(attributes: &Attributes, known: usize) -> Result<Fd, Errno> {
        let size = known.min(attributes.len()) * size_of::<u64>();
        // SAFETY: no more is read than there is.
        unsafe { call(libc::SYS_landlock_create_ruleset, [attributes.as_ptr() as usize, size, 0]) }
            .and_then(descriptor)
    }

    /// Allows `access` at `place` and below.
    pub(in super::super) fn allow(rules: Fd, place: Fd, access: u64) -> Result<(), Errno> {
        const PATH_BENEATH: usize = 1;
        #[repr(C, packed)]
        struct Rule {
            access: u64,
            place: i32,
        }
        let rule = Rule { access, place: place.0 };
        // SAFETY: the kernel reads one rule of this shape.
        unsafe {
            call(libc::SYS_landlock_add_rule, [rules.word(), PATH_BENEATH, ptr::from_ref(&rule) as usize, 0])
        }
        .map(drop)
    }

    /// Holds this process and its children to `rules`.
    pub(in super::super) fn restrict(rules: Fd) -> Result<(), Errno> {
        plain!(libc::SYS_landlock_restrict_self, rules.word(), 0).map(drop)
    }

    /// Holds this process and its children to `filter`.
    pub(in super::super) fn filter(filter: &[libc::sock_filter]) -> Result<(), Errno> {
        const SET_MODE_FILTER: usize = 1;
        let length = u16::try_from(filter.len()).map_err(|_too_long| Errno(libc::E2BIG))?;
        let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
        // SAFETY: the kernel reads `length` instructions, and writes none.
        unsafe { call(libc::SYS_seccomp, [SET_MODE_FILTER, 0, ptr::from_ref(&program) as usize]) }.map(drop)
    }
}
