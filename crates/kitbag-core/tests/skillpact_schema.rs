//! A second opinion on the decoder: the JSON Schema in `schemas/`, asked by the schema room. Both must accept and refuse
//! the same contracts, and count the same errors.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "tests read the project's own files")]

use std::fs;
use std::path::Path;

use kitbag_core::formats::skillpact::decode;
use kitbag_core::json::{self, Json, excerpt};
use kitbag_core::schema::Schema;
use kitbag_testkit::{cases, vectors};
use serde_json::{Value, json};

fn schema(name: &str) -> Schema {
    let file = cases::project().join("schemas").join(name);
    let json = json::read(&fs::read(&file).unwrap()).unwrap();
    Schema::new(&json).unwrap()
}

/// Asserts that decoder and schema agree on `contract`; whether it conforms.
fn agree(schema: &Schema, contract: &Json, name: &str) -> bool {
    let violations = schema.violations(contract);
    let problems = decode(contract).err().unwrap_or_default();
    let words = || {
        let ours = problems.iter().map(|problem| format!("  {}: {}", problem.pointer(), problem.kind));
        let theirs =
            violations.iter().map(|violation| format!("  {}: {}", violation.pointer, violation.keyword));
        format!(
            "decoder:\n{}\nschema:\n{}",
            ours.collect::<Vec<_>>().join("\n"),
            theirs.collect::<Vec<_>>().join("\n")
        )
    };
    assert_eq!(problems.len(), violations.len(), "{name}\n{}", words());
    problems.is_empty()
}

fn contract_at(folder: &Path) -> Option<Json> {
    let json = json::read(&fs::read(folder.join("skill.contract.json")).ok()?).ok()?;
    let version = json.get("contract_version")?.as_str()?.to_owned();
    // What follows an unknown version is never decoded.
    ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"].contains(&&*version).then_some(json)
}

#[test]
fn decoder_and_schema_agree_on_every_contract_of_the_vectors_and_cases() {
    let schema = schema("skillpact-contract-0.8.json");
    let mut folders = Vec::new();
    for case in vectors::walk("skillpact") {
        for kind in ["flawed", "sound"] {
            folders.extend(fs::read_dir(case.folder.join(kind)).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let outside = cases::folder("SKILLPACT").and_then(|folder| Some((cases::unpacked(&folder)?, folder)));
    if let Some((unpacked, folder)) = &outside {
        for case in cases::json(&folder.join("cases.json")).as_array().unwrap() {
            let Ok(entries) = fs::read_dir(unpacked.case(case["id"].as_str().unwrap())) else { continue };
            folders.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
        }
    }
    let (mut conforming, mut not) = (0, 0);
    for folder in folders {
        let Some(contract) = contract_at(&folder) else { continue };
        if agree(&schema, &contract, &folder.display().to_string()) {
            conforming += 1;
        } else {
            not += 1;
        }
    }
    assert!(conforming > 50 && not > 1, "{conforming} conform and {not} do not");
}

/// Numbers without end, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % most
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A contract in which every member of the schema is written.
fn full() -> Value {
    json!({
        "$schema": "s", "contract_version": "0.8", "kind": "tool",
        "skill": {"name": "a", "version": "1.0.0", "license": "l", "homepage": "h", "source": "s", "authors": ["a"],
            "native_contract": {"cli": ["c"], "schema": "s"}},
        "compat": {"agents": {"a": {"status": "tested", "version": "1", "notes": "n", "tested_at": "t"}},
            "os": ["linux"], "interfaces": ["cli"]},
        "requirements": {
            "binaries": [{"name": "b", "version": "1", "check": ["c"], "version_regex": "r", "optional": true, "when": "w",
                "features_check": {"k": ["c"]}, "alternatives": ["a"]}],
            "runtimes": [{"name": "r"}],
            "env": [{"name": "E", "required": true, "secret": false, "description": "d"}],
            "skills": [{"name": "s", "version": "1", "env": "E", "optional": true, "when": "w"}],
            "packages": [{"ecosystem": "pypi", "name": "p", "version": "1", "import": "i", "optional": false}]},
        "permissions": {"read": {"level": "scoped", "scope": ["s"], "why": "w", "confirm": "each"},
            "write": {"level": "any"}, "network": {"level": "none"}, "exec": {"level": "none", "scope": []},
            "spend": {"level": "none"}, "send": {"level": "none"}},
        "capabilities": [{"id": "a.b", "summary": "s", "effects": ["read", "write"],
            "entry": {"cli": ["c"], "mcp_tool": "m", "doc": "d"}, "destructive": true, "idempotent": false,
            "dry_run": {"supported": true, "flag": "f", "effects": ["e"], "more": 1}, "inputs": {}, "outputs": {},
            "requires": ["r"], "requires_features": ["k:n"], "optional_features": [{"feature": "k:n", "when": "w"}],
            "conditional_effects": [{"effect": "read", "when": "w", "scope": ["s"]}], "role": "r",
            "mcp_annotations": {"readOnlyHint": true}, "x": {}, "effect_scopes": {"read": ["s"]}}],
        "tests": {"setup": [["c"]], "cases": [{"id": "t", "capability": "a.b", "run": ["r"], "timeout_s": 1, "network": true,
            "env": {"A": "b"}, "skip_unless_env": ["E"], "tags": ["t"],
            "expect": {"exit_code": 0, "stdout_contains": "s", "stderr_contains": "s", "stdout_json_schema": {},
                "stdout_json": [{"path": "p", "equals": null, "min": 0, "max": 1, "exists": true}],
                "stdout_json_mode": "last", "files": [{"path": "p", "exists": true, "min_bytes": 1}],
                "validate_outputs": true, "no_writes_outside": ["w"]}}]},
        "integrity": {"algorithm": "sha256", "files": {"a": "0".repeat(64)}, "exclude": ["e"], "canonicalization": "jcs",
            "signatures": [{"type": "ed25519", "key": "k", "sig": "s", "signer": "s", "role": "author"},
                {"type": "sigstore", "identity": "i", "issuer": "i", "bundle": {}, "instance": "staging"}]},
        "x": {"vendor": {"k": 1}}
    })
}

fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    let escape = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| pointers(item, &format!("{at}/{index}"), into));
        }
        Value::Object(map) => {
            map.iter().for_each(|(name, item)| pointers(item, &format!("{at}/{}", escape(name)), into));
        }
        _ => {}
    }
}

