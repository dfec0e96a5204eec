//! Workflows of .adcap packages (§8), with tools that run.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]

use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::resource::Supply;
use kitbag::run::{self, Dependencies, FaultKind};
use kitbag::workflow::{Ended, Error, Outcome, Prepared, Request, State, prepare};
use kitbag_core::json;
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// A tool that gives back what it is given, unless a file says that it must not.
const SCRIPT: &str = "import json, os, sys\n\
                      call = json.loads(sys.stdin.readline())\n\
                      if os.path.exists('broken'): print(json.dumps({'type': 'error', 'message': 'broken'}))\n\
                      else: print(json.dumps({'type': 'result', 'output': {'got': call['input'], 'by': call['context']['capability']}}))\n";

/// A package with a tool `echo` and one workflow, a cache, and a project.
struct House {
    folder: Folder,
}

fn manifest(id: &str, dependencies: &Value, workflows: &Value) -> String {
    json!({
        "adcap": "1.0", "id": id, "version": "1.0.0", "name": "Echo", "description": "An echo.",
        "tools": [{"name": "echo", "description": "Echoes.", "runtime": {"kind": "python", "entry": "tool.py"},
            "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}, "timeoutMs": 20000}],
        "workflows": workflows, "dependencies": dependencies,
    })
    .to_string()
}

impl House {
    /// `None`, and said so, where nothing can be run.
    fn new(workflow: Value) -> Option<Self> {
        if !cases::tool("python3") {
            return None;
        }
        let mut workflow = workflow;
        workflow["adcap-workflow"] = "1.0".into();
        workflow["id"] = "flow".into();
        let entries = json!([{"id": "flow", "path": "flow.json"}]);
        let folder = Folder::new()
            .file(
                "package/capability.json",
                manifest("tests/echo", &json!({"tests/other": "^1.0"}), &entries),
            )
            .file("package/tool.py", SCRIPT)
            .file("package/flow.json", workflow.to_string())
            .file("other/capability.json", manifest("tests/other", &json!({}), &json!([])))
            .file("other/tool.py", SCRIPT)
            .folder("project")
            .folder("cache");
        let house = Self { folder };
        // Where no sandbox can be made, the first tool says so.
        let prepared = house.prepared("flow").unwrap();
        let tool = prepared.tools.first()?;
        match tool.run(&tool.takes(json::read(b"{}").unwrap()).unwrap()) {
            Err(run::Error::Sandbox(error)) if std::env::var_os("KITBAG_TOOLS").is_none() => {
                cases::skip(&format!("no sandbox can be made here: {error}"));
                None
            }
            _ => Some(house),
        }
    }

    fn prepared(&self, workflow: &str) -> Result<Prepared, Error> {
        let path = std::env::var_os("PATH").unwrap();
        let named = [("tests/other".to_owned(), self.folder.at("other"))].into();
        let run = run::Request {
            path: self.folder.at("package"),
            tool: String::new(),
            project: self.folder.at("project"),
            cache: self.folder.at("cache"),
            search: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            environment: Vec::new(),
            stage: None,
            dependencies: Dependencies { named, folders: Vec::new() },
            supply: Supply::default(),
        };
        prepare(&Request { run, workflow: workflow.to_owned() }, &Interrupt::new())
    }

    fn state(&self) -> State {
        State::at(self.folder.at("state.json"))
    }

    /// From the beginning, without a state.
    fn run(&self, input: &str) -> Outcome {
        let prepared = self.prepared("flow").unwrap();
        let mut course = prepared.begin(Some(input.as_bytes()), &[]).unwrap();
        prepared.run(&mut course, None).unwrap()
    }
}

fn done(outcome: &Outcome) -> Value {
    match &outcome.ended {
        Ended::Done(output) => Value::from(output),
        other => panic!("{other:?}"),
    }
}

fn results(outcome: &Outcome) -> Value {
    outcome.results.iter().map(|(step, output)| (step.clone(), Value::from(output))).collect()
}

#[test]
fn outputs_flow_from_step_to_step_with_their_types() {
    let Some(house) = House::new(json!({
        "inputs": {"properties": {"n": {"type": "integer", "default": 4}, "list": {"type": "array"}, "mode": {}}},
        "steps": [
            {"id": "one", "tool": "echo", "input": {"n": "{{inputs.n}}", "list": "{{inputs.list}}", "mode": "{{inputs.mode}}"}},
            {"id": "two", "tool": "echo", "capability": "tests/other",
                "input": {"n": "{{steps.one.output.got.list.1}}", "text": "n={{steps.one.output.got.n}}"}}
        ],
        "output": {"all": "{{steps.two.output}}", "none": "{{inputs.mode}}"}
    })) else {
        return;
    };
    let outcome = house.run(r#"{"list": [1, 2]}"#);
    assert_eq!(done(&outcome), json!({"all": {"got": {"n": 2, "text": "n=4"}, "by": "tests/other"}}));
    assert_eq!(results(&outcome)["one"], json!({"got": {"n": 4, "list": [1, 2]}, "by": "tests/echo"}));
    assert_eq!(outcome.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert!(outcome.steps.iter().all(|step| step.ran.report.files_hidden));
}

#[test]
fn what_a_tool_said_is_no_template() {
    let Some(house) = House::new(json!({
        "inputs": {"properties": {"text": {"type": "string"}, "secret": {"type": "string"}}},
        "steps": [
            {"id": "one", "tool": "echo", "input": {"text": "{{inputs.text}}"}},
            {"id": "two", "tool": "echo", "input": {"text": "{{steps.one.output.got.text}} again"}}
        ]
    })) else {
        return;
    };
    let outcome = house.run(r#"{"text": "{{inputs.secret}}", "secret": "s"}"#);
    assert_eq!(done(&outcome)["two"]["got"], json!({"text": "{{inputs.secret}} again"}));
}

fn with_agent() -> Value {
    json!({
        "inputs": {"properties": {"n": {"type": "integer"}}},
        "steps": [
            {"id": "look", "tool": "echo", "input": {"n": "{{inputs.n}}"}},
            {"id": "tell", "agent": "Explain {{steps.look.output.got.n}} to the user."},
            {"id": "end", "tool": "echo", "input": {"said": "{{steps.tell.output}}"}}
        ],
        "output": {"n": "{{steps.look.output.got.n}}", "end": "{{steps.end.output.got}}"}
    })
}

#[test]
fn a_step_for_an_agent_stops_the_run_and_the_next_one_goes_on_behind_it() {
    for (answer, said) in [(Some("five"), json!({"said": "five"})), (None, json!({}))] {
        let Some(house) = House::new(with_agent()) else { return };
        let (prepared, state) = (house.prepared("flow").unwrap(), house.state());
        assert!(prepared.resume(&state).unwrap().is_none(), "nothing has begun");
        let mut course = prepared.begin(None, &[("n", "5")]).unwrap();
        let outcome = prepared.run(&mut course, Some(&state)).unwrap();
        let instruction = "Explain 5 to the user.".to_owned();
        assert_eq!(outcome.ended, Ended::Agent { step: "tell".to_owned(), instruction });
        assert_eq!(results(&outcome), json!({"look": {"got": {"n": 5}, "by": "tests/echo"}}));
        // Another program, later.
        let prepared = house.prepared("flow").unwrap();
        let mut course = prepared.resume(&state).unwrap().unwrap();
        assert!(course.is_asked());
        course.took(answer.map(json::print::text));
        let outcome = prepared.run(&mut course, Some(&state)).unwrap();
        assert_eq!(done(&outcome), json!({"n": 5, "end": said}));
        assert_eq!(outcome.steps.len(), 1, "what has run does not run again");
        assert!(!house.folder.at("state.json").exists(), "there is nothing to go on with");
    }
}

#[test]
fn a_step_that_failed_is_tried_again_with_the_same_state() {
    let Some(house) = House::new(json!({
        "steps": [{"id": "one", "tool": "echo"}, {"id": "two", "tool": "echo", "capability": "tests/other"}]
    })) else {
        return;
    };
    fs::write(house.folder.at("other/broken"), "").unwrap();
    let (prepared, state) = (house.prepared("flow").unwrap(), house.state());
    for _twice in 0..2 {
        let mut course =
            prepared.resume(&state).unwrap().unwrap_or_else(|| prepared.begin(None, &[]).unwrap());
        let outcome = prepared.run(&mut course, Some(&state)).unwrap();
        let Ended::Failed { step: Some(step), fault } = &outcome.ended else { panic!("{:?}", outcome.ended) };
        assert_eq!(
            (step.as_str(), fault.kind, fault.message.as_str()),
            ("two", FaultKind::ToolError, "broken")
        );
        assert_eq!(outcome.results.len(), 1);
    }
    // It belongs to what ran then.
    fs::remove_file(house.folder.at("other/broken")).unwrap();
    let error = house.prepared("flow").unwrap().resume(&state).unwrap_err().to_string();
    assert!(error.ends_with("the state is of another package, or of another version of it"), "{error}");
    fs::write(house.folder.at("state.json"), "{").unwrap();
    let error = prepared.resume(&state).unwrap_err().to_string();
    assert!(error.contains("cannot be gone on from"), "{error}");
}

#[test]
fn an_input_that_a_tool_does_not_take_stops_before_it_and_so_does_one_without_measure() {
    let Some(house) = House::new(json!({
        "inputs": {"properties": {"n": {}}},
        "steps": [{"id": "one", "tool": "echo", "input": {"n": "{{inputs.n}}"}}]
    })) else {
        return;
    };
    assert_eq!(done(&house.run(r#"{"n": 1}"#))["one"]["got"], json!({"n": 1}));
    let outcome = house.run(r#"{"n": "one"}"#);
    let Ended::Failed { step: Some(step), fault } = &outcome.ended else { panic!("{:?}", outcome.ended) };
    assert_eq!((step.as_str(), fault.kind), ("one", FaultKind::InvalidInput));
    assert!(outcome.steps.is_empty(), "it was not started");
    let big = "{{inputs.t}}".repeat(10);
    let Some(house) = House::new(json!({
        "inputs": {"properties": {"t": {"type": "string"}}},
        "steps": [{"id": "one", "tool": "echo", "input": {"t": big}}]
    })) else {
        return;
    };
    let outcome = house.run(&json!({"t": "x".repeat(1 << 20)}).to_string());
    let Ended::Failed { step: Some(_), fault } = &outcome.ended else { panic!("{:?}", outcome.ended) };
    assert!(fault.message.contains("templates give more than"), "{}", fault.message);
    assert_eq!(done(&house.run(r#"{"t": "x"}"#))["one"]["got"], json!({"t": "xxxxxxxxxx"}));
}

#[test]
fn what_the_workflow_does_not_take_or_is_not_is_said_before_anything_starts() {
    let Some(house) = House::new(with_agent()) else { return };
    let prepared = house.prepared("flow").unwrap();
    let fault = prepared.begin(Some(br#"{"n": "x"}"#), &[]).unwrap_err();
    assert_eq!((fault.kind, fault.details.len()), (FaultKind::InvalidInput, 1));
    assert!(prepared.begin(Some(b"[]"), &[]).is_err() && prepared.begin(Some(b"{"), &[]).is_err());
    assert!(prepared.begin(Some(br#"{"n": 1}"#), &[]).is_ok());
    let error = house.prepared("none").unwrap_err();
    assert!(matches!(&error, Error::NoWorkflow { known, .. } if *known == ["flow"]), "{error}");
}

#[test]
fn a_yes_is_one_for_all_tools_of_a_workflow() {
    let Some(house) = House::new(json!({
        "steps": [{"id": "one", "tool": "echo"}, {"id": "two", "tool": "echo", "capability": "tests/other"},
            {"id": "three", "tool": "echo"}]
    })) else {
        return;
    };
    let prepared = house.prepared("flow").unwrap();
    assert_eq!(prepared.tools.len(), 2, "a tool that two steps call is made ready once");
    assert!(!prepared.is_remembered());
    prepared.tools[0].remember().unwrap();
    assert!(!prepared.is_remembered(), "one of two");
    prepared.remember().unwrap();
    assert!(house.prepared("flow").unwrap().is_remembered());
}
