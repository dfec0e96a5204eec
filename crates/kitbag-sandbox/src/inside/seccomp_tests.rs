use super::{
    ALLOW, AUDIT_ARCH, Action, Asking, CODE_FROM_MEMORY, ERRNO, Executables, Filter, KILL, NEWEST, REFUSED,
    Sockets, TRACE, number, segments,
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
