//! Which names an entry may have.

use crate::path::{PackagePath, PathProblem, PathRules, Rule};

use super::codes;
use super::refusal::{Offset, Refusal};

/// What any archive may name. Case twins and what only Windows cannot store are legal here: a check says so.
/// Depth is a matter of the limits.
const RULES: PathRules = PathRules {
    max_bytes: 4096,
    max_segments: usize::MAX,
    backslash: Rule::Refuse,
    control: Rule::Refuse,
    drive: Rule::Refuse,
    unportable: Rule::Allow,
};

/// Which names an entry may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// None with control characters and none that is a device on Windows.
    Careful,
    /// Those too, where a format that packages are published in allows them: what was published must stay readable. Names
    /// that leave the package or have a backslash are refused all the same.
    Published,
}

/// The path that `text` is.
pub(super) fn path(text: &str, names: Names, at: Offset) -> Result<PackagePath, Refusal> {
    let refuse = |problem: PathProblem| Refusal::new(code(problem), at, problem.to_string());
    if names == Names::Published {
        PathRules { control: Rule::Allow, ..RULES }.check(text).map_err(refuse)?;
        return PackagePath::new(text).map_err(refuse);
    }
    RULES.check(text).map_err(refuse)?;
    if let Some(control) = text.chars().find(|c| c.is_control()) {
        return Err(refuse(PathProblem::Control { code: control.into() }));
    }
    if PathRules::PORTABLE.check(text) == Err(PathProblem::DeviceName) {
        return Err(refuse(PathProblem::DeviceName));
    }
    PackagePath::new(text).map_err(refuse)
}

/// Whether every system stores the name as it is.
pub(super) fn is_portable(text: &str) -> bool {
    PathRules { max_segments: usize::MAX, ..PathRules::PORTABLE }.check(text).is_ok()
}

fn code(problem: PathProblem) -> &'static crate::finding::Code {
    match problem {
        PathProblem::Empty | PathProblem::EmptySegment => &codes::PATH_EMPTY_SEGMENT,
        PathProblem::TooLong { .. } => &codes::PATH_TOO_LONG,
        PathProblem::Absolute => &codes::PATH_ABSOLUTE,
        PathProblem::Drive => &codes::PATH_DRIVE,
        PathProblem::Backslash => &codes::PATH_BACKSLASH,
        PathProblem::Control { .. } | PathProblem::Nul => &codes::PATH_CONTROL,
        PathProblem::TooDeep { .. } => &codes::PATH_TOO_DEEP,
        PathProblem::DotSegment => &codes::PATH_TRAVERSAL,
        PathProblem::DeviceName | PathProblem::Unportable => &codes::PATH_DEVICE,
    }
}
