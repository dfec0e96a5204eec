//! Input made to hang, exhaust or mislead a check: each has a clear answer, and its harmless twin passes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{Cursor, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread;

use kitbag::check::{Report, Request, check};
use kitbag::read::Source;
use kitbag_testkit::cases::skip;
use kitbag_testkit::folder::Folder;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn check_path(path: impl Into<PathBuf>) -> Report {
    check(&Request { sources: vec![Source::Path(path.into())], ..Request::default() }).unwrap()
}

/// The codes under `package/` and `archive/`, with the file of each: what is said about entries, not about documents.
fn said(report: &Report) -> Vec<(&'static str, String)> {
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    findings
        .map(|located| &located.finding)
        .filter(|finding| {
            finding.code.slug.starts_with("package/") || finding.code.slug.starts_with("archive/")
        })
        .map(|finding| {
            (finding.code.slug, finding.place.file.as_ref().map_or(String::new(), ToString::to_string))
        })
        .collect()
}

fn codes(report: &Report) -> Vec<&'static str> {
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    findings.map(|located| located.finding.code.slug).collect()
}

fn one(code: &'static str, file: &str) -> Vec<(&'static str, String)> {
    vec![(code, file.to_owned())]
}

fn make_pipe(path: PathBuf) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_sound_skill_has_nothing_said_about_its_entries() {
    let folder = Folder::new().skill("s").file("s/scripts/run.py", "print(1)\n");
    let report = check_path(folder.at("s"));
    assert_eq!(said(&report), []);
    assert_eq!(report.counts.packages, 1);
}

#[test]
fn a_pipe_a_socket_and_a_device_are_named_and_never_opened() {
    let folder = Folder::new().skill("s").skill("t").folder("u");
    make_pipe(folder.at("pipe"));
    make_pipe(folder.at("s/pipe"));
    make_pipe(folder.at("u/SKILL.md"));
    let _listening = UnixListener::bind(folder.at("t/socket")).unwrap();
    assert_eq!(said(&check_path(folder.at("pipe"))), one("package/special-file", ""));
    assert_eq!(said(&check_path("/dev/zero")), one("package/special-file", ""));
    assert_eq!(said(&check_path(folder.at("s"))), one("package/special-file", "pipe"));
    assert_eq!(said(&check_path(folder.at("t"))), one("package/special-file", "socket"));
    for folder_or_document in ["u", "u/SKILL.md"] {
        let report = check_path(folder.at(folder_or_document));
        assert!(said(&report).contains(&("package/special-file", "SKILL.md".to_owned())), "{report:?}");
        assert!(!report.ok());
    }
}

#[test]
fn links_that_lead_in_a_circle_end_at_once() {
    let folder = Folder::new()
        .skill("s")
        .link("s/up", "..")
        .link("s/self", "self")
        .link("s/deep/root", "/")
        .link("s/a", "b")
        .link("s/b", "a");
    let report = check_path(folder.at("s"));
    let links = ["a", "b", "deep/root", "self", "up"];
    assert_eq!(said(&report), links.map(|link| ("package/link", link.to_owned())));
}

#[test]
fn a_folder_mounted_below_itself_is_not_walked_twice() {
    let folder = Folder::new().skill("s").folder("s/mounted").file("s/plain/file", "");
    let root = folder.at("s");
    let checked = thread::spawn(move || {
        use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
        #[expect(deprecated, reason = "the mount namespace alone is left, and no descriptor with it")]
        rustix::thread::unshare(rustix::thread::UnshareFlags::NEWNS)?;
        mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
        mount_bind(&root, root.join("mounted"))?;
        assert!(root.join("mounted/SKILL.md").exists());
        rustix::io::Result::Ok(check_path(root))
    });
    match checked.join().unwrap() {
        Ok(report) => assert_eq!(said(&report), one("package/unreadable", "mounted")),
        Err(error) => skip(&format!("no mount of one's own here: {error}")),
    }
}

#[test]
fn what_may_not_be_read_is_an_error_and_never_a_pass() {
    let folder = Folder::new()
        .skill("open")
        .skill("shut")
        .skill("closed")
        .file("closed/skill.contract.json", "{}")
        .skill("asset")
        .file("asset/closed/data", "")
        .skill("between/found")
        .skill("between/closed/lost");
    let mode = |at: &str, mode| fs::set_permissions(folder.at(at), Permissions::from_mode(mode)).unwrap();
    mode("", 0o755);
    for (at, closed) in [
        ("shut/SKILL.md", 0o000),
        ("asset/closed", 0o000),
        ("between/closed", 0o000),
        ("closed/skill.contract.json", 0o000),
    ] {
        mode(at, closed);
    }
    let paths = ["open", "shut", "closed", "asset", "between"].map(|at| folder.at(at));
    // Nothing is closed to root, so the check runs as somebody who owns nothing.
    let checked = thread::spawn(move || {
        if rustix::process::geteuid().is_root() {
            let nobody = rustix::fs::Uid::from_raw(65_534);
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody)?;
        }
        rustix::io::Result::Ok(paths.map(check_path))
    });
    let checked = checked.join().unwrap();
    for at in ["asset/closed", "between/closed"] {
        mode(at, 0o755);
    }
    let [open, shut, closed, asset, between] = match checked {
        Ok(reports) => reports,
        Err(error) => return skip(&format!("cannot become somebody else here: {error}")),
    };
    assert_eq!(said(&open), []);
    assert!(open.ok(), "{open:?}");
    assert_eq!(codes(&shut), ["agent-skill/document-not-read"]);
    assert!(!shut.ok() && !closed.ok(), "{closed:?}");
    assert_eq!(said(&asset), one("package/unreadable", "closed"));
    assert_eq!(said(&between), one("package/unreadable", "closed"));
    assert_eq!(between.counts.packages, 1);
}

