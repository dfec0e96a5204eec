//! Locks between programs, on files and folders that are there anyway. The system lets go of them when a program ends, however
//! it does. Where a name may be given to something else meanwhile, a lock is worth something only as long as the name still
//! leads to what is locked, which [`is_at`] tells.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// What a lock is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// With others.
    Shared,
    /// Without.
    Alone,
}

/// The longest pause between two looks at a lock that somebody else has.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Takes the lock of `file`, unless somebody else has it. Says whether it was taken.
pub(crate) fn attempt(file: &File, hold: Hold) -> io::Result<bool> {
    let taken = match hold {
        Hold::Shared => file.try_lock_shared(),
        Hold::Alone => file.try_lock(),
    };
    match taken {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Waits for the lock of `file` for as long as somebody waits for us. Says whether it was taken.
pub(crate) fn wait(file: &File, hold: Hold, is_wanted: impl Fn() -> bool) -> io::Result<bool> {
    let mut pause = Duration::from_millis(1);
    loop {
        if attempt(file, hold)? {
            return Ok(true);
        }
        if !is_wanted() {
            return Ok(false);
        }
        // Waiting inside the system could not be interrupted.
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Whether `file` is what is at `path`, which is no link.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        there => there?,
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let here = file.metadata()?;
        Ok((here.dev(), here.ino()) == (there.dev(), there.ino()))
    }
    // Where nothing that is open can be taken away, it is what was opened.
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(!there.is_symlink())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_testkit::folder::Folder;

    #[test]
    fn many_hold_together_or_one_alone() {
        let folder = Folder::new().file("a", "a");
        let open = || File::open(folder.at("a")).unwrap();
        let (one, two, three) = (open(), open(), open());
        assert!(attempt(&one, Hold::Shared).unwrap() && attempt(&two, Hold::Shared).unwrap());
        assert!(!attempt(&three, Hold::Alone).unwrap());
        assert!(!wait(&three, Hold::Alone, || false).unwrap(), "nobody waits for it");
        drop((one, two));
        assert!(wait(&three, Hold::Alone, || true).unwrap());
        assert!(!attempt(&open(), Hold::Shared).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn what_was_replaced_is_no_longer_at_its_place() {
        let folder = Folder::new().file("a", "a").file("b", "b").folder("c").link("d", "a");
        let file = File::open(folder.at("a")).unwrap();
        assert!(is_at(&file, &folder.at("a")).unwrap());
        assert!(!is_at(&file, &folder.at("d")).unwrap());
        fs::rename(folder.at("b"), folder.at("a")).unwrap();
        assert!(!is_at(&file, &folder.at("a")).unwrap());
        assert!(!is_at(&file, &folder.at("b")).unwrap());
        let inner = File::open(folder.at("c")).unwrap();
        assert!(is_at(&inner, &folder.at("c")).unwrap() && attempt(&inner, Hold::Alone).unwrap());
    }
}
