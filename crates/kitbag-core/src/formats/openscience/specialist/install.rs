//! What an installation does (§3.6): what was shown, whether that is still so, what has to be chosen and confirmed, and the
//! inventory it leads to. Nothing is written here, and the hour is passed in.

use std::collections::BTreeSet;
use std::fmt;
use std::io;

use crate::digest::Sha256;
use crate::finding::{Finding, Findings, Place, Severity};
use crate::json::{Json, print};
use crate::path::PackagePath;
use crate::tree::{Blob, FilesDigest};

use super::super::codes;
use super::super::version;
use super::inventory::{Access, Baseline, Inventory, Origin, Profile, ProfileState};
use super::preview::{
    Disposition, InstalledSkill, MainAgent, PlannedSkill, Preview, SkillOrigin, Standalone,
};
use super::{MANIFEST, Manifest, Payload};

/// For how long what was shown counts, in seconds.
pub const VALID_SECONDS: u64 = 600;

/// What was shown to whoever decides: which package, compared with what. An installation is of exactly this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The identity in the package.
    pub id: String,
    /// The digest of all of its files.
    pub package: Sha256,
    /// The digest of what it was compared with.
    pub basis: Sha256,
    /// The revision of the Specialist that it would overwrite.
    pub revision: Option<u64>,
    /// From when on it no longer counts, in seconds since 1970.
    pub expires: u64,
}

/// The Specialist that a package would overwrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwrite {
    /// Its identity.
    pub id: String,
    /// Its revision.
    pub revision: u64,
    /// The version that is installed.
    pub current_version: String,
    /// The version in the package.
    pub incoming_version: String,
    /// Whether it was changed since it was imported.
    pub is_modified: bool,
    /// Whether it is remembered what was imported.
    pub has_baseline: bool,
}

/// What becomes of a Skill in conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The installed one stays and is used.
    UseInstalled,
    /// The one in the package takes its place, for everybody who uses it.
    UseIncoming,
}

/// Whether overwriting was confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overwriting {
    /// It was not.
    #[default]
    Unconfirmed,
    /// It was.
    Confirmed,
}

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// Whether an installed Specialist may be overwritten.
    pub overwriting: Overwriting,
    /// What becomes of which Skill in conflict, by name.
    pub choices: Vec<(String, Choice)>,
}

/// Why nothing is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The request makes no sense.
    Invalid {
        /// Why.
        because: String,
    },
    /// What was shown is no longer so, or nothing was.
    Stale {
        /// What changed.
        because: &'static str,
    },
    /// It was shown too long ago.
    Expired,
    /// Something is wrong with the package.
    NotInstallable,
    /// Skills are in conflict and nobody chose.
    ChoiceRequired {
        /// Their names.
        skills: Vec<String>,
    },
    /// A Specialist would be overwritten and nobody confirmed that.
    ConfirmationRequired,
    /// The application brings a Specialist of this identity along.
    Protected,
    /// The Specialist that would be overwritten changed.
    RevisionConflict,
    /// It would be allowed more than what is installed, and nobody accepted that. A refusal of ours.
    PermissionsRequired,
}

impl Refusal {
    /// Open-Science's word; ours where it has none.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "candidate-invalid",
            Self::Stale { .. } => "stale-candidate",
            Self::Expired => "candidate-expired",
            Self::NotInstallable => "candidate-not-installable",
            Self::ChoiceRequired { .. } => "skill-conflict-resolution-required",
            Self::ConfirmationRequired => "overwrite-confirmation-required",
            Self::Protected => "protected-target",
            Self::RevisionConflict => "revision-conflict",
            Self::PermissionsRequired => "wider-permissions-required",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { because } => f.write_str(because),
            Self::Stale { because } => f.write_str(because),
            Self::Expired => f.write_str("it was shown more than ten minutes ago"),
            Self::NotInstallable => f.write_str("something is wrong with the package"),
            Self::ChoiceRequired { skills } => {
                let skills: Vec<String> = skills.iter().map(|skill| format!("`{skill}`")).collect();
                let differ = if skills.len() == 1 { "differs" } else { "differ" };
                write!(
                    f,
                    "{} {differ} from what is installed, and one of both has to be chosen",
                    skills.join(", ")
                )
            }
            Self::ConfirmationRequired => f.write_str("it would overwrite what is installed"),
            Self::Protected => f.write_str("the application brings a Specialist of this identity along"),
            Self::RevisionConflict => f.write_str("the installed Specialist changed since it was shown"),
            Self::PermissionsRequired => f.write_str("more would be allowed than is now"),
        }
    }
}

