//! `run` with tools of Splice, on every Node.js there is: JavaScript and TypeScript, answers and refusals.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::fs;
use std::path::PathBuf;

use kitbag_testkit::cases;
use kitbag_testkit::cli::{Ran, Run};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

/// Every Node.js there is, by its major number; none, and said so, where nothing can be run.
fn nodes() -> Vec<(u32, PathBuf)> {
    let nodes = cases::nodes();
    if nodes.is_empty() || !crate::can_run_tools() { Vec::new() } else { nodes }
}

/// `kitbag run` in `folder`, whose `package` is the package, with `node` alone in PATH.
fn run(folder: &Folder, node: &std::path::Path, words: &[&str]) -> Run {
    let program = node.parent().unwrap().to_str().unwrap();
    kitbag(folder, &["run"])
        .args(words)
        .env("PATH", program)
        .env("KITBAG_CACHE", folder.at("cache").to_str().unwrap())
}

fn json_of(ran: &Ran) -> Value {
    let read = serde_json::from_str(&ran.stdout);
    assert!(read.is_ok(), "{}{}", ran.stdout, ran.stderr);
    read.unwrap()
}

/// A package whose only tool is this module.
fn package(entry: &str, module: &str) -> Folder {
    let manifest = json!({
        "specVersion": 1, "namespace": "tests", "name": "typed", "version": "1.0.0", "description": "A typed tool.",
        "tools": [{"name": "it", "description": "Does it.", "entry": entry, "timeoutMs": 30_000,
            "input": {"type": "object", "properties": {"n": {"type": "integer"}}}}],
    });
    Folder::new()
        .file("package/manifest.json", manifest.to_string())
        .file("package/SKILL.md", "# Typed\n\nHas a tool.\n")
        .file(&format!("package/{entry}"), module)
        .folder("cache")
}

#[test]
fn the_example_runs_on_every_node() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/doc-links");
    let expected = fs::read_to_string(format!("{example}/examples/check-links.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let project = format!("{example}/examples/project");
    for (major, node) in nodes() {
        // It says that it needs 20.
        let folder = Folder::new().folder("cache");
        let ran = run(&folder, &node, &[example, "check-links", "--project", &project, "--yes"]).ran();
        if major < 20 {
            assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
            let because = "error: the tool needs Node.js >=20.0.0, and 18.";
            assert!(
                ran.stderr.starts_with(because) && ran.stderr.contains("hint: put a Node.js of that range"),
                "{}",
                ran.stderr
            );
            continue;
        }
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "node {major}");
        assert_eq!(json_of(&ran), expected["output"], "node {major}");
        let words = [
            example,
            "doc-links.outline",
            "path=README.md",
            "--project",
            &project,
            "--yes",
            "--output",
            "json",
        ];
        let answer = json_of(&run(&folder, &node, &words).ran());
        assert_eq!(
            (&answer["ok"], &answer["package"], &answer["tool"]),
            (&json!(true), &json!("@kitbag-examples/doc-links"), &json!("outline"))
        );
        assert!(
            answer["output"]["headings"].is_array() && answer["durationMs"].is_u64() && answer["logs"] == "",
            "{answer}"
        );
    }
}

/// What is written in TypeScript, with a type in front of everything that has a place.
const TYPED: &str = "import type { Input } from '../lib/types.ts';\n\
    import { double, type Doubled } from '../lib/double.mts';\n\
    interface Answer { doubled: Doubled; place?: string }\n\
    export default async function it(input: Input, context: { readonly log: (text: string) => void }): Promise<Answer> {\n\
    \x20 const { half } = await import('../lib/half.ts' as string);\n\
    \x20 const place = (/* ä😀 */ (new Error('here') as Error).stack!).split('\\n')[1] as string;\n\
    \x20 return { doubled: double<number>(input.n!), half: half(input.n) satisfies number, place } as Answer;\n\
    }\n";

#[test]
fn types_are_taken_out_once_and_places_stay_what_they_are() {
    for (major, node) in nodes() {
        let folder = package("tools/it.ts", TYPED)
            .file("package/lib/types.ts", "export interface Input { n?: number }\n")
            .file("package/lib/double.mts", "export type Doubled = number;\nexport const double = <T extends number>(n: T): Doubled => n * 2;\n")
            .file("package/lib/half.ts", "export function half(n: number): number { return n / 2 }\n")
            .file("package/tests/unused.ts", "enum Never { Loaded }\n");
        let answered = || {
            let ran = run(&folder, &node, &["package", "it", "n=21", "--yes"]).ran();
            assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "node {major}: {}", ran.stdout);
            json_of(&ran)
        };
        let answer = answered();
        assert_eq!((&answer["doubled"], &answer["half"]), (&json!(42), &json!(10.5)), "node {major}");
        let place = answer["place"].as_str().unwrap();
        assert!(place.contains("file:///package/tools/it.ts:6:29"), "node {major}: {place}");
        let kept = || -> Vec<PathBuf> {
            let entries = fs::read_dir(folder.at("cache/typescript")).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        let first = &kept()[0];
        let module = first.join("tools/it.ts");
        let (typed, plain) = (folder.at("package/tools/it.ts"), fs::read_to_string(&module).unwrap());
        let typed = fs::read_to_string(typed).unwrap();
        assert_eq!(plain.lines().count(), typed.lines().count());
        assert!(!plain.contains("Answer {") && plain.contains("double        (input.n )"), "{plain}");
        // What somebody changed there is not believed.
        fs::write(&module, "export default () => ({ doubled: 'forged' });").unwrap();
        assert_eq!(answered(), answer);
        assert_eq!(fs::read_to_string(&module).unwrap(), plain);
        assert_eq!(kept().len(), 1, "nothing else is left");
    }
}

