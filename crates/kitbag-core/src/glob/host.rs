//! Host patterns (SkillPact §6.1 and Appendix C): read label by label, without regard to case, one trailing dot ignored.
//!
//! `*` and `?` stay inside a label; a leading `*.` stands for one or more labels, a leading `**.` for zero or more.
//! `@local` is a token, not a text: it stands for `localhost` and the addresses of Appendix C, and as a subject it is
//! matched by itself alone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::steps::{Exhausted, Steps};
use super::wildcard::{self, Token};

/// The reserved token for loopback, private and link-local addresses and `localhost`.
pub const LOCAL: &str = "@local";

/// Whether `pattern` matches the host `subject`.
#[must_use]
pub fn matches(pattern: &str, subject: &str) -> bool {
    if pattern == LOCAL || subject == LOCAL {
        return pattern == LOCAL && (subject == LOCAL || is_local(&folded(subject)));
    }
    let (pattern, subject) = (Labels::of_pattern(pattern), Labels::of_text(subject));
    pattern.matches(&subject, &mut Steps::endless()).unwrap_or(false)
}

/// Whether `host` is `localhost` or an address that `@local` stands for. IPv6 may stand in brackets; leading zeros, zone
/// identifiers, embedded IPv4 and every DNS name are refused (SkillPact Appendix C).
#[must_use]
pub fn is_local(host: &str) -> bool {
    let host = host.to_lowercase();
    if host == "localhost" {
        return true;
    }
    // The standard parser takes dotted decimal with four octets and no leading zeros, and nothing else.
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return is_local_address(address.into());
    }
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&host);
    if bare.contains('.') {
        return false;
    }
    bare.parse::<Ipv6Addr>().is_ok_and(|address| is_local_address(address.into()))
}

/// Whether `address` is one that `@local` stands for. An IPv4 address inside an IPv6 one is none.
#[must_use]
pub const fn is_local_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            let [first, ..] = address.segments();
            address.is_loopback() || first & 0xffc0 == 0xfe80 || first & 0xfe00 == 0xfc00
        }
    }
}

/// `@local` as host patterns, for programs that know no such token. It loses in both directions: IPv6 ranges cannot be
/// written as host patterns, and a DNS name may match one of these (SkillPact Appendix C), so whoever uses it reports it.
#[must_use]
pub const fn local_expansion() -> &'static [&'static str] {
    &[
        "localhost",
        "127.*.*.*",
        "::1",
        "10.*.*.*",
        "172.16.*.*",
        "172.17.*.*",
        "172.18.*.*",
        "172.19.*.*",
        "172.20.*.*",
        "172.21.*.*",
        "172.22.*.*",
        "172.23.*.*",
        "172.24.*.*",
        "172.25.*.*",
        "172.26.*.*",
        "172.27.*.*",
        "172.28.*.*",
        "172.29.*.*",
        "172.30.*.*",
        "172.31.*.*",
        "192.168.*.*",
        "169.254.*.*",
    ]
}

/// Lower case, one trailing dot removed: the form in which hosts are compared.
pub(super) fn folded(host: &str) -> String {
    let mut folded = host.to_lowercase();
    if folded.ends_with('.') {
        folded.pop();
    }
    folded
}

/// A host pattern or a host, split at its dots.
#[derive(Debug)]
pub(super) struct Labels {
    lead: Lead,
    labels: Vec<Vec<Token>>,
}

/// What stands before the labels of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Nothing.
    None,
    /// A leading `*.`: one or more labels.
    OneOrMore,
    /// A leading `**.`: zero or more labels.
    ZeroOrMore,
}

impl Labels {
    pub(super) fn of_pattern(text: &str) -> Self {
        let text = folded(text);
        let (lead, rest) = if let Some(rest) = text.strip_prefix("**.") {
            (Lead::ZeroOrMore, rest)
        } else if let Some(rest) = text.strip_prefix("*.") {
            (Lead::OneOrMore, rest)
        } else {
            (Lead::None, &*text)
        };
        Self { lead, labels: rest.split('.').map(wildcard::pattern_tokens).collect() }
    }

    pub(super) fn of_text(text: &str) -> Self {
        Self { lead: Lead::None, labels: folded(text).split('.').map(wildcard::text_tokens).collect() }
    }

    /// Whether this pattern matches `subject`; a lead of the subject is taken only by one as wide.
    pub(super) fn matches(&self, subject: &Self, steps: &mut Steps) -> Result<bool, Exhausted> {
        steps.take()?;
        let Some(over) = subject.labels.len().checked_sub(self.labels.len()) else {
            return Ok(false);
        };
        let led = match (self.lead, subject.lead) {
            (Lead::ZeroOrMore, _) | (Lead::OneOrMore, Lead::OneOrMore) => true,
            // The labels in front of the last ones are there, whatever the subject's own lead stands for.
            (Lead::OneOrMore, Lead::None | Lead::ZeroOrMore) => over > 0,
            (Lead::None, Lead::None) => over == 0,
            (Lead::None, Lead::OneOrMore | Lead::ZeroOrMore) => false,
        };
        if !led {
            return Ok(false);
        }
        for (pattern, label) in self.labels.iter().zip(&subject.labels[over..]) {
            if !wildcard::segment_matches(pattern, label, steps)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leading_star_takes_labels_and_any_other_star_stays_in_its_label() {
        assert!(matches("*.example.com", "a.b.EXAMPLE.com.") && !matches("*.example.com", "example.com"));
        assert!(matches("**.example.com", "example.com") && matches("**.example.com", "a.b.example.com"));
        assert!(matches("a.*.com", "a.b.com") && !matches("a.*.com", "a.b.c.com"));
        assert!(matches("*", "localhost") && !matches("*", "example.com") && matches("**", "localhost"));
        assert!(matches("example.com.", "example.com") && !matches("example.com", "example.com.."));
        assert!(!matches("*.example.com", "xexample.com") && !matches("example.com", "example.com:443"));
    }

    #[test]
    fn local_is_a_token_that_only_addresses_and_localhost_match() {
        for host in ["localhost", "LocalHost", "localhost.", "10.1.2.3", "[::1]", "fe80::1", LOCAL] {
            assert!(matches(LOCAL, host), "{host}");
        }
        for host in
            ["foo.local", "10.0.0.com", "127.0.0.1.example.com", "[127.0.0.1]", "0177.0.0.1", "fec0::1"]
        {
            assert!(!matches(LOCAL, host), "{host}");
        }
        assert!(!matches("*", LOCAL) && !matches("@*", LOCAL) && !matches("@LOCAL", "localhost"));
    }

    #[test]
    fn the_expansion_has_no_pattern_that_misses_its_own_range() {
        let covered = |host: &str| local_expansion().iter().any(|pattern| matches(pattern, host));
        for host in ["localhost", "127.0.0.1", "::1", "10.255.0.1", "172.16.0.1", "172.31.9.9", "192.168.1.1"]
        {
            assert!(is_local(host) && covered(host), "{host}");
        }
        for host in ["172.15.0.1", "172.32.0.1", "192.169.0.1", "8.8.8.8"] {
            assert!(!is_local(host) && !covered(host), "{host}");
        }
    }

    #[test]
    fn ten_thousand_hostile_labels_end() {
        let host = "a.".repeat(5_000) + "a";
        assert!(matches(&("*.".to_owned() + &"a.".repeat(4_999) + "a"), &host));
        assert!(!matches(&format!("{}b", "*a".repeat(5_000)), &"a".repeat(10_000)));
    }
}
