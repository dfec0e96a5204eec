//! npm's ranges, as the npm package `semver` reads them when it is strict: `^1.2`, `~1`, `>=1 <2 || 3.x`, `1.2 - 2`, `*`.
//!
//! A range is written for people and means a list of alternatives, each a list of comparators. This room does that
//! translation once; what is left is comparing versions. Three rules surprise: a pre-release is let through only where
//! a comparator of the same alternative names a pre-release of the same three numbers; build metadata is not looked at;
//! and an alternative that lets everything through swallows the others, with the pre-releases they named.

mod spaces;

use std::cmp::Ordering;
use std::fmt;

use crate::version::{MAX_NUMBER, Version};

/// Longest range, in bytes: npm sets no bound, and nobody writes a range this long.
const MAX_BYTES: usize = 4096;

/// Which pre-releases are let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prereleases {
    /// Those whose three numbers the range names with a pre-release.
    Named,
    /// Every one that lies between the bounds: somebody asked for pre-releases.
    All,
}

/// A range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    alternatives: Vec<Alternative>,
    prereleases: Prereleases,
}

/// Comparators that must all hold; none: any version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Alternative(Vec<Comparator>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparator {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Why a text is no range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RangeError {
    /// It is longer than any range needs to be.
    TooLong,
    /// This part of it is no comparator.
    Comparator(Box<str>),
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {MAX_BYTES} bytes"),
            Self::Comparator(part) => write!(f, "`{part}` is no comparator"),
        }
    }
}

impl std::error::Error for RangeError {}

impl Requirement {
    /// Reads a range; the empty text is any version.
    ///
    /// # Errors
    /// [`RangeError`] where npm reads no range.
    pub fn parse(text: &str, prereleases: Prereleases) -> Result<Self, RangeError> {
        if text.len() > MAX_BYTES {
            return Err(RangeError::TooLong);
        }
        let text = text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let mut alternatives = Vec::new();
        for part in text.split("||") {
            alternatives.push(Reading { prereleases }.alternative(part)?);
        }
        if alternatives.len() > 1 {
            // Alternatives that nothing satisfies go, unless none would be left; one that is any version is the range.
            let first = alternatives[0].clone();
            alternatives.retain(|alternative| !alternative.is_never());
            if alternatives.is_empty() {
                alternatives.push(first);
            } else if alternatives.iter().any(|alternative| alternative.0.is_empty()) {
                alternatives = vec![Alternative::default()];
            }
        }
        Ok(Self { alternatives, prereleases })
    }

    /// Whether `version` is in the range.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|alternative| alternative.matches(version, self.prereleases))
    }

    /// Whether the range is written so that no version can be in it, such as `<0.0.0-0` or `>*`. A range whose bounds
    /// merely exclude each other is not recognised as such.
    #[must_use]
    pub fn is_never(&self) -> bool {
        self.alternatives.iter().all(Alternative::is_never)
    }
}

impl Alternative {
    fn never() -> Self {
        Self(vec![Comparator { operator: Operator::Less, version: lowest() }])
    }

    fn is_never(&self) -> bool {
        matches!(&*self.0, [only] if only.is_never())
    }

    fn matches(&self, version: &Version, prereleases: Prereleases) -> bool {
        let named = |comparator: &Comparator| {
            comparator.version.is_prerelease() && comparator.version.numbers() == version.numbers()
        };
        self.0.iter().all(|comparator| comparator.matches(version))
            && (!version.is_prerelease() || prereleases == Prereleases::All || self.0.iter().any(named))
    }
}

impl Comparator {
    fn is_never(&self) -> bool {
        self.operator == Operator::Less && self.version.precedence(&lowest()) == Ordering::Equal
    }

    fn matches(&self, version: &Version) -> bool {
        let order = version.precedence(&self.version);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
        }
    }
}

/// 0.0.0-0, below which no version is.
fn lowest() -> Version {
    Version::parse("0.0.0-0").expect("`0.0.0-0` is a version")
}

/// White space as JavaScript counts it.
fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// A number, or what stands for any: `x`, `X`, `*`, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number<'t> {
    Any,
    Digits(&'t str),
}

impl Number<'_> {
    /// The number; `None` where it is any, or beyond what npm counts.
    fn value(self) -> Option<u64> {
        match self {
            Self::Digits(digits) => digits.parse().ok().filter(|number| *number <= MAX_NUMBER),
            Self::Any => None,
        }
    }

    const fn is_any(self) -> bool {
        matches!(self, Self::Any)
    }

    fn is_zero(self) -> bool {
        self == Self::Digits("0")
    }
}

