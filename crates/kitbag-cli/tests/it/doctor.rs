//! `doctor` says what canaries have shown, and keeps it as long as the host is the same.

use kitbag_testkit::cli::{Ran, Run};
use kitbag_testkit::folder::Folder;
use serde_json::Value;

fn doctor(folder: &Folder, args: &[&str]) -> Ran {
    let cache = folder.at("cache");
    Run::new(env!("CARGO_BIN_EXE_kitbag"), folder.path())
        .args(["doctor"])
        .args(args)
        .env("XDG_CACHE_HOME", cache.to_str().unwrap())
        .env("PATH", "/usr/bin:/bin")
        .ran()
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn the_answer_is_the_exit_code_and_is_kept() {
    let folder = Folder::new();
    let first = doctor(&folder, &["--output", "json"]);
    let told = json(&first);
    assert_eq!((&told["version"], &told["command"]), (&1.into(), &"doctor".into()));
    assert_eq!(first.code, Some(if told["ok"] == Value::Bool(true) { 0 } else { 1 }), "{}", first.stderr);
    assert_eq!(told["ok"], Value::Bool(told["chosen"].is_string()));
    let backends = told["backends"].as_array().unwrap();
    if cfg!(not(target_os = "linux")) {
        assert!(backends.is_empty() && told["ok"] == Value::Bool(false));
        return;
    }
    let names: Vec<&str> = backends.iter().filter_map(|backend| backend["name"].as_str()).collect();
    assert_eq!(names, ["native", "bwrap", "landlock"]);
    for backend in backends {
        if backend["works"] == Value::Bool(false) {
            assert!(backend["because"].is_string() && backend["help"].is_string(), "{backend}");
            continue;
        }
        let canaries = backend["canaries"].as_array().unwrap();
        let refused = canaries.iter().filter(|canary| canary["inside"] == "refused").count();
        assert_eq!(backend["holds"], Value::Bool(refused == canaries.len()), "{backend}");
        assert!(canaries.len() >= 8, "{backend}");
        assert_eq!(backend["report"]["backend"], backend["name"]);
    }
    assert_eq!(told["kept"], Value::Bool(false));
    let again = json(&doctor(&folder, &["--output", "json"]));
    assert_eq!((&again["kept"], &again["backends"]), (&true.into(), &told["backends"]));
    let fresh = json(&doctor(&folder, &["--fresh", "--output", "json"]));
    assert_eq!((&fresh["kept"], &fresh["ok"]), (&false.into(), &told["ok"]));
    // What somebody else has written there is not believed.
    std::fs::write(folder.at("cache/kitbag/doctor.json"), "{\"key\":\"\",\"backends\":[]}").unwrap();
    let doubted = json(&doctor(&folder, &["--output", "json"]));
    assert_eq!((&doubted["kept"], &doubted["ok"]), (&false.into(), &told["ok"]));
}

#[test]
fn a_person_is_told_what_holds_and_what_to_do() {
    let folder = Folder::new();
    let ran = doctor(&folder, &[]);
    match ran.code {
        Some(0) => {
            assert!(ran.stdout.contains("isolated: tools and tests run in `"), "{}", ran.stdout);
            assert!(
                ran.stdout.contains("all refused") && ran.stdout.contains("interpreters"),
                "{}",
                ran.stdout
            );
        }
        Some(1) => {
            assert!(
                ran.stdout.contains("not isolated: programs of strangers are not run here"),
                "{}",
                ran.stdout
            );
            assert!(ran.stdout.contains("help: ") || ran.stdout.contains("does not hold"), "{}", ran.stdout);
        }
        code => panic!("{code:?}: {}", ran.stderr),
    }
    assert!(!ran.stdout.contains("tried before"), "it was tried now");
    if cfg!(target_os = "linux") {
        assert!(doctor(&folder, &[]).stdout.contains("tried before"), "and need not be again");
    }
}

#[test]
fn started_as_the_inner_part_without_orders_it_does_nothing() {
    let folder = Folder::new();
    for words in [&["kitbag-sandbox-stage"][..], &["kitbag-sandbox-stage", "0"], &["kitbag-sandbox-canary"]] {
        let ran = Run::new(env!("CARGO_BIN_EXE_kitbag"), folder.path()).args(words).ran();
        assert_ne!(ran.code, Some(0), "{words:?}");
        assert_eq!(ran.stdout, "", "{words:?}");
    }
}
