//! `workflow run`: steps, a stop where an agent has something to do, and the way on from there.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use kitbag_testkit::cases;
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

/// A folder to run in, with a style sheet, and a cache. `None`, and said so, where nothing can be run.
fn project() -> Option<Folder> {
    if !cases::tool("python3") || !crate::can_run_tools() {
        return None;
    }
    Some(Folder::new().file("main.css", "a { color: #777; background: #fff }\n").folder("cache"))
}

fn run(folder: &Folder, words: &[&str]) -> Run {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/color-contrast");
    kitbag(folder, &["workflow", "run", package])
        .args(words)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("KITBAG_CACHE", folder.at("cache").to_str().unwrap())
}

const FLOW: &str = "review-style-sheet";

#[test]
fn it_stops_for_an_agent_and_goes_on_behind_it() {
    let Some(folder) = project() else { return };
    let state = ["--state", "state.json", "--yes"];
    let ran = run(&folder, &[FLOW, "path=main.css"]).args(state).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("Explain to the user, worst first") && ran.stdout.contains("#777777"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("scan scan_css done\n") && ran.stderr.contains("advise is for an agent"),
        "{}",
        ran.stderr
    );
    assert!(folder.at("state.json").exists());
    let usage = |words: &[&str], said: &str| {
        let ran = run(&folder, words).args(state).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    };
    usage(&[FLOW, "path=main.css"], "the workflow has begun, with the input that it was given then");
    let ran = run(&folder, &[FLOW, "--answer", "one is too pale", "--output", "json"]).args(state).ran();
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&answer["command"], &answer["ok"], &answer["ended"]),
        (&json!("workflow run"), &json!(true), &json!("done"))
    );
    assert_eq!(answer["output"]["measurements"]["failing"][0]["selector"], "a");
    assert_eq!((&answer["results"]["advise"], &answer["steps"]), (&json!("one is too pale"), &json!([])));
    assert!(!folder.at("state.json").exists());
    usage(&[FLOW, "path=main.css", "--answer", "x"], "no agent has been told anything");
    usage(&["other"], "hint: it has review-style-sheet");
}

#[test]
fn the_answer_for_programs_says_how_far_it_came() {
    let Some(folder) = project() else { return };
    let of = |words: &[&str]| {
        let ran = run(&folder, words).args(["--yes", "--output", "json"]).ran();
        (ran.code, serde_json::from_str::<Value>(&ran.stdout).unwrap())
    };
    let (code, answer) = of(&[FLOW, "--input", r#"{"path": "main.css"}"#]);
    assert_eq!((code, &answer["ended"], &answer["step"]), (Some(0), &json!("agent"), &json!("advise")));
    assert!(answer["instruction"].as_str().unwrap().starts_with("Explain"));
    assert_eq!((&answer["steps"][0]["tool"], &answer["steps"][0]["ok"]), (&json!("scan_css"), &json!(true)));
    assert_eq!(answer["steps"][0]["sandbox"]["net"], "none");
    let (code, answer) = of(&[FLOW, "path=none.css"]);
    assert_eq!((code, &answer["ended"], &answer["step"]), (Some(1), &json!("failed"), &json!("scan")));
    assert_eq!((&answer["error"]["code"], &answer["results"]), (&json!("TOOL_ERROR"), &json!({})));
    let (code, answer) = of(&[FLOW, "level=B"]);
    assert_eq!(
        (code, &answer["error"]["code"], answer.get("ended")),
        (Some(1), &json!("INVALID_INPUT"), None)
    );
}

#[test]
fn one_question_is_asked_for_all_steps() {
    let Some(folder) = project() else { return };
    let words = [FLOW, "path=main.css"];
    let ran = run(&folder, &words).ran();
    assert_eq!(ran.code, Some(1), "nobody is here");
    assert!(ran.stderr.contains("nobody is here to be asked"), "{}", ran.stderr);
    let shown = run(&folder, &words).input("y\n").ran_on_a_terminal(100).stdout;
    assert!(shown.contains("run review-style-sheet?") && shown.contains("style sheet"), "{shown}");
    assert_eq!(run(&folder, &words).ran().code, Some(0), "it is remembered");
    let ran = run(&folder, &["review-style-sheet", "path=none.css"]).ran();
    assert_eq!(ran.stderr.matches("(TOOL_ERROR)").count(), 1, "{}", ran.stderr);
}
