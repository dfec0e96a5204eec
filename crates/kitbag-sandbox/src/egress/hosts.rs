//! [`Hosts`]: the hosts a plan lists, and the one question that is asked of them.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use kitbag_core::glob::{Host, HostError, HostPattern};

/// The ports of a host that is listed without one: HTTP and HTTPS.
const USUAL_PORTS: [u16; 2] = [80, 443];
/// The most entries of one list.
const ENTRIES_AT_MOST: usize = 1024;
/// The most ports besides the usual ones: each is listened on.
const PORTS_AT_MOST: usize = 32;

/// Hosts that may be reached. An empty list reaches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    entries: BTreeSet<(HostPattern, Option<u16>)>,
}

/// Why a list of hosts cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostsError {
    /// An entry is no host and no pattern of hosts.
    Entry(String, HostError),
    /// There are more entries than one list has.
    Many,
    /// There are more different ports than can be listened on.
    Ports,
}

impl fmt::Display for HostsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(text, _) => write!(f, "`{}` cannot be a listed host", text.escape_debug()),
            Self::Many => write!(f, "more than {ENTRIES_AT_MOST} hosts are listed"),
            Self::Ports => {
                write!(f, "the listed hosts have more than {PORTS_AT_MOST} different ports of their own")
            }
        }
    }
}

impl std::error::Error for HostsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Entry(_, source) => Some(source),
            Self::Many | Self::Ports => None,
        }
    }
}

impl Hosts {
    /// The hosts of `list`. An entry is a name, a host pattern of SkillPact §6.1, an address, or `@local`, each with or
    /// without `:port`; without one it stands for the ports 80 and 443. A pattern reaches names only: an address is
    /// reached when it is listed itself, or by `@local`. `localhost` is also the two addresses it always has.
    ///
    /// # Errors
    /// [`HostsError`], at the first entry that cannot be read.
    pub fn parse<'t>(list: impl IntoIterator<Item = &'t str>) -> Result<Self, HostsError> {
        let mut entries = BTreeSet::new();
        for text in list {
            let (pattern, port) = HostPattern::with_port(text).map_err(|error| {
                // What is quoted is bounded, whatever was listed.
                HostsError::Entry(text.chars().take(253).collect(), error)
            })?;
            if pattern == HostPattern::Names("localhost".to_owned()) {
                entries.insert((HostPattern::Address(Ipv4Addr::LOCALHOST.into()), port));
                entries.insert((HostPattern::Address(Ipv6Addr::LOCALHOST.into()), port));
            }
            entries.insert((pattern, port));
            if entries.len() > ENTRIES_AT_MOST {
                return Err(HostsError::Many);
            }
        }
        let hosts = Self { entries };
        if hosts.own_ports().len() > PORTS_AT_MOST { Err(HostsError::Ports) } else { Ok(hosts) }
    }

    /// Whether nothing is listed, and so nothing reached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether `host` may be reached at `port`.
    #[must_use]
    pub fn allow(&self, host: &Host, port: u16) -> bool {
        self.entries.iter().any(|(pattern, listed)| {
            listed.map_or_else(|| USUAL_PORTS.contains(&port), |listed| listed == port)
                && pattern.matches(host)
        })
    }

    /// Whether `host` may be reached at any port, and so have an address.
    #[must_use]
    pub fn know(&self, host: &Host) -> bool {
        self.entries.iter().any(|(pattern, _)| pattern.matches(host))
    }

    /// Every port that some host may be reached at, and the usual ones, in order.
    #[must_use]
    pub fn ports(&self) -> BTreeSet<u16> {
        self.own_ports().into_iter().chain(USUAL_PORTS).collect()
    }

    fn own_ports(&self) -> BTreeSet<u16> {
        self.entries.iter().filter_map(|(_, port)| *port).collect()
    }
}

#[cfg(test)]
mod tests {
    use kitbag_core::glob::Host;

    use super::{Hosts, HostsError};

    fn allow(list: &[&str], host: &str, port: u16) -> bool {
        Hosts::parse(list.iter().copied()).unwrap().allow(&Host::parse(host).unwrap(), port)
    }

    #[test]
    fn a_host_without_a_port_has_the_usual_ones_and_no_other() {
        for port in [80, 443] {
            assert!(allow(&["good.test"], "GOOD.test.", port));
        }
        assert!(!allow(&["good.test"], "good.test", 8080) && !allow(&["good.test:8080"], "good.test", 443));
        assert!(allow(&["good.test:8080", "*.good.test"], "good.test", 8080));
        assert!(!allow(&["good.test:8080", "*.good.test"], "a.good.test", 8080));
    }

    #[test]
    fn addresses_are_reached_when_they_are_listed_themselves() {
        assert!(!allow(&["**.*", "*"], "8.8.8.8", 443) && allow(&["8.8.8.8"], "8.8.8.8", 443));
        assert!(allow(&["@local:99"], "10.0.0.1", 99) && !allow(&["@local:99"], "10.0.0.1", 80));
        assert!(!allow(&["@local"], "8.8.8.8", 443));
        for host in ["localhost", "127.0.0.1", "::1"] {
            assert!(allow(&["localhost:99"], host, 99), "{host}");
        }
        assert!(!allow(&["localhost:99"], "127.0.0.2", 99));
    }

    #[test]
    fn an_empty_list_reaches_nothing() {
        let none = Hosts::parse([]).unwrap();
        assert!(none.is_empty() && none == Hosts::default() && !Hosts::parse(["a"]).unwrap().is_empty());
        assert!(
            !none.allow(&Host::parse("good.test").unwrap(), 443) && !none.know(&Host::parse("a").unwrap())
        );
    }

    #[test]
    fn every_port_is_listened_on_and_there_are_not_many() {
        let ports: Vec<u16> = Hosts::parse(["a:8080", "b", "c:8080"]).unwrap().ports().into_iter().collect();
        assert_eq!(ports, [80, 443, 8080]);
        let listed: Vec<String> = (1..=33).map(|port| format!("a:{port}")).collect();
        assert!(Hosts::parse(listed.iter().take(32).map(String::as_str)).is_ok());
        assert_eq!(Hosts::parse(listed.iter().map(String::as_str)), Err(HostsError::Ports));
        let many: Vec<String> = (0..=1024).map(|number| format!("host-{number}.test")).collect();
        assert_eq!(Hosts::parse(many.iter().map(String::as_str)), Err(HostsError::Many));
    }

    #[test]
    fn what_is_no_host_is_no_entry() {
        for text in ["", "a:", "a:b", "http://good.test", "good.test/path", "127.1", "user@good.test", "*:*"]
        {
            let error = Hosts::parse(["good.test", text]).unwrap_err();
            assert!(matches!(&error, HostsError::Entry(entry, _) if entry == text), "{error:?}");
        }
    }
}
