//! All attacks once more, by a user without rights.

use std::fs;
use std::process::Command;

use kitbag_testkit::cases;
use kitbag_testkit::folder::Folder;

use crate::world::{PROGRAMS, is_root, open_to_all, tools};

#[test]
fn everything_holds_for_a_user_without_rights() {
    // Whoever runs the tests without being root has just done so.
    if !is_root() || !cases::tool("setpriv") {
        return;
    }
    let Some(tools) = tools() else { return };
    let folder = Folder::new();
    open_to_all(folder.path());
    let tests = folder.at("attacks");
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "65533", "--regid", "65533", "--clear-groups", "--"])
        .arg(&tests)
        .env(PROGRAMS, tools.attack.parent().unwrap())
        .env("TMPDIR", folder.path())
        .env_remove("HOME")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|line| line.starts_with("SKIPPED: ")) {
        cases::tell(&format!("{line} (as a user)\n"));
    }
    assert!(text.contains("test result: ok."), "{text}");
}
