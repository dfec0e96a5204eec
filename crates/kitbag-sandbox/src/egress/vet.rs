//! Which addresses are public: what a name may lead to without being listed itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not public, with the length of their prefix (IANA's registry of special addresses).
const PRIVATE: [(Ipv4Addr, u32); 16] = [
    // This network, private ones, those of carriers.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // This host; the link, where clouds keep what they know of a machine.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Measurements; here the addresses that names are answered with.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Groups, and what has no use yet.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // A cloud's host as its guests see it, with an address that looks public.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// Networks of IPv6 inside the public 2000::/3 that are not public: of protocols, and of documentation.
const PRIVATE_6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether `address` is one of the public internet. An IPv4 address inside an IPv6 one counts as what it is.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !PRIVATE
            .iter()
            .any(|(network, length)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public(inner.into()),
            None => {
                let public = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);
                lies_in(address, public, 3)
                    && !PRIVATE_6.iter().any(|(network, length)| lies_in(address, *network, *length))
            }
        },
    }
}

fn lies_in(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

/// The IPv4 address that what is sent to `address` ends up at: mapped, translated (NAT64), or tunnelled (6to4).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [first, second, third, .., seventh, eighth] = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    if let Some(mapped) = address.to_ipv4_mapped() {
        return Some(mapped);
    }
    if lies_in(address, Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96) {
        return Some(of(seventh, eighth));
    }
    (first == 0x2002).then(|| of(second, third))
}

#[cfg(test)]
mod tests {
    use super::is_public;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn the_edges_of_every_network_are_where_they_should_be() {
        for (inside, outside) in [
            ("0.255.255.255", "1.0.0.0"),
            ("10.0.0.0", "9.255.255.255"),
            ("10.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.63.255.255"),
            ("100.127.255.255", "100.128.0.0"),
            ("127.0.0.1", "126.255.255.255"),
            ("169.254.169.254", "169.253.255.255"),
            ("172.16.0.0", "172.15.255.255"),
            ("172.31.255.255", "172.32.0.0"),
            ("192.0.0.192", "192.0.1.0"),
            ("192.0.2.1", "192.0.3.0"),
            ("192.88.99.1", "192.88.98.255"),
            ("192.168.0.0", "192.167.255.255"),
            ("198.19.255.255", "198.20.0.0"),
            ("198.51.100.7", "198.51.101.0"),
            ("203.0.113.7", "203.0.114.0"),
            ("224.0.0.1", "223.255.255.255"),
            ("255.255.255.255", "168.63.129.17"),
            ("168.63.129.16", "168.63.129.15"),
            ("::1", "2606:4700::1111"),
            ("::", "2a00::1"),
            ("fe80::1", "2003::1"),
            ("fd00:ec2::254", "2620:fe::fe"),
            ("2001::1", "2001:200::1"),
            ("2001:db8::1", "2001:db9::1"),
            ("3fff:fff::1", "3ffe::1"),
            ("ff02::1", "2400::1"),
            ("64:ff9b:1::808:808", "64:ff9b::808:808"),
            ("5f00::1", "3ffe:ffff::1"),
        ] {
            assert!(!public(inside), "{inside}");
            assert!(public(outside), "{outside}");
        }
    }

    #[test]
    fn an_ipv4_address_is_what_it_is_in_any_clothes() {
        for (private, public_one) in [
            ("::ffff:10.0.0.1", "::ffff:8.8.8.8"),
            ("64:ff9b::a00:1", "64:ff9b::808:808"),
            ("64:ff9b::a9fe:a9fe", "64:ff9b::1.1.1.1"),
            ("2002:7f00:1::1", "2002:808:808::1"),
            ("2002:a00:1::", "2002:101:101::"),
        ] {
            assert!(!public(private), "{private}");
            assert!(public(public_one), "{public_one}");
        }
        // The oldest clothes are worn by nobody.
        assert!(!public("::8.8.8.8"));
    }
}
