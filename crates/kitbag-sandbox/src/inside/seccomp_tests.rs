use super::{
    ALLOW, AUDIT_ARCH, Action, Asking, CODE_FROM_MEMORY, ERRNO, Executables, Filter, KILL, NEWEST, Owner,
    REFUSED, Sockets, TRACE, number, segments,
};

/// What the kernel would do with the filter at one call: a reading of the instructions of its own.
fn outcome<const N: usize>(filter: &Filter, architecture: u32, call: u32, arguments: [u32; N]) -> u32 {
    let field = |offset: u32| match offset {
        0 => call,
        4 => architecture,
        other if other >= 16 && other % 8 == 0 => {
            arguments.get((other as usize - 16) / 8).copied().unwrap_or_default()
        }
        other => panic!("a field at {other}"),
    };
    let (mut at, mut value) = (0_usize, 0_u32);
    for _ in 0..64 {
        let instruction = filter.instructions()[at];
        at += 1;
        let jump = |met: bool| usize::from(if met { instruction.jt } else { instruction.jf });
        match instruction.code {
            0x20 => value = field(instruction.k),
            0x15 => at += jump(value == instruction.k),
            0x35 => at += jump(value >= instruction.k),
            0x45 => at += jump(value & instruction.k != 0),
            0x54 => value &= instruction.k,
            0x05 => at += instruction.k as usize,
            0x06 => return instruction.k,
            other => panic!("an instruction {other:#x}"),
        }
    }
    panic!("more than 64 instructions for one call")
}

fn here<const N: usize>(call: u32, arguments: [u32; N]) -> u32 {
    outcome(&Filter::new(Executables::Listed, Asking::Nobody, Sockets::Pairs), AUDIT_ARCH, call, arguments)
}

fn refused(errno: i32) -> u32 {
    ERRNO | errno.cast_unsigned()
}

#[test]
fn every_number_of_a_call_is_small() {
    assert!(REFUSED.iter().chain(CODE_FROM_MEMORY).all(|call| *call <= NEWEST), "{REFUSED:?}");
}

#[test]
fn every_listed_call_is_refused_and_no_other() {
    let both = [Sockets::Pairs, Sockets::Internet];
    for (executables, sockets) in [Executables::Listed, Executables::Any].into_iter().zip(both) {
        let filter = Filter::new(executables, Asking::Nobody, sockets);
        let special =
            [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_socket, libc::SYS_socketpair].map(number);
        for call in 0..=NEWEST {
            let answer = outcome(&filter, AUDIT_ARCH, call, [0; 3]);
            let listed = REFUSED.contains(&call)
                || (executables == Executables::Listed && CODE_FROM_MEMORY.contains(&call));
            if special.contains(&call) {
                continue;
            }
            assert_eq!(answer, if listed { refused(libc::EPERM) } else { ALLOW }, "call {call}");
        }
    }
}

