//! What can be named, and what becomes of it.
#![expect(clippy::unwrap_used, reason = "test code fails by panicking")]

use std::fs;
use std::path::PathBuf;

use kitbag::check::{Report, Request, check};
use kitbag::location::SourceKind;
use kitbag::read::{ReadError, Reading, Source, read};
use kitbag_core::tree::{Node, Root};
use kitbag_testkit::folder::Folder;

fn read_path(path: impl Into<PathBuf>) -> Reading {
    read(&Source::Path(path.into())).unwrap()
}

fn check_path(path: impl Into<PathBuf>) -> Report {
    check(&Request { sources: vec![Source::Path(path.into())], ..Request::default() }).unwrap()
}

fn document(name: Option<&str>, text: &str) -> Source {
    Source::Document { name: name.map(str::to_owned), bytes: text.as_bytes().to_vec() }
}

/// The packages of a report, as they would be typed below `folder`, with the formats of each.
fn packages(report: &Report, folder: &Folder) -> Vec<(String, Vec<&'static str>)> {
    let root = format!("{}/", folder.path().display());
    let packages = report.packages.iter().filter(|package| !package.faces.is_empty());
    packages
        .map(|package| {
            let typed = package.location.to_string();
            let formats = package.faces.iter().map(|face| face.format).collect();
            (typed.strip_prefix(&root).unwrap_or(&typed).to_owned(), formats)
        })
        .collect()
}

fn codes(report: &Report) -> Vec<&'static str> {
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    findings.map(|located| located.finding.code.slug).collect()
}

