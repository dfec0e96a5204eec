//! [`PackagePath`]: the only path that can be joined to a folder.
//!
//! A `PackagePath` is relative, uses `/`, and has no empty, `.` or `..` segment and no NUL: that holds for every format
//! and every operating system, so no later step has to look again. What a *format* additionally forbids (backslashes,
//! control characters, device names, length) is a [`PathRules`] value that the format owns.

use std::borrow::Borrow;
use std::fmt;
use std::path::PathBuf;

/// A relative path inside a package, in `/` form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackagePath(Box<str>);

/// Why a text is not a [`PackagePath`], or breaks a format's [`PathRules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathProblem {
    /// The path is the empty text.
    Empty,
    /// More UTF-8 bytes than the rules allow.
    TooLong {
        /// Length of the path, in UTF-8 bytes.
        bytes: usize,
        /// Most bytes allowed.
        max: usize,
    },
    /// Starts with `/`.
    Absolute,
    /// Starts with a drive letter and a colon, such as `C:`.
    Drive,
    /// Contains a backslash.
    Backslash,
    /// Contains a character below U+0020 or U+007F.
    Control {
        /// The code point.
        code: u32,
    },
    /// More segments than the rules allow.
    TooDeep {
        /// Number of segments.
        segments: usize,
        /// Most segments allowed.
        max: usize,
    },
    /// Two slashes in a row, or a slash at the end.
    EmptySegment,
    /// A `.` or `..` segment.
    DotSegment,
    /// Contains U+0000.
    Nul,
    /// A segment that Windows reserves for a device (`con`, `nul`, `com1`, …).
    DeviceName,
    /// A segment that Windows cannot store: a trailing dot or space, or one of `<>:"|?*`.
    Unportable,
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the path is empty"),
            Self::TooLong { bytes, max } => {
                write!(f, "the path is {bytes} bytes long and at most {max} are allowed")
            }
            Self::Absolute => f.write_str("the path is absolute"),
            Self::Drive => f.write_str("the path starts with a drive letter"),
            Self::Backslash => f.write_str("the path contains a backslash"),
            Self::Control { code } => write!(f, "the path contains the control character U+{code:04X}"),
            Self::TooDeep { segments, max } => {
                write!(f, "the path has {segments} segments and at most {max} are allowed")
            }
            Self::EmptySegment => f.write_str("the path has an empty segment"),
            Self::DotSegment => f.write_str("the path has a `.` or `..` segment"),
            Self::Nul => f.write_str("the path contains U+0000"),
            Self::DeviceName => f.write_str("a segment of the path is a device name on Windows"),
            Self::Unportable => f.write_str("a segment of the path cannot be stored on Windows"),
        }
    }
}

impl std::error::Error for PathProblem {}

impl PackagePath {
    /// Checks `text` against what holds for every package.
    ///
    /// # Errors
    /// The first [`PathProblem`] among empty, absolute, NUL, empty segment and dot segment.
    pub fn new(text: &str) -> Result<Self, PathProblem> {
        if text.is_empty() {
            return Err(PathProblem::Empty);
        }
        if text.starts_with('/') {
            return Err(PathProblem::Absolute);
        }
        if text.contains('\0') {
            return Err(PathProblem::Nul);
        }
        for segment in text.split('/') {
            check_segment(segment)?;
        }
        Ok(Self(text.into()))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last segment.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The path without its last segment; `None` for a path of one segment.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rfind('/').map(|at| Self(self.0[..at].into()))
    }

    /// The segments, from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// This path with one more segment.
    ///
    /// # Errors
    /// When `segment` is empty, `.`, `..`, or contains `/` or NUL.
    pub fn child(&self, segment: &str) -> Result<Self, PathProblem> {
        child_of(Some(self), segment)
    }

    /// What is left of this path below `folder`; `None` when it is not below it.
    #[must_use]
    pub fn below(&self, folder: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(&*folder.0)?.strip_prefix('/')?;
        Some(Self(rest.into()))
    }

    /// The path in the operating system's form, to be joined to a folder.
    ///
    /// # Errors
    /// Where the system would read the text as something else than a plain relative path: on Windows, backslashes,
    /// colons, device names and trailing dots or spaces.
    pub fn to_os(&self) -> Result<PathBuf, PathProblem> {
        if cfg!(windows) {
            PathRules::PORTABLE.check(&self.0)?;
        }
        Ok(self.segments().collect())
    }
}

/// `parent/segment`, or `segment` alone at the root of the package.
///
/// # Errors
/// When `segment` is empty, `.`, `..`, or contains `/` or NUL.
pub fn child_of(parent: Option<&PackagePath>, segment: &str) -> Result<PackagePath, PathProblem> {
    if segment.contains('/') {
        return Err(PathProblem::EmptySegment);
    }
    if segment.contains('\0') {
        return Err(PathProblem::Nul);
    }
    check_segment(segment)?;
    Ok(match parent {
        None => PackagePath(segment.into()),
        Some(parent) => PackagePath(format!("{}/{segment}", parent.0).into()),
    })
}

