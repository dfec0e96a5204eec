//! Programs that are talked with while they run.

use std::io::Read as _;
use std::time::Duration;

use kitbag_sandbox::{Breach, Ending, Error, Line, Plan, Programs, Step, spawn};

use crate::kill::{alive, until};
use crate::world::World;

/// Longer than anything takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

fn running(world: &World, program: &str, arguments: &[&str]) -> Plan {
    let arguments = arguments.iter().map(Into::into).collect();
    Plan { program: program.into(), arguments, ..world.plan(&Programs::Any) }
}

fn whole(line: &str) -> Line {
    Line::Whole(line.into())
}

#[test]
fn a_program_answers_line_by_line() {
    let Some(world) = World::new() else { return };
    let plan = Plan { input: b"first\n".to_vec(), ..running(&world, "/usr/bin/cat", &[]) };
    let mut cat = spawn(plan).unwrap();
    assert_eq!(cat.output.line(LONG), whole("first"), "what the plan says comes first");
    for word in ["one", "two", "three"] {
        assert_eq!(cat.output.line(Duration::ZERO), Line::Late, "nothing was asked");
        cat.send(format!("{word}\n"));
        assert_eq!(cat.output.line(LONG), whole(word));
    }
    cat.send("no end");
    cat.end_input();
    assert_eq!(cat.output.line(LONG), Line::Rest("no end".into()));
    assert_eq!(cat.output.line(LONG), Line::End);
    let run = cat.wait().unwrap();
    assert_eq!(run.outcome.ending, Ending::Exited(0));
    assert!(run.outcome.output.is_empty(), "it was taken already");
    assert!(run.report.files_hidden);
    assert!(matches!(cat.wait(), Err(Error::Lost)), "only once");
}

#[test]
fn much_goes_both_ways_at_once() {
    let Some(world) = World::new() else { return };
    let mut cat = spawn(running(&world, "/usr/bin/cat", &[])).unwrap();
    let text = "0123456789abcdef\n".repeat(100_000);
    cat.send(text.clone());
    cat.end_input();
    let mut said = String::new();
    cat.output.read_to_string(&mut said).unwrap();
    assert!(said == text, "{} of {} bytes", said.len(), text.len());
    assert_eq!(cat.wait().unwrap().outcome.ending, Ending::Exited(0));
}

#[test]
fn the_two_streams_stay_apart() {
    let Some(world) = World::new() else { return };
    let mut shell = spawn(running(&world, "/bin/sh", &["-c", "echo out; echo err >&2"])).unwrap();
    assert_eq!(shell.output.line(LONG), whole("out"));
    assert_eq!(shell.errors.line(LONG), whole("err"));
    assert_eq!((shell.output.line(LONG), shell.errors.line(LONG)), (Line::End, Line::End));
}

#[test]
fn a_program_that_is_stopped_or_let_go_leaves_nothing() {
    let Some(world) = World::new() else { return };
    let word = format!("kitbag-talk-{}", std::process::id());
    let daemons = running(&world, "/attack", &["daemons", "5", "wait", "/work/started", &word]);
    let started = world.work.join("started");
    let mut process = spawn(daemons.clone()).unwrap();
    until("the daemons start", || started.exists());
    assert!(!alive(&word).is_empty());
    process.stop();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Stopped);
    assert!(alive(&word).is_empty(), "stopped");
    std::fs::remove_file(&started).unwrap();
    let process = spawn(daemons).unwrap();
    until("the daemons start again", || started.exists());
    drop(process);
    assert!(alive(&word).is_empty(), "let go");
}

#[test]
fn a_program_that_had_ended_is_not_said_to_be_stopped() {
    let Some(world) = World::new() else { return };
    let mut process = spawn(running(&world, "/bin/sh", &["-c", "exit 3"])).unwrap();
    assert_eq!(process.output.line(LONG), Line::End);
    let ended = process.wait().unwrap().outcome.ending;
    assert_eq!(ended, Ending::Exited(3));
    process.send("too late");
    process.stop();
}

#[test]
fn nobody_who_listens_holds_up_the_limits() {
    let Some(world) = World::new() else { return };
    let mut late = running(&world, "/bin/sh", &["-c", "while :; do echo x; done"]);
    late.limits.wall = Duration::from_secs(1);
    late.limits.output = usize::MAX;
    let mut process = spawn(late).unwrap();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Breached(Breach::Wall));
    let mut flood = running(&world, "/attack", &["flood", "1", "l", "100"]);
    flood.limits.output = 100_000;
    let mut process = spawn(flood).unwrap();
    let outcome = process.wait().unwrap().outcome;
    assert_eq!(outcome.ending, Ending::Breached(Breach::Output));
    let mut said = Vec::new();
    process.output.read_to_end(&mut said).unwrap();
    assert_eq!(said.len(), 100_000, "what was within the limit is there");
}

#[test]
fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
    let Some(world) = World::new() else { return };
    let script = "i=0; while [ $i -lt 50 ]; do printf 0123456789; i=$((i+1)); done; echo; printf done";
    let mut plan = running(&world, "/bin/sh", &["-c", script]);
    for (at_most, ending) in [
        (500, Ending::Exited(0)),
        (499, Ending::Breached(Breach::Line)),
        (40, Ending::Breached(Breach::Line)),
    ] {
        plan.limits.line = Some(at_most);
        assert_eq!(kitbag_sandbox::run(&plan).unwrap().outcome.ending, ending, "{at_most}");
        assert_eq!(spawn(plan.clone()).unwrap().wait().unwrap().outcome.ending, ending, "{at_most}");
    }
}

#[test]
fn what_cannot_be_started_says_so() {
    let Some(world) = World::new() else { return };
    assert!(matches!(spawn(running(&world, "relative", &[])), Err(Error::Plan(_))));
    let mut missing = spawn(running(&world, "/nothing/here", &[])).unwrap();
    assert_eq!(missing.output.line(LONG), Line::End);
    assert!(matches!(missing.wait(), Err(Error::Step { step: Step::Execute, .. })));
}
