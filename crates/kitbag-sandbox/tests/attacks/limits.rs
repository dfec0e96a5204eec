//! Attacks on resources: 39.

use std::time::Duration;

use kitbag_sandbox::{Afterwards, Breach, Ending, Item, Limits, Mechanism, Plan, Programs, Quantity, Report};

use crate::world::{Seen, World};

on_each_backend! {
    processor_time_of_all_processes_together_is_limited_and_named,
    memory_is_limited,
    memory_of_all_processes_together_is_limited_and_named,
    a_file_that_grows_too_large_is_named,
    open_files_are_limited_for_good,
    output_is_kept_up_to_the_limit_and_the_stream_is_named,
    processor_time_is_limited_even_for_who_ignores_the_signal,
    time_is_limited,
    input_is_given_whole_and_may_be_left;
    with_namespaces:
    processes_are_counted_whoever_the_caller_is,
    memory_of_the_tree_is_limited_in_all,
}

/// What keeps the limit of `quantity`.
pub fn kept_by(report: &Report, quantity: Quantity) -> Mechanism {
    let kept = report.limits.iter().find(|limited| limited.quantity == quantity);
    kept.unwrap_or_else(|| panic!("no limit of {quantity:?}: {report}")).by
}

fn processes_are_counted_whoever_the_caller_is(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    assert_eq!(world.seen_outside(&["forks", "60"]), Seen::Open);
    plan.limits.processes = Some(40);
    let run = world.inside(&plan, &["forks", "60"]).unwrap();
    let output = String::from_utf8(run.outcome.output).unwrap();
    // The attacker is one of the forty.
    let (refused, counted) = ("errno 11\nmade 39\n", kept_by(&run.report, Quantity::Processes));
    match counted {
        // Somebody outside is told, and ends it: before it has said so, or behind.
        Mechanism::Group => {
            assert_eq!(run.outcome.ending, Ending::Breached(Breach::Processes));
            assert!(refused.starts_with(&output), "{output}");
        }
        _ => assert_eq!((run.outcome.ending, &*output), (Ending::Exited(0), refused)),
    }
    assert_eq!(world.seen_inside(&plan, &["forks", "39"]), Seen::Open);
    // The next run begins at nought.
    assert_eq!(world.seen_inside(&plan, &["forks", "39"]), Seen::Open);
}

