//! Attacks on files and mounts: 1 to 13.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use kitbag_sandbox::{Afterwards, Backend, Ending, EntryKind, Error, Item, PlanError, Programs, Rights};

use crate::world::{Attack, EACCES, ENOENT, EPERM, EROFS, EXDEV, OPEN, Seen, Twin, World};

on_each_backend! {
    no_file_that_runs_as_its_owner_is_left_on_the_host,
    what_is_not_listed_does_not_exist,
    what_is_listed_is_there,
    nothing_is_changed_that_is_not_written_to,
    only_what_may_be_written_is_written,
    nothing_is_brought_in_or_mounted,
    no_descriptor_of_the_caller_is_inherited,
    what_is_in_memory_is_gone_with_the_run,
    results_are_taken_out_without_believing_what_the_program_made;
    with_namespaces:
    the_systems_files_are_the_sandboxs_own,
    a_link_in_a_listed_folder_does_not_choose_where_the_next_thing_goes,
    what_only_exists_inside_is_never_made_in_a_folder_of_the_host,
}

fn what_is_not_listed_does_not_exist(world: &World) {
    let plan = world.plan(&Programs::Any);
    world.withstands(
        &plan,
        &[
            Attack(&["read", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["read", "/etc/shadow"], Twin::Root, ENOENT),
            Attack(&["read", "/proc/sys/kernel/hostname"], Twin::Anyone, ENOENT),
            Attack(&["read", "/proc/cmdline"], Twin::Anyone, ENOENT),
            Attack(&["list", "/tmp"], Twin::Anyone, ENOENT),
            Attack(&["list", "/run"], Twin::Anyone, ENOENT),
            Attack(&["list", "/var"], Twin::Anyone, ENOENT),
            Attack(&["list", "/sys"], Twin::Anyone, ENOENT),
            Attack(&["list", "/root"], Twin::Root, ENOENT),
            Attack(&["through-link", "{secret}", "{work}/link"], Twin::Anyone, ENOENT),
            Attack(&["exists", "{secret}"], Twin::Anyone, ENOENT),
        ],
    );
}

fn the_systems_files_are_the_sandboxs_own(world: &World) {
    let plan = world.plan(&Programs::Any);
    let outside = fs::read_to_string("/etc/passwd").unwrap();
    let inside = world.outcome(&plan, &["read", "/etc/passwd"]).output;
    assert_eq!(inside, b"open\nuser:x:1000:1000::/work:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n");
    assert_ne!(outside.as_bytes(), inside);
}

fn what_is_listed_is_there(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let refused = world.expected(&["read", "{secret}"], ENOENT);
    assert!(refused.contains(&world.seen_inside(&plan, &["read", "{secret}"])));
    plan.tree.push(Item::Host { from: world.secret.clone(), at: world.secret.clone(), rights: Rights::Read });
    let outcome = world.outcome(&plan, &["read", "{secret}"]);
    assert_eq!((outcome.ending, &*outcome.output), (Ending::Exited(0), &b"open\nthe secret"[..]));
    for there in ["/usr", "/proc", "/proc/self/fd", "/dev", "/etc", "/"] {
        let words = ["list", there];
        assert_eq!([world.seen_inside(&plan, &words)], world.expected(&words, OPEN), "{there}");
    }
}

fn nothing_is_changed_that_is_not_written_to(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    world.withstands(
        &plan,
        &[
            Attack(&["change", "mode", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "mode2", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "owner", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "times", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "attribute", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "look", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "watch", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "neither", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "path-mode", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "cut", "{secret}"], Twin::Anyone, ENOENT),
            Attack(&["change", "cut-open", "{secret}"], Twin::Anyone, ENOENT),
        ],
    );
    let read = world.at("read");
    fs::write(&read, "only read").unwrap();
    plan.tree.push(world.item(&read, "/read", Rights::Read));
    let (outside, inside) = (read.to_str().unwrap(), world.called("/read", &read));
    let mut wrong = Vec::new();
    for way in [
        "mode",
        "mode2",
        "owner",
        "times",
        "attribute",
        "path-mode",
        "open-mode",
        "open-times",
        "open-attribute",
        "cut",
        "cut-open",
    ] {
        if world.seen_outside(&["change", way, outside]) != Seen::Open {
            kitbag_testkit::cases::skip(&format!("files are not changed here by `{way}`"));
            continue;
        }
        let words = ["change", way, inside.to_str().unwrap()];
        let seen = world.seen_inside(&plan, &words);
        let expected = world.expected(&words, EROFS);
        if !expected.contains(&seen) {
            wrong.push(format!("{words:?} came to {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn only_what_may_be_written_is_written(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let package = world.at("package");
    fs::create_dir(&package).unwrap();
    crate::world::open_to_all(&package);
    let host = |rights| Item::Host { from: package.clone(), at: package.clone(), rights };
    plan.tree.push(host(Rights::Read));
    world.withstands(
        &plan,
        &[
            Attack(&["create", "/usr/attacked"], Twin::Root, EROFS),
            Attack(&["create", "/etc/attacked"], Twin::Root, EROFS),
            Attack(&["create", "/attacked"], Twin::Root, EROFS),
            Attack(&["create", "/dev/attacked"], Twin::Root, EROFS),
        ],
    );
    let path = package.join("attacked");
    let words = ["create", path.to_str().unwrap()];
    assert_eq!(world.seen_outside(&words), Seen::Open);
    let refused = if world.backend == Backend::Landlock { EACCES } else { EROFS };
    assert_eq!([world.seen_inside(&plan, &words)], refused);
    plan.tree.pop();
    plan.tree.push(host(Rights::Write));
    assert_eq!(world.seen_inside(&plan, &words), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["create", "{work}/made"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["keep", "{work}/kept"]), Seen::Open);
    assert!(world.work.join("kept").is_file(), "what is written in a folder of the host stays");
}

fn a_link_in_a_listed_folder_does_not_choose_where_the_next_thing_goes(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let package = world.at("package");
    fs::create_dir_all(package.join("there")).unwrap();
    crate::world::open_to_all(&package);
    let listed = |at: &str| {
        let item = |from, at: &str, rights| Item::Host { from, at: at.into(), rights };
        [item(package.clone(), "/package", Rights::Read), item(world.work.clone(), at, Rights::Write)]
    };
    let tree = plan.tree.clone();
    plan.tree.extend(listed("/package/there"));
    assert_eq!(world.seen_inside(&plan, &["create", "/package/there/made"]), Seen::Open);
    symlink("/usr", package.join("elsewhere")).unwrap();
    plan.tree = tree;
    plan.tree.extend(listed("/package/elsewhere"));
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert_eq!(refused.to_string(), "could not put what is listed in its place");
}

fn what_only_exists_inside_is_never_made_in_a_folder_of_the_host(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let tree = plan.tree.clone();
    let made = |at: &str| Item::File { at: at.into(), content: b"made".to_vec() };
    plan.tree.push(made("/beside/file"));
    assert_eq!(world.seen_inside(&plan, &["read", "/beside/file"]), Seen::Open);
    plan.tree = tree;
    plan.tree.push(made("/work/file"));
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(refused, Error::Plan(PlanError::InsideHost(_))), "{refused:?}");
    assert!(!world.work.join("file").exists());
}

fn nothing_is_brought_in_or_mounted(world: &World) {
    world.withstands(
        &world.plan(&Programs::Any),
        &[
            Attack(&["hard-link", "/usr/bin/env", "{work}/hard"], Twin::Root, EXDEV),
            // The first process is the supervisor's copy: not even its name is seen.
            Attack(&["list", "/proc/1/root"], Twin::Root, ENOENT),
            Attack(&["read", "/proc/1/environ"], Twin::Root, ENOENT),
            Attack(&["read", "/proc/1/cmdline"], Twin::Anyone, ENOENT),
            Attack(&["device", "{work}/device"], Twin::Root, &[Seen::Errno(1), Seen::Errno(13)]),
            Attack(&["mount", "mount", "{work}"], Twin::Root, EPERM),
            Attack(
                &["mount", "remount", "{work}"],
                Twin::Is(&[Seen::Open, Seen::Errno(22), Seen::Errno(1)]),
                EPERM,
            ),
            Attack(&["mount", "umount", "{work}"], Twin::Root, EPERM),
            Attack(&["mount", "chroot", "{work}"], Twin::Root, EPERM),
            Attack(&["mount", "pivot", "{work}"], Twin::Root, EPERM),
            Attack(&["mount", "open_tree", "{work}"], Twin::Root, EPERM),
            Attack(&["mount", "fsopen", "{work}"], Twin::Root, EPERM),
            Attack(&["mount", "move_mount", "{work}"], Twin::Root, EPERM),
            Attack(&["handle", "/usr/bin/env"], Twin::Root, EPERM),
        ],
    );
}

fn no_descriptor_of_the_caller_is_inherited(world: &World) {
    let file = fs::File::open(&world.secret).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let number = file.as_raw_fd().to_string();
    let Seen::Text(outside) = world.seen_outside(&["descriptors"]) else { panic!("no list") };
    assert!(outside.split(' ').any(|fd| fd == number), "{outside}");
    assert_eq!(
        world.seen_inside(&world.plan(&Programs::Any), &["descriptors"]),
        Seen::Text("0 1 2 ".to_owned())
    );
}

fn what_is_in_memory_is_gone_with_the_run(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.tree.push(Item::Memory {
        at: world.free("tmp"),
        bytes: 1 << 20,
        files: 8,
        afterwards: Afterwards::Gone,
    });
    let (folder, left) = (world.free("tmp"), world.free("tmp").join("left"));
    let list = ["list", folder.to_str().unwrap()];
    assert_eq!(world.seen_inside(&plan, &list), Seen::Text("empty".to_owned()));
    assert_eq!(world.seen_inside(&plan, &["keep", left.to_str().unwrap()]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &list), Seen::Text("empty".to_owned()));
    assert!(!world.at("tmp").exists(), "nothing is left outside");
}

fn results_are_taken_out_without_believing_what_the_program_made(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.tree.extend([
        Item::Memory { at: world.free("gone"), bytes: 1 << 20, files: 8, afterwards: Afterwards::Gone },
        Item::Memory { at: world.free("results"), bytes: 1 << 20, files: 20, afterwards: Afterwards::Kept },
    ]);
    plan.program = "/bin/sh".into();
    let script = format!(
        "cd {1}; mkdir -p deep/er; echo made > deep/er/file; ln -s {0} link; ln -s {1}/deep folder; mkfifo pipe; \
         ln -s ../../../../../..{0} deep/up",
        world.secret.display(),
        world.free("results").display(),
    );
    plan.arguments = vec!["-c".into(), script.into()];
    plan.environment = vec![("PATH".into(), "/usr/bin".into())];
    let run = world.run(&plan).unwrap();
    assert_eq!(run.outcome.ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&run.outcome.errors));
    let [kept] = &*run.kept else { panic!("{:?}", run.kept) };
    assert_eq!(kept.at(), world.free("results"));
    let entries = kept.entries(20).unwrap();
    let listed: Vec<(&str, EntryKind)> =
        entries.iter().map(|entry| (entry.path.to_str().unwrap(), entry.kind)).collect();
    assert_eq!(
        listed,
        [
            ("deep", EntryKind::Folder),
            ("deep/er", EntryKind::Folder),
            ("deep/er/file", EntryKind::File(5)),
            ("deep/up", EntryKind::Other),
            ("folder", EntryKind::Other),
            ("link", EntryKind::Other),
            ("pipe", EntryKind::Other),
        ]
    );
    let read = |path: &str, at_most| kept.read(Path::new(path), at_most);
    assert_eq!(read("deep/er/file", 5).unwrap(), b"made\n");
    assert!(read("deep/er/file", 4).is_err(), "too long");
    for path in
        ["link", "deep/up", "folder/er/file", "pipe", "deep", "", "/etc/passwd", "../secret", "missing"]
    {
        assert!(read(path, 100).is_err(), "{path}");
    }
    assert!(kept.entries(6).is_err(), "too many");
    drop(run);
    assert!(!world.at("results").exists() && !world.at("gone").exists(), "nothing is left outside");
}

fn no_file_that_runs_as_its_owner_is_left_on_the_host(world: &World) {
    let plan = world.plan(&Programs::Any);
    let ways = ["open", "group", "unnamed", "node", "descriptor", "path", "at", "at2"];
    let attacks = ways.map(|way| vec!["mode", way, "{work}/file"]);
    let mut wrong = Vec::new();
    for words in &attacks {
        if world.seen_outside(words) == Seen::Errno(38) {
            kitbag_testkit::cases::skip(&format!("this host has no call for {words:?}"));
            continue;
        }
        assert_eq!(world.seen_outside(words), Seen::Open, "{words:?}");
        let inside = world.seen_inside(&plan, words);
        if inside != Seen::Errno(1) {
            wrong.push(format!("{words:?}: {inside:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let plain = ["mode", "plain", "{work}/file"];
    assert_eq!([world.seen_inside(&plan, &plain)], world.expected(&plain, OPEN));
}

#[test]
fn what_is_roots_is_the_programs_where_it_is_listed_and_nowhere_else() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    let Some(world) = World::new() else { return };
    if !crate::world::is_root() {
        return;
    }
    let mut plan = world.plan(&Programs::Any);
    let closed = world.at("closed");
    fs::create_dir(&closed).unwrap();
    for name in ["mine", "other"] {
        fs::write(closed.join(name), name).unwrap();
        fs::set_permissions(closed.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    chown(closed.join("other"), Some(1234), Some(1234)).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    plan.tree.push(Item::Host { from: closed.clone(), at: "/closed".into(), rights: Rights::Write });
    assert_eq!(world.seen_inside(&plan, &["read", "/closed/mine"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["read", "/closed/other"]), Seen::Errno(13), "somebody else's");
    assert_eq!(world.seen_inside(&plan, &["mode", "plain", "/closed/new"]), Seen::Open);
    let made = fs::metadata(closed.join("new")).unwrap();
    assert_eq!((made.uid(), made.gid()), (0, 0), "what it makes is the caller's");
    // The same folder, not listed, stays closed to the user that programs run as.
    let owner = fs::metadata(closed.join("mine")).unwrap().uid();
    assert_eq!(owner, 0, "nothing is changed on the disk");
    // A set-user-id file of root's would be the way out.
    assert_eq!(world.seen_inside(&plan, &["mode", "descriptor", "/closed/new"]), Seen::Errno(1));
    plan.tree.pop();
    plan.tree.push(Item::Host { from: closed, at: "/closed".into(), rights: Rights::Read });
    assert_eq!(world.seen_inside(&plan, &["read", "/closed/mine"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["create", "/closed/newer"]), Seen::Errno(30));
}
