//! What is declared works, and what is not is refused and named.

use std::fs;

use kitbag::run::FaultKind;
use serde_json::{Value, json};

use crate::house::{House, assert_fault, nodes, output, tool};

/// What of the world a tool gets at: one word per thing.
const LOOK: &str = "const fs = await import('node:fs'); const seen = [];\n\
    const tries = (word, attempt) => { try { attempt(); seen.push(word); } catch {} };\n\
    const p = context.paths.project;\n\
    tries('data', () => fs.readFileSync(p + '/data/a.txt'));\n\
    tries('list', () => fs.readdirSync(p + '/data'));\n\
    tries('sibling', () => fs.readFileSync(p + '/data2/b.txt'));\n\
    tries('secret', () => fs.readFileSync(p + '/secret.txt'));\n\
    tries('write', () => fs.writeFileSync(p + '/data/new.txt', 'x'));\n\
    tries('out', () => fs.writeFileSync(p + '/out/deep/new.txt', 'x'));\n\
    tries('package', () => fs.writeFileSync('/package/new.txt', 'x'));\n\
    tries('own', () => fs.readFileSync('/package/SKILL.md'));\n\
    tries('passwd', () => fs.readFileSync('/etc/passwd'));\n\
    tries('environ', () => fs.readFileSync('/proc/self/environ'));\n\
    tries('env', () => { if (process.env.SEEN !== 'seen-value') throw 1; });\n\
    tries('hidden', () => { if (!('HIDDEN' in process.env)) throw 1; });\n\
    return seen;";

#[test]
fn what_is_declared_works_and_what_is_not_does_not() {
    let rows = [
        (json!({}), json!(["own"])),
        (json!({"fs": {"read": ["data"]}}), json!(["data", "list", "own"])),
        (json!({"fs": {"read": ["data/a.txt"]}}), json!(["data", "own"])),
        (json!({"fs": {"read": ["."]}}), json!(["data", "list", "sibling", "secret", "own"])),
        (json!({"fs": {"write": ["data"]}}), json!(["data", "list", "write", "own"])),
        (json!({"fs": {"write": ["out/deep"]}}), json!(["out", "own"])),
        (json!({"fs": {"read": ["none"]}}), json!(["own"])),
        (json!({"env": ["SEEN", "NOT_SET"]}), json!(["own", "env"])),
    ];
    for node in nodes() {
        for (permissions, expected) in &rows {
            let house = House::with(permissions.clone(), &tool(LOOK));
            let Some(ran) = house.run(&node) else { return };
            // Without permissions of its own, Node 18 shows what the sandbox has of its own: folders above what is declared, a
            // list of users with one name in it, and the environment that node began with.
            let told = |seen: &Value| -> Vec<Value> {
                let words = seen.as_array().unwrap().iter();
                let own = ["list", "environ", "passwd"];
                words.filter(|word| node.major > 18 || own.iter().all(|own| *word != own)).cloned().collect()
            };
            let seen = output(&node, &ran);
            assert_eq!(told(&seen), told(expected), "node {}: {permissions}", node.major);
            assert!(!house.folder.at("package/new.txt").exists());
            assert_eq!(house.project("out/deep").is_dir(), permissions["fs"]["write"] == json!(["out/deep"]));
            assert_eq!(house.project("data/new.txt").exists(), permissions["fs"]["write"] == json!(["data"]));
        }
    }
}

#[test]
fn what_is_refused_has_a_name() {
    let file = |call: &str| tool(&format!("const fs = await import('node:fs');\nreturn fs.{call};"));
    let rows = [
        (file("readFileSync(context.paths.project + '/secret.txt', 'utf8')"), "<project>/secret.txt"),
        (file("writeFileSync(context.paths.project + '/x.txt', 'x')"), "<project>/x.txt"),
        (file("writeFileSync('/package/x.txt', 'x')"), "<package>/x.txt"),
        (file("readFileSync('/etc/shadow', 'utf8')"), "/etc/shadow"),
        (file("readdirSync(context.paths.project)"), "<project>"),
        (file("promises.readFile('../project/secret.txt')"), "secret.txt"),
        (
            tool(
                "const { spawnSync } = await import('node:child_process'); const r = spawnSync('id'); if (r.error) throw r.error;",
            ),
            "",
        ),
        (
            tool("const { Worker } = await import('node:worker_threads'); new Worker('1', { eval: true });"),
            "",
        ),
        ("import http from 'node:http';\nexport default () => 1;".to_owned(), "node:http"),
        ("import 'node:https';\nexport default () => 1;".to_owned(), "https"),
        (tool("await import('net');"), "net"),
        (tool("await import('node:tls');"), "tls"),
        (tool("await import('node:http2');"), "http2"),
        (tool("await import('node:dgram');"), "dgram"),
        (tool("await import('dns/promises');"), "dns/promises"),
        (tool("await import('node:inspector');"), "inspector"),
        (
            tool(
                "const { createRequire } = await import('node:module'); createRequire('/package/x')('net');",
            ),
            "module",
        ),
        (tool("await import('_http_client');"), "_http_client"),
        (tool("await import('node:_tls_wrap');"), "_tls_wrap"),
        ("import it from '../lib/it.cjs';\nexport default it;".to_owned(), "http"),
        (tool("await fetch('https://a.example/');"), "\"a.example\" is denied"),
    ];
    for node in nodes() {
        for (module, words) in &rows {
            let house = House::with(json!({}), module)
                .file("lib/it.cjs", "module.exports = () => require('http').get('http://a.example');");
            let Some(ran) = house.run(&node) else { return };
            assert_fault(&node, &ran, FaultKind::PermissionDenied, words);
        }
    }
}

