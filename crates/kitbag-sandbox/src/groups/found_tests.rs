use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kitbag_testkit::folder::Folder;

use super::{Hierarchy, Mount, Place, Version, among, hierarchies, unescaped};
use crate::groups::Counted::{self, Cpu, Memory, Processes};

fn counts(of: &[Counted]) -> BTreeSet<Counted> {
    of.iter().copied().collect()
}

/// Where the own group of each tree is found: its version, its controllers and its folder.
fn found(own: &str, mounts: &str) -> Vec<(Version, String, String)> {
    let line = |hierarchy: &Hierarchy| {
        let controllers: Vec<&str> = hierarchy.controllers.iter().map(String::as_str).collect();
        (hierarchy.version, controllers.join(","), hierarchy.own.to_str().unwrap().to_owned())
    };
    hierarchies(own, mounts).iter().map(line).collect()
}

fn one(controllers: &str, own: &str) -> (Version, String, String) {
    (Version::One, controllers.to_owned(), own.to_owned())
}

fn two(own: &str) -> (Version, String, String) {
    (Version::Two, String::new(), own.to_owned())
}

#[test]
fn a_system_with_version_two_alone_is_read() {
    let own = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope\n";
    let mounts = "22 28 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n\
                  29 22 0:25 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";
    let group = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope";
    assert_eq!(found(own, mounts), [two(group)]);
}

#[test]
fn a_system_with_both_versions_is_read() {
    let own = "13:memory:/user.slice/user-0.slice/session-1.scope\n12:pids:/user.slice\n\
               4:cpu,cpuacct:/user.slice\n1:name=systemd:/user.slice/session-1.scope\n0::/user.slice/session-1.scope\n";
    let mounts = "30 23 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n\
                  31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw,nsdelegate\n\
                  32 30 0:28 / /sys/fs/cgroup/systemd rw,nosuid shared:11 - cgroup cgroup rw,xattr,name=systemd\n\
                  35 30 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:15 - cgroup cgroup rw,cpu,cpuacct\n\
                  36 30 0:32 / /sys/fs/cgroup/pids rw,nosuid shared:16 - cgroup cgroup rw,pids\n\
                  37 30 0:33 / /sys/fs/cgroup/memory rw,nosuid shared:17 - cgroup cgroup rw,memory\n";
    assert_eq!(
        found(own, mounts),
        [
            one("memory", "/sys/fs/cgroup/memory/user.slice/user-0.slice/session-1.scope"),
            one("pids", "/sys/fs/cgroup/pids/user.slice"),
            one("cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/user.slice"),
            two("/sys/fs/cgroup/unified/user.slice/session-1.scope"),
        ]
    );
}

#[test]
fn a_container_is_read_as_far_as_it_sees_its_groups() {
    // With a namespace of groups: its own is the top.
    let mounted = |root: &str, options: &str| {
        format!("721 716 0:26 {root} /sys/fs/cgroup {options},nosuid,nodev - cgroup2 cgroup rw,nsdelegate\n")
    };
    assert_eq!(found("0::/\n", &mounted("/", "rw")), [two("/sys/fs/cgroup/")]);
    // Which a container mostly only reads.
    assert_eq!(found("0::/\n", &mounted("/", "ro")), []);
    // Without one, what is mounted is its own group alone.
    let own = "0::/docker/0123abcd\n";
    assert_eq!(found(own, &mounted("/docker/0123abcd", "rw")), [two("/sys/fs/cgroup/")]);
    assert_eq!(found(own, &mounted("/docker", "rw")), [two("/sys/fs/cgroup/0123abcd")]);
    // Or another.
    assert_eq!(found(own, &mounted("/docker/0123", "rw")), []);
    assert_eq!(found(own, &mounted("/docker/other", "rw")), []);
    // A process that was moved out of its namespace, and a mount from outside of it.
    assert_eq!(found("0::/../other\n", &mounted("/", "rw")), []);
    assert_eq!(found("0::/x\n", &mounted("/../..", "rw")), []);
    // Version 1 in a container, as docker mounts it.
    let own = "9:memory:/docker/0123abcd\n8:cpu,cpuacct:/docker/0123abcd\n";
    let mounts = "600 590 0:33 /docker/0123abcd /sys/fs/cgroup/memory ro,nosuid master:17 - cgroup cgroup rw,memory\n\
                  601 590 0:31 /docker/0123abcd /sys/fs/cgroup/cpu,cpuacct rw,nosuid master:15 - cgroup cgroup rw,cpu,cpuacct\n";
    assert_eq!(found(own, mounts), [one("cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/")]);
}

