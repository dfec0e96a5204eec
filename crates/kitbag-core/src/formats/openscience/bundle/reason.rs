//! [`Reason`]: why something of a bundle is not imported, in Open-Science's words.

use std::fmt;

use super::super::skill::{DEPTH, FILES};
use super::{ENTRIES, SKILLS};

/// What is not imported, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The entry, the archive or the Skill.
    pub source: String,
    /// Why.
    pub reason: Reason,
}

/// Why something is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The name leads out of the Skill, or could.
    Unsafe,
    /// Neither stored nor deflated.
    Method,
    /// Too many folders above it.
    Depth,
    /// Too many entries before it.
    Entries,
    /// The local record is somewhere else, or is none.
    LocalHeader,
    /// The content goes past the end.
    PastEnd,
    /// The content is too large, or cannot be unpacked.
    TooLarge,
    /// All contents together are too large.
    BundleBytes,
    /// A file of the Skill is not imported, so that the Skill would be incomplete.
    Incomplete(Box<Self>),
    /// The Skill has too many files.
    SkillFiles,
    /// A file of the Skill is too large.
    SkillFile,
    /// All files of the Skill together are too large.
    SkillBytes,
    /// Too many Skills before it.
    Skills,
    /// The document has no name.
    NoName,
    /// A file that belongs to the application.
    ReservedFile(String),
    /// An archive without a Skill.
    NoSkill,
    /// An archive that cannot be read.
    NotZip,
    /// An archive in the bundle is refused as a whole.
    Nested(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsafe => f.write_str("unsafe path"),
            Self::Method => f.write_str("unsupported compression method"),
            Self::Depth => write!(f, "nested deeper than {DEPTH} levels"),
            Self::Entries => write!(f, "bundle has too many entries (limit {ENTRIES})"),
            Self::LocalHeader => f.write_str("malformed local header"),
            Self::PastEnd => f.write_str("entry data extends past end of archive"),
            Self::TooLarge => f.write_str("too large (limit 64 MB)"),
            Self::BundleBytes => f.write_str("bundle exceeds the 256 MB limit"),
            Self::Incomplete(reason) => write!(f, "contains a file that couldn't be imported ({reason})"),
            Self::SkillFiles => write!(f, "skill has more than {FILES} files"),
            Self::SkillFile => f.write_str("contains a file over 50 MB"),
            Self::SkillBytes => f.write_str("skill exceeds 128 MB"),
            Self::Skills => write!(f, "bundle has more than {SKILLS} skills"),
            Self::NoName => f.write_str("SKILL.md has no name"),
            Self::ReservedFile(name) => write!(f, "Skill import may not include the reserved file {name}."),
            Self::NoSkill => f.write_str("no SKILL.md found"),
            Self::NotZip => f.write_str("Not a valid ZIP archive."),
            Self::Nested(text) => f.write_str(text),
        }
    }
}
