//! What a Specialist is exported as (§3.7): its documents with the Skills and Connectors it has now, and those of its Skills
//! that are to come along.

use std::collections::BTreeSet;
use std::fmt;

use crate::finding::{Finding, Findings, Place, Severity};
use crate::formats::PackError;
use crate::path::PackagePath;
use crate::tree::Blob;

use super::super::codes;
use super::content::Files;
use super::inventory::{Inventory, Missing, Origin, Profile};
use super::preview::SkillOrigin;
use super::{Bundled, BundledFile, Content, MANIFEST, Payload, SPECIALIST, pack};

/// What could be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The Specialist.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The version of the package.
    pub version: String,
    /// The revision that is exported.
    pub revision: u64,
    /// The Skills it uses.
    pub skills: Vec<ExportSkill>,
    /// The names of its Connectors.
    pub connectors: Vec<String>,
}

/// A Skill that a Specialist uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSkill {
    /// Its local identity.
    pub local_id: String,
    /// Its name, under which the package has it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is to the Specialist.
    pub kind: ExportKind,
    /// Whether it comes along.
    pub inclusion: Inclusion,
}

/// What a Skill is to the Specialist that is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// The application brings it along; it is never in a package.
    BuiltIn,
    /// The Specialist brought it along; it comes along unless somebody says otherwise.
    Owned,
    /// It is used only; it comes along where somebody says so.
    Referenced,
}

impl ExportKind {
    /// Open-Science's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::BuiltIn => "builtin",
            Self::Owned => "owned",
            Self::Referenced => "referenced",
        }
    }
}

/// Whether a Skill comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// It does.
    Bundled,
    /// The package only names it.
    Named,
}

/// The package that a Specialist is exported as.
#[derive(Clone, Debug)]
pub struct ExportedFiles {
    /// The name of the file.
    pub file_name: String,
    /// What is in it.
    pub files: Files,
    /// What it names and stands for nothing here.
    pub missing: Missing,
}

/// Which Skills come along, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Used Skills that come along as well.
    pub with: Vec<String>,
    /// Owned Skills that do not.
    pub without: Vec<String>,
}

/// Why nothing is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportRefusal {
    /// A Skill is named twice, or both with and without.
    Invalid,
    /// The application brings it along.
    Protected,
    /// No Specialist of this identity is installed.
    NotFound,
    /// It changed since it was looked at.
    Changed {
        /// Its revision now.
        revision: u64,
    },
    /// The Specialist does not use a Skill of this name.
    NotReferenced {
        /// The name.
        skill: String,
    },
    /// A Skill that the application brings along cannot be in a package.
    BuiltInSkill {
        /// The name.
        skill: String,
    },
    /// Two Skills that it uses have one name.
    DuplicateNames {
        /// The name.
        skill: String,
    },
}

impl ExportRefusal {
    /// A word for programs; Open-Science has sentences only.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid => "export-invalid",
            Self::Protected => "protected-target",
            Self::NotFound => "not-installed",
            Self::Changed { .. } => "revision-conflict",
            Self::NotReferenced { .. } => "skill-not-referenced",
            Self::BuiltInSkill { .. } => "skill-built-in",
            Self::DuplicateNames { .. } => "duplicate-names",
        }
    }

    /// Open-Science's sentence.
    #[must_use]
    pub const fn upstream(&self) -> &'static str {
        match self {
            Self::Invalid => "Invalid Specialist export request.",
            Self::Protected => "Protected Specialists cannot be exported.",
            Self::NotFound => "Custom Specialist not found.",
            Self::Changed { .. } => "Specialist changed during export. Preview again and retry.",
            Self::NotReferenced { .. } => {
                "Export selection contains a Skill the Specialist does not reference."
            }
            Self::BuiltInSkill { .. } => "Featured Skills are references and cannot be bundled.",
            Self::DuplicateNames { .. } => "Referenced Skills have duplicate names. Preview again and retry.",
        }
    }
}

