//! What a tool is given, and what becomes of its answer.

use kitbag::run::{Error, FaultKind, Given};
use kitbag_core::json;
use serde_json::{Value, json};

use crate::house::{House, assert_fault, nodes, output, run, tool};

#[test]
fn a_tool_is_given_its_input_and_a_context_and_its_logs_are_kept_apart() {
    let body = "console.log('thinking', input); context.log('of %s', 'it'); console.error('hard');\n\
        process.stdout.write('printed\\n'); process.stderr.write('complained\\n');\n\
        const changed = (() => { try { context.tool = 'x'; return true; } catch { return false; } })();\n\
        return { input, context, changed, log: typeof context.log, capability: typeof context.capability,\n\
          env: Object.keys(process.env), cwd: process.cwd(), stdin: await Array.fromAsync?.(process.stdin) ?? [] };";
    let house = House::new(body);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        let permissions = json!({"fs": {"read": [], "write": []}, "network": [], "env": []});
        let expected = json!({
            "input": {"n": 1},
            "context": {"package": {"id": "@tests/house", "version": "1.0.0"}, "tool": "it",
                "paths": {"project": "/project", "package": "/package"}, "permissions": permissions},
            "changed": false, "log": "function", "capability": "function", "env": [], "cwd": "/package", "stdin": [],
        });
        assert_eq!(output(&node, &ran), expected, "node {}", node.major);
        assert_eq!(ran.logs, "thinking { n: 1 }\nof it\nhard\nprinted\ncomplained", "node {}", node.major);
        assert!(ran.report.files_hidden && ran.losses.is_empty(), "{:?}", ran.losses);
    }
}

#[test]
fn an_output_is_what_json_makes_of_it() {
    for node in nodes() {
        for (body, expected) in [
            ("", json!(null)),
            ("return undefined;", json!(null)),
            ("return () => 1;", json!(null)),
            (
                "return { a: undefined, b: () => 1, c: NaN, d: new Date(0) };",
                json!({"c": null, "d": "1970-01-01T00:00:00.000Z"}),
            ),
            ("return Promise.resolve([1.5, 'ä\\u2028😀']);", json!([1.5, "ä\u{2028}😀"])),
            ("return 'x'.repeat(1048574);", json!("x".repeat(1_048_574))),
        ] {
            let Some(ran) = House::new(body).run(&node) else { return };
            assert_eq!(output(&node, &ran), expected, "node {}: {body}", node.major);
        }
    }
}

#[test]
fn every_way_not_to_answer_has_its_code() {
    use FaultKind::{InvalidOutput, OutputTooLarge, ToolCrashed, ToolError, ToolLoadFailed};
    let whole = |module: &str| module.to_owned();
    let rows = [
        (tool("throw new Error('boom');"), ToolError, "boom"),
        (tool("throw 'plain';"), ToolError, "plain"),
        (tool("throw null;"), ToolError, "null"),
        (tool("throw { get message() { throw 1; } };"), ToolError, "cannot be told"),
        (tool("return eval('1');"), ToolError, "ode generation from strings disallowed"),
        (tool("return new Function('return 1')();"), ToolError, "ode generation from strings disallowed"),
        (tool("const a = {}; a.a = a; return a;"), ToolError, "circular"),
        (tool("return 1n;"), ToolError, "BigInt"),
        (whole("export const a = 1;"), ToolLoadFailed, "default export"),
        (whole("export default 1;"), ToolLoadFailed, "default export"),
        (whole("export default function ("), ToolLoadFailed, ""),
        (whole("import './none.mjs'; export default () => 1;"), ToolLoadFailed, "none.mjs"),
        (whole("throw new Error('at once'); export default () => 1;"), ToolLoadFailed, "at once"),
        (tool("process.exit(3);"), ToolCrashed, "code 3"),
        (tool("process.exit(0);"), ToolCrashed, "code 0"),
        (tool("process.abort();"), ToolCrashed, "signal"),
        (
            tool(
                "setTimeout(() => { throw new Error('later'); }, 1); await new Promise((r) => setTimeout(r, 9000));",
            ),
            ToolCrashed,
            "code 1",
        ),
        (tool("return 'x'.repeat(1048575);"), OutputTooLarge, "1048577 bytes (at most 1048576)"),
        (tool("let a = []; for (let i = 0; i < 64; i++) a = [a]; return a;"), InvalidOutput, "64 deep"),
        (tool("return '\\ud800';"), InvalidOutput, "surrogate"),
        (tool("return 2 ** 60;"), InvalidOutput, "beyond"),
    ];
    for node in nodes() {
        for (module, kind, words) in &rows {
            let Some(ran) = House::with(json!({}), module).run(&node) else { return };
            assert_fault(&node, &ran, *kind, words);
        }
    }
}

