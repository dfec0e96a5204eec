//! What an installation would do (§3.2 cross checks, §3.5): each bundled Skill against what is installed, and what the
//! package refers to. Nothing is installed here.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::digest::Sha256;
use crate::finding::{Code, Finding, Findings, Place, Severity};
use crate::json::Pointer;
use crate::path::PackagePath;

use super::super::{codes, words};
use super::{Bundled, Content, MANIFEST, Manifest, Payload, SPECIALIST};

/// What is installed where a package would go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// The Skills, by their local identity.
    pub skills: BTreeMap<String, InstalledSkill>,
    /// The Specialists.
    pub specialists: Vec<InstalledSpecialist>,
    /// The Connectors.
    pub connectors: Vec<InstalledConnector>,
    /// Identities and names that no package may have, beside those of Open-Science itself.
    pub protected: Vec<InstalledSpecialist>,
}

/// A Skill that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledSkill {
    /// The name by which it is called.
    pub name: String,
    /// Whether the application brings it along.
    pub origin: SkillOrigin,
    /// Its version.
    pub version: String,
    /// The hash of its content, where it is known.
    pub content_hash: String,
    /// The digest of exactly its content ([`Bundled::exact`]), where it is known.
    pub exact: Option<Sha256>,
    /// Whether it stands by itself, so that it stays when its owners go.
    pub standalone: Standalone,
    /// The Specialists that brought it along.
    pub owners: Vec<String>,
    /// Whether the main agent uses it.
    pub main_agent: MainAgent,
}

/// Where an installed Skill is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillOrigin {
    /// The application brings it along.
    BuiltIn,
    /// Somebody installed it.
    Installed,
}

/// Whether a Skill stays when its owners go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standalone {
    /// It does.
    Yes,
    /// It belongs to its owners.
    No,
}

/// Whether the main agent uses a Skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainAgent {
    /// It does.
    Uses,
    /// It does not.
    Ignores,
}

/// A Specialist that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledSpecialist {
    /// Its identity.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The local identities of the Skills that it uses or owns.
    pub skills: Vec<String>,
}

/// A Connector that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledConnector {
    /// Its local identity.
    pub id: String,
    /// The name under which packages refer to it.
    pub name: String,
    /// Names it had before.
    pub aliases: Vec<String>,
}

/// What becomes of a bundled Skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// None is installed: it is.
    Install,
    /// The application brings one of this name along, which is used.
    ReuseBuiltIn,
    /// The same is installed and stands by itself.
    ReuseStandalone,
    /// The same is installed and belongs to Specialists.
    ReuseOwned,
    /// Another of this name is installed; somebody has to choose.
    Conflict,
    /// It was chosen to take the place of the installed one.
    ReplaceExisting,
    /// It was chosen to leave the installed one.
    ReuseExisting,
}

impl Disposition {
    /// Open-Science's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::ReuseBuiltIn => "reuse-builtin",
            Self::ReuseStandalone => "reuse-standalone",
            Self::ReuseOwned => "reuse-owned",
            Self::Conflict => "conflict",
            Self::ReplaceExisting => "replace-existing",
            Self::ReuseExisting => "reuse-existing",
        }
    }
}

/// A bundled Skill and what becomes of it.
#[derive(Clone, Debug)]
pub struct PlannedSkill {
    /// The Skill.
    pub skill: Bundled,
    /// What becomes of it.
    pub disposition: Disposition,
    /// The local identity it has or will have.
    pub local_id: String,
    /// The Specialists that use the installed one.
    pub users: Vec<String>,
}

/// What an installation would do.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Which package.
    pub manifest: Option<Manifest>,
    /// Which role.
    pub payload: Option<Payload>,
    /// Its bundled Skills.
    pub skills: Vec<PlannedSkill>,
    /// The local identities of the Skills that it would use.
    pub required_skills: Vec<String>,
    /// Those of the Connectors.
    pub connectors: Vec<String>,
    /// Whether a Specialist of this identity is installed, so that it would be overwritten.
    pub overwrites: bool,
}

