//! Hosts that refuse namespaces to this program and have a bubblewrap that gets them: another call, or another user.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use kitbag_sandbox::{
    Afterwards, Auditing, Backend, Breach, Choice, Degraded, Ending, Error, Item, Mechanism,
    NetworkIsolation, Plan, Programs, Quantity, Settings, Step, run_with,
};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

use crate::limits::kept_by;
use crate::net::{Net, get};
use crate::world::{PROGRAMS, Seen, World, is_root, open_to_all, tools};

/// Set for a run of these tests on such a host: which one.
const HOST: &str = "KITBAG_ATTACK_HOST";
/// What the attacks must come to there as well.
const ATTACKS: [&str; 6] =
    ["exec::bwrap", "files::bwrap", "network::bwrap", "process::bwrap", "kill::bwrap", "talk::bwrap"];

/// Whether the tests run on the host `name`.
fn is(name: &str) -> bool {
    std::env::var(HOST).is_ok_and(|host| host == name)
}

/// What a run of these tests has said, which must have gone well and not been skipped.
fn told(output: &Output, least: usize) {
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{errors}");
    let ran = text.lines().filter(|line| line.ends_with("... ok")).count();
    assert!(ran >= least, "{ran} ran:\n{text}\n{errors}");
    assert!(!errors.contains("lets nobody make namespaces"), "{errors}");
}

#[test]
fn where_a_call_is_refused_to_this_program_bubblewrap_makes_the_sandbox() {
    let Some(tools) = tools() else { return };
    if !cases::tool("bwrap") || World::on(Backend::Bubblewrap).is_none() {
        return;
    }
    let output = Command::new(&tools.refuse)
        .arg(std::env::current_exe().unwrap())
        .arg("refusing::without_a_call")
        .args(ATTACKS)
        .env(HOST, "without a call")
        .env(PROGRAMS, tools.attack.parent().unwrap())
        .output()
        .unwrap();
    told(&output, 40);
}

#[test]
fn without_a_call_another_backend_is_chosen_and_holds() {
    if !is("without a call") {
        return;
    }
    let world = World::on(Backend::Bubblewrap).unwrap();
    let mut plan = world.plan(&Programs::Any);
    plan.arguments = vec!["nothing".into()];
    let native = Settings { backend: Choice::Only(Backend::Native), ..world.settings.clone() };
    match run_with(&plan, &native).unwrap_err() {
        Error::Step { step: Step::Clone, source } => assert_eq!(source.raw_os_error(), Some(38), "{source}"),
        error => panic!("{error:?}"),
    }
    let first = Settings { backend: Choice::First, degraded: Degraded::Refused, ..world.settings.clone() };
    let run = run_with(&plan, &first).unwrap();
    assert_eq!((run.report.backend, run.outcome.ending), (Backend::Bubblewrap, Ending::Exited(0)));
}

#[test]
fn where_bubblewrap_is_another_users_it_makes_what_it_can() {
    if !is_root() || is("another user") || !cases::tool("unshare") || !cases::tool("setpriv") {
        return;
    }
    let Some(tools) = tools() else { return };
    if !cases::tool("bwrap") || !Path::new("/usr/bin/bwrap").is_file() {
        return;
    }
    let folder = Folder::new();
    open_to_all(folder.path());
    let (tests, bubblewrap) = (folder.at("attacks"), folder.at("bwrap"));
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    fs::copy("/usr/bin/bwrap", &bubblewrap).unwrap();
    fs::set_permissions(&bubblewrap, fs::Permissions::from_mode(0o4755)).unwrap();
    // Where nobody else sees it, the system's bubblewrap is one that is root's for everybody.
    let script = "mount --bind \"$1\" /usr/bin/bwrap && shift && \
                  exec setpriv --reuid 65533 --regid 65533 --clear-groups -- \"$@\"";
    let output = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"])
        .arg(&bubblewrap)
        .arg(&tests)
        .args(["refusing::another_user", "proxied::bwrap_without_rights"])
        .args(ATTACKS)
        .args(["--skip", "the_report_and_the_environment_say_so"])
        .args(["--skip", "the_user_inside_is_nobody_in_particular"])
        .env(HOST, "another user")
        .env(PROGRAMS, tools.attack.parent().unwrap())
        .env("TMPDIR", folder.path())
        .env_remove("HOME")
        .current_dir(folder.path())
        .output()
        .unwrap();
    if String::from_utf8_lossy(&output.stderr).contains("setuid mode is not supported") {
        return cases::skip("this bubblewrap cannot be another user's");
    }
    told(&output, 50);
}

