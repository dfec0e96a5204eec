//! What an installation would do. Looking changes nothing; a look can be remembered, so that an installation is of what was
//! seen.

use std::path::PathBuf;

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::specialist::content::Files;
use kitbag_core::formats::openscience::specialist::install::{
    self, Candidate, Choice, Overwrite, Plan, Refusal, Situation, VALID_SECONDS, files_digest,
};
use kitbag_core::formats::openscience::specialist::inventory::Profile;
use kitbag_core::formats::openscience::specialist::preview::{Disposition, Preview};
use kitbag_core::formats::openscience::specialist::{self, Content};
use kitbag_core::path::PackagePath;

use crate::check::{FaceSummary, PackageReport, Report, Warnings};
use crate::interrupt::Interrupt;
use crate::show::Permission;
use crate::store::{Change, Store, StoreError};

use super::Error;
use super::package::Package;
use super::shelf::{Contents, Shelf};
use super::shown::{Shown, Token};
use super::wider::{Wider, declaration, wider};

/// Which package.
#[derive(Clone, Debug)]
pub struct Request {
    /// A folder or an archive.
    pub package: PathBuf,
}

/// Which package, and where it would go.
#[derive(Clone, Debug)]
pub struct Look {
    /// A folder or an archive.
    pub package: PathBuf,
    /// The folder of the store.
    pub store: PathBuf,
    /// The hour, in seconds since 1970.
    pub now: u64,
}

/// What an installation would do.
#[derive(Debug)]
pub struct Answer {
    /// What is in the package, and what becomes of it.
    pub preview: Preview,
    /// Whether Open-Science would install it as it is.
    pub upstream: Verdict,
    /// Whether kitbag would.
    pub verdict: Verdict,
    /// What there is to say about it.
    pub report: Report,
    /// The installed Specialist whose place it would take.
    pub overwrite: Option<Overwrite>,
    /// What it may do, in plain words.
    pub may: Vec<Permission>,
    /// What installed Specialists would be allowed beyond what they are, if every Skill in conflict were replaced.
    pub wider: Vec<Wider>,
    /// What an installation of exactly this needs; `None` where something is wrong with the package, whatever is chosen.
    pub candidate: Option<Candidate>,
    /// Whether exactly this is installed and was not changed.
    pub is_installed: bool,
}

/// Whether a package can be installed as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can.
    Installable,
    /// Something is wrong with it, or somebody has to choose.
    NotInstallable,
}

/// What an installation where nothing is installed would do.
///
/// # Errors
/// When the package cannot be read at all.
pub fn preview(request: &Request) -> Result<Answer, Error> {
    let package = Package::read(&request.package)?;
    Ok(Judged::of(package, &Shelf::empty(), 0)?.answer)
}

/// What an installation in a store would do. A store that is not there is taken for an empty one.
///
/// # Errors
/// When the package or the store cannot be read.
pub fn look(request: &Look, interrupt: &Interrupt) -> Result<Answer, Error> {
    let package = Package::read(&request.package)?;
    match Store::at(&request.store).read(interrupt) {
        Ok(snapshot) => Ok(Judged::of(package, &Shelf::of(&snapshot)?, request.now)?.answer),
        Err(StoreError::Missing { .. }) => Ok(Judged::of(package, &Shelf::empty(), request.now)?.answer),
        Err(error) => Err(error.into()),
    }
}

/// The same, and remembers it under a token: ten minutes long, and until the same asker looks at something else. There is no
/// token where nothing could be installed.
///
/// # Errors
/// When the package cannot be read, or the store cannot be read or written.
pub fn remember(
    request: &Look,
    asker: &str,
    store: &Store,
    interrupt: &Interrupt,
) -> Result<(Answer, Option<Token>), Error> {
    let package = Package::read(&request.package)?;
    let session = store.change(interrupt)?;
    let answer = Judged::of(package, &Shelf::of(session.snapshot())?, request.now)?.answer;
    let Some(candidate) = &answer.candidate else { return Ok((answer, None)) };
    let mut shown = Shown::of(session.snapshot())?;
    shown.forget_expired(request.now);
    let token = shown.remember(asker, candidate.clone());
    session.commit(Change { documents: [shown.document()].into(), ..Change::default() }, interrupt)?;
    Ok((answer, Some(token)))
}

/// A package that was compared with what is installed.
pub(super) struct Judged {
    pub answer: Answer,
    /// All that there is to say.
    pub findings: Findings,
    pub files: Files,
}