#[test]
fn an_output_is_compared_with_what_the_tool_says_that_it_gives() {
    let shape = json!({"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
        "required": ["name"], "additionalProperties": false});
    for node in nodes() {
        let house = |body| House::new(body).declaring("output", shape.clone());
        let Some(ran) = house("return { name: 'a', tags: ['b'] };").run(&node) else { return };
        assert_eq!(output(&node, &ran), json!({"name": "a", "tags": ["b"]}));
        let ran = house("return { tags: [1], more: 1 };").run(&node).unwrap();
        assert_fault(&node, &ran, FaultKind::InvalidOutput, "not what the tool says");
        let details = ran.answer.unwrap_err().details;
        assert_eq!(details[0], "output.name: is required");
        assert!(details.contains(&"output.more: unknown property".to_owned()), "{details:?}");
        assert!(
            details.iter().any(|detail| detail.starts_with("output.tags[0]: expected string")),
            "{details:?}"
        );
    }
}

#[test]
fn an_input_is_looked_at_before_anything_starts() {
    let Some(node) = nodes().pop() else { return };
    let prepared = House::new("return 1;").prepared(&node);
    let read = |input: &str| prepared.input(&Given { json: Some(input.as_bytes()), ..Given::default() });
    let fault = |input: &str| read(input).unwrap_err();
    let wrong = fault(r#"{"n": "one", "extra": 1}"#);
    assert_eq!(wrong.kind, FaultKind::InvalidInput);
    assert_eq!(wrong.details[1], "input.extra: unknown property");
    assert!(wrong.details[0].starts_with("input.n: expected integer"), "{wrong:?}");
    assert_eq!(fault("[]").kind, FaultKind::InvalidInput);
    assert_eq!(fault("{").kind, FaultKind::InvalidInput);
    let deep = format!("{{\"text\": {}{}}}", "[".repeat(300), "]".repeat(300));
    assert_eq!(fault(&deep).kind, FaultKind::InputTooLarge);
    let sized = |length: usize| format!("{{\"text\": \"{}\"}}", "x".repeat(length - 12));
    assert_eq!(fault(&sized((4 << 20) + 1)).kind, FaultKind::InputTooLarge);
    assert!(read(&sized(4 << 20)).is_ok());
    let typed = prepared.input(&Given { members: &[("n", "1"), ("text", "1")], ..Given::default() });
    assert_eq!(Value::from(typed.unwrap().json()), json!({"n": 1, "text": "1"}));
}

#[test]
fn the_longest_input_arrives_as_a_whole() {
    let house = House::new("return [input.text.length, input.text.slice(0, 3)];");
    for node in nodes() {
        let prepared = house.prepared(&node);
        let text = "ä".repeat(2 << 20);
        let input = format!("{{\"text\": \"{}\"}}", &text[..text.len() - 16]);
        let Some(ran) = run(&prepared, &input) else { return };
        assert_eq!(output(&node, &ran), json!([(2 << 20) - 8, "äää"]), "node {}", node.major);
    }
}

#[test]
fn what_cannot_be_run_says_why_before_anything_starts() {
    let Some(node) = nodes().pop() else { return };
    let house = |house: House| house.refused(&node);
    let wanted =
        house(House::new("").stating("runtime", json!({"type": "node", "minNodeVersion": "99.0.0"})));
    let Error::Unsupported { because, help } = &wanted else { panic!("{wanted:?}") };
    assert!(because.starts_with("the tool needs Node.js >=99.0.0, and "), "{because}");
    assert!(help.as_ref().unwrap().contains("first in PATH"));
    let missing = house(House::new("").declaring("entry", json!("tools/none.mjs")));
    assert!(matches!(missing, Error::Broken { errors: 1 }), "{missing:?}");
    let house = House::new("");
    let mut request = house.request(&node);
    request.tool = "other".into();
    let error = kitbag::run::prepare(&request, &kitbag::interrupt::Interrupt::new()).unwrap_err();
    assert!(matches!(error, Error::NoTool { known, .. } if known == ["it"]));
    for name in ["it", "house.it", "@tests/house.it", "tests_house_it"] {
        request.tool = name.into();
        assert!(kitbag::run::prepare(&request, &kitbag::interrupt::Interrupt::new()).is_ok(), "{name}");
    }
}

#[test]
fn what_node_says_of_itself_is_asked_once_and_believed_of_the_same_file_only() {
    let Some(node) = nodes().pop() else { return };
    let house = House::new("return 1;");
    let _asked = kitbag::run::prepare(&house.request(&node), &kitbag::interrupt::Interrupt::new()).unwrap();
    let kept = || {
        std::fs::read_dir(house.folder.at("cache/interpreters")).unwrap().map(|entry| entry.unwrap().path())
    };
    let place = kept().next().unwrap();
    let said = std::fs::read_to_string(&place).unwrap();
    assert!(said.contains("--disallow-code-generation-from-strings"), "{said}");
    std::fs::write(&place, said.replace(&format!("v{}.", node.major), "v1.")).unwrap();
    let old = house.stating("runtime", json!({"type": "node", "minNodeVersion": "18.0.0"}));
    assert!(matches!(old.refused(&node), Error::Unsupported { .. }), "what is kept is read");
    std::fs::write(&place, "nonsense").unwrap();
    let _asked_again =
        kitbag::run::prepare(&old.request(&node), &kitbag::interrupt::Interrupt::new()).unwrap();
    assert_eq!(std::fs::read_to_string(&place).unwrap(), said, "what cannot be read is asked anew");
}

#[test]
fn modules_may_be_of_any_kind_that_the_format_has() {
    for node in nodes() {
        let js = House::new("").declaring("entry", json!("tools/it.js"));
        let js =
            js.file("tools/it.js", "import { two } from '../lib/two.js';\nexport default () => two + 1;\n");
        let js = js.file("lib/two.js", "export const two = 2;\n");
        let Some(ran) = js.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!(3), "node {}", node.major);
        let common =
            House::with(json!({}), "import half from '../lib/half.cjs';\nexport default () => half(4);\n");
        let common = common.file(
            "lib/half.cjs",
            "const { join } = require('path');\nmodule.exports = (n) => [n / 2, join('a', 'b')];\n",
        );
        assert_eq!(output(&node, &common.run(&node).unwrap()), json!([2, "a/b"]), "node {}", node.major);
        let data = "import { readFileSync } from 'node:fs';\n\
            export default () => JSON.parse(readFileSync(new URL('../data.json', import.meta.url), 'utf8'));\n";
        let data = House::with(json!({}), data).file("data.json", "[1]");
        assert_eq!(output(&node, &data.run(&node).unwrap()), json!([1]), "node {}", node.major);
    }
}

