//! Making the run's folders, and starting its first process.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::Path;

use rustix::fs::{Gid, Mode, OFlags, Uid};

use super::Errand;
use super::places::{Content, Folder};
use crate::backend::{Begun, Ends, nobody_for_root};
use crate::folders::Made;
use crate::inside;
use crate::leash::Leash;
use crate::run::Error;
use crate::step::Step;
use crate::supervise::step;
use crate::temporary::Temporary;

/// Makes what is to be made, and starts a child that carries out the orders.
pub(in crate::backend) fn start(errand: Errand, ends: &Ends<'_>) -> Result<Begun, Error> {
    let Errand { mut orders, places } = errand;
    let mut made = Vec::new();
    for folder in &places.folders {
        made.push(make(folder).map_err(|source| Error::Step {
            step: Step::Place,
            source: io::Error::new(source.kind(), format!("{}: {source}", folder.at.display())),
        })?);
    }
    orders.entry = ends.entry.clone();
    orders.foreign = ends.foreign();
    orders.within.connect(ends.descriptors());
    let started = inside::start_alone(&orders).map_err(|errno| step(Step::Clone, errno))?;
    let leash = Leash::of_keeper(started.pidfd);
    Ok(Begun { first: started.process, leash, complaints: None, made })
}

fn make(folder: &Folder) -> io::Result<Made> {
    let Folder { at, bytes, files, afterwards, content } = folder;
    let temporary = Temporary::make(at)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::open(at, flags, Mode::empty())?;
    for content in content {
        match content {
            Content::File(at, bytes) => write(at, bytes)?,
            Content::Link(at, to) => symlink(to, at)?,
        }
    }
    if let Some(nobody) = nobody_for_root() {
        rustix::fs::fchown(&held, Some(Uid::from_raw(nobody.user)), Some(Gid::from_raw(nobody.group)))?;
    }
    Ok(Made { temporary, held, afterwards: *afterwards, bytes: *bytes, files: *files })
}

/// Writes a file that everybody may read, where none is.
fn write(at: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o644).open(at)?.write_all(bytes)
}
