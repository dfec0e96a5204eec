//! [`Inventory`]: what is installed, with what is remembered of it: who owns which Skill, what was imported and whether it was
//! changed since. Read from and written to one document; contents stand elsewhere, under their digests.

mod document;

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::Sha256;

use super::Payload;
use super::preview::{
    Installed, InstalledConnector, InstalledSkill, InstalledSpecialist, MainAgent, SkillOrigin,
};

pub use document::InventoryFault;

/// What is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The Skills, by their local identity.
    pub skills: BTreeMap<String, InstalledSkill>,
    /// The Specialists, by their identity.
    pub specialists: BTreeMap<String, Profile>,
    /// The Connectors, by their local identity.
    pub connectors: BTreeMap<String, InstalledConnector>,
}

/// A Specialist that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How often it was written, from one on.
    pub revision: u64,
    /// Its name.
    pub name: String,
    /// The name that people see, where it differs.
    pub display_name: Option<String>,
    /// The version of the package it is from.
    pub package_version: String,
    /// Where it is from.
    pub origin: Origin,
    /// The digest of its documents.
    pub role: Sha256,
    /// The local identities of the Skills it was given.
    pub skills: Vec<String>,
    /// Those of the Connectors.
    pub connectors: Vec<String>,
    /// Those of the Skills that it brought along.
    pub owned: Vec<String>,
    /// Which Skills it may use.
    pub access: Access,
    /// Whether it works.
    pub state: ProfileState,
    /// What was imported.
    pub baseline: Option<Baseline>,
}

/// Names in a package that stand for nothing here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Of Skills.
    pub skills: Vec<String>,
    /// Of Connectors.
    pub connectors: Vec<String>,
}

impl Missing {
    /// The names in `payload` that stand for nothing in `inventory`.
    #[must_use]
    pub fn of(payload: &Payload, inventory: &Inventory) -> Self {
        let mut skills: BTreeSet<&str> = BTreeSet::new();
        for (id, skill) in &inventory.skills {
            skills.extend([id.as_str(), skill.name.as_str()]);
        }
        let mut connectors: BTreeSet<&str> = BTreeSet::new();
        for connector in inventory.connectors.values() {
            connectors.extend([connector.id.as_str(), connector.name.as_str()]);
            connectors.extend(connector.aliases.iter().map(String::as_str));
        }
        let absent = |names: &[String], known: &BTreeSet<&str>| {
            names.iter().filter(|name| !known.contains(name.as_str())).cloned().collect()
        };
        Self {
            skills: absent(&payload.skill_ids, &skills),
            connectors: absent(&payload.connector_ids, &connectors),
        }
    }
}

/// Where a Specialist is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A package.
    Imported,
    /// The application brings it along.
    BuiltIn,
}

/// Which Skills a Specialist may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Those it was given.
    Selected,
    /// All that are there.
    Full,
}

/// Whether a Specialist works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileState {
    /// Somebody has to look at it first.
    SetupPending,
    /// It is switched off.
    Disabled,
    /// It is switched on.
    Enabled,
}

/// What a Specialist was when it was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// When, in seconds since 1970.
    pub imported_at: u64,
    /// The version of the package.
    pub version: String,
    /// The digest of what the package says and brings along ([`super::install::package_digest`]).
    pub package: Sha256,
    /// The digest of its documents.
    pub role: Sha256,
    /// The Skills it was given.
    pub skills: Vec<String>,
    /// The Connectors.
    pub connectors: Vec<String>,
}

/// Why an inventory cannot be changed like this.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// Nothing of this identity is there.
    Unknown {
        /// The identity.
        id: String,
    },
}

impl std::fmt::Display for EditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { id } => write!(f, "nothing called `{id}` is installed"),
        }
    }
}

impl std::error::Error for EditError {}

impl Profile {
    /// The name that people see.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is another one than was imported.
    #[must_use]
    pub fn is_modified(&self) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| {
            (baseline.role, &baseline.skills, &baseline.connectors)
                != (self.role, &self.skills, &self.connectors)
        })
    }
}