/// Up to three numbers and a pre-release, with the `v` and `=` that may stand before them.
#[derive(Clone, Copy, Debug)]
struct Partial<'t> {
    prefix: &'t str,
    major: Number<'t>,
    minor: Number<'t>,
    patch: Number<'t>,
    pre: Option<&'t str>,
}

impl<'t> Partial<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let rest = text.trim_start_matches(['v', '=', ' ']);
        let prefix = &text[..text.len() - rest.len()];
        let (numbers, pre) = match rest.split_once('-') {
            Some((numbers, pre)) => (numbers, Some(pre)),
            None => (rest, None),
        };
        let mut written = [None; 3];
        for (index, part) in numbers.split('.').enumerate() {
            *written.get_mut(index)? = Some(number(part)?);
        }
        if let Some(pre) = pre
            && (written[2].is_none() || !is_prerelease(pre))
        {
            return None;
        }
        let at = |index: usize| written[index].unwrap_or(Number::Any);
        Some(Self { prefix, major: at(0), minor: at(1), patch: at(2), pre })
    }

    fn is_full(&self) -> bool {
        !self.major.is_any() && !self.minor.is_any() && !self.patch.is_any()
    }

    /// Whether a number follows one that is any: `1.x.5`.
    fn has_gap(&self) -> bool {
        (self.major.is_any() && !self.minor.is_any()) || (self.minor.is_any() && !self.patch.is_any())
    }
}

fn number(part: &str) -> Option<Number<'_>> {
    match part {
        "x" | "X" | "*" => Some(Number::Any),
        _ if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) => None,
        _ if part.len() > 1 && part.starts_with('0') => None,
        _ => Some(Number::Digits(part)),
    }
}