/// What an installation leads to.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is installed then.
    pub inventory: Inventory,
    /// Contents that are new, each a list of files in the order of paths.
    pub contents: Vec<Vec<(PackagePath, Blob)>>,
    /// What became of each Skill in the package, by name.
    pub dispositions: Vec<(String, Disposition)>,
    /// The revision of the Specialist.
    pub revision: u64,
}

/// The digest of what a package says and brings along, whatever is installed: two packages with one digest are the same but for
/// their spelling.
///
/// # Errors
/// When a content cannot be read.
pub fn package_digest(payload: &Payload, skills: &[PlannedSkill]) -> io::Result<Sha256> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        print::texts(names)
    };
    let mut bundled = Vec::new();
    for planned in skills {
        let hash = planned.skill.exact()?.to_string();
        bundled.push(print::texts([planned.skill.id.clone(), planned.skill.version.clone(), hash]));
    }
    Ok(digest_of(&print::object([
        ("name", print::text(&payload.name)),
        ("display_name", print::text(payload.shown_name())),
        ("description", print::text(&payload.description)),
        ("system_prompt", print::text(&payload.system_prompt)),
        ("skill_ids", sorted(&payload.skill_ids)),
        ("connector_ids", sorted(&payload.connector_ids)),
        ("skills", print::value(crate::json::Value::Array(bundled))),
    ])))
}

fn digest_of(json: &Json) -> Sha256 {
    Sha256::of(print::document(json).as_bytes())
}

/// The Specialist that the package would overwrite, and what there is to say about that.
///
/// # Errors
/// When a content of the package cannot be read.
pub fn overwrite(
    preview: &Preview,
    inventory: &Inventory,
    out: &mut Findings,
) -> io::Result<Option<Overwrite>> {
    let (Some(manifest), Some(payload)) = (&preview.manifest, &preview.payload) else { return Ok(None) };
    let there = inventory.specialists.get(&manifest.id).filter(|profile| profile.origin == Origin::Imported);
    let Some(profile) = there else { return Ok(None) };
    let (current, incoming) = (&profile.package_version, &manifest.version);
    let order = version::compare(incoming, current);
    let is_changed = match &profile.baseline {
        Some(baseline) => baseline.package != package_digest(payload, &preview.skills)?,
        None => false,
    };
    let mut say = |code, message: String| {
        let place = PackagePath::new(MANIFEST).map_or(Place::package(), Place::file);
        out.push(Finding::new(code, place, message));
    };
    match order {
        Some(std::cmp::Ordering::Equal) if is_changed => say(
            &codes::SPECIALIST_OVERWRITE_CONTENT,
            format!("version {incoming} is installed with another content"),
        ),
        Some(std::cmp::Ordering::Equal) => {
            say(
                &codes::SPECIALIST_OVERWRITE_SAME_VERSION,
                format!("version {incoming} is installed already"),
            );
        }
        Some(std::cmp::Ordering::Less) if is_changed => say(
            &codes::SPECIALIST_OVERWRITE_CONTENT_DOWNGRADE,
            format!("version {incoming} is lower than the installed {current} and has another content"),
        ),
        Some(std::cmp::Ordering::Less) => say(
            &codes::SPECIALIST_OVERWRITE_DOWNGRADE,
            format!("version {incoming} is lower than the installed {current}"),
        ),
        Some(std::cmp::Ordering::Greater) | None => {}
    }
    if profile.is_modified() {
        let message = format!("`{}` was changed here since it was installed", manifest.id);
        say(&codes::SPECIALIST_OVERWRITE_MODIFIED, message);
    }
    Ok(Some(Overwrite {
        id: manifest.id.clone(),
        revision: profile.revision,
        current_version: current.clone(),
        incoming_version: incoming.clone(),
        is_modified: profile.is_modified(),
        has_baseline: profile.baseline.is_some(),
    }))
}

