//! Open-Science's cases (`KITBAG_CASES_OPEN_SCIENCE`): every record for version 0.26 agrees. What is compared are
//! Open-Science's own codes; ours stand beside them and are left out here.

#![expect(clippy::disallowed_methods, reason = "the cases are files of a folder outside the project")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::io::Cursor;
use std::path::Path;

use kitbag::read::{self, Source};
use kitbag_core::archive::{self, InMemory, Reading};
use kitbag_core::finding::{Findings, Severity};
use kitbag_core::formats::openscience::bundle::import::{self, Shelf};
use kitbag_core::formats::openscience::bundle::{self, Outer};
use kitbag_core::formats::openscience::connector::client::{Client, configuration};
use kitbag_core::formats::openscience::connector::{self, SourceFormat, Taken, Template};
use kitbag_core::formats::openscience::skill::draft;
use kitbag_core::formats::openscience::specialist::preview::{
    Installed, InstalledConnector, InstalledSkill, InstalledSpecialist, MainAgent, Preview, SkillOrigin,
    Standalone,
};
use kitbag_core::formats::openscience::specialist::{self, Content};
use kitbag_core::formats::openscience::{codes, github, skill, version, words};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Node, Tree};
use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

/// The case folder, with the inputs of its archive unpacked.
struct Cases {
    records: Vec<Value>,
    tables: Value,
    inputs: Folder,
}

impl Cases {
    /// Everything for version 0.26; `None` where there are no cases.
    fn open() -> Option<Self> {
        let folder = cases::folder("OPEN_SCIENCE")?;
        let records = cases::json(&folder.join("expected.json"));
        let since = |record: &Value| record["since"].as_str().is_none_or(|since| since == "v0.26");
        let records = records.as_array().unwrap().iter().filter(|record| since(record)).cloned().collect();
        Some(Self { records, tables: cases::json(&folder.join("tables.json")), inputs: unpacked(&folder) })
    }

    fn of(&self, family: &str) -> Vec<&Value> {
        let of: Vec<&Value> = self.records.iter().filter(|record| record["family"] == family).collect();
        assert!(!of.is_empty(), "there is no case of {family}");
        of
    }

    fn bytes(&self, record: &Value) -> Vec<u8> {
        fs::read(self.inputs.at(record["input"].as_str().unwrap())).unwrap()
    }

    fn tree(&self, record: &Value) -> Tree {
        let path = self.inputs.at(record["input"].as_str().unwrap());
        // A document stands for its folder, so the folder itself is named.
        read::read(&Source::Path(path)).unwrap().tree
    }
}

/// The inputs, unpacked by our own reader. Links are made anew.
fn unpacked(folder: &Path) -> Folder {
    let bytes = fs::read(folder.join("cases.tar.gz")).unwrap();
    let reading = Reading { name: None, limits: archive::LIMITS, spool: &mut InMemory };
    let tree = archive::read(&mut Cursor::new(bytes), reading).unwrap().tree;
    tree.iter().fold(Folder::new(), |folder, (path, node)| match node {
        Node::Folder => folder.folder(path.as_str()),
        Node::File(blob) => folder.file(path.as_str(), blob.read(1 << 30).unwrap()),
        #[cfg(unix)]
        Node::Link { target } => folder.link(path.as_str(), target),
        _ => panic!("{path} is something else"),
    })
}

/// Open-Science's codes of one severity, sorted, with repeats.
fn own(findings: &Findings, severity: Severity) -> Vec<String> {
    let mut own: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity == severity)
        .filter_map(|finding| codes::upstream(finding.code))
        .map(str::to_owned)
        .collect();
    own.sort();
    own
}

/// The differences between what is so and what a record expects, for the fields that the record has.
fn differences(record: &Value, found: &Value) -> Option<String> {
    let expected = record["expect"].as_object().unwrap();
    let differs: Vec<String> = expected
        .iter()
        .filter(|(field, expected)| found[field.as_str()] != **expected)
        .map(|(field, expected)| {
            format!("  {field}\n    expected {expected}\n    found    {}", found[field.as_str()])
        })
        .collect();
    (!differs.is_empty()).then(|| format!("{}: {}\n{}", record["id"], record["note"], differs.join("\n")))
}

fn compare(records: &[&Value], found: impl Fn(&Value) -> Value) {
    let differ: Vec<String> =
        records.iter().filter_map(|record| differences(record, &found(record))).collect();
    let (differing, all) = (differ.len(), records.len());
    assert!(differ.is_empty(), "{differing} of {all} differ\n{}", differ.join("\n"));
    cases::tell(&format!("open-science: {all} of {}\n", records[0]["family"]));
}

