//! The Open-Science vectors: `vectors/open-science/<case>/case.json`. A case named after a code holds the smallest document
//! that raises it; every other case is named after what is so.
//!
//! `KITBAG_BLESS=1` writes what was found into the cases; the difference is read before it is committed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

use std::collections::BTreeSet;
use std::io::{self, Cursor};

use kitbag_core::archive::{self, InMemory, Reading};
use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::bundle::plan::{
    self, Destination, Difference, Names, OnConflict, Order,
};
use kitbag_core::formats::openscience::bundle::{self, Outer};
use kitbag_core::formats::openscience::connector::{self, Taken};
use kitbag_core::formats::openscience::github::{self, Download, Requests, Step};
use kitbag_core::formats::openscience::skill::draft;
use kitbag_core::formats::openscience::specialist::content::Files;
use kitbag_core::formats::openscience::specialist::export::{Export, ExportSkill, Inclusion, Selection};
use kitbag_core::formats::openscience::specialist::install::{self, Situation};
use kitbag_core::formats::openscience::specialist::inventory::Inventory;
use kitbag_core::formats::openscience::specialist::preview::{
    Installed, InstalledSkill, InstalledSpecialist, MainAgent, Preview, SkillOrigin, Standalone,
};
use kitbag_core::formats::openscience::specialist::{self, Content};
use kitbag_core::formats::{FORMATS, Site};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::phrase::{Statement, statements};
use kitbag_core::tree::{self, Blob, Executable, Node, Root, SpecialKind, Tree};
use kitbag_testkit::archive::zip::{Entry, Zip};
use kitbag_testkit::vectors::{self, Case};
use serde_json::{Value, json};

/// A content: a text as it is, anything else as a JSON document, `{"repeat", "times"}` as a long text.
fn content(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.as_bytes().to_vec(),
        Value::Object(long) if long.contains_key("times") => {
            let times = usize::try_from(long["times"].as_u64().unwrap()).unwrap();
            long["repeat"].as_str().unwrap().repeat(times).into_bytes()
        }
        Value::Object(raw) if raw.contains_key("latin1") => b"---\nname: caf\xe9\n---\n".to_vec(),
        Value::Object(raw) if raw.contains_key("zip") => {
            let files = raw["zip"].as_object().unwrap();
            Zip::of(files.iter().map(|(name, value)| Entry::stored(name, &content(value)))).bytes()
        }
        document => serde_json::to_vec(document).unwrap(),
    }
}

/// The entries of a case as a folder.
fn tree(case: &Value) -> Tree {
    let mut tree = Tree::new(case["folder"].as_str().map(str::to_owned), Root::Folder);
    for (path, value) in case["files"].as_object().unwrap() {
        let node = match value {
            Value::Object(entry) if entry.contains_key("link") => {
                Node::Link { target: entry["link"].as_str().unwrap().to_owned() }
            }
            Value::Object(entry) if entry.contains_key("pipe") => Node::Special(SpecialKind::Pipe),
            Value::Object(entry) if entry.contains_key("unreadable") => {
                Node::Unreadable { because: "permission denied".to_owned() }
            }
            Value::Object(entry) if entry.contains_key("folder") => Node::Folder,
            Value::Object(entry) if entry.contains_key("bytes") => {
                Node::File(Blob::new(entry["bytes"].as_u64().unwrap(), Executable::No, Box::new(Unread)))
            }
            Value::Object(entry) if entry.contains_key("shared") => {
                Node::File(Blob::from_bytes(content(&entry["shared"])).of_several_names())
            }
            value => Node::File(Blob::from_bytes(content(value))),
        };
        tree.insert(PackagePath::new(path).unwrap(), node).unwrap();
    }
    for index in 0..case["many"]["files"].as_u64().unwrap_or(0) {
        let text = |name: &str| case["many"][name].as_str().unwrap_or_default();
        let path = format!("{}{index}{}", text("below"), text("behind"));
        let content = text("content").replace("{n}", &index.to_string());
        tree.insert(PackagePath::new(&path).unwrap(), Node::File(Blob::from_bytes(content))).unwrap();
    }
    tree
}