#[test]
fn another_user_of_bubblewrap_gives_no_rights_and_the_proxy_is_the_way() {
    if !is("another user") {
        return;
    }
    let world = World::on(Backend::Bubblewrap).unwrap();
    let net = Net::new(&world, &["good.test"]);
    let whole = "GET http://good.test/ HTTP/1.1\\r\\nHost: good.test\\r\\n\\r\\n";
    net.reached(&["say", "127.0.0.1", "3128", whole], "good.test", 80);
    let run = net.run(&["say", "1.2.3.4", "80", &get("good.test")]);
    assert_eq!(String::from_utf8_lossy(&run.outcome.output), "errno 101\n");
    assert_eq!(run.report.network, NetworkIsolation::Proxied);
    // What bubblewrap itself says of it.
    assert!(run.report.degraded.iter().any(|reason| reason.contains("cap-add")), "{:?}", run.report.degraded);
}

#[test]
fn another_users_bubblewrap_takes_no_sizes_and_they_are_looked_at() {
    if !is("another user") {
        return;
    }
    let world = World::on(Backend::Bubblewrap).unwrap();
    let mut plan = world.plan(&Programs::Any);
    plan.tree.push(Item::Memory {
        at: "/tmp".into(),
        bytes: 4 << 20,
        files: 8,
        afterwards: Afterwards::Gone,
    });
    let run = world.inside(&plan, &["fill", "/tmp/file", "2"]).unwrap();
    assert_eq!(kept_by(&run.report, Quantity::FolderSize), Mechanism::Look);
    assert_eq!(run.outcome.ending, Ending::Exited(0));
    let shell = |script: &str| Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin".into())],
        ..plan.clone()
    };
    let full = shell("head -c 8000000 /dev/zero >/tmp/file; sleep 600");
    assert_eq!(world.run(&full).unwrap().outcome.ending, Ending::Breached(Breach::FolderSize));
    // Faster than anybody looks.
    let fast = shell("head -c 8000000 /dev/zero >/tmp/file");
    assert_eq!(world.run(&fast).unwrap().outcome.ending, Ending::Breached(Breach::FolderSize));
    assert_eq!(world.seen_inside(&plan, &["create", "/tmp/made"]), Seen::Open);
}

#[test]
fn another_users_bubblewrap_makes_nobody_into_a_third() {
    if !is("another user") {
        return;
    }
    let world = World::on(Backend::Bubblewrap).unwrap();
    let plan = Plan {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), "echo $(id -u):$(id -g); sleep 600".into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        ..world.plan(&Programs::Any)
    };
    let mut process = world.spawn(plan).unwrap();
    let within = std::time::Duration::from_secs(60);
    assert_eq!(process.output.line(within), kitbag_sandbox::Line::Whole("65533:65533".into()));
    // What is left of it outside is this process's child, and the caller's like everything inside.
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<String> =
        lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    let outside: Vec<String> = children
        .iter()
        .filter_map(|child| fs::read_to_string(format!("/proc/{child}/status")).ok())
        .filter(|status| status.starts_with("Name:\tbwrap\n"))
        .collect();
    assert!(!outside.is_empty(), "{children:?}");
    let own = "\nUid:\t65533\t65533\t65533\t65533\n";
    assert!(outside.iter().any(|status| status.contains(own)), "{outside:?}");
    process.stop();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Stopped);
}

#[test]
fn another_users_bubblewrap_is_not_followed() {
    if !is("another user") {
        return;
    }
    let world = World::on(Backend::Bubblewrap).unwrap();
    let plan = Plan { audit: Auditing::Programs, ..world.plan(&Programs::Any) };
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { property: "an audit of programs", .. }), "{refused:?}");
}
