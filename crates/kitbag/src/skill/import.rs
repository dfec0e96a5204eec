//! `skill import`: Skills from folders, archives, documents and GitHub, as Open-Science imports them, into a folder of Skills.
//!
//! Two steps, so that whoever asked can look in between. [`plan()`] reads everything, decides what becomes of each Skill and
//! says what it cannot import; it writes nothing. [`Plan::write`] does what the plan says: all of it under one hidden name
//! first, then each Skill at once under its own. What came into the way meanwhile stops it, with nothing written.

mod destination;
mod remote;
mod source;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::finding::Severity;
use kitbag_core::formats::openscience::bundle::plan::{self, Names, Step};
use kitbag_core::formats::openscience::github::{Place, Requests};
use kitbag_core::path::PackagePath;
use kitbag_registry::github;

pub use kitbag_core::formats::openscience::bundle::plan::{Difference, OnConflict, Order, Planned};

use crate::check::{PackageReport, Report, Warnings};
use crate::draft::{self, Existing, FolderDraft};
use crate::interrupt::Interrupt;
use crate::location::Location;
use crate::read::ReadError;

use destination::Folder;

/// What to import, and where to.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where they are.
    pub sources: Vec<Source>,
    /// The folder that each Skill gets a folder in. It is made when it is not there, in one that is.
    pub to: PathBuf,
    /// Which Skills are wanted, and what to do about conflicts.
    pub order: Order,
}

/// Where Skills are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A folder, an archive or a document.
    Path(PathBuf),
    /// A folder of a repository; of its root, every Skill in the repository.
    GitHub(Place),
}

/// What an import would do.
#[derive(Debug)]
pub struct Plan {
    /// The folder that Skills go to.
    pub to: PathBuf,
    /// What was named, in that order.
    pub sources: Vec<SourcePlan>,
    /// What there is to say about it.
    pub report: Report,
    destination: Folder,
}

/// What becomes of the Skills of one source.
#[derive(Debug)]
pub struct SourcePlan {
    /// What was named.
    pub location: Location,
    /// Its Skills, by their places.
    pub skills: Vec<Planned>,
}

/// How many Skills come to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Skills, and archives that could have held some, that were found and wanted.
    pub found: usize,
    /// Those that are written where nothing is.
    pub create: usize,
    /// Those that take the place of another.
    pub replace: usize,
    /// Those that are there already.
    pub unchanged: usize,
    /// Those that are left out because something else is there and stays, as was asked for.
    pub skip: usize,
    /// Those that cannot be imported.
    pub refuse: usize,
}

impl Tally {
    /// Skills that are to be written.
    #[must_use]
    pub const fn to_write(&self) -> usize {
        self.create + self.replace
    }
}

/// Skills that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Their folders.
    pub folders: Vec<PathBuf>,
    /// Their files.
    pub files: usize,
    /// Bytes of those.
    pub bytes: u64,
}

/// Why it could not be done. Nothing was written then.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A source cannot be read at all.
    Read(ReadError),
    /// GitHub cannot be asked, or answers something else.
    Remote {
        /// What was asked for.
        place: Box<Place>,
        /// Why.
        error: github::Error,
    },
    /// Nobody was passed in who could ask the network.
    Offline {
        /// What was asked for.
        place: Box<Place>,
    },
    /// The folder cannot be looked at or written to.
    Write {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// What is there is no longer what the plan was made for.
    Stale {
        /// The folder that changed, or that came.
        path: PathBuf,
    },
    /// A wanted Skill is in none of the sources.
    NotThere {
        /// As it was asked for.
        wanted: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Remote { place, error } => write!(f, "cannot import `{place}`: {error}"),
            Self::Offline { place } => write!(f, "cannot import `{place}`: nobody may ask the network"),
            Self::Write { path, error } => write!(f, "cannot write to `{}`: {error}", path.display()),
            Self::Stale { path } => {
                write!(f, "`{}` is no longer what it was when the import was planned", path.display())
            }
            Self::NotThere { wanted } => write!(f, "no Skill is called `{wanted}`, or is at this place"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(_)
            | Self::Remote { .. }
            | Self::Offline { .. }
            | Self::Stale { .. }
            | Self::NotThere { .. } => None,
            Self::Write { error, .. } => Some(error),
        }
    }
}

