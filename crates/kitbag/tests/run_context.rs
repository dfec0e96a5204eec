//! What a tool of .adcap finds beside its package (§7): resources, shards on request, dependencies, a folder of its own.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kitbag::interrupt::Interrupt;
use kitbag::resource::{Cache, Collect, Data, Dry, Entry, Error as ResourceError, Kind, Supply};
use kitbag::run::{Dependencies, Error, FaultKind, Given, Ran, Request, prepare};
use kitbag_core::digest::Sha256;
use kitbag_registry::http::{Authorities, Https, Plain};
use kitbag_testkit::authority::Authority;
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use kitbag_testkit::server::{Asked, Reply, Server};
use serde_json::{Value, json};

/// What a tool begins with: `say` answers with a line, `ask` asks for a shard.
const BEGIN: &str = "import json, os, sys\n\
                     def say(message): print(json.dumps(message), flush=True)\n\
                     def answer(output): say({'type': 'result', 'output': output})\n\
                     def ask(number, path, resource='set'):\n  \
                       say({'type': 'shard', 'reqId': number, 'resource': resource, 'path': path})\n  \
                       return json.loads(sys.stdin.readline())\n\
                     def text(path): return open(path).read()\n\
                     call = json.loads(sys.stdin.readline())\n\
                     given, context = call['input'], call['context']\n\
                     res, deps, own = context['resources'], context['dependencies'], context['toolDataDir']\n";

const ONE: &str = "the first shard";
const TWO: &str = "the second shard";

fn map() -> String {
    let shard = |path: &str, text: &str| json!({"path": path, "sha256": Sha256::of(text.as_bytes()).to_string(), "size": text.len()});
    let lost = json!({"path": "lost", "sha256": "0".repeat(64), "size": 1});
    json!({"shards": [shard("shards/one.txt", ONE), shard("two", TWO), lost], "routing": {}}).to_string()
}

/// A package with one Python tool that names resources, a server that has them, and a cache.
struct House {
    folder: Folder,
    server: Server,
    supply: Supply,
    dependencies: Dependencies,
}

impl House {
    /// `None`, and said so, where nothing can be run.
    fn new(script: &str) -> Option<Self> {
        Self::needing(script, &json!({}))
    }

    fn needing(script: &str, dependencies: &Value) -> Option<Self> {
        if !cases::tool("python3") {
            return None;
        }
        let authority = Authority::new();
        let trusted = Authorities::only(authority.pem().as_bytes()).unwrap();
        let fetch = Https::trusting(trusted, Plain::Refused);
        let supply = Supply { fetch: Some(Arc::new(fetch)), ..Supply::default() };
        let server = Server::encrypted(&authority, |_| {
            |asked: &Asked| match asked.target.as_str() {
                "/words.txt" => Reply::ok("some words"),
                "/set/map.json" => Reply::ok(map()),
                "/set/shards/one.txt" => Reply::ok(ONE),
                "/set/two" => Reply::ok(TWO),
                _ => Reply::status(404),
            }
        });
        let resource = |id: &str, path: &str, text: &str| {
            json!({"id": id, "kind": "dataset", "sources": [format!("{}/{path}", server.url())],
                "sha256": Sha256::of(text.as_bytes()).to_string(), "size": text.len()})
        };
        let mut set = resource("set", "set/map.json", &map());
        set["format"] = "shardset".into();
        let manifest = json!({
            "adcap": "1.0", "id": "tests/tool", "version": "1.0.0", "name": "Tool", "description": "A tool.",
            "tools": [{"name": "it", "description": "Does it.", "runtime": {"kind": "python", "entry": "tool.py"},
                "inputSchema": {"type": "object"}, "resources": ["some words/1", "set"], "timeoutMs": 20000}],
            "resources": [resource("some words/1", "words.txt", "some words"), set,
                resource("other", "other.txt", "not named by the tool")],
            "dependencies": dependencies,
        });
        let folder = Folder::new()
            .file("package/capability.json", manifest.to_string())
            .file("package/tool.py", format!("{BEGIN}{script}"))
            .folder("project")
            .folder("cache");
        Some(Self { folder, server, supply, dependencies: Dependencies::default() })
    }

