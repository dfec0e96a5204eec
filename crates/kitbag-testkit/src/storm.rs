//! Storms: one function for each reader of hostile bytes. It takes any bytes, must not panic, and holds the reader to what
//! it promises: places inside the document, budgets kept, one meaning whoever reads.
//!
//! `fuzz/` hands these functions to a coverage-guided fuzzer; [`rage`] drives them in every test run with bytes mutated
//! from [seeds](Storm::seeds), the same ones each time.

mod adcap;
mod archives;
mod documents;
mod egress;
mod glob;
mod json;
mod openscience;
mod random;
mod seeds;
mod splice;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

pub use adcap::{adcap_archive, adcap_manifest};
pub use archives::{gzip, tar, zip};
pub use documents::{contract, front_matter};
pub use egress::{dns, host, http_head, sni};
pub use glob::glob;
pub use json::json;
pub use kitbag_sandbox::storm::mount_plan;
pub use openscience::{believed_zip, connector};
pub use splice::{splice_artifact, splice_manifest};

use random::{Random, mutate};

/// One storm.
#[derive(Clone, Copy, Debug)]
pub struct Storm {
    /// Its name, also that of its fuzz target.
    pub name: &'static str,
    /// The function.
    pub run: fn(&[u8]),
    /// What its mutations start from. In the project's own files, so that every machine has the same.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every storm. `fuzz/fuzz_targets` has a file for each.
pub static STORMS: &[Storm] = &[
    Storm { name: "json", run: json, seeds: seeds::json },
    Storm { name: "front_matter", run: front_matter, seeds: seeds::front_matter },
    Storm { name: "glob", run: glob, seeds: seeds::glob },
    Storm { name: "tar", run: tar, seeds: seeds::tar },
    Storm { name: "gzip", run: gzip, seeds: seeds::gzip },
    Storm { name: "zip", run: zip, seeds: seeds::zip },
    Storm { name: "contract", run: contract, seeds: seeds::contract },
    Storm { name: "splice_manifest", run: splice_manifest, seeds: seeds::splice_manifest },
    Storm { name: "splice_artifact", run: splice_artifact, seeds: seeds::splice_artifact },
    Storm { name: "adcap_manifest", run: adcap_manifest, seeds: seeds::adcap_manifest },
    Storm { name: "adcap_archive", run: adcap_archive, seeds: seeds::adcap_archive },
    Storm { name: "connector", run: connector, seeds: seeds::connector },
    Storm { name: "believed_zip", run: believed_zip, seeds: seeds::believed_zip },
    Storm { name: "host", run: host, seeds: seeds::host },
    Storm { name: "sni", run: sni, seeds: seeds::sni },
    Storm { name: "dns", run: dns, seeds: seeds::dns },
    Storm { name: "http_head", run: http_head, seeds: seeds::http_head },
    Storm { name: "mount_plan", run: mount_plan, seeds: seeds::mount_plan },
];

/// Longest input that mutation makes.
const MOST_BYTES: usize = 64 << 10;
/// How long a storm lasts in an ordinary test run, in seconds.
const ORDINARY_SECONDS: u64 = 1;

/// Runs every seed and then mutated ones, for `KITBAG_STORM_SECONDS`. Round `n` is the same on every machine; how many
/// there are is a matter of speed. Gives the number of rounds.
///
/// # Panics
/// When the storm does. The round and the input are said first, the input as a file that the fuzz target takes.
#[must_use]
pub fn rage(storm: &Storm) -> u64 {
    let seeds = (storm.seeds)();
    assert!(!seeds.is_empty(), "the storm `{}` has no seeds", storm.name);
    for seed in &seeds {
        weather(storm, 0, seed);
    }
    let end = Instant::now() + Duration::from_secs(seconds());
    let mut round = 0;
    while Instant::now() < end {
        round += 1;
        weather(storm, round, &input(&seeds, round));
    }
    round
}

/// The input of round `round` over `seeds`.
#[must_use]
pub fn input(seeds: &[Vec<u8>], round: u64) -> Vec<u8> {
    mutate(seeds, &mut Random::new(round), MOST_BYTES)
}

fn seconds() -> u64 {
    match std::env::var("KITBAG_STORM_SECONDS") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("KITBAG_STORM_SECONDS is `{text}` and no number")),
        Err(_) => ORDINARY_SECONDS,
    }
}

/// One round; a panic is told with what caused it.
fn weather(storm: &Storm, round: u64, input: &[u8]) {
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| (storm.run)(input))) else { return };
    let file = std::env::temp_dir().join(format!("kitbag-storm-{}-{round}", storm.name));
    let kept = match std::fs::write(&file, input) {
        Ok(()) => format!("kept in {}", file.display()),
        Err(error) => format!("not kept: {error}"),
    };
    crate::cases::tell(&format!(
        "the storm `{}` broke something in round {round}; its input of {} bytes is {kept}\n",
        storm.name,
        input.len()
    ));
    resume_unwind(panic);
}
