//! What a backend holds, and that what it does not hold is refused unless less will do.

use std::fs;

use kitbag_sandbox::egress::Hosts;
use kitbag_sandbox::{
    Afterwards, Auditing, Backend, Breach, Choice, Degraded, Ending, Error, ExecIsolation, Item, Mechanism,
    Network, NetworkIsolation, Plan, PlanError, Programs, Quantity, Rights, Settings, run_with,
};

use crate::world::{Seen, World, open_to_all};

fn bubblewrap() -> Option<World> {
    World::on(Backend::Bubblewrap)
}

fn only(world: &World, degraded: Degraded) -> Settings {
    Settings { degraded, ..world.settings.clone() }
}

#[test]
fn a_property_that_cannot_be_had_is_an_error_unless_less_will_do() {
    let Some(world) = bubblewrap() else { return };
    let plan = world.plan(&Programs::Listed(Vec::new()));
    let refused = run_with(&plan, &only(&world, Degraded::Refused)).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("loader"), "{refused}");
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    assert_eq!((report.exec, report.degraded.len()), (ExecIsolation::Loadable, 1), "{report}");
    assert!(report.l2_eligible(), "files and network are what counts");
}

#[test]
fn what_can_be_had_needs_no_leave() {
    let Some(mut world) = bubblewrap() else { return };
    world.settings.degraded = Degraded::Refused;
    let report = world.inside(&world.plan(&Programs::Any), &["nothing"]).unwrap().report;
    assert_eq!((report.backend, report.degraded.len()), (Backend::Bubblewrap, 0), "{report}");
    // Where no dynamic loader is listed, a list is one.
    let mut plan = world.plan(&Programs::Any);
    plan.programs = Programs::Listed(vec!["/attack".into()]);
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    assert_eq!((report.exec, report.degraded.len()), (ExecIsolation::Prevented, 0), "{report}");
    for way in ["name", "loader", "loader-copy", "memory"] {
        let words = ["start", way, "/usr/bin/env", "{work}", "{attack}"];
        assert_ne!(world.seen_inside(&plan, &words), Seen::Open, "{way}");
    }
}

#[test]
fn where_programs_are_followed_a_list_is_complete_on_bubblewrap() {
    let Some(mut world) = bubblewrap() else { return };
    world.settings.degraded = Degraded::Refused;
    let plan = Plan { audit: Auditing::Programs, ..world.plan(&Programs::Listed(Vec::new())) };
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    assert_eq!((report.exec, report.degraded.len()), (ExecIsolation::Prevented, 0), "{report}");
    for way in ["loader", "loader-copy"] {
        let words = ["start", way, "{marker}", "{work}", "{attack}"];
        assert_eq!(world.seen_outside(&words), Seen::Open, "{way}");
        assert_eq!(world.seen_inside(&plan, &words), Seen::Signal(9), "{way}");
    }
}

#[test]
fn a_list_of_hosts_holds_on_bubblewrap_and_the_report_says_so() {
    let Some(world) = bubblewrap() else { return };
    let hosts = Hosts::parse(["declared.test"]).unwrap();
    let mut plan = Plan { network: Network::Listed(hosts), ..world.plan(&Programs::Any) };
    let report = world.inside(&plan, &["nothing"]).unwrap().report;
    assert_eq!((report.network, report.degraded.len()), (NetworkIsolation::Listed, 0), "{report}");
    assert_eq!(world.seen_inside(&plan, &["variables"]), Seen::Text(String::new()));
    plan.network = Network::Off;
    assert_eq!(world.inside(&plan, &["nothing"]).unwrap().report.network, NetworkIsolation::None);
}

#[test]
fn the_first_backend_that_holds_the_plan_is_chosen() {
    let Some(world) = World::new() else { return };
    let plan = world.plan(&Programs::Listed(Vec::new()));
    for degraded in [Degraded::Refused, Degraded::Allowed] {
        let settings = Settings { backend: Choice::First, ..only(&world, degraded) };
        let mut plan = plan.clone();
        plan.arguments = vec!["nothing".into()];
        let report = run_with(&plan, &settings).unwrap().report;
        assert_eq!((report.backend, report.degraded.len()), (Backend::Native, 0), "{report}");
    }
}

