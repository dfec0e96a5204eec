//! Patterns against the recorded results of the SkillPact reference, and coverage against brute force.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use kitbag_core::glob::{Coverage, Dialect, Host, HostPattern, PatternSet, covers, host, path};
use kitbag_testkit::{cases, vectors};
use proptest::prelude::*;
use serde_json::Value;

/// Where the specification's text gives another answer than the reference, the case folder says so row by row under
/// `differs_from_spec_text`; this is the one row it does not name. Appendix C allows brackets around IPv6 only.
const BRACKETED_IPV4: &str = "[127.0.0.1]";

fn units() -> Option<Value> {
    let folder = cases::folder("SKILLPACT")?;
    Some(cases::json(&folder.join("units.json")))
}

/// Rows `[input…, expected]` of `list`, with the answer of the specification's text where the folder records both.
fn rows(units: &Value, list: &str, width: usize) -> BTreeMap<Vec<String>, bool> {
    let split = |row: &Value, answer: usize| {
        let row = row.as_array().unwrap();
        let input: Vec<String> = row[..width].iter().map(|word| word.as_str().unwrap().to_owned()).collect();
        (input, row[answer].as_bool().unwrap())
    };
    let differing: BTreeMap<Vec<String>, bool> = units["differs_from_spec_text"][list]
        .as_array()
        .map(|rows| rows.iter().map(|row| split(row, width + 1)).collect())
        .unwrap_or_default();
    let mut rows: BTreeMap<Vec<String>, bool> =
        units[list].as_array().unwrap().iter().map(|row| split(row, width)).collect();
    rows.extend(differing);
    assert!(
        rows.values().any(|answer| *answer) && rows.values().any(|answer| !answer),
        "{list} has both answers"
    );
    rows
}