impl Preview {
    /// Whether Open-Science would install it as it is: no error of its own, and no Skill in conflict.
    #[must_use]
    pub fn is_installable_upstream(&self, findings: &Findings) -> bool {
        let own = |finding: &&Finding| codes::upstream(finding.code).is_some();
        findings.iter().filter(own).all(|finding| finding.severity != Severity::Error)
            && self.manifest.is_some()
            && self.payload.is_some()
            && self.skills.iter().all(|skill| skill.disposition != Disposition::Conflict)
    }

    /// Compares `content` with what is `installed`.
    #[must_use]
    pub fn of(content: Content, installed: &Installed, out: &mut Findings) -> Self {
        let Content { manifest, payload, bundled } = content;
        let overwrites = manifest.as_ref().is_some_and(|manifest| {
            installed.specialists.iter().any(|specialist| specialist.id == manifest.id)
        });
        identity(manifest.as_ref(), payload.as_ref(), installed, out);
        let skills: Vec<PlannedSkill> =
            bundled.into_iter().map(|skill| planned(skill, installed, out)).collect();
        let mut preview = Self {
            manifest,
            payload,
            skills,
            required_skills: Vec::new(),
            connectors: Vec::new(),
            overwrites,
        };
        preview.resolve(installed, out);
        preview
    }

    /// What the names in the payload stand for here. Bundled Skills are used whether they are listed or not.
    fn resolve(&mut self, installed: &Installed, out: &mut Findings) {
        let Some(payload) = &self.payload else { return };
        // A document can have a million names, so that nothing is looked for one by one. Of two that have one name, the first
        // counts.
        let mut skills: HashMap<&str, &str> = HashMap::new();
        let named = installed.skills.iter().map(|(id, skill)| (skill.name.as_str(), id.as_str()));
        let by_id = installed.skills.keys().map(|id| (id.as_str(), id.as_str()));
        let bundled = self.skills.iter().map(|skill| (skill.skill.id.as_str(), skill.local_id.as_str()));
        for (name, id) in named.chain(by_id).chain(bundled) {
            skills.entry(name).or_insert(id);
        }
        let mut connectors: HashMap<&str, &str> = HashMap::new();
        for connector in &installed.connectors {
            let names = [&connector.id, &connector.name].into_iter().chain(&connector.aliases);
            for name in names {
                connectors.entry(name).or_insert(&connector.id);
            }
        }
        let mut told = 0;
        let mut missing = |code: &'static Code, field: &str, index: usize, message: String| {
            told += 1;
            if told <= MOST_MISSING {
                out.push(Finding::new(code, place(SPECIALIST, field, Some(index)), message));
            }
        };
        let mut seen = HashSet::new();
        for (index, name) in payload.skill_ids.iter().enumerate() {
            match skills.get(name.as_str()) {
                Some(&id) => {
                    if seen.insert(id) {
                        self.required_skills.push(id.to_owned());
                    }
                }
                None => {
                    let message = format!("no Skill called `{}` is here", crate::json::excerpt(name));
                    missing(&codes::SPECIALIST_SKILL_UNAVAILABLE, "skill_ids", index, message);
                }
            }
        }
        for skill in self.skills.iter().filter(|skill| !seen.contains(skill.local_id.as_str())) {
            self.required_skills.push(skill.local_id.clone());
        }
        let mut seen = HashSet::new();
        for (index, name) in payload.connector_ids.iter().enumerate() {
            match connectors.get(name.as_str()) {
                Some(&id) => {
                    if seen.insert(id) {
                        self.connectors.push(id.to_owned());
                    }
                }
                None => {
                    let message = format!("no Connector called `{}` is here", crate::json::excerpt(name));
                    missing(&codes::SPECIALIST_CONNECTOR_UNAVAILABLE, "connector_ids", index, message);
                }
            }
        }
    }
}

/// Most findings about names that stand for nothing.
const MOST_MISSING: usize = 1_000;

fn place(file: &str, field: &str, index: Option<usize>) -> Place {
    let pointer = Pointer::root().join(field);
    let pointer = match index {
        Some(index) => pointer.join(index),
        None => pointer,
    };
    match PackagePath::new(file) {
        // The documents are decoded by now: the pointer says where, and no bytes are at hand.
        Ok(file) => Place { file: Some(file), pointer: Some(pointer), span: None },
        Err(_) => Place::package(),
    }
}

