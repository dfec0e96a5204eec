//! What is in a cache, whether it still is what it should be, and what of it nobody needs.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kitbag_core::digest::Sha256;

use crate::interrupt::Interrupt;
use crate::lock::{self, Hold};
use crate::run::copy;

use super::cache::{BLOBS, COPIES, Cache, DATA, PARTIAL, RUNS, remove};
use super::{Error, Patience};

/// What something in a cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A content, by its digest.
    Content,
    /// The beginning of one.
    Partial,
    /// The copy of a package that was run, by the digest of its files.
    Package,
    /// What tools of a package keep between runs.
    Data,
    /// What a program that was ended has left.
    Leftover,
}

impl Kind {
    /// Its name in every answer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Partial => "partial",
            Self::Package => "package",
            Self::Data => "data",
            Self::Leftover => "leftover",
        }
    }
}

/// One thing in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// Its name: a digest, or `publisher/name` for data.
    pub name: String,
    /// How many bytes it has, with everything in it.
    pub bytes: u64,
    /// When it was last of use, as far as the system says.
    pub used: Option<SystemTime>,
    path: PathBuf,
}

/// A content or a copy, compared with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What was compared.
    pub entry: Entry,
    /// Whether it is what its name says.
    pub is_right: bool,
}

/// Whether what tools keep is collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Data {
    /// It stays: nobody can fetch it again.
    #[default]
    Stays,
    /// It goes like everything else.
    Goes,
}

/// Whether anything is taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dry {
    /// It is.
    #[default]
    No,
    /// It is only said what would be.
    Yes,
}

/// What to collect.
#[derive(Clone, Copy, Debug)]
pub struct Collect {
    /// Whatever was of use since then stays.
    pub unused_since: SystemTime,
    /// What becomes of data.
    pub data: Data,
    /// Whether anything is taken away.
    pub dry: Dry,
}

/// What was collected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// What went.
    pub gone: Vec<Entry>,
    /// What stayed because a program uses it now.
    pub in_use: Vec<Entry>,
    /// How many things stayed because they were of use lately, or are data.
    pub stayed: usize,
}

impl Collected {
    /// How many bytes went.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.gone.iter().fold(0, |sum, entry| sum.saturating_add(entry.bytes))
    }
}

impl Cache {
    /// Everything in it, by kind and name.
    ///
    /// # Errors
    /// [`Error::Io`], when it cannot be looked at.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        let blobs = self.folder.join(BLOBS);
        let mut entries = Vec::new();
        for (folder, kind) in [
            (blobs.clone(), Kind::Content),
            (blobs.join(PARTIAL), Kind::Partial),
            (self.folder.join(COPIES), Kind::Package),
            (self.folder.join(RUNS), Kind::Leftover),
        ] {
            for (name, path) in names(&folder)? {
                if kind == Kind::Content && name == PARTIAL {
                    continue;
                }
                // A note about a beginning belongs to it.
                let of_partial = name.strip_suffix(".json").unwrap_or(&name);
                let kind = match kind {
                    Kind::Leftover => kind,
                    _ if Sha256::from_hex(&name).is_some() => kind,
                    Kind::Partial if folder.join(of_partial).exists() && of_partial != name => continue,
                    _ => Kind::Leftover,
                };
                entries.extend(entry(kind, name, path)?);
            }
        }
        for (publisher, folder) in names(&self.folder.join(DATA))? {
            for (name, path) in names(&folder)? {
                entries.extend(entry(Kind::Data, format!("{publisher}/{name}"), path)?);
            }
        }
        entries.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
        Ok(entries)
    }

    /// Compares every content and every copy with its name, byte for byte.
    ///
    /// # Errors
    /// [`Error`], when one cannot be read or whoever waits no longer does.
    pub fn verify(&self, interrupt: &Interrupt) -> Result<Vec<Checked>, Error> {
        let patience = Patience::of(interrupt);
        let mut checked = Vec::new();
        for entry in self.list()? {
            patience.check()?;
            let Some(digest) = Sha256::from_hex(&entry.name) else { continue };
            let is_right = match entry.kind {
                Kind::Content => is_content(&entry.path, digest)?,
                Kind::Package => Some(copy::is_still(&entry.path, digest)),
                Kind::Partial | Kind::Data | Kind::Leftover => None,
            };
            if let Some(is_right) = is_right {
                checked.push(Checked { entry, is_right });
            }
        }
        Ok(checked)
    }

    /// Takes away what was of no use lately. What a program uses now stays, whatever else is so.
    ///
    /// # Errors
    /// [`Error`], when something cannot be looked at or taken away.
    pub fn collect(&self, collect: &Collect, interrupt: &Interrupt) -> Result<Collected, Error> {
        let patience = Patience::of(interrupt);
        let mut collected = Collected::default();
        for entry in self.list()? {
            patience.check()?;
            let is_kept = match entry.kind {
                Kind::Data => collect.data == Data::Stays,
                // Nobody comes back for it.
                Kind::Leftover => false,
                _ => entry.used.is_some_and(|used| used >= collect.unused_since),
            };
            if is_kept {
                collected.stayed += 1;
                continue;
            }
            match take_away(&entry, collect.dry)? {
                Taken::Gone => collected.gone.push(entry),
                Taken::InUse => collected.in_use.push(entry),
                Taken::NotThere => {}
            }
        }
        Ok(collected)
    }
}