/// Changes one place of `contract`: another value, a member less, a member more, an item twice.
fn mutate(contract: &mut Value, dice: &mut Dice) {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(2.0),
        json!(""),
        json!("x"),
        json!("none"),
        json!("scoped"),
        json!("a\n"),
        json!("A"),
        json!("a--b"),
        json!("k:n:m"),
        json!("1.2.3-x+y"),
        json!([]),
        json!(["x"]),
        json!([1, 1.0]),
        json!({}),
        json!({"a": 1}),
        json!({"level": "scoped"}),
        json!("ed25519"),
        json!("é".repeat(301)),
    ];
    let names = ["x", "level", "scope", "type", "a/b", "~", "é", "read", "A", "a b", "name", ""];
    let mut places = Vec::new();
    pointers(contract, "", &mut places);
    let at = dice.one_of(&places).clone();
    let value = dice.one_of(&values).clone();
    let place = contract.pointer_mut(&at).unwrap();
    match (dice.below(4), place) {
        (0, Value::Object(map)) => drop(map.insert((*dice.one_of(&names)).to_owned(), value)),
        (1, Value::Object(map)) if !map.is_empty() => {
            let names: Vec<String> = map.keys().cloned().collect();
            map.remove(dice.one_of(&names));
        }
        (0, Value::Array(items)) => items.push(value),
        (1, Value::Array(items)) if !items.is_empty() => items.push(items[0].clone()),
        (_, place) if at != "/contract_version" => *place = value,
        _ => {}
    }
}

#[test]
fn decoder_and_schema_agree_on_mutants_of_a_contract_that_writes_every_member() {
    let schema = schema("skillpact-contract-0.8.json");
    let read = |value: &Value| json::read(&serde_json::to_vec(value).unwrap()).unwrap();
    assert!(agree(&schema, &read(&full()), "the full contract"));
    let mut dice = Dice(0x5eed);
    let (mut conforming, mut not) = (0, 0);
    for round in 0..1_000 {
        let mut contract = full();
        for _ in 0..=dice.below(3) {
            mutate(&mut contract, &mut dice);
        }
        if contract["contract_version"] != "0.8" {
            continue;
        }
        let text = contract.to_string();
        if agree(&schema, &read(&contract), &format!("mutant {round}: {}", excerpt(&text))) {
            conforming += 1;
        } else {
            not += 1;
        }
    }
    assert!(conforming > 50 && not > 300, "{conforming} conform and {not} do not");
}

#[test]
fn the_schema_of_policies_tells_a_policy_from_what_is_none() {
    let schema = schema("skillpact-policy-0.8.json");
    let defaults = json!({"read": "allow", "write": "ask", "network": "ask", "exec": "ask", "spend": "deny", "send": "deny"});
    let violations = |policy: &Value| {
        let json = json::read(&serde_json::to_vec(policy).unwrap()).unwrap();
        schema.violations(&json).iter().map(|violation| violation.pointer.to_string()).collect::<Vec<_>>()
    };
    for version in ["0.8", "0.1"] {
        let policy = json!({"policy_version": version, "defaults": defaults,
            "rules": [{"effect": "exec", "scope": ["git"], "decision": "allow"}, {"effect": "send", "decision": "deny"}],
            "compositions": {"exfiltration": "deny"}, "min_contract_version": "0.8", "audit": {"anything": 1}});
        assert_eq!(violations(&policy), Vec::<String>::new());
    }
    for (policy, at) in [
        (json!({"policy_version": "0.9", "defaults": defaults}), "/policy_version"),
        (json!({"policy_version": "0.8", "defaults": {}}), "/defaults"),
        (json!({"policy_version": "0.8", "defaults": defaults, "rules": [{"effect": "exec"}]}), "/rules/0"),
        (
            json!({"policy_version": "0.8", "defaults": defaults, "min_contract_version": "0.8\n"}),
            "/min_contract_version",
        ),
        (json!({"policy_version": "0.8", "defaults": defaults, "extra": 1}), ""),
    ] {
        assert!(violations(&policy).iter().any(|found| found == at), "{policy}");
    }
}
