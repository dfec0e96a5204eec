//! Open-Science's table of conversations with GitHub (`KITBAG_CASES_OPEN_SCIENCE`, `githubFlows`), row by row, with a GitHub
//! in memory.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Mutex;

use kitbag_core::archive::InMemory;
use kitbag_core::formats::openscience::bundle::import::Shelf;
use kitbag_core::formats::openscience::bundle::{Preview, Shown};
use kitbag_core::formats::openscience::github::{API, Head, Place, Requests, Trouble, may_have_token, place};
use kitbag_registry::fetch::{Fetch, FetchError, Request, Response, Token};
use kitbag_registry::github::{Client, Error};
use kitbag_testkit::cases;
use serde_json::{Value, json};
use url::Url;

/// An answer of the GitHub in memory.
#[derive(Clone, Default)]
struct Answer {
    head: Head,
    bytes: Vec<u8>,
    /// Zeros behind the bytes.
    zeros: u64,
}

impl Answer {
    fn json(value: &Value) -> Self {
        Self {
            head: Head { status: 200, ..Head::default() },
            bytes: value.to_string().into_bytes(),
            zeros: 0,
        }
    }

    fn text(text: &str) -> Self {
        Self { head: Head { status: 200, ..Head::default() }, bytes: text.into(), zeros: 0 }
    }

    fn status(status: u16) -> Self {
        Self { head: Head { status, ..Head::default() }, ..Self::default() }
    }
}

/// A GitHub that knows some addresses.
#[derive(Default)]
struct GitHub {
    answers: BTreeMap<String, Answer>,
    asked: Mutex<Vec<(String, bool)>>,
    /// Bytes of bodies that were read.
    read: std::sync::Arc<Mutex<u64>>,
}

struct Counted(Box<dyn Read + Send>, std::sync::Arc<Mutex<u64>>);

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        *self.1.lock().unwrap() += count as u64;
        Ok(count)
    }
}

impl Fetch for GitHub {
    fn get(&self, request: &Request<'_>) -> Result<Response, FetchError> {
        let url = request.url.as_str().to_owned();
        let short = url.strip_prefix("https://api.github.com/repos/a/b").unwrap_or(&url).to_owned();
        self.asked.lock().unwrap().push((short.clone(), request.token.is_some()));
        let answer = self.answers.get(&short).unwrap_or_else(|| panic!("nobody asks for {short}")).clone();
        let body = io::Cursor::new(answer.bytes).chain(io::repeat(0).take(answer.zeros));
        let body = Box::new(Counted(Box::new(body), std::sync::Arc::clone(&self.read)));
        Ok(Response::new(answer.head, body, request.most))
    }
}

impl GitHub {
    fn with(mut self, target: &str, answer: Answer) -> Self {
        self.answers.insert(target.to_owned(), answer);
        self
    }

    /// A folder with these entries, each file with the content of its name.
    fn folder(mut self, target: &str, entries: &[(&str, &str)]) -> Self {
        let items: Vec<Value> = entries.iter().map(|(name, kind)| item(name, kind)).collect();
        for (name, _) in entries.iter().filter(|(_, kind)| *kind == "file") {
            self = self.with(&raw(name), Answer::text(if *name == "SKILL.md" { SKILL } else { name }));
        }
        self.with(target, Answer::json(&json!(items)))
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(url, _)| url.clone()).collect()
    }

    fn import(&self, address: &str) -> Result<Preview, Trouble> {
        let client = Client::new(self, None, Token::new("test-only"));
        match client.skill(&place(address).unwrap(), &mut Requests::default(), &mut InMemory) {
            Ok(preview) => Ok(preview),
            Err(Error::Trouble(trouble)) => Err(trouble),
            Err(error) => panic!("{error}"),
        }
    }
}

const SKILL: &str = "---\nname: pdf\ndescription: Reads.\n---\n";
const FOLDER: &str = "https://github.com/a/b/tree/main/p";
const LISTED: &str = "/contents/p?ref=main";

fn raw(name: &str) -> String {
    format!("https://raw.githubusercontent.com/a/b/main/{name}")
}

fn item(name: &str, kind: &str) -> Value {
    let url = if kind == "file" { Value::String(raw(name)) } else { Value::Null };
    json!({"name": name, "type": kind, "download_url": url})
}

fn files(preview: &Preview) -> Vec<String> {
    let mut files: Vec<String> =
        preview.candidates[0].skill.files.iter().map(|(name, _)| name.clone()).collect();
    files.sort();
    files
}

fn error(result: Result<Preview, Trouble>) -> String {
    match result {
        Ok(preview) => format!("imported {:?}", files(&preview)),
        Err(trouble) => format!("ERR {}", trouble.upstream()),
    }
}

/// A Skill with a document and one more file that is answered as `answer` says.
fn with_file(answer: Answer) -> GitHub {
    GitHub::default().folder(LISTED, &[("SKILL.md", "file"), ("X", "file")]).with(&raw("X"), answer)
}

fn limited(change: impl Fn(&mut Head)) -> String {
    let mut answer = Answer::status(403);
    change(&mut answer.head);
    error(GitHub::default().with(LISTED, answer).import(FOLDER))
}

