//! [`Orders`]: what the child does, prepared so that it need not think.

use std::ffi::CString;
use std::os::fd::OwnedFd;

use super::landlock::Rules;
use super::seccomp::Filter;
use super::system::Fd;
use super::words::Words;

/// The most sources one sandbox takes hold of; they are open at once, on the child's stack.
pub(crate) const MOUNTS_AT_MOST: usize = 256;

/// What the child does.
#[derive(Debug)]
pub(crate) struct Orders {
    /// The flags of `clone3`.
    pub(crate) namespaces: i32,
    /// The control groups that the child begins in.
    pub(crate) entry: Entry,
    /// Who the child becomes.
    pub(crate) identity: Identity,
    /// The supervisor's ends of the pipes, which the child must not keep open.
    pub(crate) foreign: Vec<Fd>,
    /// The size of the root file system, as tmpfs takes it.
    pub(crate) root_size: CString,
    /// What is in the tree, in order; paths are relative to the root.
    pub(crate) tree: Vec<Operation>,
    /// `/proc`.
    pub(crate) proc: Proc,
    /// What is done once the tree is there.
    pub(crate) within: Within,
}

/// What is done once the tree is there, by whoever made it.
#[derive(Debug)]
pub(crate) struct Within {
    /// The pipe a byte comes through when what is done here may go on: when the user is mapped or the process is held, and
    /// when the program is followed.
    pub(crate) ready: Fd,
    /// The pipe for words to the supervisor.
    pub(crate) words: Fd,
    /// The socket that folders which are kept are handed out through.
    pub(crate) kept: Fd,
    /// The program's streams.
    pub(crate) streams: Streams,
    /// The working folder.
    pub(crate) folder: CString,
    /// The way out, where there is one.
    pub(crate) doors: Option<Doors>,
    /// The file rules, where the kernel has them.
    pub(crate) rules: Option<Rules>,
    /// The system call rules.
    pub(crate) filter: Filter,
    /// Whether the program waits, before it begins, until somebody follows it.
    pub(crate) followed: bool,
    /// Resource limits of the program.
    pub(crate) limits: Vec<Limit>,
    /// The program.
    pub(crate) program: CString,
    /// Its arguments, its own name first.
    pub(crate) arguments: Words,
    /// Its environment.
    pub(crate) environment: Words,
}

impl Within {
    /// Adds the descriptors.
    pub(crate) const fn connect(&mut self, ends: Descriptors) {
        let Descriptors { ready, words, kept, way_out, streams } = ends;
        self.ready = ready;
        self.words = words;
        self.kept = kept;
        self.streams = streams;
        if let Some(doors) = &mut self.doors {
            doors.to = way_out;
        }
    }
}

/// What connects whoever does this with the supervisor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptors {
    pub(crate) ready: Fd,
    pub(crate) words: Fd,
    pub(crate) kept: Fd,
    /// Where the doors are handed out.
    pub(crate) way_out: Fd,
    pub(crate) streams: Streams,
}

/// Who the child becomes, by the numbers inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// Whether the caller may leave its further groups; only a privileged one may.
    pub(crate) leaves_groups: bool,
}

/// The control groups that a process begins in. Their descriptors are the supervisor's, closed by exec.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// The folder of a group of version 2, which it is made in.
    pub(crate) into: Option<Fd>,
    /// Files of groups of version 1, which it writes itself into: for others to write it there takes the kernel longer.
    pub(crate) written: Vec<Fd>,
}

/// The program's streams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams {
    pub(crate) input: Fd,
    pub(crate) output: Fd,
    pub(crate) errors: Fd,
}

/// One thing in the tree.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A folder of the tree itself.
    Folder(CString),
    /// A file of the tree itself, with this content.
    File(CString, Vec<u8>),
    /// A symbolic link: what it says, where it is.
    Link(CString, CString),
    /// What is at `from` on the host, at `at`, restricted by mount attributes. The place must be there already. A copy that
    /// was made, and restricted, before is used as it is.
    Bind { from: CString, at: CString, attributes: u64, copy: Option<OwnedFd> },
    /// A file system of its own in memory.
    Memory { at: CString, size: CString, inodes: CString, kept: bool },
}

impl Operation {
    /// Attributes of what is only read.
    pub(crate) const READ_ONLY: u64 = super::system::mount::READ_ONLY;
    /// Attributes of everything: no set-user-id, no devices.
    pub(crate) const TAME: u64 = super::system::mount::NO_SET_USER | super::system::mount::NO_DEVICES;
    /// Attributes of a device: nothing but the device.
    pub(crate) const DEVICE: u64 = super::system::mount::NO_SET_USER
        | super::system::mount::NO_EXECUTION
        | super::system::mount::READ_ONLY;
    /// Attributes of what is neither started nor mapped as code.
    pub(crate) const NO_EXECUTION: u64 = super::system::mount::NO_EXECUTION;
}

/// How much of `/proc` there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proc {
    /// The sandbox's own processes and nothing of the system.
    Processes,
    /// All of it.
    Full,
    /// None.
    Absent,
}

/// The way out of the sandbox's own network.
#[derive(Debug)]
pub(crate) struct Doors {
    /// Where the network leads.
    pub(crate) reach: Reach,
    /// Whether the system may be asked to lead every address to the supervisor.
    pub(crate) asking: AskingForAll,
    /// The ports that connections are taken at.
    pub(crate) ports: Vec<u16>,
    /// The socket that the doors are handed out through.
    pub(crate) to: Fd,
    /// The environment where the proxy is the only way.
    pub(crate) proxied: Words,
}

/// Whether the system may be asked for something that it may not be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskingForAll {
    Allowed,
    /// It is taken to be unable to.
    Pointless,
}

/// Where a network of its own leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every address leads to the supervisor.
    Everywhere,
    /// The proxy leads to the supervisor, and nothing else anywhere.
    Proxy,
}

/// One resource limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) resource: i32,
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}
