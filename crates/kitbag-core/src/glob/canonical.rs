//! [`Host`] and [`HostPattern`]: hosts that are to be reached, each with one spelling.
//!
//! SkillPact §6.1 compares texts. Whoever lets a program out needs more: two spellings of one host must be one host, and a
//! text that one program takes for a name and another for an address must be neither. So a host is either an address in
//! the usual spelling or a name of plain labels; everything between the two is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use super::host;

/// A host in its one spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name: lower case, ASCII, without the dot at its end.
    Name(String),
    /// An address; never an IPv4 one in the clothes of IPv6.
    Address(IpAddr),
}

/// A host, or several, that may be reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostPattern {
    /// `@local`: `localhost` and the addresses of SkillPact Appendix C.
    Local,
    /// One address.
    Address(IpAddr),
    /// Names, as a host pattern of SkillPact §6.1. It matches no address.
    Names(String),
}

/// Why a text is no host, or no pattern of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostError {
    /// There is nothing.
    Empty,
    /// A name is longer than 253 bytes, or a text than a name could be in any script.
    Long,
    /// A label is empty, longer than 63 bytes, or holds something else than letters, digits, `-` and `_`.
    Label(String),
    /// It ends in a number, or matches by numbers, as addresses do, and is no address of four plain decimal numbers.
    Number(String),
    /// It has a colon or a bracket, and is no IPv6 address.
    Address(String),
    /// It is an IPv4 address written as an IPv6 one.
    Embedded(IpAddr),
    /// It is no internationalised name.
    Script(String),
    /// It has no port, or one that is no number from 1 to 65535 without leading noughts.
    Port(String),
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the host is empty"),
            Self::Long => f.write_str("the host is longer than 253 bytes"),
            Self::Label(label) => write!(f, "`{}` is no label of a host name", label.escape_debug()),
            Self::Number(text) => {
                write!(f, "`{}` looks like an IPv4 address and is none", text.escape_debug())
            }
            Self::Address(text) => write!(f, "`{}` is no IPv6 address", text.escape_debug()),
            Self::Embedded(address) => write!(f, "`{address}` is an IPv4 address written as an IPv6 one"),
            Self::Script(text) => write!(f, "`{}` is no internationalised name", text.escape_debug()),
            Self::Port(text) => write!(f, "`{}` is no port", text.escape_debug()),
        }
    }
}

impl std::error::Error for HostError {}

/// The longest name (RFC 1035 §3.1, without the root's own byte).
const NAME_AT_MOST: usize = 253;
/// The longest label (RFC 1035 §2.3.4).
const LABEL_AT_MOST: usize = 63;
/// The longest text that is looked at: a name of 253 bytes in any script is shorter.
const TEXT_AT_MOST: usize = 1024;

