//! The environment: where programs are looked for, where the user's cache is, and which variables could be passed on.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Kind};

/// The folders of `PATH`, in order. Those that depend on where the program runs are left out.
pub fn search() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// Every variable.
pub fn variables() -> Vec<(OsString, OsString)> {
    env::vars_os().collect()
}

/// The user's folder for what can be made again: `KITBAG_CACHE`, or where the system has such folders.
///
/// # Errors
/// When nothing says where it is.
pub fn cache() -> Result<PathBuf, Failure> {
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let in_home = |below: &str| named("HOME").map(|home| home.join(below));
    let of_system = || {
        if cfg!(windows) {
            named("LOCALAPPDATA").map(|folder| folder.join("kitbag").join("cache"))
        } else if cfg!(target_os = "macos") {
            in_home("Library/Caches/kitbag")
        } else {
            named("XDG_CACHE_HOME").map(|folder| folder.join("kitbag")).or_else(|| in_home(".cache/kitbag"))
        }
    };
    named("KITBAG_CACHE").or_else(of_system).ok_or_else(|| {
        Failure::new(Kind::Usage, "nothing says where your cache is")
            .hint("set KITBAG_CACHE to a folder of yours, as an absolute path")
    })
}

/// This program, which lends itself to the sandbox.
pub fn myself() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// `path` as seen from the root.
///
/// # Errors
/// When the current folder is gone.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::new(Kind::Input, format!("`{}` cannot be found: {error}", path.display())))
}
