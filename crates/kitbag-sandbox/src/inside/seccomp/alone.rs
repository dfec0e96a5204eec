//! What a program without namespaces is refused besides: calls that reach other processes and other files of the host, and
//! that no file rule is asked about.

use super::{Action, Cutting, Errno, Filter, number, runs};

/// Whose the program's files are, and so which files it could change without opening them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The caller's: it runs as the caller.
    Caller,
    /// Its own: it runs as somebody who has nothing else.
    Nobody,
}

const EPERM: Action = Action::Refuse(Errno(libc::EPERM));
/// What programs that copy files expect where there is none of this.
const NOT_HERE: Action = Action::Refuse(Errno(libc::EOPNOTSUPP));

impl Filter {
    /// What is refused besides to a program that runs as `owner`, where `version` of Landlock keeps the rest.
    pub(crate) fn apart(owner: Owner, version: u32) -> Self {
        let mut special = Vec::new();
        let mut refuse = |calls: &[u32], action: Action| {
            special.extend(calls.iter().map(|call| (*call, action)));
        };
        refuse(OF_NO_NAMESPACE, EPERM);
        refuse(WATCHING, EPERM);
        refuse(ATTRIBUTES, NOT_HERE);
        if owner == Owner::Caller {
            refuse(METADATA, EPERM);
        }
        let cutting = if version < 3 { Cutting::Unruled } else { Cutting::Ruled };
        if cutting == Cutting::Unruled {
            refuse(&[number(libc::SYS_truncate)], EPERM);
        }
        #[cfg(target_arch = "x86_64")]
        refuse(&[number(libc::SYS_open)], Action::Opened(1, cutting));
        refuse(&[number(libc::SYS_openat)], Action::Opened(2, cutting));
        for (call, action) in OTHER_PROCESSES {
            refuse(&[*call], *action);
        }
        if version < 6 {
            // Nobody else keeps signals from whom the user may send them to, and the group is how everything is ended.
            for (call, action) in SIGNALS {
                refuse(&[*call], *action);
            }
            refuse(
                &[number(libc::SYS_ioctl)],
                Action::Unless(1, &[SET_FLAGS, SET_ATTRIBUTES, FIOSETOWN, SIOCSPGRP]),
            );
        } else {
            refuse(&[number(libc::SYS_ioctl)], Action::Unless(1, &[SET_FLAGS, SET_ATTRIBUTES]));
        }
        Self::of(&runs(special))
    }
}

macro_rules! calls {
    ($($name:ident)*) => { &[$(number(libc::$name)),*] };
}

/// What a namespace of its own would hold: segments, semaphores and messages that any process of the user reaches.
const OF_NO_NAMESPACE: &[u32] = calls! {
    SYS_shmat SYS_shmctl SYS_semget SYS_semop SYS_semtimedop SYS_semctl SYS_msgget SYS_msgsnd SYS_msgrcv
    SYS_msgctl SYS_mq_open SYS_mq_unlink
};

/// Whoever watches a folder learns the names of what others make there, without opening it.
const WATCHING: &[u32] = calls! { SYS_inotify_add_watch };

/// Attributes beside a file, which are read and written by name.
const ATTRIBUTES: &[u32] = &[
    number(libc::SYS_getxattr),
    number(libc::SYS_lgetxattr),
    number(libc::SYS_listxattr),
    number(libc::SYS_llistxattr),
    number(libc::SYS_setxattr),
    number(libc::SYS_lsetxattr),
    number(libc::SYS_fsetxattr),
    number(libc::SYS_removexattr),
    number(libc::SYS_lremovexattr),
    number(libc::SYS_fremovexattr),
    // The same by a folder and a name, and attributes of the file system.
    463,
    464,
    465,
    466,
    468,
    469,
];

/// What is known of a file: who may do what with it, whose it is, when it was changed.
const METADATA: &[u32] = &[
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_chmod),
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_chown),
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_lchown),
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_utime),
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_utimes),
    #[cfg(target_arch = "x86_64")]
    number(libc::SYS_futimesat),
    number(libc::SYS_fchmod),
    number(libc::SYS_fchmodat),
    super::FCHMODAT2,
    number(libc::SYS_fchown),
    number(libc::SYS_fchownat),
    number(libc::SYS_utimensat),
];

/// Limits, priorities and processors of other processes.
const OTHER_PROCESSES: &[(u32, Action)] = &[
    (number(libc::SYS_prlimit64), Action::Itself(0)),
    (number(libc::SYS_sched_setscheduler), Action::Itself(0)),
    (number(libc::SYS_sched_setparam), Action::Itself(0)),
    (number(libc::SYS_sched_setattr), Action::Itself(0)),
    (number(libc::SYS_sched_setaffinity), Action::Itself(0)),
    // `PRIO_PROCESS`, `IOPRIO_WHO_PROCESS`.
    (number(libc::SYS_setpriority), Action::ItselfAmong(0)),
    (number(libc::SYS_ioprio_set), Action::ItselfAmong(1)),
];

/// Ways to send a signal, to have one sent, and to leave the group.
const SIGNALS: &[(u32, Action)] = &[
    (number(libc::SYS_kill), Action::Signal(1)),
    (number(libc::SYS_tkill), Action::AnySignal(1)),
    (number(libc::SYS_tgkill), Action::AnySignal(2)),
    (number(libc::SYS_rt_sigqueueinfo), Action::AnySignal(1)),
    (number(libc::SYS_rt_tgsigqueueinfo), Action::AnySignal(2)),
    (number(libc::SYS_pidfd_send_signal), Action::AnySignal(1)),
    // `F_SETOWN`, `F_SETOWN_EX`.
    (number(libc::SYS_fcntl), Action::Unless(1, &[8, 15])),
    (number(libc::SYS_setsid), EPERM),
    (number(libc::SYS_setpgid), EPERM),
];

const FIOSETOWN: u32 = 0x8901;
const SIOCSPGRP: u32 = 0x8902;
/// `FS_IOC_SETFLAGS`, `FS_IOC_FSSETXATTR`: what a file system knows of a file.
const SET_FLAGS: u32 = 0x4008_6602;
const SET_ATTRIBUTES: u32 = 0x401c_5820;
