//! How far one version goes beyond another, and how far it should (SemVer 2.0, 4 to 8).

use std::cmp::Ordering;
use std::fmt;

use super::Version;

/// How much a change means to those who rely on a package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Nothing to anybody.
    #[default]
    None,
    /// Something is otherwise, and nothing anybody relies on.
    Patch,
    /// There is more than before.
    Minor,
    /// Something is not there any more, or asks for more than before.
    Major,
}

impl Step {
    /// The step that this one means from `version` on. Before 1.0.0 anything may change at any time (SemVer 4); ranges like
    /// `^0.1.0` take the first number that is not zero for the one that breaks, so each step counts one number further to
    /// the right, and the last number counts for all that are left.
    #[must_use]
    pub const fn from(self, version: &Version) -> Self {
        match (self, version.major(), version.minor()) {
            (Self::None, ..) => Self::None,
            (step, 1.., _) => step,
            (Self::Major, 0, 1..) => Self::Minor,
            (_, 0, _) => Self::Patch,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

/// Where a version lies, seen from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// It has the same precedence; build metadata is not looked at.
    Same,
    /// It comes before.
    Back,
    /// It comes after, and differs in the pre-release alone: nothing was promised yet.
    Prerelease,
    /// It comes after, by this step.
    Forward(Step),
}

impl Move {
    /// Where `new` lies, seen from `old`.
    #[must_use]
    pub fn between(old: &Version, new: &Version) -> Self {
        match new.precedence(old) {
            Ordering::Less => return Self::Back,
            Ordering::Equal => return Self::Same,
            Ordering::Greater => {}
        }
        if new.major() != old.major() {
            Self::Forward(Step::Major)
        } else if new.minor() != old.minor() {
            Self::Forward(Step::Minor)
        } else if new.patch() != old.patch() {
            Self::Forward(Step::Patch)
        } else {
            Self::Prerelease
        }
    }

    /// Whether it is enough for a change that means `step` to those who rely on `old`.
    #[must_use]
    pub fn is_enough_for(self, step: Step, old: &Version) -> bool {
        match self {
            Self::Same => step == Step::None,
            Self::Back => false,
            Self::Prerelease => true,
            Self::Forward(made) => made >= step.from(old),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn a_move_is_named_after_the_first_number_that_differs() {
        for (old, new, expected) in [
            ("1.2.3", "1.2.3", Move::Same),
            ("1.2.3+a", "1.2.3+b", Move::Same),
            ("1.2.3", "1.2.2", Move::Back),
            ("1.2.3", "1.2.3-rc.1", Move::Back),
            ("1.2.3-rc.1", "1.2.3-rc.2", Move::Prerelease),
            ("1.2.3-rc.1", "1.2.3", Move::Prerelease),
            ("1.2.3", "1.2.4", Move::Forward(Step::Patch)),
            ("1.2.3", "1.3.0", Move::Forward(Step::Minor)),
            ("1.2.3", "2.0.0-rc.1", Move::Forward(Step::Major)),
        ] {
            assert_eq!(Move::between(&version(old), &version(new)), expected, "{old} {new}");
        }
    }

    #[test]
    fn a_move_is_enough_when_ranges_would_hold_it_back() {
        for (old, new, enough_for) in [
            ("1.0.0", "1.0.0", [true, false, false, false]),
            ("1.0.0", "1.0.1", [true, true, false, false]),
            ("1.0.0", "1.1.0", [true, true, true, false]),
            ("1.0.0", "2.0.0", [true, true, true, true]),
            ("0.1.0", "0.1.1", [true, true, true, false]),
            ("0.1.0", "0.2.0", [true, true, true, true]),
            ("0.0.1", "0.0.2", [true, true, true, true]),
            ("0.0.1", "0.0.1", [true, false, false, false]),
            ("1.0.0-a", "1.0.0", [true, true, true, true]),
            ("1.0.0", "0.9.0", [false, false, false, false]),
        ] {
            let (old, new) = (version(old), version(new));
            let found = [Step::None, Step::Patch, Step::Minor, Step::Major]
                .map(|step| Move::between(&old, &new).is_enough_for(step, &old));
            assert_eq!(found, enough_for, "{old} {new}");
        }
    }
}
