//! [`FileDraft`] and [`FolderDraft`]: what takes its name only when all of it is there. Until then it stands beside its
//! place, under a name that no program takes for a package, and goes when it is dropped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Executable};
use tempfile::{Builder, NamedTempFile, TempDir};

use crate::interrupt::Interrupt;

/// What a draft is called until it has its own name.
const PREFIX: &str = ".kitbag-";

/// What to do about something that has the name already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone, and say so.
    #[default]
    Keep,
    /// Put the new file in its place.
    Replace,
}

/// The folder that `path` is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether something has the name, a link that leads nowhere included.
///
/// # Errors
/// When that cannot be found out.
pub(crate) fn exists(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A folder into which only its owner gets.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// One file under way.
pub(crate) struct FileDraft {
    file: NamedTempFile,
}

impl FileDraft {
    /// A new file in `folder`.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // As any new file: what the umask leaves of it.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        Ok(Self { file: builder.tempfile_in(folder)? })
    }

    /// The file, to be written and read back.
    pub fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Where it is until it has its name.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Gives it its name, once it is safe on disk.
    pub fn commit(self, path: &Path, existing: Existing) -> io::Result<()> {
        self.sync()?;
        self.name(path, existing)?;
        sync_folder(folder_of(path));
        Ok(())
    }

    /// Waits until it is safe on disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Gives it its name, which is safe once its folder is.
    pub fn name(self, path: &Path, existing: Existing) -> io::Result<()> {
        match existing {
            Existing::Keep => self.file.persist_noclobber(path),
            Existing::Replace => self.file.persist(path),
        }
        .map_err(|error| error.error)?;
        Ok(())
    }
}

/// Bytes that are copied at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Up to so many files are synced one by one. For more, the whole file system is, which is one call and may have to wait for
/// what other programs wrote.
pub(crate) const MOST_SYNCED: usize = 200;

/// One folder under way: a folder that only its owner may enter, and in it the one that will get the name, so that it is
/// made with the rights of any other folder.
pub(crate) struct FolderDraft {
    _outer: TempDir,
    content: PathBuf,
    sync: Sync,
}

/// How what was written gets safe on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// File by file, as they are written.
    Each,
    /// All at once, at the end.
    AtOnce,
}

impl FolderDraft {
    /// A new folder in `folder`, for so many files.
    pub fn new(folder: &Path, files: usize) -> io::Result<Self> {
        let outer = Builder::new().prefix(PREFIX).tempdir_in(folder)?;
        let content = outer.path().join("content");
        fs::create_dir(&content)?;
        let sync = if cfg!(target_os = "linux") && files > MOST_SYNCED { Sync::AtOnce } else { Sync::Each };
        Ok(Self { _outer: outer, content, sync })
    }

    /// Makes a folder in it, and those it is in.
    pub fn folder(&self, path: &PackagePath) -> io::Result<()> {
        fs::create_dir_all(self.at(path)?)
    }

    /// Writes a file into it that was not there.
    pub fn file(
        &self,
        path: &PackagePath,
        blob: &Blob,
        executable: Executable,
        interrupt: &Interrupt,
    ) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(if executable == Executable::Yes { 0o777 } else { 0o666 });
        }
        #[cfg(not(unix))]
        let _ = executable;
        let at = self.at(path)?;
        let mut file = match (options.open(&at), path.parent()) {
            // The first file of its folder; to ask for the folder of each would take as long as to write it.
            (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
                self.folder(&parent)?;
                options.open(&at)?
            }
            (opened, _) => opened?,
        };
        let mut content = blob.open()?;
        let mut chunk = vec![0; usize::try_from(blob.len()).unwrap_or(CHUNK_BYTES).clamp(1, CHUNK_BYTES)];
        let mut left = blob.len();
        loop {
            interrupt.check()?;
            match content.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    left = left.checked_sub(count as u64).ok_or_else(changed)?;
                    file.write_all(&chunk[..count])?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if left > 0 {
            return Err(changed());
        }
        match self.sync {
            Sync::Each => file.sync_all(),
            Sync::AtOnce => Ok(()),
        }
    }

    fn at(&self, path: &PackagePath) -> io::Result<PathBuf> {
        let below = path.to_os().map_err(|problem| io::Error::new(io::ErrorKind::InvalidInput, problem))?;
        Ok(self.content.join(below))
    }

    /// Waits until everything that was written is safe on disk.
    fn sync(&self) -> io::Result<()> {
        if self.sync == Sync::AtOnce { sync_all(&self.content) } else { Ok(()) }
    }

    /// Gives it its name, once it is safe on disk; something that has the name by now is left alone.
    pub fn commit(self, path: &Path) -> io::Result<()> {
        self.sync()?;
        rename_to_nothing(&self.content, path)?;
        sync_folder(folder_of(path));
        Ok(())
    }
}

