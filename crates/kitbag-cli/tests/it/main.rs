//! The program as a whole: wiring and words. What the renderers write is tested beside them, what the verbs find in the
//! library.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "tests read and write the project's own files")]
#![expect(clippy::disallowed_types, reason = "tests start the program")]

mod cache;
mod check;
mod connector;
mod diff;
mod doctor;
mod examples;
mod exit;
mod explain;
mod fix;
mod hostile_bundles;
mod init;
mod openscience;
mod pack;
mod pages;
mod readme;
mod reference;
mod run;
mod sarif;
mod show;
mod skill_import;
mod skillpact;
mod specialists;
mod splice;
mod terminal;
mod workflow;

use kitbag_testkit::cli::Run;
use kitbag_testkit::folder::Folder;

/// `kitbag` with these arguments, in this folder.
fn kitbag(folder: &Folder, args: &[&str]) -> Run {
    Run::new(env!("CARGO_BIN_EXE_kitbag"), folder.path()).args(args)
}

/// Whether tools can be started here. Where they cannot, that is said; where they have to be, it is a failure.
fn can_run_tools() -> bool {
    let folder = Folder::new().folder("cache");
    let package = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/color-contrast");
    let input = r##"{"pairs": [{"foreground": "#000", "background": "#fff"}]}"##;
    let ran = kitbag(&folder, &["run", package, "check_contrast", "--yes", "--input", input])
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("KITBAG_CACHE", folder.at("cache").to_str().unwrap())
        .ran();
    if ran.stderr.contains("the sandbox cannot be made") && std::env::var_os("KITBAG_TOOLS").is_none() {
        kitbag_testkit::cases::skip(&format!("no sandbox can be made here: {}", ran.stderr.trim()));
        return false;
    }
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    true
}

/// A skill that nothing is wrong with.
const SOUND: &str =
    "---\nname: sound\ndescription: Says hello. Use it when somebody comes in.\n---\n\nSay hello.\n";

/// A folder `sound` with that skill in it.
fn sound() -> Folder {
    Folder::new().file("sound/SKILL.md", SOUND)
}

/// A folder `nothing` that is no package.
fn nothing() -> Folder {
    Folder::new().file("nothing/README", "nothing to see")
}
