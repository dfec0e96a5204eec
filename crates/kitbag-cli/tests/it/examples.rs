//! The examples with tools do what they say: each is started as its format starts tools, and its answer fits its own schema.

use std::fs;

use kitbag_testkit::cases::{project, tool};
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

fn document(at: &str) -> Value {
    let text = fs::read_to_string(project().join("examples").join(at)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Whether `schema` takes `value`.
fn fits(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(value)
}

/// Calls the default export of a module, as Splice's host does.
const CALL: &str = "
import { readFileSync } from 'node:fs';
const { entry, input, project } = JSON.parse(readFileSync(0, 'utf8'));
const tool = (await import(entry)).default;
const context = { paths: { project, package: project }, log: () => {} };
const output = await tool(input, context).then((value) => ({ value }), (error) => ({ error: error.message }));
process.stdout.write(JSON.stringify(output));
";

fn call_module(entry: &str, input: &Value, project: &std::path::Path) -> Value {
    let call = json!({"entry": entry, "input": input, "project": project});
    let run = Run::new("node", project).env("PATH", &path()).args(["--input-type=module", "-e", CALL]);
    let ran = run.input(call.to_string()).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn the_tools_of_doc_links_give_what_their_examples_say() {
    if !tool("node") {
        return;
    }
    let package = project().join("examples/doc-links").canonicalize().unwrap();
    let manifest = document("doc-links/manifest.json");
    let declared = |name: &Value| {
        manifest["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == *name).unwrap().clone()
    };
    let mut called = 0;
    for entry in fs::read_dir(package.join("examples")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let example: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let tool = declared(&example["tool"]);
        let module = package.join(tool["entry"].as_str().unwrap());
        assert!(fits(&tool["input"], &example["input"]), "{}", file.display());
        assert!(fits(&tool["output"], &example["output"]), "{}", file.display());
        let answer =
            call_module(module.to_str().unwrap(), &example["input"], &package.join("examples/project"));
        assert_eq!(answer, json!({"value": example["output"]}), "{}", file.display());
        called += 1;
    }
    assert_eq!(called, manifest["tools"].as_array().unwrap().len());
}

#[test]
fn the_tools_of_doc_links_stay_in_the_project() {
    if !tool("node") {
        return;
    }
    let folder = Folder::new().file("project/a.md", "# A\n").file("secret.md", "# Secret\n");
    let package = project().join("examples/doc-links").canonicalize().unwrap();
    for (module, input) in [
        ("tools/outline.mjs", json!({"path": "../secret.md"})),
        ("tools/check-links.mjs", json!({"paths": [".."]})),
    ] {
        let answer = call_module(package.join(module).to_str().unwrap(), &input, &folder.at("project"));
        assert!(answer["error"].as_str().unwrap().contains("in the project"), "{answer}");
    }
    let outline = package.join("tools/outline.mjs");
    let inside = call_module(outline.to_str().unwrap(), &json!({"path": "a.md"}), &folder.at("project"));
    assert_eq!(inside["value"]["headings"][0]["anchor"], "a");
}

/// The answers of an .adcap tool to some calls, one line each.
fn call_lines(calls: &[Value]) -> Vec<Value> {
    let package = project().join("examples/color-contrast");
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    // `-B`: nothing is left in the package.
    let run = Run::new("python3", &package).env("PATH", &path()).args(["-B", "tools/contrast.py"]);
    let ran = run.input(input).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_tools_of_color_contrast_measure_as_wcag_does() {
    if !tool("python3") {
        return;
    }
    let manifest = document("color-contrast/capability.json");
    let css = ":root { --ink: #777; }\n/* two\nlines */\nbody { color: var(--ink); background: #fff; }\n\
               .ok { color: black; background-color: white }\n.faint { color: rgba(0, 0, 0, .5); background: #fff }\n";
    let folder = Folder::new().file("site/a.css", css).file("secret.css", css);
    let context = json!({"workspace": folder.at("site")});
    let call =
        |tool: &str, input: Value| json!({"type": "call", "tool": tool, "input": input, "context": context});
    // The first two ratios are the well-known ends of the scale and of the threshold.
    let pairs = json!({"pairs": [
        {"name": "most", "foreground": "black", "background": "#fff"},
        {"foreground": "#777", "background": "#ffffff"},
        {"foreground": "#767676", "background": "rgb(255, 255, 255)"},
        {"foreground": "#949494", "background": "white", "size": "large"},
    ]});
    let answers = call_lines(&[
        call("check_contrast", pairs.clone()),
        call("scan_css", json!({"path": "a.css"})),
        call("scan_css", json!({"path": "../secret.css"})),
        call("check_contrast", json!({"pairs": [{"foreground": "ink", "background": "#fff"}]})),
    ]);
    let tools = manifest["tools"].as_array().unwrap();
    assert!(fits(&tools[0]["inputSchema"], &pairs));
    for (tool, answer) in tools.iter().zip(&answers) {
        assert_eq!(answer["type"], "result", "{answer}");
        assert!(fits(&tool["outputSchema"], &answer["output"]), "{answer}");
    }
    let measured: Vec<_> = answers[0]["output"]["pairs"].as_array().unwrap().iter().collect();
    let ratios: Vec<_> =
        measured.iter().map(|pair| (pair["ratio"].as_f64().unwrap(), pair["passes"].clone())).collect();
    assert_eq!(ratios, [(21.0, true.into()), (4.47, false.into()), (4.54, true.into()), (3.03, true.into())]);
    assert_eq!(measured[1]["proposal"], "#767676");
    let failing = &answers[1]["output"]["failing"];
    assert_eq!(
        (failing.as_array().unwrap().len(), &failing[0]["selector"], &failing[0]["line"]),
        (1, &"body".into(), &4.into())
    );
    assert_eq!(answers[1]["output"]["unread"], 1, "half of black has no contrast of its own");
    for refused in &answers[2..] {
        assert_eq!(refused["type"], "error", "{refused}");
    }
}
