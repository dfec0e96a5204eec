//! `fix`: what is changed, what is left alone, and what is never half done.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the test looks at what was written")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use kitbag::check::{Profiles, Request as Check, check};
use kitbag::fix::{Mode, Outcome, PackageFixes, Report, Request, fix};
use kitbag::read::{ReadError, Source};
use kitbag_core::digest::Sha256;
use kitbag_testkit::folder::Folder;

const COLON: &str = "---\nname: s\ndescription: Use when: somebody asks for it.\n---\n\n# s\n";
const QUOTED: &str = "---\nname: s\ndescription: \"Use when: somebody asks for it.\"\n---\n\n# s\n";

fn fixed(path: PathBuf, mode: Mode) -> Report {
    fix(&Request { folder: path, mode }).unwrap()
}

fn only(report: &Report) -> &PackageFixes {
    let [package] = report.packages.as_slice() else { unreachable!("{report:?}") };
    package
}

fn refused(report: &Report) -> &str {
    let Outcome::Refused { because } = &only(report).outcome else { unreachable!("{report:?}") };
    because
}

fn text(folder: &Folder, at: &str) -> String {
    fs::read_to_string(folder.at(at)).unwrap()
}

/// The names in a folder: a fix leaves nothing of its own behind.
fn names(folder: &Folder, at: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.at(at)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_preview_says_what_would_be_done_and_writes_nothing() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let before = fs::metadata(folder.at("s/SKILL.md")).unwrap();
    let report = fixed(folder.at("s"), Mode::Preview);
    let package = only(&report);
    assert!(matches!(package.outcome, Outcome::Previewed));
    assert_eq!(package.documents[0].changes[0].code, "agent-skill/unquoted-colon");
    assert_eq!(
        package.documents[0].diff,
        "@@ -1,6 +1,6 @@\n ---\n name: s\n-description: Use when: somebody asks for it.\n\
         +description: \"Use when: somebody asks for it.\"\n ---\n \n # s\n"
    );
    assert_eq!(report.errors_left, 0);
    let after = fs::metadata(folder.at("s/SKILL.md")).unwrap();
    assert_eq!((text(&folder, "s/SKILL.md").as_str(), after.ino()), (COLON, before.ino()));
    assert_eq!(names(&folder, "s"), ["SKILL.md"]);
}

#[test]
fn a_fix_is_written_whole_keeps_the_mode_and_makes_every_program_load_the_skill() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    fs::set_permissions(folder.at("s/SKILL.md"), Permissions::from_mode(0o640)).unwrap();
    let report = fixed(folder.at("s"), Mode::Write);
    assert!(matches!(only(&report).outcome, Outcome::Written), "{report:?}");
    assert_eq!(text(&folder, "s/SKILL.md"), QUOTED);
    assert_eq!(fs::metadata(folder.at("s/SKILL.md")).unwrap().mode() & 0o7777, 0o640);
    assert_eq!(names(&folder, "s"), ["SKILL.md"]);
    let checked = check(&Check {
        sources: vec![Source::Path(folder.at("s"))],
        profiles: Profiles::All,
        ..Check::default()
    });
    assert!(checked.unwrap().packages[0].profiles.iter().all(|summary| summary.loads));
    // There is nothing left to do.
    assert!(fixed(folder.at("s"), Mode::Write).packages.is_empty());
}

#[test]
fn every_package_below_a_folder_is_fixed_and_a_sound_one_is_not_touched() {
    let folder = Folder::new()
        .file("a/SKILL.md", COLON.replace("name: s", "name: a"))
        .file("deep/b/SKILL.md", format!("\u{feff}{}", QUOTED.replace("name: s", "name: b")))
        .skill("c");
    let untouched = fs::metadata(folder.at("c/SKILL.md")).unwrap().ino();
    let report = fixed(folder.path().to_owned(), Mode::Write);
    let places: Vec<_> =
        report.packages.iter().map(|fixes| fixes.location.at.clone().unwrap().to_string()).collect();
    assert_eq!(places, ["a", "deep/b"]);
    assert_eq!(text(&folder, "a/SKILL.md"), QUOTED.replace("name: s", "name: a"));
    assert_eq!(text(&folder, "deep/b/SKILL.md"), QUOTED.replace("name: s", "name: b"));
    assert_eq!(fs::metadata(folder.at("c/SKILL.md")).unwrap().ino(), untouched);
}

#[test]
fn a_document_behind_a_link_is_fixed_where_it_lies_and_the_link_stays() {
    let folder = Folder::new()
        .file("kept/s/SKILL.md", COLON)
        .link("linked", "kept/s")
        .folder("t")
        .link("t/SKILL.md", "../kept/s/SKILL.md");
    let report = fixed(folder.at("t"), Mode::Write);
    assert!(report.packages.iter().all(|fixes| !matches!(fixes.outcome, Outcome::Written)), "{report:?}");
    assert_eq!(text(&folder, "kept/s/SKILL.md"), COLON);
    let report = fixed(folder.path().to_owned(), Mode::Write);
    let written = report.packages.iter().filter(|fixes| matches!(fixes.outcome, Outcome::Written));
    let places: Vec<_> = written.map(|fixes| fixes.location.at.clone().unwrap().to_string()).collect();
    assert_eq!(places, ["kept/s"]);
    assert_eq!(text(&folder, "kept/s/SKILL.md"), QUOTED);
    for link in ["linked", "t/SKILL.md"] {
        assert!(fs::symlink_metadata(folder.at(link)).unwrap().is_symlink(), "{link}");
    }
    // A link that was named is what its name says: whoever named it meant what is behind it.
    fs::write(folder.at("kept/s/SKILL.md"), COLON).unwrap();
    fixed(folder.at("linked"), Mode::Write);
    assert_ne!(text(&folder, "kept/s/SKILL.md"), COLON);
}

