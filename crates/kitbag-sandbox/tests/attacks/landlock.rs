//! What is there where nobody makes namespaces: what that comes to instead, and that it is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kitbag_sandbox::egress::Hosts;
use kitbag_sandbox::{
    Afterwards, Backend, Breach, Choice, Degraded, Ending, Error, ExecIsolation, Item, Lack, Line, Mechanism,
    Network, NetworkIsolation, Plan, ProcView, Programs, Quantity, Rights, Run, Settings, run_with,
};

use crate::kill::{alive, until, word};
use crate::world::{Seen, World, is_root, open_to_all};

fn alone() -> Option<World> {
    World::on(Backend::Landlock)
}

fn shell(world: &World, script: &str) -> Plan {
    let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let arguments = vec!["-c".into(), script.into()];
    Plan { program: "/bin/sh".into(), arguments, environment, ..world.plan(&Programs::Any) }
}

fn memory(at: PathBuf, afterwards: Afterwards) -> Item {
    Item::Memory { at, bytes: 4 << 20, files: 100, afterwards }
}

fn says_no(run: &Run, property: &str) -> bool {
    let said = format!("no {property}: ");
    run.report.degraded.iter().any(|sentence| sentence.starts_with(&said))
}

#[test]
fn nothing_runs_without_namespaces_unless_less_will_do_and_what_is_missing_is_said() {
    let Some(mut world) = alone() else { return };
    world.settings.lacking.insert(Lack::Groups);
    let plan = world.plan(&Programs::Listed(Vec::new()));
    let run = world.inside(&plan, &["nothing"]).unwrap();
    let report = &run.report;
    assert_eq!(
        (report.backend, report.files_isolated, report.files_hidden, report.l2_eligible()),
        (Backend::Landlock, true, false, false),
        "{report}"
    );
    assert_eq!(
        (report.network, report.exec, report.proc),
        (NetworkIsolation::None, ExecIsolation::Loadable, ProcView::Closed),
        "{report}"
    );
    for property in [
        "hidden files",
        "complete list of programs",
        "/proc of its own",
        "file that only exists inside",
        "exact limit of processes",
        "system of its own",
    ] {
        assert!(says_no(&run, property), "{property}: {report}");
    }
    assert_eq!(says_no(&run, "change of a file's mode"), !is_root(), "{report}");
    assert!(!says_no(&run, "folder in memory") && !says_no(&run, "list of hosts"), "{report}");
    world.settings.degraded = Degraded::Refused;
    let refused = world.inside(&plan, &["nothing"]).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { property: "hidden files", .. }), "{refused:?}");
}

#[test]
fn a_place_keeps_the_name_it_has_outside_or_is_refused() {
    let Some(world) = alone() else { return };
    let plan = world.plan(&Programs::Any);
    let refused = |item: Item| {
        let mut plan = plan.clone();
        plan.tree.push(item);
        match world.inside(&plan, &["nothing"]).unwrap_err() {
            Error::Unavailable { because, .. } => because,
            error => panic!("{error:?}"),
        }
    };
    let work = |at: &str| Item::Host { from: world.work.clone(), at: at.into(), rights: Rights::Read };
    assert!(refused(work("/nothing/here")).contains("cannot be called `/nothing/here`"));
    assert!(refused(work("/usr/share")).contains("cannot be called"));
    assert!(refused(memory("/var".into(), Afterwards::Gone)).contains("`/var` is there already"));
    assert!(
        refused(memory(world.work.join("inner"), Afterwards::Gone)).contains("in a folder that is listed")
    );
    assert!(refused(memory(world.at("no/such"), Afterwards::Gone)).contains("is not there"));
    assert!(!world.at("no").exists());
    // Another name of the same is the same.
    let link = world.at("link");
    std::os::unix::fs::symlink(&world.secret, &link).unwrap();
    let mut plan = plan.clone();
    plan.tree.push(Item::Host { from: world.secret.clone(), at: link.clone(), rights: Rights::Read });
    assert_eq!(world.seen_inside(&plan, &["read", link.to_str().unwrap()]), Seen::Open);
}

