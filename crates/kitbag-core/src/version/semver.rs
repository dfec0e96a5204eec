//! [`Version`]: SemVer 2.0, read by its grammar and ordered by its precedence (clause 11).

use std::cmp::Ordering;
use std::fmt;

/// Largest major, minor and patch: beyond 2^53 − 1 the programs that read these versions no longer tell two apart.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Longest version, in bytes. npm stops there too; a format may stop earlier.
const MAX_BYTES: usize = 256;

/// A version.
///
/// Two versions that differ only in their build metadata are not equal, and neither precedes the other:
/// [`Version::precedence`] is therefore a method and not [`Ord`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    pre: Vec<Identifier>,
    build: Vec<Box<str>>,
}

/// One identifier of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identifier {
    /// Digits without a leading zero. SemVer sets no bound, so they are compared as digits.
    Numeric(Box<str>),
    /// Anything else.
    Word(Box<str>),
}

/// Why a text is no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionError {
    /// It is longer than any version needs to be.
    TooLong,
    /// It does not begin with three numbers joined by dots.
    Numbers,
    /// A number has a leading zero.
    LeadingZero,
    /// Major, minor or patch is beyond [`MAX_NUMBER`].
    TooLarge,
    /// An identifier of the pre-release or the build is empty or has a character other than `0-9A-Za-z-`.
    Identifier,
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {MAX_BYTES} bytes"),
            Self::Numbers => f.write_str("it does not begin with three numbers joined by dots"),
            Self::LeadingZero => f.write_str("a number has a leading zero"),
            Self::TooLarge => write!(f, "a number is beyond {MAX_NUMBER}"),
            Self::Identifier => {
                f.write_str("an identifier is empty or has a character other than 0-9, A-Z, a-z and `-`")
            }
        }
    }
}

impl std::error::Error for VersionError {}

impl Version {
    /// A version without pre-release and build.
    #[must_use]
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, pre: Vec::new(), build: Vec::new() }
    }

    /// Reads a version. Nothing is trimmed and no `v` is taken off.
    ///
    /// # Errors
    /// The first [`VersionError`].
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > MAX_BYTES {
            return Err(VersionError::TooLong);
        }
        let (rest, build) = match text.split_once('+') {
            Some((rest, build)) => (rest, identifiers(build)?),
            None => (text, Vec::new()),
        };
        let (core, pre) = match rest.split_once('-') {
            Some((core, pre)) => (core, identifiers(pre)?),
            None => (rest, Vec::new()),
        };
        let mut numbers = core.split('.');
        let mut next = || number(numbers.next().ok_or(VersionError::Numbers)?);
        let (major, minor, patch) = (next()?, next()?, next()?);
        if numbers.next().is_some() {
            return Err(VersionError::Numbers);
        }
        let pre = pre.into_iter().map(Identifier::of).collect::<Result<_, _>>()?;
        Ok(Self { major, minor, patch, pre, build })
    }

    /// The first number.
    #[must_use]
    pub const fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    #[must_use]
    pub const fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    #[must_use]
    pub const fn patch(&self) -> u64 {
        self.patch
    }

    /// Major, minor and patch.
    #[must_use]
    pub const fn numbers(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }

    /// Whether it is a pre-release.
    #[must_use]
    pub fn is_prerelease(&self) -> bool {
        !self.pre.is_empty()
    }

    /// Whether it carries build metadata.
    #[must_use]
    pub fn has_build(&self) -> bool {
        !self.build.is_empty()
    }

    /// Which precedes the other (SemVer 11). Build metadata has no part in it.
    #[must_use]
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.numbers().cmp(&other.numbers()).then_with(|| match (&*self.pre, &*other.pre) {
            ([], []) => Ordering::Equal,
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            (one, other) => one.iter().cmp(other.iter()),
        })
    }
}

impl Identifier {
    fn of(text: Box<str>) -> Result<Self, VersionError> {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::Word(text));
        }
        if text.len() > 1 && text.starts_with('0') {
            return Err(VersionError::LeadingZero);
        }
        Ok(Self::Numeric(text))
    }

    const fn text(&self) -> &str {
        match self {
            Self::Numeric(text) | Self::Word(text) => text,
        }
    }
}

