//! The doors of a sandbox with a network: sockets that are made inside and opened outside. A socket stays in the network
//! it was made in, whoever holds it, so nobody inside passes anything on.

use super::orders::{AskingForAll, Doors, Reach};
use super::system::network::{self, Family};
use super::system::{self, Errno};

/// Where names are asked for.
const NAMES: u16 = 53;
/// Where a program that knows of a proxy finds it.
pub(crate) const PROXY: u16 = 3128;

/// What is said with each door: where the network leads.
pub(crate) const EVERYWHERE: u8 = b'e';
/// Only the proxy is there.
pub(crate) const PROXY_ONLY: u8 = b'p';

/// Makes the doors and hands them out. Says where the network leads in the end.
pub(super) fn make(doors: &Doors) -> Result<Reach, Errno> {
    network::raise_loopback()?;
    let reach = match doors.reach {
        Reach::Proxy => Reach::Proxy,
        // A system that cannot do this for IPv4 has a proxy left. IPv6 may be switched off: then nobody has any.
        Reach::Everywhere => match lead_all_home(doors.asking) {
            Ok(()) => {
                let _six = network::lead_all_home(Family::Six);
                Reach::Everywhere
            }
            Err(_) => Reach::Proxy,
        },
    };
    let give = |socket| {
        let word = if reach == Reach::Everywhere { EVERYWHERE } else { PROXY_ONLY };
        let given = system::hand_out(doors.to, socket, word);
        system::close(socket);
        given
    };
    give(listener(PROXY)?)?;
    if reach == Reach::Everywhere {
        give(network::datagrams(NAMES)?)?;
        for port in doors.ports.iter().filter(|port| **port != PROXY) {
            give(listener(*port)?)?;
        }
    }
    Ok(reach)
}

/// Has every IPv4 address lead here, where the system can do that.
fn lead_all_home(asking: AskingForAll) -> Result<(), Errno> {
    match asking {
        AskingForAll::Allowed => network::lead_all_home(Family::Four),
        AskingForAll::Pointless => Err(Errno(libc::EOPNOTSUPP)),
    }
}

/// A listener of both families, or of IPv4 alone where there is no IPv6.
fn listener(port: u16) -> Result<system::Fd, Errno> {
    match network::listener(Family::Six, port) {
        Err(Errno(libc::EAFNOSUPPORT)) => network::listener(Family::Four, port),
        made => made,
    }
}
