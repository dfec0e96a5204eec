//! Runs with less of Landlock than this kernel has, as older ones have it.

use std::fs;
use std::sync::Arc;

use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

use super::of_version;
use crate::egress::Internet;
use crate::groups::{Groups, Keeps};
use crate::inside::landlock_version;
use crate::outcome::{Ending, Outcome};
use crate::plan::{Item, Limits, Plan, Programs, Rights};
use crate::report::Report;
use crate::settings::Settings;
use crate::supervise::supervise;
use crate::system::System;

/// Versions that brought something, up to that of this kernel.
fn versions() -> impl Iterator<Item = u32> {
    let known = landlock_version();
    if known == 0 {
        cases::skip("this host has no Landlock");
    }
    [1, 2, 3, 5, 6, 7].into_iter().filter(move |version| *version <= known)
}

/// What a shell's script comes to, with `version`, in a folder that may be read and one that may be written to.
fn run(version: u32, folder: &Folder, script: &str) -> (Outcome, Report, Vec<&'static str>) {
    let mut tree = System::whole().items;
    for (name, rights) in [("read", Rights::Read), ("write", Rights::Write)] {
        tree.push(Item::Host { from: folder.at(name), at: folder.at(name), rights });
    }
    let plan = Plan {
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: folder.at("write"),
        limits: Limits { memory_in_all: None, cpu_in_all: None, ..Limits::default() },
        ..Plan::new("/bin/sh", tree, Programs::Any)
    };
    let prepared = of_version(&plan, &Settings::default(), &Keeps::default(), version).unwrap();
    let missing = prepared.shortfalls.iter().map(|shortfall| shortfall.property).collect();
    let followed = supervise(prepared.way, &plan, None, Arc::new(Internet), Groups::default()).unwrap();
    (followed.outcome, prepared.report, missing)
}

fn folder() -> Folder {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new().file("read/file", "only read").folder("write");
    for (name, mode) in [("", 0o755), ("read", 0o777), ("read/file", 0o666), ("write", 0o777)] {
        fs::set_permissions(folder.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    folder
}

/// The processes that have `word` on their command line.
fn alive(word: &str) -> usize {
    let has = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(has).count()
}

#[test]
fn every_version_ends_everybody_who_was_left() {
    for version in versions() {
        let folder = folder();
        let word = format!("6{version}{}", std::process::id());
        // A daemon, one that would leave the group, and one that ignores what it may.
        let script = format!(
            "(sleep {word} &); (setsid sleep {word} &); (trap '' TERM HUP INT; sleep {word} & exit) ; sleep 0.2; exit 5"
        );
        let (outcome, report, missing) = run(version, &folder, &script);
        assert_eq!(outcome.ending, Ending::Exited(5), "{version}");
        assert_eq!(alive(&word), 0, "{version}");
        assert_eq!(report.landlock, Some(version));
        assert_eq!(missing.contains(&"signals among its own processes"), version < 6, "{version}");
    }
}

#[test]
fn a_program_ends_its_own_children_where_signals_stay_inside_and_nobody_where_they_do_not() {
    for version in versions() {
        let script = "sleep 600 & kill -0 $! && echo asked; kill -9 $! 2>/dev/null && echo ended; \
                      setsid true 2>/dev/null && echo session; exit 0";
        let said = String::from_utf8(run(version, &folder(), script).0.output).unwrap();
        let expected = if version < 6 { "asked\n" } else { "asked\nended\nsession\n" };
        assert_eq!(said, expected, "{version}");
    }
}

#[test]
fn no_version_lets_a_file_be_cut_short_that_is_only_read() {
    for version in versions() {
        let folder = folder();
        let script = format!(
            "truncate -s 0 {0} 2>/dev/null; true > {0} 2>/dev/null; dd if=/dev/null of={0} 2>/dev/null; \
             perl -e 'use Fcntl; truncate(\"{0}\", 0); sysopen(F, \"{0}\", O_RDONLY|O_TRUNC); sysopen(F, \"{0}\", 3|O_TRUNC);'; \
             echo new > file && truncate -s 1 file && cat file; exit 0",
            folder.at("read/file").display()
        );
        let outcome = run(version, &folder, &script).0;
        assert_eq!(fs::read(folder.at("read/file")).unwrap(), b"only read", "{version}");
        // `truncate` opens what it cuts.
        assert_eq!(outcome.output, b"n", "{version}: {}", String::from_utf8_lossy(&outcome.errors));
    }
}

#[test]
fn the_program_reads_and_writes_what_is_listed_and_nothing_else() {
    for version in versions() {
        let folder = folder();
        fs::write(folder.at("secret"), "secret").unwrap();
        let script = format!(
            "cat {0}/read/file; echo x > {0}/write/file && cat {0}/write/file; cat {0}/secret; echo y > {0}/read/new; exit 0",
            folder.path().display()
        );
        let outcome = run(version, &folder, &script).0;
        assert_eq!(outcome.output, b"only readx\n", "{version}");
        assert!(!folder.at("read/new").exists() && folder.at("write/file").exists(), "{version}");
    }
}

#[test]
fn without_landlock_there_is_no_such_sandbox() {
    let plan = Plan::new("/bin/sh", System::whole().items, Programs::Any);
    assert!(of_version(&plan, &Settings::default(), &Keeps::default(), 0).is_err());
}
