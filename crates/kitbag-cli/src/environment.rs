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

/// One variable, where it is text.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The user's folder for what can be made again: `KITBAG_CACHE`, or where the system has such folders. `None` where nothing
/// says where it is.
pub fn cache() -> Option<PathBuf> {
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
    named("KITBAG_CACHE").or_else(of_system)
}

/// A folder for what is made and removed again.
pub fn temporary() -> PathBuf {
    env::temp_dir()
}

/// This program, which lends itself to the sandbox.
///
/// # Errors
/// When the system does not say where it is.
pub fn myself() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(|error| {
        Failure::new(Kind::Input, error).hint("start kitbag by its path: it must be able to start itself")
    })
}

/// `path` as seen from the root.
///
/// # Errors
/// When the current folder is gone.
pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::new(Kind::Input, format!("`{}` cannot be found: {error}", path.display())))
}
