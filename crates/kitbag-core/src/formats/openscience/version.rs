//! Versions as Open-Science's packages write them (§3.1): looser than SemVer in what stands behind `-` and `+`.

use std::cmp::Ordering;

/// A version that keeps the loose rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version<'t> {
    numbers: [&'t str; 3],
    before: Option<&'t str>,
}

impl<'t> Version<'t> {
    /// `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        let (rest, build) = split(text, '+');
        let (core, before) = split(rest, '-');
        let is_tail = |tail: &str| {
            !tail.is_empty()
                && tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        };
        if [build, before].into_iter().flatten().any(|tail| !is_tail(tail)) {
            return None;
        }
        let mut numbers = core.split('.');
        let numbers = [numbers.next()?, numbers.next()?, numbers.next()?, numbers.next().unwrap_or_default()];
        let [major, minor, patch, ""] = numbers else { return None };
        [major, minor, patch]
            .into_iter()
            .all(is_number)
            .then_some(Self { numbers: [major, minor, patch], before })
    }

    /// Which of the two is the higher by SemVer's precedence; what stands behind `+` does not count.
    #[must_use]
    pub fn precedence(&self, other: &Self) -> Ordering {
        let numbers = self.numbers.iter().zip(other.numbers).map(|(one, other)| by_size(one, other));
        let numbers = numbers.fold(Ordering::Equal, Ordering::then);
        numbers.then_with(|| match (self.before, other.before) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(other)) => one
                .split('.')
                .map(Some)
                .chain([None])
                .zip(other.split('.').map(Some).chain([None]))
                .map(|(one, other)| identifiers(one, other))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal),
        })
    }
}

/// How two versions stand to each other; `None` where one of them is none.
#[must_use]
pub fn compare(one: &str, other: &str) -> Option<Ordering> {
    Some(Version::parse(one)?.precedence(&Version::parse(other)?))
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_number(text: &str) -> bool {
    text == "0"
        || (!text.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Numbers without leading zeros, of any length.
fn by_size(one: &str, other: &str) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Numbers below words; what ends first is lower.
fn identifiers(one: Option<&str>, other: Option<&str>) -> Ordering {
    let is_numeric = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(one), Some(other)) => match (is_numeric(one), is_numeric(other)) {
            (true, true) => by_size(one.trim_start_matches('0'), other.trim_start_matches('0')),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => one.cmp(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_looser_than_semver_behind_the_numbers() {
        for good in ["0.0.0", "1.2.3-..", "1.0.0-01", "1.0.0+-", "1.0.0-a+b", "10.20.30"] {
            assert!(Version::parse(good).is_some(), "{good}");
        }
        for bad in
            ["v1.2.3", "1.2", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3.4", "", "1.2.3-a+b+c", "1..3", "1.2.3 "]
        {
            assert!(Version::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn precedence_is_semvers() {
        for (one, other, order) in [
            ("1.0.0", "1.0.0-rc.1", Ordering::Greater),
            ("1.0.0-alpha.2", "1.0.0-alpha.10", Ordering::Less),
            ("1.0.0+a", "1.0.0+b", Ordering::Equal),
            ("1.10.0", "1.9.0", Ordering::Greater),
            ("1.0.0-1", "1.0.0-a", Ordering::Less),
            ("1.0.0-a", "1.0.0-a.1", Ordering::Less),
        ] {
            assert_eq!(compare(one, other), Some(order), "{one} {other}");
            assert_eq!(compare(other, one), Some(order.reverse()), "{other} {one}");
        }
        assert_eq!(compare("1.0", "1.0.0"), None);
    }
}
