//! What a package may do, lowered to a plan and run: what is granted works, what is not does not, and what could not be
//! said is told.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use kitbag_core::glob::Dialect;
use kitbag_core::json::{Pointer, Span};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::{Allowed, Confirm, Effect, LossKind, Lowered, Met, Origin, Pattern, Root, Scope};
use kitbag_sandbox::egress::Hosts;
use kitbag_sandbox::{
    Afterwards, Backend, ChangeKind, Ending, Error, Limits, Names, Network, PackageFiles, Places, Plan, Proc,
    Programs, Run, Scratch, Start, WatchLimits, Watched, Work, lower, lower_with, run, run_with,
};
use kitbag_testkit::folder::Folder;

use crate::world::{World, open_to_all};

fn origin() -> Origin {
    Origin {
        format: "skillpact",
        file: PackagePath::new("skill.contract.json").unwrap(),
        pointer: Pointer::root().join("permissions"),
        span: Span { start: 0, end: 1 },
    }
}

fn scoped(effect: Effect, scope: Scope) -> Allowed {
    Allowed { effect, scope, confirm: Confirm::HostDecides, origins: vec![origin()] }
}

/// `texts` in SkillPact's and Splice's dialects: a path that begins with `splice:` is one of Splice's.
fn allowed(effect: &Effect, texts: &[&str]) -> Allowed {
    let pattern = |text: &&str| {
        if let Some(path) = text.strip_prefix("splice:") {
            return Pattern { root: Some(Root::Project), text: path.into(), dialect: Dialect::SplicePath };
        }
        let root = match text.split('/').next().unwrap() {
            "$SKILL_DIR" => Some(Root::Package),
            "$WORKSPACE" => Some(Root::Project),
            "$INPUT" => Some(Root::Input),
            "$INPUT_DIR" => Some(Root::InputDir),
            "$OUTPUT" => Some(Root::Output),
            "$WORKDIR" => Some(Root::Work),
            "$TMPDIR" => Some(Root::Temp),
            _ => None,
        };
        let dialect = match effect {
            Effect::Read | Effect::Write => Dialect::SkillPactPath,
            _ => Dialect::SkillPactName,
        };
        Pattern { root, text: (*text).into(), dialect }
    };
    scoped(effect.clone(), Scope::Patterns(texts.iter().map(pattern).collect()))
}

fn met(allowed: Vec<Allowed>) -> Met {
    Met { allowed, left_out: Vec::new() }
}

/// A package, a project, an input, and things that no pattern names.
struct House {
    folder: Folder,
}

impl House {
    fn new() -> Self {
        let folder = Folder::new()
            .file("package/SKILL.md", "a skill")
            .file("package/bin/tool", "#!/bin/sh\necho the tool\n")
            .file("project/data/a.csv", "a")
            .file("project/data/b.txt", "b")
            .file("project/data/deep/c.csv", "c")
            .file("project/secret.txt", "secret")
            .file("in/input.csv", "input")
            .file("in/other.csv", "other")
            .file("outside/key", "key")
            .folder("work");
        symlink("../../outside", folder.at("project/data/out")).unwrap();
        symlink("../outside/key", folder.at("project/key")).unwrap();
        symlink("data/a.csv", folder.at("project/short")).unwrap();
        let house = Self { folder };
        for path in ["", "package", "project", "project/data", "project/data/deep", "in", "outside", "work"] {
            open_to_all(&house.at(path));
        }
        for file in ["package/SKILL.md", "project/data/a.csv", "project/data/b.txt", "project/secret.txt"] {
            fs::set_permissions(house.at(file), fs::Permissions::from_mode(0o666)).unwrap();
        }
        fs::set_permissions(house.at("package/bin/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        house
    }

    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.folder.path().to_owned() } else { self.folder.at(path) }
    }

    fn places(&self) -> Places {
        Places {
            package: self.at("package"),
            project: Some(self.at("project")),
            input: Some(self.at("in/input.csv")),
            output: None,
            work: Work::Memory(Afterwards::Gone),
            further: vec![("$DEPENDENCY/some/other".into(), self.at("outside"))],
            scratch: Scratch::default(),
            search: vec!["/usr/bin".into(), "/bin".into()],
            environment: vec![("SEEN".into(), "1".into()), ("HIDDEN".into(), "2".into())],
        }
    }
}

fn shell(script: &str) -> Start {
    Start {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        programs: vec!["/bin/sh".into(), "/usr/bin/cat".into()],
        package: PackageFiles::Data,
        items: Vec::new(),
        environment: Vec::new(),
        folder: None,
        proc: Proc::Processes,
        limits: Limits::default(),
        input: Vec::new(),
    }
}

