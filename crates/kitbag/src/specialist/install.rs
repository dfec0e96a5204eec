//! Installing what was shown, in one instant.

use std::path::PathBuf;

use kitbag_core::formats::openscience::specialist::install::{Candidate, Decisions, Refusal};
use kitbag_core::formats::openscience::specialist::preview::Disposition;

use crate::interrupt::Interrupt;
use crate::store::{Change, Object, Store};

use super::Error;
use super::package::Package;
use super::preview::{Answer, Judged, contents};
use super::shelf::{self, Shelf};
use super::shown::{Shown, Token};
use super::wider::{Wider, wider};

/// What to install.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// A folder or an archive.
    pub package: PathBuf,
    /// What was shown of it.
    pub seen: Seen,
    /// What was decided.
    pub decisions: Decisions,
    /// Whether installed Specialists may be allowed more than they are.
    pub wider: WiderPermissions,
    /// The hour, in seconds since 1970.
    pub now: u64,
}

/// What was shown to whoever decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// What the store remembers under this name.
    Token(Token),
    /// This.
    Candidate(Candidate),
}

/// Whether installed Specialists may be allowed more than they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WiderPermissions {
    /// They may not.
    #[default]
    Refused,
    /// They may.
    Accepted,
}

/// What came of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Installation {
    /// It is installed.
    Installed(Installed),
    /// Nothing was changed: why, and what an installation would do now.
    Refused(Refusal, Box<Answer>),
}

/// What was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The identity of the Specialist.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The version of the package.
    pub version: String,
    /// The revision of the Specialist.
    pub revision: u64,
    /// What became of each Skill in the package, by name.
    pub skills: Vec<(String, Disposition)>,
    /// What installed Specialists are allowed beyond what they were.
    pub wider: Vec<Wider>,
}

/// Installs what was shown, if that is still what would be installed and everything is decided. A token is used up by an
/// installation that succeeds, and by nothing else.
///
/// # Errors
/// When the package cannot be read, or the store cannot be read or written.
pub fn install(
    request: &InstallRequest,
    store: &Store,
    interrupt: &Interrupt,
) -> Result<Installation, Error> {
    let package = Package::read(&request.package)?;
    let session = store.change(interrupt)?;
    let shelf = Shelf::of(session.snapshot())?;
    let mut shown = Shown::of(session.snapshot())?;
    let judged = Judged::of(package, &shelf, request.now)?;
    let refused = |refusal, judged: Judged| Ok(Installation::Refused(refusal, Box::new(judged.answer)));
    let candidate = match &request.seen {
        Seen::Candidate(candidate) => candidate.clone(),
        Seen::Token(token) if token.text.is_empty() => {
            let because = "the token is empty".to_owned();
            return refused(Refusal::Invalid { because }, judged);
        }
        Seen::Token(token) => match shown.find(token) {
            Some(candidate) => candidate.clone(),
            None => {
                let because = "nothing that still counts was shown under this token";
                return refused(Refusal::Stale { because }, judged);
            }
        },
    };
    let plan = match judged.plan(&shelf, &candidate, &request.decisions, request.now)? {
        Ok(plan) => plan,
        Err(refusal) => return refused(refusal, judged),
    };
    let contents = contents(&plan)?;
    let wider = wider(&shelf, &plan.inventory, &contents);
    if !wider.is_empty() && request.wider == WiderPermissions::Refused {
        return refused(Refusal::PermissionsRequired, judged);
    }
    if let Seen::Token(token) = &request.seen {
        shown.forget(token);
    }
    shown.forget_expired(request.now);
    let objects: Result<Vec<Object>, _> = contents.into_values().map(Object::of).collect();
    let change = Change {
        objects: objects.map_err(Error::Content)?,
        documents: [shelf::document(&plan.inventory), shown.document()].into(),
    };
    session.commit(change, interrupt)?;
    let profile = plan.inventory.specialists.get(&candidate.id);
    Ok(Installation::Installed(Installed {
        name: profile.map(|profile| profile.shown_name().to_owned()).unwrap_or_default(),
        version: profile.map(|profile| profile.package_version.clone()).unwrap_or_default(),
        id: candidate.id,
        revision: plan.revision,
        skills: plan.dispositions,
        wider,
    }))
}