impl fmt::Display for ExportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => f.write_str("a Skill is named twice"),
            Self::Protected => f.write_str("the application brings it along"),
            Self::NotFound => f.write_str("no Specialist of this identity is installed"),
            Self::Changed { revision } => {
                write!(f, "the Specialist changed since it was looked at: its revision is {revision} now")
            }
            Self::NotReferenced { skill } => write!(f, "the Specialist does not use a Skill `{skill}`"),
            Self::BuiltInSkill { skill } => {
                write!(f, "the application brings the Skill `{skill}` along, so that no package does")
            }
            Self::DuplicateNames { skill } => write!(f, "two Skills of the Specialist are called `{skill}`"),
        }
    }
}

fn profile<'i>(inventory: &'i Inventory, id: &str) -> Result<&'i Profile, ExportRefusal> {
    match inventory.specialists.get(id) {
        Some(profile) if profile.origin == Origin::BuiltIn => Err(ExportRefusal::Protected),
        Some(profile) => Ok(profile),
        None => Err(ExportRefusal::NotFound),
    }
}

impl Export {
    /// What the Specialist `id` would be exported as; `revision` is the one that somebody looked at.
    ///
    /// # Errors
    /// The first reason against it.
    pub fn of(
        inventory: &Inventory,
        id: &str,
        revision: Option<u64>,
        selection: &Selection,
    ) -> Result<Self, ExportRefusal> {
        let profile = profile(inventory, id)?;
        if revision.is_some_and(|revision| revision != profile.revision) {
            return Err(ExportRefusal::Changed { revision: profile.revision });
        }
        let mut named = BTreeSet::new();
        if !selection.with.iter().chain(&selection.without).all(|skill| named.insert(skill)) {
            return Err(ExportRefusal::Invalid);
        }
        let mut skills: Vec<ExportSkill> = Vec::new();
        for (local_id, skill) in
            inventory.reach(profile).filter_map(|id| Some((id, inventory.skills.get(id)?)))
        {
            if skills.iter().any(|known| known.name == skill.name) {
                return Err(ExportRefusal::DuplicateNames { skill: skill.name.clone() });
            }
            let kind = match skill.origin {
                SkillOrigin::BuiltIn => ExportKind::BuiltIn,
                SkillOrigin::Installed if profile.owned.contains(local_id) => ExportKind::Owned,
                SkillOrigin::Installed => ExportKind::Referenced,
            };
            let is_named = |names: &[String]| names.contains(&skill.name);
            let inclusion = match kind {
                ExportKind::BuiltIn if is_named(&selection.with) => {
                    return Err(ExportRefusal::BuiltInSkill { skill: skill.name.clone() });
                }
                ExportKind::BuiltIn => Inclusion::Named,
                ExportKind::Owned if is_named(&selection.without) => Inclusion::Named,
                ExportKind::Owned => Inclusion::Bundled,
                ExportKind::Referenced if is_named(&selection.with) => Inclusion::Bundled,
                ExportKind::Referenced => Inclusion::Named,
            };
            let (name, version) = (skill.name.clone(), skill.version.clone());
            skills.push(ExportSkill { local_id: local_id.clone(), name, version, kind, inclusion });
        }
        if let Some(skill) = named.into_iter().find(|name| !skills.iter().any(|skill| skill.name == **name)) {
            return Err(ExportRefusal::NotReferenced { skill: skill.clone() });
        }
        let connectors = profile.connectors.iter().filter_map(|id| inventory.connectors.get(id));
        Ok(Self {
            id: id.to_owned(),
            name: profile.name.clone(),
            version: profile.package_version.clone(),
            revision: profile.revision,
            skills,
            connectors: connectors.map(|connector| connector.name.clone()).collect(),
        })
    }

