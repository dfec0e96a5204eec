//! Attacks on the end: 40. Nothing is left of a sandbox, however it ends.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use kitbag_sandbox::{Backend, Breach, Ending, Programs};

use crate::world::World;

on_each_backend! {
    daemons_end_with_the_program_that_started_them,
    daemons_end_with_the_time,
    everything_ends_with_a_supervisor_that_is_killed,
}

/// Set for a run of these tests that is a supervisor to be killed: the word its daemons are known by.
const SUPERVISED: &str = "KITBAG_ATTACK_SUPERVISED";

/// The processes that have `word` on their command line.
pub fn alive(word: &str) -> Vec<u32> {
    let has = |number: &u32| {
        let line = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let entries = fs::read_dir("/proc").unwrap();
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter(has).collect()
}

/// A word that no other test has: they run at the same time.
pub fn word(name: &str, world: &World) -> String {
    format!("kitbag-{name}-{}-{}", world.backend, std::process::id())
}

/// Waits until `met`, which must happen; how soon is not asked.
pub fn until(what: &str, met: impl Fn() -> bool) {
    for _ in 0..600 {
        if met() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}");
}

fn daemons_end_with_the_program_that_started_them(world: &World) {
    let plan = world.plan(&Programs::Any);
    let inside = word("daemon-inside", world);
    let outcome = world.outcome(&plan, &["daemons", "100", "leave", "{work}/started", &inside]);
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(world.work.join("started").exists());
    assert!(alive(&inside).is_empty(), "nothing is left");
    // Outside they live on.
    let outside = word("daemon-outside", world);
    world.seen_outside(&["daemons", "5", "leave", "{work}/again", &outside]);
    let left = alive(&outside);
    for process in &left {
        let process = rustix::process::Pid::from_raw(process.cast_signed()).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    }
    assert_eq!(left.len(), 5);
}

fn daemons_end_with_the_time(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.wall = Duration::from_secs(3);
    let inside = word("daemon-late", world);
    let outcome = world.outcome(&plan, &["daemons", "100", "wait", "{work}/started", &inside]);
    assert_eq!(outcome.ending, Ending::Breached(Breach::Wall));
    assert!(alive(&inside).is_empty(), "nothing is left");
}

fn everything_ends_with_a_supervisor_that_is_killed(world: &World) {
    let word = word("orphan", world);
    let me = std::env::current_exe().unwrap();
    let mut supervisor = Command::new(me)
        .args(["--exact", "kill::a_supervisor_to_be_killed", "--nocapture"])
        .env(SUPERVISED, format!("{} {word} {}", world.backend, world.work.display()))
        .spawn()
        .unwrap();
    let started = world.work.join("started");
    until("the daemons start", || started.exists());
    assert!(alive(&word).len() >= 50, "they are there");
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    until("the daemons end with their supervisor", || alive(&word).is_empty());
    crate::groups::cleared_up_by_another(world.backend, supervisor.id());
}

#[test]
fn a_supervisor_to_be_killed() {
    let Ok(given) = std::env::var(SUPERVISED) else { return };
    let [backend, word, work] = given.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let backend = Backend::ALL.iter().find(|known| known.name() == backend).unwrap();
    let Some(mut world) = World::on(*backend) else { return };
    world.work = work.into();
    let plan = world.plan(&Programs::Any);
    let outcome = world.outcome(&plan, &["daemons", "50", "wait", "{work}/started", word]);
    panic!("the program ended first: {}", outcome.ending);
}
