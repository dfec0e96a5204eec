//! [`Watched`]: what a folder holds, by content, to find what was changed in it meanwhile.
//!
//! Sizes and times are not looked at: whoever changes a file can set both (SkillPact §10: "by content hash, not by size or
//! time").

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;
use rustix::fs::FileType;

use crate::beneath::{Beneath, too_large};

/// A folder as it was at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    entries: BTreeMap<PathBuf, State>,
}

/// How much of a folder is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchLimits {
    /// The most files, folders and links.
    pub entries: usize,
    /// The most bytes of all files together.
    pub bytes: u64,
}

impl Default for WatchLimits {
    /// What the largest package of any format may hold.
    fn default() -> Self {
        Self { entries: 65_536, bytes: 1 << 30 }
    }
}

/// What something is, as far as a program can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Folder {
        mode: u32,
    },
    File {
        mode: u32,
        digest: Sha256,
    },
    Link(PathBuf),
    /// A pipe, a socket or a device, which are never read.
    Other {
        mode: u32,
        device: u64,
    },
}

/// Something that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Where, from the watched folder.
    pub path: PathBuf,
    /// What became of it.
    pub kind: ChangeKind,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It was not there.
    Added,
    /// It is not there any more.
    Removed,
    /// Its content, or what a link says, is another.
    Content,
    /// Who may do what with it is another.
    Mode,
    /// It is another kind of thing.
    Kind,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.kind {
            ChangeKind::Added => write!(f, "`{path}` was added"),
            ChangeKind::Removed => write!(f, "`{path}` was removed"),
            ChangeKind::Content => write!(f, "the content of `{path}` was changed"),
            ChangeKind::Mode => write!(f, "the permissions of `{path}` were changed"),
            ChangeKind::Kind => write!(f, "`{path}` became something else"),
        }
    }
}

impl Watched {
    /// The folder as it is now. Links in it are not followed, other file systems mounted in it are not entered.
    ///
    /// # Errors
    /// When it holds more than `limits` say, or something in it may not be read.
    pub fn new(folder: &Path, limits: WatchLimits) -> io::Result<Self> {
        let folder = Beneath::open_folder(folder)?;
        let mut entries = BTreeMap::new();
        let mut left = limits.bytes;
        folder.walk(limits.entries, |found| {
            let mode = found.stat.st_mode & 0o7777;
            let state = match found.kind() {
                FileType::Directory => State::Folder { mode },
                FileType::RegularFile => {
                    // One byte more than there may be tells that there is more.
                    let mut content = folder.file(found.path)?.take(left.saturating_add(1));
                    let digest = Sha256::of_reader(&mut content)?;
                    let read = left.saturating_add(1) - content.limit();
                    left = left
                        .checked_sub(read)
                        .ok_or_else(|| too_large(format!("more than {} bytes", limits.bytes)))?;
                    State::File { mode, digest }
                }
                FileType::Symlink => State::Link(found.link()?),
                _ => State::Other { mode: found.stat.st_mode, device: found.stat.st_rdev },
            };
            entries.insert(found.path.to_owned(), state);
            Ok(())
        })?;
        Ok(Self { entries })
    }

    /// What is not as it was, when `after` is how it is now; sorted by path.
    #[must_use]
    pub fn changes(&self, after: &Self) -> Vec<Change> {
        let change = |path: &PathBuf, kind| Change { path: path.clone(), kind };
        let removed = self.entries.keys().filter(|path| !after.entries.contains_key(*path));
        let mut changes: Vec<Change> = removed.map(|path| change(path, ChangeKind::Removed)).collect();
        for (path, now) in &after.entries {
            let kind = match self.entries.get(path) {
                None => Some(ChangeKind::Added),
                Some(before) => before.became(now),
            };
            changes.extend(kind.map(|kind| change(path, kind)));
        }
        changes.sort();
        changes
    }
}