fn lowered(met: &Met, places: &Places, start: &Start) -> Lowered<Plan> {
    let lowered = lower(met, places, start).unwrap();
    assert_eq!(lowered.value.check(), Ok(()), "{:#?}", lowered.value.tree);
    lowered
}

fn ran(plan: &Plan) -> Run {
    run(plan).unwrap_or_else(|error| panic!("{error}: {error:?}\n{:#?}", plan.tree))
}

fn output(met: &Met, places: &Places, start: &Start) -> String {
    String::from_utf8(ran(&lowered(met, places, start).value).outcome.output).unwrap()
}

fn because(lowered: &Lowered<Plan>) -> Vec<(LossKind, &str)> {
    lowered.losses.iter().map(|loss| (loss.kind, loss.because.as_str())).collect()
}

/// Which of `paths` can be read inside.
fn readable<'p>(met: &Met, places: &Places, paths: &[&'p str]) -> Vec<&'p str> {
    let script: Vec<String> =
        paths.iter().map(|path| format!("cat {path} >/dev/null 2>&1 && echo {path}")).collect();
    let said = output(met, places, &shell(&script.join("\n")));
    paths.iter().copied().filter(|path| said.lines().any(|line| line == *path)).collect()
}

const EVERYTHING: [&str; 12] = [
    "/package/SKILL.md",
    "/project/data/a.csv",
    "/project/data/b.txt",
    "/project/data/deep/c.csv",
    "/project/data/out/key",
    "/project/secret.txt",
    "/project/key",
    "/project/short",
    "/input/input.csv",
    "/input/other.csv",
    "/dependency/some/other/key",
    "/etc/shadow",
];

#[test]
fn a_pattern_shows_what_it_matches_and_nothing_else() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let rows: [(&[&str], &[&str]); 13] = [
        (&[], &[]),
        (
            &["$WORKSPACE/data/**"],
            &["/project/data/a.csv", "/project/data/b.txt", "/project/data/deep/c.csv"],
        ),
        (&["splice:data"], &["/project/data/a.csv", "/project/data/b.txt", "/project/data/deep/c.csv"]),
        (&["$WORKSPACE/data/*"], &["/project/data/a.csv", "/project/data/b.txt"]),
        (&["$WORKSPACE/**/*.csv"], &["/project/data/a.csv", "/project/data/deep/c.csv"]),
        (&["$WORKSPACE/data/?.csv"], &["/project/data/a.csv"]),
        (&["data/a.csv"], &["/project/data/a.csv"]),
        (&["$WORKSPACE/short"], &["/project/data/a.csv", "/project/short"]),
        (&["$WORKSPACE/key"], &[]),
        (&["splice:data/out", "$WORKSPACE/data"], &[]),
        (&["$INPUT"], &["/input/input.csv"]),
        (&["$INPUT_DIR/**"], &["/input/input.csv", "/input/other.csv"]),
        (&["$DEPENDENCY/some/other/**"], &["/dependency/some/other/key"]),
    ];
    for (patterns, expected) in rows {
        let met = met(vec![allowed(&Effect::Read, patterns)]);
        let seen = readable(&met, &house.places(), &EVERYTHING);
        // The package itself is always there.
        let expected: Vec<&str> =
            std::iter::once("/package/SKILL.md").chain(expected.iter().copied()).collect();
        assert_eq!(seen, expected, "{patterns:?}");
    }
    let whole = readable(&met(vec![allowed(&Effect::Read, &["splice:."])]), &house.places(), &EVERYTHING);
    // Links that lead out of the project lead nowhere.
    assert_eq!(whole.len(), 6, "{whole:?}");
    assert!(!whole.contains(&"/project/key") && !whole.contains(&"/project/data/out/key"));
}

