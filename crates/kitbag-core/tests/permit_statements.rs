//! Every permission statement of Splice and .adcap is lifted as it is meant, and written back it asks for nothing more; and
//! Splice's `*` never becomes more than public hosts.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::{self, Package};
use kitbag_core::glob::{Dialect, PatternSet};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::{Declaration, Effect, Scope, Subject, meet, phrase, union, widened};
use kitbag_core::tree::{Blob, Node, Root, Tree};
use serde_json::{Value, json};

fn package(name: &str, text: &Value) -> Package {
    let mut tree = Tree::new(Some("x".to_owned()), Root::Folder);
    for (path, text) in [(name, text.to_string()), ("tools/run.mjs", String::new())] {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(text))).unwrap();
    }
    let skill = Node::File(Blob::from_bytes("---\nname: x\ndescription: Does x. Use it for x.\n---\n# X\n"));
    tree.insert(PackagePath::new("SKILL.md").unwrap(), skill).unwrap();
    let mut findings = Findings::default();
    let package = formats::open(&tree, None, &mut findings);
    document(&package).check(&package.tree, &mut findings);
    let errors: Vec<_> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| &finding.message)
        .collect();
    assert!(errors.is_empty(), "{text}: {errors:?}");
    package
}

/// The document that is not the SKILL.md.
fn document(package: &Package) -> &dyn formats::Document {
    let documents = package.faces.iter().map(formats::Face::document);
    documents.into_iter().find(|document| document.identity().format != "agent-skill").unwrap()
}

fn splice(permissions: &Value) -> Package {
    package(
        "manifest.json",
        &json!({
            "specVersion": 1, "namespace": "acme", "name": "x", "version": "1.0.0", "description": "X.",
            "permissions": permissions,
            "tools": [{"name": "run", "description": "Runs.", "entry": "tools/run.mjs", "input": {"type": "object"}}],
        }),
    )
}

fn adcap(permissions: &Value) -> Package {
    let ids: Vec<&Value> =
        permissions.as_array().unwrap().iter().map(|permission| &permission["id"]).collect();
    package(
        "capability.json",
        &json!({
            "adcap": "1.0", "id": "acme/x", "version": "1.0.0", "name": "X", "description": "X.",
            "tools": [{"name": "run", "description": "Runs.", "runtime": {"kind": "node", "entry": "tools/run.mjs"},
                       "inputSchema": {"type": "object"}, "permissions": ids}],
            "permissions": permissions, "compat": {"agents": {"any": "*"}},
        }),
    )
}

fn declared(package: &Package) -> Declaration {
    document(package).permissions()
}

/// The permissions of the package's tool, as its descriptor writes them: the only way out of the model there is for both.
fn written(package: &Package) -> Value {
    document(package).tools()[0].permissions.clone()
}

fn worst(declaration: &Declaration, effect: &Effect) -> Scope {
    declaration.grants().unwrap().worst_case(effect).unwrap().scope
}

fn texts(scope: &Scope) -> Vec<&str> {
    match scope {
        Scope::Nothing => vec![],
        Scope::Anything => vec!["<anything>"],
        Scope::Patterns(patterns) => patterns.iter().map(|pattern| pattern.text.as_str()).collect(),
    }
}