/// The digest of what a package was compared with: what becomes of each Skill and why, the Skills and Connectors that its names
/// stand for, and whatever else was shown.
#[must_use]
pub fn basis(preview: &Preview, inventory: &Inventory, shown: &[String]) -> Sha256 {
    let skill = |planned: &PlannedSkill| {
        let there = inventory.skills.get(&planned.local_id);
        let told = [
            planned.skill.id.clone(),
            planned.disposition.word().to_owned(),
            planned.local_id.clone(),
            there.map(|there| there.version.clone()).unwrap_or_default(),
            there.map(|there| there.content_hash.clone()).unwrap_or_default(),
            there.and_then(|there| there.exact).map(|exact| exact.to_string()).unwrap_or_default(),
            there.map(|there| format!("{:?}", there.main_agent)).unwrap_or_default(),
        ];
        print::value(crate::json::Value::Array(vec![print::texts(told), print::texts(&planned.users)]))
    };
    digest_of(&print::object([
        ("skills", print::value(crate::json::Value::Array(preview.skills.iter().map(skill).collect()))),
        ("required", print::texts(&preview.required_skills)),
        ("connectors", print::texts(&preview.connectors)),
        ("shown", print::texts(shown)),
    ]))
}

/// What the installation of a package needs to be known.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'s> {
    /// What the package is, compared with what is installed now.
    pub preview: &'s Preview,
    /// Whether something is wrong with it.
    pub findings: &'s Findings,
    /// All of its files.
    pub files: &'s [(PackagePath, Blob)],
    /// What is installed now.
    pub inventory: &'s Inventory,
    /// The digest of what it is compared with now ([`basis`]).
    pub basis: Sha256,
    /// The hour, in seconds since 1970.
    pub now: u64,
}

/// The digest of all files of a package.
///
/// # Errors
/// When a content cannot be read.
pub fn files_digest(files: &[(PackagePath, Blob)]) -> io::Result<Sha256> {
    FilesDigest::of(files.iter().map(|(path, blob)| (path, blob)))
}