#[test]
fn another_architecture_is_killed() {
    let filter = Filter::new(Executables::Any, Asking::Nobody, Sockets::Pairs);
    // i386, as `int 0x80` is seen, and arm.
    for architecture in [0x4000_0003, 0x4000_0028, 0] {
        assert_eq!(outcome(&filter, architecture, 20, [0; 3]), KILL);
    }
    assert_eq!(outcome(&filter, AUDIT_ARCH, number(libc::SYS_getpid), [0; 3]), ALLOW);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_calls_of_x32_are_killed() {
    for call in [0x4000_0000, 0x4000_0000 | 39, 0x4000_0000 | 520, u32::MAX] {
        assert_eq!(here(call, [0; 2]), KILL, "{call:#x}");
    }
}

#[test]
fn a_call_newer_than_the_program_is_not_there() {
    assert_eq!(here(NEWEST, [0; 2]), ALLOW);
    for call in [NEWEST + 1, NEWEST + 100, 0x3fff_ffff] {
        assert_eq!(here(call, [0; 2]), refused(libc::ENOSYS), "{call}");
    }
}

#[test]
fn clone_makes_threads_and_processes_but_no_namespaces_and_nothing_untraced() {
    let clone = number(libc::SYS_clone);
    let threads =
        libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_FILES | libc::CLONE_SIGHAND | libc::CLONE_THREAD;
    for flags in [libc::SIGCHLD, threads, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD] {
        assert_eq!(here(clone, [flags.cast_unsigned(), 0]), ALLOW, "{flags:#x}");
    }
    for flag in [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_UNTRACED,
        0x80,
    ] {
        assert_eq!(
            here(clone, [(flag | libc::SIGCHLD).cast_unsigned(), 0]),
            refused(libc::EPERM),
            "{flag:#x}"
        );
    }
    assert_eq!(here(number(libc::SYS_clone3), [0; 2]), refused(libc::ENOSYS));
}

#[test]
fn a_terminal_can_be_read_but_not_typed_on() {
    let ioctl = number(libc::SYS_ioctl);
    assert_eq!(here(ioctl, [0, 0x5401]), ALLOW);
    for request in [0x5412, 0x541c, 0x541d, 0x5423] {
        assert_eq!(here(ioctl, [0, request]), refused(libc::EPERM), "{request:#x}");
    }
}

#[test]
fn there_are_no_sockets_but_pairs_of_local_ones() {
    let socket = number(libc::SYS_socket);
    for family in 0..64 {
        assert_eq!(here(socket, [family, 0]), refused(libc::EAFNOSUPPORT));
    }
    let pair = number(libc::SYS_socketpair);
    let settings = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK).cast_unsigned();
    for kind in [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(i32::cast_unsigned) {
        assert_eq!(here(pair, [1, kind]), ALLOW);
        assert_eq!(here(pair, [1, kind | settings]), ALLOW);
        assert_eq!(here(pair, [2, kind]), refused(libc::EAFNOSUPPORT));
    }
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW].map(i32::cast_unsigned) {
        assert_eq!(here(pair, [1, kind | settings]), refused(libc::EPERM));
    }
}

#[test]
fn with_a_network_there_are_tcp_and_udp_and_nothing_else() {
    let filter = Filter::new(Executables::Listed, Asking::Nobody, Sockets::Internet);
    let made = |family: i32, kind: i32, protocol: i32| {
        let arguments = [family, kind, protocol].map(i32::cast_unsigned);
        outcome(&filter, AUDIT_ARCH, number(libc::SYS_socket), arguments)
    };
    let settings = libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    for family in [libc::AF_INET, libc::AF_INET6] {
        for (kind, own) in [(libc::SOCK_STREAM, libc::IPPROTO_TCP), (libc::SOCK_DGRAM, libc::IPPROTO_UDP)] {
            assert_eq!(made(family, kind, 0), ALLOW);
            assert_eq!(made(family, kind | settings, own), ALLOW);
            // MPTCP, SCTP, UDP-Lite, pings, and each other's.
            for other in [262, 132, 136, 1, 58, 255, if own == 6 { 17 } else { 6 }] {
                assert_eq!(made(family, kind, other), refused(libc::EPROTONOSUPPORT), "{kind} {other}");
            }
        }
        for kind in [libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_RDM, 10, 0] {
            assert_eq!(made(family, kind, 0), refused(libc::EPERM), "{kind}");
        }
    }
    for family in (0..64).filter(|family| ![libc::AF_INET, libc::AF_INET6].contains(family)) {
        assert_eq!(made(family, libc::SOCK_STREAM, 0), refused(libc::EAFNOSUPPORT), "{family}");
    }
}

#[test]
fn runs_of_numbers_are_in_order_and_alternate() {
    let segments = segments(Executables::Listed, Asking::Nobody, Sockets::Internet);
    assert!(segments.windows(2).all(|pair| pair[0].0 < pair[1].0), "{segments:?}");
    assert!(segments.windows(2).all(|pair| pair[0].1 != pair[1].1), "{segments:?}");
    assert_eq!(segments[0], (0, Action::Allow));
}