#[test]
fn an_absolute_pattern_is_the_hosts_own_path() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let key = house.at("outside/key");
    let (key, folder) = (key.to_str().unwrap(), house.at("outside"));
    let places = house.places();
    // Temporary folders of the host are never shown, wherever the tests have theirs.
    if !key.starts_with("/tmp/") {
        let met = met(vec![allowed(&Effect::Read, &[&format!("{}/**", folder.display())])]);
        assert_eq!(readable(&met, &places, &[key]), [key]);
    }
    let met_system = met(vec![allowed(
        &Effect::Read,
        &["/usr/share/**", "/etc/hostname", "/etc/**", "/proc/**", "/tmp/**"],
    )]);
    let lowered =
        lowered(&met_system, &places, &shell("cat /etc/passwd; test -e /etc/hostname && echo there"));
    let said = String::from_utf8(ran(&lowered.value).outcome.output).unwrap();
    assert!(said.starts_with("user:x:1000"), "the list of users is the sandbox's own: {said}");
    assert_eq!(said.contains("there"), Path::new("/etc/hostname").exists());
    let own = |text: &str| format!("`{text}` is the sandbox's own here");
    let (etc, proc, temp) = (own("/etc/**"), own("/proc/**"), own("/tmp/**"));
    let expected = [&etc, &proc, &temp].map(|because| (LossKind::Dropped, because.as_str()));
    assert_eq!(because(&lowered), expected);
}

#[test]
fn only_what_may_be_written_is_written() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let script = "for f in /package/new /project/new /project/data/new /project/data/a.csv /project/data/b.txt \
                  /work/new /tmp/new; do echo x 2>/dev/null >$f && echo $f; done";
    let rows: [(&[&str], &[&str]); 6] = [
        (&[], &[]),
        (&["$WORKSPACE/data/**"], &["/project/data/new", "/project/data/a.csv", "/project/data/b.txt"]),
        (&["splice:data/a.csv"], &["/project/data/a.csv"]),
        (&["$WORKSPACE/data/*.csv"], &["/project/data/a.csv"]),
        (&["$SKILL_DIR"], &["/package/new"]),
        (&["$WORKDIR/**"], &[]),
    ];
    for (patterns, expected) in rows {
        let everything = allowed(&Effect::Read, &["splice:."]);
        let met = met(vec![everything, allowed(&Effect::Write, patterns)]);
        let said = output(&met, &house.places(), &shell(script));
        let written: Vec<&str> = said.lines().collect();
        let expected: Vec<&str> = expected.iter().copied().chain(["/work/new", "/tmp/new"]).collect();
        assert_eq!(written, expected, "{patterns:?}");
        for left in ["package/new", "project/data/new"] {
            let _made = fs::remove_file(house.at(left));
        }
    }
}

#[test]
fn what_is_written_anew_has_to_have_a_place() {
    let house = House::new();
    let met =
        met(vec![allowed(&Effect::Write, &["$WORKSPACE/report.md", "$WORKSPACE/*.md", "$WORKSPACE/data"])]);
    let lowered = lowered(&met, &house.places(), &shell(""));
    assert_eq!(
        because(&lowered),
        [
            (
                LossKind::Tightened,
                "`$WORKSPACE/report.md` is not there; what is to be written has to be made first"
            ),
            (
                LossKind::Tightened,
                "of what `$WORKSPACE/*.md` matches, only files that are there already can be written"
            ),
            (
                LossKind::Tightened,
                "`$WORKSPACE/data` names a folder and nothing in it; `$WORKSPACE/data/**` names what is in it"
            ),
        ]
    );
}

#[test]
fn an_output_that_is_not_there_is_made_in_memory_and_kept() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let met = met(vec![allowed(&Effect::Write, &["$OUTPUT"])]);
    let places = Places { output: Some(house.at("out.txt")), ..house.places() };
    let lowered = lowered(&met, &places, &shell("echo result >$OUTPUT"));
    assert!(lowered.losses.is_empty());
    let kept = ran(&lowered.value).kept;
    let [kept] = &*kept else { panic!("{kept:?}") };
    assert_eq!(kept.at(), Path::new("/output"));
    assert_eq!(kept.read(Path::new("out.txt"), 100).unwrap(), b"result\n");
    assert!(!house.at("out.txt").exists(), "nothing is made on the host");
    // One that is there is written itself.
    fs::write(house.at("out.txt"), "old").unwrap();
    fs::set_permissions(house.at("out.txt"), fs::Permissions::from_mode(0o666)).unwrap();
    let lowered = lower(&met, &places, &shell("echo result >$OUTPUT")).unwrap();
    assert!(ran(&lowered.value).kept.is_empty());
    assert_eq!(fs::read_to_string(house.at("out.txt")).unwrap(), "result\n");
}

