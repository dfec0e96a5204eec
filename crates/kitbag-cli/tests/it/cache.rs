//! `cache`, and the flags of `run` that fill it.

use std::fs;

use kitbag_core::digest::Sha256;
use kitbag_testkit::cli::{Ran, Run};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

fn cache(folder: &Folder, words: &[&str]) -> Run {
    let args: Vec<&str> = ["cache"].iter().chain(words).copied().collect();
    kitbag(folder, &args).env("KITBAG_CACHE", folder.at("cache").to_str().unwrap())
}

fn json_of(ran: &Ran) -> Value {
    assert!(!ran.stdout.is_empty(), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A cache with a content, another that is wrong, the beginning of a third, and what a tool keeps.
fn filled() -> Folder {
    let name = |text: &str| Sha256::of(text.as_bytes()).to_string();
    Folder::new()
        .file(&format!("cache/blobs/{}", name("right")), "right")
        .file(&format!("cache/blobs/{}", name("wrong")), "something else")
        .file(&format!("cache/blobs/partial/{}", name("third")), "th")
        .file(&format!("cache/blobs/partial/{}.json", name("third")), "{}")
        .file("cache/blobs/.kitbag-draft", "left")
        .file("cache/data/acme/maps/draw/notes", "1234")
        .file("cache/doctor.json", "{}")
}

#[test]
fn what_is_kept_is_listed() {
    let folder = filled();
    let ran = cache(&folder, &["ls", "--output", "json"]).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer = json_of(&ran);
    assert_eq!(
        (&answer["version"], &answer["command"], &answer["ok"]),
        (&json!(1), &json!("cache ls"), &json!(true))
    );
    let entries = answer["entries"].as_array().unwrap().iter();
    let mut kinds: Vec<_> =
        entries.map(|entry| (entry["kind"].as_str().unwrap(), entry["bytes"].as_u64().unwrap())).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [("content", 5), ("content", 14), ("data", 4), ("leftover", 4), ("partial", 2)]);
    assert!(answer["entries"][0]["lastUsed"].is_u64());
    assert_eq!(answer["bytes"], 29);
    let words = cache(&folder, &["ls"]).ran().stdout;
    assert!(words.contains("data          4 bytes  acme/maps  just now\n"), "{words}");
    assert!(words.ends_with("29 bytes in all\n"), "{words}");
    let nothing = Folder::new();
    assert_eq!(cache(&nothing, &["ls"]).ran().stdout, "nothing is kept\n");
    assert!(!nothing.at("cache").exists());
}

#[test]
fn what_is_wrong_is_named_and_the_exit_code_says_so() {
    let folder = filled();
    let ran = cache(&folder, &["verify"]).ran();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("is not what its name says\n1 of 2 things"), "{}", ran.stdout);
    let answer = json_of(&cache(&folder, &["verify", "--output", "json"]).ran());
    assert_eq!(answer["ok"], false);
    fs::remove_file(folder.at("cache/blobs").join(Sha256::of(b"wrong").to_string())).unwrap();
    let ran = cache(&folder, &["verify"]).ran();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "right: 1 thing compared, byte for byte\n"));
}