#[test]
fn what_would_only_exist_inside_is_missing_and_the_hosts_own_is_not_read_instead() {
    let Some(world) = alone() else { return };
    let mut plan = world.plan(&Programs::Any);
    let same = world.at("same");
    fs::write(&same, "just this").unwrap();
    let file = |at: &Path, content: &str| Item::File { at: at.to_owned(), content: content.into() };
    let folder = world.free("folder");
    plan.tree.extend([
        file(&world.secret, "not the secret"),
        file(&world.at("nowhere"), "made"),
        file(&same, "just this"),
        memory(folder.clone(), Afterwards::Gone),
        file(&folder.join("inner"), "made"),
        Item::Link { at: folder.join("link"), to: "inner".into() },
    ]);
    let read = |path: &Path| world.outcome(&plan, &["read", path.to_str().unwrap()]).output;
    assert_eq!(read(&world.secret), b"errno 13\n");
    assert_eq!(read(&world.at("nowhere")), b"errno 2\n");
    assert_eq!(read(&same), b"open\njust this");
    assert_eq!(read(&folder.join("inner")), b"open\nmade");
    assert_eq!(read(&folder.join("link")), b"open\nmade");
    assert!(!folder.exists());
    let run = world.inside(&plan, &["nothing"]).unwrap();
    let said = run.report.degraded.iter().find(|sentence| sentence.contains("only exists inside")).unwrap();
    assert!(said.contains("`/etc/passwd`") && said.contains("nowhere`") && !said.contains("same`"), "{said}");
}

#[test]
fn a_narrower_place_within_a_wider_one_is_said_to_be_as_wide() {
    let Some(world) = alone() else { return };
    let inner = world.work.join("inner");
    fs::create_dir(&inner).unwrap();
    open_to_all(&inner);
    let mut plan = world.plan(&Programs::Any);
    plan.tree.push(Item::Host { from: inner.clone(), at: inner.clone(), rights: Rights::Read });
    let words = ["create", "{work}/inner/made"];
    let run = world.inside(&plan, &words).unwrap();
    assert_eq!(run.outcome.output, b"open\n");
    assert!(
        says_no(&run, "narrower place within a wider one") && !run.report.files_isolated,
        "{}",
        run.report
    );
    let run = world.inside(&world.plan(&Programs::Any), &words).unwrap();
    assert!(run.report.files_isolated, "{}", run.report);
}

#[test]
fn a_list_of_hosts_is_not_had_and_then_nothing_is_reached() {
    let Some(mut world) = alone() else { return };
    let hosts = Hosts::parse(["declared.test"]).unwrap();
    let plan = Plan { network: Network::Listed(hosts), ..world.plan(&Programs::Any) };
    let run = world.inside(&plan, &["socket", "2", "1"]).unwrap();
    assert_eq!(run.outcome.output, b"errno 97\n");
    assert_eq!(run.report.network, NetworkIsolation::None, "{}", run.report);
    assert!(says_no(&run, "list of hosts"), "{}", run.report);
    world.settings.degraded = Degraded::Refused;
    assert!(matches!(world.inside(&plan, &["nothing"]), Err(Error::Unavailable { .. })));
}

#[test]
fn a_folder_made_for_a_run_has_its_limits_and_goes_with_it_whatever_is_in_it() {
    let Some(world) = alone() else { return };
    let folder = world.free("folder");
    let run = |script: &str, afterwards| {
        let mut plan = shell(&world, &script.replace("{}", folder.to_str().unwrap()));
        plan.tree.push(memory(folder.clone(), afterwards));
        world.run(&plan).unwrap()
    };
    let filled = run("head -c 20000000 /dev/zero > {}/large; exec sleep 60", Afterwards::Gone);
    assert_eq!(filled.outcome.ending, Ending::Breached(Breach::Disk));
    let by = filled.report.limits.iter().find(|limited| limited.quantity == Quantity::FolderSize);
    assert_eq!(by.map(|limited| limited.by), Some(Mechanism::Look));
    assert!(says_no(&filled, "folder in memory"), "{}", filled.report);
    assert!(!folder.exists());
    assert_eq!(
        run("head -c 2000000 /dev/zero > {}/small", Afterwards::Gone).outcome.ending,
        Ending::Exited(0)
    );
    // Closed to its owner, deep, and with links that lead out.
    let hostile = format!(
        "cd {{}}; mkdir -p a/b/c; ln -s {0} a/link; ln -s .. a/up; echo x > a/b/c/file; mkfifo a/pipe; umask 0777; \
         mkdir none; umask 0477; mkdir write; : > write/file; exit 0",
        world.secret.display()
    );
    for afterwards in [Afterwards::Gone, Afterwards::Kept] {
        let ended = run(&hostile, afterwards);
        let errors = String::from_utf8_lossy(&ended.outcome.errors).into_owned();
        assert_eq!(ended.outcome.ending, Ending::Exited(0), "{errors}");
        assert_eq!(folder.exists(), afterwards == Afterwards::Kept);
        if let [kept] = &*ended.kept {
            assert_eq!(kept.read(Path::new("a/b/c/file"), 10).unwrap(), b"x\n");
        }
        drop(ended);
        assert!(!folder.exists(), "{afterwards:?}");
    }
    assert!(world.secret.exists());
}