/// Identities and names that are protected or taken.
fn identity(
    manifest: Option<&Manifest>,
    payload: Option<&Payload>,
    installed: &Installed,
    out: &mut Findings,
) {
    let same = |one: &str, other: &str| words::trim(one).to_lowercase() == words::trim(other).to_lowercase();
    if let Some(manifest) = manifest
        && (manifest.id == "reviewer" || installed.protected.iter().any(|known| known.id == manifest.id))
    {
        let message = format!("`{}` is a Specialist that Open-Science brings along", manifest.id);
        out.push(Finding::new(&codes::SPECIALIST_ID_PROTECTED, place(MANIFEST, "id", None), message));
    }
    let Some(payload) = payload else { return };
    let name = payload.name.as_str();
    if same(name, "Reviewer") || installed.protected.iter().any(|known| same(&known.name, name)) {
        let message = format!("`{name}` is the name of a Specialist that Open-Science brings along");
        out.push(Finding::new(&codes::SPECIALIST_NAME_PROTECTED, place(SPECIALIST, "name", None), message));
    }
    let id = manifest.map(|manifest| manifest.id.as_str());
    let taken = installed.specialists.iter().find(|known| same(&known.name, name) && Some(&*known.id) != id);
    if let Some(other) = taken {
        let message = format!("`{name}` is the name of `{}`, which is installed", other.id);
        out.push(Finding::new(&codes::SPECIALIST_NAME_DUPLICATE, place(SPECIALIST, "name", None), message));
    }
}

fn planned(skill: Bundled, installed: &Installed, out: &mut Findings) -> PlannedSkill {
    let Some((local_id, there)) = installed.skills.iter().find(|(_, there)| there.name == skill.id) else {
        let local_id = free_id(&skill.id, installed);
        return PlannedSkill { skill, disposition: Disposition::Install, local_id, users: Vec::new() };
    };
    // What cannot be read is not known to be the same, and somebody has to look.
    let hash = || skill.content_hash().map(|hash| hash.to_string()).unwrap_or_default();
    // Two contents can have one hash of Open-Science's, and are told apart by the exact one.
    let is_exact = || there.exact.is_none_or(|exact| skill.exact().is_ok_and(|incoming| incoming == exact));
    let is_same = there.version == skill.version && there.content_hash == hash() && is_exact();
    let disposition = match (there.origin, is_same, there.standalone) {
        (SkillOrigin::BuiltIn, _, _) => Disposition::ReuseBuiltIn,
        (SkillOrigin::Installed, false, _) => Disposition::Conflict,
        (SkillOrigin::Installed, true, Standalone::Yes) if there.owners.is_empty() => {
            Disposition::ReuseStandalone
        }
        (SkillOrigin::Installed, true, _) => Disposition::ReuseOwned,
    };
    let uses = |specialist: &&InstalledSpecialist| {
        specialist.skills.contains(local_id) || there.owners.contains(&specialist.id)
    };
    let users: Vec<String> =
        installed.specialists.iter().filter(uses).map(|specialist| specialist.id.clone()).collect();
    if disposition == Disposition::Conflict {
        let message = format!(
            "the Skill `{}` {} is installed and differs from version {} in the package",
            skill.id, there.version, skill.version
        );
        let path = PackagePath::new(&format!("skills/{}", skill.id)).map_or(Place::package(), Place::file);
        out.push(Finding::new(&codes::SKILL_EXISTING_CONFLICT, path, message));
    }
    PlannedSkill { local_id: local_id.clone(), skill, disposition, users }
}

/// The local identity of a new Skill; another Skill may have the one it should have.
fn free_id(name: &str, installed: &Installed) -> String {
    let first = format!("personal-{name}");
    let others = (2usize..).map(|number| format!("{first}-{number}"));
    let is_free = |id: &String| !installed.skills.contains_key(id);
    [first.clone()].into_iter().chain(others).find(is_free).unwrap_or_default()
}
