//! [`Egress`]: what a program asked of the network, and what became of it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

/// The most different entries that are kept; what comes after is counted.
const ENTRIES_AT_MOST: usize = 1024;
/// The most characters of a text that is no host.
const TEXT_AT_MOST: usize = 255;

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

/// What has been asked so far.
#[derive(Debug, Default)]
pub(crate) struct Record {
    entries: BTreeMap<(String, Option<u16>, Verdict), Counts>,
    unrecorded: u64,
    pub(crate) connections: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    times: u64,
    sent: u64,
    received: u64,
}

impl Record {
    /// One more request for `host`, which may be any text.
    pub(crate) fn add(&mut self, host: &str, port: Option<u16>, verdict: Verdict, bytes: (u64, u64)) {
        let key = (bounded(host), port, verdict);
        if !self.entries.contains_key(&key) && self.entries.len() >= ENTRIES_AT_MOST {
            self.unrecorded += 1;
            return;
        }
        let counts = self.entries.entry(key).or_default();
        counts.times += 1;
        counts.sent = counts.sent.saturating_add(bytes.0);
        counts.received = counts.received.saturating_add(bytes.1);
    }

    /// All of it.
    pub(crate) fn told(&mut self) -> Egress {
        let entries = std::mem::take(&mut self.entries);
        let asked = entries.into_iter().map(|((host, port, verdict), counts)| {
            let Counts { times, sent, received } = counts;
            Asked { host, port, verdict, times, sent, received }
        });
        Egress { asked: asked.collect(), unrecorded: self.unrecorded, connections: self.connections }
    }
}

/// `text` without anything a terminal would act on, and not longer than a host is.
fn bounded(text: &str) -> String {
    text.chars().take(TEXT_AT_MOST).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES_AT_MOST, Record, Refusal, Verdict};

    #[test]
    fn the_same_request_is_one_entry_and_counts() {
        let mut record = Record::default();
        record.add("good.test", Some(443), Verdict::Allowed, (1, 20));
        record.add("good.test", Some(443), Verdict::Allowed, (2, 30));
        record.add("good.test", Some(80), Verdict::Refused(Refusal::NotListed), (0, 0));
        let told = record.told();
        assert_eq!(told.asked.len(), 2);
        let entry = told.asked.iter().find(|asked| asked.port == Some(443)).unwrap();
        assert_eq!((entry.times, entry.sent, entry.received), (2, 3, 50));
    }

    #[test]
    fn what_is_recorded_is_bounded_and_counted_beyond() {
        let mut record = Record::default();
        for number in 0..ENTRIES_AT_MOST + 5 {
            record.add(&format!("{number}.test"), None, Verdict::Allowed, (0, 0));
        }
        record.add("0.test", None, Verdict::Allowed, (0, 0));
        let told = record.told();
        assert_eq!((told.asked.len(), told.unrecorded), (ENTRIES_AT_MOST, 5));
    }

    #[test]
    fn nothing_that_was_said_reaches_a_terminal_as_it_is() {
        let mut record = Record::default();
        record.add(&"\u{1b}[2J\u{202e}".repeat(1000), None, Verdict::Allowed, (0, 0));
        let host = &record.told().asked[0].host;
        assert!(host.is_ascii() && !host.contains(char::is_control) && host.len() < 2048, "{host}");
    }
}
