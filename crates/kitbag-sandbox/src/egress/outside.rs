//! [`Outside`]: where names and addresses lead when the supervisor asks.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

/// What the supervisor asks of the world outside. Its answers are believed no more than a name server's: every address
/// of a name is vetted, and only a vetted one is dialled.
pub trait Outside: Send + Sync + fmt::Debug {
    /// Every address of `name`. It is asked once for each connection, in a thread of its own, and may take its time.
    ///
    /// # Errors
    /// When the name has none, or nobody can be asked.
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;

    /// Where `vetted`, which may be reached, is dialled: there, unless this world is a model of one.
    fn dialled(&self, vetted: SocketAddr) -> SocketAddr {
        vetted
    }
}

/// The internet, by the system's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Internet;

impl Outside for Internet {
    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The dot at the end keeps the system from trying the name in domains of its own.
        let whole = format!("{name}.");
        Ok((whole.as_str(), 0).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}
