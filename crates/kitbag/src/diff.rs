//! `diff`: what is otherwise in a new version of a package, and may it take the old one's place without asking anybody?

mod advice;
mod documents;
mod files;
mod permissions;
mod tools;

use std::fmt;

use kitbag_core::formats::Face;
use kitbag_core::permit;

use crate::check::Counts;
use crate::location::Location;
use crate::packages::{self, Found, Ground};
use crate::read::{self, ReadError, Source};
use crate::show::Identity;

pub use advice::{Advice, Made, Reason, VersionStep};
pub use documents::{Change, DocumentDifference, FieldChange, NeedChange, OfferChange};
pub use files::{FileChange, FileState, Files};
pub use permissions::{Permissions, SubjectDifference};
pub use tools::{ToolChange, Verdict};

/// What to compare. Each source holds one package, in any form.
#[derive(Clone, Debug)]
pub struct Request {
    /// What there was.
    pub old: Source,
    /// What there is.
    pub new: Source,
}

/// What differs between two packages.
#[derive(Debug)]
pub struct Difference {
    /// What there was.
    pub old: Side,
    /// What there is.
    pub new: Side,
    /// Files.
    pub files: Files,
    /// Documents, format by format.
    pub documents: Vec<DocumentDifference>,
    /// What the version should say.
    pub advice: Advice,
}

/// One of the two packages.
#[derive(Debug)]
pub struct Side {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// Who it says it is: one per face.
    pub identities: Vec<Identity>,
    /// What a check finds.
    pub counts: Counts,
}

/// Why two packages could not be compared.
#[derive(Debug)]
#[non_exhaustive]
pub enum DiffError {
    /// One of them could not be read at all.
    Read(ReadError),
    /// No package is there.
    NoPackage {
        /// What was named.
        named: String,
        /// What is so, where something was found out.
        because: Option<String>,
    },
    /// Several packages are there, and none holds the others.
    Several {
        /// What was named.
        named: String,
        /// Some of them, as they would be typed.
        packages: Vec<String>,
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for DiffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::NoPackage { named, because: Some(because) } => {
                write!(f, "no package can be read at `{named}`: {because}")
            }
            Self::NoPackage { named, because: None } => write!(f, "no package is at `{named}`"),
            Self::Several { named, packages, count } => {
                write!(f, "`{named}` holds {count} packages ({}", packages.join(", "))?;
                f.write_str(if *count > packages.len() { ", …)" } else { ")" })
            }
        }
    }
}

impl std::error::Error for DiffError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => error.source(),
            _ => None,
        }
    }
}

impl Difference {
    /// Whether the new package asks for something that the old one did not, or says no longer what it asks for.
    #[must_use]
    pub fn widens(&self) -> bool {
        self.documents.iter().any(|document| document.permissions.widen())
    }

    /// Whether the new package may take the old one's place without asking anybody: it asks for nothing more, and its
    /// version says how much changed.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        !self.widens() && self.advice.is_followed()
    }

    /// Whether both say and hold the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.changes.is_empty() && self.documents.iter().all(DocumentDifference::is_empty)
    }
}

/// Compares two packages.
///
/// # Errors
/// [`DiffError`] when one of the two is no package, or more than one.
pub fn diff(request: &Request) -> Result<Difference, DiffError> {
    let (old, new) = (the_package(&request.old)?, the_package(&request.new)?);
    let files = Files::between(&old.package, &new.package);
    let declared: Vec<_> = old.package.faces.iter().map(|face| face.document().permissions()).collect();
    let together = permit::union(&declared.iter().collect::<Vec<_>>());
    let documents = documents::pairs(&old.package.faces, &new.package.faces)
        .map(|(old, new)| DocumentDifference::between(old, new, &together))
        .collect::<Vec<_>>();
    let advice = Advice::on(&files, &documents);
    Ok(Difference { old: Side::of(&old), new: Side::of(&new), files, documents, advice })
}

impl Side {
    fn of(found: &Found) -> Self {
        Self {
            location: found.location.clone(),
            identities: found.package.faces.iter().map(|face| Identity::of(face.document())).collect(),
            counts: Counts::of(&found.findings),
        }
    }
}

/// Most packages that an error names.
const MOST_NAMED: usize = 3;

/// The one package of `source`: the one at its root, or the only one below.
fn the_package(source: &Source) -> Result<Found, DiffError> {
    let reading = read::read(source).map_err(DiffError::Read)?;
    let named = reading.location.to_string();
    let (mut packages, mut because) = (Vec::new(), None);
    packages::each(
        reading,
        |mut found| {
            found.check();
            found
        },
        |found| {
            if found.ground == Ground::Package && !found.package.faces.is_empty() {
                packages.push(found);
            } else if because.is_none() {
                because = found.findings.iter().next().map(|finding| finding.message.clone());
            }
        },
    );
    if let Some(root) = packages.iter().position(|found: &Found| found.package.at.is_none()) {
        return Ok(packages.swap_remove(root));
    }
    let count = packages.len();
    let some = packages.iter().take(MOST_NAMED).map(|found| found.location.to_string()).collect();
    match packages.pop() {
        None => Err(DiffError::NoPackage { named, because }),
        Some(only) if count == 1 => Ok(only),
        Some(_) => Err(DiffError::Several { named, packages: some, count }),
    }
}

/// The format of a face.
fn format_of(face: &Face) -> &'static str {
    face.document().identity().format
}