    fn run(&self) -> Result<Ran, Error> {
        let path = std::env::var_os("PATH").unwrap();
        let request = Request {
            path: self.folder.at("package"),
            tool: "it".into(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            environment: Vec::new(),
            stage: None,
            dependencies: self.dependencies.clone(),
            supply: self.supply.clone(),
        };
        let prepared = prepare(&request, &Interrupt::new())?;
        prepared.run(&prepared.input(&Given::default()).unwrap())
    }

    /// `None`, and said so, where no sandbox can be made.
    fn ran(&self) -> Option<Ran> {
        match self.run() {
            Ok(ran) => Some(ran),
            Err(Error::Sandbox(error)) if std::env::var_os("KITBAG_TOOLS").is_none() => {
                cases::skip(&format!("no sandbox can be made here: {error}"));
                None
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }

    fn asked(&self) -> Vec<String> {
        self.server.asked().into_iter().map(|asked| asked.target).collect()
    }
}

fn output(ran: &Ran) -> Value {
    match &ran.answer {
        Ok(output) => Value::from(output),
        Err(fault) => panic!("{fault:?}\n{}", ran.logs),
    }
}

#[test]
fn a_tool_finds_the_resources_that_it_names_and_no_network_for_it() {
    let script = "import socket\ntry:\n  socket.create_connection(('127.0.0.1', 9), 1)\n  net = True\nexcept OSError: net = False\n\
                  try: open(res['set'], 'w'); written = True\nexcept OSError: written = False\n\
                  answer([sorted(res), text(res['some words/1']), text(res['set'])[:10], written, net, sorted(os.listdir('/resources')) == sorted(os.path.basename(path) for path in res.values())])\n";
    let Some(house) = House::new(script) else { return };
    let Some(ran) = house.ran() else { return };
    let expected = json!([["set", "some words/1"], "some words", "{\"routing\"", false, false, true]);
    assert_eq!(output(&ran), expected);
    assert_eq!(
        house.asked(),
        ["/words.txt", "/set/map.json"],
        "what is not named is not fetched, and no shard is"
    );
    let Some(again) = house.ran() else { return };
    assert_eq!((output(&again), house.asked().len()), (expected, 2));
    // Nothing is left of a run but what is kept.
    assert_eq!(fs::read_dir(house.folder.at("cache/runs")).unwrap().count(), 0);
    let kinds: Vec<Kind> =
        Cache::at(house.folder.at("cache")).list().unwrap().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Kind::Content, Kind::Content, Kind::Package, Kind::Data]);
}

#[test]
fn a_shard_is_fetched_when_it_is_asked_for() {
    let script = "one, two, again = ask(1, 'shards/one.txt'), ask(2, 'two'), ask(3, 'two')\n\
                  answer([text(one['path']), text(two['path']), two['path'] == again['path'], [one['reqId'], again['reqId']], one['type']])\n";
    let Some(house) = House::new(script) else { return };
    let Some(ran) = house.ran() else { return };
    assert_eq!(output(&ran), json!([ONE, TWO, true, [1, 3], "shard.result"]));
    assert_eq!(house.asked(), ["/words.txt", "/set/map.json", "/set/shards/one.txt", "/set/two"]);
    let Some(again) = house.ran() else { return };
    assert_eq!((output(&again)[0].clone(), house.asked().len()), (json!(ONE), 4));
}

#[test]
fn a_shard_that_cannot_be_had_is_an_answer_and_the_call_goes_on() {
    let script = "none, lost, word = ask(1, 'three'), ask(2, 'lost'), ask(3, 'x', 'some words/1')\n\
                  answer([none['error'], lost['error'], word['error'], text(ask(4, 'two')['path'])])\n";
    let Some(house) = House::new(script) else { return };
    let Some(ran) = house.ran() else { return };
    assert_eq!(
        output(&ran),
        json!([
            "`set` has no shard `three`",
            "the shard `lost` of `set` cannot be fetched: 127.0.0.1: it is not there (status 404)",
            "`some words/1` is no set of shards",
            TWO
        ])
    );
}

#[test]
fn a_request_for_a_shard_that_must_not_be_made_ends_the_call() {
    let rows = [
        ("ask(1, '../../etc/passwd')", "a shard's path is none"),
        ("ask(1, '/etc/passwd')", "a shard's path is none"),
        ("ask(1, 'two'); ask(1, 'two')", "the request 1 for a shard was made twice"),
        ("ask(1, 'two', 'other')", "a shard of `other` was asked for, which the tool does not name"),
        ("ask(1, 'two', 'nothing')", "a shard of `nothing` was asked for, which the tool does not name"),
        ("answer(1); ask(1, 'two')", "something was said after the result"),
    ];
    for (script, words) in rows {
        let Some(house) = House::new(&format!("{script}\nanswer('too late')\n")) else { return };
        let Some(ran) = house.ran() else { return };
        let fault = ran.answer.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Protocol, "{script}: {}", fault.message);
        assert!(fault.message.starts_with(words), "{script}: {}", fault.message);
        assert_eq!(fs::read_dir(house.folder.at("cache/runs")).unwrap().count(), 0, "{script}");
    }
}