#[test]
fn processes_are_limited_besides_those_that_the_user_has_already() {
    let Some(mut world) = alone() else { return };
    world.settings.lacking.insert(Lack::Groups);
    let mut plan = world.plan(&Programs::Any);
    plan.limits.processes = Some(40);
    assert_eq!(world.seen_outside(&["forks", "3000"]), Seen::Open);
    // Others of the same user come and go meanwhile.
    assert_eq!(world.seen_inside(&plan, &["forks", "3000"]), Seen::Errno(11));
    plan.limits.processes = Some(2000);
    assert_eq!(world.seen_inside(&plan, &["forks", "39"]), Seen::Open);
}

#[test]
fn messages_are_for_a_namespace_that_is_not_there() {
    let Some(world) = alone() else { return };
    assert_eq!(world.seen_outside(&["message"]), Seen::Open);
    assert_eq!(world.seen_inside(&world.plan(&Programs::Any), &["message"]), Seen::Errno(1));
}

#[test]
fn where_memory_runs_out_the_program_goes_before_who_ends_everybody() {
    let Some(world) = alone() else { return };
    let mut process = world.spawn(shell(&world, "echo begun; read end; exit 0")).unwrap();
    assert_eq!(process.output.line(Duration::from_secs(60)), Line::Whole("begun".into()));
    let read = |process: &str, name: &str| {
        fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default().trim().to_owned()
    };
    let mine = read("self", "oom_score_adj");
    // Other tests of this process have children at the same time, and some of those are programs as well.
    let children = |process: &str| read(process, &format!("task/{process}/children"));
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let firsts: Vec<String> = threads
        .map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default())
        .flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let holds = firsts.iter().any(|first| {
        let first_goes = read(first, "oom_score_adj");
        children(first).split_whitespace().any(|program| {
            read(program, "cmdline").contains("read end")
                && (read(program, "oom_score_adj"), &first_goes) == ("1000".to_owned(), &mine)
        })
    });
    assert!(holds, "{firsts:?}");
    process.end_input();
    assert_eq!(process.wait().unwrap().outcome.ending, Ending::Exited(0));
}

/// Set for a run of these tests that is a supervisor to be killed.
const SUPERVISED: &str = "KITBAG_ATTACK_SUPERVISED_ALONE";

#[test]
fn what_was_made_for_a_run_goes_even_with_a_supervisor_that_is_killed() {
    let Some(world) = alone() else { return };
    let word = word("alone", &world);
    let me = std::env::current_exe().unwrap();
    let mut supervisor = Command::new(me)
        .args(["--exact", "landlock::a_supervisor_to_be_killed", "--nocapture"])
        .env(SUPERVISED, format!("{word} {}", world.work.display()))
        .spawn()
        .unwrap();
    let started = world.work.join("started");
    until("the program starts", || started.exists());
    let folder = fs::read_to_string(&started).unwrap();
    let [gone, kept] = ["gone", "kept"].map(|name| Path::new(folder.trim()).join(name));
    assert!(gone.join("deep/file").exists() && kept.join("deep/file").exists());
    assert!(!alive(&word).is_empty());
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    until("everything ends", || alive(&word).is_empty());
    // Root's folder may be empty and there: whom its programs run as may not remove it.
    let is_removed = |folder: &Path| if is_root() { !folder.join("deep").exists() } else { !folder.exists() };
    until("what was made is removed", || is_removed(&gone) && is_removed(&kept));
    fs::remove_dir_all(folder.trim()).unwrap();
}