#[test]
fn a_tracer_is_told_of_programs_and_of_nothing_else() {
    let (told, untold) = (
        Filter::new(Executables::Listed, Asking::Tracer, Sockets::Pairs),
        Filter::new(Executables::Listed, Asking::Nobody, Sockets::Pairs),
    );
    let starting = [libc::SYS_execve, libc::SYS_execveat].map(number);
    for call in 0..=NEWEST {
        let answer = |filter| outcome(filter, AUDIT_ARCH, call, [0; 3]);
        if starting.contains(&call) {
            assert_eq!((answer(&told), answer(&untold)), (TRACE, ALLOW));
        } else {
            assert_eq!(answer(&told), answer(&untold), "call {call}");
        }
    }
}

#[test]
fn no_file_is_made_that_runs_as_its_owner() {
    let (eperm, made) = (refused(libc::EPERM), libc::O_CREAT.cast_unsigned());
    for mode in [0o4755, 0o2755, 0o6000, 0o4000] {
        assert_eq!(here(number(libc::SYS_fchmod), [3, mode]), eperm, "{mode:o}");
        assert_eq!(here(number(libc::SYS_fchmodat), [0, 0, mode]), eperm, "{mode:o}");
        assert_eq!(here(super::FCHMODAT2, [0, 0, mode]), eperm, "{mode:o}");
        assert_eq!(here(number(libc::SYS_mknodat), [0, 0, libc::S_IFREG | mode]), eperm, "{mode:o}");
        assert_eq!(here(number(libc::SYS_openat), [0, 0, made | 1, mode]), eperm, "{mode:o}");
        let temporary = libc::O_TMPFILE.cast_unsigned();
        assert_eq!(here(number(libc::SYS_openat), [0, 0, temporary, mode]), eperm, "{mode:o}");
        // Without a file being made, the mode is whatever was left there.
        let folder = libc::O_DIRECTORY.cast_unsigned();
        assert_eq!(here(number(libc::SYS_openat), [0, 0, folder, mode]), ALLOW, "{mode:o}");
    }
    for mode in [0o755, 0o1777, 0, 0o666] {
        assert_eq!(here(number(libc::SYS_fchmod), [3, mode]), ALLOW, "{mode:o}");
        assert_eq!(here(number(libc::SYS_openat), [0, 0, made, mode]), ALLOW, "{mode:o}");
    }
    assert_eq!(here(number(libc::SYS_openat2), [0; 4]), refused(libc::ENOSYS));
}

fn apart<const N: usize>(owner: Owner, version: u32, call: u32, arguments: [u32; N]) -> u32 {
    outcome(&Filter::apart(owner, version), AUDIT_ARCH, call, arguments)
}

#[test]
fn without_namespaces_a_process_changes_nothing_of_another() {
    for call in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setaffinity,
    ]
    .map(number)
    {
        assert_eq!(apart(Owner::Nobody, 7, call, [0, 5]), ALLOW, "{call}");
        assert_eq!(apart(Owner::Nobody, 7, call, [1234, 5]), refused(libc::EPERM), "{call}");
    }
    for (call, process, user) in [(libc::SYS_setpriority, 0, 2), (libc::SYS_ioprio_set, 1, 3)] {
        let call = number(call);
        assert_eq!(apart(Owner::Nobody, 7, call, [process, 0]), ALLOW, "{call}");
        assert_eq!(apart(Owner::Nobody, 7, call, [process, 1234]), refused(libc::EPERM), "{call}");
        assert_eq!(apart(Owner::Nobody, 7, call, [user, 0]), refused(libc::EPERM), "{call}");
    }
}

