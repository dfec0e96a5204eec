//! What an import of a chosen Skill comes to (§2.8), as a plan over what is there: nothing is written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

use crate::digest::{Hasher, Sha256};
use crate::path::PackagePath;

use super::super::words;
use super::preview::{Candidate, Preview};
use super::roots::SkillFiles;

/// The Skills that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shelf {
    /// Those that were imported: what their files were, by their identity.
    pub imported: BTreeMap<String, Sha256>,
    /// Names that are taken by others: written by hand, or brought along.
    pub taken: BTreeSet<String>,
    /// Where imported ones came from, by their identity (§6).
    pub sources: BTreeMap<String, String>,
}

/// What became of one Skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is new.
    Imported,
    /// The same was there.
    Unchanged,
    /// It took the place of another.
    Updated,
}

impl Status {
    /// Open-Science's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Unchanged => "unchanged",
            Self::Updated => "updated",
        }
    }
}

/// An import of one Skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What became of it.
    pub status: Status,
    /// Its identity.
    pub id: String,
}

/// Why a Skill is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportError {
    /// There is no Skill.
    NoSkill,
    /// There are several, and none was chosen.
    Several,
    /// There is none at this place.
    NotThere(String),
    /// The name is none that a Skill may have.
    Name(words::SkillNameFault),
    /// Only what was imported can be replaced.
    NotImported(String),
    /// Several imported Skills came from the same place.
    SeveralFrom,
    /// A file would lie outside of the Skill.
    Outside(String),
    /// Two files have one path.
    Duplicate(String),
    /// A file is also a folder.
    FileAndFolder,
    /// Two files have one path on a disk that does not tell case.
    Collision(String),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSkill => f.write_str("The bundle must contain a SKILL.md."),
            Self::Several => f.write_str("The bundle contains multiple skills; specify which one to import."),
            Self::NotThere(sub_path) => write!(f, "The bundle has no skill at \"{sub_path}\"."),
            Self::Name(fault) => f.write_str(fault.upstream()),
            Self::NotImported(id) => write!(f, "Not an imported skill to replace: {id}"),
            Self::SeveralFrom => f.write_str(
                "Multiple installed Skills match this GitHub source. Resolve the duplicate imports before updating.",
            ),
            Self::Outside(path) => write!(f, "Refusing to write skill file outside its directory: {path}"),
            Self::Duplicate(path) => write!(f, "Duplicate file path in skill import: {path}"),
            Self::FileAndFolder => {
                f.write_str("Conflicting file and directory at the same path in skill import.")
            }
            Self::Collision(path) => {
                write!(f, "Conflicting file paths in skill import (collision at {path}).")
            }
        }
    }
}

impl std::error::Error for ImportError {}

/// The Skill of `preview` at `sub_path`; without one, the only one there is.
///
/// # Errors
/// When there is none, or several to choose from.
pub fn chosen<'p>(preview: &'p Preview, sub_path: Option<&str>) -> Result<&'p Candidate, ImportError> {
    match sub_path {
        Some(sub_path) => preview
            .candidates
            .iter()
            .find(|candidate| candidate.skill.sub_path == sub_path)
            .ok_or_else(|| ImportError::NotThere(sub_path.to_owned())),
        None if preview.roots == 0 => Err(ImportError::NoSkill),
        None if preview.roots > 1 => Err(ImportError::Several),
        None => preview.candidates.first().ok_or(ImportError::NoSkill),
    }
}

impl Shelf {
    /// What an import of `candidate` comes to, and puts it on the shelf. `replace` names what it takes the place of.
    ///
    /// # Errors
    /// [`ImportError`] when it is not imported, and an error of the disk when its files cannot be read.
    pub fn import(
        &mut self,
        candidate: &Candidate,
        replace: Option<&str>,
    ) -> io::Result<Result<Outcome, ImportError>> {
        let signature = signature(&candidate.skill)?;
        if let Some(id) = replace {
            if !self.imported.contains_key(id) {
                return Ok(Err(ImportError::NotImported(id.to_owned())));
            }
            if let Err(error) = check_paths(&candidate.skill) {
                return Ok(Err(error));
            }
            self.imported.insert(id.to_owned(), signature);
            return Ok(Ok(Outcome { status: Status::Updated, id: id.to_owned() }));
        }
        if let Some((id, _)) = self.imported.iter().find(|(_, known)| **known == signature) {
            return Ok(Ok(Outcome { status: Status::Unchanged, id: id.clone() }));
        }
        let name = match words::normalised(&candidate.name) {
            name if name.is_empty() => "skill".to_owned(),
            name => name,
        };
        if let Err(fault) = words::skill_name(&name) {
            return Ok(Err(ImportError::Name(fault)));
        }
        if let Err(error) = check_paths(&candidate.skill) {
            return Ok(Err(error));
        }
        let id = format!("imported-{}", self.free_name(&name));
        self.imported.insert(id.clone(), signature);
        Ok(Ok(Outcome { status: Status::Imported, id }))
    }

