//! Nothing is left on the host: its files, mounts, processes, sockets, control groups and this process's own descriptors and
//! threads are the same after many runs that end in every way.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kitbag_sandbox::egress::Hosts;
use kitbag_sandbox::{
    Afterwards, Auditing, Backend, Breach, Ending, Item, Network, Plan, Programs, WatchLimits, Watched,
};

use crate::kill::alive;
use crate::world::World;

on_each_backend! {
    nothing_is_left_of_two_hundred_runs_that_end_in_every_way,
}

/// Set for a run of these tests that has a process to itself: other tests open and close what is counted here.
const ALONE: &str = "KITBAG_ATTACK_ALONE";

/// How often each way of ending is gone through: seventeen ways, 204 runs.
const ROUNDS: usize = 12;

fn nothing_is_left_of_two_hundred_runs_that_end_in_every_way(world: &World) {
    let me = std::env::current_exe().unwrap();
    let output = Command::new(me)
        .args(["--exact", "residue::a_process_of_its_own", "--nocapture"])
        .env(ALONE, world.backend.name())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("runs left nothing"), "{said}");
}

#[test]
fn a_process_of_its_own() {
    let Ok(backend) = std::env::var(ALONE) else { return };
    let backend = Backend::ALL.iter().find(|known| known.name() == backend).unwrap();
    let world = World::on(*backend).unwrap();
    let word = format!("kitbag-residue-{}", std::process::id());
    // What is made once for all runs is made by the first.
    assert_eq!(go_through(&world, &word), WAYS);
    let before = Host::now(&world);
    let runs: usize = (0..ROUNDS).map(|_| go_through(&world, &word)).sum();
    assert!(alive(&word).is_empty(), "a process is left");
    let after = Host::now(&world);
    assert_eq!(before.files.changes(&after.files), []);
    assert_eq!(before.temporary, after.temporary);
    assert_eq!(before.mounts, after.mounts);
    assert_eq!((before.groups, after.groups), (Vec::new(), Vec::new()));
    assert_eq!(before.descriptors, after.descriptors);
    assert_eq!(before.threads, after.threads);
    assert_eq!(before.children, after.children);
    println!("{runs} runs left nothing");
}

/// What a run could leave something of.
struct Host {
    files: Watched,
    temporary: BTreeSet<PathBuf>,
    mounts: String,
    groups: Vec<PathBuf>,
    descriptors: Vec<PathBuf>,
    threads: usize,
    children: String,
}

impl Host {
    fn now(world: &World) -> Self {
        let names = |folder: &Path| -> BTreeSet<PathBuf> {
            fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
        };
        let own = |path: &PathBuf| path.to_string_lossy().contains("kitbag-sandbox");
        // Sockets and pipes are told apart by their numbers; how many there are is what counts.
        let kind = |link: PathBuf| match link.to_string_lossy().split_once(":[") {
            Some((kind, _)) => PathBuf::from(kind),
            None => link,
        };
        let descriptors = fs::read_dir("/proc/self/fd").unwrap();
        let mut descriptors: Vec<PathBuf> =
            descriptors.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok()).map(kind).collect();
        descriptors.sort();
        Self {
            files: Watched::new(world.work.parent().unwrap(), WatchLimits::default()).unwrap(),
            temporary: names(&std::env::temp_dir()).into_iter().filter(own).collect(),
            mounts: fs::read_to_string("/proc/self/mountinfo").unwrap(),
            groups: crate::groups::of_this_process(),
            descriptors,
            threads: names(Path::new("/proc/self/task")).len(),
            children: fs::read_to_string("/proc/thread-self/children").unwrap_or_default(),
        }
    }
}

/// How many ways there are.
const WAYS: usize = 17;

/// Runs a program that ends in each way; how many there were.
fn go_through(world: &World, word: &str) -> usize {
    let plan = world.plan(&Programs::Any);
    let shell = |script: &str| Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into(), word.into()],
        ..plan.clone()
    };
    let limited = |words: &[&str], set: &dyn Fn(&mut Plan)| {
        let mut plan = plan.clone();
        set(&mut plan);
        world.outcome(&plan, words).ending
    };
    let ends = |plan: &Plan| world.run(plan).unwrap().outcome.ending;
    let breached = [
        (
            limited(&["daemons", "3", "wait", "{work}/x", word], &|plan| {
                plan.limits.wall = Duration::from_millis(50);
            }),
            Breach::Wall,
        ),
        (limited(&["flood", "1", "x", "1", word], &|plan| plan.limits.output = 10), Breach::Output),
        (limited(&["flood", "2", "x", "1", word], &|plan| plan.limits.output = 10), Breach::Errors),
        (limited(&["flood", "1", "x", "1", word], &|plan| plan.limits.line = Some(10)), Breach::Line),
        (
            limited(&["file", "{work}/file", "100"], &|plan| plan.limits.file_size = Some(1 << 20)),
            Breach::FileSize,
        ),
        (
            limited(&["hold", "8", "20", "private", "wait"], &|plan| {
                plan.limits.memory_in_all = Some(64 << 20);
            }),
            Breach::Memory,
        ),
        (limited(&["spin", "on"], &|plan| plan.limits.cpu_in_all = Some(0)), Breach::CpuInAll),
    ];
    for (ending, breach) in breached {
        assert_eq!(ending, Ending::Breached(breach));
    }
    let mut count = breached.len();
    let mut counted = |is: bool, what: &str| {
        assert!(is, "{what}");
        count += 1;
    };
    let forks = limited(&["forks", "20"], &|plan| plan.limits.processes = Some(10));
    let expected = [Ending::Breached(Breach::Processes), Ending::Exited(0)];
    counted(expected.contains(&forks), "too many processes");
    counted(ends(&shell("exit 3")) == Ending::Exited(3), "a code");
    counted(ends(&shell("kill -9 $$")) == Ending::Signalled(9), "a signal");
    counted(limited(&["daemons", "3", "leave", "{work}/x", word], &|_| {}) == Ending::Exited(0), "daemons");
    counted(world.run(&Plan { program: "/nothing/here".into(), ..plan.clone() }).is_err(), "no program");
    let mut stopped = world.spawn(shell("sleep 60")).unwrap();
    stopped.stop();
    counted(stopped.wait().unwrap().outcome.ending == Ending::Stopped, "stopped");
    drop(world.spawn(shell("sleep 60")).unwrap());
    counted(true, "let go");
    let followed = Plan { audit: Auditing::Programs, ..shell("/usr/bin/true; exit 0") };
    counted(ends(&followed) == Ending::Exited(0), "followed");
    let hosts = Network::Listed(Hosts::parse(["declared.test"]).unwrap());
    let connected = Plan { network: hosts, ..shell("exit 0") };
    counted(ends(&connected) == Ending::Exited(0), "with a network");
    let mut kept = shell(&format!("echo x >{}/file; exit 0", world.free("kept").display()));
    kept.tree.push(Item::Memory {
        at: world.free("kept"),
        bytes: 1 << 20,
        files: 8,
        afterwards: Afterwards::Kept,
    });
    let run = world.run(&kept).unwrap();
    counted(run.outcome.ending == Ending::Exited(0) && run.kept.len() == 1, "kept");
    for name in ["x", "file"] {
        let _made = fs::remove_file(world.work.join(name));
    }
    count
}
