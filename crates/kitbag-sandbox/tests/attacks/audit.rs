//! What was started is taken down, whatever it calls itself; what was not is told as well.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kitbag_sandbox::{Audit, Auditing, Backend, Because, Breach, Ending, Plan, Programs, Rights, Run};

use crate::kill::alive;
use crate::world::{Seen, World, tools};

on_each_backend! {
    every_program_is_told_once_by_its_file,
    what_was_refused_is_told_with_the_reason,
    no_way_of_starting_a_program_goes_untold,
    a_loader_that_is_started_by_itself_is_ended_before_it_loads_anything,
    a_python_that_starts_a_program_where_tracers_do_not_look_is_told_of,
    a_run_that_is_followed_ends_as_any_other,
    a_followed_program_is_not_looked_into_by_another,
    more_programs_than_are_told_are_said_to_be_more,
}

fn audited(plan: Plan) -> Plan {
    Plan { audit: Auditing::Programs, ..plan }
}

fn shell(world: &World, programs: &[&str], script: &str) -> Plan {
    let programs: Vec<PathBuf> = programs.iter().map(PathBuf::from).collect();
    let plan = world.plan(&Programs::Listed(programs));
    audited(Plan { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()], ..plan })
}

fn started(audit: &Audit) -> Vec<&str> {
    audit.started.iter().map(|program| program.path.file_name().unwrap().to_str().unwrap()).collect()
}

fn told(run: &Run) -> &Audit {
    run.audit.as_ref().unwrap()
}

/// The file that a program's name leads to.
fn real(program: &str) -> PathBuf {
    fs::canonicalize(program).unwrap()
}

fn every_program_is_told_once_by_its_file(world: &World) {
    let plan =
        shell(world, &["/bin/sh", "/usr/bin/id", "/usr/bin/env"], "id; /usr/bin/id; env id; id & wait");
    let run = world.run(&plan).unwrap();
    assert_eq!(run.outcome.ending, Ending::Exited(0));
    let audit = told(&run);
    assert_eq!((audit.refused.clone(), audit.more), (Vec::new(), false));
    let shell = real("/bin/sh");
    assert_eq!(started(audit), [shell.file_name().unwrap().to_str().unwrap(), "id", "env"]);
    let id = fs::metadata("/usr/bin/id").unwrap();
    let program = &audit.started[1];
    assert_eq!(
        (program.device, program.inode, &*program.path),
        (id.dev(), id.ino(), Path::new("/usr/bin/id"))
    );
    let quiet = world.run(&Plan { audit: Auditing::Off, ..plan }).unwrap();
    assert!(quiet.audit.is_none(), "nobody asked");
    assert_eq!(quiet.outcome.output, run.outcome.output);
}

fn what_was_refused_is_told_with_the_reason(world: &World) {
    let marker = world.marker();
    let script = format!("/usr/bin/perl -e 1; {}; true", marker.display());
    let plan = shell(world, &["/bin/sh"], &script);
    let run = world.run(&plan).unwrap();
    let audit = told(&run);
    assert_eq!(started(audit).len(), 1, "{audit:?}");
    let refused = |asked: &str, errno| {
        audit
            .refused
            .iter()
            .any(|refused| refused.asked == Path::new(asked) && refused.because == Because::Errno(errno))
    };
    let missing = if world.backend == Backend::Landlock { 13 } else { 2 };
    assert!(refused("/usr/bin/perl", missing) && refused(marker.to_str().unwrap(), 13), "{audit:?}");
}

fn no_way_of_starting_a_program_goes_untold(world: &World) {
    let mut plan = audited(world.plan(&Programs::Any));
    let marker = fs::metadata(&tools().unwrap().marker).unwrap();
    for way in ["name", "link", "execveat", "empty-path", "descriptor", "memory"] {
        let words = ["start", way, "{marker}", "{work}", "{attack}"];
        let run = world.inside(&plan, &words).unwrap();
        assert!(run.outcome.output.starts_with(b"RAN"), "{way}");
        let audit = told(&run);
        let seen = audit
            .started
            .iter()
            .any(|program| (program.device, program.inode) == (marker.dev(), marker.ino()));
        let from_memory =
            audit.started.iter().any(|program| program.path.to_string_lossy().contains("memfd"));
        assert!(if way == "memory" { from_memory } else { seen }, "{way}: {audit:?}");
    }
    plan.programs = listed(world).programs;
    for way in ["name", "execveat", "empty-path", "descriptor", "race"] {
        let run = world.inside(&plan, &["start", way, "{marker}", "{work}", "{attack}"]).unwrap();
        let audit = told(&run);
        assert!(
            audit.refused.iter().any(|refused| refused.because == Because::Errno(13)),
            "{way}: {audit:?}"
        );
        assert_eq!(started(audit), ["attack"], "{way}");
    }
}

fn listed(world: &World) -> Plan {
    world.plan(&Programs::Listed(Vec::new()))
}