#[test]
fn a_resource_that_cannot_be_had_stops_the_run_before_anything_starts() {
    let Some(mut house) = House::new("answer(1)\n") else { return };
    house.supply = Supply::default();
    let error = house.run().unwrap_err();
    assert!(matches!(error, Error::Resource(ResourceError::Offline { .. })), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the resource `some words/1` is not in the cache, and nothing is fetched offline"
    );
}

#[test]
fn what_a_tool_keeps_is_there_the_next_time_and_belongs_to_it() {
    let script = "path = own + '/count'\n\
                  count = int(text(path)) + 1 if os.path.exists(path) else 1\n\
                  open(path, 'w').write(str(count))\n\
                  answer([count, os.stat(own).st_mode & 0o077])\n";
    let Some(house) = House::new(script) else { return };
    for count in 1..=2 {
        let Some(ran) = house.ran() else { return };
        assert_eq!(output(&ran), json!([count, 0]));
    }
    assert_eq!(fs::read_to_string(house.folder.at("cache/data/tests/tool/it/count")).unwrap(), "2");
    // A tool that keeps too much is not started until somebody has taken it away.
    let file = fs::File::create(house.folder.at("cache/data/tests/tool/it/large")).unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    let error = house.run().unwrap_err();
    assert!(error.to_string().starts_with("the tool keeps 1073741826 bytes of its own"), "{error}");
}

/// A package `tests/words` in a folder of the house.
fn with_words(house: House, version: &str) -> House {
    let manifest = json!({"adcap": "1.0", "id": "tests/words", "version": version, "name": "Words",
        "description": "Words.", "knowledge": [{"id": "all", "kind": "markdown", "path": "all.md"}]});
    let folder = house
        .folder
        .file("installed/tests/words/capability.json", manifest.to_string())
        .file("installed/tests/words/all.md", "all words");
    House { folder, ..house }
}

#[test]
fn a_dependency_is_found_where_somebody_says_and_only_read() {
    let script = "path = deps['tests/words'] + '/all.md'\n\
                  try: open(path, 'w'); written = True\nexcept OSError: written = False\n\
                  answer([deps, text(path), written])\n";
    let needs = json!({"tests/words": "^1.2"});
    let Some(house) = House::needing(script, &needs) else { return };
    let mut house = with_words(house, "1.3.0");
    let error = house.run().unwrap_err();
    assert_eq!(error.to_string(), "the package needs tests/words ^1.2, and nothing says where that is");
    let expected = json!([{"tests/words": "/dependencies/tests/words"}, "all words", false]);
    house.dependencies.folders = vec![house.folder.at("none"), house.folder.at("installed")];
    let Some(ran) = house.ran() else { return };
    assert_eq!(output(&ran), expected);
    house.dependencies = Dependencies {
        named: [("tests/words".to_owned(), house.folder.at("installed/tests/words"))].into(),
        folders: Vec::new(),
    };
    let Some(ran) = house.ran() else { return };
    assert_eq!(output(&ran), expected);
}

