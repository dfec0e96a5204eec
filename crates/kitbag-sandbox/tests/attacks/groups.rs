//! Control groups: where there are some, they keep limits that are otherwise looked at, and leave nothing. Each is tried with
//! and without.

use std::fs;
use std::path::{Path, PathBuf};

use kitbag_sandbox::{
    Afterwards, Backend, Breach, Ending, Item, Lack, Mechanism, Outcome, Plan, Programs, Quantity, Report,
};
use kitbag_testkit::cases;

use crate::limits::kept_by;
use crate::world::{Seen, World};

on_each_backend! {
    memory_is_kept_at_every_moment,
    memory_that_no_process_maps_counts,
    one_process_too_many_names_the_limit,
    the_time_of_processes_that_have_ended_counts,
    a_run_is_in_a_group_of_its_own_and_the_group_ends_with_it,
    without_groups_everything_is_kept_as_far_as_it_can_be;
    with_namespaces:
    files_in_memory_count,
    nobody_inside_sees_or_leaves_the_group,
}

/// The groups that carry the name of a run of this process, at any depth.
pub fn of_this_process() -> Vec<PathBuf> {
    of(std::process::id())
}

/// As [`of_this_process`], of another.
pub fn of(process: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    below(Path::new("/sys/fs/cgroup"), &format!("kitbag-run-{process}-"), 16, &mut found);
    found.sort();
    found
}

fn below(folder: &Path, own: &str, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        if entry.file_name().to_string_lossy().starts_with(own) {
            found.push(entry.path());
        }
        if depth > 0 {
            below(&entry.path(), own, depth - 1, found);
        }
    }
}

/// Whether a group keeps `quantity` here. Where none does, says so: the test is skipped.
fn kept(report: &Report, quantity: Quantity) -> bool {
    let is_kept = kept_by(report, quantity) == Mechanism::Group;
    if !is_kept {
        cases::skip(&format!("no control group keeps {} for this user here", quantity.words()));
    }
    is_kept
}

fn report(world: &World, plan: &Plan) -> Report {
    world.inside(plan, &["nothing"]).unwrap().report
}

fn ending(world: &World, plan: &Plan, words: &[&str]) -> Ending {
    world.outcome(plan, words).ending
}

fn limited(world: &World) -> Plan {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.memory_in_all = Some(64 << 20);
    plan
}

fn memory_is_kept_at_every_moment(world: &World) {
    let plan = limited(world);
    if !kept(&report(world, &plan), Quantity::MemoryInAll) {
        return;
    }
    // Faster than anybody looks: it would have all of it before it ends by itself.
    let fast = ["hold", "1", "400", "private", "leave"];
    assert_eq!(world.seen_outside(&fast), Seen::Open);
    let Outcome { ending, memory, .. } = world.outcome(&plan, &fast);
    assert_eq!(ending, Ending::Breached(Breach::Memory));
    assert!(memory.is_none_or(|most| most <= 80 << 20), "{memory:?}");
    assert_eq!(world.seen_inside(&plan, &["hold", "1", "40", "private", "leave"]), Seen::Open);
    // A program that hides that one of its processes was ended.
    let mut hiding = plan.clone();
    hiding.program = "/bin/sh".into();
    let hold = |mebibytes: u32| {
        let script = format!("{} hold 1 {mebibytes} private leave; exit 0", world.attack().display());
        vec!["-c".into(), script.into()]
    };
    hiding.arguments = hold(400);
    assert_eq!(world.run(&hiding).unwrap().outcome.ending, Ending::Breached(Breach::Memory));
    hiding.arguments = hold(40);
    assert_eq!(world.run(&hiding).unwrap().outcome.ending, Ending::Exited(0));
}

fn memory_that_no_process_maps_counts(world: &World) {
    let plan = limited(world);
    if !kept(&report(world, &plan), Quantity::MemoryInAll) {
        return;
    }
    assert_eq!(world.seen_outside(&["unmapped", "200"]), Seen::Open);
    let mut large = plan.clone();
    large.limits.file_size = None;
    assert_eq!(ending(world, &large, &["unmapped", "200"]), Ending::Breached(Breach::Memory));
    assert_eq!(world.seen_inside(&large, &["unmapped", "20"]), Seen::Open);
}

fn files_in_memory_count(world: &World) {
    let mut plan = limited(world);
    if !kept(&report(world, &plan), Quantity::MemoryInAll) {
        return;
    }
    plan.limits.file_size = None;
    plan.tree.push(Item::Memory {
        at: "/tmp".into(),
        bytes: 400 << 20,
        files: 8,
        afterwards: Afterwards::Gone,
    });
    assert_eq!(ending(world, &plan, &["fill", "/tmp/file", "200"]), Ending::Breached(Breach::Memory));
    assert_eq!(world.seen_inside(&plan, &["fill", "/tmp/file", "20"]), Seen::Open);
    // What lies on disk does not, however much of it is read and written; a folder of the host may be in memory as well.
    const IN_MEMORY: i64 = 0x0102_1994;
    #[expect(clippy::useless_conversion, reason = "systems give it different types")]
    let kind = i64::try_from(rustix::fs::statfs(&world.work).unwrap().f_type).unwrap();
    let expected = if kind == IN_MEMORY { Ending::Breached(Breach::Memory) } else { Ending::Exited(0) };
    assert_eq!(ending(world, &plan, &["fill", "{work}/file", "200"]), expected);
}

