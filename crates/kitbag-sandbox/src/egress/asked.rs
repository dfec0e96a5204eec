//! [`Egress`]: what a program asked of the network, and what became of it.

use std::fmt;
use std::net::IpAddr;

/// What a program asked of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Egress {
    /// Every host that was asked for, sorted, once for each port and answer.
    pub asked: Vec<Asked>,
    /// How many requests are not among them, because there were too many different ones.
    pub unrecorded: u64,
    /// How many connections were made to the supervisor.
    pub connections: u64,
}

/// One host that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The host, in its one spelling; as it was said, escaped, where it is none.
    pub host: String,
    /// The port; `None` when only its address was asked for.
    pub port: Option<u16>,
    /// What was answered.
    pub verdict: Verdict,
    /// How often.
    pub times: u64,
    /// Bytes that went out.
    pub sent: u64,
    /// Bytes that came in.
    pub received: u64,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is listed.
    Allowed,
    /// It was refused.
    Refused(Refusal),
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// The host is not listed, or not at this port.
    NotListed,
    /// It is no host in its one spelling.
    NoHost,
    /// It was said on a connection to this host.
    OtherHost(String),
    /// The name leads to this address, which is neither public nor listed.
    Private(IpAddr),
    /// The name leads nowhere.
    NoAddress,
    /// Nobody there takes connections.
    Unreachable,
    /// It did not say whom it wants to talk to, where that is said first.
    Nameless,
    /// It hides whom it wants to talk to (Encrypted Client Hello).
    Hidden,
    /// What was said first is neither an HTTP request nor a TLS handshake that everybody reads alike.
    Malformed(&'static str),
    /// It was a second request on a connection that had its one.
    SecondRequest,
    /// It says nothing, for longer than is waited for.
    Silent,
    /// The connection lasts longer than one may.
    Lasting,
    /// It goes over this limit.
    Limit(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed => f.write_str("it is not on the list of hosts"),
            Self::NoHost => f.write_str("it is no host"),
            Self::OtherHost(other) => write!(f, "it was asked for on a connection to {other}"),
            Self::Private(address) => write!(f, "it leads to {address}, which is neither public nor listed"),
            Self::NoAddress => f.write_str("it leads nowhere"),
            Self::Unreachable => f.write_str("nobody takes connections there"),
            Self::Nameless => f.write_str("the handshake does not say whom it is for"),
            Self::Hidden => f.write_str("the handshake hides whom it is for"),
            Self::Malformed(what) => write!(f, "what was said is malformed: {what}"),
            Self::SecondRequest => f.write_str("a connection is for one request"),
            Self::Silent => f.write_str("nothing was said for too long"),
            Self::Lasting => f.write_str("the connection lasted too long"),
            Self::Limit(limit) => write!(f, "it goes over {limit}"),
        }
    }
}
