//! [`Partial`]: the beginning of a content, under a name that says that it is one, locked by whoever fetches it. What a program
//! that was killed has left is hashed from its first byte before anything is put behind it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::digest::{Hasher, Sha256};
use kitbag_core::json::{self, Json, print};
use kitbag_core::limits;
use kitbag_core::transfer::{Held, Pin};

use crate::draft::{Existing, FileDraft, folder_of, make_private, sync_folder};
use crate::lock::{self, Hold};

use super::cache::{BLOBS, Cache, PARTIAL, is_file_or_nothing, remove};
use super::{Error, Patience};

/// The longest note about where a beginning is from.
const NOTE_BYTES: u64 = 4 << 10;
/// Bytes that are hashed before somebody looks whether they are still wanted.
const CHUNK_BYTES: usize = 1 << 20;

/// The beginning of a content, which nobody else has under way.
pub(super) struct Partial {
    file: File,
    path: PathBuf,
    pin: Pin,
    bytes: u64,
    hasher: Hasher,
    /// The digest of the address that gave its first byte, and the strong tag it had there.
    origin: Option<(Sha256, String)>,
}

impl Partial {
    /// Takes what is there of the content that `pin` says, or begins it; waits while somebody else has it.
    pub fn take(cache: &Cache, pin: Pin, patience: &Patience<'_>) -> Result<Self, Error> {
        let folder = cache.folder.join(BLOBS).join(PARTIAL);
        make_private(&folder).map_err(|error| Error::io("make", &folder, error))?;
        let path = folder.join(pin.sha256.to_string());
        let failed = |error| Error::io("open", &path, error);
        let file = loop {
            if !is_file_or_nothing(&path)? {
                remove(&path)?;
            }
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(failed)?;
            if !lock::wait(&file, Hold::Alone, || patience.check().is_ok()).map_err(failed)? {
                patience.check()?;
                continue;
            }
            if lock::is_at(&file, &path).map_err(failed)? {
                break file;
            }
        };
        let mut partial = Self { file, path, pin, bytes: 0, hasher: Hasher::default(), origin: None };
        partial.recall(patience)?;
        Ok(partial)
    }

    /// Hashes what is there.
    fn recall(&mut self, patience: &Patience<'_>) -> Result<(), Error> {
        let failed = |path: &Path, error| Error::io("read", path, error);
        let there = self.file.metadata().map_err(|error| failed(&self.path, error))?.len();
        if there > self.pin.size {
            return self.restart(None);
        }
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            patience.check()?;
            match self.file.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    self.bytes += count as u64;
                    self.hasher.update(&chunk[..count]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&self.path, error)),
            }
        }
        self.origin = read_note(&self.note());
        Ok(())
    }

    fn note(&self) -> PathBuf {
        self.path.with_extension("json")
    }

    /// How many bytes are here.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether as many bytes are here as there are.
    pub const fn is_full(&self) -> bool {
        self.bytes == self.pin.size
    }

    /// Whether they are those that are pinned.
    pub fn is_right(&self) -> bool {
        self.is_full() && self.hasher.clone().finish() == self.pin.sha256
    }

    /// What is here, for whoever asks `source` for the rest.
    pub fn held(&self, source: &str) -> Option<Held> {
        let tag = || match &self.origin {
            Some((origin, tag)) if *origin == Sha256::of(source.as_bytes()) => Some(tag.clone()),
            _ => None,
        };
        (self.bytes > 0 && !self.is_full()).then(|| Held { bytes: self.bytes, tag: tag() })
    }

    /// How many bytes are free where it is, as far as the system says.
    #[cfg(unix)]
    pub fn free(&self) -> Option<u64> {
        let found = rustix::fs::fstatvfs(&self.file).ok()?;
        found.f_bavail.checked_mul(found.f_frsize)
    }

    /// Begins anew, with what comes from an address under a strong tag.
    pub fn restart(&mut self, origin: Option<(&str, String)>) -> Result<(), Error> {
        let begun = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        begun.map_err(|error| Error::io("empty", &self.path, error))?;
        (self.bytes, self.hasher) = (0, Hasher::default());
        let note = self.note();
        self.origin = origin.map(|(source, tag)| (Sha256::of(source.as_bytes()), tag));
        let noted = match &self.origin {
            Some((origin, tag)) => write_note(&note, *origin, tag),
            None => remove_note(&note),
        };
        noted.map_err(|error| Error::io("write", &note, error))
    }

    /// Puts bytes behind those that are here.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| Error::io("write", &self.path, error))?;
        self.bytes += bytes.len() as u64;
        self.hasher.update(bytes);
        Ok(())
    }

    /// Takes it away.
    pub fn discard(self) -> Result<(), Error> {
        remove(&self.path)?;
        remove_note(&self.note()).map_err(|error| Error::io("remove", &self.path, error))
    }

    /// Gives it its name, once it is safe on disk. It is [right](Self::is_right).
    pub fn publish(self, path: &Path) -> Result<(), Error> {
        let failed = |error| Error::io("save", path, error);
        let mut permissions = self.file.metadata().map_err(failed)?.permissions();
        permissions.set_readonly(true);
        self.file.set_permissions(permissions).map_err(failed)?;
        self.file.sync_all().map_err(failed)?;
        fs::rename(&self.path, path).map_err(failed)?;
        sync_folder(folder_of(path));
        // Whoever finds a note without a beginning takes no notice of it.
        let _later = remove_note(&self.note());
        Ok(())
    }
}

fn remove_note(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_note(path: &Path, origin: Sha256, tag: &str) -> io::Result<()> {
    let text = print::document(&print::object([
        ("source", print::text(origin.to_string())),
        ("tag", print::text(tag)),
    ]));
    let mut draft = FileDraft::new(folder_of(path))?;
    draft.file().write_all(text.as_bytes())?;
    draft.commit(path, Existing::Replace)
}

/// What a note says. What is no note says nothing: a beginning is worth as much without.
fn read_note(path: &Path) -> Option<(Sha256, String)> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let bytes = limits::read_bounded(&mut File::open(path).ok()?, 0, NOTE_BYTES).ok()?;
    let note = json::read(&bytes).ok()?;
    let text = |name| note.get(name).and_then(Json::as_str);
    Some((Sha256::from_hex(text("source")?)?, text("tag")?.to_owned()))
}