#[test]
fn what_was_not_used_goes_and_what_tools_keep_only_when_that_is_said() {
    let folder = filled();
    let ran = cache(&folder, &["gc", "--unused-for", "0", "--dry-run"]).ran();
    assert!(ran.stdout.ends_with("25 bytes would be freed, 4 things; 1 more stay\n"), "{}", ran.stdout);
    // What is new stays, unless nobody could use it.
    let ran = cache(&folder, &["gc"]).ran();
    assert!(ran.stdout.ends_with("4 bytes freed, 1 thing; 4 more stay\n"), "{}", ran.stdout);
    let answer = json_of(&cache(&folder, &["gc", "--unused-for", "0", "--output", "json"]).ran());
    assert_eq!(
        (&answer["bytes"], &answer["stayed"], &answer["dryRun"]),
        (&json!(21), &json!(1), &json!(false))
    );
    assert_eq!((answer["entries"].as_array().unwrap().len(), &answer["inUse"]), (3, &json!([])));
    assert_eq!(fs::read_dir(folder.at("cache/blobs/partial")).unwrap().count(), 0);
    assert!(folder.at("cache/data/acme/maps/draw/notes").exists() && folder.at("cache/doctor.json").exists());
    assert_eq!(cache(&folder, &["gc", "--unused-for", "0", "--data"]).ran().code, Some(0));
    assert!(!folder.at("cache/data/acme/maps").exists() && folder.at("cache/doctor.json").exists());
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod fetched {
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use kitbag_testkit::authority::Authority;
    use kitbag_testkit::cases;
    use kitbag_testkit::server::{Asked, Reply, Server};

    use super::*;

    const SCRIPT: &str = "import json, sys\n\
                          path = json.loads(sys.stdin.readline())['context']['resources']['words']\n\
                          print(json.dumps({'type': 'result', 'output': open(path).read()}))\n";

    fn run(folder: &Folder, words: &[&str]) -> Run {
        let args: Vec<&str> = ["run", "package", "it"].iter().chain(words).copied().collect();
        kitbag(folder, &args)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("KITBAG_CACHE", folder.at("cache").to_str().unwrap())
    }

    #[test]
    fn a_resource_is_fetched_from_whom_one_trusts_and_then_kept() {
        if !cases::tool("python3") || !crate::can_run_tools() {
            return;
        }
        let authority = Authority::new();
        let server = Server::encrypted(&authority, |_| |_: &Asked| Reply::ok("some words"));
        let manifest = json!({
            "adcap": "1.0", "id": "acme/words", "version": "1.0.0", "name": "Words", "description": "Words.",
            "tools": [{"name": "it", "description": "Reads.", "runtime": {"kind": "python", "entry": "tool.py"},
                "inputSchema": {"type": "object"}, "resources": ["words"]}],
            "resources": [{"id": "words", "kind": "dataset", "sources": [format!("{}/words", server.url())],
                "sha256": Sha256::of(b"some words").to_string(), "size": 10}],
        });
        let folder = Folder::new()
            .file("package/capability.json", manifest.to_string())
            .file("package/tool.py", SCRIPT)
            .file("authority.pem", authority.pem())
            .file("none.pem", "no certificate")
            .folder("cache");
        let refused = |words: &[&str], said: &str| {
            let ran = run(&folder, words).ran();
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
        };
        refused(
            &["--yes", "--offline"],
            "error: the resource `words` is not in the cache, and nothing is fetched offline\n",
        );
        refused(&["--yes"], "error: the resource `words` cannot be fetched: 127.0.0.1: ");
        refused(&["--yes", "--certificates", "none.pem"], "no certificate is in it");
        refused(&["--yes", "--dependency", "words"], "`words` is no ID=PATH");
        assert!(server.asked().is_empty());
        let trusting = run(&folder, &["--yes", "--certificates", "authority.pem"]).ran();
        assert_eq!(
            (trusting.code, trusting.stdout.as_str()),
            (Some(0), "\"some words\"\n"),
            "{}",
            trusting.stderr
        );
        let offline = run(&folder, &["--yes", "--offline"]).ran();
        assert_eq!((offline.code, offline.stdout.as_str()), (Some(0), "\"some words\"\n"));
        assert_eq!(server.asked().len(), 1);
        // Who is asked sees what will be fetched.
        let asked = run(&folder, &[]).input("n\n").ran_on_a_terminal(200).stdout;
        assert!(asked.contains("needs the resource `words` (10 bytes)"), "{asked}");
    }

    #[test]
    fn what_a_program_that_was_killed_has_left_is_gone_on_from() {
        if !cases::tool("python3") || !crate::can_run_tools() {
            return;
        }
        const TEXT: &str = "some words";
        let authority = Authority::new();
        let (asked, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, is_gone) = (Arc::clone(&asked), Arc::clone(&gone));
        let server = Server::encrypted(&authority, |_| {
            move |_: &Asked| match count.fetch_add(1, Ordering::SeqCst) {
                0 => Reply { body: TEXT.as_bytes()[..4].to_vec(), ..Reply::ok(TEXT) },
                // The program waits here until it is killed.
                1 => {
                    while !is_gone.load(Ordering::SeqCst) {
                        std::thread::yield_now();
                    }
                    Reply::default()
                }
                _ => Reply { status: 206, ..Reply::ok(&TEXT[4..]) }.header("content-range", "bytes 4-9/10"),
            }
        });
        let manifest = json!({
            "adcap": "1.0", "id": "acme/words", "version": "1.0.0", "name": "Words", "description": "Words.",
            "tools": [{"name": "it", "description": "Reads.", "runtime": {"kind": "python", "entry": "tool.py"},
                "inputSchema": {"type": "object"}, "resources": ["words"]}],
            "resources": [{"id": "words", "kind": "dataset", "sources": [format!("{}/words", server.url())],
                "sha256": Sha256::of(TEXT.as_bytes()).to_string(), "size": TEXT.len()}],
        });
        let folder = Folder::new()
            .file("package/capability.json", manifest.to_string())
            .file("package/tool.py", SCRIPT)
            .file("authority.pem", authority.pem())
            .folder("cache");
        let words = ["run", "package", "it", "--yes", "--certificates", "authority.pem"];
        let mut killed = Command::new(env!("CARGO_BIN_EXE_kitbag"))
            .args(words)
            .current_dir(folder.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("KITBAG_CACHE", folder.at("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while asked.load(Ordering::SeqCst) < 2 {
            assert!(killed.try_wait().unwrap().is_none(), "it has ended before it was killed");
            std::thread::yield_now();
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        gone.store(true, Ordering::SeqCst);
        let partial = folder.at("cache/blobs/partial").join(Sha256::of(TEXT.as_bytes()).to_string());
        assert_eq!(fs::read_to_string(&partial).unwrap(), "some");
        let listed = json_of(&cache(&folder, &["ls", "--output", "json"]).ran());
        assert!(
            listed["entries"].as_array().unwrap().iter().all(|entry| entry["kind"] != "content"),
            "{listed}"
        );
        let ran = run(&folder, &["--yes", "--certificates", "authority.pem"]).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "\"some words\"\n"), "{}", ran.stderr);
        assert_eq!(server.asked().last().unwrap().header("range"), Some("bytes=4-"));
        assert!(!partial.exists());
    }
}