fn all_agree(list: &str, width: usize, answer: impl Fn(&[String]) -> bool) {
    let Some(units) = units() else { return };
    let wrong: Vec<String> = rows(&units, list, width)
        .into_iter()
        .filter(|(input, expected)| answer(input) != *expected)
        .map(|(input, expected)| format!("{input:?} is {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{list}: {} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn path_patterns_match_as_the_specification_says() {
    all_agree("path_glob", 2, |row| path::matches(&row[1], &row[0]));
}

#[test]
fn host_patterns_match_as_the_specification_says() {
    all_agree("host_glob", 2, |row| host::matches(&row[1], &row[0]));
}

#[test]
fn local_hosts_are_those_of_appendix_c() {
    all_agree("is_local_host", 1, |row| host::is_local(&row[0]) || row[0] == BRACKETED_IPV4);
    assert!(!host::is_local(BRACKETED_IPV4) && host::is_local("127.0.0.1") && host::is_local("[::1]"));
}

#[test]
fn traversal_is_what_the_specification_says() {
    all_agree("scope_traversal", 1, |row| path::has_traversal(&row[0]));
}

#[test]
fn coverage_is_sound_where_the_reference_has_holes_and_agrees_elsewhere() {
    all_agree("covered", 3, |row| {
        let dialect = match &*row[2] {
            "path" => Dialect::SkillPactPath,
            "generic" => Dialect::SkillPactName,
            "host" => Dialect::SkillPactHost,
            kind => panic!("unknown kind {kind}"),
        };
        covers(dialect, &[&row[1]], &row[0]).is_yes()
    });
}

#[test]
fn every_vector_gets_the_answer_it_states() {
    let mut deviating = 0;
    for case in vectors::walk("glob") {
        let question = case.case["question"].as_str().unwrap();
        let rows = case.case["rows"].as_array().unwrap();
        let answers: Vec<bool> = rows
            .iter()
            .map(|row| {
                let word = |at: usize| row[at].as_str().unwrap();
                match question {
                    "path" => path::matches(word(0), word(1)),
                    "host" => host::matches(word(0), word(1)),
                    "local" => host::is_local(word(0)),
                    "traversal" => path::has_traversal(word(0)),
                    "covers path" => covers(Dialect::SkillPactPath, &[word(0)], word(1)).is_yes(),
                    "covers name" => covers(Dialect::SkillPactName, &[word(0)], word(1)).is_yes(),
                    "covers host" => covers(Dialect::SkillPactHost, &[word(0)], word(1)).is_yes(),
                    "spelling" => Host::parse(word(0)).is_ok_and(|host| host.to_string() == word(1)),
                    "is a host" => Host::parse(word(0)).is_ok(),
                    "reached" => {
                        let (pattern, host) = (HostPattern::parse(word(0)), Host::parse(word(1)));
                        pattern.is_ok_and(|pattern| host.is_ok_and(|host| pattern.matches(&host)))
                    }
                    other => panic!("{}: no such question: {other}", case.name),
                }
            })
            .collect();
        for (row, answer) in rows.iter().zip(&answers) {
            let stated = row.as_array().and_then(|row| row.last()?.as_bool());
            assert_eq!(Some(*answer), stated, "{}: {row}", case.name);
        }
        assert!(!answers.is_empty(), "{} asks something", case.name);
        deviating += usize::from(case.case["reference"].is_string());
    }
    assert!(deviating > 0, "where the reference differs from the text, a vector says so");
}

/// Every text of at most `length` characters of `alphabet`.
fn texts(alphabet: &[char], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last.iter().flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The plainest matcher of one segment: tries everything, in exponential time.
fn slow_segment(pattern: &[char], subject: &[char]) -> bool {
    match pattern.split_first() {
        None => subject.is_empty(),
        Some(('*', rest)) => (0..=subject.len()).any(|taken| slow_segment(rest, &subject[taken..])),
        Some(('?', rest)) => subject.split_first().is_some_and(|(_, left)| slow_segment(rest, left)),
        Some((c, rest)) => {
            subject.split_first().is_some_and(|(first, left)| first == c && slow_segment(rest, left))
        }
    }
}

fn slow_part(pattern: &str, subject: &str) -> bool {
    slow_segment(&pattern.chars().collect::<Vec<_>>(), &subject.chars().collect::<Vec<_>>())
}

/// The plainest matcher of paths.
fn slow_path(pattern: &[&str], subject: &[&str]) -> bool {
    match pattern.split_first() {
        None => subject.is_empty(),
        Some((&"**", rest)) => (0..=subject.len()).any(|taken| slow_path(rest, &subject[taken..])),
        Some((first, rest)) => {
            subject.split_first().is_some_and(|(head, left)| slow_part(first, head) && slow_path(rest, left))
        }
    }
}

/// The plainest matcher of hosts.
fn slow_host(pattern: &str, subject: &str) -> bool {
    let fold = |text: &str| {
        let text = text.to_lowercase();
        text.strip_suffix('.').map_or(text.clone(), str::to_owned)
    };
    let (pattern, subject) = (fold(pattern), fold(subject));
    let labels: Vec<&str> = subject.split('.').collect();
    let same = |rest: &str, labels: &[&str]| {
        let rest: Vec<&str> = rest.split('.').collect();
        rest.len() == labels.len()
            && rest.iter().zip(labels).all(|(pattern, label)| slow_part(pattern, label))
    };
    if let Some(rest) = pattern.strip_prefix("**.") {
        (0..labels.len()).any(|taken| same(rest, &labels[taken..]))
    } else if let Some(rest) = pattern.strip_prefix("*.") {
        (1..labels.len()).any(|taken| same(rest, &labels[taken..]))
    } else {
        same(&pattern, &labels)
    }
}

/// Patterns over `a`, `b`, the separator and both wildcards, with `**` as a whole part often enough.
fn pattern(separator: &'static str) -> impl Strategy<Value = String> {
    let part = prop_oneof![2 => Just("**".to_owned()), 6 => "[ab*?]{0,3}"];
    proptest::collection::vec(part, 1..5).prop_map(move |parts| parts.join(separator))
}

/// Hosts, addresses and the token.
fn host() -> impl Strategy<Value = String> {
    let fixed = ["10.0.0.1", "@local", "localhost.", "[::1]"].map(|host| Just(host.to_owned()));
    prop_oneof![4 => "[abA.]{0,6}", 1 => proptest::sample::select(fixed.map(|just| just.0).to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_matcher_and_the_plain_one_agree_on_paths(pattern in pattern("/"), subject in "[ab/?*]{0,8}") {
        let (parts, segments): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), subject.split('/').collect());
        prop_assert_eq!(path::matches(&pattern, &subject), slow_path(&parts, &segments));
    }

    #[test]
    fn the_fast_matcher_and_the_plain_one_agree_on_hosts(pattern in pattern("."), subject in "[abA.*]{0,8}") {
        prop_assert_eq!(host::matches(&pattern, &subject), slow_host(&pattern, &subject));
    }

    #[test]
    fn what_covers_a_path_pattern_matches_everything_it_matches(outer in pattern("/"), inner in pattern("/")) {
        if covers(Dialect::SkillPactName, &[&outer], &inner).is_yes() {
            for text in texts(&['a', 'b', '/'], 5) {
                prop_assert!(!path::matches(&inner, &text) || path::matches(&outer, &text), "misses {}", text);
            }
        }
    }

    #[test]
    fn what_covers_a_host_pattern_matches_everything_it_matches(outer in pattern("."), inner in pattern(".")) {
        if covers(Dialect::SkillPactHost, &[&outer], &inner).is_yes() {
            for text in texts(&['a', 'b', '.'], 5) {
                prop_assert!(!host::matches(&inner, &text) || host::matches(&outer, &text), "misses {}", text);
            }
        }
    }

    #[test]
    fn a_pattern_covers_itself_and_a_literal_exactly_when_it_matches(
        outer in pattern("/"), literal in "[ab/]{0,6}"
    ) {
        prop_assert_eq!(covers(Dialect::SkillPactName, &[&outer], &outer), Coverage::Yes);
        let matched = path::matches(&outer, &literal);
        prop_assert_eq!(covers(Dialect::SkillPactName, &[&outer], &literal).is_yes(), matched);
        let sound = matched && !path::has_traversal(&literal);
        prop_assert_eq!(covers(Dialect::SkillPactPath, &[&outer], &literal).is_yes(), sound);
    }

    #[test]
    fn a_set_answers_as_its_patterns_do_one_by_one(
        patterns in proptest::collection::vec(pattern("/"), 0..5), subject in "[ab/]{0,6}", inner in pattern("/")
    ) {
        let mut set = PatternSet::new(Dialect::SkillPactName, patterns.iter().map(String::as_str));
        let matched = patterns.iter().any(|pattern| path::matches(pattern, &subject));
        prop_assert_eq!(set.matches(&subject).is_yes(), matched);
        let covered = patterns.iter().any(|pattern| covers(Dialect::SkillPactName, &[pattern], &inner).is_yes());
        prop_assert_eq!(set.covers(&inner).is_yes(), covered);
    }

    #[test]
    fn a_host_set_answers_as_its_patterns_do_one_by_one(
        patterns in proptest::collection::vec(prop_oneof![4 => pattern("."), 1 => Just("@local".to_owned())], 0..5),
        subject in host()
    ) {
        let mut set = PatternSet::new(Dialect::SkillPactHost, patterns.iter().map(String::as_str));
        let matched = patterns.iter().any(|pattern| host::matches(pattern, &subject));
        prop_assert_eq!(set.matches(&subject).is_yes(), matched);
    }
}

#[test]
fn coverage_is_sound_for_every_small_pair_of_patterns() {
    let patterns = texts(&['a', '*', '?', '/'], 3);
    let subjects = texts(&['a', 'b', '/'], 4);
    let matched: Vec<Vec<bool>> = patterns
        .iter()
        .map(|pattern| subjects.iter().map(|subject| path::matches(pattern, subject)).collect())
        .collect();
    let mut covered = 0;
    for (outer, wide) in patterns.iter().zip(&matched) {
        let mut set = PatternSet::new(Dialect::SkillPactName, [outer.as_str()]);
        for (inner, narrow) in patterns.iter().zip(&matched) {
            if set.covers(inner).is_yes() {
                covered += 1;
                let missed = narrow.iter().zip(wide).position(|(inner, outer)| *inner && !*outer);
                let missed = missed.map(|at| &subjects[at]);
                assert!(missed.is_none(), "`{outer}` covers `{inner}` and misses {missed:?}");
            }
        }
    }
    assert!(covered > patterns.len(), "only {covered} pairs were covered");
}