#[test]
fn a_name_that_is_not_utf8_is_reported_once_where_it_is() {
    let folder = Folder::new().skill("s").file("s/in/plain", "");
    let bad = OsStr::from_bytes(b"caf\xe9");
    fs::write(folder.at("s/in").join(bad), "").unwrap();
    fs::create_dir(folder.at("s").join(bad)).unwrap();
    fs::write(folder.at("s").join(bad).join("below"), "").unwrap();
    let report = check_path(folder.path());
    let expected = [("package/name-not-utf8", ""), ("package/name-not-utf8", "in")];
    assert_eq!(said(&report), expected.map(|(code, file)| (code, file.to_owned())));
    let findings = &report.packages[0].findings;
    assert!(findings.iter().any(|located| located.finding.message.contains(r"caf\xe9")), "{findings:?}");
}

#[test]
fn folders_nested_without_end_are_left_where_the_limit_is() {
    let deep = format!("s/{}", vec!["d"; 200].join("/"));
    let folder = Folder::new().skill("s").folder(&deep).skill("t").folder("t/d/d/d");
    let report = check_path(folder.at("s"));
    let [(code, file)] = said(&report).try_into().unwrap();
    assert_eq!(code, "package/too-much");
    assert_eq!(file.matches('d').count(), 64);
    assert!(!report.ok());
    assert_eq!(said(&check_path(folder.at("t"))), []);
}

#[test]
fn a_hundred_mebibytes_are_not_read_where_nothing_reads_them() {
    let folder = Folder::new().skill("s").folder("t");
    for (at, bytes) in [("s/data.bin", 100 << 20), ("named.bin", 100 << 20), ("t/SKILL.md", 100 << 20)] {
        File::create(folder.at(at)).unwrap().set_len(bytes).unwrap();
    }
    assert_eq!(said(&check_path(folder.at("s"))), []);
    assert_eq!(said(&check_path(folder.at("named.bin"))), one("package/too-much", ""));
    let document = check_path(folder.at("t"));
    assert_eq!(codes(&document), ["agent-skill/document-not-read"]);
    assert!(!document.ok());
}

#[test]
fn a_file_or_a_package_over_the_limit_is_named_and_left_unread() {
    let folder = Folder::new().skill("s").skill("t").file("beside", "");
    File::create(folder.at("s/huge")).unwrap().set_len((1 << 30) + 1).unwrap();
    for number in 0..5 {
        File::create(folder.at(&format!("t/{number}"))).unwrap().set_len(1 << 30).unwrap();
    }
    assert_eq!(said(&check_path(folder.at("s"))), one("package/too-much", "huge"));
    assert_eq!(said(&check_path(folder.at("t"))), one("package/too-much", ""));
    // The same file beside a package is nobody's.
    fs::rename(folder.at("s/huge"), folder.at("huge")).unwrap();
    fs::remove_dir_all(folder.at("t")).unwrap();
    assert_eq!(said(&check_path(folder.path())), []);
}

#[test]
fn ten_thousand_files_are_read_as_one_package() {
    let folder = Folder::new().skill("s").folder("s/data");
    for number in 0..10_000 {
        File::create(folder.at(&format!("s/data/{number}"))).unwrap();
    }
    let report = check_path(folder.at("s"));
    assert_eq!(said(&report), []);
    assert_eq!(report.counts.packages, 1);
}

#[test]
fn a_zip_bomb_is_refused_and_an_archive_of_the_same_size_is_not() {
    let zip = |bytes: usize, noise: bool| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        zip.start_file("s/SKILL.md", options).unwrap();
        zip.write_all(b"---\nname: s\ndescription: Does s for those who need it.\n---\n").unwrap();
        zip.start_file("s/data", options).unwrap();
        let mut state = 1u32;
        for _ in 0..bytes / 1024 {
            let chunk = [0u8; 1024].map(|zero| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if noise { state.to_be_bytes()[0] } else { zero }
            });
            zip.write_all(&chunk).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let bomb = zip(64 << 20, false);
    let twin = zip(bomb.len(), true);
    let folder =
        Folder::new().file("bomb.zip", &bomb).file("twin.zip", &twin).skill("p").file("p/bomb.zip", &bomb);
    let [(code, _)] = said(&check_path(folder.at("bomb.zip"))).try_into().unwrap();
    assert_eq!(code, "archive/ratio");
    assert_eq!(said(&check_path(folder.at("twin.zip"))), []);
    // Inside a package it is content, and stays closed.
    let inside = check_path(folder.at("p"));
    assert_eq!(said(&inside), one("package/nested-archive", "bomb.zip"));
    assert!(inside.ok());
}

#[test]
fn a_thousand_skills_are_checked_in_one_walk() {
    // Each alone in a skills folder of its own: nothing about one may be looked for among all.
    let mut folder = Folder::new();
    for number in 0..1_000 {
        folder = folder.skill(&format!("{number}/skills/s"));
    }
    let report = check_path(folder.path());
    assert_eq!(report.counts.packages, 1_000);
    assert!(report.ok());
}