/// The fields of a template as a document has them, without the two that are the same everywhere.
fn fields(template: &Template) -> Value {
    let mut fields: Value = serde_json::from_str(&connector::document(template)).unwrap();
    for constant in ["schema_version", "kind"] {
        fields.as_object_mut().unwrap().remove(constant);
    }
    fields
}

fn taken(state: &Value) -> Taken {
    let list = |value: &Value| {
        value.as_array().map(|names| names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
    };
    let built_in =
        if state["reserved"] == true { [("pubmed".to_owned())].into() } else { Default::default() };
    Taken { built_in, installed: list(&state["existing"]).unwrap_or_default() }
}

fn read_connector(bytes: &[u8], state: &Value) -> (connector::Reading, Findings) {
    let mut findings = Findings::default();
    let file = PackagePath::new("connector.json").unwrap();
    let reading = connector::read(&file, bytes, &taken(state), &mut findings);
    (reading, findings)
}

#[test]
fn connector_templates_are_judged_as_open_science_judges_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("connector-template"), |record| {
        let (reading, findings) = read_connector(&cases.bytes(record), &record["state"]);
        let mut canonical = reading.definitions.first().map(fields).unwrap_or_default();
        // A record names the fields it is about.
        if let Some(wanted) = record["expect"]["canonical"].as_object() {
            let of_interest = |field: &String| wanted.contains_key(field);
            canonical.as_object_mut().unwrap().retain(|field, _| of_interest(field));
        }
        json!({
            "ready": !reading.definitions.is_empty(),
            "errors": own(&findings, Severity::Error),
            "warnings": own(&findings, Severity::Warning),
            "canonical": canonical,
        })
    });
}

#[test]
fn configurations_of_clients_are_imported_as_open_science_imports_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("mcp-import"), |record| {
        let bytes = cases.bytes(record);
        let (reading, findings) = read_connector(&bytes, &record["state"]);
        let told = format!("{:?}{findings:?}", reading.definitions);
        assert!(!told.contains("must-not-be-imported"), "{}", record["id"]);
        json!({
            "ready": !reading.definitions.is_empty(),
            "sourceFormat": reading.format.map(SourceFormat::word),
            "definitions": reading.definitions.iter().map(fields).collect::<Vec<_>>(),
            "errors": own(&findings, Severity::Error),
            "warnings": own(&findings, Severity::Warning),
        })
    });
}

/// An installed record of the application as a template, which is how it is exported.
fn installed_template(record: &Value) -> Value {
    let mut template = json!({"schema_version": 1, "kind": connector::KIND});
    let names = [
        ("name", "name"),
        ("displayName", "display_name"),
        ("description", "description"),
        ("transport", "transport"),
        ("command", "command"),
        ("args", "args"),
        ("url", "url"),
    ];
    for (from, to) in names {
        if !record[from].is_null() {
            template[to] = record[from].clone();
        }
    }
    for (from, to) in [("envNames", "environment"), ("headerNames", "headers")] {
        if record[from].as_array().is_some_and(|names| !names.is_empty()) {
            template["required_secrets"][to] = record[from].clone();
        }
    }
    template
}

#[test]
fn connectors_are_exported_as_open_science_exports_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("connector-export"), |record| {
        let installed: Value = serde_json::from_slice(&cases.bytes(record)).unwrap();
        let template = installed_template(&installed).to_string();
        let (reading, findings) = read_connector(template.as_bytes(), &Value::Null);
        let template = reading.definitions.first();
        let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let file = PackagePath::new("connector.json").unwrap();
        let client = template.map(|template| configuration(template, Client::Plain, &file).value);
        json!({
            "ready": template.is_some(),
            "errors": own(&findings, Severity::Error),
            "template": template.map(|template| parsed(&connector::document(template))),
            "templateFile": template.map(connector::file_name),
            "mcp": client.as_ref().map(|client| parsed(&client.text)),
            "mcpFile": client.as_ref().map(|client| client.file.clone()),
            "mcpWarnings": [],
        })
    });
}

#[test]
fn skill_documents_are_read_as_open_science_reads_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("skill-md"), |record| {
        let text = String::from_utf8(cases.bytes(record)).unwrap();
        let document = skill::Document::read(&text);
        json!({
            "hasFrontmatter": document.has_front_matter,
            "name": document.name,
            "description": document.description,
            "metadata": document.metadata,
            "body": document.body,
        })
    });
}