/// What comes of a row, in the words of the table; and what else has to hold is asserted.
fn outcome(id: &str) -> String {
    let two = || {
        GitHub::default()
            .folder(LISTED, &[("SKILL.md", "file"), ("refs", "dir")])
            .folder("/contents/p/refs?ref=main", &[("g.md", "file")])
    };
    match id {
        "import-one" | "blob-link" => {
            let github = two();
            let address =
                if id == "import-one" { FOLDER } else { "https://github.com/a/b/blob/main/p/SKILL.md" };
            let preview = github.import(address).unwrap();
            let asked = [LISTED, &raw("SKILL.md"), "/contents/p/refs?ref=main", &raw("g.md")];
            assert_eq!(github.asked(), asked);
            format!("imported; files {}", files(&preview).join(", "))
        }
        "file-answer" => {
            let one = GitHub::default().folder(LISTED, &[("SKILL.md", "file")]);
            let github = one.with(LISTED, Answer::json(&item("SKILL.md", "file")));
            assert_eq!(files(&github.import(FOLDER).unwrap()), ["SKILL.md"]);
            "handled as a one-entry list".to_owned()
        }
        "no-skill" => error(GitHub::default().folder(LISTED, &[("README.md", "file")]).import(FOLDER)),
        "submodule" => {
            let entries = [("SKILL.md", "file"), ("l", "symlink"), ("m", "submodule")];
            let mut items: Vec<Value> = entries.iter().map(|(name, kind)| item(name, kind)).collect();
            items.push(json!({"name": "n", "type": "file", "download_url": null}));
            let github = GitHub::default().folder(LISTED, &entries).with(LISTED, Answer::json(&json!(items)));
            let preview = github.import(FOLDER).unwrap();
            assert_eq!(files(&preview), ["SKILL.md"]);
            // Open-Science says nothing; we do.
            assert_eq!(preview.left_out, ["l", "m", "n"]);
            "skipped with no report".to_owned()
        }
        "404" => error(GitHub::default().with(LISTED, Answer::status(404)).import(FOLDER)),
        "404-root" => {
            error(GitHub::default().with("/contents", Answer::status(404)).import("https://github.com/a/b"))
        }
        "403-plain" => limited(|_| {}),
        "403-remaining-0" => limited(|head| head.remaining = Some("0".into())),
        "403-retry-after" => limited(|head| head.retry_after = Some("60".into())),
        "429" => limited(|head| head.status = 429),
        "requests-513" => {
            let names: Vec<String> = (0..511).map(|number| number.to_string()).collect();
            let mut entries: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "file")).collect();
            entries.push(("SKILL.md", "file"));
            let github = GitHub::default().folder(LISTED, &entries);
            let result = error(github.import(FOLDER));
            assert_eq!(github.asked().len(), 512, "the 513th is not sent");
            // One file less is a request less.
            assert!(GitHub::default().folder(LISTED, &entries[1..]).import(FOLDER).is_ok());
            result
        }
        "depth-9" => {
            let deep = |levels: usize| {
                let mut github = GitHub::default().folder(LISTED, &[("SKILL.md", "file"), ("d", "dir")]);
                for level in 1..=levels {
                    let target = format!("/contents/p{}?ref=main", "/d".repeat(level));
                    let inner: &[(&str, &str)] =
                        if level < levels { &[("d", "dir")] } else { &[("f", "file")] };
                    github = github.folder(&target, inner);
                }
                github.import(FOLDER)
            };
            assert!(deep(8).is_ok());
            error(deep(9))
        }
        "declared-too-big" => {
            let mut answer = Answer::text("");
            answer.head.length = Some((50 << 20) + 1);
            let github = with_file(Answer { zeros: (50 << 20) + 1, ..answer });
            let result = error(github.import(FOLDER));
            assert!(*github.read.lock().unwrap() < 10_000, "the body is never read");
            format!("{result} (body never read)")
        }
        "lying-length" => {
            let mut answer = Answer::text("");
            answer.head.length = Some(10);
            let github = with_file(Answer { zeros: 1 << 40, ..answer });
            assert_eq!(github.import(FOLDER).unwrap_err(), Trouble::FileBytes("X".into()));
            assert!(*github.read.lock().unwrap() < 51 << 20, "reading stops at the limit");
            "same error, reading stops at the limit".to_owned()
        }
        "total" => {
            let large = || Answer { zeros: 50 << 20, ..Answer::text("") };
            let entries = [("SKILL.md", "file"), ("V", "file"), ("W", "file"), ("X", "file")];
            let github =
                ["V", "W", "X"].iter().fold(GitHub::default().folder(LISTED, &entries), |github, name| {
                    github.with(&raw(name), large())
                });
            error(github.import(FOLDER))
        }
        "preview-4mib" => {
            let github = GitHub::default().folder(LISTED, &[("SKILL.md", "file")]);
            let document = Answer { zeros: 4 << 20, ..Answer::text(SKILL) };
            let preview = github.with(&raw("SKILL.md"), document).import(FOLDER).unwrap();
            assert_eq!(preview.candidates[0].shown, Shown::OverBudget);
            "ERR GitHub Skill preview exceeds the 4 MB limit. (import still possible)".to_owned()
        }
        "token-scope" => {
            let url = "https://elsewhere.example.test/SKILL.md";
            let listed = json!([{"name": "SKILL.md", "type": "file", "download_url": url}]);
            let github = GitHub::default().with(LISTED, Answer::json(&listed)).with(url, Answer::text(SKILL));
            github.import(FOLDER).unwrap();
            let told: Vec<bool> = github.asked.lock().unwrap().iter().map(|(_, told)| *told).collect();
            assert_eq!(told, [true, false]);
            let api = Url::parse(API).unwrap();
            assert!(may_have_token(&Url::parse(&raw("x")).unwrap(), &api));
            "request is sent WITHOUT the token; only https api.github.com and raw.githubusercontent.com get it".to_owned()
        }
        "scan" => {
            let blob = |path: &str| json!({"path": path, "type": "blob"});
            let paths = ["x/SKILL.md", "y z/skill.md", "SKILL.md", "SKILL.md.bak"].map(blob);
            let found = scan(&json!({"tree": paths, "truncated": false}), "S").unwrap();
            let names: Vec<&str> = found.iter().map(Place::fallback_name).collect();
            assert_eq!(names, ["x", "y z", "b"]);
            let addresses: Vec<String> = found.iter().map(Place::address).collect();
            assert_eq!(
                addresses,
                [
                    "https://github.com/a/b/tree/S/x",
                    "https://github.com/a/b/tree/S/y%20z",
                    "https://github.com/a/b/tree/S"
                ]
            );
            "3 candidates: names x, \"y z\", b; urls pinned to S, segments percent-encoded".to_owned()
        }
        "scan-truncated" => scan(&json!({"tree": [], "truncated": true}), "S").unwrap_err(),
        "scan-no-sha" => scan(&json!({"tree": []}), "").unwrap_err(),
        "reimport-ref" => {
            let (first, second) = reimported("Two.");
            assert_eq!(first, second.1);
            format!(
                "v0.26: {} in place (ref is not part of the identity); older: a second copy p-2",
                second.0
            )
        }
        "reimport-same" => {
            let (first, second) = reimported("One.");
            assert_eq!(first, second.1);
            second.0
        }
        "name-fallback" => {
            let github = GitHub::default().folder(LISTED, &[("SKILL.md", "file")]);
            let preview = github.with(&raw("SKILL.md"), Answer::text("Do it.\n")).import(FOLDER).unwrap();
            format!(
                "GitHub import accepts it and names it {} (ZIP import refuses the same document)",
                preview.candidates[0].name
            )
        }
        other => panic!("the row `{other}` has no conversation here"),
    }
}

