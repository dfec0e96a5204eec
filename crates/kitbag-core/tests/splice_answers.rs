//! What a Splice manifest answers: permissions, tools, descriptors, digests.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use kitbag_core::finding::Findings;
use kitbag_core::formats::splice::{Manifest, descriptor, digests};
use kitbag_core::formats::{self, Document as _};
use kitbag_core::glob::Dialect;
use kitbag_core::path::PackagePath;
use kitbag_core::permit::{Declaration, Effect, Root, Scope, Subject, meet, phrase, widened};
use kitbag_core::tree::{self, Blob, Node, Tree};
use serde_json::{Value, json};

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::new(Some("desk".to_owned()), tree::Root::Folder);
    for (path, text) in files {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(*text))).unwrap();
    }
    tree
}

fn manifest(change: impl FnOnce(&mut Value)) -> Manifest {
    let mut json = json!({
        "specVersion": 1, "namespace": "acme", "name": "desk-top", "version": "0.1.0", "description": "A desk.",
        "tools": [
            {"name": "sit", "description": "Sits.", "entry": "tools/sit.ts", "input": {"type": "object"}},
            {"name": "stand-up", "description": "Stands.", "entry": "tools/stand.ts", "timeoutMs": 5,
             "input": {"type": "object"}, "output": {"type": "string"}},
        ],
    });
    change(&mut json);
    Manifest::beside(&tree(&[("manifest.json", &json.to_string())])).unwrap()
}

fn with(permissions: Value) -> Manifest {
    manifest(|json| json["permissions"] = permissions)
}

fn sentences(manifest: &Manifest) -> Vec<String> {
    phrase::statements(&manifest.permissions()).iter().map(ToString::to_string).collect()
}

#[test]
fn silence_means_none_and_what_comes_with_it_is_told() {
    assert_eq!(
        sentences(&manifest(|_| {})),
        [
            "without asking, reads everything under its own folder (`$SKILL_DIR`)",
            "reads no files, writes no files, talks to no hosts, sees no environment variables and spends no money",
            "its format never allows child processes and worker threads, native addons and WASI and eval",
        ]
    );
    assert_eq!(
        sentences(&with(json!({
            "fs": {"read": ["data"], "write": ["."]}, "network": ["*", "*.example.com", "a.example"],
            "env": ["API_KEY"], "capabilities": ["github.search", "web.search", "ai.generate"],
        }))),
        [
            "reads `data` in the project",
            "writes everything in the project (! every file of yours can be changed)",
            "talks to any public host (private, loopback and link-local addresses are blocked), every host below \
             `example.com` and `a.example` (! what it reads can be sent anywhere)",
            "sees the environment variables `API_KEY`",
            "calls `github.search`, `web.search` and `ai.generate`",
            "spends money: `web.search` and `ai.generate`",
            "without asking, reads everything under its own folder (`$SKILL_DIR`)",
            "without asking, reads everything in the project (! every file of yours, secrets included)",
            "its format never allows child processes and worker threads, native addons and WASI and eval",
        ]
    );
}

#[test]
fn every_statement_keeps_its_place_dialect_and_line() {
    let manifest = with(json!({"fs": {"read": ["data"]}, "network": ["*"]}));
    let Declaration::Spoken(grants) = manifest.permissions() else { panic!("it speaks") };
    let read = &grants.declared[0];
    let Scope::Patterns(patterns) = &read.scope else { panic!("it is a list") };
    assert_eq!((patterns[0].dialect, patterns[0].root.clone()), (Dialect::SplicePath, Some(Root::Project)));
    assert_eq!(read.origin.pointer.as_str(), "/permissions/fs/read");
    assert_eq!((read.origin.format, read.origin.file.as_str()), ("splice", "manifest.json"));
    let network = grants.declared.iter().find(|grant| grant.effect == Effect::Network).unwrap();
    assert_ne!(network.scope, Scope::Anything, "a star is public hosts only");
    assert_eq!(network.scope.patterns()[0].dialect, Dialect::SpliceHost);
    assert_eq!(grants.implied[0].scope.patterns()[0].root, Some(Root::Package));
    assert!(grants.ceiling.iter().all(|never| never.effect == Effect::Exec));
}

