//! What a plan lists, by the names it has on the host: nothing can be put anywhere else.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::inside::Made;
use crate::plan::{Afterwards, Item, Plan, Programs, Rights, text};
use crate::run::Error;
use crate::step::Step;

/// The places of one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Folders that are made for the run, in the order in which they can be.
    pub(super) folders: Vec<Folder>,
    /// What would only exist inside, and does not.
    pub(super) missing: Vec<PathBuf>,
    /// Places in a wider one, which rules that reach everything below cannot make narrower.
    pub(super) widened: Vec<PathBuf>,
    /// Whether one of these can be written to.
    pub(super) is_written: bool,
}

/// A folder that is made for the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) at: PathBuf,
    pub(super) bytes: u64,
    pub(super) files: u64,
    pub(super) afterwards: Afterwards,
    /// What is in it from the beginning.
    pub(super) content: Vec<Content>,
}

/// Something in a folder that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    File(PathBuf, Vec<u8>),
    Link(PathBuf, PathBuf),
}

impl Places {
    /// The places of `plan`, if it can be carried out without mounts.
    pub(super) fn of(plan: &Plan) -> Result<Self, Error> {
        let mut places = Self::default();
        for item in &plan.tree {
            match item {
                Item::Host { from, at, .. } => same(from, at)?,
                Item::Memory { at, bytes, files, afterwards } => {
                    places.can_be_made(at, plan)?;
                    places.folders.push(Folder {
                        at: at.clone(),
                        bytes: *bytes,
                        files: *files,
                        afterwards: *afterwards,
                        content: Vec::new(),
                    });
                }
                Item::File { at, content } => {
                    if let Some(folder) = places.holding(at) {
                        folder.content.push(Content::File(at.clone(), content.clone()));
                    } else if !holds(at, content) {
                        places.missing.push(at.clone());
                    }
                }
                Item::Link { at, to } => {
                    if let Some(folder) = places.holding(at) {
                        folder.content.push(Content::Link(at.clone(), to.clone()));
                    } else if !leads(at, to) {
                        places.missing.push(at.clone());
                    }
                }
            }
        }
        places.look_for_wider_ones(plan);
        Ok(places)
    }

    /// Whether `item` is there for the program.
    pub(super) fn is_there(&self, item: &Item) -> bool {
        !self.missing.iter().any(|missing| missing == item.at())
    }

    /// The folders that are made, as the first process is told of them: those within others first.
    pub(super) fn made_inside(&self) -> Result<Vec<Made>, Error> {
        let made = |folder: &Folder| -> Result<Made, Error> {
            Ok(Made { at: text(folder.at.as_os_str())?, kept: folder.afterwards == Afterwards::Kept })
        };
        self.folders.iter().rev().map(made).collect()
    }

    /// The folder that is made and that `at` would lie in directly.
    fn holding(&mut self, at: &Path) -> Option<&mut Folder> {
        self.folders.iter_mut().find(|folder| at.parent() == Some(&folder.at))
    }

    /// Whether a folder can be made at `at`, where nothing must be.
    fn can_be_made(&self, at: &Path, plan: &Plan) -> Result<(), Error> {
        let refuse = |because: String| Err(unavailable(because));
        let name = at.display();
        if fs::symlink_metadata(at).is_ok() {
            return refuse(format!(
                "`{name}` is there already, and a folder of the run's own cannot cover it"
            ));
        }
        let of_host =
            plan.tree.iter().any(|item| matches!(item, Item::Host { .. }) && at.starts_with(item.at()));
        if of_host {
            return refuse(format!("`{name}` would have to be made in a folder that is listed"));
        }
        let is_made = self.folders.iter().any(|folder| at.parent() == Some(&folder.at));
        if !is_made && !at.parent().is_some_and(Path::is_dir) {
            return refuse(format!("`{name}` cannot be made: the folder it would lie in is not there"));
        }
        Ok(())
    }

    /// A rule reaches everything below its place, and no other takes anything back.
    fn look_for_wider_ones(&mut self, plan: &Plan) {
        let any = plan.programs == Programs::Any;
        let host = |item: &Item| match item {
            Item::Host { at, rights, .. } => Some((at.clone(), fs::canonicalize(at).ok()?, *rights)),
            _ => None,
        };
        let all: Vec<(PathBuf, PathBuf, Rights)> = plan.tree.iter().filter_map(host).collect();
        let written = |rights| matches!(rights, Rights::Write | Rights::WriteCode);
        let started = |rights| any && matches!(rights, Rights::Code | Rights::WriteCode);
        for (at, real, rights) in &all {
            let wider = all.iter().filter(|(other, above, _)| other != at && real.starts_with(above));
            let (mut is_written, mut is_started) = (false, false);
            for (.., outer) in wider {
                is_written |= written(*outer) && !written(*rights);
                is_started |= started(*outer) && !started(*rights);
            }
            self.is_written |= is_written;
            if is_written || is_started {
                self.widened.push(at.clone());
            }
        }
    }
}

pub(super) fn unavailable(because: String) -> Error {
    Error::Unavailable { property: "a place that is not the host's own", because }
}

/// Whether `from` and `at` are the same: nothing can be mounted to make them so.
fn same(from: &Path, at: &Path) -> Result<(), Error> {
    let outside = fs::metadata(from).map_err(|source| Error::Step {
        step: Step::Source,
        source: io::Error::new(source.kind(), format!("{}: {source}", from.display())),
    })?;
    let is_same =
        fs::metadata(at).is_ok_and(|inside| (inside.dev(), inside.ino()) == (outside.dev(), outside.ino()));
    if is_same {
        return Ok(());
    }
    let (from, at) = (from.display(), at.display());
    Err(unavailable(format!("nothing can be mounted, so `{from}` cannot be called `{at}`")))
}

/// Whether the host has a file at `at` that holds just `content`.
fn holds(at: &Path, content: &[u8]) -> bool {
    let is_as_long = fs::symlink_metadata(at)
        .is_ok_and(|file| file.is_file() && usize::try_from(file.len()) == Ok(content.len()));
    is_as_long && fs::read(at).is_ok_and(|bytes| bytes == content)
}

/// Whether `at` leads where `to` says already.
fn leads(at: &Path, to: &Path) -> bool {
    if fs::read_link(at).is_ok_and(|said| said == to) {
        return true;
    }
    let below = at.parent().unwrap_or_else(|| Path::new("/")).join(to);
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(at).is_some_and(|real_at| real(&below) == Some(real_at))
}

/// Some names, for a sentence.
pub(super) fn named(paths: &[PathBuf]) -> String {
    const TOLD_AT_MOST: usize = 8;
    let mut names: Vec<String> =
        paths.iter().take(TOLD_AT_MOST).map(|path| format!("`{}`", path.display())).collect();
    if paths.len() > TOLD_AT_MOST {
        names.push(format!("and {} more", paths.len() - TOLD_AT_MOST));
    }
    names.join(", ")
}
