//! [`Unpacking`]: what every container's entries go through on their way into the tree. Budgets are spent here.

use std::io::{self, Read};

use crate::finding::{Code, Finding, Findings, Place};
use crate::limits::{Budget, Exceeded, Limits};
use crate::path::PackagePath;
use crate::tree::{Blob, Executable, InsertError, Node, Root, Tree};

use super::codes;
use super::name::{self, Names};
use super::refusal::{Error, Offset, Refusal, shown};
use super::source::fill;
use super::spool::Spool;

/// The loosest limits that a format which travels in archives allows: the bytes are .adcap's (512 MiB, §2), the ratio is
/// Open-Science's (1,000), whose bundles hold 32,768 files. Folders are entries too, those that only stand in other names
/// included, so that there may be three times as many. A real package is far below all of them.
pub const LIMITS: Limits = Limits {
    entries: 4 * 32_768,
    depth: 64,
    file_bytes: 512 << 20,
    total_bytes: 512 << 20,
    archive_bytes: 512 << 20,
    ratio: 1_000,
    ..Limits::LOOSEST
};

/// A file up to this length may stay in memory,
const SMALL_BYTES: u64 = 64 << 10;
/// as long as all that stayed are no longer than this. The rest goes through the spool.
const KEPT_BYTES: u64 = 8 << 20;
/// All names together, with the folders they imply. Names are all that a reader must hold at once.
const NAME_BYTES: u64 = 16 << 20;
/// Longest target of a link; none is followed, so it is only shown.
pub(super) const LINK_BYTES: usize = 4096;

/// How an archive is read.
pub struct Reading<'a> {
    /// The name the tree gets, where the archive's own place gives it one.
    pub name: Option<String>,
    /// Most of everything; [`LIMITS`] before the format is known.
    pub limits: Limits,
    /// Where large contents go.
    pub spool: &'a mut dyn Spool,
}

/// What came out of an archive that was read to its end.
#[derive(Debug)]
pub struct Unpacked {
    /// The entries. Links and special files are in it as such, for a check to report.
    pub tree: Tree,
    /// The entry that stands first.
    pub first: Option<PackagePath>,
    /// The entry that stands last.
    pub last: Option<PackagePath>,
    /// What is legal and still worth saying: at most one finding for each code.
    pub remarks: Findings,
}

/// A tree under construction, and what may still be spent on it.
pub(super) struct Unpacking<'a> {
    tree: Tree,
    first: Option<PackagePath>,
    last: Option<PackagePath>,
    budget: Budget,
    name_bytes: u64,
    kept_bytes: u64,
    spool: &'a mut dyn Spool,
    remarks: Vec<Remark>,
}

struct Remark {
    code: &'static Code,
    first: PackagePath,
    others: u64,
}

impl<'a> Unpacking<'a> {
    pub(super) fn new(reading: Reading<'a>) -> Self {
        Self {
            tree: Tree::new(reading.name, Root::Archive),
            first: None,
            last: None,
            budget: Budget::new(reading.limits),
            name_bytes: 0,
            kept_bytes: 0,
            spool: reading.spool,
            remarks: Vec::new(),
        }
    }

    pub(super) const fn limits(&self) -> &Limits {
        self.budget.limits()
    }

    /// Pays for one record of the archive, before anything is kept of it.
    pub(super) fn spend_entry(&mut self, at: Offset) -> Result<(), Refusal> {
        self.budget.spend_entry().map_err(|exceeded| Refusal::exceeded(exceeded, at))
    }

    /// Pays for bytes that are neither name nor content, such as an extension record's.
    pub(super) fn spend_overhead(&mut self, bytes: u64, at: Offset) -> Result<(), Refusal> {
        self.budget.spend_bytes(0, bytes).map_err(|exceeded| Refusal::exceeded(exceeded, at))
    }

    /// Pays for a name that is kept while the archive is read.
    pub(super) fn spend_text(&mut self, bytes: usize, at: Offset) -> Result<(), Refusal> {
        self.name_bytes = self.name_bytes.saturating_add(bytes as u64);
        if self.name_bytes > NAME_BYTES {
            let message = format!("the names of the entries are longer than {NAME_BYTES} bytes in all");
            return Err(Refusal::new(&codes::NAMES_TOO_LONG, at, message));
        }
        Ok(())
    }

    /// The path that `text` is, if an archive may hold it.
    pub(super) fn path(&mut self, text: &str, names: Names, at: Offset) -> Result<PackagePath, Refusal> {
        let path = name::path(text, names, at)?;
        let level = path.segments().count();
        self.budget.check_depth(level).map_err(|exceeded| Refusal::exceeded(exceeded, at))?;
        if !name::is_portable(text) {
            self.remark(&codes::NAME_UNPORTABLE, &path);
        }
        Ok(path)
    }

    /// Notes something worth saying about `path`.
    pub(super) fn remark(&mut self, code: &'static Code, path: &PackagePath) {
        match self.remarks.iter_mut().find(|remark| remark.code == code) {
            Some(remark) => remark.others += 1,
            None => self.remarks.push(Remark { code, first: path.clone(), others: 0 }),
        }
    }

