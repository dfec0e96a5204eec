//! [`Code`]: the stable name of something a check can say.

use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Info,
    /// Probably not what the author wants; the package is still sound.
    Warning,
    /// The package is not sound.
    Error,
}

impl Severity {
    /// The word for it in every output: `error`, `warning`, `info`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A version of a format's specification, such as 0.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecVersion {
    /// Before the point.
    pub major: u16,
    /// After the point.
    pub minor: u16,
}

impl fmt::Display for SpecVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The severity of a code. It belongs to the code and the version of the specification, never to the place it is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The same in every version.
    Always(Severity),
    /// One severity before a version, another from it on.
    Since {
        /// The version from which `after` holds.
        version: SpecVersion,
        /// Before that version.
        before: Severity,
        /// From that version on.
        after: Severity,
    },
}

impl Grade {
    /// The severity under `version`; `None` means the newest.
    #[must_use]
    pub fn under(self, version: Option<SpecVersion>) -> Severity {
        match self {
            Self::Always(severity) => severity,
            Self::Since { version: since, before, after } => {
                if version.is_none_or(|version| version >= since) { after } else { before }
            }
        }
    }
}

/// The stable name of something a check can say. Each is a `static` in its format's `codes.rs`.
#[derive(Debug)]
pub struct Code {
    /// `<format>/<slug>`, such as `skillpact/NAME_MISMATCH` or `agent-skill/name-not-directory`.
    pub slug: &'static str,
    /// How bad it is.
    pub grade: Grade,
    /// Where the rule is written: `SkillPact §3`, `Agent Skills, frontmatter`.
    pub clause: &'static str,
    /// One line: when it is raised.
    pub summary: &'static str,
    /// One sentence: why it matters.
    pub why: &'static str,
    /// One sentence: what to do. A finding may say it more exactly.
    pub help: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.slug == other.slug
    }
}

impl Eq for Code {}
