//! What is made in a sandbox's tree, in order, whoever makes it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsStr};
use std::path::{Path, PathBuf};

use super::NOBODY;
use crate::inside::{MOUNTS_AT_MOST, Operation};
use crate::owners;
use crate::plan::{Afterwards, Item, Plan, PlanError, Rights, inside, text};
use crate::run::Error;

/// Devices without which few programs start.
pub(super) const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Whose the files of the host are inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owners {
    /// Whose they are outside.
    Kept,
    /// What is root's is the program's.
    Exchanged,
}

/// What is made, in order. Folders above an item are made as long as the tree itself is what they would be made in; a
/// folder of the host is never written to, so a place inside one must be there.
pub(super) fn tree(plan: &Plan, owners: Owners) -> Result<Vec<Operation>, Error> {
    let mut made = Made::default();
    for item in plan.tree.iter().filter(|item| !matches!(item, Item::Link { .. })) {
        let at = item.at();
        match item {
            Item::Host { from, rights, .. } => {
                // A place is a folder or a file as its source is; what it is when the child looks is what counts, and
                // a source that changed its kind meanwhile cannot be attached.
                let metadata = std::fs::metadata(from).map_err(|source| Error::Step {
                    step: crate::step::Step::Source,
                    source: std::io::Error::new(source.kind(), format!("{}: {source}", from.display())),
                })?;
                let kind = if metadata.is_dir() { Kind::Folder } else { Kind::File };
                made.place(at, kind)?;
                made.host.insert(at.to_owned(), kind);
                let attributes = Operation::TAME
                    | match rights {
                        Rights::Read => Operation::READ_ONLY | Operation::NO_EXECUTION,
                        Rights::Code => Operation::READ_ONLY,
                        Rights::Write => Operation::NO_EXECUTION,
                        Rights::WriteCode => 0,
                    };
                let from = text(from.as_os_str())?;
                // What is code is read by everybody anyway.
                let is_exchanged = owners == Owners::Exchanged && *rights != Rights::Code;
                let copy = is_exchanged.then(|| owners::copy(&from, attributes, NOBODY)).flatten();
                made.operations.push(Operation::Bind { from, at: inside(at)?, attributes, copy });
            }
            Item::Memory { bytes, files, afterwards, .. } => {
                made.place(at, Kind::Folder)?;
                made.operations.push(Operation::Memory {
                    at: inside(at)?,
                    size: number(*bytes),
                    // The folder itself is one.
                    inodes: number(files.saturating_add(1)),
                    kept: *afterwards == Afterwards::Kept,
                });
            }
            Item::File { content, .. } => {
                made.own(at)?;
                made.operations.push(Operation::File(inside(at)?, content.clone()));
            }
            Item::Link { .. } => {}
        }
    }
    for device in DEVICES {
        let at = Path::new("/dev").join(device);
        made.place(&at, Kind::File)?;
        made.operations.push(Operation::Bind {
            from: text(at.as_os_str())?,
            at: inside(&at)?,
            attributes: Operation::DEVICE,
            copy: None,
        });
    }
    made.place(Path::new("/proc"), Kind::Folder)?;
    // Links come last: nothing is made through one.
    for item in &plan.tree {
        if let Item::Link { at, to } = item {
            made.own(at)?;
            made.operations.push(Operation::Link(text(to.as_os_str())?, inside(at)?));
        }
    }
    for (at, to) in [
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
    ] {
        made.operations.push(Operation::Link(text(OsStr::new(to))?, text(OsStr::new(at))?));
    }
    let sources =
        made.operations.iter().filter(|operation| matches!(operation, Operation::Bind { .. })).count();
    if sources > MOUNTS_AT_MOST {
        return Err(PlanError::TooMany.into());
    }
    Ok(made.operations)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
}

#[derive(Default)]
struct Made {
    operations: Vec<Operation>,
    folders: BTreeSet<PathBuf>,
    /// What is of the host, and what it is.
    host: BTreeMap<PathBuf, Kind>,
}

impl Made {
    /// Makes the folders above `at`, which is about to be made itself: only in the tree's own folders.
    fn own(&mut self, at: &Path) -> Result<(), Error> {
        if self.is_of_host(at) {
            return Err(PlanError::InsideHost(at.to_owned()).into());
        }
        self.above(at)
    }

    /// Makes the folders above `at`.
    fn above(&mut self, at: &Path) -> Result<(), Error> {
        if at.ancestors().any(|above| self.host.get(above) == Some(&Kind::File)) {
            return Err(PlanError::BelowNoFolder(at.to_owned()).into());
        }
        let mut above: Vec<&Path> = at.ancestors().skip(1).filter(|path| *path != Path::new("/")).collect();
        above.reverse();
        for folder in above {
            self.folder(folder)?;
        }
        Ok(())
    }

    /// Makes `at` itself, to attach something there, and the folders above.
    fn place(&mut self, at: &Path, kind: Kind) -> Result<(), Error> {
        self.above(at)?;
        match kind {
            Kind::Folder => self.folder(at),
            Kind::File if self.is_of_host(at) => Ok(()),
            Kind::File => {
                self.operations.push(Operation::File(inside(at)?, Vec::new()));
                Ok(())
            }
        }
    }

    fn folder(&mut self, at: &Path) -> Result<(), Error> {
        if !self.is_of_host(at) && self.folders.insert(at.to_owned()) {
            self.operations.push(Operation::Folder(inside(at)?));
        }
        Ok(())
    }

    fn is_of_host(&self, at: &Path) -> bool {
        at.ancestors().any(|above| self.host.contains_key(above))
    }
}

fn number(value: u64) -> CString {
    CString::new(value.to_string()).unwrap_or_default()
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
