//! Archive files as packages: each kind, and what is refused.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::io::{Cursor, Write as _};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use kitbag::check::{Report, Request, check};
use kitbag::location::SourceKind;
use kitbag::read::{Source, read};
use kitbag_testkit::folder::Folder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SKILL: &str = "---\nname: pdf\ndescription: Reads pages for those who need them.\n---\n\n# pdf\n";

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn check_path(path: impl Into<PathBuf>) -> Report {
    check(&Request { sources: vec![Source::Path(path.into())], ..Request::default() }).unwrap()
}

fn codes(report: &Report) -> Vec<&'static str> {
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    findings.map(|located| located.finding.code.slug).collect()
}

#[test]
fn an_archive_is_known_by_its_content_and_its_packages_are_found() {
    let files: &[(&str, &[u8])] =
        &[("pdf/SKILL.md", SKILL.as_bytes()), ("pdf/scripts/run.py", b"print(1)\n")];
    let capability: &[(&str, &[u8])] = &[("capability.json", br#"{"adcap": "1.0", "id": "a/b"}"#)];
    let folder = Folder::new()
        .file("a.zip", zip(files))
        .file("a.skill", zip(files))
        .file("a.tar.gz", tar_gz(files))
        .file("a.adcap", tar_gz(capability))
        .file("misnamed.txt", zip(files));
    for (name, at, format) in [
        ("a.zip", "a.zip:pdf", "agent-skill"),
        ("a.skill", "a.skill:pdf", "agent-skill"),
        ("a.tar.gz", "a.tar.gz:pdf", "agent-skill"),
        ("a.adcap", "a.adcap", "adcap"),
        ("misnamed.txt", "misnamed.txt:pdf", "agent-skill"),
    ] {
        let report = check_path(folder.at(name));
        let [package] = report.packages.as_slice() else { unreachable!("{name}: {report:?}") };
        assert_eq!(package.location.to_string(), folder.at(at).display().to_string());
        assert_eq!(package.location.kind, SourceKind::Archive);
        assert_eq!(package.faces[0].format, format, "{name}");
    }
}

#[test]
fn a_package_says_the_same_of_itself_in_a_folder_and_in_an_archive() {
    let bad = "---\nname: PDF tools\n---\n";
    let folder = Folder::new()
        .file("pdf/SKILL.md", bad)
        .file("pdf/inner.zip", "PK")
        .file("a.zip", zip(&[("pdf/SKILL.md", bad.as_bytes()), ("pdf/inner.zip", b"PK")]));
    let said = |report: &Report| {
        let findings = report.packages.iter().flat_map(|package| &package.findings);
        findings
            .map(|located| (located.finding.code.slug, located.finding.message.clone(), located.start))
            .collect::<Vec<_>>()
    };
    let (of_folder, of_archive) =
        (said(&check_path(folder.at("pdf"))), said(&check_path(folder.at("a.zip"))));
    assert_eq!(of_folder, of_archive);
    assert!(of_folder.iter().any(|(slug, ..)| *slug == "package/nested-archive"), "{of_folder:?}");
}

#[test]
fn an_archive_in_an_archive_stays_closed_and_is_named() {
    let inner = zip(&[("pdf/SKILL.md", SKILL.as_bytes())]);
    let folder = Folder::new()
        .file("only.zip", zip(&[("x.skill", &inner)]))
        .file("beside.zip", zip(&[("pdf/SKILL.md", SKILL.as_bytes()), ("x.skill", &inner)]))
        .file("dist/x.skill", &inner);
    for alone in ["only.zip", "dist"] {
        let report = check_path(folder.at(alone));
        assert_eq!(codes(&report), ["package/no-face", "package/archive-not-opened"], "{alone}");
        assert!(!report.ok());
    }
    let beside = check_path(folder.at("beside.zip"));
    assert_eq!(beside.counts.packages, 1);
    assert!(codes(&beside).contains(&"package/archive-not-opened"));
}

#[test]
fn a_file_that_climbs_out_of_its_archive_is_refused_with_everything_else_in_it() {
    let folder = Folder::new()
        .file("bad.zip", zip(&[("pdf/SKILL.md", SKILL.as_bytes()), ("../evil", b"x")]))
        .file("good.zip", zip(&[("pdf/SKILL.md", SKILL.as_bytes()), ("pdf/evil", b"x")]));
    let bad = check_path(folder.at("bad.zip"));
    assert_eq!(codes(&bad), ["archive/path-traversal"]);
    assert_eq!(bad.counts.packages, 0);
    assert_eq!(check_path(folder.at("good.zip")).counts.packages, 1);
}

#[test]
fn an_archive_cut_short_is_refused() {
    let files: &[(&str, &[u8])] = &[("pdf/SKILL.md", SKILL.as_bytes()), ("pdf/a", &[7; 5000])];
    for whole in [zip(files), tar_gz(files)] {
        for length in [3, 10, 300, whole.len() - 1] {
            let folder = Folder::new().file("a", &whole[..length.min(whole.len() - 1)]);
            let report = check_path(folder.at("a"));
            assert!(!report.ok(), "{length} of {} bytes pass", whole.len());
            assert_eq!(report.counts.packages, 0);
        }
    }
}

#[test]
fn what_is_too_large_for_memory_waits_on_disk_and_comes_back_whole() {
    let large: Vec<u8> = (0..3_000_000u32).flat_map(u32::to_le_bytes).collect();
    let middle = vec![b'm'; 100_000];
    let files: &[(&str, &[u8])] =
        &[("pdf/SKILL.md", SKILL.as_bytes()), ("pdf/large", &large), ("pdf/middle", &middle)];
    for archive in [zip(files), tar_gz(files)] {
        let folder = Folder::new().file("a", archive);
        let tree = read(&Source::Path(folder.at("a"))).unwrap().tree;
        drop(folder);
        for (name, bytes) in files {
            let read = tree.file(name).unwrap().read(1 << 30).unwrap();
            assert!(read == *bytes, "{name}");
        }
    }
}