#[test]
fn signals_are_refused_only_where_landlock_does_not_keep_them_inside() {
    let (nine, own) = (9, 0);
    for (call, with, without) in [
        (libc::SYS_kill, [1234, nine, 0], [1234, 0, 0]),
        (libc::SYS_kill, [u32::MAX, nine, 0], [own, nine, 0]),
        (libc::SYS_tkill, [1234, nine, 0], [1234, 0, 0]),
        (libc::SYS_tgkill, [1234, 1234, nine], [1234, 1234, 0]),
        (libc::SYS_rt_sigqueueinfo, [1234, nine, 0], [1234, 0, 0]),
        (libc::SYS_rt_tgsigqueueinfo, [1234, 1234, nine], [1234, 1234, 0]),
        (libc::SYS_pidfd_send_signal, [5, nine, 0], [5, 0, 0]),
        // `F_SETOWN` and `F_GETFL`.
        (libc::SYS_fcntl, [5, 8, 0], [5, 3, 0]),
        (libc::SYS_fcntl, [5, 15, 0], [5, 4, 0]),
        // `FIOSETOWN` and a size of a window.
        (libc::SYS_ioctl, [5, 0x8901, 0], [5, 0x5413, 0]),
    ] {
        let call = number(call);
        assert_eq!(apart(Owner::Caller, 5, call, with), refused(libc::EPERM), "{call} {with:?}");
        assert_eq!(apart(Owner::Caller, 5, call, without), ALLOW, "{call} {without:?}");
        assert_eq!(apart(Owner::Caller, 6, call, with), ALLOW, "{call} {with:?}");
    }
    for call in [libc::SYS_setsid, libc::SYS_setpgid].map(number) {
        assert_eq!(apart(Owner::Caller, 5, call, [0; 2]), refused(libc::EPERM));
        assert_eq!(apart(Owner::Caller, 6, call, [0; 2]), ALLOW);
    }
}

#[test]
fn what_is_known_of_a_file_is_changed_only_by_who_owns_nothing_else() {
    for call in [libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_utimensat].map(number) {
        assert_eq!(apart(Owner::Caller, 7, call, [0; 4]), refused(libc::EPERM), "{call}");
        assert_eq!(apart(Owner::Nobody, 7, call, [0; 4]), ALLOW, "{call}");
    }
    for owner in [Owner::Caller, Owner::Nobody] {
        for call in [libc::SYS_setxattr, libc::SYS_fsetxattr, libc::SYS_getxattr].map(number) {
            assert_eq!(apart(owner, 7, call, [0; 4]), refused(libc::EOPNOTSUPP), "{call}");
        }
        // What was opened may be looked at.
        assert_eq!(apart(owner, 7, number(libc::SYS_fgetxattr), [0; 4]), ALLOW);
        assert_eq!(apart(owner, 7, number(libc::SYS_ioctl), [3, 0x4008_6602]), refused(libc::EPERM));
        assert_eq!(apart(owner, 7, number(libc::SYS_inotify_add_watch), [0; 3]), refused(libc::EPERM));
    }
}

#[test]
fn a_file_is_opened_for_something_and_cut_short_only_where_it_is_written_or_a_rule_is_asked() {
    let open = |version, flags: i32| {
        apart(Owner::Nobody, version, number(libc::SYS_openat), [0, 0, flags.cast_unsigned(), 0])
    };
    for version in [1, 3, 7] {
        assert_eq!(open(version, libc::O_ACCMODE), refused(libc::EPERM));
        assert_eq!(open(version, libc::O_RDONLY), ALLOW);
        assert_eq!(open(version, libc::O_RDONLY | libc::O_CLOEXEC), ALLOW);
        for writing in [libc::O_WRONLY, libc::O_RDWR] {
            assert_eq!(open(version, writing | libc::O_CREAT | libc::O_TRUNC), ALLOW);
        }
        let expected = if version < 3 { refused(libc::EPERM) } else { ALLOW };
        assert_eq!(open(version, libc::O_RDONLY | libc::O_TRUNC), expected, "{version}");
        assert_eq!(apart(Owner::Nobody, version, number(libc::SYS_truncate), [0; 2]), expected, "{version}");
    }
}

#[test]
fn everything_else_is_left_to_the_filter_that_everybody_has() {
    let filter = Filter::apart(Owner::Nobody, 7);
    for call in
        [libc::SYS_read, libc::SYS_execve, libc::SYS_wait4, libc::SYS_mmap, libc::SYS_clone].map(number)
    {
        assert_eq!(outcome(&filter, AUDIT_ARCH, call, [0; 3]), ALLOW);
    }
    assert_eq!(outcome(&filter, AUDIT_ARCH, NEWEST + 1, [0; 3]), ALLOW);
    assert_eq!(outcome(&filter, 0x4000_0003, 20, [0; 3]), KILL);
}
