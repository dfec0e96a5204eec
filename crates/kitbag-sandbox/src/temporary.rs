//! [`Temporary`]: a folder of the host that was made for one run, and goes with it.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The most folders that are made removable.
const FOLDERS_AT_MOST: usize = 1_000_000;

/// A folder that is removed, with everything in it, when this is dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Makes a folder into which only its owner gets.
    ///
    /// # Errors
    /// When there is something already, or nothing can be made there.
    pub(crate) fn make(path: &Path) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(path)?;
        Ok(Self { path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A program may have closed a folder to its owner. By now nobody is left who could put a link in its place.
        if fs::remove_dir_all(&self.path).is_err() && self.path.exists() {
            open_to_owner(&self.path);
            // What cannot be removed now never can.
            let _left = fs::remove_dir_all(&self.path);
        }
    }
}

/// Lets the owner into `folder` and every folder below.
fn open_to_owner(folder: &Path) {
    let mut todo = vec![folder.to_owned()];
    for _ in 0..FOLDERS_AT_MOST {
        let Some(folder) = todo.pop() else { return };
        if fs::set_permissions(&folder, Permissions::from_mode(0o700)).is_err() {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        todo.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use kitbag_testkit::folder::Folder;

    use super::Temporary;

    #[test]
    fn a_folder_goes_with_everything_in_it_and_nothing_that_it_leads_to() {
        let folder = Folder::new().file("kept", "kept").folder("outside");
        let path = folder.at("made");
        let made = Temporary::make(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(Temporary::make(&path).is_err(), "it is there already");
        fs::create_dir_all(path.join("closed/deep")).unwrap();
        fs::write(path.join("closed/deep/file"), "x").unwrap();
        symlink(folder.at("outside"), path.join("link")).unwrap();
        fs::write(folder.at("outside/file"), "x").unwrap();
        fs::set_permissions(path.join("closed/deep"), Permissions::from_mode(0o300)).unwrap();
        fs::set_permissions(path.join("closed"), Permissions::from_mode(0o000)).unwrap();
        drop(made);
        assert!(!path.exists());
        assert!(folder.at("outside/file").exists() && folder.at("kept").exists());
    }
}