#[test]
fn a_dependency_that_is_another_or_of_another_version_or_broken_is_refused() {
    let needs = || json!({"tests/words": "^1.2"});
    let refused = |house: &House| house.run().unwrap_err().to_string();
    let Some(house) = House::needing("answer(1)\n", &needs()) else { return };
    let mut house = with_words(house, "2.0.0");
    house.dependencies.folders = vec![house.folder.at("installed")];
    let lead = "tests/words, which the package needs, cannot be used: ";
    assert_eq!(refused(&house), format!("{lead}version 2.0.0 is there, and ^1.2 is needed"));
    house.dependencies.named = [("tests/words".to_owned(), house.folder.at("package"))].into();
    assert_eq!(refused(&house), format!("{lead}another package is there"));
    house.dependencies.named.clear();
    fs::remove_file(house.folder.at("installed/tests/words/all.md")).unwrap();
    assert!(refused(&house).starts_with(&format!("{lead}the package has an error")), "{}", refused(&house));
}

#[test]
fn whoever_has_said_yes_has_said_it_to_what_the_package_needs_as_well() {
    let needs = json!({"tests/words": "^1.2"});
    let Some(house) = House::needing("answer(1)\n", &needs) else { return };
    let mut house = with_words(house, "1.3.0");
    house.dependencies.folders = vec![house.folder.at("installed")];
    let digest = |house: &House| {
        let request = Request {
            path: house.folder.at("package"),
            tool: "it".into(),
            project: house.folder.at("project"),
            cache: house.folder.at("cache"),
            search: vec!["/usr/bin".into(), "/usr/local/bin".into()],
            environment: Vec::new(),
            stage: None,
            dependencies: house.dependencies.clone(),
            supply: Supply::default(),
        };
        prepare(&request, &Interrupt::new()).unwrap().digest
    };
    let before = digest(&house);
    assert_eq!(digest(&house), before);
    fs::write(house.folder.at("installed/tests/words/all.md"), "other words").unwrap();
    assert_ne!(digest(&house), before);
}

#[test]
fn nobody_collects_what_a_run_uses() {
    let script = "ask(1, 'two')\nopen('/project/here', 'w').close()\nimport time\n\
                  while not os.path.exists('/project/go'): time.sleep(0.01)\n\
                  open(own + '/note', 'w').write('kept')\n\
                  answer([text(res['set'])[:1], text('/shards/set/two')])\n";
    let Some(house) = House::new(script) else { return };
    let manifest = fs::read_to_string(house.folder.at("package/capability.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
    manifest["permissions"] = json!([{"id": "fs:write", "scope": ["$WORKSPACE"], "reason": "To wait."}]);
    manifest["tools"][0]["permissions"] = json!(["fs:write"]);
    fs::write(house.folder.at("package/capability.json"), manifest.to_string()).unwrap();
    let collect = Collect {
        unused_since: SystemTime::now() + Duration::from_secs(600),
        data: Data::Goes,
        dry: Dry::No,
    };
    let collected = |house: &House| {
        let cache = Cache::at(house.folder.at("cache"));
        let collected = cache.collect(&collect, &Interrupt::new()).unwrap();
        let kinds = |entries: &[Entry]| entries.iter().map(|entry| entry.kind).collect::<Vec<_>>();
        (kinds(&collected.gone), kinds(&collected.in_use))
    };
    let all = [Kind::Content, Kind::Content, Kind::Content, Kind::Package, Kind::Data];
    let ran = std::thread::scope(|scope| {
        let run = scope.spawn(|| house.ran());
        while !house.folder.at("project/here").exists() {
            if run.is_finished() {
                return run.join().unwrap();
            }
            std::thread::yield_now();
        }
        let (gone, in_use) = collected(&house);
        fs::write(house.folder.at("project/go"), "").unwrap();
        let with_run: Vec<Kind> = all.into_iter().chain([Kind::Leftover]).collect();
        assert_eq!((gone, in_use), (vec![], with_run));
        run.join().unwrap()
    });
    let Some(ran) = ran else { return };
    assert_eq!(output(&ran), json!(["{", TWO]));
    assert_eq!(fs::read_to_string(house.folder.at("cache/data/tests/tool/it/note")).unwrap(), "kept");
    assert_eq!(collected(&house), (all.to_vec(), vec![]));
}