    /// Adds an entry without content.
    pub(super) fn insert(&mut self, path: PackagePath, node: Node, at: Offset) -> Result<(), Refusal> {
        self.spend_names(&path, at)?;
        let own = path.clone();
        self.first.get_or_insert_with(|| own.clone());
        self.last = Some(own.clone());
        self.tree.insert(path, node).map_err(|error| {
            let (code, message) = match error {
                InsertError::Inside { file } if file != own => {
                    let message = format!(
                        "the entry lies inside `{}`, which is no folder",
                        shown(file.as_str().as_bytes())
                    );
                    (&codes::PATH_INSIDE_FILE, message)
                }
                InsertError::Inside { .. } => (
                    &codes::PATH_INSIDE_FILE,
                    "another entry lies inside this one, which is no folder".to_owned(),
                ),
                InsertError::Twin { .. } => {
                    (&codes::DUPLICATE_PATH, "an entry with the same path stands before".to_owned())
                }
            };
            Refusal::new(code, at, message)
        })
    }

    /// Adds a symbolic link. Its target counts as a name.
    pub(super) fn insert_link(
        &mut self,
        path: PackagePath,
        target: String,
        at: Offset,
    ) -> Result<(), Refusal> {
        if target.len() > LINK_BYTES {
            let message =
                format!("the target of the link is {} bytes long and {LINK_BYTES} are allowed", target.len());
            return Err(Refusal::new(&codes::PATH_TOO_LONG, at, message));
        }
        self.spend_text(target.len(), at)?;
        self.insert(path, Node::Link { target }, at)
    }

    /// Adds a file whose content is exactly the next `len` bytes of `content`. Nothing is allocated by `len` beyond what
    /// may be kept anyway; every byte is paid for before it is handed on.
    pub(super) fn file(
        &mut self,
        path: PackagePath,
        executable: Executable,
        len: u64,
        content: &mut dyn Read,
        at: Offset,
    ) -> Result<(), Error> {
        self.check_fits(len, at)?;
        let mut metered = Metered { content, budget: &mut self.budget, taken: 0, len, at };
        let small = usize::try_from(len).ok().filter(|_| len <= SMALL_BYTES);
        let kept = match small {
            Some(len) if self.kept_bytes + len as u64 <= KEPT_BYTES => {
                self.kept_bytes += len as u64;
                let mut bytes = vec![0; len];
                fill(&mut metered, &mut bytes)?;
                Box::new(bytes)
            }
            _ => self.spool.store(&path, &mut metered)?,
        };
        if metered.taken < len {
            return Err(Error::Io(io::Error::other("the spool did not take the whole content")));
        }
        self.insert(path, Node::File(Blob::new(len, executable, kept)), at)?;
        Ok(())
    }

    /// Refuses a length that cannot fit before a byte of it is read.
    fn check_fits(&self, len: u64, at: Offset) -> Result<(), Refusal> {
        let limits = self.budget.limits();
        let exceeded = if len > limits.file_bytes {
            Exceeded::FileBytes { max: limits.file_bytes }
        } else if self.budget.bytes_spent().saturating_add(len) > limits.total_bytes {
            Exceeded::TotalBytes { max: limits.total_bytes }
        } else {
            return Ok(());
        };
        Err(Refusal::exceeded(exceeded, at))
    }

    /// Pays for a path and for each folder that will be added because of it: sixty-three folders may hide in one name.
    fn spend_names(&mut self, path: &PackagePath, at: Offset) -> Result<(), Refusal> {
        self.spend_text(path.as_str().len(), at)?;
        let mut above = path.parent();
        while let Some(folder) = above {
            if self.tree.get(folder.as_str()).is_some() {
                break;
            }
            self.spend_text(folder.as_str().len(), at)?;
            self.spend_entry(at)?;
            above = folder.parent();
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Unpacked {
        let mut remarks = Findings::default();
        for Remark { code, first, others } in self.remarks {
            let mut message = format!("`{}`", shown(first.as_str().as_bytes()));
            if others > 0 {
                message.push_str(&format!(" and {others} more"));
            }
            let message = format!("{message}: {}", code.summary.trim_end_matches('.'));
            remarks.push(Finding::new(code, Place::file(first), message));
        }
        let tree = self.tree.begun_with(self.first.clone());
        Unpacked { tree, first: self.first, last: self.last, remarks }
    }
}

/// The next `len` bytes of a content, each paid for before it is handed on.
struct Metered<'a> {
    content: &'a mut dyn Read,
    budget: &'a mut Budget,
    taken: u64,
    len: u64,
    at: Offset,
}

impl Read for Metered<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.len - self.taken;
        let most = usize::try_from(left).map_or(into.len(), |left| left.min(into.len()));
        if most == 0 {
            return Ok(0);
        }
        let n = self.content.read(&mut into[..most])?;
        if n == 0 {
            let Self { taken, len, at, .. } = *self;
            let message = format!("the content ends after {taken} of {len} bytes");
            return Err(Refusal::new(&codes::TRUNCATED, at, message).into());
        }
        self.budget
            .spend_bytes(self.taken, n as u64)
            .map_err(|exceeded| Refusal::exceeded(exceeded, self.at))?;
        self.taken += n as u64;
        Ok(n)
    }
}
