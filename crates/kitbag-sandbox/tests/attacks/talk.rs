//! Programs that are talked with while they run.

use std::io::Read as _;
use std::time::Duration;

use kitbag_sandbox::{Breach, Ending, Error, Line, Plan, Programs, Step};

use crate::kill::{alive, until};
use crate::world::World;

on_each_backend! {
    a_program_answers_line_by_line,
    another_thread_can_send_as_well,
    much_goes_both_ways_at_once,
    the_two_streams_stay_apart,
    a_program_that_is_stopped_or_let_go_leaves_nothing,
    a_program_that_had_ended_is_not_said_to_be_stopped,
    nobody_who_listens_holds_up_the_limits,
    a_line_may_be_as_long_as_the_limit_and_no_longer,
    what_cannot_be_started_says_so,
}

/// Longer than anything takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

fn running(world: &World, program: &str, arguments: &[&str]) -> Plan {
    let arguments = arguments.iter().map(Into::into).collect();
    Plan { program: program.into(), arguments, ..world.plan(&Programs::Any) }
}

fn whole(line: &str) -> Line {
    Line::Whole(line.into())
}

fn a_program_answers_line_by_line(world: &World) {
    let plan = Plan { input: b"first\n".to_vec(), ..running(world, "/usr/bin/cat", &[]) };
    let mut cat = world.spawn(plan).unwrap();
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
    assert_eq!(run.report.backend, world.backend);
    assert!(matches!(cat.wait(), Err(Error::Lost)), "only once");
}

fn another_thread_can_send_as_well(world: &World) {
    let mut cat = world.spawn(running(world, "/usr/bin/cat", &[])).unwrap();
    let mut voice = cat.voice().unwrap();
    let thread = std::thread::spawn(move || {
        voice.send("from afar\n");
        voice
    });
    assert_eq!(cat.output.line(LONG), whole("from afar"));
    let mut voice = thread.join().unwrap();
    cat.end_input();
    assert_eq!(cat.wait().unwrap().outcome.ending, Ending::Exited(0));
    voice.send("nobody hears this");
}

fn much_goes_both_ways_at_once(world: &World) {
    let mut cat = world.spawn(running(world, "/usr/bin/cat", &[])).unwrap();
    let text = "0123456789abcdef\n".repeat(100_000);
    cat.send(text.clone());
    cat.end_input();
    let mut said = String::new();
    cat.output.read_to_string(&mut said).unwrap();
    assert!(said == text, "{} of {} bytes", said.len(), text.len());
    assert_eq!(cat.wait().unwrap().outcome.ending, Ending::Exited(0));
}

fn the_two_streams_stay_apart(world: &World) {
    let mut shell = world.spawn(running(world, "/bin/sh", &["-c", "echo out; echo err >&2"])).unwrap();
    assert_eq!(shell.output.line(LONG), whole("out"));
    assert_eq!(shell.errors.line(LONG), whole("err"));
    assert_eq!((shell.output.line(LONG), shell.errors.line(LONG)), (Line::End, Line::End));
}

fn a_program_that_is_stopped_or_let_go_leaves_nothing(world: &World) {
    let word = crate::kill::word("talk", world);
    let (attack, inside) = (world.attack(), world.inner_work().join("started"));
    let words = ["daemons", "5", "wait", inside.to_str().unwrap(), &word];
    let daemons = running(world, attack.to_str().unwrap(), &words);
    let started = world.work.join("started");
    let mut process = world.spawn(daemons.clone()).unwrap();
    until("the daemons start", || started.exists());
    assert!(!alive(&word).is_empty());
    process.stop();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Stopped);
    assert!(alive(&word).is_empty(), "stopped");
    std::fs::remove_file(&started).unwrap();
    let process = world.spawn(daemons).unwrap();
    until("the daemons start again", || started.exists());
    drop(process);
    assert!(alive(&word).is_empty(), "let go");
}

fn a_program_that_had_ended_is_not_said_to_be_stopped(world: &World) {
    let mut process = world.spawn(running(world, "/bin/sh", &["-c", "exit 3"])).unwrap();
    assert_eq!(process.output.line(LONG), Line::End);
    let ended = process.wait().unwrap().outcome.ending;
    assert_eq!(ended, Ending::Exited(3));
    process.send("too late");
    process.stop();
}

fn nobody_who_listens_holds_up_the_limits(world: &World) {
    let mut late = running(world, "/bin/sh", &["-c", "while :; do echo x; done"]);
    late.limits.wall = Duration::from_secs(1);
    late.limits.output = usize::MAX;
    let mut process = world.spawn(late).unwrap();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Breached(Breach::Wall));
    let mut flood = running(world, world.attack().to_str().unwrap(), &["flood", "1", "l", "100"]);
    flood.limits.output = 100_000;
    let mut process = world.spawn(flood).unwrap();
    let outcome = process.wait().unwrap().outcome;
    assert_eq!(outcome.ending, Ending::Breached(Breach::Output));
    let mut said = Vec::new();
    process.output.read_to_end(&mut said).unwrap();
    assert_eq!(said.len(), 100_000, "what was within the limit is there");
}

fn a_line_may_be_as_long_as_the_limit_and_no_longer(world: &World) {
    let script = "i=0; while [ $i -lt 50 ]; do printf 0123456789; i=$((i+1)); done; echo; printf done";
    let mut plan = running(world, "/bin/sh", &["-c", script]);
    for (at_most, ending) in [
        (500, Ending::Exited(0)),
        (499, Ending::Breached(Breach::Line)),
        (40, Ending::Breached(Breach::Line)),
    ] {
        plan.limits.line = Some(at_most);
        assert_eq!(world.run(&plan).unwrap().outcome.ending, ending, "{at_most}");
        assert_eq!(world.spawn(plan.clone()).unwrap().wait().unwrap().outcome.ending, ending, "{at_most}");
    }
}

fn what_cannot_be_started_says_so(world: &World) {
    assert!(matches!(world.spawn(running(world, "relative", &[])), Err(Error::Plan(_))));
    let mut missing = world.spawn(running(world, "/nothing/here", &[])).unwrap();
    assert_eq!(missing.output.line(LONG), Line::End);
    assert!(matches!(missing.wait(), Err(Error::Step { step: Step::Execute, .. })));
}
