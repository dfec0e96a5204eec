//! One check stays under 10 MiB of memory, whatever package it is given, and under 192 MiB for the most hostile document
//! that is still read. Each check runs in a process of its own, and the system says what that process held at its peak.
//! The program itself is not counted: how much of it is in memory depends on the build and on what else the machine does.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the test starts itself again and is told by its environment what to check"
)]

use std::env;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use kitbag::check::{Request, check};
use kitbag::read::Source;
use kitbag_testkit::folder::Folder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SKILL: &[u8] = b"---\nname: s\ndescription: Does s for those who need it.\n---\n";
const PATH: &str = "KITBAG_TEST_CHECK";
const MOST: u64 = 10 << 20;
const MOST_FOR_A_DOCUMENT: u64 = 192 << 20;

/// What the other tests start.
#[test]
#[ignore = "started by the other tests, in a process of its own"]
fn the_check_itself() {
    let path = PathBuf::from(env::var_os(PATH).unwrap());
    let report = check(&Request { sources: vec![Source::Path(path)], ..Request::default() }).unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let size = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let codes = report.packages.iter().flat_map(|package| &package.findings);
    let codes: Vec<_> = codes.map(|located| located.finding.code.slug).collect();
    println!("packages: {}", report.counts.packages);
    println!("codes: {}", codes.join(" "));
    println!("peak: {}", size("VmHWM:") - size("RssFile:"));
}

/// What a check of `path` found, after it was seen to stay under the limit.
fn check_within_limit(path: &Path) -> (usize, String) {
    check_within(MOST, path)
}

fn check_within(most: u64, path: &Path) -> (usize, String) {
    let child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_check_itself", "--ignored", "--nocapture"])
        .env(PATH, path)
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
    let line = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    let peak = line("peak:").parse::<u64>().unwrap() << 10;
    println!("{} KiB for {}", peak >> 10, path.display());
    assert!(peak < most, "{} MiB for {}", peak >> 20, path.display());
    (line("packages:").parse().unwrap(), line("codes:"))
}

fn sparse(path: PathBuf, bytes: u64) {
    File::create(path).unwrap().set_len(bytes).unwrap();
}

/// A zip on disk: a skill, and what `fill` adds.
fn zip(path: PathBuf, fill: impl FnOnce(&mut ZipWriter<File>, SimpleFileOptions)) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default();
    zip.start_file("s/SKILL.md", options).unwrap();
    zip.write_all(SKILL).unwrap();
    fill(&mut zip, options);
    zip.finish().unwrap();
}

/// Bytes that do not shrink.
fn noise(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..1 << 20).map(|_| next()).collect()
}

#[test]
fn a_skill_of_ten_thousand_files() {
    let folder = Folder::new().skill("s").folder("s/data");
    for number in 0..10_000 {
        File::create(folder.at(&format!("s/data/file-number-{number}.txt"))).unwrap();
    }
    assert_eq!(check_within_limit(&folder.at("s")).0, 1);
}

#[test]
fn a_folder_of_two_thousand_skills() {
    let mut folder = Folder::new();
    for number in 0..2_000 {
        folder = folder.skill(&format!("skill-{number}"));
    }
    assert_eq!(check_within_limit(folder.path()).0, 2_000);
}

#[test]
fn a_hundred_mebibytes_as_asset_as_document_and_as_file() {
    let folder = Folder::new().skill("s").folder("t").skill("u").file("u/skill.contract.json", "{}");
    for at in ["s/data.bin", "t/SKILL.md", "u/data.bin", "file.bin"] {
        sparse(folder.at(at), 100 << 20);
    }
    for (at, packages) in [("s", 1), ("t", 1), ("u", 1), ("file.bin", 0)] {
        assert_eq!(check_within_limit(&folder.at(at)).0, packages, "{at}");
    }
}