#[test]
fn a_document_whose_digest_is_listed_is_left_alone() {
    let contract = |integrity: &str| {
        format!(
            r#"{{"contract_version": "0.8", "skill": {{"name": "s", "version": "1.0.0"}},
                "permissions": {{"read": {{"level": "none"}}, "write": {{"level": "none"}}, "network": {{"level": "none"}},
                                 "exec": {{"level": "none"}}, "spend": {{"level": "none"}}, "send": {{"level": "none"}}}},
                "capabilities": [{{"id": "s", "summary": "s", "effects": []}}]{integrity}}}"#
        )
    };
    let digest = Sha256::of(COLON.as_bytes());
    let sealed = format!(r#", "integrity": {{"files": {{"SKILL.md": "{digest}"}}, "signatures": []}}"#);
    let folder = Folder::new().file("s/SKILL.md", COLON).file("s/skill.contract.json", contract(&sealed));
    let report = fixed(folder.at("s"), Mode::Write);
    assert!(refused(&report).contains("lists the document's digest"), "{report:?}");
    assert_eq!(text(&folder, "s/SKILL.md"), COLON);
    fs::write(folder.at("s/skill.contract.json"), contract("")).unwrap();
    let report = fixed(folder.at("s"), Mode::Write);
    assert!(matches!(only(&report).outcome, Outcome::Written), "{report:?}");
}

#[test]
fn a_document_inside_of_a_sealed_package_is_left_alone() {
    let digest = Sha256::of(COLON.as_bytes());
    let bytes = COLON.len();
    let manifest = |files: &str| {
        format!(
            r#"{{"adcap": "1.0", "id": "a/b", "version": "1.0.0", "name": "b", "description": "b",
                "skills": [{{"path": "skills/s"}}]{files}}}"#
        )
    };
    let files =
        format!(r#", "files": [{{"path": "skills/s/SKILL.md", "sha256": "{digest}", "size": {bytes}}}]"#);
    let folder = Folder::new().file("p/capability.json", manifest(&files)).file("p/skills/s/SKILL.md", COLON);
    let report = fixed(folder.at("p"), Mode::Write);
    assert!(refused(&report).contains("lists the document's digest"), "{report:?}");
    assert_eq!(text(&folder, "p/skills/s/SKILL.md"), COLON);
    fs::write(folder.at("p/capability.json"), manifest("")).unwrap();
    let report = fixed(folder.at("p"), Mode::Write);
    assert!(matches!(only(&report).outcome, Outcome::Written), "{report:?}");
}

#[test]
fn an_archive_is_not_written_into() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.at("s.zip")).unwrap());
    zip.start_file("s/SKILL.md", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, COLON.as_bytes()).unwrap();
    zip.finish().unwrap();
    let before = fs::read(folder.at("s.zip")).unwrap();
    let report = fixed(folder.at("s.zip"), Mode::Write);
    assert!(refused(&report).starts_with("only a folder can be written to"));
    assert_eq!(fs::read(folder.at("s.zip")).unwrap(), before);
    assert!(matches!(only(&fixed(folder.at("s"), Mode::Write)).outcome, Outcome::Written));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_and_stays_as_it_is() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let mode = |at: &str, mode| fs::set_permissions(folder.at(at), Permissions::from_mode(mode)).unwrap();
    mode("", 0o755);
    mode("s", 0o555);
    let path = folder.at("s");
    // Root may write everywhere, so the fix runs as somebody who owns nothing.
    let report = std::thread::spawn(move || {
        if rustix::process::geteuid().is_root() {
            let nobody = rustix::fs::Uid::from_raw(65_534);
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody)?;
        }
        rustix::io::Result::Ok(fixed(path, Mode::Write))
    });
    let report = report.join().unwrap();
    mode("s", 0o755);
    match report {
        Ok(report) => assert!(refused(&report).starts_with("`SKILL.md` cannot be replaced:"), "{report:?}"),
        Err(error) => {
            return kitbag_testkit::cases::skip(&format!("cannot become somebody else here: {error}"));
        }
    }
    assert_eq!(text(&folder, "s/SKILL.md"), COLON);
    assert_eq!(names(&folder, "s"), ["SKILL.md"]);
}

#[test]
fn what_an_earlier_run_left_behind_is_neither_used_nor_removed() {
    let folder = Folder::new().file("s/SKILL.md", COLON).file("s/.SKILL.md.kitbag-0", "left behind");
    let report = fixed(folder.at("s"), Mode::Write);
    assert!(matches!(only(&report).outcome, Outcome::Written), "{report:?}");
    assert_eq!(text(&folder, "s/SKILL.md"), QUOTED);
    assert_eq!(text(&folder, "s/.SKILL.md.kitbag-0"), "left behind");
    assert_eq!(names(&folder, "s"), [".SKILL.md.kitbag-0", "SKILL.md"]);
}

#[test]
fn a_folder_that_is_not_there_cannot_be_fixed() {
    let folder = Folder::new();
    let missing = fix(&Request { folder: folder.at("s"), mode: Mode::Write });
    assert!(matches!(missing, Err(ReadError::Missing { .. })));
}
