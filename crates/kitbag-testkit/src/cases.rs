//! Case folders that live outside the project, taken from the environment so that another folder of the same shape can
//! be run.

use std::path::{Path, PathBuf};

/// The folder of the case set `name` (`FRONTMATTER`, `SKILLPACT`, `CORPUS`, …): `KITBAG_CASES_<name>` when it is set,
/// otherwise `../shared/cases/<name in lower case>` beside the project when it is there. Where neither is, says so on
/// standard error and gives `None`: the test is skipped.
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

/// Says on standard error that a test is skipped and why; `.ci/run` counts these lines.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn skip(because: &str) {
    eprintln!("SKIPPED: {because}");
}

/// The root of the project.
#[must_use]
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
