//! Splice's ranges: one exact version, `^version`, `~version`, `*` or `latest`, and nothing else. There is no `>=`, no
//! `||`, no `1.x` and no partial version.

use std::cmp::Ordering;
use std::fmt;

use crate::version::{Version, VersionError};

/// A range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// `*`: any version that is no pre-release.
    Any,
    /// `latest`: the same versions as `*`, under the word a person types.
    Latest,
    /// This version; the only way to ask for a pre-release.
    Exact(Version),
    /// Compatible: from this version up to the next that may break.
    Caret(Version),
    /// From this version up to the next minor.
    Tilde(Version),
}

impl Requirement {
    /// Reads a range. Nothing is trimmed.
    ///
    /// # Errors
    /// The [`VersionError`] of the version in it.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        match text {
            "*" => return Ok(Self::Any),
            "latest" => return Ok(Self::Latest),
            _ => {}
        }
        if let Some(base) = text.strip_prefix('^') {
            Version::parse(base).map(Self::Caret)
        } else if let Some(base) = text.strip_prefix('~') {
            Version::parse(base).map(Self::Tilde)
        } else {
            Version::parse(text).map(Self::Exact)
        }
    }

    /// Whether `version` is in the range. A pre-release is in no range but its own; a base that is one is a lower bound
    /// only.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        let from = |base: &Version| !version.is_prerelease() && version.precedence(base) != Ordering::Less;
        match self {
            Self::Any | Self::Latest => !version.is_prerelease(),
            Self::Exact(exact) => version.precedence(exact) == Ordering::Equal,
            Self::Tilde(base) => {
                from(base) && (version.major(), version.minor()) == (base.major(), base.minor())
            }
            Self::Caret(base) => {
                from(base)
                    && match base.numbers() {
                        (0, 0, _) => version.numbers() == base.numbers(),
                        (0, minor, _) => (version.major(), version.minor()) == (0, minor),
                        (major, ..) => version.major() == major,
                    }
            }
        }
    }

    /// The highest of `versions` that is in the range; of two that differ only in their build, the first.
    pub fn best<'v>(&self, versions: impl IntoIterator<Item = &'v Version>) -> Option<&'v Version> {
        highest(versions.into_iter().filter(|version| self.matches(version)))
    }
}

/// The version a registry calls its latest: the highest that is no pre-release, otherwise the highest of all.
pub fn latest<'v>(versions: impl IntoIterator<Item = &'v Version> + Clone) -> Option<&'v Version> {
    Requirement::Latest.best(versions.clone()).or_else(|| highest(versions))
}

fn highest<'v>(versions: impl IntoIterator<Item = &'v Version>) -> Option<&'v Version> {
    versions.into_iter().reduce(|best, version| match version.precedence(best) {
        Ordering::Greater => version,
        _ => best,
    })
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Latest => f.write_str("latest"),
            Self::Exact(version) => write!(f, "{version}"),
            Self::Caret(version) => write!(f, "^{version}"),
            Self::Tilde(version) => write!(f, "~{version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(texts: &[&str]) -> Vec<Version> {
        texts.iter().map(|text| Version::parse(text).unwrap()).collect()
    }

    fn matches(range: &str, version: &str) -> bool {
        Requirement::parse(range).unwrap().matches(&Version::parse(version).unwrap())
    }

    #[test]
    fn a_range_lets_through_what_splice_says_and_nothing_else() {
        for (range, inside, outside) in [
            ("^1.2.0", &["1.2.0", "1.4.0", "1.2.0+b"][..], &["2.0.0", "1.1.9", "1.3.0-rc.1"][..]),
            ("^0.1.0", &["0.1.0", "0.1.9"], &["0.2.0", "1.0.0", "0.0.9"]),
            ("^0.0.1", &["0.0.1"], &["0.0.2", "0.0.0", "0.1.0"]),
            ("^0.0.0", &["0.0.0"], &["0.0.1"]),
            ("~1.2.3", &["1.2.3", "1.2.9"], &["1.3.0", "1.2.2", "1.2.4-a"]),
            ("*", &["0.0.0", "9.9.9"], &["1.0.0-a"]),
            ("latest", &["0.0.0", "9.9.9"], &["1.0.0-a"]),
            ("1.0.0", &["1.0.0", "1.0.0+build"], &["1.0.1", "1.0.0-a"]),
            ("1.0.0-beta", &["1.0.0-beta"], &["1.0.0", "1.0.0-beta.1"]),
            ("^1.0.0-rc.1", &["1.0.0", "1.5.0"], &["1.0.0-rc.1", "1.0.0-rc.2", "2.0.0"]),
        ] {
            for version in inside {
                assert!(matches(range, version), "{range} {version}");
            }
            for version in outside {
                assert!(!matches(range, version), "{range} {version}");
            }
        }
    }

    #[test]
    fn no_other_range_is_one() {
        for text in ["", ">=1.0.0", "1.x", "1", "^1.2", "1.0.0 || 2.0.0", "Latest", "^*", "^^1.0.0", " *"] {
            assert!(Requirement::parse(text).is_err(), "{text:?}");
        }
        for text in ["*", "latest", "^1.2.3", "~0.0.1-a", "1.0.0+b"] {
            assert_eq!(Requirement::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_best_is_the_highest_in_the_range_and_the_latest_is_stable_where_anything_is() {
        let all = versions(&["0.1.0", "0.1.2", "0.2.0", "1.0.0-rc.1"]);
        let best = |range: &str| Requirement::parse(range).unwrap().best(&all).map(ToString::to_string);
        assert_eq!(best("^0.1.0").as_deref(), Some("0.1.2"));
        assert_eq!(best("latest").as_deref(), Some("0.2.0"));
        assert_eq!(best("^3.0.0"), None);
        let newest = |texts: &[&str]| latest(&versions(texts)).map(ToString::to_string);
        assert_eq!(newest(&["1.0.0-rc.1", "1.0.0-rc.2"]).as_deref(), Some("1.0.0-rc.2"));
        assert_eq!(newest(&["1.0.0+a", "1.0.0+b", "2.0.0-a"]).as_deref(), Some("1.0.0+a"));
        assert_eq!(newest(&[]), None);
    }
}
