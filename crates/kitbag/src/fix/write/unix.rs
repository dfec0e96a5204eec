//! Replacing on Unix: relative to open folders, with no link followed below the folder that was named.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use kitbag_core::path::PackagePath;
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;

use super::new_names;
use crate::read::unix::{FILE, FOLDER, Stamp};

/// A new file beside the one it will replace. Dropped without [`commit`](Self::commit), it goes and nothing has changed.
pub(in crate::fix) struct Replacement {
    folder: OwnedFd,
    old: String,
    stamp: Stamp,
    /// The new file's name, until it has the old one's.
    new: Option<String>,
}

impl Replacement {
    /// Writes `after` beside `file` of the folder `root`, with its mode and owner, if it still holds `before`.
    pub fn prepare(root: &Path, file: &PackagePath, before: &[u8], after: &[u8]) -> io::Result<Self> {
        let mut folder = rustix::fs::open(root, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
        if let Some(parent) = file.parent() {
            for segment in parent.segments() {
                folder = rustix::fs::openat(&folder, segment, FOLDER, Mode::empty()).map_err(refusal)?;
            }
        }
        let mut old =
            File::from(rustix::fs::openat(&folder, file.name(), FILE, Mode::empty()).map_err(refusal)?);
        let stat = rustix::fs::fstat(&old)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || !holds(&mut old, before)? {
            return Err(changed());
        }
        let (name, mut new) = create(&folder, file)?;
        let prepared = Self { folder, old: file.name().to_owned(), stamp: Stamp::of(&stat), new: Some(name) };
        new.write_all(after)?;
        like(&new, &stat)?;
        new.sync_all()?;
        Ok(prepared)
    }

    /// Puts the new file in the old one's place.
    pub fn commit(mut self) -> io::Result<()> {
        let stat = rustix::fs::statat(&self.folder, &*self.old, AtFlags::SYMLINK_NOFOLLOW)?;
        if Stamp::of(&stat) != self.stamp {
            return Err(changed());
        }
        if let Some(new) = &self.new {
            rustix::fs::renameat(&self.folder, &**new, &self.folder, &*self.old)?;
        }
        self.new = None;
        // The change is made; a file system that cannot sync a folder has no more to promise.
        let _ = rustix::fs::fsync(self.folder.as_fd());
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(new) = &self.new {
            let _ = rustix::fs::unlinkat(&self.folder, &**new, AtFlags::empty());
        }
    }
}

fn create(folder: &OwnedFd, file: &PackagePath) -> io::Result<(String, File)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for name in new_names(file) {
        match rustix::fs::openat(folder, &*name, flags, Mode::RUSR | Mode::WUSR) {
            Ok(new) => return Ok((name, new.into())),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::other("files of earlier runs lie beside it; remove them"))
}

/// Whether the whole content is `expected`.
fn holds(file: &mut File, expected: &[u8]) -> io::Result<bool> {
    let mut rest = expected;
    let mut chunk = [0; 16 << 10];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(count) => match rest.strip_prefix(&chunk[..count]) {
                Some(next) => rest = next,
                None => return Ok(false),
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Gives `new` the owner and the mode in `stat`. Who cannot give the owner must not give the mode either: its group may
/// be another.
fn like(new: &File, stat: &Stat) -> io::Result<()> {
    let own = rustix::fs::fstat(new)?;
    if (own.st_uid, own.st_gid) != (stat.st_uid, stat.st_gid) {
        let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
        rustix::fs::fchown(new, Some(owner), Some(group))
            .map_err(|_| io::Error::other("it belongs to somebody else, and only they can keep it theirs"))?;
    }
    rustix::fs::fchmod(new, Mode::from_raw_mode(stat.st_mode))?;
    Ok(())
}

/// A link is not followed, whenever it came to be there.
fn refusal(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::MLINK | Errno::NOTDIR => {
            io::Error::other("it is reached through a symbolic link, which is never followed")
        }
        error => error.into(),
    }
}

fn changed() -> io::Error {
    io::Error::other("it changed while it was fixed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_testkit::folder::Folder;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    fn text(folder: &Folder, at: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
        File::open(folder.at(at)).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_document_that_is_not_what_was_checked_is_left_alone() {
        let folder = Folder::new().file("a/b", "old");
        assert!(Replacement::prepare(folder.path(), &path("a/b"), b"other", b"new").is_err());
        assert_eq!(text(&folder, "a/b"), b"old");
        Replacement::prepare(folder.path(), &path("a/b"), b"old", b"new").unwrap().commit().unwrap();
        assert_eq!(text(&folder, "a/b"), b"new");
    }

    #[test]
    fn a_document_that_changes_between_the_two_steps_is_left_alone() {
        let folder = Folder::new().file("a", "old");
        let prepared = Replacement::prepare(folder.path(), &path("a"), b"old", b"new").unwrap();
        let folder = folder.file("a", "newer");
        assert_eq!(prepared.commit().unwrap_err().to_string(), "it changed while it was fixed");
        assert_eq!(text(&folder, "a"), b"newer");
        assert!(!folder.at(".a.kitbag-0").exists());
    }

    #[test]
    fn a_folder_swapped_for_a_link_leads_nowhere() {
        let folder = Folder::new().file("outside/b", "old").link("a", "outside").link("c", "outside/b");
        for linked in ["a/b", "c"] {
            let Err(error) = Replacement::prepare(folder.path(), &path(linked), b"old", b"new") else {
                panic!("{linked} was followed");
            };
            assert!(error.to_string().contains("never followed"), "{error}");
        }
        assert_eq!(text(&folder, "outside/b"), b"old");
    }

    #[test]
    fn a_new_file_that_is_not_put_in_place_goes() {
        let folder = Folder::new().file("a", "old");
        drop(Replacement::prepare(folder.path(), &path("a"), b"old", b"new").unwrap());
        assert_eq!(text(&folder, "a"), b"old");
        assert!(!folder.at(".a.kitbag-0").exists());
    }
}