#[test]
fn only_programs_that_are_named_are_started() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let script = "id -u >/dev/null 2>&1 && echo id; uname >/dev/null 2>&1 && echo uname; $SKILL_DIR/bin/tool 2>/dev/null";
    let started = |scope: Option<Allowed>, package| {
        let start = Start { package, ..shell(script) };
        output(&met(scope.into_iter().collect()), &house.places(), &start)
    };
    let names = |names: &[&str]| Some(allowed(&Effect::Exec, names));
    assert_eq!(started(None, PackageFiles::Data), "");
    assert_eq!(started(names(&[]), PackageFiles::Data), "");
    assert_eq!(started(names(&["id"]), PackageFiles::Data), "id\n");
    assert_eq!(started(names(&["/usr/bin/uname"]), PackageFiles::Data), "uname\n");
    assert_eq!(started(names(&["i?", "unam*"]), PackageFiles::Data), "id\nuname\n");
    assert_eq!(started(names(&["$SKILL_DIR/bin/tool"]), PackageFiles::Programs), "the tool\n");
    let anything = scoped(Effect::Exec, Scope::Anything);
    assert_eq!(started(Some(anything), PackageFiles::Programs), "id\nuname\nthe tool\n");
    let unknown = met(vec![allowed(&Effect::Exec, &["id", "no-such-program"])]);
    let lowered = lowered(&unknown, &house.places(), &shell(""));
    assert_eq!(because(&lowered), [(LossKind::Dropped, "`no-such-program` is no program of this host")]);
    let none = Start { programs: vec!["/no/such/program".into()], ..shell("") };
    assert!(lower(&met(Vec::new()), &house.places(), &none).is_err());
}

#[test]
fn a_package_that_is_started_is_not_written() {
    let house = House::new();
    let met_whole = met(vec![allowed(&Effect::Write, &["$SKILL_DIR/**"])]);
    let start = Start { package: PackageFiles::Programs, ..shell("") };
    let lowered = lowered(&met_whole, &house.places(), &start);
    let expected = "a package that writes to itself could change the programs that it may start";
    assert_eq!(because(&lowered), [(LossKind::Dropped, expected)]);
    let any = met(vec![scoped(Effect::Exec, Scope::Anything), allowed(&Effect::Write, &["$SKILL_DIR/**"])]);
    assert!(lower(&any, &house.places(), &start).unwrap().losses.is_empty());
}

#[test]
fn only_variables_that_are_named_are_seen() {
    let house = House::new();
    let seen = |allowed: Vec<Allowed>| -> BTreeMap<String, String> {
        let text = |value: &std::ffi::OsString| value.to_str().unwrap().to_owned();
        let plan = lowered(&met(allowed), &house.places(), &shell("")).value;
        plan.environment.iter().map(|(name, value)| (text(name), text(value))).collect()
    };
    let none = seen(Vec::new());
    assert!(!none.contains_key("SEEN") && !none.contains_key("HIDDEN"));
    assert_eq!(
        (&*none["PATH"], &*none["HOME"], &*none["INPUT"]),
        ("/usr/bin:/bin", "/work", "/input/input.csv")
    );
    let named = seen(vec![allowed(&Effect::Env, &["SEE?", "PATH"])]);
    assert_eq!((named["SEEN"].as_str(), named.get("HIDDEN")), ("1", None));
    assert_eq!(seen(vec![scoped(Effect::Env, Scope::Anything)])["HIDDEN"], "2");
    let plain = |text: &str| Pattern { root: None, text: text.into(), dialect: Dialect::Plain };
    let secrets = Scope::Patterns([plain("env:HIDDEN"), plain("header:Authorization")].into());
    let secrets = met(vec![scoped(Effect::Secret, secrets)]);
    let lowered = lowered(&secrets, &house.places(), &shell(""));
    assert!(lowered.value.environment.contains(&("HIDDEN".into(), "2".into())));
    assert_eq!(
        because(&lowered),
        [(LossKind::Dropped, "`header:Authorization` is handed over by whoever runs this")]
    );
}

