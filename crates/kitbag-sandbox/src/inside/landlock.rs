//! File rules: what may be read, written and started, by the thing itself and not by its name.
//!
//! The rules are made inside, after the tree is: half of what they speak of is there only then.

use std::ffi::CString;

use super::seccomp::Sockets;
use super::system::{self, Errno, Fd, lock};

/// The newest version of Landlock that the kernel knows; nought when it has none.
pub(crate) fn version() -> u32 {
    lock::version()
}

/// The rules of one sandbox.
#[derive(Debug)]
pub(crate) struct Rules {
    attributes: lock::Attributes,
    known: usize,
    rules: Vec<Rule>,
}

/// What may be done at one place and below.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The place, as it is called inside.
    pub(crate) at: CString,
    /// What may be done there.
    pub(crate) access: Access,
}

/// A set of rights, by the bits of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access(u64);

impl Access {
    /// Starting programs.
    pub(crate) const EXECUTE: Self = Self(1);
    /// Reading files, and listing folders.
    pub(crate) const READ: Self = Self(1 << 2 | 1 << 3);
    /// Listing folders.
    pub(crate) const LIST: Self = Self(1 << 3);
    /// Writing to files that are there, and cutting them short.
    pub(crate) const WRITE_FILE: Self = Self(1 << 1 | 1 << 14);
    /// Making, changing and removing files, folders, links, pipes and sockets; not devices.
    pub(crate) const CHANGE: Self =
        Self(1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 14);

    /// Both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    pub(super) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The rights that concern a file rather than a folder.
    const OF_FILES: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;
}

impl Rules {
    /// `rules`, as far as `version` of Landlock can say them; `None` when it is nought.
    pub(crate) fn new(version: u32, sockets: Sockets, rules: Vec<Rule>) -> Option<Self> {
        /// Every right over files, by the version that brought it.
        const FILES: [(u32, u64); 4] = [(1, 0x1fff), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15)];
        if version == 0 {
            return None;
        }
        let files = FILES.iter().filter(|(since, _)| *since <= version).fold(0, |all, (_, bits)| all | bits);
        // TCP, both ways: nothing is allowed, because no rule allows it. Where there is a network, it is one of its own.
        let network = if version >= 4 && sockets == Sockets::Pairs { 0b11 } else { 0 };
        // Abstract sockets and signals stay inside.
        let scopes = if version >= 6 { 0b11 } else { 0 };
        let known = match version {
            ..4 => 1,
            4..6 => 2,
            6.. => 3,
        };
        Some(Self { attributes: [files, network, scopes], known, rules })
    }

    /// No files and no network, but whom signals and abstract sockets reach: nobody but who is held to the same rules.
    /// `None` where `version` cannot say that.
    pub(crate) fn among_themselves(version: u32) -> Option<Self> {
        (version >= 6).then(|| Self { attributes: [0, 0, 0b11], known: 3, rules: Vec::new() })
    }

    /// What they are made of: the rules, what they speak of, and how much of that the kernel knows.
    pub(super) fn parts(&self) -> (&[Rule], lock::Attributes, usize) {
        (&self.rules, self.attributes, self.known)
    }

    pub(super) const fn from_parts(rules: Vec<Rule>, attributes: lock::Attributes, known: usize) -> Self {
        Self { attributes, known, rules }
    }

    /// Holds this process and its children to the rules.
    pub(super) fn apply(&self) -> Result<(), Errno> {
        let [files, ..] = self.attributes;
        let set = lock::rules(&self.attributes, self.known)?;
        for Rule { at, access } in &self.rules {
            let folder = system::open(Fd::HERE, at, libc::O_PATH | libc::O_DIRECTORY, 0);
            let (place, access) = match folder {
                Ok(place) => (place, access.0),
                Err(Errno(libc::ENOTDIR)) => {
                    (system::open(Fd::HERE, at, libc::O_PATH, 0)?, access.0 & Access::OF_FILES)
                }
                Err(errno) => return Err(errno),
            };
            lock::allow(set, place, access & files)?;
            system::close(place);
        }
        lock::restrict(set)?;
        system::close(set);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Rules, Sockets};

    #[test]
    fn an_older_kernel_is_asked_only_for_what_it_knows() {
        assert!(Rules::new(0, Sockets::Pairs, Vec::new()).is_none());
        let of = |version| {
            Rules::new(version, Sockets::Pairs, Vec::new()).map(|rules| (rules.attributes, rules.known))
        };
        assert_eq!(of(1), Some(([0x1fff, 0, 0], 1)));
        assert_eq!(of(3), Some(([0x7fff, 0, 0], 1)));
        assert_eq!(of(4), Some(([0x7fff, 0b11, 0], 2)));
        assert_eq!(of(7), Some(([0xffff, 0b11, 0b11], 3)));
        assert_eq!(of(99), of(7), "a newer kernel knows more than this program");
        let open = Rules::new(7, Sockets::Internet, Vec::new()).map(|rules| rules.attributes);
        assert_eq!(open, Some([0xffff, 0, 0b11]), "a network is not closed again");
    }

    #[test]
    fn signals_are_kept_from_the_version_on_that_can() {
        assert!(Rules::among_themselves(5).is_none());
        let rules = Rules::among_themselves(6).map(|rules| (rules.attributes, rules.known));
        assert_eq!(rules, Some(([0, 0, 0b11], 3)));
    }

    #[test]
    fn a_writer_makes_no_device_and_starts_nothing() {
        let (character, block, execute) = (1 << 6, 1 << 11, 1);
        assert_eq!(Access::CHANGE.0 & (character | block | execute), 0);
        assert_eq!(Access::CHANGE.and(Access::EXECUTE).0 & 1, 1);
    }
}
