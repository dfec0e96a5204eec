//! [`Profile`]: which tars a reader takes, as a value.

use crate::archive::name::Names;
use crate::path::Rule;

/// Which tars a reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How headers are written.
    pub headers: Headers,
    /// pax records and GNU long names.
    pub extensions: Rule,
    /// Entries for folders.
    pub folders: Rule,
    /// Entries for symbolic links, pipes and devices. Allowed ones come out as such and have no content.
    pub links_and_specials: Rule,
    /// `./` before every name, as `tar -c .` writes it, and an entry for the root itself.
    pub dot_prefix: Rule,
    /// What follows the two blocks of zeros that end a tar.
    pub zero_blocks: ZeroBlocks,
    /// Which names an entry may have.
    pub names: Names,
    /// Most entries, where a format counts entries and not the folders they imply; the budget counts both.
    pub entries: u64,
}

/// How headers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// POSIX magic and version, every number in zero-padded octal, unused fields zero.
    Exact,
    /// Also GNU's magic, and octal padded with spaces. Owner, group and times are not looked at.
    Ordinary,
}

/// How many blocks of zeros end a tar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroBlocks {
    /// Exactly two.
    Two,
    /// At least two: tools fill up a record of 10,240 bytes.
    TwoOrMore,
}

impl Profile {
    /// What GNU tar, bsdtar, git, Python, Go and Node write for files and folders.
    pub const ORDINARY: Self = Self {
        headers: Headers::Ordinary,
        extensions: Rule::Allow,
        folders: Rule::Allow,
        links_and_specials: Rule::Allow,
        dot_prefix: Rule::Allow,
        zero_blocks: ZeroBlocks::TwoOrMore,
        names: Names::Careful,
        entries: u64::MAX,
    };

    /// Regular files in exact ustar headers and nothing else: what a reproducible writer makes.
    pub const STRICT: Self = Self {
        headers: Headers::Exact,
        extensions: Rule::Refuse,
        folders: Rule::Refuse,
        links_and_specials: Rule::Refuse,
        dot_prefix: Rule::Refuse,
        zero_blocks: ZeroBlocks::Two,
        names: Names::Careful,
        entries: u64::MAX,
    };
}