/// Identifiers as npm reads them; SemVer's rule on leading zeros is among it.
fn is_prerelease(text: &str) -> bool {
    text.split('.').all(|identifier| {
        !identifier.is_empty()
            && identifier.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && (identifier == "0"
                || !identifier.starts_with('0')
                || !identifier.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// The translation, under one answer to which pre-releases count.
#[derive(Clone, Copy)]
struct Reading {
    prereleases: Prereleases,
}

/// What one word of an alternative means; an empty list: any version.
type Meaning = Option<Vec<Comparator>>;

impl Reading {
    fn alternative(self, text: &str) -> Result<Alternative, RangeError> {
        let text = without_build(text.trim_matches(' '));
        let refused = |part: &str| RangeError::Comparator(part.chars().take(60).collect());
        let mut comparators = Vec::new();
        if let Some((from, to)) = hyphen(&text) {
            comparators.extend(self.lower_end(from).ok_or_else(|| refused(&text))?);
            comparators.extend(self.upper_end(to).ok_or_else(|| refused(&text))?);
        } else {
            for word in words(&text) {
                comparators.extend(self.word(&word).ok_or_else(|| refused(&word))?);
            }
        }
        if comparators.iter().any(Comparator::is_never) {
            return Ok(Alternative::never());
        }
        Ok(Alternative(comparators))
    }

    /// Lowest bound that a number left open stands for: its first pre-release where all count.
    const fn floor(self) -> &'static str {
        match self.prereleases {
            Prereleases::Named => "",
            Prereleases::All => "-0",
        }
    }

    /// The left side of `1.2 - 2`.
    fn lower_end(self, partial: Partial<'_>) -> Meaning {
        let floor = self.floor();
        match (partial.major, partial.minor, partial.patch, partial.pre) {
            (Number::Any, ..) => Some(Vec::new()),
            (major, Number::Any, ..) => self.at_least(major, None, None, floor),
            (major, minor, Number::Any, _) => self.at_least(major, Some(minor), None, floor),
            _ if !matches!(partial.prefix, "" | "v") => None,
            (major, minor, patch, Some(pre)) => {
                self.at_least(major, Some(minor), Some(patch), &format!("-{pre}"))
            }
            // Written with its `v`, zero is not recognised as what everything is above.
            (major, minor, patch, None) if partial.prefix == "v" && floor.is_empty() => {
                Some(vec![compare(Operator::GreaterOrEqual, major, minor, patch, "")?])
            }
            (major, minor, patch, None) => self.at_least(major, Some(minor), Some(patch), floor),
        }
    }

    /// The right side of `1.2 - 2`.
    fn upper_end(self, partial: Partial<'_>) -> Meaning {
        let one = |comparator: Option<Comparator>| Some(vec![comparator?]);
        match (partial.major, partial.minor, partial.patch, partial.pre) {
            (Number::Any, ..) => Some(Vec::new()),
            (major, Number::Any, ..) => one(below(up(major)?, 0, 0)),
            (major, minor, Number::Any, _) => one(below(major.value()?, up(minor)?, 0)),
            (major, minor, patch, Some(pre)) => {
                one(compare(Operator::LessOrEqual, major, minor, patch, &format!("-{pre}")))
            }
            (major, minor, patch, None) if self.prereleases == Prereleases::All => {
                one(below(major.value()?, minor.value()?, up(patch)?))
            }
            _ if !matches!(partial.prefix, "" | "v") => None,
            (major, minor, patch, None) => one(compare(Operator::LessOrEqual, major, minor, patch, "")),
        }
    }

    fn word(self, word: &str) -> Meaning {
        if let Some(partial) = word.strip_prefix('^').and_then(Partial::parse) {
            return self.caret(partial);
        }
        if let Some(rest) = word.strip_prefix('~')
            && let Some(partial) = Partial::parse(rest.strip_prefix('>').unwrap_or(rest))
        {
            return self.tilde(partial);
        }
        let (operator, rest) = operator(word);
        if let Some(partial) = Partial::parse(rest)
            && !partial.is_full()
        {
            return if partial.has_gap() { self.starred(word) } else { self.open(operator, partial) };
        }
        self.starred(word)
    }

    /// What is left is one comparator with a full version. npm takes the first `*` of it out first, wherever it stands.
    fn starred(self, word: &str) -> Meaning {
        let mut plain = word.to_owned();
        if let Some(star) = word.find('*') {
            let before = word[..star].strip_suffix('=').unwrap_or(&word[..star]);
            let before = before.strip_suffix(['<', '>']).unwrap_or(before);
            plain = format!("{before}{}", &word[star + 1..]);
        }
        if plain.is_empty() {
            return Some(Vec::new());
        }
        let plain = without_build(&plain);
        let (operator, rest) = operator(&plain);
        let version = rest.strip_prefix('v').unwrap_or(rest);
        let partial =
            Partial::parse(version).filter(|partial| partial.prefix.is_empty() && partial.is_full())?;
        let pre = partial.pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        if operator == Some(Operator::GreaterOrEqual) && version.len() == rest.len() {
            return self.at_least(partial.major, Some(partial.minor), Some(partial.patch), &pre);
        }
        let operator = operator.unwrap_or(Operator::Equal);
        Some(vec![compare(operator, partial.major, partial.minor, partial.patch, &pre)?])
    }

    fn caret(self, partial: Partial<'_>) -> Meaning {
        let Partial { major, minor, patch, pre, .. } = partial;
        if major.is_any() {
            return Some(Vec::new());
        }
        let below_next_major = || below(up(major)?, 0, 0);
        if minor.is_any() {
            return self.between(self.at_least(major, None, None, self.floor()), below_next_major());
        }
        if patch.is_any() {
            let upper = if major.is_zero() { below(0, up(minor)?, 0) } else { below_next_major() };
            return self.between(self.at_least(major, Some(minor), None, self.floor()), upper);
        }
        let upper = match (major.is_zero(), minor.is_zero()) {
            (true, true) => below(0, 0, up(patch)?),
            (true, false) => below(0, up(minor)?, 0),
            (false, _) => below_next_major(),
        };
        let pre = pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        self.between(self.at_least(major, Some(minor), Some(patch), &pre), upper)
    }

    fn tilde(self, partial: Partial<'_>) -> Meaning {
        let Partial { major, minor, patch, pre, .. } = partial;
        if major.is_any() {
            return Some(Vec::new());
        }
        if minor.is_any() {
            return self.between(self.at_least(major, None, None, self.floor()), below(up(major)?, 0, 0));
        }
        let upper = below(major.value()?, up(minor)?, 0);
        if patch.is_any() {
            return self.between(self.at_least(major, Some(minor), None, self.floor()), upper);
        }
        let pre = pre.map(|pre| format!("-{pre}")).unwrap_or_default();
        self.between(self.at_least(major, Some(minor), Some(patch), &pre), upper)
    }

    /// An operator on a partial version that leaves a number open: `>1.2`, `<=0.7.x`, `1.x`.
    fn open(self, operator: Option<Operator>, partial: Partial<'_>) -> Meaning {
        let Partial { major, minor, .. } = partial;
        let one = |comparator: Option<Comparator>| Some(vec![comparator?]);
        if major.is_any() {
            return match operator {
                Some(Operator::Greater | Operator::Less) => Some(Alternative::never().0),
                _ => Some(Vec::new()),
            };
        }
        let lower = || self.at_least(major, (!minor.is_any()).then_some(minor), None, self.floor());
        let next = || match minor {
            Number::Any => Some((up(major)?, 0)),
            _ => Some((major.value()?, up(minor)?)),
        };
        match operator {
            None | Some(Operator::Equal) => {
                let (major, minor) = next()?;
                self.between(lower(), below(major, minor, 0))
            }
            Some(Operator::GreaterOrEqual) => lower(),
            Some(Operator::Greater) => {
                let (major, minor) = next()?;
                let text = format!("{major}.{minor}.0{}", self.floor());
                one(comparator(Operator::GreaterOrEqual, &text))
            }
            Some(Operator::LessOrEqual) => {
                let (major, minor) = next()?;
                one(below(major, minor, 0))
            }
            Some(Operator::Less) => {
                one(below(major.value()?, if minor.is_any() { 0 } else { minor.value()? }, 0))
            }
        }
    }

    fn between(self, lower: Meaning, upper: Option<Comparator>) -> Meaning {
        let mut comparators = lower?;
        comparators.push(upper?);
        Some(comparators)
    }

    /// `>=`; nothing where everything that counts is above it anyway.
    fn at_least(
        self,
        major: Number<'_>,
        minor: Option<Number<'_>>,
        patch: Option<Number<'_>>,
        pre: &str,
    ) -> Meaning {
        let zero = Number::Digits("0");
        let (minor, patch) = (minor.unwrap_or(zero), patch.unwrap_or(zero));
        let comparator = compare(Operator::GreaterOrEqual, major, minor, patch, pre)?;
        if comparator.version.numbers() == (0, 0, 0) && pre == self.floor() {
            return Some(Vec::new());
        }
        Some(vec![comparator])
    }
}

/// The next number; `None` where there is none that npm counts.
fn up(number: Number<'_>) -> Option<u64> {
    number.value().map(|value| value + 1).filter(|value| *value <= MAX_NUMBER)
}

fn comparator(operator: Operator, version: &str) -> Option<Comparator> {
    Some(Comparator { operator, version: Version::parse(version).ok()? })
}

/// Below every pre-release of these numbers.
fn below(major: u64, minor: u64, patch: u64) -> Option<Comparator> {
    comparator(Operator::Less, &format!("{major}.{minor}.{patch}-0"))
}

fn compare(
    operator: Operator,
    major: Number<'_>,
    minor: Number<'_>,
    patch: Number<'_>,
    pre: &str,
) -> Option<Comparator> {
    let (major, minor, patch) = (major.value()?, minor.value()?, patch.value()?);
    comparator(operator, &format!("{major}.{minor}.{patch}{pre}"))
}

fn operator(word: &str) -> (Option<Operator>, &str) {
    for (text, operator) in [
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
        ("=", Operator::Equal),
    ] {
        if let Some(rest) = word.strip_prefix(text) {
            return (Some(operator), rest);
        }
    }
    (None, word)
}

/// Takes build metadata out: `+`, identifiers, wherever they stand.
fn without_build(text: &str) -> String {
    let is_identifier = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('+') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let mut after = rest;
        let mut is_first = true;
        loop {
            let body = if is_first { Some(after) } else { after.strip_prefix('.') };
            let Some(body) = body else { break };
            let end = body.trim_start_matches(is_identifier);
            if end.len() == body.len() {
                break;
            }
            after = end;
            is_first = false;
        }
        if is_first {
            plain.push('+');
        }
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// The two sides of `1.2 - 2`, if that is what the whole text is. Build metadata that was taken out may have left a space
/// at the end, but two around the dash make it none.
fn hyphen(text: &str) -> Option<(Partial<'_>, Partial<'_>)> {
    let (from, to) = text.split_once(" - ")?;
    Some((Partial::parse(from)?, Partial::parse(to.strip_suffix(' ').unwrap_or(to))?))
}

/// The words of an alternative, with an operator that stands alone joined to what it belongs to.
fn words(text: &str) -> Vec<String> {
    let text = spaces::behind_operators(text);
    let text = spaces::behind(&text, &["~>", "~"], "~");
    let text = spaces::behind(&text, &["^"], "^");
    text.split(' ').map(str::to_owned).collect()
}