#[test]
fn only_hosts_that_are_named_are_reached() {
    let house = House::new();
    let hosts = |dialect: Dialect, texts: &[&str]| {
        let pattern = |text: &&str| Pattern { root: None, text: (*text).into(), dialect };
        let allowed = scoped(Effect::Network, Scope::Patterns(texts.iter().map(pattern).collect()));
        lowered(&met(vec![allowed]), &house.places(), &shell(""))
    };
    let listed = |texts: &[&str]| Network::Listed(Hosts::parse(texts.iter().copied()).unwrap());
    let named = hosts(Dialect::SkillPactHost, &["a.test", "*.b.test:8443", "@local"]);
    assert_eq!(named.value.network, listed(&["a.test", "*.b.test:8443", "@local"]));
    assert!(named.losses.is_empty());
    assert_eq!(hosts(Dialect::SpliceHost, &["*"]).value.network, listed(&["**.*"]));
    let riddle = hosts(Dialect::SkillPactHost, &["127.1", "a.test"]);
    assert_eq!(riddle.value.network, listed(&["a.test"]));
    let [(LossKind::Dropped, because)] = &*because(&riddle) else { panic!("{:?}", riddle.losses) };
    assert!(because.contains("`127.1`"), "{because}");
    let scope =
        |scope| lower(&met(vec![scoped(Effect::Network, scope)]), &house.places(), &shell("")).unwrap();
    assert_eq!((scope(Scope::Nothing).value.network, scope(Scope::Nothing).losses.len()), (Network::Off, 0));
    let any = scope(Scope::Anything);
    assert_eq!((any.value.network, any.losses[0].kind), (listed(&["**.*"]), LossKind::Tightened));
    assert_eq!(lowered(&met(Vec::new()), &house.places(), &shell("")).value.network, Network::Off);
}

#[test]
fn what_no_sandbox_holds_is_told() {
    let house = House::new();
    let all = [Effect::Spend, Effect::Send, Effect::Call].map(|effect| scoped(effect, Scope::Anything));
    let lowered = lowered(&met(all.to_vec()), &house.places(), &shell(""));
    assert_eq!(lowered.losses.len(), 3);
    assert!(lowered.losses.iter().all(|loss| loss.kind == LossKind::Dropped && loss.target == "sandbox"));
    let nothing = [Effect::Spend, Effect::Send, Effect::Call].map(|effect| scoped(effect, Scope::Nothing));
    assert!(lower(&met(nothing.to_vec()), &house.places(), &shell("")).unwrap().losses.is_empty());
}

#[test]
fn a_scope_without_end_ends() {
    let house = House::new();
    let many: Vec<String> = (0..300).map(|number| format!("$WORKSPACE/data/f{number}.txt")).collect();
    for name in &many {
        let name = name.strip_prefix("$WORKSPACE/").unwrap();
        fs::write(house.at(&format!("project/{name}")), "").unwrap();
    }
    let places = house.places();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    let named = lowered(&met(vec![allowed(&Effect::Read, &texts)]), &places, &shell(""));
    assert_eq!(
        because(&named),
        [(LossKind::Tightened, "only 128 folders and files can be shown; the others are left out")]
    );
    let matched =
        lowered(&met(vec![allowed(&Effect::Read, &["$WORKSPACE/data/*.txt"])]), &places, &shell(""));
    let [(LossKind::Tightened, because)] = &*because(&matched) else { panic!("{:?}", matched.losses) };
    assert!(because.contains("too many files"), "{because}");
    let whole = lowered(&met(vec![allowed(&Effect::Read, &["$WORKSPACE/data/**"])]), &places, &shell(""));
    assert!(whole.losses.is_empty());
}

#[test]
fn anything_is_everything_but_the_systems_own() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    let met = met(vec![scoped(Effect::Read, Scope::Anything), scoped(Effect::Exec, Scope::Anything)]);
    let lowered =
        lowered(&met, &house.places(), &shell("cat /project/secret.txt /etc/passwd; ls -d /var /home"));
    assert_eq!(lowered.value.programs, Programs::Any);
    let [loss] = &*lowered.losses else { panic!("{:?}", lowered.losses) };
    assert_eq!(loss.kind, LossKind::Tightened);
    let outcome = ran(&lowered.value).outcome;
    let said = String::from_utf8(outcome.output).unwrap();
    assert_eq!(outcome.ending, Ending::Exited(0), "{said}");
    assert!(said.starts_with("secretuser:x:1000"), "{said}");
}

#[test]
fn an_edit_of_the_package_by_its_own_program_is_found() {
    if World::new().is_none() {
        return;
    }
    let house = House::new();
    // The same size and the same time.
    let script = "touch -r $SKILL_DIR/SKILL.md /tmp/time; echo -n 'A SKILL' >$SKILL_DIR/SKILL.md; \
                  touch -r /tmp/time $SKILL_DIR/SKILL.md";
    let programs = allowed(&Effect::Exec, &["touch"]);
    let watch = || Watched::new(&house.at("package"), WatchLimits::default()).unwrap();
    let before = watch();
    output(&met(vec![programs.clone()]), &house.places(), &shell(script));
    assert_eq!(before.changes(&watch()), [], "what is only read stays as it is");
    let writes = allowed(&Effect::Write, &["$SKILL_DIR/**"]);
    output(&met(vec![programs, writes]), &house.places(), &shell(script));
    let changes = before.changes(&watch());
    let [change] = &*changes else { panic!("{changes:?}") };
    assert_eq!((change.path.to_str(), change.kind), (Some("SKILL.md"), ChangeKind::Content));
}

