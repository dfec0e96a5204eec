//! [`Names`]: the addresses that names are answered with. They are of a network for measurements (RFC 2544), mean nothing
//! outside, and say which name a connection is for.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use kitbag_core::glob::Host;

/// The address of the first name is the one after this.
const NETWORK: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
/// The most names that one run is answered.
const NAMES_AT_MOST: usize = 4096;

/// Names and the addresses they were answered with, for one run.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_name: BTreeMap<String, Ipv4Addr>,
    in_order: Vec<String>,
}

impl Names {
    /// The address of `name`, the same each time; `None` when too many were asked for.
    pub(crate) fn address(&mut self, name: &str) -> Option<Ipv4Addr> {
        if let Some(address) = self.by_name.get(name) {
            return Some(*address);
        }
        if self.in_order.len() >= NAMES_AT_MOST {
            return None;
        }
        self.in_order.push(name.to_owned());
        let number = u32::try_from(self.in_order.len()).ok()?;
        let address = Ipv4Addr::from_bits(NETWORK.to_bits().checked_add(number)?);
        self.by_name.insert(name.to_owned(), address);
        Some(address)
    }

    /// What a connection to `address` is for: the name it was given for, or the address itself.
    pub(crate) fn host(&self, address: IpAddr) -> Host {
        let address = address.to_canonical();
        let name = match address {
            IpAddr::V4(given) => given
                .to_bits()
                .checked_sub(NETWORK.to_bits())
                .and_then(|number| usize::try_from(number).ok()?.checked_sub(1))
                .and_then(|at| self.in_order.get(at)),
            IpAddr::V6(_) => None,
        };
        name.map_or(Host::Address(address), |name| Host::Name(name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use kitbag_core::glob::Host;

    use super::{NAMES_AT_MOST, Names};
    use crate::egress::is_public;

    #[test]
    fn an_address_leads_back_to_its_name_and_no_other_address_does() {
        let mut names = Names::default();
        let (one, two) = (names.address("one.test").unwrap(), names.address("two.test").unwrap());
        assert_eq!((one, two), (Ipv4Addr::new(198, 18, 0, 1), Ipv4Addr::new(198, 18, 0, 2)));
        assert_eq!(names.address("one.test"), Some(one));
        assert_eq!(names.host(one.into()), Host::Name("one.test".into()));
        assert_eq!(names.host(two.to_ipv6_mapped().into()), Host::Name("two.test".into()));
        for other in ["198.18.0.0", "198.18.0.3", "198.17.255.255", "8.8.8.8", "0.0.0.0", "::1"] {
            let other: IpAddr = other.parse().unwrap();
            assert_eq!(names.host(other), Host::Address(other));
        }
        assert!(!is_public(one.into()), "no host outside has it");
    }

    #[test]
    fn names_run_out_before_addresses_do() {
        let mut names = Names::default();
        for number in 0..NAMES_AT_MOST {
            assert!(names.address(&format!("{number}.test")).is_some());
        }
        assert_eq!(names.address("more.test"), None);
        assert!(names.address("0.test").is_some());
        let last = Ipv4Addr::from_bits(Ipv4Addr::new(198, 18, 16, 0).to_bits());
        assert_eq!(names.host(last.into()), Host::Name(format!("{}.test", NAMES_AT_MOST - 1)));
    }
}