fn a_loader_that_is_started_by_itself_is_ended_before_it_loads_anything(world: &World) {
    // A program in a folder of libraries, which the loader may read as code.
    let Some(program) = in_a_folder_of_libraries() else {
        return kitbag_testkit::cases::skip("no program lies in a folder of libraries here");
    };
    let Some(loader) = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
        .into_iter()
        .find(|path| Path::new(path).exists())
    else {
        return kitbag_testkit::cases::skip("no dynamic loader of this host is known");
    };
    let script = format!("{loader} {} --help >/dev/null 2>&1; echo $?", program.display());
    let plan = shell(world, &["/bin/sh"], &script);
    let unaudited = Plan { audit: Auditing::Off, ..plan.clone() };
    let outside = world.run(&unaudited).unwrap().outcome;
    assert_ne!(outside.output, b"137\n", "without an audit it is loaded");
    let run = world.run(&plan).unwrap();
    assert_eq!(run.outcome.output, b"137\n", "{:?}", run.audit);
    let audit = told(&run);
    assert!(audit.refused.iter().any(|refused| refused.because == Because::Unlisted), "{audit:?}");
}

/// A program that is loaded dynamically and lies below `/usr/lib`.
fn in_a_folder_of_libraries() -> Option<PathBuf> {
    let known = [
        "/usr/lib/git-core/git",
        "/usr/lib/git-core/git-shell",
        "/usr/lib/openssh/ssh-keysign",
        "/usr/lib/apt/methods/file",
    ];
    known.map(PathBuf::from).into_iter().find(|path| path.is_file())
}

fn a_python_that_starts_a_program_where_tracers_do_not_look_is_told_of(world: &World) {
    let python = PathBuf::from("/usr/bin/python3");
    if !python.exists() || !Path::new("/usr/bin/perl").exists() {
        return kitbag_testkit::cases::skip("there is no python3 or no perl here: install both");
    }
    let evade = tools().unwrap().evade.clone();
    for way in ["execveat", "untraced", "execve"] {
        let mut plan = audited(world.plan(&Programs::Listed(vec![python.clone()])));
        plan.tree.push(world.item(&evade, "/evade.py", Rights::Read));
        plan.program.clone_from(&python);
        plan.arguments = vec![world.called("/evade.py", &evade).into(), way.into(), "/usr/bin/perl".into()];
        let run = world.run(&plan).unwrap();
        let audit = told(&run);
        assert!(started(audit).iter().all(|name| !name.contains("perl")), "{way}: {audit:?}");
        if way != "untraced" {
            let tried = audit.refused.iter().any(|refused| refused.asked == Path::new("/usr/bin/perl"));
            assert!(tried, "{way}: {audit:?} {}", String::from_utf8_lossy(&run.outcome.errors));
        }
    }
}

fn a_run_that_is_followed_ends_as_any_other(world: &World) {
    let mut plan = audited(world.plan(&Programs::Any));
    let word = crate::kill::word("audit", world);
    plan.limits.wall = Duration::from_secs(3);
    let late = world.outcome(&plan, &["daemons", "50", "wait", "{work}/started", &word]);
    assert_eq!(late.ending, Ending::Breached(Breach::Wall));
    assert!(alive(&word).is_empty(), "nothing is left");
    plan.limits.wall = Duration::from_secs(60);
    let left = world.outcome(&plan, &["daemons", "50", "leave", "{work}/started", &word]);
    assert_eq!(left.ending, Ending::Exited(0));
    assert!(alive(&word).is_empty(), "nothing is left");
    assert_eq!(
        world.seen_inside(&plan, &["number", "int80"]),
        world.seen_inside(&world.plan(&Programs::Any), &["number", "int80"])
    );
    let signalled = world.run(&Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), "kill -9 $$".into()],
        ..plan.clone()
    });
    assert_eq!(signalled.unwrap().outcome.ending, Ending::Signalled(9));
    let stopped = "(sleep 0.2; kill -CONT $$) & kill -STOP $$; echo on";
    let stopped = world.run(&Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), stopped.into()],
        ..plan.clone()
    });
    assert_eq!(stopped.unwrap().outcome.output, b"on\n", "one that was stopped goes on when it is told to");
    let missing = world.run(&Plan { program: "/nothing/here".into(), ..plan.clone() });
    assert!(missing.is_err());
    let mut talked =
        world.spawn(Plan { program: "/usr/bin/cat".into(), arguments: Vec::new(), ..plan }).unwrap();
    talked.send("hello\n");
    talked.end_input();
    let run = talked.wait().unwrap();
    assert_eq!((run.outcome.ending, started(told(&run)).as_slice()), (Ending::Exited(0), &["cat"][..]));
}

fn a_followed_program_is_not_looked_into_by_another(world: &World) {
    let plan = audited(world.plan(&Programs::Any));
    assert_eq!(world.seen_inside(&plan, &["look", "attach"]), Seen::Errno(1));
}

fn more_programs_than_are_told_are_said_to_be_more(world: &World) {
    let script = "i=0; while [ $i -lt 1100 ]; do /no/such/$i 2>/dev/null; i=$((i+1)); done; exit 0";
    let run = world.run(&shell(world, &["/bin/sh"], script)).unwrap();
    let audit = told(&run);
    assert_eq!((run.outcome.ending, audit.refused.len(), audit.more), (Ending::Exited(0), 1024, true));
}
