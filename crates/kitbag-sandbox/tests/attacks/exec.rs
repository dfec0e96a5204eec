//! Attacks on the list of programs: 26 to 32.

use std::path::{Path, PathBuf};
use std::process::Command;

use kitbag_sandbox::{Backend, Ending, ExecIsolation, Item, Plan, Programs, Rights};

use crate::world::{Attack, EACCES, ENOSYS, EPERM, Seen, Twin, World, tools};

on_each_backend! {
    a_program_that_is_not_listed_never_runs,
    a_file_that_may_be_loaded_as_code_is_still_not_started,
    a_listed_program_runs,
    without_a_list_whatever_is_code_runs,
    a_program_of_the_host_runs_by_every_name_it_has_and_its_neighbours_do_not,
    a_program_whose_name_leads_through_the_hosts_settings_runs,
    the_interpreters_that_tools_are_written_for_run_alone,
    perl_does_not_run_where_only_python_is_listed,
}

/// What the dynamic loader says of a program that may not be mapped as code: nothing on standard output.
const SILENT: &[Seen] = &[Seen::Text(String::new())];

fn listed(world: &World) -> Plan {
    world.plan(&Programs::Listed(Vec::new()))
}

fn a_program_that_is_not_listed_never_runs(world: &World) {
    let plan = listed(world);
    world.withstands(
        &plan,
        &[
            Attack(&["start", "name", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "copy", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "link", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "script", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "loader", "{marker}", "{work}", "{attack}"], Twin::Anyone, SILENT),
            Attack(&["start", "loader-copy", "{marker}", "{work}", "{attack}"], Twin::Anyone, SILENT),
            Attack(&["start", "memory", "{marker}", "{work}", "{attack}"], Twin::Anyone, EPERM),
            Attack(&["start", "execveat", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "empty-path", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "descriptor", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
            Attack(&["start", "untraced", "{marker}", "{work}", "{attack}"], Twin::Anyone, EPERM),
            Attack(&["start", "clone3", "{marker}", "{work}", "{attack}"], Twin::Anyone, ENOSYS),
            Attack(&["start", "race", "{marker}", "{work}", "{attack}"], Twin::Anyone, EACCES),
        ],
    );
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    let exec = match world.backend {
        Backend::Native => ExecIsolation::Prevented,
        _ => ExecIsolation::Loadable,
    };
    assert_eq!(report.exec, exec);
    assert_eq!(report.degraded.is_empty(), exec == ExecIsolation::Prevented, "{:?}", report.degraded);
}

fn a_file_that_may_be_loaded_as_code_is_still_not_started(world: &World) {
    let mut plan = listed(world);
    for item in &mut plan.tree {
        if let Item::Host { at, rights, .. } = item
            && at.ends_with("marker")
        {
            *rights = Rights::Code;
        }
    }
    for way in ["name", "link", "script", "execveat", "empty-path", "descriptor"] {
        let words = ["start", way, "{marker}", "{work}", "{attack}"];
        assert_eq!(world.seen_inside(&plan, &words), Seen::Errno(13), "{way}");
    }
}

fn a_listed_program_runs(world: &World) {
    let mut plan = listed(world);
    let Programs::Listed(programs) = &mut plan.programs else { panic!("a list") };
    programs.push(world.marker());
    for item in &mut plan.tree {
        if let Item::Host { at, rights, .. } = item
            && at.ends_with("marker")
        {
            *rights = Rights::Code;
        }
    }
    for way in ["name", "link", "execveat", "descriptor"] {
        let words = ["start", way, "{marker}", "{work}", "{attack}"];
        assert_eq!(world.seen_inside(&plan, &words), Seen::Open, "{way}");
    }
}

fn without_a_list_whatever_is_code_runs(world: &World) {
    let plan = world.plan(&Programs::Any);
    for way in ["name", "link", "memory", "loader"] {
        let words = ["start", way, "{marker}", "{work}", "{attack}"];
        assert_eq!(world.seen_inside(&plan, &words), Seen::Open, "{way}");
    }
    // What is only read or written is not code, list or no list.
    assert_eq!(
        world.seen_inside(&plan, &["start", "copy", "{marker}", "{work}", "{attack}"]),
        Seen::Errno(13)
    );
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    assert_eq!(report.exec, ExecIsolation::Unlisted);
}

fn a_program_of_the_host_runs_by_every_name_it_has_and_its_neighbours_do_not(world: &World) {
    let shell = PathBuf::from("/bin/sh");
    let mut plan = world.plan(&Programs::Listed(vec![shell.clone()]));
    plan.program = shell;
    let mut say = |script: &str| {
        plan.arguments = vec!["-c".into(), script.into()];
        let outcome = world.run(&plan).unwrap().outcome;
        (outcome.ending, String::from_utf8(outcome.output).unwrap())
    };
    assert_eq!(say("echo here; exit 7"), (Ending::Exited(7), "here\n".to_owned()));
    assert_eq!(say("/usr/bin/sh -c 'echo again'"), (Ending::Exited(0), "again\n".to_owned()));
    // A neighbour is not there, or is and may not be started.
    let code = if world.backend == Backend::Landlock { 126 } else { 127 };
    assert_eq!(say("/usr/bin/env true"), (Ending::Exited(code), String::new()));
}

fn a_program_whose_name_leads_through_the_hosts_settings_runs(world: &World) {
    let awk = PathBuf::from("/usr/bin/awk");
    if !std::fs::read_link(&awk).is_ok_and(|to| to.starts_with("/etc/alternatives")) {
        return kitbag_testkit::cases::skip("no program here is named through /etc/alternatives");
    }
    let mut plan = world.plan(&Programs::Listed(vec![awk.clone()]));
    plan.program = awk;
    plan.arguments = vec!["BEGIN { print 6 * 7 }".into()];
    let outcome = world.run(&plan).unwrap().outcome;
    assert_eq!((outcome.ending, &*outcome.output), (Ending::Exited(0), &b"42\n"[..]));
}

fn the_interpreters_that_tools_are_written_for_run_alone(world: &World) {
    // Without namespaces the root cannot be listed.
    let is_alone = world.backend == Backend::Landlock;
    let folder = if is_alone { world.inner_work() } else { "/".into() };
    let folder = folder.display();
    std::fs::write(world.work.join("usr"), "").unwrap();
    std::fs::write(world.work.join("work"), "").unwrap();
    for (interpreter, option, script) in [
        (
            "/usr/bin/python3",
            "-c",
            format!("import json, os; print(json.dumps(sorted(os.listdir('{folder}'))))"),
        ),
        (
            "/usr/bin/node",
            "-e",
            format!("console.log(JSON.stringify(require('fs').readdirSync('{folder}').sort()))"),
        ),
    ] {
        if !Path::new(interpreter).exists() {
            kitbag_testkit::cases::skip(&format!("`{interpreter}` is not installed"));
            continue;
        }
        let mut plan = world.plan(&Programs::Listed(vec![interpreter.into()]));
        plan.program = interpreter.into();
        plan.arguments = vec![option.into(), script.into()];
        let outcome = world.run(&plan).unwrap().outcome;
        let (output, errors) =
            (String::from_utf8_lossy(&outcome.output), String::from_utf8_lossy(&outcome.errors));
        assert_eq!(outcome.ending, Ending::Exited(0), "{interpreter}: {errors}");
        assert!(output.contains("\"usr\"") && output.contains("\"work\""), "{interpreter}: {output}");
        assert!(!output.contains("\"home\"") && !output.contains("\"root\""), "{interpreter}: {output}");
    }
}

fn perl_does_not_run_where_only_python_is_listed(world: &World) {
    let (python, perl) = (Path::new("/usr/bin/python3"), Path::new("/usr/bin/perl"));
    for program in [python, perl] {
        if !program.exists() {
            return kitbag_testkit::cases::skip(&format!("`{}` is not installed", program.display()));
        }
    }
    let Some(script) = tools().map(|tools| &*tools.evade) else { return };
    let mut plan = world.plan(&Programs::Listed(vec![python.to_owned()]));
    plan.program = python.to_owned();
    let inside = world.called("/package/evade.py", script);
    plan.tree.push(world.item(script, "/package/evade.py", Rights::Code));
    plan.tree.push(world.item(perl, "/usr/bin/perl", Rights::Code));
    for way in ["execve", "execveat", "untraced"] {
        let outside = Command::new(python).arg(script).args([way, "/usr/bin/perl"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&outside.stdout), "perl ran\ndone\n", "{way}");
        plan.arguments = vec![inside.clone().into(), way.into(), "/usr/bin/perl".into()];
        let inside = world.run(&plan).unwrap().outcome;
        assert_eq!(inside.ending, Ending::Exited(0), "{}", String::from_utf8_lossy(&inside.errors));
        assert_eq!(String::from_utf8_lossy(&inside.output), "done\n", "{way}");
    }
}
