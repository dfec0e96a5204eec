//! The storms of what a program says on its way out: that their inputs get as far as every answer there is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use kitbag_core::glob::Host;
use kitbag_sandbox::egress::dns::{Question, Unread};
use kitbag_sandbox::egress::head::{self, Head};
use kitbag_sandbox::egress::hello::{self, Hello};
use kitbag_testkit::storm::{STORMS, input};

/// What `answer` says to the first rounds of a storm, counted by its first word.
fn answers(name: &str, answer: impl Fn(&[u8]) -> String) -> BTreeMap<String, u32> {
    let storm = STORMS.iter().find(|storm| storm.name == name).unwrap();
    let seeds = (storm.seeds)();
    let mut answers = BTreeMap::new();
    for round in 1..=5000 {
        let said = answer(&input(&seeds, round));
        let word = said.split(['(', ' ', '{']).next().unwrap().to_owned();
        *answers.entry(word).or_default() += 1;
    }
    answers
}

fn all(name: &str, expected: &[&str], answer: impl Fn(&[u8]) -> String) {
    let answers = answers(name, answer);
    for word in expected {
        assert!(
            answers.get(*word).is_some_and(|count| *count >= 5),
            "{name} never meets {word}: {answers:?}"
        );
    }
}

#[test]
fn mutation_meets_every_answer() {
    all("host", &["Name", "Address", "Empty", "Label", "Number", "Embedded", "Script"], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match Host::parse(text.split('\n').next_back().unwrap_or_default()) {
            Ok(host) => format!("{host:?}"),
            Err(error) => format!("{error:?}"),
        }
    });
    all("sni", &["Named", "Unnamed", "Needs", "Malformed", "Hidden", "NoHost", "Long"], |bytes| {
        match hello::read(bytes) {
            Ok(Hello::Whole(Some(_))) => "Named".to_owned(),
            Ok(Hello::Whole(None)) => "Unnamed".to_owned(),
            other => {
                format!("{:?}", other.map_or_else(|error| format!("{error:?}"), |hello| format!("{hello:?}")))
                    .trim_matches('"')
                    .to_owned()
            }
        }
    });
    all("dns", &["name", "bytes", "Refused", "Ignored"], |bytes| match Question::read(bytes) {
        Ok(question) if question.name().is_some() => "name".to_owned(),
        Ok(_) => "bytes".to_owned(),
        Err(Unread::Refused(_)) => "Refused".to_owned(),
        Err(Unread::Ignored) => "Ignored".to_owned(),
    });
    all("http_head", &["read", "more", "Line", "Field"], |bytes| match head::end(bytes, 0) {
        None => "more".to_owned(),
        Some(end) => match Head::read(&bytes[..end]) {
            Ok(_) => "read".to_owned(),
            Err(error) => format!("{error:?}"),
        },
    });
    all("http_head", &["Hosts", "Host", "Content", "Target", "Connection", "sent"], |bytes| {
        let read = head::end(bytes, 0).and_then(|end| Head::read(&bytes[..end]).ok());
        let Some(head) = read else { return "none".to_owned() };
        let sent = head.host().map(drop).and_then(|()| head.content().map(drop));
        let sent =
            sent.and_then(|()| head.place().map(drop)).and_then(|()| head.forwarded("a", "/").map(drop));
        sent.map_or_else(|error| format!("{error:?}"), |()| "sent".to_owned())
    });
}
