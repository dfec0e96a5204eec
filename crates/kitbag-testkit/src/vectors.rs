//! The vectors: `vectors/<room>/<case>/case.json` and the files beside it. Walked, never listed, and never empty.

use std::fs;
use std::path::PathBuf;

/// One scenario.
#[derive(Debug)]
pub struct Case {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its `case.json`.
    pub case: serde_json::Value,
}

impl Case {
    /// Whether this case has the file or folder `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// The bytes of the file `name` of this case.
    ///
    /// # Panics
    /// When it cannot be read: a case that names a file has it.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let file = self.folder.join(name);
        fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }
}

/// Every case of `room` (such as `skillpact` or `json/read`), by name.
///
/// # Panics
/// When there is none, or one cannot be read: a walk over nothing proves nothing.
#[must_use]
pub fn walk(room: &str) -> Vec<Case> {
    let root = crate::cases::project().join("vectors").join(room);
    let entries = fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let mut cases: Vec<Case> = entries
        .map(|entry| entry.expect("a folder that was opened can be listed").path())
        .filter(|folder| folder.join("case.json").is_file())
        .map(|folder| {
            let file = folder.join("case.json");
            let case = crate::cases::json(&file);
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            Case { name, folder, case }
        })
        .collect();
    assert!(!cases.is_empty(), "{} holds no case", root.display());
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// Whether vectors that builders make are to be written anew: `KITBAG_BLESS` is set. The change is then seen in
/// the commit.
#[must_use]
pub fn are_to_be_written() -> bool {
    std::env::var_os("KITBAG_BLESS").is_some()
}

/// Writes one case of `room`: its `case.json` and the files beside it.
///
/// # Panics
/// When it cannot be written.
pub fn write(room: &str, name: &str, case: &serde_json::Value, files: &[(&str, &[u8])]) {
    let folder = crate::cases::project().join("vectors").join(room).join(name);
    fs::create_dir_all(&folder).expect("the folder of vectors can be written");
    let mut text = serde_json::to_string_pretty(case).expect("a value is always JSON");
    text.push('\n');
    fs::write(folder.join("case.json"), text).expect("the folder of vectors can be written");
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("the folder of vectors can be written");
    }
}
