//! Tools run inside exactly their permissions, and whatever they do instead is told.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kitbag::interrupt::Interrupt;
use kitbag::resource::Supply;
use kitbag::run::{Dependencies, Error, FaultKind, Given, Prepared, Ran, Request, prepare};
use kitbag_sandbox::egress::{Refusal, Verdict};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

/// A package with one Python tool, a project, and a cache.
struct House {
    folder: Folder,
}

/// What a tool begins with: `say` answers with a line.
const BEGIN: &str = "import json, os, sys, time\n\
                     def say(message): print(json.dumps(message), flush=True)\n\
                     call = json.loads(sys.stdin.readline())\n\
                     given, context = call['input'], call['context']\n";

impl House {
    /// `None`, and said so, where nothing can be run.
    fn new(script: &str) -> Option<Self> {
        Self::with(script, "[]", "")
    }

    fn with(script: &str, permissions: &str, named: &str) -> Option<Self> {
        if !cases::tool("python3") {
            return None;
        }
        let manifest = format!(
            r#"{{"adcap": "1.0", "id": "tests/tool", "version": "1.0.0", "name": "Tool", "description": "A tool.",
            "tools": [{{"name": "it", "description": "Does it.", "runtime": {{"kind": "python", "entry": "tool.py", "version": ">=3.8"}},
            "inputSchema": {{"type": "object", "properties": {{"n": {{"type": "integer"}}}}}},
            "outputSchema": {{"type": ["string", "array", "object", "boolean"]}},
            "permissions": [{named}], "timeoutMs": 20000}}], "permissions": {permissions}}}"#
        );
        let folder = Folder::new()
            .file("package/capability.json", manifest)
            .file("package/tool.py", format!("{BEGIN}{script}"))
            .file("project/data/a.txt", "a")
            .file("project/secret.txt", "secret")
            .folder("cache");
        Some(Self { folder })
    }

    fn request(&self, tool: &str) -> Request {
        let path = std::env::var_os("PATH").unwrap();
        Request {
            path: self.folder.at("package"),
            tool: tool.into(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            environment: vec![("SEEN".into(), "1".into()), ("HIDDEN".into(), "2".into())],
            stage: None,
            dependencies: Dependencies::default(),
            supply: Supply::default(),
        }
    }

    fn prepared(&self) -> Prepared {
        prepare(&self.request("it"), &Interrupt::new()).unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    /// `None`, and said so, where no sandbox can be made.
    fn run(&self) -> Option<Ran> {
        let prepared = self.prepared();
        let input = prepared.input(&Given { json: Some(b"{\"n\": 1}"), ..Given::default() }).unwrap();
        match prepared.run(&input) {
            Ok(ran) => Some(ran),
            Err(Error::Sandbox(error)) if std::env::var_os("KITBAG_TOOLS").is_none() => {
                cases::skip(&format!("no sandbox can be made here: {error}"));
                None
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }
}

fn output(ran: &Ran) -> String {
    match &ran.answer {
        Ok(output) => serde_json::Value::from(output).to_string(),
        Err(fault) => panic!("{fault:?}\n{}", ran.logs),
    }
}

fn fault(script: &str) -> Option<(FaultKind, String)> {
    let ran = House::new(script)?.run()?;
    let fault = ran.answer.expect_err(script);
    Some((fault.kind, fault.message))
}

#[test]
fn a_tool_answers_and_its_logs_are_kept_apart() {
    let script = "print('thinking', file=sys.stderr)\nsay({'type': 'result', 'output': [given, call['tool'], context]})\n";
    let Some(house) = House::new(script) else { return };
    let Some(ran) = house.run() else { return };
    assert_eq!(
        output(&ran),
        r#"[{"n":1},"it",{"capability":"tests/tool","dependencies":{},"dir":"/package","resources":{},"toolDataDir":"/data","version":"1.0.0","workspace":null}]"#
    );
    assert_eq!(ran.logs, "thinking");
    assert!(ran.report.files_hidden && ran.losses.is_empty());
}

#[test]
fn every_way_not_to_answer_has_its_name() {
    let result = "say({'type': 'result', 'output': 'x'})\n";
    let rows: [(&str, FaultKind, &str); 17] = [
        ("say({'type': 'error', 'message': 'no such map'})", FaultKind::ToolError, "no such map"),
        ("sys.exit(3)", FaultKind::ToolCrashed, "code 3"),
        ("pass", FaultKind::ToolCrashed, "code 0"),
        ("os.kill(os.getpid(), 9)", FaultKind::ToolCrashed, "signal 9"),
        ("raise ValueError('x')", FaultKind::ToolCrashed, "code 1"),
        ("print('hello')", FaultKind::Protocol, "no message"),
        ("print('{\"type\": \"result\", \"output\": NaN}')", FaultKind::Protocol, "no message"),
        ("say({'type': 'result', 'output': eval('[' * 65 + ']' * 65)})", FaultKind::Protocol, "64 deep"),
        (
            "sys.stdout.buffer.write(b'{\"type\": \"result\", \"output\": \"\\xff\"}\\n')",
            FaultKind::Protocol,
            "UTF-8",
        ),
        (
            "say({'type': 'shard', 'reqId': 1, 'resource': 'x', 'path': 'y'})",
            FaultKind::Protocol,
            "does not name",
        ),
        ("say({'type': 'shard', 'reqId': 1, 'resource': 'x', 'path': '../y'})", FaultKind::Protocol, "path"),
        ("say({'type': 'result'})", FaultKind::Protocol, "`output`"),
        ("while True: sys.stdout.write('x' * 65536)", FaultKind::OutputTooLarge, "line's length"),
        ("while True: sys.stdout.write('\\n' * 65536)", FaultKind::OutputTooLarge, "standard output"),
        ("while True: sys.stderr.write('x' * 65536)", FaultKind::ToolCrashed, "standard errors"),
        ("say({'type': 'result', 'output': 5})", FaultKind::InvalidOutput, "not what the tool says"),
        ("open('/work/f', 'wb').write(b'x' * (1 << 30))", FaultKind::ToolCrashed, ""),
    ];
    for (script, kind, words) in rows {
        let Some((seen, message)) = fault(script) else { return };
        assert_eq!(seen, kind, "{script}: {message}");
        assert!(message.contains(words), "{script}: {message}");
    }
    for (script, kind) in [
        (format!("{result}{result}"), FaultKind::Protocol),
        (format!("{result}print('bye')\n"), FaultKind::Protocol),
        (format!("{result}say({{'type': 'error', 'message': 'no'}})\n"), FaultKind::Protocol),
    ] {
        assert_eq!(fault(&script).map(|(kind, _)| kind), Some(kind), "{script}");
    }
}

#[test]
fn a_tool_that_has_answered_may_stay_a_moment_and_no_longer() {
    let script = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(600)\n\
                  say({'type': 'result', 'output': 'x'})\ntime.sleep(600)\n";
    let Some(house) = House::new(script) else { return };
    let Some(ran) = house.run() else { return };
    assert_eq!(output(&ran), "\"x\"");
}

#[test]
fn a_tool_without_an_end_is_ended() {
    let Some(house) = House::new("time.sleep(600)") else { return };
    let manifest = fs::read_to_string(house.folder.at("package/capability.json")).unwrap();
    fs::write(house.folder.at("package/capability.json"), manifest.replace("20000", "1500")).unwrap();
    let Some(ran) = house.run() else { return };
    let fault = ran.answer.unwrap_err();
    assert_eq!((fault.kind, &*fault.message), (FaultKind::Timeout, "the tool gave no answer within 1500 ms"));
    assert!(ran.duration >= Duration::from_millis(1500));
}

/// What of the world a tool sees: one word per thing that it gets at.
const LOOK: &str = "seen = []\n\
    def tries(word, attempt):\n  try:\n    attempt()\n    seen.append(word)\n  except Exception:\n    pass\n\
    w = context['workspace'] or '/project'\n\
    tries('read', lambda: open(w + '/data/a.txt').read())\n\
    tries('secret', lambda: open(w + '/secret.txt').read())\n\
    tries('write', lambda: open(w + '/data/new.txt', 'w').write('x'))\n\
    tries('package', lambda: open('/package/new.txt', 'w').write('x'))\n\
    tries('env', lambda: os.environ['SEEN'])\n\
    tries('hidden', lambda: os.environ['HIDDEN'])\n\
    import subprocess, socket\n\
    tries('exec', lambda: subprocess.run(['id'], check=True, stdout=subprocess.DEVNULL))\n\
    tries('other', lambda: subprocess.run(['uname'], check=True, stdout=subprocess.DEVNULL))\n\
    tries('socket', lambda: socket.socket())\n\
    say({'type': 'result', 'output': seen})\n";

#[test]
fn what_is_declared_works_and_what_is_not_does_not() {
    let permission =
        |id: &str, scope: &str| format!(r#"{{"id": "{id}", "scope": [{scope}], "reason": "Because."}}"#);
    let rows = [
        (String::new(), String::new(), "[]"),
        (permission("fs:read", r#""data/**""#), "\"fs:read\"".to_owned(), r#"["read"]"#),
        (permission("fs:read", r#""**""#), "\"fs:read\"".to_owned(), r#"["read","secret"]"#),
        (permission("fs:write", r#""data/**""#), "\"fs:write\"".to_owned(), r#"["read","write"]"#),
        (permission("process:spawn", r#""id""#), "\"process:spawn\"".to_owned(), r#"["exec"]"#),
        (permission("env:read", r#""SEEN""#), "\"env:read\"".to_owned(), r#"["env"]"#),
        (permission("net:connect", r#""good.test""#), "\"net:connect\"".to_owned(), r#"["socket"]"#),
        // Declared by the capability, and not named by the tool.
        (permission("fs:read", r#""data/**""#), String::new(), "[]"),
    ];
    for (permissions, named, expected) in rows {
        let Some(house) = House::with(LOOK, &format!("[{permissions}]"), &named) else { return };
        let Some(ran) = house.run() else { return };
        assert_eq!(output(&ran), expected, "{permissions} {named}");
        assert!(!house.folder.at("package/new.txt").exists());
    }
}

#[test]
fn a_host_that_is_not_declared_is_refused_and_named() {
    let script = "import socket\n\
                  def ask(host):\n  try:\n    socket.getaddrinfo(host, 443)\n    return True\n  except OSError:\n    return False\n\
                  say({'type': 'result', 'output': [ask('good.test'), ask('evil.test')]})\n";
    let permissions = r#"[{"id": "net:connect", "scope": ["good.test"], "reason": "Because."}]"#;
    let Some(house) = House::with(script, permissions, "\"net:connect\"") else { return };
    let Some(ran) = house.run() else { return };
    assert_eq!(output(&ran), "[true,false]");
    let asked: Vec<(&str, &Verdict)> =
        ran.hosts.iter().map(|asked| (asked.host.as_str(), &asked.verdict)).collect();
    assert!(asked.contains(&("evil.test", &Verdict::Refused(Refusal::NotListed))), "{asked:?}");
    assert!(
        asked.iter().all(|(host, verdict)| *host != "good.test" || **verdict == Verdict::Allowed),
        "{asked:?}"
    );
    let Some(house) = House::with(script, "[]", "") else { return };
    let Some(ran) = house.run() else { return };
    assert_eq!(
        (output(&ran), ran.hosts.len()),
        ("[false,false]".to_owned(), 0),
        "without a network nobody is asked"
    );
}

#[test]
fn what_runs_is_a_copy_of_what_was_read() {
    let Some(house) =
        House::new("say({'type': 'result', 'output': open('/package/tool.py').read()[-20:]})\n")
    else {
        return;
    };
    let prepared = house.prepared();
    fs::write(house.folder.at("package/tool.py"), "exchanged").unwrap();
    let input = prepared.input(&Given::default()).unwrap();
    let Ok(ran) = prepared.run(&input) else { return cases::skip("no sandbox can be made here") };
    assert!(output(&ran).contains("[-20:]"), "{:?}", ran.answer);
    // A copy that somebody changed is not believed the next time.
    let copies = house.folder.at("cache/packages");
    let copy = fs::read_dir(&copies).unwrap().next().unwrap().unwrap().path();
    fs::write(house.folder.at("package/tool.py"), fs::read(copy.join("tool.py")).unwrap()).unwrap();
    fs::write(copy.join("tool.py"), "print('tampered')").unwrap();
    let again = house.prepared();
    assert_eq!(again.digest, prepared.digest);
    assert!(!fs::read_to_string(copy.join("tool.py")).unwrap().contains("tampered"));
    assert!(again.run(&input).unwrap().answer.is_ok());
    assert_eq!(fs::read_dir(&copies).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn what_cannot_be_run_says_why_before_anything_starts() {
    let Some(house) = House::new("") else { return };
    let refused = |request: &Request| prepare(request, &Interrupt::new()).unwrap_err();
    let Error::NoTool { known, .. } = refused(&house.request("other")) else { panic!("no such tool") };
    assert_eq!(known, ["it"]);
    let mut nowhere = house.request("it");
    nowhere.search = vec![PathBuf::from("/no/such/folder")];
    let Error::Unsupported { because, help } = refused(&nowhere) else { panic!("no python") };
    assert_eq!(because, "the tool needs Python 3, which is not there");
    assert!(help.unwrap().contains("install"));
    let edit = |from: &str, to: &str| {
        let path = house.folder.at("package/capability.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replace(from, to)).unwrap();
        let error = refused(&house.request("it"));
        fs::write(&path, text).unwrap();
        error.to_string()
    };
    let wanted = edit(">=3.8", ">=99");
    assert!(wanted.starts_with("the tool needs Python 3 >=99, and 3."), "{wanted}");
    let wasm = edit(
        r#""kind": "python", "entry": "tool.py", "version": ">=3.8""#,
        r#""kind": "wasm", "entry": "tool.py""#,
    );
    assert!(wasm.contains("`wasm`, which this host does not have"), "{wasm}");
    assert_eq!(edit("A tool.", ""), "the package has an error, so nothing of it is run");
    let fault =
        house.prepared().input(&Given { json: Some(br#"{"n": "one"}"#), ..Given::default() }).unwrap_err();
    assert_eq!(fault.kind, FaultKind::InvalidInput);
    assert!(fault.details[0].starts_with("/n: "), "{fault:?}");
    let missing = Request { path: house.folder.at("nothing"), ..house.request("it") };
    assert!(matches!(refused(&missing), Error::Read(_)));
    let splice = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/doc-links");
    let splice = Request { path: splice, tool: "find-broken-links".into(), ..house.request("it") };
    let error = refused(&splice);
    assert!(matches!(error, Error::Unsupported { .. } | Error::NoTool { .. }), "{error}");
}
