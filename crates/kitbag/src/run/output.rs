//! What a command wrote to `$OUTPUT`: a folder in memory until it is known that the command did what it should, and then a
//! file or a folder of the user's.

use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Executable};
use kitbag_sandbox::{EntryKind, Kept, OUTPUT, Run};

use crate::draft::{Existing, FileDraft, FolderDraft, folder_of};
use crate::interrupt::Interrupt;

/// The most files and folders in an output.
const ENTRIES_AT_MOST: usize = 16_384;
/// The most bytes in one of its files. All of it is in memory before.
const FILE_BYTES: usize = 256 << 20;

/// What was made, before it has a place.
#[derive(Debug, Default)]
pub(super) struct Made(Vec<Kept>);

impl Made {
    /// What a run left behind.
    pub(super) fn of(run: &mut Run) -> Self {
        let (output, _others) =
            std::mem::take(&mut run.kept).into_iter().partition(|kept| kept.at() == Path::new(OUTPUT));
        Self(output)
    }

    /// Puts what is there under the name of `path` at `path`, and tells how many bytes it is. `None` when nothing was made.
    ///
    /// # Errors
    /// When it holds what is neither a file nor a folder, is too large, or cannot be written; then nothing is.
    pub(super) fn put(&self, path: &Path) -> io::Result<Option<u64>> {
        let (Some(kept), Some(name)) = (self.0.first(), path.file_name()) else { return Ok(None) };
        let entries = kept.entries(ENTRIES_AT_MOST)?;
        let Some(top) = entries.iter().find(|entry| entry.path == Path::new(name)) else { return Ok(None) };
        let refused = |path: &Path| {
            let because = format!("`{}` in the output is neither a file nor a folder", path.display());
            io::Error::new(io::ErrorKind::InvalidData, because)
        };
        match top.kind {
            EntryKind::File(_) => {
                let bytes = kept.read(&top.path, FILE_BYTES)?;
                let mut draft = FileDraft::new(folder_of(path))?;
                io::Write::write_all(draft.file(), &bytes)?;
                draft.commit(path, Existing::Keep)?;
                Ok(Some(bytes.len() as u64))
            }
            EntryKind::Other => Err(refused(&top.path)),
            EntryKind::Folder => {
                let draft = FolderDraft::new(folder_of(path), entries.len())?;
                let mut total = 0;
                for entry in &entries {
                    let Ok(below) = entry.path.strip_prefix(name) else { continue };
                    if below.as_os_str().is_empty() {
                        continue;
                    }
                    let at = below.to_str().and_then(|text| PackagePath::new(text).ok());
                    let at = at.ok_or_else(|| {
                        let because = format!("`{}` is no name for every system", below.display());
                        io::Error::new(io::ErrorKind::InvalidData, because)
                    })?;
                    match entry.kind {
                        EntryKind::Folder => draft.folder(&at)?,
                        EntryKind::Other => return Err(refused(&entry.path)),
                        EntryKind::File(_) => {
                            let blob = Blob::from_bytes(kept.read(&entry.path, FILE_BYTES)?);
                            total += blob.len();
                            draft.file(&at, &blob, Executable::No, &Interrupt::default())?;
                        }
                    }
                }
                draft.commit(path)?;
                Ok(Some(total))
            }
        }
    }
}

/// Something that a command wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it is.
    pub path: PathBuf,
    /// How many bytes its files hold.
    pub bytes: u64,
}
