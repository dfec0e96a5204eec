use std::collections::BTreeSet;
use std::fs;

use kitbag_testkit::folder::Folder;

use super::{Counted, Group, Groups, NAME, clear_up, lock, works};
use crate::groups::found::{self, Place, Version};
use crate::plan::Limits;

fn everything() -> BTreeSet<Counted> {
    [Counted::Memory, Counted::Processes, Counted::Cpu].into()
}

/// The places of this host; says so where there are none.
fn places() -> Vec<Place> {
    let places = found::places(&everything());
    if places.is_empty() {
        kitbag_testkit::cases::skip("nobody lets this process make control groups");
    }
    places
}

#[test]
fn a_folder_that_is_no_group_is_never_held() {
    let folder = Folder::new().folder("above");
    assert!(lock(&folder.at("above")).is_err());
    for version in [Version::One, Version::Two] {
        let place = Place { version, above: folder.at("above"), counts: everything() };
        assert!(Group::make(&place).is_err());
        assert!(!works(&place));
        assert!(Groups::at(&[place], &Limits::default()).made.is_empty());
    }
    assert_eq!(fs::read_dir(folder.at("above")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_group_is_held_by_one_and_is_gone_when_it_is_let_go() {
    for place in places() {
        let group = Group::make(&place).unwrap();
        let path = group.path.clone();
        assert!(path.is_dir());
        assert!(lock(&path).is_err(), "somebody holds it");
        clear_up(&place.above);
        assert!(path.is_dir(), "what is held is not cleared up");
        drop(group);
        assert!(!path.exists());
    }
}

#[test]
fn whoever_is_left_in_a_group_ends_with_it_and_nobody_else_does() {
    let sleep = || std::process::Command::new("sleep").arg("600").spawn().unwrap();
    for place in places() {
        let group = Group::make(&place).unwrap();
        let (mut left, mut other) = (sleep(), sleep());
        group.write("cgroup.procs", &left.id().to_string()).unwrap();
        let path = group.path.clone();
        drop(group);
        let ended = left.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(9));
        assert!(!path.exists());
        assert!(other.try_wait().unwrap().is_none(), "it was never in the group");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

#[test]
fn what_a_supervisor_that_was_killed_has_left_is_cleared_up() {
    for place in places() {
        let left = place.above.join(format!("{NAME}left-by-a-test"));
        let foreign = place.above.join("kitbag-foreign-of-a-test");
        for group in [&left, &foreign] {
            let _again = fs::remove_dir(group);
            fs::create_dir(group).unwrap();
        }
        clear_up(&place.above);
        let stayed = foreign.is_dir();
        fs::remove_dir(&foreign).unwrap();
        assert!(!left.exists() && stayed);
    }
}

#[test]
fn what_is_set_is_what_the_kernel_holds() {
    if places().is_empty() {
        return;
    }
    let limits = Limits { memory_in_all: Some(64 << 20), processes: Some(7), ..Limits::default() };
    let groups = Groups::make(&limits);
    let keeps = groups.keeps();
    groups.admit(Some(9)).unwrap();
    if keeps.has(Counted::Memory) {
        let group = groups.counting(Counted::Memory).unwrap();
        let name = if group.version == Version::One { "memory.limit_in_bytes" } else { "memory.max" };
        assert_eq!(group.number(name), Some(64 << 20));
    }
    if keeps.has(Counted::Processes) {
        assert_eq!(groups.counting(Counted::Processes).unwrap().number("pids.max"), Some(9));
    }
    if keeps.has(Counted::Cpu) {
        assert_eq!(groups.cpu(), Some(std::time::Duration::ZERO), "nobody was in it");
    }
    assert_eq!(groups.breach(), None);
    let paths: Vec<_> = groups.made.iter().map(|group| group.path.clone()).collect();
    assert!(!paths.is_empty());
    drop(groups);
    assert!(paths.iter().all(|path| !path.exists()));
}

#[test]
fn where_nothing_is_limited_there_is_no_group() {
    let limits = Limits { memory_in_all: None, processes: None, cpu_in_all: None, ..Limits::default() };
    assert!(Groups::make(&limits).made.is_empty());
}