#[test]
fn archives_with_large_files_and_with_many() {
    let folder = Folder::new();
    zip(folder.at("large.zip"), |zip, options| {
        zip.start_file("s/data.bin", options).unwrap();
        (0..100).for_each(|seed| zip.write_all(&noise(seed)).unwrap());
    });
    zip(folder.at("many.zip"), |zip, options| {
        for number in 0..10_000 {
            zip.start_file(format!("s/data/file-number-{number}.txt"), options).unwrap();
        }
    });
    let mut tar = tar::Builder::new(GzEncoder::new(
        File::create(folder.at("large.tar.gz")).unwrap(),
        Compression::fast(),
    ));
    for (name, bytes) in [("s/SKILL.md", SKILL), ("s/data.bin", &noise(7).repeat(40))] {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
    for at in ["large.zip", "many.zip", "large.tar.gz"] {
        assert_eq!(check_within_limit(&folder.at(at)).0, 1, "{at}");
    }
}

#[test]
fn bombs_and_archives_in_archives() {
    let zeros = vec![0; 1 << 20];
    let folder = Folder::new();
    let bomb = |zip: &mut ZipWriter<File>, options| {
        zip.start_file("s/data.bin", options).unwrap();
        (0..200).for_each(|_| zip.write_all(&zeros).unwrap());
    };
    zip(folder.at("bomb.zip"), bomb);
    let inner = fs::read(folder.at("bomb.zip")).unwrap();
    zip(folder.at("nested.zip"), |zip, options| {
        for number in 0..200 {
            zip.start_file(format!("s/{number}.zip"), options).unwrap();
            zip.write_all(&inner).unwrap();
        }
    });
    let (packages, codes) = check_within_limit(&folder.at("bomb.zip"));
    assert_eq!((packages, codes.as_str()), (0, "archive/ratio"));
    let (packages, codes) = check_within_limit(&folder.at("nested.zip"));
    assert_eq!(packages, 1);
    assert!(codes.contains("package/nested-archive"), "{codes}");
}

#[test]
fn names_and_links_by_the_thousand() {
    let mut folder = Folder::new().skill("s");
    let name = "n".repeat(200);
    for number in 0..5_000 {
        folder = folder.link(&format!("s/{name}{number}"), "x".repeat(500));
    }
    let (packages, codes) = check_within_limit(&folder.at("s"));
    assert_eq!(packages, 1);
    assert!(codes.contains("package/link"), "{codes}");
}

#[test]
fn documents_as_large_and_as_full_as_they_may_be() {
    let room = usize::try_from(kitbag_core::limits::Limits::LOOSEST.document_bytes).unwrap() - 1_000;
    let fill = |piece: &str| piece.repeat(room / piece.len());
    let skill = |block: &str| format!("---\nname: s\ndescription: d\n{block}---\n");
    let bodies = [
        ("lists", format!("{{\"x\":[{}0]}}", fill("[],"))),
        (
            "names",
            format!("{{{}\"z\":0}}", (0..room / 12).map(|n| format!("\"{n:07}\":0,")).collect::<String>()),
        ),
        ("numbers", format!("[{}0]", fill("1,"))),
    ];
    for (name, contract) in &bodies {
        let folder = Folder::new().file("s/SKILL.md", skill("")).file("s/skill.contract.json", contract);
        let (packages, codes) = check_within(MOST_FOR_A_DOCUMENT, &folder.at("s"));
        assert_eq!(packages, 1, "{name}");
        assert!(codes.contains("skillpact/"), "{name}: {codes}");
    }
    for (name, text) in [
        ("fields", skill(&fill("a: b\n"))),
        ("body", skill("") + &fill("[a](b)\n")),
        ("colons", skill(&fill("k: a: b\n"))),
    ] {
        let folder = Folder::new().file("s/SKILL.md", text);
        assert_eq!(check_within(MOST_FOR_A_DOCUMENT, &folder.at("s")).0, 1, "{name}");
    }
}
