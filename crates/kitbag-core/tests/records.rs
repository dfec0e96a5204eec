//! What documents state for a comparison, and the one descriptor that the tools of every format have.

#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use kitbag_core::finding::Findings;
use kitbag_core::formats::{self, Need, Offer, Package};
use kitbag_core::json::compare::differences;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Root, Tree};
use serde_json::{Value, json};

fn package(files: &[(&str, &str)]) -> Package {
    let mut tree = Tree::new(Some("x".to_owned()), Root::Folder);
    for (path, text) in files {
        tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(*text))).unwrap();
    }
    formats::open(&tree, None, &mut Findings::default())
}

fn capability() -> Value {
    json!({
        "adcap": "1.0", "id": "acme/maps", "version": "1.2.0", "name": "Maps", "description": "Draws maps.",
        "skills": [{"path": "skills/maps"}],
        "tools": [{
            "name": "draw_map", "description": "Draws one.",
            "runtime": {"kind": "python", "entry": "tools/draw.py", "version": ">=3.10"},
            "inputSchema": {"type": "object"}, "permissions": ["net:connect"], "resources": ["tiles"],
            "platforms": ["linux-x64"],
        }],
        "resources": [{
            "id": "tiles", "kind": "data", "sources": ["https://tiles.example/t.bin"],
            "sha256": "a".repeat(64), "size": 3,
        }],
        "permissions": [
            {"id": "net:connect", "scope": ["tiles.example"], "reason": "It fetches tiles."},
            {"id": "fs:read", "reason": "It reads routes."},
        ],
        "dependencies": {"acme/colours": "^1.0.0"},
    })
}

#[test]
fn a_tool_of_an_adcap_has_the_same_descriptor_in_its_own_words() {
    let package = package(&[("capability.json", &capability().to_string())]);
    let document = package.faces[0].document();
    let tools = document.tools();
    assert_eq!(
        tools[0].descriptor(),
        json!({
            "package": "acme/maps", "version": "1.2.0", "tool": "draw_map", "name": "maps.draw_map",
            "qualifiedName": "acme/maps.draw_map", "mcpName": "acme_maps_draw_map", "description": "Draws one.",
            "inputSchema": {"type": "object"},
            // Not fs:read, which the tool does not name.
            "permissions": [{"id": "net:connect", "scope": ["tiles.example"], "reason": "It fetches tiles."}],
            "annotations": {"openWorldHint": true},
            "timeoutMs": 30_000,
        })
    );
    let runtime = &tools[0].runtime;
    assert_eq!(
        (runtime.kind, runtime.version.as_deref(), runtime.entry),
        ("python", Some(">=3.10"), Some("tools/draw.py"))
    );
    assert_eq!((&*runtime.platforms, &*runtime.resources), (&["linux-x64"][..], &["tiles"][..]));
}

#[test]
fn each_format_says_what_it_offers_and_needs() {
    let adcap = package(&[("capability.json", &capability().to_string())]);
    let record = adcap.faces[0].document().record();
    let offers = [Offer::named("skill", "skills/maps"), Offer::named("resource", "tiles")];
    assert_eq!(record.offers, offers);
    assert_eq!(record.needs, [Need { package: "acme/colours", range: Some("^1.0.0") }]);

    let manifest = json!({
        "specVersion": 1, "namespace": "acme", "name": "desk", "version": "0.1.0", "description": "A desk.",
        "agent": {"instructions": "Sit.", "skills": ["@acme/chair"]}, "dependencies": {"@acme/lamp": "^1.0.0"},
    });
    let splice = package(&[("SKILL.md", "# Desk\n"), ("manifest.json", &manifest.to_string())]);
    let needs =
        [Need { package: "@acme/lamp", range: Some("^1.0.0") }, Need { package: "@acme/chair", range: None }];
    assert_eq!(splice.faces[0].document().record().needs, needs);
}

#[test]
fn a_record_leaves_out_what_other_questions_answer() {
    let changed = |change: fn(&mut Value)| {
        let mut new = capability();
        change(&mut new);
        let (old, new) = (capability().to_string(), new.to_string());
        let (old, new) = (package(&[("capability.json", &old)]), package(&[("capability.json", &new)]));
        let (old, new) = (old.faces[0].document().record(), new.faces[0].document().record());
        let found = differences(old.stated.as_ref().unwrap(), new.stated.as_ref().unwrap(), new.elsewhere);
        found.listed.iter().map(|difference| difference.pointer.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(changed(|new| new["version"] = "2.0.0".into()), [""; 0]);
    assert_eq!(changed(|new| new["tools"][0]["timeoutMs"] = 5.into()), [""; 0]);
    assert_eq!(changed(|new| new["name"] = "Charts".into()), ["/name"]);
    assert_eq!(changed(|new| new["compat"] = json!({"platforms": ["any"]})), ["/compat"]);
}

#[test]
fn front_matter_is_stated_field_by_field_and_what_is_no_text_as_it_is_written() {
    let skill = |hooks: &str| {
        let text = format!("---\nname: x\ndescription: Does x.\nhooks: {hooks}\nversion: 1\n---\n# X\n");
        package(&[("SKILL.md", &text)])
    };
    let (old, new) = (skill("{Stop: [a]}"), skill("{Stop: [b]}"));
    let (old, new) = (old.faces[0].document().record(), new.faces[0].document().record());
    let (old, new) = (old.stated.unwrap(), new.stated.unwrap());
    let found = differences(&old, &new, &["/version"]);
    assert_eq!(found.listed.len(), 1);
    assert_eq!(found.listed[0].pointer.as_str(), "/hooks");
    assert_eq!(found.listed[0].new.unwrap().as_str(), Some("{Stop: [b]}"));
}