#[test]
fn what_is_mounted_over_is_not_seen_and_the_last_of_several_is() {
    let own = "0::/a\n";
    let two_at = |at: &str| format!("31 30 0:27 / {at} rw - cgroup2 cgroup2 rw\n");
    let both = two_at("/sys/fs/cgroup") + &two_at("/run/groups");
    assert_eq!(found(own, &both), [two("/run/groups/a")]);
    let below = two_at("/run/groups") + "40 30 0:99 /b /run/groups rw - cgroup2 cgroup2 rw\n";
    assert_eq!(found(own, &below), [], "another group covers it");
}

#[test]
fn a_path_with_anything_in_it_is_one_path() {
    assert_eq!(unescaped("/a\\040b\\134c\\011\\012"), Some(PathBuf::from("/a b\\c\t\n")));
    for wrong in ["/a\\", "/a\\04", "/a\\0x4", "/a\\+40", "/a\\999", "/a\\400"] {
        assert_eq!(unescaped(wrong), None, "{wrong}");
    }
    let mounts = "31 30 0:27 / /a\\040b rw - cgroup2 cgroup2 rw\n";
    assert_eq!(found("0::/x:y z\n", mounts), [two("/a b/x:y z")]);
}

#[test]
fn whatever_the_texts_are_reading_them_ends_and_finds_nothing_that_is_not_there() {
    for own in
        ["", "\n", ":", "::", "0:", "0::", "0::relative", "x::/a", "-1::/a", "99999999999::/a", "0::/a/../b"]
    {
        assert_eq!(found(own, "31 30 0:27 / /m rw - cgroup2 cgroup2 rw\n"), [], "{own:?}");
    }
    assert_eq!(found("3:memory:/a\n", "31 30 0:27 / /m rw - cgroup cgroup rw,memory\n").len(), 1, "a twin");
    for mounts in [
        "",
        "31 30 0:27 / /m rw",
        "31 30 0:27 / /m rw -",
        "31 30 0:27 / /m rw - cgroup",
        "31 30 0:27 / /m rw - cgroup cgroup",
        "31 30 0:27 / - cgroup cgroup rw,memory",
        "31 30 0:27 / /m rw - tmpfs cgroup rw,memory",
        "31 30 0:27 / /m rw - cgroup cgroup rw,memory_pressure",
        "31 30 0:27 / /m rw - cgroup2 cgroup2 rw,memory",
        "31 30 0:27 / /m\\ rw - cgroup cgroup rw,memory",
    ] {
        assert_eq!(found("3:memory:/a\n", mounts), [], "{mounts:?}");
    }
    let line = "31 30 0:27 / /m rw shared:4 - cgroup cgroup rw,memory";
    assert!(Mount::read(line).is_some());
    for at in 0..line.len() {
        let _cut = Mount::read(&line[..at]);
        let mut changed = line.as_bytes().to_vec();
        changed[at] ^= 0x15;
        let _changed = Mount::read(&String::from_utf8_lossy(&changed));
    }
}

/// A tree of groups as files, and the place that is found in it for a process in `own`.
struct Tree(Folder);

impl Tree {
    fn new() -> Self {
        Self(Folder::new())
    }

    /// A group of version 2 that hands `down` what is said, with `files` besides.
    fn group(self, path: &str, down: &str, files: &[(&str, &str)]) -> Self {
        let group = self.0.at("top").join(path);
        fs::create_dir_all(&group).unwrap();
        for (name, text) in [("cgroup.subtree_control", down), ("cgroup.procs", "")].iter().chain(files) {
            fs::write(group.join(name), text).unwrap();
        }
        self
    }

    fn two(&self, own: &str) -> Hierarchy {
        let top = self.0.at("top");
        Hierarchy { version: Version::Two, controllers: BTreeSet::new(), own: top.join(own), top }
    }

    fn one(&self, controllers: &[&str], own: &str) -> Hierarchy {
        let controllers = controllers.iter().map(|name| (*name).to_owned()).collect();
        Hierarchy { version: Version::One, controllers, ..self.two(own) }
    }

    /// Where something is counted, relative to the top, and what.
    fn places(&self, hierarchies: &[Hierarchy], wanted: &[Counted]) -> Vec<(String, BTreeSet<Counted>)> {
        let top = self.0.at("top");
        let relative = |place: Place| {
            let above = place.above.strip_prefix(&top).unwrap_or(Path::new("?")).to_str().unwrap().to_owned();
            (above, place.counts)
        };
        among(hierarchies, &counts(wanted)).into_iter().map(relative).collect()
    }
}

const ALL: [Counted; 3] = [Memory, Processes, Cpu];

#[test]
fn the_nearest_group_that_hands_something_down_is_taken() {
    let tree = Tree::new()
        .group("", "cpu memory pids", &[])
        .group("user", "memory pids", &[("pids.max", "100")])
        .group("user/app", "memory pids\n", &[("memory.max", "1000000")])
        .group(
            "user/app/run",
            "",
            &[("memory.max", "max\n"), ("pids.max", "max\n"), ("cpu.max", "max 100000\n")],
        );
    assert_eq!(tree.places(&[tree.two("user/app/run")], &ALL), [("user/app".to_owned(), counts(&ALL))]);
    // The limits of the group that is taken hold still; so one that sets some is no hindrance.
    assert_eq!(tree.places(&[tree.two("user/app")], &ALL), [("user/app".to_owned(), counts(&ALL))]);
}