/// The entries of a case as a ZIP, each spoiled as the case says.
fn zip(case: &Value) -> Vec<u8> {
    let mut entries: Vec<Entry> = case["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let name = entry["path"].as_str().unwrap();
            let mut made = Entry::stored(name, &content(&entry["content"]));
            if let Some(mode) = entry["mode"].as_u64() {
                made = made.mode(u32::try_from(mode).unwrap());
            }
            let number = |name: &str| entry[name].as_u64();
            if let Some(size) = number("claims") {
                made = made.central(|header| header.size = u32::try_from(size).unwrap());
            }
            if let Some(flags) = number("flags") {
                made = made.both(|header| header.flags = u16::try_from(flags).unwrap());
            }
            if let Some(method) = number("method") {
                made = made.both(|header| header.method = u16::try_from(method).unwrap());
            }
            made
        })
        .collect();
    for index in 0..case["many"]["files"].as_u64().unwrap_or(0) {
        entries.push(Entry::stored(&format!("{}{index}", case["many"]["below"].as_str().unwrap()), b""));
    }
    Zip::of(entries).bytes()
}

fn installed(case: &Value) -> Installed {
    let skills = case["installed"].as_object().into_iter().flatten().map(|(name, version)| {
        let skill = InstalledSkill {
            name: name.clone(),
            origin: SkillOrigin::Installed,
            version: version.as_str().unwrap().to_owned(),
            content_hash: String::new(),
            exact: None,
            standalone: Standalone::Yes,
            owners: Vec::new(),
            main_agent: MainAgent::Ignores,
        };
        (format!("personal-{name}"), skill)
    });
    let specialists = case["specialists"].as_object().into_iter().flatten().map(|(id, name)| {
        let name = name.as_str().unwrap().to_owned();
        InstalledSpecialist { id: id.clone(), name, skills: Vec::new() }
    });
    Installed { skills: skills.collect(), specialists: specialists.collect(), ..Installed::default() }
}

/// The files of a package.
fn package(files: &Value) -> Files {
    let files = files.as_object().unwrap().iter();
    files.map(|(path, value)| (PackagePath::new(path).unwrap(), Blob::from_bytes(content(value)))).collect()
}

fn previewed(files: &Files, inventory: &Inventory, findings: &mut Findings) -> Preview {
    Preview::of(Content::read(files, findings), &inventory.installed(), findings)
}

/// An inventory into which the package under `field` was installed, and in which it was then edited if the case says so.
fn installed_first(case: &Value, field: &str) -> Inventory {
    let (none, mut findings) = (Inventory::default(), Findings::default());
    let files = package(&case[field]);
    let preview = previewed(&files, &none, &mut findings);
    let situation = Situation {
        preview: &preview,
        findings: &findings,
        files: &files,
        inventory: &none,
        basis: install::basis(&preview, &none, &[]),
        now: 0,
    };
    let (manifest, payload) = (preview.manifest.as_ref().unwrap(), preview.payload.as_ref().unwrap());
    let mut inventory = situation.apply(manifest, payload, &[]).unwrap().inventory;
    if case["edited"] == true {
        inventory.select("reader", &[], &[]).unwrap();
    }
    inventory
}

/// A content that is too long to be made, and that nobody should read.
struct Unread;

impl tree::Content for Unread {
    fn open(&self) -> io::Result<Box<dyn io::Read + Send + '_>> {
        Err(io::Error::other("this content is not to be read"))
    }
}

/// The folder that an import goes to, as a case describes it.
struct There<'c>(&'c Value);

impl Destination for There<'_> {
    fn there(&mut self, name: &str, _: &[(PackagePath, Blob)]) -> io::Result<plan::There> {
        Ok(match self.0[name].as_str() {
            None => plan::There::Nothing,
            Some("same") => plan::There::Same,
            Some("other") => plan::There::Other(Difference::default()),
            Some("no-folder") => plan::There::NoFolder,
            Some(other) => panic!("`{other}` is nothing that can be there"),
        })
    }
}