impl Inventory {
    /// What a package is compared with.
    #[must_use]
    pub fn installed(&self) -> Installed {
        let specialist = |(id, profile): (&String, &Profile)| InstalledSpecialist {
            id: id.clone(),
            name: profile.name.clone(),
            skills: self.reach(profile).cloned().collect(),
        };
        let (protected, specialists) =
            self.specialists.iter().partition::<Vec<_>, _>(|(_, profile)| profile.origin == Origin::BuiltIn);
        Installed {
            skills: self.skills.clone(),
            specialists: specialists.into_iter().map(specialist).collect(),
            connectors: self.connectors.values().cloned().collect(),
            protected: protected.into_iter().map(specialist).collect(),
        }
    }

    /// The Skills that a Specialist may use.
    pub fn reach<'i>(&'i self, profile: &'i Profile) -> Box<dyn Iterator<Item = &'i String> + 'i> {
        match profile.access {
            Access::Selected => Box::new(profile.skills.iter()),
            Access::Full => Box::new(self.skills.keys()),
        }
    }

    /// The Specialists that use a Skill, without the ones that own it only.
    pub fn users<'i>(&'i self, skill: &'i str) -> impl Iterator<Item = &'i String> {
        let uses = move |profile: &Profile| {
            profile.access == Access::Full || profile.skills.iter().any(|used| used == skill)
        };
        self.specialists.iter().filter(move |(_, profile)| uses(profile)).map(|(id, _)| id)
    }

    /// Every content that is referred to.
    #[must_use]
    pub fn objects(&self) -> BTreeSet<Sha256> {
        let skills = self.skills.values().filter_map(|skill| skill.exact);
        skills.chain(self.specialists.values().map(|profile| profile.role)).collect()
    }

    /// Gives a Specialist these Skills and Connectors instead of those it had.
    ///
    /// # Errors
    /// When one of them is not there.
    pub fn select(&mut self, id: &str, skills: &[&str], connectors: &[&str]) -> Result<(), EditError> {
        let unknown = |id: &str| EditError::Unknown { id: id.to_owned() };
        if let Some(skill) = skills.iter().find(|skill| !self.skills.contains_key(**skill)) {
            return Err(unknown(skill));
        }
        if let Some(connector) = connectors.iter().find(|id| !self.connectors.contains_key(**id)) {
            return Err(unknown(connector));
        }
        let profile = self.specialists.get_mut(id).ok_or_else(|| unknown(id))?;
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        (profile.skills, profile.connectors) = (owned(skills), owned(connectors));
        profile.revision += 1;
        Ok(())
    }

    /// Says which Skills a Specialist may use.
    ///
    /// # Errors
    /// When it is not there.
    pub fn give_access(&mut self, id: &str, access: Access) -> Result<(), EditError> {
        let unknown = || EditError::Unknown { id: id.to_owned() };
        let profile = self.specialists.get_mut(id).ok_or_else(unknown)?;
        profile.access = access;
        profile.revision += 1;
        Ok(())
    }

    /// Says whether the main agent uses a Skill.
    ///
    /// # Errors
    /// When it is not there.
    pub fn set_main_agent(&mut self, skill: &str, main_agent: MainAgent) -> Result<(), EditError> {
        let unknown = || EditError::Unknown { id: skill.to_owned() };
        self.skills.get_mut(skill).ok_or_else(unknown)?.main_agent = main_agent;
        Ok(())
    }

    /// Takes a Connector away. The Specialists that had it work without it.
    ///
    /// # Errors
    /// When it is not there.
    pub fn remove_connector(&mut self, id: &str) -> Result<(), EditError> {
        self.connectors.remove(id).ok_or_else(|| EditError::Unknown { id: id.to_owned() })?;
        for profile in
            self.specialists.values_mut().filter(|profile| profile.connectors.iter().any(|c| c == id))
        {
            profile.connectors.retain(|known| known != id);
            profile.revision += 1;
        }
        Ok(())
    }

    /// Whether a Skill comes with the application.
    pub(super) fn is_built_in(&self, skill: &str) -> bool {
        self.skills.get(skill).is_some_and(|skill| skill.origin == SkillOrigin::BuiltIn)
    }
}