/// What an import would do. Nothing is written. `client` asks GitHub, where a source is there.
///
/// # Errors
/// [`Error`] when a source cannot be read at all. What is wrong with one that can is in the report.
pub fn plan(request: &Request, client: Option<&github::Client<'_>>) -> Result<Plan, Error> {
    let to = request.to.components().as_path().to_owned();
    let mut destination = Folder::new(&to).map_err(|error| Error::Write { path: to.clone(), error })?;
    let mut names = Names::default();
    let mut report = Report::new(Warnings::Ignore);
    let mut sources = Vec::new();
    let mut bytes = 0;
    let mut requests = Requests::default();
    for source in &request.sources {
        let source::Opened { location, tree, preview, mut findings } = match (source, client) {
            (Source::Path(path), _) => source::open(path, &mut bytes).map_err(Error::Read)?,
            (Source::GitHub(place), Some(client)) => remote::open(place, client, &mut requests)
                .map_err(|error| Error::Remote { place: Box::new(place.clone()), error })?,
            (Source::GitHub(place), None) => return Err(Error::Offline { place: Box::new(place.clone()) }),
        };
        let failed = |error| Error::Read(ReadError::of(&location.typed, error));
        let skills = match &preview {
            Some(preview) => plan::plan(preview, &request.order, &mut names, &mut destination, &mut findings)
                .map_err(failed)?,
            None => Vec::new(),
        };
        report.add(PackageReport::of_document(location.clone(), Vec::new(), findings, &tree, None));
        sources.push(SourcePlan { location, skills });
    }
    let plan = Plan { to, sources, report, destination };
    let is_known = |wanted: &String| {
        plan.skills().any(|skill| {
            skill.step != Step::NotChosen
                && (skill.sub_path == *wanted
                    || skill.said.as_ref() == Some(wanted)
                    || skill.name.as_ref() == Some(wanted))
        })
    };
    match request.order.only.iter().find(|wanted| !is_known(wanted)) {
        Some(wanted) => Err(Error::NotThere { wanted: wanted.clone() }),
        None => Ok(plan),
    }
}

impl Plan {
    /// All Skills, source by source.
    pub fn skills(&self) -> impl Iterator<Item = &Planned> {
        self.sources.iter().flat_map(|source| &source.skills)
    }

    /// How many Skills come to what.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for skill in self.skills() {
            let count = match skill.step {
                Step::Create => &mut tally.create,
                Step::Replace(_) => &mut tally.replace,
                Step::Unchanged => &mut tally.unchanged,
                Step::Skip => &mut tally.skip,
                Step::Refuse(_) => &mut tally.refuse,
                Step::NotChosen => continue,
            };
            *count += 1;
            tally.found += 1;
        }
        tally
    }

    /// Whether everything that was named and wanted is imported, or there already: no Skill is refused, and no entry with an
    /// error is left out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let findings = self.report.packages.iter().flat_map(|package| &package.findings);
        !findings.into_iter().any(|located| located.finding.severity == Severity::Error)
    }

    /// Does what the plan says.
    ///
    /// # Errors
    /// [`Error`]; nothing is written then.
    pub fn write(&self, interrupt: &Interrupt) -> Result<Written, Error> {
        let failed = |error| Error::Write { path: self.to.clone(), error };
        let wanted: Vec<(&Planned, String, Existing)> = self
            .skills()
            .filter_map(|skill| {
                let existing = match skill.step {
                    Step::Create => Existing::Keep,
                    Step::Replace(_) => Existing::Replace,
                    _ => return None,
                };
                Some((skill, skill.name.clone()?, existing))
            })
            .collect();
        if wanted.is_empty() {
            return Ok(Written::default());
        }
        let made = Made::of(&self.to).map_err(failed)?;
        let files = wanted.iter().map(|(skill, ..)| skill.files.len()).sum();
        let draft = FolderDraft::new(&self.to, files).map_err(failed)?;
        let mut written = Written { files, ..Written::default() };
        for (skill, name, _) in &wanted {
            for (path, blob) in &skill.files {
                let at = PackagePath::new(&format!("{name}/{path}"))
                    .map_err(|problem| failed(io::Error::new(io::ErrorKind::InvalidInput, problem)))?;
                draft
                    .file(&at, blob, blob.executable(), interrupt)
                    .map_err(|error| Error::Write { path: self.to.join(name).join(path.as_str()), error })?;
                written.bytes += blob.len();
            }
            written.folders.push(self.to.join(name));
        }
        interrupt.check().map_err(failed)?;
        for (_, name, existing) in &wanted {
            if *existing == Existing::Replace && !self.destination.is_still(name).map_err(failed)? {
                return Err(Error::Stale { path: self.to.join(name) });
            }
        }
        let names: Vec<(String, Existing)> =
            wanted.into_iter().map(|(_, name, existing)| (name, existing)).collect();
        draft.commit_each(&self.to, &names).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound => Error::Stale { path: self.to.clone() },
            _ => failed(error),
        })?;
        made.keep();
        Ok(written)
    }
}

/// A folder that was made for this import, and goes again when the import comes to nothing.
struct Made(Option<PathBuf>);

impl Made {
    fn of(path: &Path) -> io::Result<Self> {
        if draft::exists(path)? {
            return Ok(Self(None));
        }
        fs::create_dir(path)?;
        Ok(Self(Some(path.to_owned())))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // Something that another program put there keeps it.
            let _left = fs::remove_dir(path);
        }
    }
}