/// What comes from GitHub when it answers as a case says: lists of folders by their paths below the repository, and every
/// file with its own name for a content.
fn downloaded(case: &Value) -> bundle::Preview {
    let place = github::place(case["from"].as_str().unwrap()).unwrap();
    let mut download = Download::new(place.clone(), github::API.parse().unwrap());
    let mut requests = Requests::default();
    loop {
        let spent = |step: Step| match step {
            Step::Done => Ok(step),
            step => requests.spend().map(|()| step),
        };
        match download.step().and_then(spent) {
            Ok(Step::List(question)) => {
                let folder = question.url.path().split_once("/contents").unwrap().1.trim_start_matches('/');
                let many = case["many_listed"].as_u64().filter(|_| folder == place.path).unwrap_or(0);
                let names = (0..many).map(|number| json!([format!("f{number}"), "file"]));
                let listed = case["answers"][folder].as_array().unwrap().iter().cloned().chain(names);
                let item = |entry: Value| {
                    let name = entry[0].as_str().unwrap();
                    let url = (entry[1] == "file").then(|| format!("https://example.test/{name}"));
                    json!({"name": name, "type": entry[1], "download_url": url})
                };
                let bytes = serde_json::to_vec(&listed.map(item).collect::<Vec<_>>()).unwrap();
                if let Err(trouble) = download.listing(&question, &bytes) {
                    return bundle::Preview::refused(&place.path, trouble.reason().unwrap());
                }
            }
            Ok(Step::Fetch(question)) => {
                let name = question.url.path_segments().unwrap().next_back().unwrap();
                let is_document = name == "SKILL.md";
                let text = if is_document { "---\nname: a\ndescription: A demo.\n---\n" } else { name };
                download.file(Blob::from_bytes(text));
            }
            Ok(Step::Done) => return download.finish().unwrap(),
            Err(trouble) => return bundle::Preview::refused(&place.path, trouble.reason().unwrap()),
        }
    }
}

/// What an import of the case comes to.
fn imported(case: &Value, findings: &mut Findings) -> Vec<String> {
    let outer = match (case["document"].as_str(), case["uploaded"].as_u64()) {
        (Some(name), _) => bundle::document(name, tree(case).file("document").unwrap().clone(), findings),
        (None, Some(bytes)) => {
            bundle::check_size(1, bytes).into_iter().for_each(|finding| findings.push(finding));
            None
        }
        (None, None) => Some(Outer::of_tree(&tree(case))),
    };
    let Some(mut outer) = outer else { return Vec::new() };
    if let Some(bytes) = case["nested_bytes"].as_u64() {
        outer.nested_bytes = bytes;
    }
    let on_conflict = match case["existing"].as_str() {
        None => OnConflict::Refuse,
        Some("skip") => OnConflict::Skip,
        Some("keep-both") => OnConflict::KeepBoth,
        Some("replace") => OnConflict::Replace,
        Some(other) => panic!("`{other}` is no way out"),
    };
    let order = Order { only: Vec::new(), on_conflict };
    let preview = match case["from"].as_str() {
        Some(_) => downloaded(case),
        None => bundle::preview(&outer, &mut InMemory).unwrap(),
    };
    let there = &mut There(&case["there"]);
    let planned = plan::plan(&preview, &order, &mut Names::default(), there, findings).unwrap();
    let told = planned.iter().map(|skill| {
        let name = skill.name.as_deref().unwrap_or("-");
        format!("{:?}: {} {name}, {} files", skill.sub_path, skill.step.word(), skill.files.len())
    });
    let mut told: Vec<String> = told.collect();
    let more = told.len().saturating_sub(4);
    if more > 0 {
        told.truncate(4);
        told.push(format!("and {more} more"));
    }
    told
}