#[test]
fn drafts_of_skills_are_judged_as_open_science_judges_them() {
    let Some(cases) = Cases::open() else { return };
    // A hard link does not survive an archive; `kitbag`'s own test makes one.
    let records: Vec<&Value> =
        cases.of("skill-dir").into_iter().filter(|record| record["id"] != "dir-hardlink").collect();
    compare(&records, |record| {
        let tree = cases.tree(record);
        let mut findings = Findings::default();
        draft::check(&tree, tree.name(), &mut findings);
        let of = |severity| {
            let mut found: Vec<(String, String)> = findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .filter_map(|finding| {
                    let file = finding.place.file.as_ref().map(|file| file.as_str().to_owned());
                    Some((codes::upstream(finding.code)?.to_owned(), file.unwrap_or_default()))
                })
                .collect();
            found.sort_by(|one, other| (&one.1, &one.0).cmp(&(&other.1, &other.0)));
            found
        };
        json!({
            "valid": own(&findings, Severity::Error).is_empty(),
            "errors": of(Severity::Error),
            "warnings": of(Severity::Warning),
        })
    });
}

fn installed(state: &Value) -> Installed {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| -> Vec<String> { value.as_array().into_iter().flatten().map(text).collect() };
    let list = |name: &str| state[name].as_array().cloned().unwrap_or_default();
    let skills = list("skills").into_iter().map(|skill| {
        let installed = InstalledSkill {
            name: text(&skill["name"]),
            origin: if skill["builtin"] == true { SkillOrigin::BuiltIn } else { SkillOrigin::Installed },
            version: skill["version"].as_str().unwrap_or(specialist::DEFAULT_VERSION).to_owned(),
            content_hash: text(&skill["contentHash"]),
            exact: None,
            standalone: if skill["standalone"] == false { Standalone::No } else { Standalone::Yes },
            owners: texts(&skill["ownerIds"]),
            main_agent: if skill["mainEnabled"] == true { MainAgent::Uses } else { MainAgent::Ignores },
        };
        (text(&skill["id"]), installed)
    });
    let specialists = list("specialists");
    let connectors = list("connectors");
    Installed {
        skills: skills.collect(),
        specialists: specialists
            .iter()
            .map(|specialist| InstalledSpecialist {
                id: text(&specialist["id"]),
                name: text(&specialist["name"]),
                skills: texts(&specialist["skillIds"]),
            })
            .collect(),
        connectors: connectors
            .iter()
            .map(|connector| InstalledConnector {
                id: text(&connector["id"]),
                name: text(&connector["name"]),
                aliases: texts(&connector["aliases"]),
            })
            .collect(),
        protected: Vec::new(),
    }
}

fn previewed(files: Option<specialist::content::Files>, mut findings: Findings, state: &Value) -> Value {
    let content = files.map(|files| Content::read(&files, &mut findings)).unwrap_or_default();
    let preview = Preview::of(content, &installed(state), &mut findings);
    let skills: Vec<Value> = preview
        .skills
        .iter()
        .map(|planned| {
            json!({
                "id": planned.skill.id,
                "version": planned.skill.version,
                "disposition": planned.disposition.word(),
                "files": planned.skill.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "installable": preview.is_installable_upstream(&findings),
        "errors": own(&findings, Severity::Error),
        "warnings": own(&findings, Severity::Warning),
        "infos": own(&findings, Severity::Info),
        "skills": skills,
    })
}

#[test]
fn specialist_archives_are_previewed_as_open_science_previews_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("specialist-zip"), |record| {
        let mut findings = Findings::default();
        let mut source = Cursor::new(cases.bytes(record));
        let files = specialist::archive::files(&mut source, &mut InMemory, &mut findings).unwrap();
        previewed(files, findings, &record["state"])
    });
}

#[test]
fn specialist_folders_are_previewed_as_open_science_previews_them() {
    let Some(cases) = Cases::open() else { return };
    compare(&cases.of("specialist-dir"), |record| {
        let mut findings = Findings::default();
        let files = specialist::folder::files(&cases.tree(record), &mut findings);
        previewed(files, findings, &record["state"])
    });
}

#[test]
fn bundles_of_skills_are_previewed_and_imported_as_open_science_does() {
    let Some(cases) = Cases::open() else { return };
    let records = cases.of("skill-zip");
    let differ: Vec<String> = records.iter().filter_map(|record| bundle(&cases, record)).collect();
    assert!(differ.is_empty(), "{} of {} differ\n{}", differ.len(), records.len(), differ.join("\n"));
    cases::tell(&format!("open-science: {} of \"skill-zip\"\n", records.len()));
}