#[test]
fn a_supervisor_to_be_killed() {
    let Ok(given) = std::env::var(SUPERVISED) else { return };
    let (word, work) = given.split_once(' ').unwrap();
    let Some(mut world) = alone() else { return };
    world.work = work.into();
    let folder = world.free("");
    let script = format!(
        "cd {0}; for name in gone kept; do mkdir $name/deep; echo x > $name/deep/file; done; \
         (setsid sleep 600 {word} &) ; echo {0} > {work}/new; mv {work}/new {work}/started; \
         exec /bin/sh -c 'sleep 600; exit 0' {word}",
        folder.display()
    );
    let mut plan = shell(&world, &script);
    plan.tree.push(memory(folder.join("gone"), Afterwards::Gone));
    plan.tree.push(memory(folder.join("kept"), Afterwards::Kept));
    let outcome = world.run(&plan).unwrap().outcome;
    panic!("the program ended first: {}: {}", outcome.ending, String::from_utf8_lossy(&outcome.errors));
}

/// Set for a run of these tests where nobody makes namespaces.
const CONTAINED: &str = "KITBAG_ATTACK_CONTAINED";

#[test]
fn where_namespaces_are_refused_it_is_chosen_when_less_will_do() {
    // Within a sandbox nobody makes namespaces, and the newer of the calls that make processes is not there: as in most
    // containers.
    let Some(world) = World::on(Backend::Native) else { return };
    let me = std::env::current_exe().unwrap();
    let (tests, work) = (world.at("tests"), world.at("inner"));
    // Another process writes it: where this one did, a child of another test would have it open to be written to.
    assert!(Command::new("cp").arg(me).arg(&tests).status().unwrap().success());
    fs::create_dir(&work).unwrap();
    open_to_all(&work);
    let mut plan = world.plan(&Programs::Any);
    plan.tree.push(Item::Host { from: tests, at: "/tests".into(), rights: Rights::Code });
    plan.tree.push(Item::Host { from: work, at: "/inner".into(), rights: Rights::Write });
    plan.program = "/tests".into();
    plan.arguments =
        ["--exact", "landlock::a_run_where_namespaces_are_refused", "--nocapture"].map(Into::into).to_vec();
    plan.environment = vec![(CONTAINED.into(), "/inner".into())];
    plan.limits.wall = Duration::from_secs(60);
    let outcome = world.run(&plan).unwrap().outcome;
    let said = String::from_utf8_lossy(&outcome.output);
    assert_eq!(outcome.ending, Ending::Exited(0), "{said}{}", String::from_utf8_lossy(&outcome.errors));
    assert!(said.contains("landlock was chosen"), "{said}");
}

#[test]
fn a_run_where_namespaces_are_refused() {
    let Ok(work) = std::env::var(CONTAINED) else { return };
    let system = kitbag_sandbox::System::whole();
    let mut plan = Plan::new("/bin/sh", system.items, Programs::Any);
    plan.tree.retain(|item| !matches!(item, Item::File { .. }));
    plan.tree.push(Item::Host { from: work.clone().into(), at: work.clone().into(), rights: Rights::Write });
    plan.folder = work.into();
    // Nor does a sandbox let its supervisor in here look at all processes, and into folders that change.
    plan.limits.memory_in_all = None;
    plan.limits.cpu_in_all = None;
    plan.limits.disk = None;
    plan.arguments =
        vec!["-c".into(), "echo x > file; (sleep 600 &); cat file; : 2>/dev/null > /tests".into()];
    let refused = run_with(&plan, &Settings::default()).unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("native: could not") && said.contains("landlock: no hidden files"), "{said}");
    assert!(said.contains("what helps is to let this user make user namespaces"), "{said}");
    let settings = Settings { degraded: Degraded::Allowed, ..Settings::default() };
    assert_eq!(settings.backend, Choice::First);
    let run = run_with(&plan, &settings).unwrap();
    assert_eq!(run.report.backend, Backend::Landlock, "{}", run.report);
    assert_eq!((run.outcome.output, run.outcome.ending), (b"x\n".to_vec(), Ending::Exited(2)));
    println!("{} was chosen", run.report.backend);
}
