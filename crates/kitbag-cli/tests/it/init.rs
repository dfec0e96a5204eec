//! `init`: a package to begin with, told in a few lines; its tools do what their examples say.

use std::fs;

use insta::assert_snapshot;
use kitbag_testkit::cases::tool;
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::kitbag;

#[test]
fn a_beginning_is_told_in_a_few_lines_and_is_clean() {
    let folder = Folder::new();
    let ran = kitbag(&folder, &["init", "my-tool", "--splice"]).ran();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_snapshot!(ran.stdout, @"
    my-tool  splice @example/my-tool
      manifest.json
      SKILL.md
      tools/count-words.mjs
      examples/count-words.json

    Put your own name for `example` into manifest.json before others get it.
    Next: kitbag check, kitbag show --tools, kitbag pack
    ");
    let ran =
        kitbag(&folder, &["init", "--adcap", "--name", "acme/counter", "--output", "json", "notes"]).ran();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&answer["ok"], &answer["id"]), (&true.into(), &"acme/counter".into()));
    let checked = kitbag(&folder, &["check", "--strict", "my-tool", "notes"]).ran();
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    for name in ["my-tool", "notes"] {
        let packed = kitbag(&folder, &["pack", name, "-o", &format!("{name}.packed")]).ran();
        assert_eq!(packed.code, Some(0), "{}{}", packed.stdout, packed.stderr);
        let unpacked =
            kitbag(&folder, &["unpack", &format!("{name}.packed"), &format!("{name}-again")]).ran();
        assert_eq!(unpacked.code, Some(0), "{}{}", unpacked.stdout, unpacked.stderr);
        let differs = kitbag(&folder, &["diff", name, &format!("{name}-again")]).ran();
        assert_eq!(differs.code, Some(0), "{}", differs.stdout);
    }
}

#[test]
fn what_is_there_already_is_left_alone_with_a_hint() {
    let folder = Folder::new().file("full/x", "").folder("empty");
    for (args, words) in [
        (&["init", "full", "--splice"][..], "an empty one"),
        (&["init", "new", "--adcap", "--name", "No"], "lower-case letters"),
        (&["init", "技能", "--adcap"], "--name"),
    ] {
        let ran = kitbag(&folder, args).ran();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
    assert!(!folder.at("new").exists());
    for args in [&["init", "x"][..], &["init", "x", "--splice", "--adcap"], &["init", "no/where", "--splice"]]
    {
        assert_eq!(kitbag(&folder, args).ran().code, Some(2), "{args:?}");
    }
    // Here, where nothing is.
    let inside =
        Run::new(env!("CARGO_BIN_EXE_kitbag"), &folder.at("empty")).args(["init", ".", "--splice"]).ran();
    assert_eq!(inside.code, Some(0), "{}", inside.stderr);
    assert!(folder.at("empty/manifest.json").is_file());
}

/// The example of a starter: the tool's name, input and output.
fn example(folder: &Folder, at: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.at(at)).unwrap()).unwrap()
}

#[test]
fn the_tool_of_the_splice_starter_gives_what_its_example_says() {
    if !tool("node") {
        return;
    }
    let folder = Folder::new();
    assert_eq!(kitbag(&folder, &["init", "x", "--splice"]).ran().code, Some(0));
    let example = example(&folder, "x/examples/count-words.json");
    let call = format!(
        "import run from './x/tools/count-words.mjs'; console.log(JSON.stringify(run({})));",
        example["input"]
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let ran =
        Run::new("node", folder.path()).env("PATH", &path).args(["--input-type=module", "-e", &call]).ran();
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap(), example["output"], "{}", ran.stderr);
}

#[test]
fn the_tool_of_the_adcap_starter_gives_what_its_example_says() {
    if !tool("python3") {
        return;
    }
    let folder = Folder::new();
    assert_eq!(kitbag(&folder, &["init", "x", "--adcap"]).ran().code, Some(0));
    let example = example(&folder, "x/examples/count_words.json");
    let path = std::env::var("PATH").unwrap_or_default();
    let call = |input: &Value| {
        let call = json!({"type": "call", "tool": "count_words", "input": input, "context": {}});
        let run = Run::new("python3", folder.path()).env("PATH", &path).args(["x/tools/count_words.py"]);
        let ran = run.input(format!("{call}\n")).ran();
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    assert_eq!(call(&example["input"]), json!({"type": "result", "output": example["output"]}));
    assert_eq!(call(&json!({}))["type"], "error");
}