    /// The same for a Skill from a place on GitHub with this identity: the one that came from there is what it replaces, at
    /// whatever commit it was.
    ///
    /// # Errors
    /// As [`Shelf::import`].
    pub fn import_from(
        &mut self,
        identity: &str,
        candidate: &Candidate,
    ) -> io::Result<Result<Outcome, ImportError>> {
        let mut from =
            self.sources.iter().filter(|(_, source)| *source == identity).map(|(id, _)| id.clone());
        let replaced = match (from.next(), from.next()) {
            (Some(_), Some(_)) => return Ok(Err(ImportError::SeveralFrom)),
            (replaced, _) => replaced,
        };
        if let Some(id) = &replaced
            && self.imported.get(id) == Some(&signature(&candidate.skill)?)
        {
            return Ok(Ok(Outcome { status: Status::Unchanged, id: id.clone() }));
        }
        let outcome = self.import(candidate, replaced.as_deref())?;
        if let Ok(Outcome { id, .. }) = &outcome {
            self.sources.insert(id.clone(), identity.to_owned());
        }
        Ok(outcome)
    }

    /// The first of `name`, `name-2`, `name-3`, … that nobody has, cut so that it stays a name.
    #[must_use]
    pub fn free_name(&self, name: &str) -> String {
        free_name(name, |name| {
            self.taken.contains(name) || self.imported.contains_key(&format!("imported-{name}"))
        })
    }
}

/// The first of `name`, `name-2`, `name-3`, … that is not taken, cut so that it stays a name.
pub(super) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1u64;
    let mut candidate = name.to_owned();
    while is_taken(&candidate) {
        number += 1;
        let ending = format!("-{number}");
        let room = words::NAME_UNITS.saturating_sub(ending.len());
        let base: String = name.chars().take(room).collect();
        candidate = format!("{}{ending}", base.trim_end_matches('-'));
    }
    candidate
}

/// What the files of a Skill are, independent of the order in which they came.
///
/// # Errors
/// When a content cannot be read.
pub fn signature(skill: &SkillFiles) -> io::Result<Sha256> {
    let mut files: Vec<(&str, Sha256)> = Vec::with_capacity(skill.files.len());
    for (name, blob) in &skill.files {
        files.push((name, blob.digest()?));
    }
    files.sort_unstable();
    let mut hasher = Hasher::default();
    for (name, digest) in files {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
        hasher.update(digest.as_bytes());
    }
    Ok(hasher.finish())
}

/// Whether the files of a Skill can all be written below one folder.
pub(super) fn check_paths(skill: &SkillFiles) -> Result<(), ImportError> {
    let mut files: BTreeSet<&str> = BTreeSet::new();
    let mut folded: BTreeSet<String> = BTreeSet::new();
    for (name, _) in &skill.files {
        if name.starts_with('/') || name.split('/').any(|segment| segment == "..") {
            return Err(ImportError::Outside(name.clone()));
        }
        if !files.insert(name) {
            return Err(ImportError::Duplicate(name.clone()));
        }
        if !folded.insert(name.to_lowercase()) {
            return Err(ImportError::Collision(name.clone()));
        }
    }
    let is_folder_too = |name: &&str| name.match_indices('/').any(|(at, _)| files.contains(&name[..at]));
    if files.iter().any(is_folder_too) {
        return Err(ImportError::FileAndFolder);
    }
    let collides = |name: &&&str| {
        let name = name.to_lowercase();
        name.match_indices('/').any(|(at, _)| folded.contains(&name[..at]))
    };
    match files.iter().find(collides) {
        Some(name) => Err(ImportError::Collision((*name).to_owned())),
        None => Ok(()),
    }
}

/// The files of a Skill under paths that can be joined to a folder; the first name that is none, otherwise.
///
/// # Errors
/// [`ImportError::Outside`].
pub fn paths(skill: &SkillFiles) -> Result<Vec<PackagePath>, ImportError> {
    skill
        .files
        .iter()
        .map(|(name, _)| PackagePath::new(name).map_err(|_| ImportError::Outside(name.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Blob;

    fn skill(names: &[&str]) -> SkillFiles {
        let files = names.iter().map(|name| ((*name).to_owned(), Blob::from_bytes(*name))).collect();
        SkillFiles { sub_path: String::new(), files }
    }

    #[test]
    fn files_that_cannot_lie_side_by_side_are_refused() {
        assert_eq!(check_paths(&skill(&["a", "b/c", "b/d"])), Ok(()));
        assert_eq!(check_paths(&skill(&["a", "a"])), Err(ImportError::Duplicate("a".into())));
        assert_eq!(check_paths(&skill(&["a", "A"])), Err(ImportError::Collision("A".into())));
        assert_eq!(check_paths(&skill(&["a", "a/b"])), Err(ImportError::FileAndFolder));
        assert_eq!(check_paths(&skill(&["a", "A/b"])), Err(ImportError::Collision("A/b".into())));
        assert_eq!(check_paths(&skill(&["/b"])), Err(ImportError::Outside("/b".into())));
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_and_stays_a_name() {
        let mut shelf = Shelf::default();
        shelf.taken.insert("x".into());
        shelf.imported.insert("imported-x-2".into(), Sha256::of(b""));
        assert_eq!(shelf.free_name("x"), "x-3");
        assert_eq!(shelf.free_name("y"), "y");
        let long = "a".repeat(64);
        shelf.taken.insert(long.clone());
        assert_eq!(shelf.free_name(&long), format!("{}-2", "a".repeat(62)));
    }

    #[test]
    fn the_signature_is_of_the_files_and_not_of_their_order() {
        assert_eq!(signature(&skill(&["a", "b"])).unwrap(), signature(&skill(&["b", "a"])).unwrap());
        assert_ne!(signature(&skill(&["a", "b"])).unwrap(), signature(&skill(&["a"])).unwrap());
    }
}