impl PartialOrd for Identifier {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Identifier {
    /// SemVer 11.4: numbers by value and below words; words by their ASCII characters.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Numeric(one), Self::Numeric(other)) => {
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
            (Self::Numeric(_), Self::Word(_)) => Ordering::Less,
            (Self::Word(_), Self::Numeric(_)) => Ordering::Greater,
            (Self::Word(one), Self::Word(other)) => one.cmp(other),
        }
    }
}

fn number(text: &str) -> Result<u64, VersionError> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(VersionError::Numbers);
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(VersionError::LeadingZero);
    }
    match text.parse() {
        Ok(number) if number <= MAX_NUMBER => Ok(number),
        _ => Err(VersionError::TooLarge),
    }
}

fn identifiers(text: &str) -> Result<Vec<Box<str>>, VersionError> {
    text.split('.')
        .map(|identifier| {
            let is_legal = !identifier.is_empty()
                && identifier.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if is_legal { Ok(identifier.into()) } else { Err(VersionError::Identifier) }
        })
        .collect()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (at, identifier) in self.pre.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { '-' } else { '.' }, identifier.text())?;
        }
        for (at, identifier) in self.build.iter().enumerate() {
            write!(f, "{}{identifier}", if at == 0 { '+' } else { '.' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn what_semver_writes_is_read_and_printed_as_it_was() {
        for text in [
            "0.0.0",
            "1.2.3",
            "10.20.30",
            "9007199254740991.0.0",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-0.3.7",
            "1.0.0--.-",
            "1.0.0-0a.b-c+exp.sha.5114f85",
            "1.0.0+21AF26D3---117B344092BD",
            "1.0.0+001",
            "1.2.3----RC-SNAPSHOT.12.9.1--.12",
            "1.0.0-99999999999999999999999",
        ] {
            assert_eq!(version(text).to_string(), text);
        }
    }

    #[test]
    fn what_semver_does_not_write_is_refused_with_the_reason() {
        use VersionError::{Identifier, LeadingZero, Numbers, TooLarge, TooLong};
        for (text, error) in [
            ("", Numbers),
            ("1", Numbers),
            ("1.2", Numbers),
            ("1.2.3.4", Numbers),
            ("v1.2.3", Numbers),
            (" 1.2.3", Numbers),
            ("1.2.3\n", Numbers),
            ("1.-2.3", Numbers),
            ("1.2.+3", Numbers),
            ("١.٢.٣", Numbers),
            ("01.2.3", LeadingZero),
            ("1.0.0-01", LeadingZero),
            ("9007199254740992.0.0", TooLarge),
            ("1.0.99999999999999999999", TooLarge),
            ("1.2.3-", Identifier),
            ("1.2.3+", Identifier),
            ("1.2.3-a..b", Identifier),
            ("1.2.3-ä", Identifier),
            ("1.2.3+a+b", Identifier),
        ] {
            assert_eq!(Version::parse(text), Err(error), "{text:?}");
        }
        assert_eq!(Version::parse(&format!("1.0.0-{}", "a".repeat(251))), Err(TooLong));
        assert!(Version::parse(&format!("1.0.0-{}", "a".repeat(250))).is_ok());
    }

    #[test]
    fn precedence_is_that_of_clause_11() {
        let ascending = [
            "0.9.9",
            "1.0.0-0",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-99999999999999999999998",
            "1.0.0-99999999999999999999999",
            "1.0.0--",
            "1.0.0-RC",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.1.0",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0",
            "1.9.9",
            "1.10.0",
            "2.0.0-a",
        ];
        for (at, one) in ascending.iter().enumerate() {
            for (other_at, other) in ascending.iter().enumerate() {
                assert_eq!(version(one).precedence(&version(other)), at.cmp(&other_at), "{one} {other}");
            }
        }
    }

    #[test]
    fn build_metadata_makes_a_difference_and_no_order() {
        let (one, other) = (version("1.0.0+a"), version("1.0.0+b"));
        assert_eq!(one.precedence(&other), Ordering::Equal);
        assert_ne!(one, other);
    }
}