/// A statement, its effect, and the patterns it lifts to.
type Statement = (Value, Effect, Vec<&'static str>);

/// Every kind of statement that Splice has, and what it lifts to.
fn splice_statements() -> Vec<Statement> {
    let network = |host: &'static str| (json!({"network": [host]}), Effect::Network, vec![host]);
    let mut all = vec![
        (json!({"fs": {"write": ["out"]}}), Effect::Write, vec!["out"]),
        (json!({"fs": {"write": ["."]}}), Effect::Write, vec!["."]),
        (json!({"env": ["API_KEY"]}), Effect::Env, vec!["API_KEY"]),
        (json!({"env": ["A", "_B9"]}), Effect::Env, vec!["A", "_B9"]),
        (json!({"capabilities": ["github.search"]}), Effect::Call, vec!["github.search"]),
        (json!({"capabilities": ["ai.generate"]}), Effect::Spend, vec!["ai.generate"]),
        (json!({"network": []}), Effect::Network, vec![]),
    ];
    all.extend(["*", "*.a.example", "a.example", "localhost", "127.0.0.1", "10.0.0.1", "*.com"].map(network));
    all
}

/// Every kind of statement that .adcap has, and what it lifts to.
fn adcap_statements() -> Vec<Statement> {
    let one = |id: &str, scope: Option<Value>| {
        let mut permission = json!({"id": id, "reason": "It needs it."});
        if let Some(scope) = scope {
            permission["scope"] = scope;
        }
        json!([permission])
    };
    vec![
        (one("fs:write", None), Effect::Write, vec!["$WORKSPACE/**"]),
        (
            one("fs:write", Some(json!(["out/**", "*.md"]))),
            Effect::Write,
            vec!["$WORKSPACE/out/**", "$WORKSPACE/*.md"],
        ),
        (one("fs:write", Some(json!(["$WORKSPACE"]))), Effect::Write, vec!["$WORKSPACE/**"]),
        (one("net:connect", None), Effect::Network, vec!["<anything>"]),
        (
            one("net:connect", Some(json!(["a.example", "*.b.example"]))),
            Effect::Network,
            vec!["a.example", "*.b.example"],
        ),
        (one("net:connect", Some(json!(["a.example:8443"]))), Effect::Network, vec!["a.example:8443"]),
        (one("process:spawn", None), Effect::Exec, vec!["<anything>"]),
        (one("process:spawn", Some(json!(["git"]))), Effect::Exec, vec!["git"]),
        (one("env:read", Some(json!(["HOME"]))), Effect::Env, vec!["HOME"]),
        (one("spend", Some(json!(["credits"]))), Effect::Spend, vec!["credits"]),
        (one("send", None), Effect::Send, vec!["<anything>"]),
    ]
}

#[test]
fn each_statement_is_lifted_as_it_is_and_written_back_it_asks_for_nothing_more() {
    type Make = fn(&Value) -> Package;
    let formats: [(&str, Make, Vec<Statement>); 2] =
        [("splice", splice, splice_statements()), ("adcap", adcap, adcap_statements())];
    for (format, make, statements) in formats {
        for (statement, effect, expected) in statements {
            let package = make(&statement);
            let first = declared(&package);
            assert_eq!(texts(&worst(&first, &effect)), expected, "{format} {statement}");
            // Every other effect but reading, which has what is implied, stays at nothing or without a word.
            for other in first.grants().unwrap().effects() {
                let is_own = *other == effect || *other == Effect::Read;
                let paid = (&effect, other) == (&Effect::Spend, &Effect::Call);
                let nothing =
                    first.grants().unwrap().worst_case(other).is_none_or(|said| said.scope.is_nothing());
                assert!(is_own || paid || nothing, "{format} {statement} speaks of {other}");
            }
            let again = declared(&make(&written(&package)));
            assert_eq!(widened(&first, &again), [], "{format} {statement} is wider when it is written back");
            assert_eq!(
                widened(&again, &first),
                [],
                "{format} {statement} is narrower when it is written back"
            );
        }
    }
}

#[test]
fn a_statement_less_is_less_and_a_statement_more_is_more() {
    let none = [declared(&splice(&json!({}))), declared(&adcap(&json!([])))];
    for (statement, ..) in splice_statements().into_iter().filter(|(_, _, texts)| !texts.is_empty()) {
        let some = declared(&splice(&statement));
        assert!(!widened(&none[0], &some).is_empty(), "{statement}");
        assert_eq!(widened(&some, &none[0]), [], "{statement}");
    }
    for (statement, ..) in adcap_statements() {
        let some = declared(&adcap(&statement));
        assert!(!widened(&none[1], &some).is_empty(), "{statement}");
        assert_eq!(widened(&some, &none[1]), [], "{statement}");
    }
}

#[test]
fn the_star_of_splice_stays_public_hosts_only() {
    let star = declared(&splice(&json!({"network": ["*"]})));
    let sentences: Vec<String> = phrase::statements(&star).iter().map(ToString::to_string).collect();
    assert!(sentences.iter().any(|said| said.contains("any public host (private,")), "{sentences:?}");
    let Scope::Patterns(patterns) = worst(&star, &Effect::Network) else {
        unreachable!("`*` is not anything")
    };
    assert_eq!((patterns[0].dialect, patterns.len()), (Dialect::SpliceHost, 1));
    // Beside a document that allows any host, it is still Splice's.
    let any = declared(&adcap(&json!([{"id": "net:connect", "reason": "Anywhere."}])));
    for faces in [[&star, &any], [&any, &star]] {
        let met = meet(&faces, &Subject::Package);
        let network = met.allowed.iter().find(|allowed| allowed.effect == Effect::Network).unwrap();
        assert_eq!(network.scope, Scope::Patterns(patterns.clone()));
    }
    // Any host is more than any public host; any public host is not more than any host.
    assert!(widened(&star, &any).iter().any(|more| more.grant.effect == Effect::Network));
    assert!(!widened(&any, &star).iter().any(|more| more.grant.effect == Effect::Network));
    // Consent in Splice is equality of texts, so a host that is named beside the star was not granted by it: neither one that
    // only an explicit grant opens, nor a public one.
    for host in ["localhost", "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "a.example"] {
        let named = declared(&splice(&json!({"network": ["*", host]})));
        let told: Vec<_> =
            widened(&star, &named).iter().map(|more| phrase::statement(more.grant).sentence).collect();
        assert!(told.len() == 1 && told[0].contains(host), "{told:?}");
        assert_eq!(widened(&named, &star), [], "{host}");
    }
    let matches = |host: &str| PatternSet::new(Dialect::SpliceHost, ["*"]).matches(host).is_yes();
    assert!(matches("a.example") && matches("8.8.8.8"));
    for host in ["localhost", "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[::1]", "[fd00::1]"]
    {
        assert!(!matches(host), "{host}");
    }
    // Told together with what any host means, both are told.
    let both = union(&[&star, &any]);
    let sentences: Vec<String> = phrase::statements(&both).iter().map(ToString::to_string).collect();
    assert!(sentences.iter().any(|said| said.contains("any public host")), "{sentences:?}");
    assert!(sentences.iter().any(|said| said.contains("talks to any host")), "{sentences:?}");
}