impl Host {
    /// The host that `text` spells: an address (IPv6 with or without brackets), or a name in any script.
    ///
    /// # Errors
    /// [`HostError`] when it is neither, or could be taken for another one.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        if let Some(address) = literal(text)? {
            return Ok(Self::Address(address));
        }
        let name = ascii(text)?;
        let name = name.strip_suffix('.').unwrap_or(&name);
        if let Some(address) = number(name)? {
            return Ok(Self::Address(address));
        }
        labels(name, "")?;
        Ok(Self::Name(name.to_owned()))
    }

    /// The host and the port of `host`, `host:port` or `[address]:port`. A bare IPv6 address is refused: its last group
    /// could be a port.
    ///
    /// # Errors
    /// [`HostError`] as for [`Self::parse`], or when the port is none.
    pub fn with_port(text: &str) -> Result<(Self, Option<u16>), HostError> {
        let (host, port) = split(text)?;
        if host.contains(':') && !host.starts_with('[') {
            return Err(HostError::Address(text.to_owned()));
        }
        Ok((Self::parse(host)?, port))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl HostPattern {
    /// The pattern that `text` spells: `@local`, an address, or names with the wildcards of SkillPact §6.1.
    ///
    /// # Errors
    /// [`HostError`] when it is none, or matches addresses by their digits: those are listed one by one.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        if text == host::LOCAL {
            return Ok(Self::Local);
        }
        if !text.contains(['*', '?']) {
            return Ok(match Host::parse(text)? {
                Host::Name(name) => Self::Names(name),
                Host::Address(address) => Self::Address(address),
            });
        }
        if text.len() > NAME_AT_MOST {
            return Err(HostError::Long);
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let numbers = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit() || byte == b'*');
        if name.split('.').count() == 4
            && name.split('.').all(numbers)
            && name.contains(|c: char| c.is_ascii_digit())
        {
            return Err(HostError::Number(name));
        }
        number(&name)?;
        labels(&name, "*?")?;
        Ok(Self::Names(name))
    }

    /// The pattern and the port of `pattern` or `pattern:port`. A bare IPv6 address has none.
    ///
    /// # Errors
    /// [`HostError`] as for [`Self::parse`], or when the port is none.
    pub fn with_port(text: &str) -> Result<(Self, Option<u16>), HostError> {
        let (pattern, port) = split(text)?;
        Ok((Self::parse(pattern)?, port))
    }

    /// Whether `host` is one of these.
    #[must_use]
    pub fn matches(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Local, Host::Name(name)) => name == "localhost",
            (Self::Local, Host::Address(address)) => host::is_local_address(*address),
            (Self::Address(listed), Host::Address(address)) => listed == address,
            (Self::Names(pattern), Host::Name(name)) => host::matches(pattern, name),
            (Self::Address(_), Host::Name(_)) | (Self::Names(_), Host::Address(_)) => false,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str(host::LOCAL),
            Self::Address(address) => Host::Address(*address).fmt(f),
            Self::Names(pattern) => f.write_str(pattern),
        }
    }
}

/// The IPv6 address that `text` is, in brackets or without; `None` when it does not look like one.
fn literal(text: &str) -> Result<Option<IpAddr>, HostError> {
    if text.is_empty() {
        return Err(HostError::Empty);
    }
    if !text.contains([':', '[', ']']) {
        return Ok(None);
    }
    let wrong = || HostError::Address(text.chars().take(NAME_AT_MOST).collect());
    let bare = match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').ok_or_else(wrong)?,
        None => text,
    };
    let address: Ipv6Addr = bare.parse().map_err(|_| wrong())?;
    if bare.contains('.') || address.to_ipv4_mapped().is_some() {
        return Err(HostError::Embedded(address.into()));
    }
    Ok(Some(address.into()))
}

/// The address that a text which ends in a number must be; `None` when it does not end so. "Ends in a number" is what
/// programs look at before they read `127.1`, `0x7f000001` or `0177.0.0.1` as an address (WHATWG URL, "ends in a number").
fn number(name: &str) -> Result<Option<IpAddr>, HostError> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let hexadecimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = !last.is_empty()
        && (last.bytes().all(|byte| byte.is_ascii_digit())
            || last.strip_prefix("0x").is_some_and(hexadecimal));
    if !is_number {
        return Ok(None);
    }
    match name.parse::<Ipv4Addr>() {
        Ok(address) => Ok(Some(address.into())),
        Err(_) => Err(HostError::Number(name.to_owned())),
    }
}

/// `text` in lower case and ASCII. A name in another script becomes what is asked of the resolver (UTS #46).
fn ascii(text: &str) -> Result<String, HostError> {
    if text.len() > TEXT_AT_MOST {
        return Err(HostError::Long);
    }
    let lower = text.to_ascii_lowercase();
    // Labels that claim to be encoded are decoded as well: two encodings of one name must not be two names.
    if lower.is_ascii() && !lower.split('.').any(|label| label.starts_with("xn--")) {
        return Ok(lower);
    }
    Uts46::new()
        .to_ascii(lower.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow, DnsLength::Ignore)
        .map(|name| name.to_ascii_lowercase())
        .map_err(|_errors| HostError::Script(text.to_owned()))
}

