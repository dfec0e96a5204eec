//! What mutations start from: the vectors and examples of the project, and a few lines of each language.

use std::fs;
use std::path::{Path, PathBuf};

use crate::archive::cases;
use crate::archive::zip::{Entry, Zip};
use crate::cases::project;

/// Longer files are no seeds: mutation would spend its time copying.
const MOST_BYTES: usize = 16 << 10;

/// Every file below `folder` of the project that `is_wanted` by name, in the order of its path.
fn files(folder: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut todo = vec![project().join(folder)];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                todo.push(path);
            } else if name.to_str().is_some_and(&is_wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    let read = |path: &PathBuf| fs::read(path).ok().filter(|bytes| bytes.len() <= MOST_BYTES);
    found.iter().filter_map(read).collect()
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|own| own == ending)
}

pub(super) fn json() -> Vec<Vec<u8>> {
    let mut seeds = files("vectors/json", |name| has_ending(name, "json"));
    seeds.extend(contract());
    seeds.push(br#"{"a/b":[-0,1.5e2,"\ud83d\ude00",true,null],"m~n":{"z":9007199254740991}}"#.to_vec());
    seeds
}

pub(super) fn front_matter() -> Vec<Vec<u8>> {
    let mut seeds = files("examples", |name| name == "SKILL.md");
    seeds.extend(files("vectors", |name| name.eq_ignore_ascii_case("SKILL.md")));
    let texts: &[&str] = &[
        "---\nname: a\ndescription: b\n---\nbody\n",
        "---\r\nname: 'a'\r\ndescription: >-\r\n  folded\r\n  text\r\nmetadata:\r\n  version: \"1.0\"\r\n---\r\n",
        "---\nname: a\ndescription: Use when: x\nallowed-tools: Bash(git:*) Read\n---\n",
        "---\nbase: &b {x: 1, y: [a, b]}\ncopy: *b\n<<: *b\n? key\n: value\n---\n",
        "---\nname: !!str a\ndescription: |+2\n    kept\n\nlicense: yes\ndate: 2024-01-01\noctal: 010\n---\n# Title\n",
        "\u{feff}---\nname: a\n...\n",
        "no front matter\n---\n",
        "+++\nname = \"toml\"\n+++\n",
    ];
    seeds.extend(texts.iter().map(|text| text.as_bytes().to_vec()));
    seeds
}

pub(super) fn splice_manifest() -> Vec<Vec<u8>> {
    files("vectors/splice/manifest", |name| name == "manifest.json")
}

pub(super) fn splice_artifact() -> Vec<Vec<u8>> {
    let mut seeds = gzip();
    let bundle = r#"{"format":"splice-bundle","formatVersion":1,"files":[{"path":"a/b","content":"aGkK"},{"path":"c","content":""}]}"#;
    seeds.push(bundle.as_bytes().to_vec());
    seeds
}

pub(super) fn adcap_manifest() -> Vec<Vec<u8>> {
    let is_manifest = |name: &str| name == "capability.json";
    let mut seeds = files("examples", is_manifest);
    seeds.extend(files("vectors", is_manifest));
    seeds.extend(files("crates/kitbag/starters", is_manifest));
    seeds
}

/// Templates, and one configuration of a client.
pub(super) fn connector() -> Vec<Vec<u8>> {
    let mut seeds = files("examples", |name| name.ends_with(".connector.json"));
    seeds.extend(files("vectors", |name| name == "connector.json"));
    let server =
        r#"{"type": "http", "url": "https://e.test/?q=1", "headers": {"Authorization": "test only"}}"#;
    let local = r#"{"command": "npx", "args": ["-y", "x"], "env": {"A": "test only"}}"#;
    seeds.push(format!(r#"{{"mcpServers": {{"a": {server}, "B c": {local}}}}}"#).into_bytes());
    let oauth = r#"{"client_id": "c", "authorization_server_url": "https://a.test", "redirect_uri": "http://127.1/"}"#;
    let head = r#"{"schema_version": 1, "kind": "open-science.connector", "name": "r", "display_name": "R""#;
    seeds.push(
        format!(r#"{head}, "transport": "sse", "url": "https://e.test", "oauth": {oauth}}}"#).into_bytes(),
    );
    seeds
}

/// A Specialist with a Skill, a bundle with a Skill and an archive in it, and what the strict reader's storm begins with.
pub(super) fn believed_zip() -> Vec<Vec<u8>> {
    let skill = b"---\nname: tools\ndescription: Tools.\n---\nUse.\n";
    let manifest =
        br#"{"schema_version": 1, "id": "r", "version": "1.0.0", "exported_with_app_version": "0.26.0"}"#;
    let payload = br#"{"name": "Reader", "description": "d", "system_prompt": "p", "skill_ids": [], "connector_ids": []}"#;
    let specialist = Zip::of([
        Entry::deflated("manifest.json", manifest),
        Entry::stored("specialist.json", payload),
        Entry::deflated("skills/tools/SKILL.md", skill),
    ]);
    let inner = Zip::of([Entry::stored("SKILL.md", skill)]).bytes();
    let bundle = Zip::of([Entry::deflated("a/SKILL.md", skill), Entry::stored("b.zip", &inner)]);
    let mut seeds = zip();
    seeds.extend([specialist.bytes(), bundle.bytes()]);
    seeds
}

/// Archives behind a manifest, and the tars in them.
pub(super) fn adcap_archive() -> Vec<Vec<u8>> {
    let short =
        cases::packaged().into_iter().map(|case| case.adcap).filter(|bytes| bytes.len() <= MOST_BYTES);
    // The builders store what they pack, so the tar stands behind two headers and before the trailer.
    let tar = |archive: &Vec<u8>| archive.get(15..archive.len().checked_sub(8)?).map(<[u8]>::to_vec);
    short.flat_map(|archive| [tar(&archive), Some(archive)]).flatten().collect()
}

pub(super) fn contract() -> Vec<Vec<u8>> {
    let mut seeds = files("examples", |name| name.ends_with(".contract.json"));
    seeds.extend(files("vectors", |name| name.ends_with(".contract.json")));
    seeds.push(br#"{"contract_version":"0.8","name":"a","version":"1.0.0"}"#.to_vec());
    seeds
}

/// The dialect's letter, then patterns line by line; the last is the one to be covered.
pub(super) fn glob() -> Vec<Vec<u8>> {
    let texts: &[&str] = &[
        "pa/**\na/b/*",
        "p**/b\na/**/b",
        "pa?/*\nab/b",
        "na*\nab*",
        "n?b\nab",
        "h*.a\n1.a",
        "h**.a\n@local\na.a.a",
        "h@local\n127.0.0.1",
        "tBash(git:*)\nBash(git status)",
        "sa\na/b",
        "u*.a\na.a",
        "v*\nA",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn archives(is_wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let cases = cases::all().into_iter().filter(|case| is_wanted(case.name));
    cases.map(|case| case.archive).filter(|archive| archive.len() <= MOST_BYTES).collect()
}

pub(super) fn tar() -> Vec<Vec<u8>> {
    archives(|name| ["tar-", "pax-", "gnu-", "strict-"].iter().any(|start| name.starts_with(start)))
}

pub(super) fn gzip() -> Vec<Vec<u8>> {
    archives(|name| name.starts_with("gzip-"))
}

pub(super) fn zip() -> Vec<Vec<u8>> {
    archives(|name| name.starts_with("zip"))
}

pub(super) fn host() -> Vec<Vec<u8>> {
    let texts: &[&str] = &[
        "*.good.test\na.good.test",
        "**.good.test:8080\nGOOD.test.",
        "@local:99\n127.0.0.1",
        "[::1]:80\n[::1]",
        "10.0.0.1\n0x7f.0.0.1",
        "b\u{fc}cher.test\nxn--bcher-kva.test",
        "api-?.test\n\u{ff47}ood\u{3002}test",
        "fe80::1%eth0\n::ffff:1.2.3.4",
        "127.*.*.*\nevil@good.test",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A client's first message that names `good.test`, whole and in two records.
pub(super) fn sni() -> Vec<Vec<u8>> {
    let name = b"\0\0\0\x0e\0\x0c\0\0\x09good.test";
    let hidden = b"\xfe\x0d\0\x01\0";
    let message = |extensions: &[u8]| {
        let mut body = vec![3, 3];
        body.extend_from_slice(&[7; 32]);
        body.extend_from_slice(&[0, 0, 2, 0x13, 1, 1, 0, 0]);
        body.push(u8::try_from(extensions.len()).unwrap_or(0));
        body.extend_from_slice(extensions);
        let mut message = vec![1, 0, 0, u8::try_from(body.len()).unwrap_or(0)];
        message.extend(body);
        message
    };
    let record = |part: &[u8]| [&[22, 3, 1, 0, u8::try_from(part.len()).unwrap_or(0)], part].concat();
    let whole = message(name);
    let (start, end) = whole.split_at(50);
    vec![
        record(&whole),
        [record(start), record(end)].concat(),
        record(&message(&[&name[..], hidden].concat())),
        record(&message(&[])),
    ]
}

pub(super) fn dns() -> Vec<Vec<u8>> {
    let message = |kind: u8, options: &[u8]| {
        let head = [0xab, 0xcd, 1, 0x20, 0, 1, 0, 0, 0, 0, 0, u8::from(!options.is_empty())];
        [&head[..], b"\x04good\x04test\0\0", &[kind, 0, 1], options].concat()
    };
    vec![
        message(1, &[]),
        message(28, &[]),
        message(12, &[]),
        message(1, &[0, 0, 41, 4, 0xd0, 0, 0, 0, 0, 0, 0]),
    ]
}

pub(super) fn http_head() -> Vec<Vec<u8>> {
    let texts: &[&str] = &[
        "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n",
        "GET http://good.test:81/a?b HTTP/1.0\r\nHost: good.test:81\r\nConnection: x, close\r\nX: 1\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: good.test\r\nContent-Length: 3\r\nUpgrade: h2c\r\n\r\nabcGET / HTTP/1.1\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n00a\r\n0123456789\r\n0\r\n\r\n",
        "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nConnection: x, content-length\r\nContent-Length: 1\r\n\r\na",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Choices that a plan is made of: each byte is one.
pub(super) fn mount_plan() -> Vec<Vec<u8>> {
    // Items of each kind, at places of one, two and three names, beside and below each other.
    let place = |names: &[u8]| {
        let mut path = vec![u8::try_from(names.len()).unwrap_or(1) - 1];
        path.extend(names.iter().flat_map(|name| [9, *name]));
        path
    };
    let memory = |names: &[u8]| [place(names), vec![0]].concat();
    let file = |names: &[u8]| [place(names), vec![1, 3, b'x', b'y', b'z']].concat();
    let link = |names: &[u8], to: &[u8]| [place(names), vec![2], place(to)].concat();
    let host = |names: &[u8], source, rights| [place(names), vec![3, 1, source, rights]].concat();
    let plan = |items: &[Vec<u8>]| [vec![0], items.concat()].concat();
    vec![
        plan(&[host(&[0], 1, 0), host(&[1], 1, 1), host(&[2], 1, 2), host(&[3, 0], 1, 3)]),
        plan(&[host(&[0], 1, 2), host(&[0, 1], 2, 0), host(&[0, 1, 2], 1, 0)]),
        plan(&[memory(&[0]), host(&[0, 1], 1, 0), file(&[0, 2]), link(&[0, 3], &[1])]),
        plan(&[link(&[0], &[1, 2]), file(&[1]), memory(&[2, 0, 1]), host(&[2, 0, 1, 3], 3, 0)]),
        // Below a file, below a link, in a folder of the host, and one over another.
        plan(&[file(&[0]), host(&[0, 1], 1, 0)]),
        plan(&[link(&[0], &[1]), memory(&[0, 1])]),
        plan(&[host(&[0], 1, 2), file(&[0, 1])]),
        plan(&[host(&[0, 1], 1, 0), host(&[0], 1, 0)]),
        [vec![1], place(&[0]), host(&[0], 1, 1), host(&[1], 1, 3)].concat(),
    ]
}
