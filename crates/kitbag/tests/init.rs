//! `init`: a package to begin with, which checks clean, packs, and verifies clean.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::fs;
use std::path::Path;

use kitbag::check::{self, Warnings, check};
use kitbag::init::{Answer, Begun, Refusal, Request, Starter, init};
use kitbag::interrupt::Interrupt;
use kitbag::read::Source;
use kitbag::{pack, verify};
use kitbag_testkit::folder::Folder;

const STARTERS: [Starter; 2] = [Starter::Splice, Starter::Adcap];

fn answered(folder: &Folder, at: &str, starter: Starter, name: Option<&str>) -> Answer {
    let request = Request { folder: folder.at(at), starter, name: name.map(str::to_owned) };
    init(&request, &Interrupt::new()).unwrap()
}

fn begun(folder: &Folder, at: &str, starter: Starter, name: Option<&str>) -> Begun {
    match answered(folder, at, starter, name) {
        Answer::Begun(begun) => begun,
        other => unreachable!("{other:?}"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn is_clean(folder: &Folder, at: &str) -> bool {
    let request = check::Request {
        sources: vec![Source::Path(folder.at(at))],
        warnings: Warnings::Count,
        ..check::Request::default()
    };
    check(&request).unwrap().ok()
}

#[test]
fn a_starter_checks_packs_and_verifies_clean() {
    for starter in STARTERS {
        let folder = Folder::new();
        let begun = begun(&folder, "my-tool", starter, None);
        assert!(begun.stand_in && begun.id.ends_with("example/my-tool"), "{begun:?}");
        let request =
            check::Request { sources: vec![Source::Path(folder.at("my-tool"))], ..check::Request::default() };
        let report = check(&request).unwrap();
        let findings: Vec<_> = report.packages.iter().flat_map(|package| &package.findings).collect();
        assert!(findings.is_empty(), "{starter:?}: {findings:?}");
        assert!(
            report
                .packages
                .iter()
                .any(|package| package.faces.iter().any(|face| face.format == starter.format()))
        );

        let archive = folder.at("archive");
        let request = pack::Request {
            folder: folder.at("my-tool"),
            form: None,
            to: pack::Destination::File(archive.clone()),
            existing: pack::Existing::Keep,
        };
        let packed = match pack::pack(&request, &Interrupt::new()).unwrap() {
            pack::Answer::Packed(packed) => packed,
            other => unreachable!("{other:?}"),
        };
        assert!(packed.left_out.is_empty(), "{packed:?}");
        let expected = Some(packed.archive.sha256);
        let report = verify::verify(&verify::Request { path: archive, expected }).unwrap();
        assert!(report.ok(), "{report:?}");
    }
}

#[test]
fn a_package_may_be_called_otherwise_than_its_folder() {
    for starter in STARTERS {
        let folder = Folder::new();
        let begun = begun(&folder, "Some Folder", starter, Some("@acme/counter"));
        assert!(begun.id.ends_with("acme/counter") && !begun.stand_in);
        assert!(is_clean(&folder, "Some Folder"), "{starter:?}");
    }
}

#[test]
fn an_empty_folder_is_filled_and_one_with_anything_in_it_is_left_alone() {
    for starter in STARTERS {
        let folder = Folder::new().folder("empty").file("full/.hidden", "x").file("file", "x");
        let begun = begun(&folder, "empty", starter, Some("counter"));
        assert!(begun.files.iter().all(|file| folder.at("empty").join(file.as_str()).is_file()), "{begun:?}");
        assert!(!names(&folder.at("empty")).iter().any(|name| name.starts_with('.')));
        assert!(is_clean(&folder, "empty"), "{starter:?}");
        for taken in ["full", "file", "empty"] {
            let refused = answered(&folder, taken, starter, Some("counter"));
            assert!(matches!(refused, Answer::Refused(Refusal::Taken { .. })), "{taken}: {refused:?}");
        }
        assert_eq!(names(&folder.at("full")), [".hidden"]);
        assert_eq!(names(folder.path()), ["empty", "file", "full"]);
    }
}

#[test]
fn what_is_refused_or_fails_leaves_nothing() {
    for starter in STARTERS {
        let folder = Folder::new();
        assert!(matches!(
            answered(&folder, "x", starter, Some("No Name")),
            Answer::Refused(Refusal::Name { .. })
        ));
        assert!(matches!(
            answered(&folder, "技能", starter, None),
            Answer::Refused(Refusal::FolderName { .. })
        ));
        let request = Request { folder: folder.at("no/such/folder"), starter, name: Some("x".to_owned()) };
        assert!(init(&request, &Interrupt::new()).is_err(), "the folders above it are not made");
        let stopped = Interrupt::new();
        stopped.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        let request = Request { folder: folder.at("x"), starter, name: None };
        assert!(init(&request, &stopped).is_err());
        assert_eq!(names(folder.path()), [""; 0]);
        // The same request is carried out where nothing speaks against it.
        assert!(matches!(init(&request, &Interrupt::new()).unwrap(), Answer::Begun(_)));
    }
}