/// Whether `name` is plain labels, `more` being allowed in them.
fn labels(name: &str, more: &str) -> Result<(), HostError> {
    if name.is_empty() {
        return Err(HostError::Empty);
    }
    if name.len() > NAME_AT_MOST {
        return Err(HostError::Long);
    }
    let plain =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_' || more.contains(c);
    for label in name.split('.') {
        if label.is_empty() || label.len() > LABEL_AT_MOST || !label.chars().all(plain) {
            return Err(HostError::Label(label.to_owned()));
        }
    }
    Ok(())
}

/// `host:port` in two. What has several colons and no brackets has no port.
fn split(text: &str) -> Result<(&str, Option<u16>), HostError> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let wrong = || HostError::Address(text.chars().take(NAME_AT_MOST).collect());
            let end = rest.find(']').ok_or_else(wrong)? + 2;
            let (host, rest) = text.split_at(end);
            match rest.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if rest.is_empty() => (host, None),
                None => return Err(wrong()),
            }
        }
        None => match text.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (text, None),
        },
    };
    let Some(digits) = port else { return Ok((host, None)) };
    let plain = (1..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    match digits.parse() {
        Ok(port) if plain => Ok((host, Some(port))),
        _ => Err(HostError::Port(digits.chars().take(NAME_AT_MOST).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, HostError, HostPattern};

    fn spelled(text: &str) -> String {
        Host::parse(text).map_or_else(|error| error.to_string(), |host| host.to_string())
    }

    #[test]
    fn whatever_is_parsed_is_parsed_again_as_itself() {
        for text in
            ["Good.Test.", "bücher.test", "FE80::1", "[::1]", "10.0.0.1", "_acme.x-y.test", "a.b-.test"]
        {
            let host = Host::parse(text).unwrap();
            assert_eq!(Host::parse(&host.to_string()), Ok(host), "{text}");
        }
    }

    #[test]
    fn names_are_bounded() {
        let label = "a".repeat(63);
        let longest = [&*label, &*label, &*label, &"a".repeat(61)].join(".");
        assert_eq!(longest.len(), 253);
        assert_eq!(spelled(&longest), longest);
        assert_eq!(Host::parse(&format!("{longest}a")), Err(HostError::Long));
        assert_eq!(Host::parse(&format!("{longest}.")).map(|host| host.to_string()), Ok(longest));
        assert!(matches!(Host::parse(&"a".repeat(64)), Err(HostError::Label(_))));
        assert_eq!(Host::parse(&"é".repeat(100_000)), Err(HostError::Long));
        assert_eq!(HostPattern::parse(&"*.".repeat(100_000)), Err(HostError::Long));
    }

    #[test]
    fn a_port_is_a_number_and_brackets_keep_addresses_apart_from_it() {
        let parsed = |text| Host::with_port(text).map(|(host, port)| (host.to_string(), port));
        assert_eq!(parsed("good.test:443"), Ok(("good.test".into(), Some(443))));
        assert_eq!(parsed("good.test"), Ok(("good.test".into(), None)));
        assert_eq!(parsed("[::1]:8080"), Ok(("[::1]".into(), Some(8080))));
        assert_eq!(parsed("[::1]"), Ok(("[::1]".into(), None)));
        for text in [
            "a:", "a:0", "a:080", "a:65536", "a:+1", "a:1 ", "[::1]:", "[::1]x", "[::1", "::1", "a:1:2",
            ":80",
        ] {
            assert!(Host::with_port(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_is_shown_as_it_is_parsed() {
        for (text, shown) in [
            ("*.Good.Test.", "*.good.test"),
            ("@local", "@local"),
            ("::1", "[::1]"),
            ("10.0.0.1", "10.0.0.1"),
            ("BÜCHER.test", "xn--bcher-kva.test"),
        ] {
            let pattern = HostPattern::parse(text).unwrap();
            assert_eq!(pattern.to_string(), shown);
            assert_eq!(HostPattern::parse(shown), Ok(pattern));
        }
        for text in
            ["@LOCAL", "127.*.*.*", "10.0.*.1", "*ü.test", "*..test", "a b*", "*@x", "", "*:80", "a/b"]
        {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }
}