impl FolderDraft {
    /// Moves what is in it into `folder`, which has nothing in it but the draft, once it is safe on disk; the entry called
    /// `last` goes last, so that nothing half done looks like a package. What cannot be moved takes back what was.
    pub fn commit_into(self, folder: &Path, last: &str) -> io::Result<()> {
        self.sync()?;
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.content)? {
            names.push(entry?.file_name());
        }
        names.sort_by_key(|name| name == last);
        let mut moved = Vec::new();
        for name in &names {
            if let Err(error) = rename_to_nothing(&self.content.join(name), &folder.join(name)) {
                for name in moved {
                    let _back = fs::rename(folder.join(name), self.content.join(name));
                }
                return Err(error);
            }
            moved.push(name);
        }
        sync_folder(folder);
        Ok(())
    }
}

impl FolderDraft {
    /// Gives each of the folders in it that are named its own name in `folder`, once all of it is safe on disk. A name that
    /// cannot be given takes back those that were. What was replaced goes with the draft.
    pub fn commit_each(self, folder: &Path, names: &[(String, Existing)]) -> io::Result<()> {
        self.sync()?;
        let paths = |name: &String| (self.content.join(name), folder.join(name));
        let mut given = Vec::new();
        for (name, existing) in names {
            let (from, to) = paths(name);
            let moved = match existing {
                Existing::Keep => rename_to_nothing(&from, &to),
                Existing::Replace => exchange(&from, &to),
            };
            if let Err(error) = moved {
                for (name, existing) in given.into_iter().rev() {
                    let (from, to) = paths(name);
                    let _back = match existing {
                        Existing::Keep => fs::rename(to, from),
                        Existing::Replace => exchange(&from, &to),
                    };
                }
                return Err(error);
            }
            given.push((name, *existing));
        }
        sync_folder(folder);
        Ok(())
    }
}

fn changed() -> io::Error {
    io::Error::other("the content is no longer as long as it was")
}

/// Renames `from` to `to`, where nothing is.
fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // File systems that do not know the flag.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            result => return Ok(result?),
        }
    }
    // An empty folder that came here since would be replaced, which nobody would miss.
    if exists(to)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Waits until everything on the file system of `folder` is safe, where the system has a call for it.
pub(crate) fn sync_all(folder: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(folder)?)?;
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    Ok(())
}

/// Puts each of two folders where the other is, at once where the system can.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            // File systems that do not know the flag.
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {}
            result => return Ok(result?),
        }
    }
    // Between these, what was there stands beside `one`, whole.
    let aside = one.with_extension("replaced");
    fs::rename(other, &aside)?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(&aside, other)?;
        return Err(error);
    }
    fs::rename(aside, one)
}

