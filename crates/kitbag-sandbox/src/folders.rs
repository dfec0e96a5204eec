//! [`Folders`]: the folders in memory that a sandbox hands out, to be kept or to be looked at.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::io::Errno as Refusal;

use crate::counter::{Taken, take};
use crate::kept::Kept;
use crate::outcome::Breach;
use crate::plan::Afterwards;
use crate::temporary::Temporary;

/// One folder that is handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handed {
    /// What it is called inside.
    pub(crate) at: PathBuf,
    /// What becomes of it.
    pub(crate) afterwards: Afterwards,
    /// The most files in it, where nobody but the supervisor counts them.
    pub(crate) files: Option<u64>,
    /// The most bytes in it, where nobody but the supervisor counts them.
    pub(crate) bytes: Option<u64>,
}

/// A folder of the host that was made for a run, where there is none in memory.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) temporary: Temporary,
    /// The folder itself, whatever lies at its name.
    pub(crate) held: OwnedFd,
    /// What becomes of it.
    pub(crate) afterwards: Afterwards,
    /// The most bytes in it.
    pub(crate) bytes: u64,
    /// The most files in it.
    pub(crate) files: u64,
}

/// The folders of one run.
#[derive(Debug)]
pub(crate) struct Folders {
    /// Where they come through, in their order. They wait there until they are taken.
    keeper: OwnedFd,
    handed: Vec<Handed>,
    taken: Vec<OwnedFd>,
    /// Those that the supervisor has made itself.
    made: Vec<Made>,
}

impl Folders {
    pub(crate) const fn new(keeper: OwnedFd, handed: Vec<Handed>, made: Vec<Made>) -> Self {
        Self { keeper, handed, taken: Vec::new(), made }
    }

    /// Whether there is something to look at while the program runs.
    pub(crate) fn are_counted(&self) -> bool {
        self.handed.iter().any(|folder| folder.files.is_some() || folder.bytes.is_some())
    }

    /// The limit that is gone over, where one of them holds more than it may.
    pub(crate) fn breach(&mut self) -> Result<Option<Breach>, Refusal> {
        self.take()?;
        for (folder, handed) in self.taken.iter().zip(&self.handed) {
            if handed.files.is_none() && handed.bytes.is_none() {
                continue;
            }
            let system = rustix::fs::fstatvfs(folder)?;
            // The folder itself is one.
            let files = system.f_files.saturating_sub(system.f_ffree).saturating_sub(1);
            let bytes = system.f_blocks.saturating_sub(system.f_bfree).saturating_mul(system.f_frsize);
            if handed.files.is_some_and(|at_most| files > at_most) {
                return Ok(Some(Breach::Files));
            }
            if handed.bytes.is_some_and(|at_most| bytes > at_most) {
                return Ok(Some(Breach::FolderSize));
            }
        }
        Ok(None)
    }

    /// Those that are kept, in the order in which they were made. A run that was ended while its tree was made handed out no
    /// more.
    pub(crate) fn kept(mut self) -> Result<Vec<Kept>, Refusal> {
        self.take()?;
        let pairs = self.handed.into_iter().zip(self.taken);
        let kept = pairs.filter(|(handed, _)| handed.afterwards == Afterwards::Kept);
        let kept = kept.map(|(handed, folder)| Kept::new(handed.at, folder));
        let made = self.made.into_iter().filter(|made| made.afterwards == Afterwards::Kept);
        Ok(kept.chain(made.map(|made| Kept::of_host(made.temporary, made.held))).collect())
    }

    /// Takes those that wait.
    fn take(&mut self) -> Result<(), Refusal> {
        while self.taken.len() < self.handed.len() {
            let Taken::Descriptor(folder, _) = take(&self.keeper)? else { break };
            self.taken.push(folder);
        }
        Ok(())
    }
}
