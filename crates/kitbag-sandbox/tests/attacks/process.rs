//! Attacks on processes and the kernel: 33 to 38.

use std::time::Duration;

use kitbag_sandbox::{Backend, Breach, Ending, Programs};

use crate::kill::{alive, until};
use crate::world::{Attack, ENOENT, ENOSYS, EPERM, SIGSYS, Seen, Twin, World, is_root};

on_each_backend! {
    nobody_looks_into_another_process,
    nobody_outside_is_reached,
    nobody_makes_or_joins_a_namespace,
    the_kernel_is_not_programmed,
    there_is_no_terminal,
    calls_of_other_architectures_are_fatal_and_newer_ones_are_not_there,
    the_first_process_is_held_as_tightly_as_the_program,
    the_user_inside_is_nobody_in_particular,
    nothing_of_the_callers_environment_is_seen;
    with_namespaces:
    the_program_has_no_rights_and_gains_none,
}

/// A line of a process's status.
fn field(text: &str, name: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    line.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
}

fn nobody_looks_into_another_process(world: &World) {
    world.withstands(
        &world.plan(&Programs::Any),
        &[
            Attack(&["look", "attach"], Twin::Anyone, EPERM),
            Attack(&["look", "seize"], Twin::Anyone, EPERM),
            Attack(&["look", "read"], Twin::Anyone, EPERM),
            Attack(&["look", "write"], Twin::Anyone, EPERM),
            Attack(&["look", "take"], Twin::Anyone, EPERM),
            Attack(&["look", "compare"], Twin::Anyone, EPERM),
        ],
    );
}

fn nobody_outside_is_reached(world: &World) {
    let mut outsider = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let number = outsider.id().to_string();
    let plan = world.plan(&Programs::Any);
    let mut wrong = Vec::new();
    let ways = ["signal", "thread", "queue", "descriptor", "limit", "priority", "processor", "disk", "told"];
    for way in ways {
        for whom in [&*number, "parent"] {
            let words = ["reach", way, whom];
            let seen = world.seen_inside(&plan, &words);
            // Inside, the number is nobody's, and the first process may not be ended by a signal.
            let expected: &[Seen] = match (way, whom) {
                (_, "parent") if world.backend != Backend::Landlock => continue,
                ("descriptor", _) => &[Seen::Errno(3), Seen::Errno(9)],
                _ => &[Seen::Errno(3)],
            };
            if !world.expected(&words, expected).contains(&seen) {
                wrong.push(format!("{words:?} came to {seen:?}"));
            }
        }
        assert!(outsider.try_wait().unwrap().is_none(), "{way}: it is still there");
        // What comes last ends it.
        assert_eq!(world.seen_outside(&["reach", way, &number]), Seen::Open, "{way}");
    }
    outsider.wait().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn nobody_makes_or_joins_a_namespace(world: &World) {
    world.withstands(
        &world.plan(&Programs::Any),
        &[
            Attack(&["namespace", "unshare"], Twin::Anyone, EPERM),
            Attack(&["namespace", "clone"], Twin::Anyone, EPERM),
            Attack(&["namespace", "setns"], Twin::Root, EPERM),
            Attack(&["namespace", "clone3"], Twin::Anyone, ENOSYS),
        ],
    );
}

fn the_kernel_is_not_programmed(world: &World) {
    world.withstands(
        &world.plan(&Programs::Any),
        &[
            Attack(&["kernel", "keyctl"], Twin::Anyone, EPERM),
            Attack(&["kernel", "add_key"], Twin::Anyone, EPERM),
            Attack(&["kernel", "bpf"], Twin::Root, EPERM),
            Attack(&["kernel", "perf"], Twin::Root, EPERM),
            Attack(&["kernel", "userfaultfd"], Twin::Root, EPERM),
            Attack(&["kernel", "personality"], Twin::Anyone, EPERM),
            Attack(&["kernel", "fanotify"], Twin::Root, EPERM),
            Attack(&["kernel", "hostname"], Twin::Root, EPERM),
            Attack(&["kernel", "syslog"], Twin::Root, EPERM),
        ],
    );
}

fn there_is_no_terminal(world: &World) {
    let plan = world.plan(&Programs::Any);
    // Outside, the kernel looks at the descriptor, which is none of a terminal.
    let no_terminal = Twin::Is(&[Seen::Errno(25)]);
    world.withstands(
        &plan,
        &[
            Attack(&["terminal", "type"], no_terminal, EPERM),
            Attack(&["terminal", "open"], Twin::Is(&[Seen::Open, Seen::Errno(6)]), ENOENT),
            Attack(&["terminal", "new"], Twin::Anyone, ENOENT),
        ],
    );
    assert_eq!(world.seen_inside(&plan, &["terminal", "input"]), Seen::Text("0".to_owned()));
    assert_eq!(world.seen_outside(&["terminal", "session"]), Seen::Text("member".to_owned()));
    assert_eq!(world.seen_inside(&plan, &["terminal", "session"]), Seen::Text("leader".to_owned()));
}

fn calls_of_other_architectures_are_fatal_and_newer_ones_are_not_there(world: &World) {
    let plan = world.plan(&Programs::Any);
    if cfg!(target_arch = "x86_64") {
        let looked_at = Twin::Is(&[Seen::Open, Seen::Errno(38)]);
        world.withstands(
            &plan,
            &[
                Attack(&["number", "x32"], looked_at, SIGSYS),
                // Where the kernel has no 32-bit calls, the attacker dies of the instruction itself.
                Attack(
                    &["number", "int80"],
                    Twin::Is(&[Seen::Open, Seen::Signal(11)]),
                    &[Seen::Signal(31), Seen::Signal(11)],
                ),
            ],
        );
        if world.seen_outside(&["number", "int80"]) == Seen::Open {
            assert_eq!(world.seen_inside(&plan, &["number", "int80"]), Seen::Signal(31));
        }
    }
    assert_eq!(world.seen_inside(&plan, &["number", "newer"]), Seen::Errno(38));
}

fn the_program_has_no_rights_and_gains_none(world: &World) {
    let plan = world.plan(&Programs::Any);
    let status = |path: &str| {
        let outcome = world.run(&kitbag_sandbox::Plan {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), format!("while read line; do echo \"$line\"; done < {path}").into()],
            ..plan.clone()
        });
        String::from_utf8(outcome.unwrap().outcome.output).unwrap()
    };
    let inside = status("/proc/self/status");
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert_eq!(field(&inside, set), "0000000000000000", "{set}");
    }
    assert_eq!(field(&inside, "NoNewPrivs:"), "1");
    assert_eq!(field(&inside, "Seccomp:"), "2");
    let outside = std::fs::read_to_string("/proc/self/status").unwrap();
    assert_ne!(field(&outside, "CapBnd:"), "0000000000000000", "the twin has some");
}