/// The name is safe once its folder is. A system that cannot sync a folder has no more to promise.
pub(crate) fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_testkit::folder::Folder;

    fn names(folder: &Folder) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    #[test]
    fn a_draft_that_is_not_finished_leaves_nothing() {
        let folder = Folder::new();
        let file = FileDraft::new(folder.path()).unwrap();
        let draft = FolderDraft::new(folder.path(), 1).unwrap();
        draft.file(&path("a/b"), &Blob::from_bytes("x"), Executable::No, &Interrupt::new()).unwrap();
        assert_eq!(names(&folder).len(), 2);
        drop((file, draft));
        assert_eq!(names(&folder), [""; 0]);
    }

    #[test]
    fn whoever_came_first_keeps_the_name() {
        let folder = Folder::new().file("file", "old").folder("folder");
        let mut draft = FileDraft::new(folder.path()).unwrap();
        draft.file().write_all(b"new").unwrap();
        let error = draft.commit(&folder.at("file"), Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        for taken in ["folder", "file"] {
            let error = FolderDraft::new(folder.path(), 1).unwrap().commit(&folder.at(taken)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{taken}");
        }
        let mut draft = FileDraft::new(folder.path()).unwrap();
        draft.file().write_all(b"new").unwrap();
        draft.commit(&folder.at("file"), Existing::Replace).unwrap();
        FolderDraft::new(folder.path(), 1).unwrap().commit(&folder.at("other")).unwrap();
        assert_eq!(names(&folder), ["file", "folder", "other"]);
        assert_eq!(fs::metadata(folder.at("file")).unwrap().len(), 3);
    }

    #[test]
    fn a_draft_inside_a_folder_fills_it_or_leaves_it_as_it_was() {
        let folder = Folder::new();
        let draft = |folder: &Folder| {
            let draft = FolderDraft::new(folder.path(), 1).unwrap();
            for at in ["a.json", "b/c", "d"] {
                draft.file(&path(at), &Blob::from_bytes("x"), Executable::No, &Interrupt::new()).unwrap();
            }
            draft
        };
        draft(&folder).commit_into(folder.path(), "a.json").unwrap();
        assert_eq!(names(&folder), ["a.json", "b", "d"]);
        // Another program puts a file there meanwhile.
        let folder = Folder::new();
        let inside = draft(&folder);
        let folder = folder.file("d", "theirs");
        let error = inside.commit_into(folder.path(), "a.json").unwrap_err();
        assert_eq!((error.kind(), names(&folder)), (io::ErrorKind::AlreadyExists, vec!["d".to_owned()]));
    }

    #[test]
    fn several_folders_get_their_names_together_or_not_at_all() {
        let interrupt = Interrupt::new();
        let draft = |folder: &Folder| {
            let draft = FolderDraft::new(folder.path(), 1).unwrap();
            for at in ["a/new", "b/new", "c/new"] {
                draft.file(&path(at), &Blob::from_bytes("x"), Executable::No, &interrupt).unwrap();
            }
            draft
        };
        let order = [("a", Existing::Keep), ("b", Existing::Replace), ("c", Existing::Keep)];
        let order = order.map(|(name, existing)| (name.to_owned(), existing));
        let folder = Folder::new().file("b/old", "old");
        draft(&folder).commit_each(folder.path(), &order).unwrap();
        assert_eq!(names(&folder), ["a", "b", "c"]);
        assert!(folder.at("b/new").exists() && !folder.at("b/old").exists());
        // Another program takes the last name meanwhile.
        let folder = Folder::new().file("b/old", "old");
        let started = draft(&folder);
        let folder = folder.file("c/theirs", "theirs");
        let error = started.commit_each(folder.path(), &order).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(&folder), ["b", "c"]);
        assert!(folder.at("b/old").exists() && folder.at("c/theirs").exists());
    }

    #[test]
    fn a_folder_of_many_files_is_as_whole_as_one_of_few() {
        let folder = Folder::new();
        for (name, files) in [("few", 1), ("many", MOST_SYNCED + 1)] {
            let draft = FolderDraft::new(folder.path(), files).unwrap();
            for number in 0..files {
                let path = path(&format!("a/{number}"));
                draft.file(&path, &Blob::from_bytes("x"), Executable::No, &Interrupt::new()).unwrap();
            }
            draft.commit(&folder.at(name)).unwrap();
            assert_eq!(fs::read_dir(folder.at(name).join("a")).unwrap().count(), files);
        }
        assert_eq!(names(&folder), ["few", "many"]);
    }

    #[test]
    fn an_interrupted_draft_says_so() {
        let folder = Folder::new();
        let interrupt = Interrupt::new();
        interrupt.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        let draft = FolderDraft::new(folder.path(), 1).unwrap();
        let refused = draft.file(&path("a"), &Blob::from_bytes("x"), Executable::No, &interrupt);
        assert_eq!(refused.unwrap_err().to_string(), "interrupted");
    }
}