#[test]
fn what_is_more_than_types_is_refused_where_it_stands() {
    let rows = [
        ("export default () => 1;\n\nexport enum Color { Red }\n", "tools/it.ts:3:8: "),
        ("class A { constructor(public a: string) {} }\nexport default () => 1;", "tools/it.ts:1:30: "),
        (
            "const ä: number = 1; namespace A { export const b = 1; }\nexport default () => 1;",
            "tools/it.ts:1:22: ",
        ),
        ("export default (: => 1;", "tools/it.ts:1:"),
    ];
    for (major, node) in nodes() {
        for (module, place) in rows {
            let folder = package("tools/it.ts", module);
            let ran = run(&folder, &node, &["package", "it", "--yes"]).ran();
            assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "node {major}: {module}");
            let error = format!("error: {place}");
            assert!(
                ran.stderr.starts_with(&error) && ran.stderr.contains("(TOOL_LOAD_FAILED)"),
                "node {major}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn a_module_that_no_parser_survives_is_a_fault_of_its_own() {
    let Some((_, node)) = nodes().pop() else { return };
    for deep in [
        "(".repeat(900_000),
        "!".repeat(900_000),
        "[".repeat(900_000),
        "a?b:".repeat(200_000),
        "if(a)".repeat(200_000),
    ] {
        let folder = package("tools/it.ts", "export default (): number => 1;")
            .file("package/lib/deep.ts", &deep)
            .file("package/z.ts", "const z: 1 = 1;");
        let ran = run(&folder, &node, &["package", "it", "--yes"]).ran();
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "1\n"), "{}", ran.stderr);
        let importing = "import '../lib/deep.ts';\nexport default (): number => 1;";
        let folder = package("tools/it.ts", importing).file("package/lib/deep.ts", &deep);
        let ran = run(&folder, &node, &["package", "it", "--yes"]).ran();
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stderr.starts_with("error: lib/deep.ts:"), "{}", ran.stderr);
    }
}

#[test]
fn every_refusal_has_the_code_of_the_format() {
    let Some((_, node)) = nodes().pop() else { return };
    let folder = package(
        "tools/it.mjs",
        "export default (input) => { if (input.n) throw new Error('boom'); return 1; };",
    );
    let code = |words: &[&str], exit: i32| {
        let ran = run(&folder, &node, words).args(["--yes", "--output", "json"]).ran();
        assert_eq!(ran.code, Some(exit), "{words:?}: {}", ran.stderr);
        let answer = json_of(&ran);
        assert_eq!(
            (&answer["version"], &answer["command"], &answer["ok"]),
            (&json!(1), &json!("run"), &json!(false))
        );
        answer["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&["package", "it", "n=1"], 1), "TOOL_ERROR");
    assert_eq!(code(&["package", "it", "--input", "{\"n\": \"x\"}"], 1), "INVALID_INPUT");
    assert_eq!(code(&["package", "other"], 2), "TOOL_NOT_FOUND");
    assert_eq!(code(&["nothing", "it"], 2), "INVALID_PACKAGE");
    let manifest = fs::read_to_string(folder.at("package/manifest.json")).unwrap();
    let stating = |from: &str, to: &str| {
        assert!(manifest.contains(from));
        fs::write(folder.at("package/manifest.json"), manifest.replace(from, to)).unwrap();
    };
    stating(
        "\"name\":\"typed\"",
        "\"name\":\"typed\",\"runtime\":{\"type\":\"node\",\"minNodeVersion\":\"99.0.0\"}",
    );
    assert_eq!(code(&["package", "it"], 2), "RUNTIME_UNSUPPORTED");
    stating("\"name\":\"typed\"", "\"name\":\"Not A Name\"");
    assert_eq!(code(&["package", "it"], 1), "INVALID_PACKAGE");
}

#[test]
fn what_is_denied_and_where_is_told() {
    for (major, node) in nodes() {
        let module = "import { readFileSync } from 'node:fs';\nexport default (input, { paths }) => readFileSync(`${paths.project}/secret.txt`, 'utf8');\n";
        let folder = package("tools/it.mjs", module).file("secret.txt", "secret");
        let ran = run(&folder, &node, &["package", "it", "--yes"]).ran();
        assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "node {major}");
        assert!(
            ran.stderr.contains("<project>/secret.txt") && ran.stderr.contains("(PERMISSION_DENIED)"),
            "node {major}: {}",
            ran.stderr
        );
        let manifest = fs::read_to_string(folder.at("package/manifest.json")).unwrap();
        let declared =
            manifest.replace("\"tools\"", "\"permissions\":{\"fs\":{\"read\":[\"secret.txt\"]}},\"tools\"");
        fs::write(folder.at("package/manifest.json"), declared).unwrap();
        let ran = run(&folder, &node, &["package", "it", "--yes"]).ran();
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "\"secret\"\n"), "node {major}: {}", ran.stderr);
    }
}