fn scan(tree: &Value, sha: &str) -> Result<Vec<Place>, String> {
    let github = GitHub::default()
        .with("", Answer::json(&json!({"default_branch": "main"})))
        .with("/commits/main", Answer::json(&json!({"sha": sha})))
        .with("/git/trees/S?recursive=1", Answer::json(tree));
    let client = Client::new(&github, None, None);
    match client.scan(&place("github:a/b").unwrap(), &mut Requests::default()) {
        Ok(places) => Ok(places),
        Err(Error::Trouble(trouble)) => Err(format!("ERR {}", trouble.upstream())),
        Err(error) => panic!("{error}"),
    }
}

/// The identity of a Skill that says "One.", and what becomes of it when the same place at another commit says `then`.
fn reimported(then: &str) -> (String, (String, String)) {
    let mut shelf = Shelf::default();
    let mut import = |reference: &str, says: &str| {
        let there = place(&format!("https://github.com/a/b/tree/{reference}/p")).unwrap();
        let listed = format!("/contents/p?ref={reference}");
        let github = GitHub::default().folder(&listed, &[("SKILL.md", "file")]);
        let github = github.with(&raw("SKILL.md"), Answer::text(&format!("{SKILL}{says}")));
        let preview = github.import(&there.address()).unwrap();
        let outcome = shelf.import_from(&there.identity(), &preview.candidates[0]).unwrap().unwrap();
        (outcome.status.word().to_owned(), outcome.id)
    };
    (import("SHA1", "One.").1, import("SHA2", then))
}

#[test]
fn every_conversation_ends_as_the_table_says() {
    let Some(folder) = cases::folder("OPEN_SCIENCE") else { return };
    let tables = cases::json(&folder.join("tables.json"));
    let rows = tables["githubFlows"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let (found, expected) = (outcome(id), row["expect"].as_str().unwrap());
        // The table shortens what it said before.
        let agrees = match expected {
            "same as the folder link" => found == "imported; files SKILL.md, refs/g.md",
            "rate-limited text" => found.starts_with("ERR GitHub request was rate-limited."),
            expected => match expected.split_once("... ") {
                Some((start, end)) => found.starts_with(start) && found.ends_with(end),
                None => found == expected,
            },
        };
        assert!(agrees, "{id}: {found}\nexpected: {expected}");
    }
    cases::tell(&format!("open-science: {} of \"githubFlows\"\n", rows.len()));
}
