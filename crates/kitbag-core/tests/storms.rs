//! Every storm, seeded: `KITBAG_STORM_SECONDS` says how long each lasts.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(clippy::disallowed_methods, reason = "the crate under test opens no files, its tests do")]

use std::collections::BTreeMap;
use std::io::Cursor;

use kitbag_core::archive::{Error, InMemory, LIMITS, Reading, gzip, tar, zip};
use kitbag_testkit::cases::project;
use kitbag_testkit::storm::{STORMS, input, rage};

fn storm(name: &str) {
    let storm = STORMS.iter().find(|storm| storm.name == name).unwrap();
    assert!(rage(storm) > 0, "no time for a single round");
}

#[test]
fn json_survives_its_storm() {
    storm("json");
}

#[test]
fn front_matter_survives_its_storm() {
    storm("front_matter");
}

#[test]
fn glob_survives_its_storm() {
    storm("glob");
}

#[test]
fn tar_survives_its_storm() {
    storm("tar");
}

#[test]
fn gzip_survives_its_storm() {
    storm("gzip");
}

#[test]
fn zip_survives_its_storm() {
    storm("zip");
}

#[test]
fn connector_survives_its_storm() {
    storm("connector");
}

#[test]
fn believed_zip_survives_its_storm() {
    storm("believed_zip");
}

#[test]
fn contract_survives_its_storm() {
    storm("contract");
}

#[test]
fn splice_manifest_survives_its_storm() {
    storm("splice_manifest");
}

#[test]
fn splice_artifact_survives_its_storm() {
    storm("splice_artifact");
}

#[test]
fn adcap_manifest_survives_its_storm() {
    storm("adcap_manifest");
}

#[test]
fn adcap_archive_survives_its_storm() {
    storm("adcap_archive");
}

#[test]
fn host_survives_its_storm() {
    storm("host");
}

#[test]
fn sni_survives_its_storm() {
    storm("sni");
}

#[test]
fn dns_survives_its_storm() {
    storm("dns");
}

#[test]
fn http_head_survives_its_storm() {
    storm("http_head");
}

#[test]
fn mount_plan_survives_its_storm() {
    storm("mount_plan");
}

/// A storm that only ever meets the first check of a reader proves nothing about the others.
#[test]
fn mutation_meets_most_refusals_and_still_makes_archives_that_are_read() {
    // Few mutations leave a checksum right; the storms of tar and gzip mend them for a second look.
    for (name, reads, codes) in [("tar", 5, 20), ("gzip", 0, 8), ("zip", 10, 24)] {
        let storm = STORMS.iter().find(|storm| storm.name == name).unwrap();
        let seeds = (storm.seeds)();
        let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
        for round in 1..=3000 {
            let bytes = input(&seeds, round);
            let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
            let answer = match name {
                "tar" => tar::read(&mut &*bytes, &tar::Profile::ORDINARY, tar::Packing::Plain, reading),
                "gzip" => gzip::read_tar(&mut &*bytes, &tar::Profile::ORDINARY, reading),
                _ => zip::read(&mut Cursor::new(&bytes), reading),
            };
            let answer = match answer {
                Ok(_) => "read",
                Err(Error::Refused(refusal)) => refusal.code.slug,
                Err(_) => "failed",
            };
            *answers.entry(answer).or_default() += 1;
        }
        assert!(answers.get("read").copied().unwrap_or(0) >= reads, "{name}: {answers:?}");
        assert!(!answers.contains_key("failed"), "{name}: {answers:?}");
        assert!(answers.len() > codes, "{name}: {} kinds of answers, {answers:?}", answers.len());
    }
}

#[test]
fn a_round_is_the_same_whenever_it_is_run() {
    for storm in STORMS {
        let seeds = (storm.seeds)();
        assert_eq!(seeds, (storm.seeds)(), "{}", storm.name);
        assert_eq!(input(&seeds, 7), input(&seeds, 7), "{}", storm.name);
        assert_ne!(input(&seeds, 7), input(&seeds, 8), "{}", storm.name);
    }
}

#[test]
fn every_storm_has_a_test_and_a_fuzz_target() {
    let own = include_str!("storms.rs");
    let manifest = std::fs::read_to_string(project().join("fuzz/Cargo.toml")).unwrap();
    for storm in STORMS {
        assert!(own.contains(&format!("storm(\"{}\");", storm.name)), "no test rages `{}`", storm.name);
        let target = project().join("fuzz/fuzz_targets").join(format!("{}.rs", storm.name));
        let text = std::fs::read_to_string(&target).unwrap();
        assert!(text.contains(&format!("storm::{}", storm.name)), "{} runs another storm", target.display());
        assert!(
            manifest.contains(&format!("name = \"{}\"", storm.name)),
            "fuzz/Cargo.toml lacks {}",
            storm.name
        );
    }
}