fn memory_is_limited(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.memory = Some(256 << 20);
    assert_eq!(world.seen_outside(&["memory", "6000"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["memory", "6000"]), Seen::Errno(12));
    assert_eq!(world.seen_inside(&plan, &["memory", "100"]), Seen::Open);
}

fn memory_of_all_processes_together_is_limited_and_named(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.memory_in_all = Some(64 << 20);
    for kind in ["private", "shared"] {
        assert_eq!(world.seen_outside(&["hold", "8", "20", kind, "leave"]), Seen::Open);
        // Each of them is well within its own limit.
        let outcome = world.outcome(&plan, &["hold", "8", "20", kind, "wait"]);
        assert_eq!(outcome.ending, Ending::Breached(Breach::Memory), "{kind}");
        assert_eq!(world.seen_inside(&plan, &["hold", "2", "20", kind, "leave"]), Seen::Open, "{kind}");
    }
    // Nor is there memory that no process has.
    assert_eq!(world.seen_outside(&["segment"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["segment"]), Seen::Errno(1));
}

fn processor_time_of_all_processes_together_is_limited_and_named(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.cpu_in_all = Some(1);
    // Each of its processes ends long before that.
    let many = "while :; do (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); done";
    let shell = |script: &str| Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        ..plan.clone()
    };
    let run = world.run(&shell(many)).unwrap();
    assert_eq!(run.outcome.ending, Ending::Breached(Breach::CpuInAll), "{:?}", run.report.limits);
    assert_eq!(world.run(&shell("(exit 3)")).unwrap().outcome.ending, Ending::Exited(3));
}

fn a_file_that_grows_too_large_is_named(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.file_size = Some(1 << 20);
    assert_eq!(world.seen_outside(&["file", "{work}/file", "100"]), Seen::Open);
    let large = world.outcome(&plan, &["file", "{work}/file", "100"]);
    assert_eq!(large.ending, Ending::Breached(Breach::FileSize));
    assert_eq!(world.seen_inside(&plan, &["file", "{work}/file", "1"]), Seen::Open);
    // A program that wants to know is told.
    assert_eq!(world.seen_inside(&plan, &["file", "{work}/file", "100", "told"]), Seen::Errno(27));
}

fn memory_of_the_tree_is_limited_in_all(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.tree.push(Item::Memory {
        at: "/tmp".into(),
        bytes: 4 << 20,
        files: 8,
        afterwards: Afterwards::Gone,
    });
    assert_eq!(world.seen_inside(&plan, &["fill", "/tmp/file", "8"]), Seen::Errno(28));
    assert_eq!(world.seen_inside(&plan, &["fill", "/tmp/file", "2"]), Seen::Open);
    assert_eq!(world.seen_outside(&["fill", "{work}/file", "8"]), Seen::Open);
}

fn open_files_are_limited_for_good(world: &World) {
    let plan = world.plan(&Programs::Any);
    assert_eq!(world.seen_outside(&["files", "300"]), Seen::Open);
    assert_eq!(world.seen_inside(&plan, &["files", "300"]), Seen::Errno(24));
    assert_eq!(world.seen_inside(&plan, &["files", "200"]), Seen::Open);
    let outcome = world.outcome(&plan, &["limits"]);
    assert_eq!(
        String::from_utf8(outcome.output).unwrap(),
        "core 1\nqueues 0\nlocked 65536\nrealtime 0\nnice 0\nsignals 1024\nstack 67108864\nerrno 1\n"
    );
}

fn output_is_kept_up_to_the_limit_and_the_stream_is_named(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.output = 100_000;
    for (words, breach) in [
        (["flood", "1", "x", "100"], Breach::Output),
        (["flood", "1", "l", "100"], Breach::Output),
        (["flood", "2", "x", "100"], Breach::Errors),
    ] {
        let outcome = world.outcome(&plan, &words);
        assert_eq!(outcome.ending, Ending::Breached(breach));
        let kept = if breach == Breach::Output { outcome.output } else { outcome.errors };
        assert_eq!(kept.len(), 100_000);
    }
    plan.limits.output = 1 << 20;
    let outcome = world.outcome(&plan, &["flood", "1", "x", "1"]);
    assert_eq!((outcome.ending, outcome.output.len()), (Ending::Exited(0), 1 << 20));
}

fn processor_time_is_limited_even_for_who_ignores_the_signal(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.cpu = Some(1);
    for words in [&["spin"][..], &["spin", "on"]] {
        assert_eq!(world.outcome(&plan, words).ending, Ending::Breached(Breach::Cpu), "{words:?}");
    }
    assert_eq!(world.outcome(&plan, &["nothing"]).ending, Ending::Exited(0));
}

fn time_is_limited(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let outcome = world.outcome(&plan, &["daemons", "0", "wait"]);
    assert_eq!(outcome.ending, Ending::Breached(Breach::Wall));
    plan.limits.wall = Duration::MAX;
    assert_eq!(world.outcome(&plan, &["nothing"]).ending, Ending::Exited(0));
}

fn input_is_given_whole_and_may_be_left(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    let text = "0123456789abcdef\n".repeat(20_000);
    plan.input = text.clone().into_bytes();
    plan.program = "/usr/bin/cat".into();
    let outcome = world.run(&plan).unwrap().outcome;
    assert_eq!((outcome.ending, outcome.output.len()), (Ending::Exited(0), text.len()));
    plan.program = "/usr/bin/true".into();
    assert_eq!(world.run(&plan).unwrap().outcome.ending, Ending::Exited(0));
}

#[test]
fn what_is_written_to_the_host_is_limited_in_all() {
    let Some(world) = World::new() else { return };
    let mut plan = world.plan(&Programs::Any);
    plan.limits.disk = Some(4 << 20);
    let shell = |script: &str| {
        let plan =
            Plan { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()], ..plan.clone() };
        let run = kitbag_sandbox::run(&plan).unwrap();
        for entry in std::fs::read_dir(&world.work).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        run.outcome.ending
    };
    // Many small files, each well within the limit of one, by a program that would go on for long.
    let small = "i=0; while :; do head -c 100000 /dev/zero >f$i; i=$((i+1)); done";
    assert_eq!(shell(small), Ending::Breached(Breach::Disk));
    // One that is faster than anybody looks is found out at the end.
    let fast = "for i in 0 1 2 3 4 5 6 7; do head -c 1000000 /dev/zero >f$i; done";
    assert_eq!(shell(fast), Ending::Breached(Breach::Disk));
    assert_eq!(shell("head -c 1000000 /dev/zero >f; rm f; head -c 1000000 /dev/zero >g"), Ending::Exited(0));
    // Holes take nothing.
    assert_eq!(shell("truncate -s 50M hole"), Ending::Exited(0));
    // What was there before does not count.
    std::fs::write(world.work.join("large"), vec![1; 8 << 20]).unwrap();
    assert_eq!(shell("echo x >new"), Ending::Exited(0));
    plan.limits.disk = None;
    let free = Plan { program: "/bin/sh".into(), arguments: vec!["-c".into(), fast.into()], ..plan.clone() };
    assert_eq!(kitbag_sandbox::run(&free).unwrap().outcome.ending, Ending::Exited(0));
}
