//! What was found about the backends, kept in one file for as long as the host stays what it was.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use kitbag_core::limits::read_bounded;
use serde::{Deserialize, Serialize};

use super::Backend;
use crate::draft::{Existing, FileDraft};

/// Its name.
const NAME: &str = "doctor.json";
/// The longest that is read.
const AT_MOST: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    backends: Vec<Backend>,
}

/// What is kept in `folder` for `key`. Whatever is not exactly that is nothing.
pub(super) fn read(folder: &Path, key: &str) -> Option<Vec<Backend>> {
    let path = folder.join(NAME);
    if !fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    let bytes = read_bounded(&mut File::open(path).ok()?, 0, AT_MOST).ok()?;
    let kept: Kept = serde_json::from_slice(&bytes).ok()?;
    (kept.key == key).then_some(kept.backends)
}

/// Keeps it. The folder is made when it is not there.
pub(super) fn write(folder: &Path, key: &str, backends: &[Backend]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let kept = Kept { key: key.to_owned(), backends: backends.to_vec() };
    let mut draft = FileDraft::new(folder)?;
    draft.file().write_all(&serde_json::to_vec(&kept)?)?;
    draft.commit(&folder.join(NAME), Existing::Replace)
}

#[cfg(test)]
mod tests {
    use super::{AT_MOST, NAME, read, write};
    use crate::doctor::Backend;

    fn backend() -> Backend {
        Backend {
            name: "native".to_owned(),
            works: true,
            holds: true,
            because: None,
            help: None,
            report: None,
            lines: vec!["isolation  x".to_owned()],
            canaries: Vec::new(),
        }
    }

    #[test]
    fn an_answer_is_kept_for_its_key_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("a/b");
        assert_eq!(read(&cache, "key"), None);
        write(&cache, "key", &[backend()]).unwrap();
        assert_eq!(read(&cache, "key"), Some(vec![backend()]));
        assert_eq!(read(&cache, "another kernel"), None);
        write(&cache, "another kernel", &[]).unwrap();
        assert_eq!((read(&cache, "key"), read(&cache, "another kernel")), (None, Some(Vec::new())));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(NAME);
        for nothing in ["", "{", "[]", "{\"key\":\"key\"}", "{\"key\":\"key\",\"backends\":[{}]}"] {
            std::fs::write(&file, nothing).unwrap();
            assert_eq!(read(folder.path(), "key"), None, "{nothing}");
        }
        std::fs::write(&file, vec![b' '; usize::try_from(AT_MOST).unwrap() + 1]).unwrap();
        assert_eq!(read(folder.path(), "key"), None, "too long");
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert_eq!(read(folder.path(), "key"), None, "a link");
        write(folder.path(), "key", &[backend()]).unwrap();
        assert_eq!(read(folder.path(), "key"), Some(vec![backend()]), "the link is replaced, not followed");
    }
}
