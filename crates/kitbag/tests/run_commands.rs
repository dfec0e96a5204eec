//! Commands of SkillPact contracts run where their variables are bound, under the scopes of their capability.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]

use std::ffi::OsString;
use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::resource::Supply;
use kitbag::run::{Dependencies, Error, Fault, FaultKind, Given, Prepared, Ran, Request, prepare};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// A contract whose one capability is a Python script, a project, and a cache.
struct House {
    folder: Folder,
    contract: Value,
}

impl House {
    /// `None`, and said so, where nothing can be run.
    fn new(script: &str) -> Option<Self> {
        if !cases::tool("python3") {
            return None;
        }
        let none = json!({"level": "none"});
        let contract = json!({
            "contract_version": "0.8",
            "kind": "tool",
            "skill": {"name": "package", "version": "1.0.0"},
            "permissions": {
                "read": {"level": "scoped", "scope": ["$INPUT", "shared/**"]},
                "write": {"level": "scoped", "scope": ["$OUTPUT", "$WORKDIR/**"]},
                "network": none,
                "exec": {"level": "scoped", "scope": ["python3"]},
                "spend": none,
                "send": none,
            },
            "capabilities": [
                {
                    "id": "it.works",
                    "summary": "does it",
                    "effects": ["read", "write", "exec"],
                    "entry": {"cli": ["python3", "$SKILL_DIR/it.py", "$INPUT", "--to=$OUTPUT"]},
                },
                {"id": "it.says", "summary": "says how", "effects": ["read"], "entry": {"doc": "SKILL.md"}},
            ],
        });
        let folder = Folder::new()
            .file("package/SKILL.md", "---\nname: package\ndescription: Does it.\n---\nRun it.\n")
            .file("package/it.py", format!("import json, os, sys\n{script}"))
            .file("project/in.txt", "the input")
            .file("project/beside.txt", "beside")
            .file("project/shared/a.txt", "shared")
            .folder("cache");
        Some(Self { folder, contract })
    }