fn the_first_process_is_held_as_tightly_as_the_program(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    plan.limits.wall = Duration::from_secs(8);
    let word = crate::kill::word("first", world);
    let status =
        |process: &str| std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    std::thread::scope(|scope| {
        let running =
            scope.spawn(|| world.outcome(&plan, &["daemons", "0", "wait", "{work}/started", &word]));
        until("the program starts", || world.work.join("started").exists());
        // From outside, by its number there.
        let is_alone = world.backend == Backend::Landlock;
        let first = alive(&word).iter().find_map(|process| {
            let parent = field(&status(&process.to_string()), "PPid:");
            let number = field(&status(&parent), "NSpid:");
            (is_alone || number.split_whitespace().next_back() == Some("1")).then_some(parent)
        });
        let first = status(&first.unwrap());
        // Only root can say that nobody is to have what he has not anyway.
        let bounded = if is_alone && !is_root() { "CapEff:" } else { "CapBnd:" };
        for set in ["CapInh:", "CapPrm:", "CapEff:", bounded, "CapAmb:"] {
            assert_eq!(field(&first, set), "0000000000000000", "{set}");
        }
        assert_eq!(
            (field(&first, "NoNewPrivs:"), field(&first, "Seccomp:")),
            ("1".to_owned(), "2".to_owned())
        );
        assert_eq!(running.join().unwrap().ending, Ending::Breached(Breach::Wall));
    });
}

fn the_user_inside_is_nobody_in_particular(world: &World) {
    let outcome = world.outcome(&world.plan(&Programs::Any), &["who"]);
    assert_eq!(outcome.ending, Ending::Exited(0));
    let text = String::from_utf8(outcome.output).unwrap();
    if world.backend == Backend::Landlock {
        let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        let own = if is_root() { "65534 65534 0\n".to_owned() } else { format!("{user} {group} ") };
        assert!(text.starts_with(&own), "{text}");
        return;
    }
    assert!(text.starts_with("1000 1000 "), "{text}");
    if is_root() {
        assert_eq!(text, "1000 1000 0\n", "root leaves its groups");
    }
}

fn nothing_of_the_callers_environment_is_seen(world: &World) {
    let mut plan = world.plan(&Programs::Any);
    assert_eq!(world.outcome(&plan, &["variables"]).output, b"");
    plan.environment = vec![("LANG".into(), "C.UTF-8".into())];
    assert_eq!(world.outcome(&plan, &["variables"]).output, b"LANG=C.UTF-8\n");
    assert_ne!(world.seen_outside(&["variables"]), Seen::Text(String::new()));
}