#[test]
fn builtin_modules_and_fetch_stay_what_they_are() {
    let body = "const seen = {};\n\
        const denied = (name, attempt) => { try { attempt(); seen[name] = 'worked'; } catch (error) { seen[name] = error.code ?? error.name; } };\n\
        if (process.getBuiltinModule) {\n\
          for (const name of ['net', 'node:https', 'module']) denied(name, () => process.getBuiltinModule(name));\n\
          denied('builtin', () => { process.getBuiltinModule = () => 1; });\n\
          if (typeof process.getBuiltinModule('fs').readFileSync !== 'function') seen.fs = 'missing';\n\
        }\n\
        denied('fetch', () => { globalThis.fetch = () => 1; });\n\
        denied('define', () => Object.defineProperty(globalThis, 'fetch', { value: 1 }));\n\
        denied('delete', () => { delete globalThis.fetch; });\n\
        seen.sockets = [typeof WebSocket, typeof EventSource];\n\
        return seen;";
    let house = House::new(body);
    for node in nodes() {
        let Some(ran) = house.run(&node) else { return };
        let mut seen = output(&node, &ran);
        let has_builtins = seen.get("net").is_some();
        assert_eq!(has_builtins, node.major >= 20, "node {}: {seen}", node.major);
        if has_builtins {
            for name in ["net", "node:https", "module"] {
                assert_eq!(seen[name], "ERR_ACCESS_DENIED", "node {}: {name}", node.major);
            }
            assert_eq!(seen["builtin"], "TypeError", "node {}", node.major);
        }
        for name in ["fetch", "define", "delete"] {
            assert_eq!(seen[name], "TypeError", "node {}: {name}", node.major);
        }
        assert_eq!(seen["sockets"].take(), json!(["undefined", "undefined"]), "node {}", node.major);
        assert_eq!(seen.get("fs"), None);
    }
}

#[test]
fn folders_are_made_in_the_project_and_nowhere_else() {
    let write = "const fs = await import('node:fs'); fs.writeFileSync(context.paths.project + '/out/a/new.txt', 'x'); return 1;";
    for node in nodes().into_iter().take(1) {
        let house = House::with(json!({"fs": {"write": ["out/a"]}}), &tool(write));
        let Some(ran) = house.run(&node) else { return };
        assert_eq!(output(&node, &ran), json!(1));
        assert_eq!(fs::read_to_string(house.project("out/a/new.txt")).unwrap(), "x");
        let house = House::with(json!({"fs": {"write": ["out/a"]}}), &tool(write));
        fs::create_dir(house.folder.at("elsewhere")).unwrap();
        std::os::unix::fs::symlink(house.folder.at("elsewhere"), house.project("out")).unwrap();
        let ran = house.run(&node).unwrap();
        assert!(ran.answer.is_err(), "{:?}", ran.answer);
        assert_eq!(fs::read_dir(house.folder.at("elsewhere")).unwrap().count(), 0, "nothing was made there");
        let house = House::with(json!({"fs": {"write": ["out/a"]}}), &tool(write));
        fs::create_dir(house.project("inner")).unwrap();
        std::os::unix::fs::symlink("inner", house.project("out")).unwrap();
        assert_eq!(
            output(&node, &house.run(&node).unwrap()),
            json!(1),
            "a link within the project is a folder of it"
        );
        assert!(house.project("inner/a/new.txt").is_file());
    }
}