#[test]
fn consent_is_by_equal_texts_and_a_write_is_no_read_twice() {
    let asks = |old: Value, new: Value| {
        let (old, new) = (with(old).permissions(), with(new).permissions());
        widened(&old, &new).iter().map(|more| more.grant.effect.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(asks(json!({"network": ["a.com"]}), json!({"network": ["a.com"]})), [""; 0]);
    assert_eq!(asks(json!({"network": ["*"]}), json!({"network": ["a.com"]})), ["network"]);
    assert_eq!(asks(json!({"fs": {"read": ["."]}}), json!({"fs": {"read": ["data"]}})), ["read"]);
    assert_eq!(
        asks(json!({"fs": {"write": ["d"]}}), json!({"fs": {"write": ["d"], "read": ["d"]}})),
        [""; 0]
    );
    assert_eq!(asks(json!({"fs": {"read": ["d"]}}), json!({"fs": {"write": ["d"]}})), ["write"]);
    assert_eq!(
        asks(json!({"capabilities": ["github.raw"]}), json!({"capabilities": ["web.map"]})),
        ["call", "spend"]
    );
}

#[test]
fn a_contract_beside_a_manifest_can_only_narrow() {
    let splice = with(json!({"network": ["a.example", "b.example"]})).permissions();
    let met = meet(&[&splice, &Declaration::Unspoken], &Subject::Package);
    assert!(met.left_out.is_empty());
    let network = met.allowed.iter().find(|allowed| allowed.effect == Effect::Network).unwrap();
    assert_eq!(network.scope.patterns().len(), 2);
    let narrower = with(json!({"network": ["a.example"]})).permissions();
    let met = meet(&[&splice, &narrower], &Subject::Package);
    let network = met.allowed.iter().find(|allowed| allowed.effect == Effect::Network).unwrap();
    assert_eq!(
        network.scope.patterns().iter().map(|pattern| &*pattern.text).collect::<Vec<_>>(),
        ["a.example"]
    );
}

#[test]
fn a_manifest_with_a_fault_grants_nothing_and_has_no_tools() {
    let faulty = manifest(|json| json["version"] = json!("1"));
    assert_eq!(faulty.permissions(), Declaration::Unspoken);
    assert!(faulty.tools().is_empty() && faulty.document().is_none());
    assert_eq!(faulty.identity().name, Some("@acme/desk-top"));
    assert_eq!(manifest(|_| {}).tools().len(), 2);
}

#[test]
fn a_descriptor_says_what_the_manifest_says_and_invents_nothing() {
    let manifest = with(json!({"fs": {"write": ["out", "out"]}, "x": 1}));
    assert!(manifest.document().is_none(), "here a vendor's key is unknown too");
    let manifest = with(json!({"fs": {"write": ["out", "out"]}}));
    let described: Vec<Value> = descriptor::describe(manifest.document().unwrap())
        .iter()
        .map(descriptor::Descriptor::to_json)
        .collect();
    let permissions = json!({"fs": {"read": [], "write": ["out"]}, "network": [], "env": []});
    let annotations = json!({"readOnlyHint": false, "destructiveHint": true, "openWorldHint": false});
    assert_eq!(
        described,
        [
            json!({
                "package": "@acme/desk-top", "version": "0.1.0", "tool": "sit", "name": "desk-top.sit",
                "qualifiedName": "@acme/desk-top.sit", "mcpName": "acme_desk-top_sit", "description": "Sits.",
                "inputSchema": {"type": "object"}, "permissions": permissions, "annotations": annotations,
                "timeoutMs": 10_000,
            }),
            json!({
                "package": "@acme/desk-top", "version": "0.1.0", "tool": "stand-up", "name": "desk-top.stand-up",
                "qualifiedName": "@acme/desk-top.stand-up", "mcpName": "acme_desk-top_stand-up",
                "description": "Stands.", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"},
                "permissions": permissions, "annotations": annotations, "timeoutMs": 5,
            }),
        ]
    );
    let quiet = manifest_hints(json!({}));
    assert_eq!(quiet, (Some(true), Some(false), Some(false)));
    assert_eq!(manifest_hints(json!({"network": ["a.com"]})), (Some(true), Some(false), Some(true)));
    assert_eq!(manifest_hints(json!({"capabilities": ["ai.models"]})), (Some(true), Some(false), Some(true)));
}

fn manifest_hints(permissions: Value) -> (Option<bool>, Option<bool>, Option<bool>) {
    let manifest = with(permissions);
    let hints = manifest.tools()[0].hints;
    (hints.read_only, hints.destructive, hints.open_world)
}

#[test]
fn the_digest_of_a_manifest_is_that_of_its_normal_form() {
    let digest = |manifest: &Manifest| digests::manifest_sha256(manifest.document().unwrap());
    let plain = digest(&manifest(|_| {}));
    let spelled_out = manifest(|json| {
        json["runtime"] = json!({"type": "node"});
        json["permissions"] = json!({"fs": {"read": []}, "env": [], "capabilities": []});
        json["x-vendor"] = json!(1);
        json["tools"][0]["x-more"] = json!([]);
    });
    assert_eq!(digest(&spelled_out), plain);
    for change in [
        (|json: &mut Value| json["license"] = json!("MIT")) as fn(&mut Value),
        |json| json["permissions"] = json!({"env": ["A"]}),
        |json| json["tools"][0]["input"]["description"] = json!(""),
    ] {
        assert_ne!(digest(&manifest(change)), plain);
    }
}

#[test]
fn a_package_that_has_no_archive_says_who_would_carry_it() {
    let mut findings = Findings::default();
    let tree = tree(&[("SKILL.md", "---\nname: desk\ndescription: A desk.\n---\n")]);
    let package = formats::open(&tree, None, &mut findings);
    let error = package.faces[0].document().pack(&package.tree, &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent-skill has no archive of its own; a manifest of splice or adcap beside it would carry it"
    );
    assert!(package.faces[0].document().tools().is_empty());
}
