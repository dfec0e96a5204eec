//! What a deletion takes away (§3.8): the Specialist, and those of its Skills that nobody else needs and that were named.

use std::collections::BTreeSet;
use std::fmt;

use super::inventory::{Inventory, Origin, Profile};
use super::preview::{MainAgent, Standalone};

/// What could be taken away with a Specialist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The Specialist.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// Its revision.
    pub revision: u64,
    /// The Skills that it owns or uses, without those that the application brings along.
    pub skills: Vec<RemovableSkill>,
}

/// A Skill of a Specialist that is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovableSkill {
    /// Its local identity.
    pub local_id: String,
    /// Its name.
    pub name: String,
    /// What it is to the Specialist.
    pub kind: SkillKind,
    /// Why it has to stay; nothing where it may go.
    pub reasons: Vec<Reason>,
}

/// What a Skill is to a Specialist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillKind {
    /// Nobody else needs it.
    Exclusive,
    /// It was brought along, and somebody else needs it.
    Owned,
    /// It is used only.
    Referenced,
}

impl SkillKind {
    /// Open-Science's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive",
            Self::Owned => "owned",
            Self::Referenced => "referenced",
        }
    }
}

/// Why a Skill has to stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The main agent uses it.
    MainEnabled,
    /// Other Specialists brought it along as well.
    SharedOwner(Vec<String>),
    /// Other Specialists use it.
    Referenced(Vec<String>),
}

impl Reason {
    /// Open-Science's word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::MainEnabled => "main-enabled",
            Self::SharedOwner(_) => "shared-owner",
            Self::Referenced(_) => "referenced",
        }
    }

    /// The Specialists that are the reason.
    #[must_use]
    pub fn specialists(&self) -> &[String] {
        match self {
            Self::MainEnabled => &[],
            Self::SharedOwner(ids) | Self::Referenced(ids) => ids,
        }
    }
}

impl RemovableSkill {
    /// Whether it may go.
    #[must_use]
    pub const fn is_deletable(&self) -> bool {
        self.reasons.is_empty()
    }
}

/// Why nothing is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemovalRefusal {
    /// No Specialist of this identity is installed, or the application brings it along.
    ProtectedTarget {
        /// Whether it is there.
        is_there: bool,
    },
    /// The Specialist changed since it was looked at.
    RevisionConflict {
        /// Its revision now.
        revision: u64,
    },
    /// The Skill could be deleted when it was looked at, and somebody needs it now.
    StalePreview {
        /// Its local identity.
        skill: String,
    },
    /// The Skill may not be deleted.
    ProtectedSkill {
        /// Its local identity.
        skill: String,
    },
}

impl RemovalRefusal {
    /// Open-Science's word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ProtectedTarget { .. } => "protected-target",
            Self::RevisionConflict { .. } => "revision-conflict",
            Self::StalePreview { .. } => "stale-preview",
            Self::ProtectedSkill { .. } => "protected-skill",
        }
    }
}

impl fmt::Display for RemovalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProtectedTarget { is_there: true } => f.write_str("the application brings it along"),
            Self::ProtectedTarget { is_there: false } => {
                f.write_str("no Specialist of this identity is installed")
            }
            Self::RevisionConflict { revision } => {
                write!(f, "the Specialist changed since it was looked at: its revision is {revision} now")
            }
            Self::StalePreview { skill } => write!(f, "the Skill `{skill}` has come into use since"),
            Self::ProtectedSkill { skill } => {
                write!(f, "the Skill `{skill}` is not one that can go with this Specialist")
            }
        }
    }
}

impl Removal {
    /// What could be taken away with the Specialist `id`.
    ///
    /// # Errors
    /// [`RemovalRefusal::ProtectedTarget`].
    pub fn of(inventory: &Inventory, id: &str) -> Result<Self, RemovalRefusal> {
        let there = inventory.specialists.get(id);
        let profile = there.filter(|profile| profile.origin == Origin::Imported);
        let profile = profile.ok_or(RemovalRefusal::ProtectedTarget { is_there: there.is_some() })?;
        let mut ids: Vec<&String> = profile.owned.iter().chain(inventory.reach(profile)).collect();
        ids.sort();
        ids.dedup();
        let skills = ids.into_iter().filter(|skill| !inventory.is_built_in(skill)).filter_map(|local_id| {
            let skill = inventory.skills.get(local_id)?;
            let others = |ids: Vec<&String>| -> Vec<String> {
                ids.into_iter().filter(|other| *other != id).cloned().collect()
            };
            let mut reasons = Vec::new();
            if skill.main_agent == MainAgent::Uses {
                reasons.push(Reason::MainEnabled);
            }
            let brought = |(_, profile): &(_, &Profile)| profile.owned.contains(local_id);
            let owners = inventory.specialists.iter().filter(brought).map(|(id, _)| id);
            let owners: BTreeSet<&String> = owners.chain(&skill.owners).collect();
            let owners = others(owners.into_iter().collect());
            if !owners.is_empty() {
                reasons.push(Reason::SharedOwner(owners));
            }
            let users = others(inventory.users(local_id).collect());
            if !users.is_empty() {
                reasons.push(Reason::Referenced(users));
            }
            let kind = match (reasons.is_empty(), profile.owned.contains(local_id)) {
                (true, _) => SkillKind::Exclusive,
                (false, true) => SkillKind::Owned,
                (false, false) => SkillKind::Referenced,
            };
            Some(RemovableSkill { local_id: local_id.clone(), name: skill.name.clone(), kind, reasons })
        });
        Ok(Self {
            id: id.to_owned(),
            name: profile.shown_name().to_owned(),
            revision: profile.revision,
            skills: skills.collect(),
        })
    }

    /// The inventory without the Specialist and without these Skills, by their local identities. `self` is what was looked at:
    /// the Specialist has to be as it was, and the Skills have to be as free as they were.
    ///
    /// # Errors
    /// The first reason against it.
    pub fn apply(&self, inventory: &Inventory, skills: &[String]) -> Result<Inventory, RemovalRefusal> {
        let now = Self::of(inventory, &self.id)?;
        if now.revision != self.revision {
            return Err(RemovalRefusal::RevisionConflict { revision: now.revision });
        }
        let mut inventory = inventory.clone();
        for skill in skills {
            let can_go = |removal: &Self| {
                removal.skills.iter().any(|known| known.local_id == *skill && known.is_deletable())
            };
            let skill = skill.clone();
            if !can_go(&now) {
                let refusal = if can_go(self) {
                    RemovalRefusal::StalePreview { skill }
                } else {
                    RemovalRefusal::ProtectedSkill { skill }
                };
                return Err(refusal);
            }
            // A Skill that is named twice makes no sense.
            if inventory.skills.remove(&skill).is_none() {
                return Err(RemovalRefusal::ProtectedSkill { skill });
            }
        }
        inventory.specialists.remove(&self.id);
        for skill in inventory.skills.values_mut().filter(|skill| skill.owners.contains(&self.id)) {
            skill.owners.retain(|owner| *owner != self.id);
            if skill.owners.is_empty() {
                skill.standalone = Standalone::Yes;
            }
        }
        Ok(inventory)
    }
}
