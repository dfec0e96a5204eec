//! Tools of Connectors that are programs run in a sandbox of their own: an MCP server, started for one call.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]

use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::resource::Supply;
use kitbag::run::{Dependencies, Error, FaultKind, Given, Ran, Request, prepare, secrets};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// A server that has a handshake when `LEGACY` is true, and none else.
const SERVER: &str = r#"
import json, os, sys
def say(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def answer(id, result): say({"id": id, "result": result})
def text(text): return {"content": [{"type": "text", "text": text}]}
TOOLS = [{"name": name, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
         for name in ("echo", "environment", "write", "dial", "fail", "banner", "quit")]
shaken = False
for line in sys.stdin:
    message = json.loads(line)
    method, params, id = message["method"], message.get("params", {}), message.get("id")
    stateless = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
    if method == "initialize" and LEGACY:
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
    elif method == "notifications/initialized":
        shaken = True
    elif not (shaken or stateless and not LEGACY):
        say({"id": id, "error": {"code": -32601, "message": "no such method"}})
    elif method == "tools/list":
        answer(id, {"tools": TOOLS})
    elif params["name"] == "echo":
        answer(id, {"content": [], "structuredContent": {"given": params["arguments"], "args": sys.argv[1:]}})
    elif params["name"] == "environment":
        print("the token is", os.environ.get("TOKEN"), file=sys.stderr, flush=True)
        answer(id, {**text("no: " + os.environ.get("TOKEN", "")), "isError": True})
    elif params["name"] == "write":
        try: open("/package/x", "w"); answer(id, text("written"))
        except OSError as error: answer(id, text(type(error).__name__))
    elif params["name"] == "dial":
        import socket
        try: socket.create_connection(("192.0.2.1", 80), 2); answer(id, text("reached"))
        except OSError as error: answer(id, text("no network"))
    elif params["name"] == "banner":
        print("Server ready!", flush=True)
        answer(id, text("x"))
    elif params["name"] == "quit":
        sys.exit(7)
"#;

struct House {
    folder: Folder,
    template: Value,
}

impl House {
    /// `None`, and said so, where nothing can be run.
    fn new(has_handshake: bool) -> Option<Self> {
        if !cases::tool("python3") {
            return None;
        }
        let template = json!({
            "schema_version": 1,
            "kind": "open-science.connector",
            "name": "it",
            "display_name": "It",
            "transport": "stdio",
            "command": "python3",
            "args": ["server.py", "--quick"],
            "required_secrets": {"environment": ["TOKEN"]},
        });
        let legacy = if has_handshake { "True" } else { "False" };
        let folder = Folder::new()
            .file("package/server.py", format!("LEGACY = {legacy}\n{SERVER}"))
            .folder("project")
            .folder("cache");
        Some(Self { folder, template })
    }

    fn request(&self, tool: &str) -> Request {
        fs::write(self.folder.at("package/it.connector.json"), self.template.to_string()).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        Request {
            path: self.folder.at("package"),
            tool: tool.into(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            environment: vec![("TOKEN".into(), "t0ps3cret".into()), ("HIDDEN".into(), "1".into())],
            dependencies: Dependencies::default(),
            supply: Supply::default(),
            stage: None,
        }
    }

    /// `None`, and said so, where no sandbox can be made.
    fn run(&self, tool: &str, json: &str) -> Option<Ran> {
        let prepared = prepare(&self.request(tool), &Interrupt::new());
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}: {error:?}"));
        let input = prepared.input(&Given { json: Some(json.as_bytes()), ..Given::default() }).unwrap();
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

fn refused(request: &Request) -> Error {
    prepare(request, &Interrupt::new()).unwrap_err()
}

fn output(ran: &Ran) -> Value {
    match &ran.answer {
        Ok(output) => Value::from(output),
        Err(fault) => panic!("{fault:?}\n{}", ran.logs),
    }
}

#[test]
fn servers_of_both_eras_are_called() {
    for has_handshake in [true, false] {
        let Some(house) = House::new(has_handshake) else { return };
        let Some(ran) = house.run("echo", r#"{"n": 1}"#) else { return };
        assert_eq!(output(&ran), json!({"given": {"n": 1}, "args": ["--quick"]}));
        assert!(ran.report.files_hidden);
    }
}

#[test]
fn a_server_reaches_nothing_that_its_template_does_not_say() {
    let Some(house) = House::new(true) else { return };
    let Some(ran) = house.run("write", "{}") else { return };
    assert!(["PermissionError", "OSError"].contains(&output(&ran).as_str().unwrap()), "{}", output(&ran));
    let Some(ran) = house.run("dial", "{}") else { return };
    assert_eq!(output(&ran), "no network");
    assert!(!house.folder.at("package/x").exists());
}

#[test]
fn a_secret_is_handed_over_and_told_to_nobody_else() {
    let Some(mut house) = House::new(true) else { return };
    let Some(ran) = house.run("environment", "{}") else { return };
    let fault = ran.answer.unwrap_err();
    assert_eq!((fault.kind, &*fault.message), (FaultKind::ToolError, "no: [secret]"));
    assert_eq!(ran.logs, "the token is [secret]");
    // What the template does not ask for is not there.
    house.template["required_secrets"] = json!({});
    let Some(ran) = house.run("environment", "{}") else { return };
    assert_eq!((&*ran.answer.unwrap_err().message, &*ran.logs), ("no: ", "the token is None"));
}

#[test]
fn every_way_not_to_answer_has_its_name() {
    let Some(house) = House::new(true) else { return };
    for (tool, json, kind, part) in [
        ("sing", "{}", FaultKind::InvalidInput, "it has echo, environment"),
        ("echo", r#"{"n": "x"}"#, FaultKind::InvalidInput, "not what the tool takes"),
        ("banner", "{}", FaultKind::Protocol, "no message"),
        ("quit", "{}", FaultKind::ToolCrashed, "code 7"),
    ] {
        let Some(ran) = house.run(tool, json) else { return };
        let fault = ran.answer.unwrap_err();
        assert_eq!(fault.kind, kind, "{tool}: {fault:?}");
        assert!(fault.message.contains(part), "{tool}: {fault:?}");
    }
}

#[test]
fn what_a_connector_lacks_is_said_before_it_starts() {
    let Some(mut house) = House::new(true) else { return };
    let request = Request { environment: Vec::new(), ..house.request("echo") };
    assert_eq!(refused(&request).to_string(), "the connector needs TOKEN, which nobody gave");
    house.template["command"] = json!("npx");
    let because = refused(&house.request("echo")).to_string();
    assert!(because.starts_with("`npx` fetches a program when it starts"), "{because}");
    house.template = json!({
        "schema_version": 1, "kind": "open-science.connector", "name": "far", "display_name": "Far",
        "transport": "sse", "url": "https://mcp.example.org/sse",
    });
    let because = refused(&house.request("echo")).to_string();
    assert!(because.contains("a server elsewhere (sse)"), "{because}");
}

#[test]
fn secrets_are_read_from_a_file_and_no_line_of_it_is_told() {
    let folder = Folder::new()
        .file("good", "# tokens\n\nTOKEN = a\nTOKEN=b=c\n")
        .file("bad", "TOKEN=a\nhunter2\n")
        .file("long", "x".repeat(70_000));
    let read = secrets(&folder.at("good")).unwrap();
    assert_eq!(read, [("TOKEN ".into(), " a".into()), ("TOKEN".into(), "b=c".into())]);
    assert_eq!(secrets(&folder.at("bad")).unwrap_err().to_string(), "line 2 is no NAME=VALUE");
    assert!(secrets(&folder.at("long")).is_err() && secrets(&folder.at("none")).is_err());
}
