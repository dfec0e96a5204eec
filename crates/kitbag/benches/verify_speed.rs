//! How fast `verify` reads an .adcap of 200 MiB, beside the two things it cannot do without, on the same bytes and with the
//! same libraries: SHA-256 of the files, and inflating the archive. Ratios come from one run, round by round.
//! `cargo bench -p kitbag --bench verify_speed`
#![expect(clippy::expect_used, reason = "a measurement that cannot be taken has nothing to say")]
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "the table is the answer")]

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use kitbag::interrupt::Interrupt;
use kitbag::pack::{Answer, Destination, Existing, Request, pack};
use kitbag::verify::{self, verify};
use kitbag_core::digest::Sha256;
use kitbag_core::formats::Outcome;

const FILES: u32 = 25;
const FILE_BYTES: u32 = 8 << 20;
const ROUNDS: usize = 7;
/// The chunk that every reader here takes.
const CHUNK_BYTES: usize = 64 << 10;

/// What the files hold.
#[derive(Clone, Copy)]
enum Kind {
    /// Words in lines, as documents and tables.
    Text,
    /// Bytes that do not shrink, as pictures and weights.
    Noise,
    /// Half of each.
    Mixed,
}

fn main() {
    println!("200 MiB as .adcap; MiB/s of unpacked bytes, medians of {ROUNDS} rounds");
    println!("{:6} {:>8} {:>8} {:>8} {:>8}   of the slower", "", "packed", "SHA-256", "inflate", "verify");
    for (name, kind) in [("text", Kind::Text), ("noise", Kind::Noise), ("mixed", Kind::Mixed)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let archive = build(folder.path(), kind);
        measure(name, folder.path(), &archive);
    }
}

fn measure(name: &str, folder: &Path, archive: &Path) {
    let mut rounds = Vec::new();
    for round in 0..=ROUNDS {
        let times = [hash(folder), inflate(archive), whole(archive)];
        // The first fills the caches of the system.
        if round > 0 {
            rounds.push(times.map(|time| time.as_secs_f64()));
        }
    }
    let bytes = f64::from(FILES) * f64::from(FILE_BYTES >> 20);
    let speed = |at: usize| median(rounds.iter().map(|times| bytes / times[at]).collect());
    let ratio = median(rounds.iter().map(|[hash, inflate, verify]| hash.max(*inflate) / verify).collect());
    let packed = fs::metadata(archive).expect("the archive is there").len() >> 20;
    let [hash, inflate, verify] = [0, 1, 2].map(speed);
    println!("{name:6} {packed:>4} MiB {hash:>8.0} {inflate:>8.0} {verify:>8.0}   {:.0} %", ratio * 100.0);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn file(folder: &Path, number: u32) -> PathBuf {
    folder.join("package/data").join(format!("{number}.bin"))
}

/// A package of such files, and its archive beside it.
fn build(folder: &Path, kind: Kind) -> PathBuf {
    fs::create_dir_all(folder.join("package/data")).expect("a folder");
    let manifest = concat!(
        r#"{"adcap": "1.0", "id": "acme/large", "version": "1.0.0", "#,
        r#""name": "Large", "description": "Holds much."}"#
    );
    fs::write(folder.join("package/capability.json"), manifest).expect("a manifest");
    for number in 0..FILES {
        let content = match kind {
            Kind::Mixed if number % 2 == 0 => text(number),
            Kind::Text => text(number),
            Kind::Noise | Kind::Mixed => noise(number),
        };
        fs::write(file(folder, number), content).expect("a file");
    }
    let request = Request {
        folder: folder.join("package"),
        form: None,
        to: Destination::Folder(folder.to_owned()),
        existing: Existing::Keep,
    };
    match pack(&request, &Interrupt::new()).expect("the package can be packed") {
        Answer::Packed(packed) => packed.path,
        answer => unreachable!("{answer:?}"),
    }
}

/// Random enough, and the same in every run.
struct Random(u64);

impl Random {
    fn of(seed: u32) -> Self {
        Self(u64::from(seed) + 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }
}

fn noise(seed: u32) -> Vec<u8> {
    let mut random = Random::of(seed);
    (0..FILE_BYTES / 8).flat_map(|_| random.next().to_le_bytes()).collect()
}

fn text(seed: u32) -> Vec<u8> {
    let mut random = Random::of(7);
    let words: Vec<Vec<u8>> = (0..4_000)
        .map(|_| {
            let len = 2 + random.below(9);
            (0..len).map(|_| b"abcdefghijklmnopqrstuvwxyz"[random.below(26)]).collect()
        })
        .collect();
    let mut random = Random::of(seed);
    let mut text = Vec::new();
    let len = FILE_BYTES as usize;
    while text.len() < len {
        // Some words are more frequent than others, as in any language.
        let word = random.below(words.len()).min(random.below(words.len()));
        text.extend_from_slice(&words[word]);
        text.push(if random.below(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(len);
    text
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn hash(folder: &Path) -> Duration {
    timed(|| {
        for number in 0..FILES {
            let file = File::open(file(folder, number)).expect("a file");
            let mut file = BufReader::with_capacity(CHUNK_BYTES, file);
            std::hint::black_box(Sha256::of_reader(&mut file).expect("it can be read"));
        }
    })
}

fn inflate(archive: &Path) -> Duration {
    timed(|| {
        let mut unpacked = GzDecoder::new(File::open(archive).expect("the archive"));
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match unpacked.read(&mut chunk).expect("it is sound") {
                0 => break,
                count => io::sink().write_all(&chunk[..count]).expect("a sink takes all"),
            }
        }
    })
}

fn whole(archive: &Path) -> Duration {
    timed(|| {
        let request = verify::Request { path: archive.to_owned(), expected: None };
        let report = verify(&request).expect("it can be read");
        assert_eq!(report.packages[0].outcome, Outcome::VerifiedBytes);
    })
}
