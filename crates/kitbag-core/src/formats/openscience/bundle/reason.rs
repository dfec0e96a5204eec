//! [`Reason`]: why something of a bundle is not imported, in Open-Science's words.

use std::fmt;

use crate::archive::{Refusal, codes as archive};
use crate::finding::Code;
use crate::limits::Bytes;

use super::super::github::REQUESTS;
use super::super::skill::{DEPTH, FILE_BYTES, FILES, TOTAL_BYTES};
use super::{BUNDLE_BYTES, ENTRIES, ENTRY_BYTES, NESTED_BYTES, SKILLS, codes};

/// What is not imported, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The entry, the archive or the Skill, as Open-Science names it.
    pub source: String,
    /// Where the Skill is, if it is one.
    pub sub_path: Option<String>,
    /// Why.
    pub reason: Reason,
}

impl Skipped {
    /// Something that is no Skill.
    pub(super) fn entry(source: impl Into<String>, reason: Reason) -> Self {
        Self { source: source.into(), sub_path: None, reason }
    }

    /// A Skill. The root has no name of its own.
    pub(super) fn skill(sub_path: String, reason: Reason) -> Self {
        let source = if sub_path.is_empty() { "skill".to_owned() } else { sub_path.clone() };
        Self { source, sub_path: Some(sub_path), reason }
    }
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
    /// An archive in the bundle is refused by the strict reader.
    Refused(Box<Refusal>),
    /// The archives before it unpacked to too much.
    NestedBytes,
    /// An import from GitHub took too many requests before it was whole.
    Requests,
    /// No file: a link, a pipe, something that cannot be read.
    Kind(String),
}

impl Reason {
    /// The same in our own words, for a sentence that says what it is about.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Unsafe => "its name leads out of the Skill, or could".to_owned(),
            Self::Depth => format!("it lies more than {DEPTH} folders deep"),
            Self::Entries => format!("{ENTRIES} files stand before it"),
            Self::TooLarge => format!("it has more than {}", Bytes(ENTRY_BYTES)),
            Self::BundleBytes => {
                format!("with what stands before it, it has more than {}", Bytes(BUNDLE_BYTES))
            }
            Self::Incomplete(reason) => format!("a file of it is left out ({})", reason.told()),
            Self::SkillFiles => format!("it has more than {FILES} files"),
            Self::SkillFile => format!("a file of it has more than {}", Bytes(FILE_BYTES)),
            Self::SkillBytes => format!("it has more than {} in all", Bytes(TOTAL_BYTES)),
            Self::Skills => format!("{SKILLS} Skills stand before it"),
            Self::NoName => "its document has no name".to_owned(),
            Self::ReservedFile(name) => format!("`{name}` at its root belongs to the application"),
            Self::NoSkill => "there is no SKILL.md in it where a Skill could begin".to_owned(),
            Self::NotZip => "it is no ZIP".to_owned(),
            Self::NestedBytes => "the archives before it unpack to too much".to_owned(),
            Self::Requests => format!("it would take more than {REQUESTS} requests"),
            Self::Kind(kind) => format!("there is {kind}"),
            Self::Refused(_) | Self::Method | Self::LocalHeader | Self::PastEnd | Self::Nested(_) => {
                self.to_string()
            }
        }
    }

    /// The code of what keeps it from being imported.
    #[must_use]
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Unsafe => &codes::UNSAFE_NAME,
            Self::Method => &archive::ZIP_METHOD,
            Self::Depth => &codes::DEPTH,
            Self::Entries => &codes::ENTRIES,
            Self::LocalHeader => &archive::ZIP_LOCAL,
            Self::PastEnd => &archive::TRUNCATED,
            Self::TooLarge => &codes::ENTRY_SIZE,
            Self::BundleBytes => &codes::BUNDLE_SIZE,
            Self::Incomplete(_) => &codes::INCOMPLETE,
            Self::SkillFiles => &codes::SKILL_FILES,
            Self::SkillFile => &codes::FILE_SIZE,
            Self::SkillBytes => &codes::SKILL_SIZE,
            Self::Skills => &codes::SKILLS,
            Self::NoName => &codes::NAME_MISSING,
            Self::ReservedFile(_) => &codes::RESERVED_FILE,
            Self::NoSkill => &codes::NO_SKILL,
            Self::NotZip | Self::Nested(_) => &codes::NESTED,
            Self::Refused(refusal) => refusal.code,
            Self::NestedBytes => &codes::NESTED_SIZE,
            Self::Requests => &codes::REQUESTS,
            Self::Kind(_) => &codes::ENTRY_KIND,
        }
    }
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
            Self::Refused(refusal) => refusal.fmt(f),
            Self::NestedBytes => {
                write!(f, "archives in the bundle unpack to more than {}", Bytes(NESTED_BYTES))
            }
            Self::Requests => write!(f, "Skill import exceeded {REQUESTS} requests."),
            Self::Kind(kind) => f.write_str(kind),
        }
    }
}