fn one_process_too_many_names_the_limit(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.processes = Some(10);
    if !kept(&report(world, &plan), Quantity::Processes) {
        return;
    }
    assert_eq!(ending(world, &plan, &["forks", "10"]), Ending::Breached(Breach::Processes));
    assert_eq!(world.seen_inside(&plan, &["forks", "9"]), Seen::Open);
    // One that goes on for ever is ended long before its time.
    plan.program = "/bin/sh".into();
    plan.arguments = ["-c", "while :; do sleep 600 & done 2>/dev/null"].map(Into::into).to_vec();
    assert_eq!(world.run(&plan).unwrap().outcome.ending, Ending::Breached(Breach::Processes));
}

fn the_time_of_processes_that_have_ended_counts(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.cpu_in_all = Some(1);
    if !kept(&report(world, &plan), Quantity::CpuInAll) {
        return;
    }
    // Nobody waits for them, so nobody but the group has counted them when they are gone.
    plan.program = "/bin/bash".into();
    if !Path::new("/bin/bash").exists() {
        return cases::skip("`/bin/bash` is not installed");
    }
    let script = "trap '' CHLD; while :; do (for ((i = 0; i < 20000; i++)); do :; done); done";
    plan.arguments = ["-c", script].map(Into::into).to_vec();
    assert_eq!(world.run(&plan).unwrap().outcome.ending, Ending::Breached(Breach::CpuInAll));
}

fn a_run_is_in_a_group_of_its_own_and_the_group_ends_with_it(world: &World) {
    let plan = world.plan(&Programs::Any);
    let mut reporting = report(world, &plan);
    reporting.limits.retain(|limited| limited.by == Mechanism::Group);
    if reporting.limits.is_empty() {
        return cases::skip("no control group keeps anything for this user here");
    }
    let word = crate::kill::word("grouped", world);
    let shell = Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), "echo begun; sleep 600; exit 0".into(), word.clone().into()],
        ..plan
    };
    let mut process = world.spawn(shell).unwrap();
    assert_eq!(
        process.output.line(std::time::Duration::from_secs(60)),
        kitbag_sandbox::Line::Whole("begun".into())
    );
    let members = crate::kill::alive(&word);
    assert!(!members.is_empty());
    // Other tests of this process have groups at the same time.
    let groups: Vec<PathBuf> = of_this_process()
        .into_iter()
        .filter(|group| {
            let inside = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
            inside.lines().any(|line| members.iter().any(|member| line == member.to_string()))
        })
        .collect();
    assert!(!groups.is_empty());
    process.stop();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Stopped);
    assert!(groups.iter().all(|group| !group.exists()), "{groups:?}");
}

fn nobody_inside_sees_or_leaves_the_group(world: &World) {
    let plan = world.plan(&Programs::Any);
    let arguments = vec!["/proc/self/cgroup".into()];
    let reading = Plan { program: "/bin/cat".into(), arguments, ..plan.clone() };
    let said = String::from_utf8(world.run(&reading).unwrap().outcome.output).unwrap();
    assert!(said.lines().count() > 0, "{said}");
    assert!(said.lines().all(|line| line.ends_with(":/")), "{said}");
    assert_eq!(world.seen_inside(&plan, &["list", "/sys"]), Seen::Errno(2));
}

fn without_groups_everything_is_kept_as_far_as_it_can_be(world: &World) {
    let mut settings = world.settings.clone();
    settings.lacking.insert(Lack::Groups);
    let run = |plan: &Plan, words: &[&str]| {
        let arguments = words.iter().map(Into::into).collect();
        kitbag_sandbox::run_with(&Plan { arguments, ..plan.clone() }, &settings).unwrap()
    };
    let mut plan = limited(world);
    // Without namespaces the kernel counts others of the user as well, who come and go: see `landlock`.
    let is_alone = world.backend == Backend::Landlock;
    plan.limits.processes = Some(if is_alone { 2000 } else { 40 });
    plan.limits.cpu_in_all = Some(600);
    let plain = run(&plan, &["nothing"]);
    assert_eq!(plain.outcome.ending, Ending::Exited(0));
    for (quantity, by) in [
        (Quantity::MemoryInAll, Mechanism::Look),
        (Quantity::CpuInAll, Mechanism::Look),
        (Quantity::Processes, Mechanism::Rlimit),
    ] {
        assert_eq!(kept_by(&plain.report, quantity), by);
    }
    assert_eq!(
        run(&plan, &["hold", "8", "20", "private", "wait"]).outcome.ending,
        Ending::Breached(Breach::Memory)
    );
    assert_eq!(run(&plan, &["hold", "2", "20", "private", "leave"]).outcome.ending, Ending::Exited(0));
    if !is_alone {
        let forks = run(&plan, &["forks", "60"]).outcome;
        assert_eq!((forks.ending, &*forks.output), (Ending::Exited(0), &b"errno 11\nmade 39\n"[..]));
    }
    plan.program = "/bin/sh".into();
    plan.limits.cpu_in_all = Some(1);
    let many = "while :; do (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); done";
    assert_eq!(run(&plan, &["-c", many]).outcome.ending, Ending::Breached(Breach::CpuInAll));
}

/// Set for a run of these tests that only makes a sandbox.
const ANOTHER: &str = "KITBAG_ATTACK_ANOTHER";

/// Has another process make a sandbox, which clears up what a supervisor that was killed has left.
pub fn cleared_up_by_another(backend: Backend, process: u32) {
    let left = of(process);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "groups::another_process", "--nocapture"])
        .env(ANOTHER, backend.name())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(left.iter().all(|group| !group.exists()), "{left:?}");
}

#[test]
fn another_process() {
    let Ok(backend) = std::env::var(ANOTHER) else { return };
    let backend = Backend::ALL.iter().find(|known| known.name() == backend).unwrap();
    let world = World::on(*backend).unwrap();
    assert_eq!(ending(&world, &world.plan(&Programs::Any), &["nothing"]), Ending::Exited(0));
}
