//! What is said of this host is what canaries have shown.

use std::path::{Path, PathBuf};

use kitbag_sandbox::doctor::{Attack, Health, Tried, Version, examine, interpreters};
use kitbag_sandbox::{Backend, Choice, Settings};
use kitbag_testkit::folder::Folder;

use crate::world::{World, open_to_all, tools};

#[test]
fn a_canary_is_heard_outside_and_in_no_backend() {
    let Some(tools) = tools() else { return };
    let folder = Folder::new();
    let examined = examine(&tools.stage, folder.path()).unwrap();
    assert_eq!(examined.len(), Backend::ALL.len());
    for one in examined {
        if World::on(one.backend).is_none() {
            assert!(!one.holds());
            continue;
        }
        assert!(one.holds(), "{one:?}");
        let Health::Works { report, canaries } = &one.health else { panic!("{one:?}") };
        let has_namespaces = one.backend != Backend::Landlock;
        assert_eq!((report.l2_eligible(), report.files_hidden), (has_namespaces, has_namespaces), "{report}");
        assert_eq!(canaries.len(), Attack::ALL.len());
        for canary in canaries {
            // A host may refuse namespaces to everybody; everything else works outside.
            if canary.attack != Attack::Namespace {
                assert_eq!(canary.outside, Tried::Open, "{canary:?}");
            }
        }
    }
}

#[test]
fn a_program_that_does_not_lend_itself_is_no_canary() {
    let folder = Folder::new();
    let error = examine(Path::new("/usr/bin/true"), folder.path()).unwrap_err();
    assert!(error.to_string().contains("does not lend itself"), "{error}");
    let missing = Folder::new();
    assert!(examine(Path::new("/nothing/here"), missing.path()).is_err());
}

#[test]
fn interpreters_are_asked_where_nothing_else_may_be_started() {
    let Some(world) = World::new() else { return };
    let settings = Settings { backend: Choice::Only(Backend::Native), ..world.settings.clone() };
    let odd = Folder::new().file("python3", "#!/usr/bin/env bash\necho Python 99\n");
    open_to_all(&odd.at("python3"));
    let of = |search: &[PathBuf], name: &str| {
        interpreters(search, &settings).into_iter().find(|one| one.name == name).unwrap()
    };
    let shell = of(&["relative".into(), "/nothing/here".into(), "/usr/bin".into()], "sh");
    assert_eq!((shell.path, shell.version), (Some("/usr/bin/sh".into()), Version::Said(String::new())));
    // The first one counts, as for a shell; one that is a script starts what is not listed.
    let python = of(&[odd.path().to_owned(), "/usr/bin".into()], "python3");
    assert_eq!(python.path, Some(odd.at("python3")));
    assert!(matches!(python.version, Version::Silent(_)), "{python:?}");
    let nothing = of(&["/nothing/here".into()], "node");
    assert_eq!((nothing.path, nothing.version), (None, Version::Unasked));
}