impl Situation<'_> {
    /// What an installation leads to, if it is of what was shown and everything is decided. The tests come in Open-Science's
    /// order, but for one: whether anything changed is asked before whether everything is decided, since a decision about what
    /// is no longer so is none.
    ///
    /// # Errors
    /// The first reason against it; `Err` outside when a content cannot be read.
    pub fn plan(&self, candidate: &Candidate, decisions: &Decisions) -> io::Result<Result<Plan, Refusal>> {
        if self.now >= candidate.expires {
            return Ok(Err(Refusal::Expired));
        }
        if files_digest(self.files)? != candidate.package {
            return Ok(Err(Refusal::Stale { because: "the package changed since it was shown" }));
        }
        let is_protected = |finding: &Finding| std::ptr::eq(finding.code, &codes::SPECIALIST_ID_PROTECTED);
        if self.findings.iter().any(is_protected) {
            return Ok(Err(Refusal::Protected));
        }
        let (Some(manifest), Some(payload)) = (&self.preview.manifest, &self.preview.payload) else {
            return Ok(Err(Refusal::NotInstallable));
        };
        if self.findings.iter().any(|finding| finding.severity == Severity::Error && !is_conflict(finding)) {
            return Ok(Err(Refusal::NotInstallable));
        }
        if self.basis != candidate.basis {
            return Ok(Err(Refusal::Stale { because: "what is installed changed since it was shown" }));
        }
        if let Err(refusal) = self.decided(candidate, decisions, &manifest.id) {
            return Ok(Err(refusal));
        }
        self.apply(manifest, payload, &decisions.choices).map(Ok)
    }

    fn decided(&self, candidate: &Candidate, decisions: &Decisions, id: &str) -> Result<(), Refusal> {
        let in_conflict: BTreeSet<&str> = self
            .preview
            .skills
            .iter()
            .filter(|planned| planned.disposition == Disposition::Conflict)
            .map(|planned| planned.skill.id.as_str())
            .collect();
        let mut chosen = BTreeSet::new();
        for (skill, _) in &decisions.choices {
            let because = if !in_conflict.contains(skill.as_str()) {
                format!("the Skill `{skill}` is not in conflict")
            } else if !chosen.insert(skill.as_str()) {
                format!("two choices are made for the Skill `{skill}`")
            } else {
                continue;
            };
            return Err(Refusal::Invalid { because });
        }
        let open: Vec<String> = in_conflict.difference(&chosen).map(|&skill| skill.to_owned()).collect();
        if !open.is_empty() {
            return Err(Refusal::ChoiceRequired { skills: open });
        }
        let revision = self.inventory.specialists.get(id).map(|profile| profile.revision);
        if candidate.revision.is_some() && decisions.overwriting == Overwriting::Unconfirmed {
            return Err(Refusal::ConfirmationRequired);
        }
        if revision != candidate.revision { Err(Refusal::RevisionConflict) } else { Ok(()) }
    }

    /// The inventory after the installation, with these choices for the Skills in conflict; a conflict without one stays as it
    /// is.
    ///
    /// # Errors
    /// When a content cannot be read.
    pub fn apply(
        &self,
        manifest: &Manifest,
        payload: &Payload,
        choices: &[(String, Choice)],
    ) -> io::Result<Plan> {
        let mut inventory = self.inventory.clone();
        let id = &manifest.id;
        let old = inventory.specialists.get(id);
        let mut owned: Vec<String> = old.map(|old| old.owned.clone()).unwrap_or_default();
        let revision = old.map_or(1, |old| old.revision + 1);
        let (mut contents, mut dispositions) = (Vec::new(), Vec::new());
        for planned in &self.preview.skills {
            let chosen =
                choices.iter().find(|(skill, _)| *skill == planned.skill.id).map(|(_, choice)| *choice);
            let disposition = match (planned.disposition, chosen) {
                (Disposition::Conflict, Some(Choice::UseIncoming)) => Disposition::ReplaceExisting,
                (Disposition::Conflict, Some(Choice::UseInstalled)) => Disposition::ReuseExisting,
                (disposition, _) => disposition,
            };
            let own = |skill: &mut InstalledSkill| {
                if !skill.owners.contains(id) {
                    skill.owners.push(id.clone());
                }
            };
            match disposition {
                Disposition::Install => {
                    contents.push(planned.skill.content());
                    inventory.skills.insert(planned.local_id.clone(), new_skill(planned, id)?);
                }
                Disposition::ReplaceExisting => {
                    contents.push(planned.skill.content());
                    let new = new_skill(planned, id)?;
                    if let Some(there) = inventory.skills.get_mut(&planned.local_id) {
                        (there.version, there.content_hash, there.exact) =
                            (new.version, new.content_hash, new.exact);
                        own(there);
                    }
                }
                Disposition::ReuseOwned => {
                    inventory.skills.get_mut(&planned.local_id).into_iter().for_each(own);
                }
                Disposition::ReuseBuiltIn
                | Disposition::ReuseStandalone
                | Disposition::ReuseExisting
                | Disposition::Conflict => {}
            }
            let is_ours = matches!(
                disposition,
                Disposition::Install | Disposition::ReplaceExisting | Disposition::ReuseOwned
            );
            if is_ours && !owned.contains(&planned.local_id) {
                owned.push(planned.local_id.clone());
            }
            dispositions.push((planned.skill.id.clone(), disposition));
        }
        let role = role_files(self.files);
        let role_digest = files_digest(&role)?;
        contents.push(role);
        let (skills, connectors) = (self.preview.required_skills.clone(), self.preview.connectors.clone());
        let baseline = Baseline {
            imported_at: self.now,
            version: manifest.version.clone(),
            package: package_digest(payload, &self.preview.skills)?,
            role: role_digest,
            skills: skills.clone(),
            connectors: connectors.clone(),
        };
        let profile = Profile {
            revision,
            name: payload.name.clone(),
            display_name: payload.display_name.clone(),
            package_version: manifest.version.clone(),
            origin: Origin::Imported,
            role: role_digest,
            skills,
            connectors,
            owned,
            access: Access::Selected,
            state: ProfileState::SetupPending,
            baseline: Some(baseline),
        };
        inventory.specialists.insert(id.clone(), profile);
        Ok(Plan { inventory, contents, dispositions, revision })
    }
}

/// A conflict is an error until somebody chooses.
fn is_conflict(finding: &Finding) -> bool {
    std::ptr::eq(finding.code, &codes::SKILL_EXISTING_CONFLICT)
}

fn new_skill(planned: &PlannedSkill, owner: &str) -> io::Result<InstalledSkill> {
    Ok(InstalledSkill {
        name: planned.skill.id.clone(),
        origin: SkillOrigin::Installed,
        version: planned.skill.version.clone(),
        content_hash: planned.skill.content_hash()?.to_string(),
        exact: Some(planned.skill.exact()?),
        standalone: Standalone::No,
        owners: vec![owner.to_owned()],
        main_agent: MainAgent::Ignores,
    })
}

/// What is kept of a package beside its Skills: its documents, as they are.
fn role_files(files: &[(PackagePath, Blob)]) -> Vec<(PackagePath, Blob)> {
    let is_role = |path: &PackagePath| !path.as_str().contains('/');
    let role = files.iter().filter(|(path, _)| is_role(path));
    let mut role: Vec<(PackagePath, Blob)> =
        role.map(|(path, blob)| (path.clone(), blob.clone().not_executable())).collect();
    role.sort_by(|(one, _), (other, _)| one.cmp(other));
    role
}