/// What there is to say about a case: the face in a folder, and what only a verb asks.
fn judge(case: &Value) -> (Findings, Vec<String>) {
    let mut findings = Findings::default();
    let mut sentences = Vec::new();
    match case["kind"].as_str().unwrap() {
        "face" => {
            let tree = tree(case);
            let row = FORMATS.iter().find(|row| row.name() == "open-science").unwrap();
            let faces = row.faces(&Site::root(&tree), &mut findings);
            assert_eq!(faces.len(), 1, "{}", case["why"]);
            faces[0].document().check(&tree, &mut findings);
            let declaration = faces[0].document().permissions();
            sentences = statements(&declaration).iter().map(Statement::to_string).collect();
        }
        "draft" => {
            let tree = tree(case);
            draft::check(&tree, tree.name(), &mut findings);
        }
        "import" => {
            let file = PackagePath::new("mcp.json").unwrap();
            let installed = case["taken"].as_str().map(str::to_owned).into_iter().collect();
            let taken = Taken { installed, ..Taken::built_in() };
            let reading = connector::read(&file, &content(&case["document"]), &taken, &mut findings);
            sentences = reading.definitions.iter().map(connector::document).collect();
        }
        "archive" => {
            let bytes = match case["bytes"].as_str() {
                Some(bytes) => bytes.as_bytes().to_vec(),
                None => zip(case),
            };
            let files =
                specialist::archive::files(&mut Cursor::new(&bytes), &mut InMemory, &mut findings).unwrap();
            if case["believed"] == true {
                let reading = Reading { name: None, limits: archive::LIMITS, spool: &mut InMemory };
                let strict = archive::read(&mut Cursor::new(&bytes), reading).unwrap();
                let files = files.as_deref().unwrap();
                let _told = specialist::archive::believed(files, &strict.tree, &mut findings);
            }
            let content = files.map(|files| Content::read(&files, &mut findings)).unwrap_or_default();
            let preview = Preview::of(content, &installed(case), &mut findings);
            sentences = preview
                .skills
                .iter()
                .map(|planned| format!("{}: {}", planned.skill.id, planned.disposition.word()))
                .collect();
        }
        "overwrite" => {
            let inventory = installed_first(case, "before");
            let files = package(&case["files"]);
            let preview = previewed(&files, &inventory, &mut findings);
            let overwrite = install::overwrite(&preview, &inventory, &mut findings).unwrap();
            let told = |found: install::Overwrite| {
                format!("{} {} becomes {}", found.id, found.current_version, found.incoming_version)
            };
            sentences = overwrite.map(told).into_iter().collect();
        }
        "export" => {
            let inventory = installed_first(case, "files");
            let without = case["without"].as_str().map(str::to_owned).into_iter().collect();
            let selection = Selection { without, ..Selection::default() };
            let export = Export::of(&inventory, "reader", None, &selection).unwrap();
            export.check(&inventory, &mut findings);
            let files = package(&case["files"]);
            let role: Files =
                files.iter().filter(|(path, _)| !path.as_str().contains('/')).cloned().collect();
            let bundled = Content::read(&files, &mut Findings::default()).bundled;
            let is_bundled = |skill: &&ExportSkill| skill.inclusion == Inclusion::Bundled;
            let content = |skill: &ExportSkill| {
                bundled.iter().find(|bundled| bundled.id == skill.name).unwrap().content()
            };
            let contents = export.skills.iter().filter(is_bundled).map(content).collect();
            export.files(&inventory, &role, contents, &mut findings).unwrap();
            let told = |skill: &ExportSkill| format!("{}: {:?}", skill.name, skill.inclusion);
            sentences = export.skills.iter().map(told).collect();
        }
        "bundle" => sentences = imported(case, &mut findings),
        other => panic!("{other} is no kind of case"),
    }
    findings.sort();
    (findings, sentences)
}

fn found(case: &Value) -> Value {
    let (findings, sentences) = judge(case);
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let file = finding.place.file.as_ref().map(PackagePath::as_str);
            let pointer = finding.place.pointer.as_ref().map(kitbag_core::json::Pointer::as_str);
            json!({
                "code": finding.code.slug,
                "severity": finding.severity.word(),
                "file": file,
                "pointer": pointer,
                "message": finding.message,
            })
        })
        .collect();
    json!({"findings": findings, "says": sentences})
}

#[test]
fn every_case_is_judged_as_it_says() {
    for Case { name, case, .. } in vectors::walk("open-science") {
        let found = found(&case);
        if vectors::are_to_be_written() {
            let mut written = case.clone();
            written["expect"] = found;
            vectors::write("open-science", &name, &written, &[]);
            continue;
        }
        assert_eq!(found, case["expect"], "{name}: {}", case["why"]);
    }
}

#[test]
fn every_code_has_a_case_that_raises_it_and_every_kind_one_that_raises_none() {
    let row = FORMATS.iter().find(|row| row.name() == "open-science").unwrap();
    let mut raised = BTreeSet::new();
    let mut silent = BTreeSet::new();
    for Case { name, case, .. } in vectors::walk("open-science") {
        let codes: Vec<&str> = case["expect"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["code"].as_str().unwrap())
            .collect();
        let own = format!("open-science/{name}");
        if row.codes().iter().any(|code| code.slug == own) {
            assert!(codes.contains(&own.as_str()), "{name} does not raise its code");
            raised.insert(own);
        }
        if codes.is_empty() {
            silent.insert(case["kind"].as_str().unwrap().to_owned());
        }
    }
    let lacking: Vec<&str> =
        row.codes().iter().map(|code| code.slug).filter(|slug| !raised.contains(*slug)).collect();
    assert!(lacking.is_empty(), "no case raises {lacking:?}");
    let kinds = ["archive", "bundle", "draft", "export", "face", "import", "overwrite"];
    assert_eq!(silent.into_iter().collect::<Vec<_>>(), kinds);
}