    fn request(&self, capability: &str) -> Request {
        fs::write(self.folder.at("package/skill.contract.json"), self.contract.to_string()).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        Request {
            path: self.folder.at("package"),
            tool: capability.into(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            environment: vec![("HIDDEN".into(), "1".into())],
            dependencies: Dependencies::default(),
            supply: Supply::default(),
            stage: None,
        }
    }

    fn prepared(&self) -> Prepared {
        let request = self.request("it.works");
        prepare(&request, &Interrupt::new()).unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    fn given(&self, members: &[(&str, &str)]) -> Result<kitbag::run::Input, Fault> {
        self.prepared().input(&Given { members, ..Given::default() })
    }

    /// `None`, and said so, where no sandbox can be made.
    fn run(&self, given: &Given<'_>) -> Option<Ran> {
        let prepared = self.prepared();
        let input = prepared.input(given).unwrap_or_else(|fault| panic!("{fault:?}"));
        match prepared.run(&input) {
            Ok(ran) => Some(ran),
            Err(Error::Sandbox(error)) if std::env::var_os("KITBAG_TOOLS").is_none() => {
                cases::skip(&format!("no sandbox can be made here: {error}"));
                None
            }
            Err(error) => panic!("{error}: {error:?}"),
        }
    }

    /// Runs it with an input, an output, and further arguments.
    fn worked(&self, arguments: &[&str]) -> Option<Ran> {
        let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
        let members = [("INPUT", "in.txt"), ("OUTPUT", "out.txt")];
        self.run(&Given { json: None, members: &members, arguments: &arguments })
    }
}

fn text(ran: &Ran) -> &str {
    match &ran.answer {
        Ok(output) => output.as_str().unwrap(),
        Err(fault) => panic!("{fault:?}\n{}", ran.logs),
    }
}

const COPY: &str =
    "to = sys.argv[2].removeprefix('--to=')\nopen(to, 'w').write(open(sys.argv[1]).read().upper())\n";

#[test]
fn variables_are_bound_and_what_was_written_gets_its_place() {
    let script = "print(sys.argv[1:], os.getcwd(), os.environ['INPUT'], os.environ.get('HIDDEN'))\n";
    let Some(house) = House::new(&format!("{script}{COPY}")) else { return };
    let Some(ran) = house.worked(&["--fast", "$INPUT"]) else { return };
    assert_eq!(
        text(&ran),
        "['/input/in.txt', '--to=/output/out.txt', '--fast', '/input/in.txt'] /work /input/in.txt None\n"
    );
    let written = ran.written.unwrap();
    assert_eq!((written.path, written.bytes), (house.folder.at("project/out.txt"), 9));
    assert_eq!(fs::read_to_string(house.folder.at("project/out.txt")).unwrap(), "THE INPUT");
    let again = house.given(&[("INPUT", "in.txt"), ("OUTPUT", "out.txt")]).unwrap_err();
    assert!(again.message.contains("something is there already"), "{again:?}");
}

#[test]
fn a_command_reaches_what_its_capability_declares_and_no_more() {
    let script = "for path in ('/input/in.txt', '/project/shared/a.txt', '/project/beside.txt', '/input/beside.txt'):\n\
                  \x20   try: print(open(path).read())\n\
                  \x20   except OSError as error: print(type(error).__name__)\n";
    let Some(mut house) = House::new(&format!("{script}{COPY}")) else { return };
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(text(&ran), "the input\nshared\nFileNotFoundError\nFileNotFoundError\n");
    // The capability narrows what the skill may do.
    fs::remove_file(house.folder.at("project/out.txt")).unwrap();
    house.contract["capabilities"][0]["effect_scopes"] = json!({"read": ["$INPUT"]});
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(text(&ran), "the input\nFileNotFoundError\nFileNotFoundError\nFileNotFoundError\n");
    // What it does not declare, it does not do: there is no output.
    fs::remove_file(house.folder.at("project/out.txt")).unwrap();
    house.contract["capabilities"][0]["effects"] = json!(["read", "exec"]);
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(ran.answer.unwrap_err().kind, FaultKind::ToolError);
    assert!(ran.logs.contains("/output/out.txt"), "{}", ran.logs);
    assert!(!house.folder.at("project/out.txt").exists());
}

#[test]
fn other_programs_start_when_they_are_declared_and_else_not() {
    let script = "import subprocess\n\
                  try: print(subprocess.run(['cat', sys.argv[1]], capture_output=True).stdout.decode())\n\
                  except OSError as error: print(type(error).__name__)\n";
    let Some(mut house) = House::new(&format!("{script}{COPY}")) else { return };
    let Some(ran) = house.worked(&[]) else { return };
    assert!(["PermissionError\n", "FileNotFoundError\n"].contains(&text(&ran)), "{}", text(&ran));
    fs::remove_file(house.folder.at("project/out.txt")).unwrap();
    house.contract["permissions"]["exec"]["scope"] = json!(["python3", "cat"]);
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(text(&ran), "the input\n");
}

#[test]
fn nothing_is_written_by_a_command_that_fails_or_says_what_it_should_not() {
    let Some(mut house) = House::new(&format!("{COPY}print('half done'); sys.exit(len(sys.argv) - 3)\n"))
    else {
        return;
    };
    let Some(ran) = house.worked(&["x", "y"]) else { return };
    let fault = ran.answer.unwrap_err();
    assert_eq!((fault.kind, &*fault.message), (FaultKind::ToolError, "the command ended with code 2"));
    assert_eq!(fault.details, ["half done"]);
    house.contract["capabilities"][0]["outputs"] = json!({"type": "object"});
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(ran.answer.unwrap_err().kind, FaultKind::InvalidOutput);
    assert!(!house.folder.at("project/out.txt").exists(), "nothing was written");
    house.contract["capabilities"][0]["outputs"] = Value::Null;
    house.contract["capabilities"][0].as_object_mut().unwrap().remove("outputs");
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(text(&ran), "half done\n");
    assert!(house.folder.at("project/out.txt").exists());
}

#[test]
fn an_output_that_is_no_file_and_no_folder_is_not_followed() {
    let link = "to = sys.argv[2].removeprefix('--to=')\nos.symlink('/etc/passwd', to)\n";
    let folder = "to = sys.argv[2].removeprefix('--to=')\nos.makedirs(to + '/deep')\nopen(to + '/deep/a', 'w').write('a')\n";
    let inside = format!("{folder}os.symlink('/etc/passwd', to + '/deep/link')\n");
    for script in [link, &inside] {
        let Some(house) = House::new(script) else { return };
        let Some(ran) = house.worked(&[]) else { return };
        let fault = ran.answer.unwrap_err();
        assert!(fault.message.contains("neither a file nor a folder"), "{fault:?}");
        assert!(fs::symlink_metadata(house.folder.at("project/out.txt")).is_err());
    }
    let Some(house) = House::new(folder) else { return };
    let Some(ran) = house.worked(&[]) else { return };
    assert_eq!(ran.written.unwrap().bytes, 1);
    assert_eq!(fs::read_to_string(house.folder.at("project/out.txt/deep/a")).unwrap(), "a");
}

#[test]
fn json_is_what_a_command_reads() {
    let script = format!("{COPY}print(json.load(sys.stdin)['n'] + 1)\n");
    let Some(mut house) = House::new(&script) else { return };
    house.contract["capabilities"][0]["inputs"] =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let members = [("INPUT", "in.txt"), ("OUTPUT", "out.txt")];
    let given = Given { json: Some(b"{\"n\": 1}"), members: &members, ..Given::default() };
    let Some(ran) = house.run(&given) else { return };
    assert_eq!(text(&ran), "2\n");
    let given = Given { json: Some(b"{\"n\": \"1\"}"), ..given };
    assert_eq!(house.prepared().input(&given).unwrap_err().kind, FaultKind::InvalidInput);
}

#[test]
fn what_a_command_lacks_is_said_before_it_starts() {
    let Some(mut house) = House::new(COPY) else { return };
    let wrong = |members: &[(&str, &str)]| house.given(members).unwrap_err().message;
    assert_eq!(wrong(&[("OUTPUT", "o")]), "the command needs a file: `INPUT=FILE` says which");
    assert_eq!(wrong(&[("INPUT", "in.txt")]), "the command needs a file: `OUTPUT=FILE` says which");
    assert!(wrong(&[("INPUT", "none"), ("OUTPUT", "o")]).starts_with("INPUT cannot be read"));
    assert!(wrong(&[("INPUT", "in.txt"), ("OUTPUT", "no/o")]).contains("its folder is not there"));
    assert!(wrong(&[("WORKDIR", "x")]).contains("neither"));
    assert!(wrong(&[("INPUT", "in.txt"), ("INPUT", "in.txt")]).contains("twice"));
    house.given(&[("INPUT", "in.txt"), ("OUTPUT", "o")]).unwrap();

    let refused = |house: &House, name: &str| prepare(&house.request(name), &Interrupt::new()).unwrap_err();
    assert_eq!(refused(&house, "it.says").to_string(), "the capability is text for an agent, and no command");
    let Error::NoTool { known, .. } = refused(&house, "it.sings") else {
        panic!("there is no such capability")
    };
    assert_eq!(known, ["it.works"]);
    house.contract["capabilities"][0]["entry"]["cli"][0] = json!("no-such-program");
    assert_eq!(
        refused(&house, "it.works").to_string(),
        "the command needs `no-such-program`, which is not there"
    );
}

#[test]
fn a_yes_is_not_remembered_where_the_author_wants_to_be_asked_each_time() {
    let Some(mut house) = House::new(COPY) else { return };
    house.prepared().remember().unwrap();
    assert!(house.prepared().is_remembered());
    house.contract["permissions"]["write"]["confirm"] = json!("each");
    house.prepared().remember().unwrap();
    assert!(!house.prepared().is_remembered());
}