fn check_segment(segment: &str) -> Result<(), PathProblem> {
    match segment {
        "" => Err(PathProblem::EmptySegment),
        "." | ".." => Err(PathProblem::DotSegment),
        _ => Ok(()),
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl Borrow<str> for PackagePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for PackagePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// What a format forbids in its paths beyond what no package may have.
#[derive(Clone, Copy, Debug)]
pub struct PathRules {
    /// Most UTF-8 bytes of a whole path.
    pub max_bytes: usize,
    /// Most segments.
    pub max_segments: usize,
    /// What to do about backslashes.
    pub backslash: Rule,
    /// What to do about code points below U+0020.
    pub control: Rule,
    /// What to do about a leading drive letter.
    pub drive: Rule,
    /// What to do about names that Windows cannot store.
    pub unportable: Rule,
}

/// Whether a thing is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is legal.
    Allow,
    /// It is a problem.
    Refuse,
}

impl PathRules {
    /// A path that every operating system stores under the same name.
    pub const PORTABLE: Self = Self {
        max_bytes: 4096,
        max_segments: 128,
        backslash: Rule::Refuse,
        control: Rule::Refuse,
        drive: Rule::Refuse,
        unportable: Rule::Refuse,
    };

    /// Checks a text that is meant as a path in a format with these rules.
    ///
    /// Problems are looked for in this order, which is SkillPact's (§11.2): empty, length, absolute and drive,
    /// backslash and control characters, depth, segments; what only Windows refuses comes last.
    ///
    /// # Errors
    /// The first problem found.
    pub fn check(&self, text: &str) -> Result<(), PathProblem> {
        if text.is_empty() {
            return Err(PathProblem::Empty);
        }
        if text.len() > self.max_bytes {
            return Err(PathProblem::TooLong { bytes: text.len(), max: self.max_bytes });
        }
        if text.starts_with('/') {
            return Err(PathProblem::Absolute);
        }
        let bytes = text.as_bytes();
        if self.drive == Rule::Refuse && bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
        {
            return Err(PathProblem::Drive);
        }
        for c in text.chars() {
            match c {
                '\\' if self.backslash == Rule::Refuse => return Err(PathProblem::Backslash),
                '\0' => return Err(PathProblem::Nul),
                c if c < ' ' && self.control == Rule::Refuse => {
                    return Err(PathProblem::Control { code: c.into() });
                }
                _ => {}
            }
        }
        let segments = text.split('/').count();
        if segments > self.max_segments {
            return Err(PathProblem::TooDeep { segments, max: self.max_segments });
        }
        for segment in text.split('/') {
            check_segment(segment)?;
        }
        if self.unportable == Rule::Refuse {
            for segment in text.split('/') {
                check_portable(segment)?;
            }
        }
        Ok(())
    }
}

fn check_portable(segment: &str) -> Result<(), PathProblem> {
    if segment.ends_with(['.', ' ']) || segment.contains(['<', '>', ':', '"', '|', '?', '*']) {
        return Err(PathProblem::Unportable);
    }
    let stem = segment.split('.').next().unwrap_or(segment).trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|n| {
            matches!(n, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    if matches!(stem.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || numbered("com")
        || numbered("lpt")
    {
        return Err(PathProblem::DeviceName);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leaves_its_folder_is_refused_and_its_plain_twin_is_not() {
        for bad in ["", "/a", "a//b", "a/", "./a", "a/../b", "..", "a\0b"] {
            assert!(PackagePath::new(bad).is_err(), "{bad:?}");
        }
        for good in ["a", "a/b", "...", "..a", "a\\b", "C:/x", "技能/SKILL.md"] {
            assert_eq!(PackagePath::new(good).unwrap().as_str(), good);
        }
    }

    #[test]
    fn portable_rules_refuse_what_windows_reads_differently() {
        for bad in ["a\\b", "C:/x", "nul", "a/con.txt", "COM1", "lpt¹", "a.", "b ", "x?y", "tab\there"] {
            assert!(PathRules::PORTABLE.check(bad).is_err(), "{bad:?}");
        }
        for good in ["console", "a/b.txt", "com0", "nully", ".hidden"] {
            assert_eq!(PathRules::PORTABLE.check(good), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn below_needs_a_whole_segment() {
        let path = PackagePath::new("skills/pdf/SKILL.md").unwrap();
        assert_eq!(path.below(&PackagePath::new("skills/pdf").unwrap()).unwrap().as_str(), "SKILL.md");
        assert_eq!(path.below(&PackagePath::new("skills/pd").unwrap()), None);
        assert_eq!(path.parent().unwrap().as_str(), "skills/pdf");
        assert_eq!(path.name(), "SKILL.md");
    }
}
