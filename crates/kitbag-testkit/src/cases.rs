//! Case folders that live outside the project, taken from the environment so that another folder of the same shape can
//! be run; and the one way to skip a test.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder of the case set `name` (`FRONTMATTER`, `SKILLPACT`, `CORPUS`, …): `KITBAG_CASES_<name>` when it is set,
/// otherwise `../shared/cases/<name in lower case>` beside the project when it is there. Where neither is, says so and
/// gives `None`: the test is skipped.
///
/// # Panics
/// When the variable is set and names no folder: a test that was asked for must not be skipped.
#[must_use]
pub fn folder(name: &str) -> Option<PathBuf> {
    let variable = format!("KITBAG_CASES_{name}");
    if let Some(set) = std::env::var_os(&variable) {
        let folder = PathBuf::from(set);
        assert!(folder.is_dir(), "{variable} names `{}`, which is no folder", folder.display());
        return Some(folder);
    }
    let beside = project().join("../shared/cases").join(name.to_lowercase().replace('_', "-"));
    if beside.is_dir() {
        return Some(beside);
    }
    skip(&format!("no case folder `{name}`; set {variable} to run it"));
    None
}

/// Whether the program `name` can be started. When it cannot, says so, and the test that asked is skipped.
///
/// # Panics
/// When it cannot and `KITBAG_TOOLS` is `required`, as in CI.
#[must_use]
pub fn tool(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| {
        folder.join(name).is_file() || (cfg!(windows) && folder.join(format!("{name}.exe")).is_file())
    });
    if !found {
        assert!(
            std::env::var_os("KITBAG_TOOLS").is_none_or(|value| value != "required"),
            "`{name}` is required here"
        );
        skip(&format!("`{name}` is not installed"));
    }
    found
}

/// Says that a test is skipped and why: on standard error, past the test runner's capture, and as a line of the file that
/// `KITBAG_SKIPS` names, which `.ci/run` counts.
pub fn skip(because: &str) {
    let line = format!("SKIPPED: {because}\n");
    // A skip that cannot be told is still a skip; nothing else depends on these writes.
    let _told = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("KITBAG_SKIPS") {
        let opened = OpenOptions::new().create(true).append(true).open(file);
        let _noted = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The root of the project.
#[must_use]
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The JSON document at `path`.
///
/// # Panics
/// When it cannot be read: a test that has its case folder has its files.
#[must_use]
pub fn json(path: &Path) -> serde_json::Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
