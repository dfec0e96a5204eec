//! `run`: look, be asked, run; the output on standard output, everything else beside it.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use kitbag_testkit::cases;
use kitbag_testkit::cli::{Ran, Run};
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

/// A folder to run in, with a style sheet, and a cache. `None`, and said so, where nothing can be run.
fn project() -> Option<Folder> {
    if !cases::tool("python3") {
        return None;
    }
    if !crate::can_run_tools() {
        return None;
    }
    let css = "a { color: #777; background: #fff }\np { color: #000; background: #fff }\n";
    let folder = Folder::new().file("css/main.css", css).folder("cache");
    Some(folder)
}

fn run(folder: &Folder, words: &[&str]) -> Run {
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/color-contrast");
    let cache = folder.at("cache");
    kitbag(folder, &["run", package])
        .args(words)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("KITBAG_CACHE", cache.to_str().unwrap())
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn the_output_is_on_standard_output_and_nothing_else() {
    let Some(folder) = project() else { return };
    let pairs = r##"pairs=[{"foreground": "#777", "background": "white"}]"##;
    let ran = run(&folder, &["check_contrast", pairs, "level=AA", "--yes"]).ran();
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let output = json_of(&ran);
    assert_eq!(output["failing"], 1);
    assert_eq!(output["pairs"][0]["ratio"], json!(4.47));
    let again = run(&folder, &["color-contrast.check_contrast", "--input", "-", "--yes", "--output", "json"]);
    let ran = again.input(r##"{"pairs": [{"foreground": "#000", "background": "#fff"}]}"##).ran();
    let answer = json_of(&ran);
    assert_eq!(
        (&answer["version"], &answer["command"], &answer["ok"]),
        (&json!(1), &json!("run"), &json!(true))
    );
    assert_eq!(answer["output"]["pairs"][0]["ratio"], json!(21.0));
    assert_eq!((&answer["tool"], &answer["logs"]), (&json!("check_contrast"), &json!("")));
    assert_eq!((&answer["sandbox"]["fs_hidden"], &answer["sandbox"]["net"]), (&json!(true), &json!("none")));
    assert!(answer["durationMs"].is_u64());
}

#[test]
fn a_tool_reads_the_project_as_far_as_it_may() {
    let Some(folder) = project() else { return };
    let ran = run(&folder, &["scan_css", "path=css/main.css", "--yes"]).ran();
    assert_eq!(json_of(&ran)["failing"][0]["selector"], "a", "{}", ran.stderr);
    let ran = run(&folder, &["scan_css", "path=css/none.css", "--yes"]).ran();
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert_eq!(ran.stderr, "error: no file is at css/none.css (TOOL_ERROR)\n");
}

#[test]
fn nobody_is_asked_where_nobody_is() {
    let Some(folder) = project() else { return };
    let ran = run(&folder, &["scan_css", "path=css/main.css"]).ran();
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.contains("nobody is here to be asked"), "{}", ran.stderr);
}

#[test]
fn a_yes_is_remembered_for_this_package_and_this_tool() {
    let Some(folder) = project() else { return };
    let words = ["scan_css", "path=css/main.css"];
    let refused = run(&folder, &words).input("n\n").ran_on_a_terminal(100).stdout;
    assert!(refused.contains("run scan_css?") && refused.contains("style sheet"), "{refused}");
    assert!(refused.contains("nothing was run"), "{refused}");
    assert_eq!(run(&folder, &words).ran().code, Some(1), "a no is no yes");
    let given = run(&folder, &words).input("y\n").ran_on_a_terminal(100).stdout;
    assert!(given.contains("\"failing\""), "{given}");
    assert_eq!(run(&folder, &words).ran().code, Some(0));
    assert_eq!(
        run(&folder, &["check_contrast", "pairs=[]"]).ran().code,
        Some(1),
        "another tool is another question"
    );
}

#[test]
fn what_the_input_is_not_is_said_before_anybody_is_asked() {
    let Some(folder) = project() else { return };
    let ran = run(&folder, &["check_contrast", "level=B"]).ran();
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(
        ran.stderr.starts_with("error: the input is not what the tool takes (INVALID_INPUT)\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("/level: ") && ran.stderr.contains("pairs"), "{}", ran.stderr);
    let ran = run(&folder, &["check_contrast", "--input", "{", "--output", "json"]).ran();
    assert_eq!(json_of(&ran)["error"]["code"], "INVALID_INPUT");
    assert_eq!(run(&folder, &["check_contrast", "pairs"]).ran().code, Some(2));
}

#[test]
fn without_a_tool_the_tools_are_listed() {
    let Some(folder) = project() else { return };
    let ran = run(&folder, &[]).ran();
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains("check_contrast") && ran.stdout.contains("scan_css"), "{}", ran.stdout);
    let ran = run(&folder, &["other"]).ran();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("hint: it has check_contrast, scan_css"), "{}", ran.stderr);
}