#[test]
fn whatever_is_granted_makes_a_plan() {
    let house = House::new();
    let roots = [
        "$SKILL_DIR",
        "$WORKSPACE",
        "$INPUT",
        "$INPUT_DIR",
        "$OUTPUT",
        "$WORKDIR",
        "$TMPDIR",
        "$OTHER",
        "",
        ".",
    ];
    let rests = [
        "",
        "/**",
        "/data",
        "/data/**",
        "/data/*.csv",
        "/**/*",
        "/out",
        "/key",
        "/short",
        "/../x",
        "//",
        "/etc",
        "/usr/bin/**",
        "/usr/share",
        "/",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut pick = |count: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % count
    };
    for _ in 0..300 {
        let mut scope = |effect: Effect| {
            if pick(12) == 0 {
                return scoped(effect, Scope::Anything);
            }
            let texts: Vec<String> = (0..pick(6))
                .map(|_| format!("{}{}", roots[pick(roots.len())], rests[pick(rests.len())]))
                .collect();
            allowed(&effect, &texts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let mut all = vec![scope(Effect::Read), scope(Effect::Write)];
        let exec = [Scope::Nothing, Scope::Anything][pick(2)].clone();
        all.push(scoped(Effect::Exec, exec));
        let package = [PackageFiles::Data, PackageFiles::Programs][pick(2)];
        let start = Start { package, ..shell("") };
        let plan = lower(&met(all.clone()), &house.places(), &start).unwrap().value;
        assert_eq!(plan.check(), Ok(()), "{all:#?}\n{:#?}", plan.tree);
    }
}

#[test]
fn without_namespaces_everything_is_called_as_outside_and_the_grants_hold() {
    let Some(world) = World::on(Backend::Landlock) else { return };
    let house = House::new();
    let scratch = house.at("scratch");
    fs::create_dir(&scratch).unwrap();
    open_to_all(&scratch);
    let places = Places {
        output: Some(house.at("result.txt")),
        work: Work::Memory(Afterwards::Gone),
        ..house.places()
    };
    let script = "cat \"$SKILL_DIR/SKILL.md\" \"$WORKSPACE/data/a.csv\" \"$WORKSPACE/short\" \"$INPUT\"; echo; \
                  cat \"$WORKSPACE/secret.txt\" \"$WORKSPACE/key\" \"$INPUT_DIR/other.csv\" 2>/dev/null; \
                  echo x > \"$WORKSPACE/data/new\"; echo x > \"$WORKSPACE/new\" ; echo x > \"$SKILL_DIR/new\"; \
                  echo made > \"$OUTPUT\"; echo x > \"$TMPDIR/x\" && echo y > \"$WORKDIR/y\" && pwd";
    let met = met(vec![
        allowed(&Effect::Read, &["$WORKSPACE/*/*.csv", "$WORKSPACE/short", "$INPUT"]),
        allowed(&Effect::Write, &["$WORKSPACE/data/deep/**", "$OUTPUT"]),
    ]);
    let start = shell(script);
    let lowered = lower_with(&met, &places, &start, &Names::OfHost(scratch.clone())).unwrap();
    let plan = lowered.value;
    assert_eq!(plan.check(), Ok(()));
    let run = run_with(&plan, &world.settings).unwrap_or_else(|error| panic!("{error:?}\n{:#?}", plan.tree));
    let scratch = fs::canonicalize(&scratch).unwrap();
    let said = String::from_utf8(run.outcome.output).unwrap();
    assert_eq!(said, format!("a skillaainput\n{}\n", scratch.join("work").display()));
    assert_eq!(run.outcome.ending, Ending::Exited(0));
    for not_made in ["project/data/new", "project/new", "package/new"] {
        assert!(!house.at(not_made).exists(), "{not_made}");
    }
    let [kept] = &*run.kept else { panic!("{:?}", run.kept) };
    assert_eq!(kept.read("result.txt".as_ref(), 10).unwrap(), b"made\n");
    drop(run.kept);
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "what was the run's own is gone");
    // By the sandbox's own names there is no such run.
    let own = lower(&met, &places, &start).unwrap().value;
    assert!(matches!(run_with(&own, &world.settings), Err(Error::Unavailable { .. })));
}