#[test]
fn a_tree_of_packages_gives_each_of_them_at_any_depth_and_in_order() {
    let folder = Folder::new()
        .skill("b")
        .skill("a/deep/down")
        .skill(".claude/skills/hidden")
        .skill("b/inner")
        .skill(".git/not-this")
        .skill("site/node_modules/nor-this")
        .file("site/manifest.json", r#"{"manifest_version": 3, "name": "an extension"}"#)
        .file("readme.md", "no package");
    let report = check_path(folder.path());
    let found: Vec<String> = packages(&report, &folder).into_iter().map(|(path, _)| path).collect();
    assert_eq!(found, [".claude/skills/hidden", "a/deep/down", "b", "b/inner"]);
    assert_eq!(report.counts.packages, 4);
    // What a program keeps for itself can still be named.
    let named = check_path(folder.at("site/node_modules/nor-this"));
    assert_eq!(named.counts.packages, 1);
}

#[test]
fn a_document_stands_for_its_folder() {
    let folder = Folder::new().skill("s");
    let by_folder = check_path(folder.at("s"));
    let by_document = check_path(folder.at("s/SKILL.md"));
    let by_slash = check_path(format!("{}/", folder.at("s").display()));
    for report in [&by_folder, &by_document, &by_slash] {
        assert_eq!(packages(report, &folder), [("s".to_owned(), vec!["agent-skill"])]);
    }
}

#[cfg(unix)]
#[test]
fn a_named_link_is_followed_and_keeps_both_names_while_a_link_below_is_an_entry() {
    let folder = Folder::new()
        .skill("kept/elsewhere")
        .link("named", "kept/elsewhere")
        .link("kept/elsewhere/out", "/etc");
    for typed in ["named".to_owned(), "named/".to_owned()] {
        let reading = read_path(folder.at(&typed));
        assert_eq!(reading.tree.root(), Root::LinkToFolder);
        assert_eq!(reading.tree.name(), Some("named"));
        assert_eq!(reading.tree.resolved_name(), Some("elsewhere"));
        assert!(reading.tree.file("SKILL.md").is_some());
        assert!(matches!(reading.tree.get("out"), Some(Node::Link { target }) if target == "/etc"));
        assert_eq!(reading.tree.len(), 2);
    }
    let plain = read_path(folder.at("kept/elsewhere"));
    assert_eq!(plain.tree.root(), Root::Folder);
    assert_eq!(plain.tree.resolved_name(), Some("elsewhere"));
}

#[test]
fn a_folder_named_by_dots_is_called_what_it_is_called() {
    let folder = Folder::new().skill("s").folder("s/scripts");
    let reading = read_path(folder.at("s/scripts/.."));
    assert_eq!(reading.tree.name(), Some("s"));
}

#[cfg(unix)]
#[test]
fn a_path_where_nothing_is_cannot_be_read() {
    let folder = Folder::new().skill("s").link("dangling", "nowhere").link("loop", "loop");
    for missing in ["nothing", "s/SKILL.md/below", "dangling"] {
        let error = read(&Source::Path(folder.at(missing))).unwrap_err();
        assert!(matches!(error, ReadError::Missing { .. }), "{missing}: {error}");
    }
    assert!(matches!(read(&Source::Path(folder.at("loop"))), Err(ReadError::Io { .. })));
    assert!(read(&Source::Path(folder.at("s"))).is_ok());
}

#[test]
fn a_folder_without_a_package_says_so_and_one_with_a_package_does_not() {
    let folder = Folder::new().file("empty/readme.md", "").skill("full/s");
    assert_eq!(codes(&check_path(folder.at("empty"))), ["package/no-face"]);
    assert!(!codes(&check_path(folder.at("full"))).contains(&"package/no-face"));
}

#[test]
fn a_document_without_a_path_is_judged_by_its_name_or_by_its_content() {
    let skill = "---\nname: x\ndescription: Does x for those who need it.\n---\n";
    let contract = r#"{"contract_version": "0.8"}"#;
    let faces = |source| {
        let report = check(&Request { sources: vec![source], ..Request::default() }).unwrap();
        let package = report.packages.into_iter().next().unwrap();
        assert_eq!(package.location.kind, SourceKind::Input);
        assert_eq!(package.location.to_string(), "standard input");
        package.faces.into_iter().map(|face| face.format).collect::<Vec<_>>()
    };
    assert_eq!(faces(document(Some("SKILL.md"), skill)), ["agent-skill"]);
    assert_eq!(faces(document(None, skill)), ["agent-skill"]);
    assert_eq!(faces(document(None, contract)), ["skillpact"]);
    assert_eq!(faces(document(Some("skill.contract.json"), contract)), ["skillpact"]);
    for source in [document(None, "plain words"), document(Some("notes.txt"), skill)] {
        let report = check(&Request { sources: vec![source], ..Request::default() }).unwrap();
        assert_eq!(codes(&report), ["package/no-face"]);
    }
}

#[test]
fn a_document_under_any_name_is_judged_by_its_content() {
    let folder = Folder::new()
        .file("draft.md", "---\nname: x\ndescription: Does x for those who need it.\n---\n")
        .file("draft.json", r#"{"contract_version": "0.8"}"#)
        .file("notes.txt", "plain words");
    let formats = |name: &str| {
        let report = check_path(folder.at(name));
        assert_eq!(report.packages[0].location.to_string(), folder.at(name).display().to_string());
        packages(&report, &folder).into_iter().flat_map(|(_, formats)| formats).collect::<Vec<_>>()
    };
    assert_eq!(formats("draft.md"), ["agent-skill"]);
    assert_eq!(formats("draft.json"), ["skillpact"]);
    assert_eq!(formats("notes.txt"), [""; 0]);
    assert_eq!(codes(&check_path(folder.at("notes.txt"))), ["package/no-face"]);
}

#[test]
fn every_format_is_recognised_and_speaks_in_its_own_codes() {
    let splice =
        r#"{"specVersion": 1, "namespace": "acme", "name": "desk", "version": "0.1.0", "tools": []}"#;
    let folder = Folder::new()
        .file("splice/manifest.json", splice)
        .file("adcap/capability.json", r#"{"adcap": "1.0", "id": "acme/desk", "version": "1.0.0"}"#)
        .file(
            "specialist/manifest.json",
            r#"{"schema_version": 1, "id": "x", "version": "1.0.0", "exported_with_app_version": "0.26.0"}"#,
        )
        .file(
            "specialist/specialist.json",
            r#"{"name": "x", "system_prompt": "p", "skill_ids": [], "connector_ids": []}"#,
        )
        .file(
            "connectors/open-science-connector-x.json",
            r#"{"schema_version": 1, "kind": "open-science.connector", "name": "x"}"#,
        )
        .file(
            "bundle/acme-desk-1.splice.json",
            r#"{"format": "splice-bundle", "formatVersion": 1, "files": []}"#,
        )
        .file("broken/capability.json", "{not json")
        .file("foreign/manifest.json", r#"{"manifest_version": 3, "permissions": ["tabs"]}"#);
    let report = check_path(folder.path());
    let expected = [
        ("adcap", "adcap"),
        ("broken", "adcap"),
        ("bundle", "splice"),
        ("connectors", "connector"),
        ("specialist", "specialist"),
        ("splice", "splice"),
    ];
    assert_eq!(packages(&report, &folder), expected.map(|(at, format)| (at.to_owned(), vec![format])));
    for package in &report.packages {
        let slugs: Vec<_> = package.findings.iter().map(|located| located.finding.code.slug).collect();
        if package.faces.iter().any(|face| face.format == "splice") {
            assert!(slugs.iter().all(|slug| slug.starts_with("splice/")), "{}: {slugs:?}", package.location);
            continue;
        }
        if package.faces[0].format == "adcap" {
            assert!(slugs.iter().all(|slug| slug.starts_with("adcap/")) && !slugs.is_empty(), "{slugs:?}");
            continue;
        }
        assert!(
            slugs.iter().all(|slug| slug.starts_with("open-science/")),
            "{}: {slugs:?}",
            package.location
        );
        assert!(!slugs.is_empty(), "{}", package.location);
    }
    assert!(!report.ok());
    let names: Vec<_> = report.packages.iter().map(|package| package.faces[0].name.as_deref()).collect();
    assert_eq!(names, [Some("acme/desk"), None, None, Some("x"), Some("x"), Some("@acme/desk")]);
    // One document of a package, named, is that package; a connector is one by itself.
    assert_eq!(
        codes(&check_path(folder.at("splice/manifest.json"))),
        ["splice/skill-md", "splice/required-field", "splice/tools"]
    );
    let connector = check_path(folder.at("connectors/open-science-connector-x.json"));
    assert_eq!(codes(&connector), ["open-science/connector-required", "open-science/connector-transport"]);
    assert_eq!(codes(&check_path(folder.at("foreign/manifest.json"))), ["package/no-face"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_changes_after_it_was_listed_is_not_read_and_one_that_stays_is() {
    let folder = Folder::new()
        .file("s/grown", "four")
        .file("s/replaced", "four")
        .file("s/linked", "four")
        .file("s/gone", "four")
        .file("s/below/file", "four")
        .file("s/same/file", "four")
        .file("secret", "four")
        .file("outside/file", "four");
    let tree = read_path(folder.at("s")).tree;
    fs::write(folder.at("s/grown"), "fours").unwrap();
    fs::remove_file(folder.at("s/replaced")).unwrap();
    fs::write(folder.at("s/replaced"), "more").unwrap();
    fs::remove_file(folder.at("s/linked")).unwrap();
    let folder = folder.link("s/linked", "../secret");
    fs::remove_file(folder.at("s/gone")).unwrap();
    // A folder on the way that became a link to outside leads nowhere, although the same file is behind it.
    fs::rename(folder.at("s/below"), folder.at("moved")).unwrap();
    let folder = folder.link("s/below", "../moved");
    for changed in ["grown", "replaced", "linked", "gone", "below/file"] {
        let error = tree.file(changed).unwrap().read(100).unwrap_err();
        assert_eq!(error.to_string(), "the file changed while it was read", "{changed}");
    }
    assert_eq!(tree.file("same/file").unwrap().read(100).unwrap(), b"four");
    drop(folder);
}
