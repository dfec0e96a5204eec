//! The floor plan of kitbag-core, and the house rules that a machine can hold. This file is the architecture diagram:
//! a new door is a change here, seen by everybody.

#![expect(clippy::disallowed_methods, reason = "the house rules are about the project's own files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the ground up. A room may use rooms of its own floor and of the floors below.
const FLOORS: &[&[&str]] = &[
    &["path", "limits", "digest", "version"],
    &["tree", "json", "yaml", "glob", "transfer"],
    &["finding"],
    &["archive", "schema", "permit", "tool"],
    &["formats"],
    &["mcp"],
];

/// Rooms inside `formats` that are no format: every format may use them, and they may use every format.
const SHARED_IN_FORMATS: &[&str] = &["mod", "package", "pack", "record", "site", "codes", "cross", "verify"];

/// Files that are tables: one row after another, longer than prose may be.
const TABLES: &[&str] = &["codes.rs"];

/// Names that do not say what belongs inside.
const DRAWERS: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "shared", "stuff"];

/// The workspace's crates and the crates each may be built on.
const CRATES: &[(&str, &[&str])] = &[
    ("kitbag-core", &[]),
    ("kitbag-registry", &["kitbag-core"]),
    ("kitbag", &["kitbag-core", "kitbag-registry", "kitbag-sandbox"]),
    ("kitbag-cli", &["kitbag", "kitbag-core", "kitbag-registry", "kitbag-sandbox"]),
    ("kitbag-sandbox", &["kitbag-core"]),
    ("kitbag-testkit", &["kitbag-core", "kitbag-sandbox"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{} holds no source", folder.display());
    found
}

/// `text` without line comments and without the unit tests at its end.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The names that follow `prefix` anywhere in `code`, also inside a group: both of `crate::{json::Json, tree}`.
fn named_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, true);
        for (offset, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && !c.is_whitespace() => {
                    names.insert(word(&group[offset..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    names.remove("");
    names
}

/// The first folder, or the file, below `source` that `file` is in.
fn room_of(source: &Path, file: &Path) -> String {
    let first = file.strip_prefix(source).unwrap().iter().next().unwrap().to_str().unwrap();
    first.strip_suffix(".rs").unwrap_or(first).to_owned()
}

#[test]
fn doors_between_the_rooms_of_core_go_down_only() {
    let source = crates().join("kitbag-core/src");
    let floor: BTreeMap<&str, usize> = FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, rooms)| rooms.iter().map(move |room| (*room, floor)))
        .collect();
    let mut wrong = Vec::new();
    for file in rust_files(&source) {
        let room = room_of(&source, &file);
        if room == "lib" {
            continue;
        }
        let Some(&here) = floor.get(room.as_str()) else {
            wrong.push(format!("the room `{room}` is on no floor"));
            continue;
        };
        for other in named_after(&code_of(&fs::read_to_string(&file).unwrap()), "crate::") {
            match floor.get(other.as_str()) {
                Some(&there) if there <= here => {}
                Some(_) => wrong.push(format!("{}: a door up to `{other}`", file.display())),
                None => wrong.push(format!("{}: `crate::{other}` is no room", file.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formats_never_use_each_other() {
    let formats = crates().join("kitbag-core/src/formats");
    let mut wrong = Vec::new();
    for file in rust_files(&formats) {
        let room = room_of(&formats, &file);
        if SHARED_IN_FORMATS.contains(&room.as_str()) {
            continue;
        }
        let code = code_of(&fs::read_to_string(&file).unwrap());
        let mut named = named_after(&code, "formats::");
        if file.parent().unwrap().parent().unwrap() == formats {
            // In `formats/<f>/mod.rs`, `super::` is the room of all formats; in its other files, `super::super::` is.
            let prefix = if file.ends_with("mod.rs") { "super::" } else { "super::super::" };
            named.extend(named_after(&code, prefix));
        }
        for other in named {
            if other != room && formats.join(&other).is_dir() {
                wrong.push(format!("{}: uses the format `{other}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn crates_touch_only_the_crates_below_them() {
    for entry in fs::read_dir(crates()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let row = CRATES.iter().find(|(known, _)| *known == name);
        let (_, allowed) = row.unwrap_or_else(|| panic!("the crate `{name}` has no row here"));
        let manifest = fs::read_to_string(crates().join(&name).join("Cargo.toml")).unwrap();
        let normal = manifest.split("[dev-dependencies]").next().unwrap();
        for line in normal.lines().filter(|line| line.starts_with("kitbag")) {
            let dependency = line.split(['.', ' ', '=']).next().unwrap();
            assert!(allowed.contains(&dependency), "{name} must not be built on {dependency}");
        }
    }
}

#[test]
fn no_file_is_a_drawer_and_none_is_too_long_to_read() {
    let mut wrong = Vec::new();
    for file in rust_files(&crates()) {
        if DRAWERS.contains(&file.file_stem().unwrap().to_str().unwrap()) {
            wrong.push(format!("{}: the name does not say what belongs here", file.display()));
        }
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        if lines > 600 && !TABLES.contains(&file.file_name().unwrap().to_str().unwrap()) {
            wrong.push(format!("{}: {lines} lines", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_crate_keeps_the_clippy_settings_of_the_root() {
    let settings = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.contains('=') && !line.starts_with(['#', ' ']))
            .map(str::to_owned)
            .collect()
    };
    let root = settings(&fs::read_to_string(crates().join("../clippy.toml")).unwrap());
    assert!(!root.is_empty());
    for (name, _) in CRATES {
        // A crate's own file replaces the root's, so it has to repeat its lines.
        let Ok(own) = fs::read_to_string(crates().join(name).join("clippy.toml")) else { continue };
        for line in &root {
            assert!(settings(&own).contains(line), "{name}/clippy.toml lacks `{line}`");
        }
    }
}

#[test]
fn the_crates_without_authority_ban_it() {
    for (name, banned) in [
        (
            "kitbag-core",
            &[
                "std::fs::File",
                "std::net::TcpStream",
                "std::process::Command",
                "std::env::var",
                "std::time::SystemTime::now",
                "std::println",
            ][..],
        ),
        ("kitbag-registry", &["std::fs::File", "std::process::Command", "std::env::var", "std::println"][..]),
        ("kitbag", &["std::net::TcpStream", "std::process::Command", "std::env::var", "std::println"][..]),
    ] {
        let own = fs::read_to_string(crates().join(name).join("clippy.toml")).unwrap();
        for path in banned {
            assert!(own.contains(&format!("path = \"{path}\"")), "{name}/clippy.toml does not ban {path}");
        }
    }
}

#[test]
fn only_one_folder_of_the_sandbox_may_be_unsafe() {
    for file in rust_files(&crates()) {
        let inside = file.starts_with(crates().join("kitbag-sandbox/src/inside"));
        let text = fs::read_to_string(&file).unwrap();
        let uses = code_of(&text).lines().any(|line| {
            ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]
                .iter()
                .any(|form| line.trim_start().starts_with(form))
        });
        assert!(inside || !uses, "{}: unsafe code", file.display());
    }
}

#[test]
fn the_plan_reader_sees_groups_and_ignores_comments() {
    let names = |code: &str| named_after(&code_of(code), "crate::").into_iter().collect::<Vec<_>>();
    let code = "use crate::{json::{Json, read}, tree};\n// crate::permit\nlet x = crate::glob::covers();";
    assert_eq!(names(code), ["glob", "json", "tree"]);
    assert!(names("/// [`crate::formats`]\nfn f() {}").is_empty());
}
