//! Half a gibibyte of package is verified, and a bundle of as many Skills and files as there may be imported, by the program in
//! less than 64 MiB of memory, as the system accounts it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test writes an archive and looks at what came of it")]
#![expect(clippy::disallowed_types, reason = "the test writes archives and asks the system about a process")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use kitbag_core::digest::Sha256;
use kitbag_testkit::archive::zip::{Entry, Zip};
use kitbag_testkit::cases::tool;
use kitbag_testkit::folder::Folder;
use serde_json::json;

const MOST_KIB: u64 = 64 << 10;

/// Runs a program, then says on one line what it answered and the most memory it ever used, in KiB.
const WATCH: &str = "\
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
answer = child.stdout.read().decode()
_, status, usage = os.wait4(child.pid, 0)
print(usage.ru_maxrss, os.waitstatus_to_exitcode(status), answer.replace('\\n', ' '))
";

/// Of each so many bytes, the first few are noise and the rest are zeros, so that neither side of deflate is idle.
const PERIOD: u64 = 16 << 10;
const NOISE: u64 = 256;

/// The bytes of one file, which depend on its number and their place alone.
struct Content {
    at: u64,
    left: u64,
}

impl Content {
    fn of(number: u64, bytes: u64) -> Self {
        Self { at: number << 40, left: bytes }
    }
}

impl Read for Content {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let within = self.at % PERIOD;
        let most = self.left.min(into.len() as u64);
        let count = if within < NOISE { (NOISE - within).min(most) } else { (PERIOD - within).min(most) };
        let into = &mut into[..usize::try_from(count).unwrap()];
        if within < NOISE {
            for (at, byte) in (self.at..).zip(into) {
                let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                *byte = (mixed ^ mixed >> 31).to_le_bytes()[4];
            }
        } else {
            into.fill(0);
        }
        self.at += count;
        self.left -= count;
        Ok(usize::try_from(count).unwrap())
    }
}

/// A package of `count` files of `bytes` bytes.
fn write(path: &Path, count: u64, bytes: u64) {
    let name = |number: u64| format!("data/{:03}/{number:05}.bin", number / 100);
    let files: Vec<_> = (0..count)
        .map(|number| {
            let sha256 = Sha256::of_reader(&mut Content::of(number, bytes)).unwrap();
            json!({"path": name(number), "sha256": sha256.to_string(), "size": bytes})
        })
        .collect();
    let manifest = json!({
        "adcap": "1.0",
        "id": "acme/large",
        "version": "1.0.0",
        "name": "Large",
        "description": "Holds much.",
        "files": files,
    });
    let manifest = manifest.to_string();
    let file = BufWriter::new(File::create(path).unwrap());
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    let mut append = |name: &str, size: u64, content: &mut dyn Read| {
        let mut header = tar::Header::new_ustar();
        header.set_size(size);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content).unwrap();
    };
    append("capability.json", manifest.len() as u64, &mut manifest.as_bytes());
    for number in 0..count {
        append(&name(number), bytes, &mut Content::of(number, bytes));
    }
    tar.into_inner().unwrap().finish().unwrap().flush().unwrap();
}

/// Peak memory in KiB, exit code and answer of `kitbag` with these arguments and `--output json`.
fn watched(args: &[&OsStr]) -> (u64, i32, serde_json::Value) {
    let program = ["-c", WATCH, env!("CARGO_BIN_EXE_kitbag")];
    let ran = Command::new("python3").args(program).args(args).args(["--output", "json"]).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let mut words = said.splitn(3, ' ');
    let mut next =
        || words.next().unwrap_or_else(|| unreachable!("{}", String::from_utf8_lossy(&ran.stderr)));
    (next().parse().unwrap(), next().parse().unwrap(), serde_json::from_str(next()).unwrap())
}

#[test]
fn half_a_gibibyte_is_verified_in_less_than_64_mib() {
    if !tool("python3") {
        return;
    }
    let folder = Folder::new();
    // A few large files, then nearly as many files as a package may have.
    for (count, bytes) in [(7, 73 << 20), (19_990, 26 << 10)] {
        let path = folder.at("large.adcap");
        write(&path, count, bytes);
        assert!(fs::metadata(&path).unwrap().len() > 4 << 20, "the archive holds next to nothing");
        let (peak, code, answer) = watched(&["verify".as_ref(), path.as_os_str()]);
        let package = &answer["packages"][0];
        assert_eq!((code, &package["outcome"]), (0, &"verified-bytes".into()), "{answer}");
        assert_eq!(package["compared"], count, "nothing was left out to save memory");
        assert!(peak < MOST_KIB, "{peak} KiB for {count} files");
        kitbag_testkit::cases::tell(&format!("{peak} KiB for {count} files of {bytes} bytes\n"));
    }
}

#[test]
fn a_bundle_of_256_skills_and_16_384_files_is_imported_in_less_than_64_mib() {
    if !tool("python3") {
        return;
    }
    let folder = Folder::new().folder("to");
    let text = |number: u64| {
        let mut text = Vec::new();
        io::copy(&mut Content::of(number, 12 << 10), &mut text).unwrap();
        text
    };
    let entries = (0..256u64).flat_map(|skill| {
        let document = format!("---\nname: skill-{skill}\ndescription: Holds notes.\n---\n");
        let document = Entry::deflated(&format!("skill-{skill}/SKILL.md"), document.as_bytes());
        let note = move |number: u64| {
            Entry::deflated(&format!("skill-{skill}/notes/{number}.bin"), &text(skill * 64 + number))
        };
        std::iter::once(document).chain((1..64).map(note))
    });
    fs::write(folder.at("bundle.zip"), Zip::of(entries).bytes()).unwrap();
    let (bundle, to) = (folder.at("bundle.zip"), folder.at("to"));
    let args = [
        "skill".as_ref(),
        "import".as_ref(),
        bundle.as_os_str(),
        "--yes".as_ref(),
        "--to".as_ref(),
        to.as_os_str(),
    ];
    let (peak, code, answer) = watched(&args);
    assert_eq!((code, &answer["complete"], &answer["counts"]["create"]), (0, &true.into(), &256.into()));
    let files = |below: &Path| fs::read_dir(below).unwrap().count();
    assert_eq!(files(&to), 256);
    assert!(
        (0..256).all(|skill| files(&to.join(format!("skill-{skill}/notes"))) == 63),
        "nothing was left out"
    );
    assert!(peak < MOST_KIB, "{peak} KiB");
    kitbag_testkit::cases::tell(&format!("{peak} KiB for a bundle of 16384 files\n"));
}