impl State {
    fn became(&self, now: &Self) -> Option<ChangeKind> {
        match (self, now) {
            (before, now) if before == now => None,
            (Self::File { digest: before, .. }, Self::File { digest: now, .. }) if before == now => {
                Some(ChangeKind::Mode)
            }
            (Self::File { .. }, Self::File { .. }) | (Self::Link(_), Self::Link(_)) => {
                Some(ChangeKind::Content)
            }
            (Self::Folder { .. }, Self::Folder { .. }) => Some(ChangeKind::Mode),
            _ => Some(ChangeKind::Kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, FileTimes};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use kitbag_testkit::folder::Folder;

    use super::{Change, ChangeKind, WatchLimits, Watched};

    fn now(folder: &Folder) -> Watched {
        Watched::new(folder.path(), WatchLimits::default()).unwrap()
    }

    fn kinds(before: &Watched, folder: &Folder) -> Vec<(String, ChangeKind)> {
        let changes = before.changes(&now(folder));
        changes.into_iter().map(|Change { path, kind }| (path.to_str().unwrap().to_owned(), kind)).collect()
    }

    #[test]
    fn an_edit_of_the_same_size_and_time_is_seen() {
        let folder = Folder::new().file("SKILL.md", "one").file("scripts/run.sh", "echo 1");
        let path = folder.at("scripts/run.sh");
        let before = now(&folder);
        assert_eq!(kinds(&before, &folder), [], "nothing was done");
        let times = fs::metadata(&path).unwrap();
        fs::write(&path, "echo 2").unwrap();
        let set =
            FileTimes::new().set_modified(times.modified().unwrap()).set_accessed(times.accessed().unwrap());
        File::options().write(true).open(&path).unwrap().set_times(set).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.len(), after.modified().unwrap()), (times.len(), times.modified().unwrap()));
        assert_eq!(kinds(&before, &folder), [("scripts/run.sh".to_owned(), ChangeKind::Content)]);
        fs::write(&path, "echo 1").unwrap();
        assert_eq!(kinds(&before, &folder), [], "what was put back is as it was");
    }

    #[test]
    fn every_kind_of_change_is_told() {
        let folder = Folder::new().file("a", "1").file("b", "2").file("c", "3").folder("d").file("f/g", "4");
        symlink("a", folder.at("link")).unwrap();
        symlink("a", folder.at("other")).unwrap();
        let before = now(&folder);
        fs::remove_file(folder.at("a")).unwrap();
        fs::set_permissions(folder.at("b"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(folder.at("c")).unwrap();
        fs::create_dir(folder.at("c")).unwrap();
        fs::set_permissions(folder.at("d"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.at("f/new"), "").unwrap();
        fs::remove_file(folder.at("link")).unwrap();
        symlink("b", folder.at("link")).unwrap();
        let expected = [
            ("a", ChangeKind::Removed),
            ("b", ChangeKind::Mode),
            ("c", ChangeKind::Kind),
            ("d", ChangeKind::Mode),
            ("f/new", ChangeKind::Added),
            ("link", ChangeKind::Content),
        ];
        assert_eq!(kinds(&before, &folder), expected.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn no_link_is_followed_and_no_pipe_is_waited_for() {
        let folder = Folder::new().file("inside", "1");
        symlink("/", folder.at("root")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.at("pipe")).status().unwrap();
        assert!(made.success());
        let before = now(&folder);
        fs::remove_file(folder.at("pipe")).unwrap();
        assert_eq!(kinds(&before, &folder), [("pipe".to_owned(), ChangeKind::Removed)]);
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_just_fits_is_not() {
        let folder = Folder::new().file("a", "12345").file("b", "12345");
        let watch = |entries, bytes| Watched::new(folder.path(), WatchLimits { entries, bytes });
        assert!(watch(2, 10).is_ok());
        assert_eq!(watch(2, 9).unwrap_err().to_string(), "more than 9 bytes");
        assert_eq!(watch(1, 10).unwrap_err().to_string(), "more than 1 entries");
        assert!(Watched::new(Path::new("/nothing/here"), WatchLimits::default()).is_err());
    }
}