impl Judged {
    pub(super) fn of(package: Package, shelf: &Shelf<'_>, now: u64) -> Result<Self, Error> {
        let Package { location, tree, files, layer, strict } = package;
        let mut findings = layer;
        let content = files.as_deref().map(|files| Content::read(files, &mut findings)).unwrap_or_default();
        let files = files.unwrap_or_default();
        let names = content.bundled.iter().map(|skill| skill.id.as_str());
        let installed = shelf.installed(names);
        let preview = Preview::of(content, &installed, &mut findings);
        let overwrite =
            install::overwrite(&preview, &shelf.inventory, &mut findings).map_err(Error::Content)?;
        let verdict = |is_so| if is_so { Verdict::Installable } else { Verdict::NotInstallable };
        let upstream = preview.is_installable_upstream(&findings);
        findings.extend(strict);
        let is_installable = upstream && !findings.has_errors();

        let face = FaceSummary {
            format: "specialist",
            name: preview.payload.as_ref().map(|payload| payload.name.clone()),
            version: preview.manifest.as_ref().map(|manifest| manifest.version.clone()),
            spec: None,
        };
        let document = PackagePath::new(specialist::MANIFEST).ok();
        let mut report = Report::new(Warnings::Ignore);
        report.add(PackageReport::of_document(location, vec![face], findings.clone(), &tree, document));
        let answer = Answer {
            preview,
            upstream: verdict(upstream),
            verdict: verdict(is_installable),
            report,
            overwrite,
            may: Vec::new(),
            wider: Vec::new(),
            candidate: None,
            is_installed: false,
        };
        let mut judged = Self { answer, findings, files };
        judged.look_ahead(shelf, now)?;
        Ok(judged)
    }

    /// What would be so after an installation, if every Skill in conflict were replaced: that is the most that it can do.
    fn look_ahead(&mut self, shelf: &Shelf<'_>, now: u64) -> Result<(), Error> {
        let preview = &self.answer.preview;
        let (Some(manifest), Some(payload)) = (&preview.manifest, &preview.payload) else { return Ok(()) };
        let in_conflict = preview.skills.iter().filter(|skill| skill.disposition == Disposition::Conflict);
        let choices: Vec<(String, Choice)> =
            in_conflict.map(|skill| (skill.skill.id.clone(), Choice::UseIncoming)).collect();
        let situation = self.situation(shelf, now);
        let plan = situation.apply(manifest, payload, &choices).map_err(Error::Content)?;
        let contents = contents(&plan)?;
        let may = plan.inventory.specialists.get(&manifest.id).map(|profile| {
            Permission::all("open-science", &declaration(shelf, &plan.inventory, profile, &contents))
        });
        let wider = wider(shelf, &plan.inventory, &contents);
        let basis = install::basis(preview, &shelf.inventory, &sentences(&wider));
        let old = shelf.inventory.specialists.get(&manifest.id);
        let new = plan.inventory.specialists.get(&manifest.id);
        let said = |profile: &Profile| {
            profile.baseline.as_ref().map(|baseline| (baseline.package, baseline.version.clone()))
        };
        let is_same = |old: &Profile| new.is_some_and(|new| said(old) == said(new)) && !old.is_modified();
        let is_there = |disposition| !matches!(disposition, Disposition::Install | Disposition::Conflict);
        let is_installed =
            old.is_some_and(is_same) && preview.skills.iter().all(|skill| is_there(skill.disposition));
        let candidate = Candidate {
            id: manifest.id.clone(),
            package: files_digest(&self.files).map_err(Error::Content)?,
            basis,
            revision: old.map(|old| old.revision),
            expires: now.saturating_add(VALID_SECONDS),
        };
        self.answer.may = may.unwrap_or_default();
        self.answer.wider = wider;
        self.answer.is_installed = is_installed;
        if !self.findings.has_errors() {
            self.answer.candidate = Some(candidate);
        }
        Ok(())
    }

    /// What an installation needs to be known.
    fn situation<'s>(&'s self, shelf: &'s Shelf<'_>, now: u64) -> Situation<'s> {
        let (preview, inventory) = (&self.answer.preview, &shelf.inventory);
        let basis = install::basis(preview, inventory, &sentences(&self.answer.wider));
        Situation { preview, findings: &self.findings, files: &self.files, inventory, basis, now }
    }

    /// What an installation of what was shown as `candidate` leads to.
    pub(super) fn plan(
        &self,
        shelf: &Shelf<'_>,
        candidate: &Candidate,
        decisions: &install::Decisions,
        now: u64,
    ) -> Result<Result<Plan, Refusal>, Error> {
        self.situation(shelf, now).plan(candidate, decisions).map_err(Error::Content)
    }
}

fn sentences(wider: &[Wider]) -> Vec<String> {
    let told = |one: &Wider| {
        one.permissions.iter().map(|told| format!("{}: {}", one.id, told.sentence)).collect::<Vec<_>>()
    };
    wider.iter().flat_map(told).collect()
}

/// The new contents of a plan, by their digests.
pub(super) fn contents(plan: &Plan) -> Result<Contents, Error> {
    let named = |files: &Files| Ok((files_digest(files).map_err(Error::Content)?, files.clone()));
    plan.contents.iter().map(named).collect()
}