#[test]
fn a_group_that_limits_its_caller_is_never_left() {
    for (name, limit) in [
        ("memory.max", "1000000\n"),
        ("memory.high", "1000000\n"),
        ("memory.swap.max", "0\n"),
        ("pids.max", "20\n"),
        ("cpu.max", "50000 100000\n"),
        ("cpuset.cpus", "0-1\n"),
        ("io.max", "8:0 rbps=1048576 wbps=max\n"),
    ] {
        let tree = Tree::new().group("", "memory pids", &[]).group("run", "", &[(name, limit)]);
        // What needs no controller is counted in a group below.
        assert_eq!(tree.places(&[tree.two("run")], &ALL), [("run".to_owned(), counts(&[Cpu]))], "{name}");
        let tree = Tree::new().group("", "memory pids", &[]).group("run", "", &[(name, "")]);
        assert_eq!(tree.places(&[tree.two("run")], &ALL), [(String::new(), counts(&ALL))], "{name}");
        // Nor from further below.
        let tree =
            Tree::new().group("", "memory", &[]).group("run", "", &[(name, limit)]).group("run/x", "", &[]);
        assert_eq!(tree.places(&[tree.two("run/x")], &[Memory]), [], "{name}");
    }
}

#[test]
fn what_is_handed_down_in_part_is_counted_in_part() {
    let tree = Tree::new().group("", "pids", &[]).group("run", "", &[]);
    let places = tree.places(&[tree.two("run")], &ALL);
    assert_eq!(places, [(String::new(), counts(&[Processes, Cpu]))]);
    assert_eq!(tree.places(&[tree.two("run")], &[Memory]), []);
    // A name is not a part of another.
    let tree = Tree::new().group("", "hugetlb mem memoryx", &[]).group("run", "", &[]);
    assert_eq!(tree.places(&[tree.two("run")], &[Memory]), []);
}

#[test]
fn each_thing_is_counted_once_and_where_it_can_be() {
    let tree = Tree::new().group("", "", &[]).group("two", "", &[]).group("memory/own", "", &[]);
    let tree = tree.group("pids", "", &[]).group("cpu", "", &[]);
    let trees = [
        tree.one(&["memory"], "memory/own"),
        tree.one(&["pids"], "pids"),
        tree.one(&["cpu", "cpuacct"], "cpu"),
        tree.one(&["freezer"], "freezer"),
        tree.two("two"),
    ];
    let place = |above: &str, counted| (above.to_owned(), counts(&[counted]));
    assert_eq!(
        tree.places(&trees, &ALL),
        [place("memory/own", Memory), place("pids", Processes), place("cpu", Cpu)]
    );
    assert_eq!(tree.places(&trees, &[Processes]), [place("pids", Processes)]);
    // Where no tree of version 1 counts the time, version 2 does.
    assert_eq!(tree.places(&trees[3..], &ALL), [place("two", Cpu)]);
    // Two controllers at one place have one group.
    let both = [tree.one(&["memory", "pids"], "memory/own")];
    assert_eq!(tree.places(&both, &ALL), [("memory/own".to_owned(), counts(&[Memory, Processes]))]);
}

#[test]
fn a_group_whose_limits_do_not_hold_below_it_is_not_taken() {
    for (choice, holds) in [("1\n", true), ("0\n", false), ("", false)] {
        let tree = Tree::new().group("own", "", &[("memory.use_hierarchy", choice)]);
        let places = tree.places(&[tree.one(&["memory"], "own")], &ALL);
        assert_eq!(places.len(), usize::from(holds), "{choice:?}");
    }
}

#[test]
fn a_group_that_is_not_there_or_not_the_callers_is_not_taken() {
    let tree = Tree::new().group("", "memory pids", &[]);
    assert_eq!(tree.places(&[tree.two("gone")], &ALL), []);
    assert_eq!(tree.places(&[tree.one(&["memory"], "gone")], &ALL), []);
    let tree = tree.group("bare", "memory", &[]);
    fs::remove_file(tree.0.at("top/bare/cgroup.procs")).unwrap();
    assert_eq!(tree.places(&[tree.two("bare")], &ALL), []);
    if !rustix::process::geteuid().is_root() {
        let mut closed = fs::metadata(tree.0.at("top")).unwrap().permissions();
        closed.set_readonly(true);
        fs::set_permissions(tree.0.at("top"), closed).unwrap();
        assert_eq!(tree.places(&[tree.two("")], &ALL), []);
    }
}