    /// What there is to say about it beforehand.
    pub fn check(&self, inventory: &Inventory, out: &mut Findings) {
        let named: Vec<String> = self
            .skills
            .iter()
            .filter(|skill| skill.inclusion == Inclusion::Named)
            .map(|skill| format!("`{}`", skill.name))
            .collect();
        if !named.is_empty() {
            let message = format!("the package names Skills that are not in it: {}", named.join(", "));
            out.push(Finding::new(&codes::SPECIALIST_EXPORT_UNBUNDLED, Place::package(), message));
        }
        let profile = inventory.specialists.get(&self.id);
        let is_unchanged = profile.is_some_and(|profile| {
            let baseline = profile.baseline.as_ref();
            profile.is_modified()
                && baseline.is_some_and(|baseline| baseline.version == profile.package_version)
        });
        if is_unchanged {
            let message = format!("it was changed, and its version is {} as before", self.version);
            out.push(Finding::new(&codes::SPECIALIST_EXPORT_VERSION, Place::package(), message));
        }
    }

    /// The package. What its documents named and stands for nothing here is named again. `role` are the documents as they were installed, `contents` those of
    /// the Skills that come along, in the order of [`Self::skills`]. What comes out is read back as a stranger would.
    ///
    /// # Errors
    /// [`PackError::Unsound`] when it is no package that could be installed, with the finding that says why in `out`.
    pub fn files(
        &self,
        inventory: &Inventory,
        role: &[(PackagePath, Blob)],
        contents: Vec<Vec<(PackagePath, Blob)>>,
        out: &mut Findings,
    ) -> Result<ExportedFiles, PackError> {
        let content = Content::read(role, out);
        let (Some(manifest), Some(mut payload)) = (content.manifest, content.payload) else {
            return Err(PackError::unsound(None, "its documents cannot be read".to_owned()));
        };
        let skills = self.skills.iter().map(|skill| &skill.name);
        let missing = Missing::of(&payload, inventory);
        let skills = distinct(skills.chain(&missing.skills));
        let connectors = distinct(self.connectors.iter().chain(&missing.connectors));
        left_out(&payload, (&skills, &connectors), out);
        (payload.skill_ids, payload.connector_ids) = (skills, connectors);
        let bundled = self.skills.iter().filter(|skill| skill.inclusion == Inclusion::Bundled);
        let bundled: Vec<Bundled> = bundled
            .zip(contents)
            .map(|(skill, files)| Bundled {
                id: skill.name.clone(),
                version: skill.version.clone(),
                tools: Vec::new(),
                files: files.into_iter().map(|(path, blob)| BundledFile { path, blob }).collect(),
            })
            .collect();
        let is_plain = |path: &PackagePath| !matches!(path.as_str(), MANIFEST | SPECIALIST);
        let plain = role.iter().filter(|(path, _)| is_plain(path)).cloned().collect();
        let files = pack::files(&manifest, &payload, &bundled, plain)?;
        let read = Content::read(&files, out);
        if let Some(error) = out.iter().find(|finding| finding.severity == Severity::Error) {
            return Err(PackError::unsound(error.place.file.clone(), error.message.clone()));
        }
        if let Some(lost) = bundled.iter().find(|skill| !read.bundled.iter().any(|kept| kept.id == skill.id))
        {
            let because =
                format!("the Skill `{}` has something wrong with it and would be left out", lost.id);
            return Err(PackError::unsound(None, because));
        }
        let file_name = pack::file_name(&manifest, payload.shown_name());
        Ok(ExportedFiles { file_name, files, missing })
    }
}

/// Each of these names once.
fn distinct<'n>(names: impl Iterator<Item = &'n String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.as_str())).cloned().collect()
}

/// What the documents name and is no longer named.
fn left_out(payload: &Payload, (skills, connectors): (&[String], &[String]), out: &mut Findings) {
    let kinds = [("Skill", &payload.skill_ids, skills), ("Connector", &payload.connector_ids, connectors)];
    for (kind, before, now) in kinds {
        let now: BTreeSet<&String> = now.iter().collect();
        for name in before.iter().filter(|name| !now.contains(name)).take(MOST_LEFT_OUT) {
            let message = format!("the {kind} `{}` is left out", crate::json::excerpt(name));
            out.push(Finding::new(&codes::SPECIALIST_EXPORT_LEFT_OUT, Place::package(), message));
        }
    }
}

/// Most findings about names of one kind that are left out.
const MOST_LEFT_OUT: usize = 1_000;
