//! The folders of a project that a tool writes to: they are made before it begins, and no way to them leads out of the project.

use std::fs;
use std::io;
use std::path::Path;

/// Makes each of `paths`, safe paths of the format or `.`, below `project`. What cannot be made is left, and the sandbox says
/// that it is not there.
pub(super) fn make(project: &Path, paths: &[String]) {
    let Ok(root) = fs::canonicalize(project) else { return };
    for path in paths.iter().filter(|path| *path != ".") {
        let _left = make_one(&root, path);
    }
}

fn make_one(root: &Path, path: &str) -> io::Result<()> {
    let mut folder = root.to_owned();
    for name in path.split('/') {
        let next = folder.join(name);
        folder = match fs::symlink_metadata(&next) {
            Ok(metadata) if metadata.is_dir() => next,
            // The last one may be a file.
            Ok(metadata) if metadata.is_symlink() => {
                let real = fs::canonicalize(&next)?;
                if !real.starts_with(root) {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "leads out of the project"));
                }
                real
            }
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&next)?;
                next
            }
            Err(error) => return Err(error),
        };
    }
    Ok(())
}
