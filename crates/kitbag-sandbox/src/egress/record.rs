//! [`Record`]: what has been asked so far, bounded whatever is asked.

use std::collections::BTreeMap;

use super::asked::{Asked, Egress, Verdict};

/// The most different entries that are kept; what comes after is counted.
const ENTRIES_AT_MOST: usize = 1024;
/// The most characters of a text that is no host.
const TEXT_AT_MOST: usize = 255;

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
    use super::{ENTRIES_AT_MOST, Record, Verdict};
    use crate::egress::Refusal;

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