enum Taken {
    Gone,
    InUse,
    /// Somebody else was faster.
    NotThere,
}

/// Takes something away, unless somebody has its lock.
fn take_away(entry: &Entry, dry: Dry) -> Result<Taken, Error> {
    let failed = |error| Error::io("remove", &entry.path, error);
    let file = match fs::symlink_metadata(&entry.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::NotThere),
        Err(error) => return Err(failed(error)),
        // What is neither was not put here by us; nobody uses it.
        Ok(found) if !found.is_file() && !found.is_dir() => None,
        Ok(_) => match File::open(&entry.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::NotThere),
            // A folder cannot be opened everywhere; where it cannot, nobody has its lock.
            Err(_) if cfg!(not(unix)) => None,
            opened => Some(opened.map_err(failed)?),
        },
    };
    if let Some(file) = &file {
        if !lock::attempt(file, Hold::Alone).map_err(failed)? {
            return Ok(Taken::InUse);
        }
        if !lock::is_at(file, &entry.path).map_err(failed)? {
            return Ok(Taken::NotThere);
        }
    }
    if dry == Dry::No {
        remove(&entry.path)?;
        if entry.kind == Kind::Partial {
            remove(&entry.path.with_extension("json"))?;
        }
    }
    Ok(Taken::Gone)
}

/// Whether a content is what its name says; `None` where somebody took it away meanwhile.
fn is_content(path: &Path, digest: Sha256) -> Result<Option<bool>, Error> {
    let compared = fs::symlink_metadata(path)
        .and_then(|found| Ok(found.is_file() && Sha256::of_reader(&mut File::open(path)?)? == digest));
    match compared {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        compared => compared.map(Some).map_err(|error| Error::io("read", path, error)),
    }
}

/// What is in a folder, by name; nothing where it is not there. Names that are no text are none of ours.
fn names(folder: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let failed = |error| Error::io("list", folder, error);
    let entries = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.is_dir() => return Ok(Vec::new()),
        Ok(_) => fs::read_dir(folder).map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if let Ok(name) = entry.file_name().into_string() {
            names.push((name, entry.path()));
        }
    }
    Ok(names)
}

fn entry(kind: Kind, name: String, path: PathBuf) -> Result<Option<Entry>, Error> {
    let found = match fs::symlink_metadata(&path) {
        // Somebody took it away meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| Error::io("look at", &path, error))?,
    };
    let bytes = bytes_below(&path).map_err(|error| Error::io("look at", &path, error))?;
    Ok(Some(Entry { kind, name, bytes, used: found.modified().ok(), path }))
}

/// The bytes of all files below `path`; links are not followed, and what goes away meanwhile counts for nothing.
pub(crate) fn bytes_below(path: &Path) -> io::Result<u64> {
    let mut todo = vec![path.to_owned()];
    let mut bytes: u64 = 0;
    while let Some(path) = todo.pop() {
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            found => found?,
        };
        if found.is_dir() {
            for entry in fs::read_dir(&path)? {
                todo.push(entry?.path());
            }
        } else {
            bytes = bytes.saturating_add(found.len());
        }
    }
    Ok(bytes)
}