#[test]
fn nothing_of_the_inner_part_is_reached_by_the_program() {
    let Some(world) = bubblewrap() else { return };
    let whole = world.plan(&Programs::Any);
    // Its libraries are the host's files: where these are not listed, they are not reached in its folder either.
    let mut alone = whole.clone();
    alone.tree.retain(|item| item.at().starts_with("/attack") || item.at().starts_with("/work"));
    let listed = world.plan(&Programs::Listed(Vec::new()));
    for (plan, names) in
        [(&whole, &["stage"][..]), (&listed, &["stage"]), (&alone, &["stage", "loader", "libc.so.6"])]
    {
        assert_eq!(world.seen_inside(plan, &["list", "/.kitbag"]), Seen::Errno(13));
        for name in names.iter().map(|name| format!("/.kitbag/{name}")) {
            assert_eq!(world.seen_inside(plan, &["read", &name]), Seen::Errno(13), "{name}");
            let start = ["start", "name", &name, "{work}", "{attack}"];
            assert_eq!(world.seen_inside(plan, &start), Seen::Errno(13), "{name}");
        }
        assert_eq!(world.seen_inside(plan, &["create", "/.kitbag/made"]), Seen::Errno(30));
    }
}

#[test]
fn the_inner_part_is_not_chosen_by_the_tree() {
    let Some(world) = bubblewrap() else { return };
    let mut plan = world.plan(&Programs::Any);
    let tree = plan.tree.clone();
    let etc = world.at("etc");
    fs::create_dir(&etc).unwrap();
    open_to_all(&etc);
    plan.tree.retain(|item| !item.at().starts_with("/etc"));
    plan.tree.push(Item::Host { from: etc, at: "/etc".into(), rights: Rights::Read });
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused:?}");
    plan.tree = tree;
    let preload = Item::File { at: "/etc/ld.so.preload".into(), content: b"/work/evil.so\n".to_vec() };
    plan.tree.push(preload);
    assert!(matches!(world.inside(&plan, &["nothing"]).unwrap_err(), Error::Unavailable { .. }));
    plan.tree.pop();
    plan.tree.push(Item::File { at: "/.kitbag/stage".into(), content: Vec::new() });
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(refused, Error::Plan(PlanError::Taken(_))), "{refused:?}");
}

#[test]
fn without_a_program_for_its_inner_part_bubblewrap_is_not_used() {
    let Some(mut world) = bubblewrap() else { return };
    world.settings.stage = None;
    let plan = world.plan(&Programs::Any);
    assert!(matches!(world.inside(&plan, &["nothing"]).unwrap_err(), Error::Unavailable { .. }));
    world.settings.stage = Some("/nothing/here".into());
    assert!(matches!(world.inside(&plan, &["nothing"]).unwrap_err(), Error::Unavailable { .. }));
    // A program that does not lend itself does not say that it is ready, and what it does instead comes to nothing.
    world.settings.stage = Some("/usr/bin/true".into());
    let lost = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(lost, Error::Lost | Error::Step { .. }), "{lost:?}");
}

#[test]
fn what_bubblewrap_cannot_make_is_told_in_its_words() {
    let Some(world) = bubblewrap() else { return };
    let mut plan = world.plan(&Programs::Any);
    let closed = world.at("closed");
    fs::create_dir(&closed).unwrap();
    plan.tree.push(Item::Host { from: closed.join("missing"), at: "/missing".into(), rights: Rights::Read });
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(format!("{refused:?}").contains("missing"), "{refused:?}");
}

#[test]
fn files_in_memory_are_counted_by_somebody_on_each_backend() {
    for (backend, by) in [
        (Backend::Native, Mechanism::FileSystem),
        (Backend::Bubblewrap, Mechanism::Look),
        (Backend::Landlock, Mechanism::Look),
    ] {
        let Some(world) = World::on(backend) else { continue };
        let mut plan = world.plan(&Programs::Any);
        let folder = world.free("tmp");
        let fill = |count: u64, then: &str| {
            let folder = folder.display();
            let script = format!(
                "i=0; while [ $i -lt {count} ]; do : > {folder}/$i || exit 3; i=$((i+1)); done; {then}"
            );
            vec!["-c".into(), script.into()]
        };
        plan.tree.push(Item::Memory {
            at: folder.clone(),
            bytes: 4 << 20,
            files: 100,
            afterwards: Afterwards::Gone,
        });
        plan.program = "/bin/sh".into();
        plan.arguments = fill(99, "exit 0");
        let run = world.run(&plan).unwrap();
        assert_eq!(run.outcome.ending, Ending::Exited(0));
        let kept = run.report.limits.iter().find(|limited| limited.quantity == Quantity::FolderFiles);
        assert_eq!(kept.map(|limited| limited.by), Some(by));
        plan.arguments = fill(300, "exec sleep 60");
        plan.environment = vec![("PATH".into(), "/usr/bin".into())];
        let over = world.run(&plan).unwrap().outcome.ending;
        let expected = match by {
            Mechanism::Look => Ending::Breached(Breach::Files),
            _ => Ending::Exited(2),
        };
        assert_eq!(over, expected, "{backend}");
    }
}