#[test]
fn typescript_without_anybody_who_takes_out_types_is_left_to_node_or_refused() {
    let module = "const n: number = 2;\nexport default (): number => n;\n";
    for node in nodes() {
        let house = House::new("").declaring("entry", json!("tools/it.ts")).file("tools/it.ts", module);
        if node.major < 22 {
            let Error::Unsupported { because, help } = house.refused(&node) else {
                panic!("it cannot be run")
            };
            let words = "the tool is written in TypeScript, which Node.js ";
            assert!(because.starts_with(words) && because.ends_with("does not read"), "{because}");
            assert!(help.unwrap().contains("22.18"));
            continue;
        }
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!(2), "node {}", node.major);
    }
}

#[test]
fn what_is_told_holds_no_secret_and_no_place() {
    let permissions = json!({"env": ["MY_SECRET"]});
    let body = "console.log('at', import.meta.url, context.paths.project + '/x', process.env.MY_SECRET);\n\
        console.log('Authorization: Bearer ' + 'abcdefghijkl');\n\
        if (input.n === 2) return process.env.MY_SECRET;\n\
        throw new Error(`bad ${process.env.MY_SECRET} in ${context.paths.package}/a`);";
    let house = House::with(permissions, &tool(body));
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        assert_fault(&node, &ran, FaultKind::ToolError, "bad [REDACTED] in <package>/a");
        let logs = "at <package>/tools/it.mjs <project>/x [REDACTED]\nAuthorization: [REDACTED]";
        assert_eq!(ran.logs, logs, "node {}", node.major);
        let ran = run(&house.prepared(&node), "{\"n\": 2}").unwrap();
        assert_eq!(output(&node, &ran), json!("correct-horse-battery"), "an output is not changed");
    }
}

#[test]
fn json_is_read_alike_on_both_sides() {
    let house = House::new("return input.text;");
    let text = r#"{"text": "a\u2028\\n\"\u0000 é 😀 __proto__"}"#;
    for node in nodes() {
        let Some(ran) = run(&house.prepared(&node), text) else { return };
        let given = json::read(text.as_bytes()).unwrap();
        assert_eq!(output(&node, &ran), Value::from(given.get("text").unwrap()), "node {}", node.major);
    }
}