/// How a bundle differs from what is expected of it.
fn bundle(cases: &Cases, record: &Value) -> Option<String> {
    let expected = &record["expect"];
    let mut source = Cursor::new(cases.bytes(record));
    let Some(outer) = Outer::read(&mut source, &mut InMemory).unwrap() else {
        let throws = expected["throws"] == bundle::Reason::NotZip.to_string();
        return (!throws).then(|| format!("{}: no ZIP", record["id"]));
    };
    let preview = bundle::preview(&outer, &mut InMemory).unwrap();
    let candidates: Vec<Value> = preview
        .candidates
        .iter()
        .map(|candidate| {
            let mut files: Vec<&str> = candidate.skill.files.iter().map(|(name, _)| name.as_str()).collect();
            files.sort_by(|one, other| one.encode_utf16().cmp(other.encode_utf16()));
            json!({"subPath": candidate.skill.sub_path, "name": candidate.name, "files": files})
        })
        .collect();
    let mut wrong = Vec::new();
    if json!(candidates) != expected["candidates"] {
        wrong.push(format!("candidates {}", json!(candidates)).chars().take(600).collect::<String>());
    }
    let mut skipped: Vec<(String, String)> =
        preview.skipped.iter().map(|skipped| (skipped.source.clone(), skipped.reason.to_string())).collect();
    let mut reasons: Vec<(&str, &str)> = expected["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skipped| (skipped["source"].as_str().unwrap(), skipped["reasonContains"].as_str().unwrap()))
        .collect();
    skipped.sort();
    reasons.sort_unstable();
    let agrees = |((source, reason), (expected, part)): (&(String, String), &(&str, &str))| {
        source == expected && reason.contains(part)
    };
    if skipped.len() != reasons.len() || !skipped.iter().zip(&reasons).all(agrees) {
        wrong.push(format!("skipped {skipped:?}"));
    }
    let mut shelf = Shelf::default();
    if let Some(imports) = expected["imports"].as_object() {
        let mut import = |sub_path: Option<&str>| {
            let outcome = import::chosen(&preview, sub_path)
                .and_then(|candidate| shelf.import(candidate, None).unwrap());
            match outcome {
                Ok(outcome) => format!("{}:{}", outcome.status.word(), outcome.id),
                Err(error) => format!("ERR:{error}"),
            }
        };
        let found: serde_json::Map<String, Value> = match imports.contains_key("*") {
            true => [("*".to_owned(), json!(import(None)))].into_iter().collect(),
            false => preview
                .candidates
                .iter()
                .map(|candidate| candidate.skill.sub_path.clone())
                .map(|sub_path| (sub_path.clone(), json!(import(Some(&sub_path)))))
                .collect(),
        };
        if &found != imports {
            wrong.push(format!("imports {found:?}"));
        }
    }
    let expected = expected.to_string().chars().take(600).collect::<String>();
    (!wrong.is_empty()).then(|| format!("{}: {}\n  expected {expected}", record["id"], wrong.join("\n  ")))
}

#[test]
fn the_tables_of_places_on_github_agree() {
    let Some(cases) = Cases::open() else { return };
    let place = |place: Option<github::Place>| {
        place.map(|place| {
            let mut fields = json!({"owner": place.owner, "repo": place.repository, "ref": place.reference});
            fields["path"] = place.path.into();
            fields
        })
    };
    for (text, expected) in cases.tables["githubSkillUrl"].as_object().unwrap() {
        assert_eq!(json!(place(github::url(text))), *expected, "{text}");
    }
    for (text, expected) in cases.tables["githubRepo"].as_object().unwrap() {
        let mut found = json!(place(github::repository(text)));
        if let Some(fields) = found.as_object_mut() {
            fields.remove("path");
        }
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn the_tables_of_names_and_versions_agree() {
    let Some(cases) = Cases::open() else { return };
    let table = |name: &str| cases.tables[name].as_object().unwrap().clone();
    for (name, expected) in table("normalizeSkillName") {
        assert_eq!(words::normalised(&name), expected.as_str().unwrap(), "{name}");
    }
    for (name, expected) in table("usableSkillName") {
        assert_eq!(words::skill_name(&name).is_ok(), expected.as_bool().unwrap(), "{name}");
    }
    for row in cases.tables["semverCompare"].as_array().unwrap() {
        let (one, other) = (row[0].as_str().unwrap(), row[1].as_str().unwrap());
        let order = version::compare(one, other).map(|order| order as i64);
        assert_eq!(order, row[2].as_i64(), "{one} {other}");
    }
    for list in ["reservedConnectorNames_v018", "reservedConnectorNames_laterAdds"] {
        for name in cases.tables[list].as_array().unwrap() {
            assert!(words::BUILT_IN_CONNECTORS.contains(&name.as_str().unwrap()), "{name}");
        }
    }
    for name in cases.tables["bundledSkillNames_v018"].as_array().unwrap() {
        assert!(words::BUILT_IN_SKILLS.contains(&name.as_str().unwrap()), "{name}");
    }
}
