//! The sessions of README.md are run: each ```` ```console ```` block, command by command, in a copy of the project's
//! examples. `KITBAG_BLESS=1` writes what the program says now. A block ```` ```console python3 ```` or ```` ```console node ````
//! starts tools, and is run where there are that program and sandboxes.

use std::fs;
use std::path::Path;

use kitbag_testkit::cases::{self, project};
use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;

/// Copies `from`, which holds regular files and folders only.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// What a person would see: standard output, then what the program says beside it, then an exit code that is not zero.
fn answer(folder: &Folder, command: &str, block: &str) -> String {
    // Quotes are for whoever types the command into a shell.
    let words: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
    assert_eq!(words[0], "kitbag", "only kitbag is run: `{command}`");
    let mut run = Run::new(env!("CARGO_BIN_EXE_kitbag"), folder.path()).args(&words[1..]);
    if interpreter(block).is_some() {
        let cache = folder.at("cache");
        run = run.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("KITBAG_CACHE", cache.to_str().unwrap());
    }
    let ran = run.ran();
    let mut shown = ran.stdout;
    shown.push_str(&ran.stderr);
    if ran.code != Some(0) {
        shown.push_str(&format!("? {}\n", ran.code.unwrap()));
    }
    shown.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The program that a block's commands start tools with, if they do.
fn interpreter(block: &str) -> Option<&str> {
    block.strip_prefix("```console ").filter(|program| ["python3", "node"].contains(program))
}

/// Whether tools can be started here with `program`.
fn has_tools(program: &str) -> bool {
    cfg!(target_os = "linux") && cases::tool(program) && cases::tool("python3") && crate::can_run_tools()
}

#[test]
fn the_sessions_of_the_readme_are_what_the_program_says() {
    let file = project().join("README.md");
    let written = fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    let folder = Folder::new();
    copy(&project().join("examples"), &folder.path().join("examples"));
    let (mut told, mut commands, mut block) = (String::new(), 0, "");
    for line in written.lines() {
        let is_run = block == "```console" || interpreter(block).is_some();
        if is_run && line != "```" && !line.starts_with("$ ") {
            continue;
        }
        if line.starts_with("```") {
            block = if interpreter(line).is_some_and(|program| !has_tools(program)) { "```" } else { line };
        }
        told.push_str(line);
        told.push('\n');
        if let Some(command) = line.strip_prefix("$ ").filter(|_| is_run) {
            told.push_str(&answer(&folder, command, block));
            commands += 1;
        }
    }
    if std::env::var_os("KITBAG_BLESS").is_some() {
        fs::write(&file, &told).unwrap();
    }
    assert!(commands >= 5, "README has a session for each verb");
    let written = fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
    assert!(written == told, "README.md is stale: KITBAG_BLESS=1 cargo test -p kitbag-cli writes it anew");
}
