//! Where Skills begin (§2.6): the shallowest document on each branch, in the bundle and in each archive of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::archive::Spool;
use crate::tree::Blob;

use super::super::skill::{DOCUMENT, FILE_BYTES, FILES, TOTAL_BYTES, files};
use super::outer::{Believed, Outer};
use super::reason::{Reason, Skipped};
use super::{Entry, SKILLS, WRAPPERS, nested, strict};

/// A Skill of a bundle.
#[derive(Clone, Debug)]
pub struct SkillFiles {
    /// Where it is: ``, `dir`, `name.zip`, `name.zip/inner`.
    pub sub_path: String,
    /// Its files with the rest of their names, in the order of the archive. The rest may be no path.
    pub files: Vec<(String, Blob)>,
}

impl SkillFiles {
    /// The document: the first that is called so in any spelling.
    #[must_use]
    pub fn document(&self) -> Option<&(String, Blob)> {
        self.files.iter().find(|(name, _)| name.eq_ignore_ascii_case(DOCUMENT))
    }
}

/// What there is in a bundle.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The Skills, by their places.
    pub(super) skills: Vec<SkillFiles>,
    /// What is left out, and why.
    pub(super) skipped: Vec<Skipped>,
    /// What is left out without a word.
    pub(super) silent: Vec<String>,
    /// Files in no Skill.
    pub(super) outside: Vec<String>,
    /// Documents too deep to begin a Skill.
    pub(super) deep: Vec<String>,
}

/// The Skills of a bundle, and what is left out.
///
/// # Errors
/// When an archive of the bundle cannot be read or kept.
pub(super) fn find(outer: &Outer, spool: &mut dyn Spool) -> io::Result<Found> {
    let mut found =
        Found { skipped: outer.skipped.clone(), silent: outer.silent.clone(), ..Found::default() };
    let loose = starts(&outer.entries, outer.top.as_deref());
    let first_skipped = skipped_below(&loose, &outer.skipped);
    let mut rest = Vec::new();
    for skill in grouped(&outer.entries, &loose, |entry| rest.push(entry.clone())) {
        let fault = first_skipped
            .get(&skill.sub_path)
            .map(|reason| Reason::Incomplete(Box::new(reason.clone())))
            .or_else(|| over_budget(&skill));
        match fault {
            Some(reason) => found.skipped.push(Skipped::skill(skill.sub_path, reason)),
            None => found.skills.push(skill),
        }
    }
    let mut bytes = 0;
    for entry in rest {
        if nested::is_archive(&entry.name) {
            found.open(&entry, outer, &mut bytes, spool)?;
        } else if is_start(&entry.name) {
            found.deep.push(entry.name);
        } else {
            found.outside.push(entry.name);
        }
    }
    number_repeats(&mut found.skills);
    if found.skills.len() > SKILLS {
        let more = found.skills.split_off(SKILLS).into_iter();
        found.skipped.extend(more.map(|skill| Skipped::skill(skill.sub_path, Reason::Skills)));
    }
    found.skills.sort_by(|one, other| files::order(&one.sub_path, &other.sub_path));
    Ok(found)
}

impl Found {
    /// Adds the Skills of an archive in the bundle; `bytes` counts what all of them unpacked to.
    fn open(
        &mut self,
        archive: &Entry,
        bundle: &Outer,
        bytes: &mut u64,
        spool: &mut dyn Spool,
    ) -> io::Result<()> {
        let believed = bundle.believed;
        let opened = match believed {
            Believed::Directory => nested::entries(&archive.blob, spool)?
                .map(|entries| strict::Nested { entries, ..strict::Nested::default() }),
            Believed::Nothing if self.skills.len() > SKILLS => Err(Reason::Skills),
            Believed::Nothing if *bytes > bundle.nested_bytes => Err(Reason::NestedBytes),
            Believed::Nothing => strict::nested(&archive.blob, spool)?,
        };
        let opened = opened.and_then(|nested| {
            let inner = starts(&nested.entries, nested.top.as_deref());
            if inner.is_empty() { Err(Reason::NoSkill) } else { Ok((nested, inner)) }
        });
        let (nested, inner) = match opened {
            Ok(opened) => opened,
            Err(reason) => {
                self.skipped.push(Skipped::entry(&archive.name, reason));
                return Ok(());
            }
        };
        *bytes = nested.entries.iter().fold(*bytes, |sum, entry| sum.saturating_add(entry.blob.len()));
        let below = |name: &str| format!("{}/{name}", archive.name);
        self.silent.extend(nested.silent.iter().map(|name| below(name)));
        let (outside, deep) = (&mut self.outside, &mut self.deep);
        let rest = |entry: &Entry| {
            if is_start(&entry.name) { &mut *deep } else { &mut *outside }.push(below(&entry.name));
        };
        for skill in grouped(&nested.entries, &inner, rest) {
            let sub_path =
                if skill.sub_path.is_empty() { archive.name.clone() } else { below(&skill.sub_path) };
            // The believed reader has bounded it already.
            match over_budget(&skill).filter(|_| believed == Believed::Nothing) {
                Some(reason) => self.skipped.push(Skipped::skill(sub_path, reason)),
                None => self.skills.push(SkillFiles { sub_path, ..skill }),
            }
        }
        Ok(())
    }
}

/// Whether a file is the document of a Skill.
fn is_start(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(DOCUMENT))
}

/// The folders in which Skills begin, without those inside another. The folder `top`, which holds everything, is not counted.
fn starts(entries: &[Entry], top: Option<&str>) -> BTreeSet<String> {
    let most = WRAPPERS + usize::from(top.is_some());
    let all: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| {
            let (folder, name) = entry.name.rsplit_once('/').unwrap_or(("", &entry.name));
            let folders = if folder.is_empty() { 0 } else { folder.split('/').count() };
            (name.eq_ignore_ascii_case(DOCUMENT) && folders <= most).then_some(folder)
        })
        .collect();
    let is_inside = |folder: &str| above(folder).any(|outer| all.contains(outer));
    all.iter().filter(|folder| !is_inside(folder)).map(|&folder| folder.to_owned()).collect()
}

/// The folders that `folder` lies in, and the root.
fn above(folder: &str) -> impl Iterator<Item = &str> {
    let root = (!folder.is_empty()).then_some("");
    folder.match_indices('/').map(|(at, _)| &folder[..at]).chain(root)
}

/// The Skill that an entry belongs to.
fn owner<'s>(name: &str, starts: &'s BTreeSet<String>) -> Option<&'s String> {
    above(name).find_map(|folder| starts.get(folder))
}

/// The Skills at `starts` with their files, in the order in which they begin; `rest` gets what is in none.
fn grouped(entries: &[Entry], starts: &BTreeSet<String>, mut rest: impl FnMut(&Entry)) -> Vec<SkillFiles> {
    let mut order: Vec<&String> = Vec::new();
    let mut groups: BTreeMap<&String, Vec<(String, Blob)>> = BTreeMap::new();
    for entry in entries {
        let Some(start) = owner(&entry.name, starts) else {
            rest(entry);
            continue;
        };
        let below = if start.is_empty() { 0 } else { start.len() + 1 };
        let group = groups.entry(start).or_insert_with(|| {
            order.push(start);
            Vec::new()
        });
        group.push((entry.name[below..].to_owned(), entry.blob.clone()));
    }
    order
        .into_iter()
        .map(|start| SkillFiles { sub_path: start.clone(), files: groups.remove(start).unwrap_or_default() })
        .collect()
}

/// The first reason why something below a Skill is left out.
fn skipped_below(starts: &BTreeSet<String>, skipped: &[Skipped]) -> BTreeMap<String, Reason> {
    let mut first = BTreeMap::new();
    for Skipped { source, reason, .. } in skipped {
        if let Some(start) = owner(source, starts) {
            first.entry(start.clone()).or_insert_with(|| reason.clone());
        }
    }
    first
}

/// The budget of one Skill that is spent.
fn over_budget(skill: &SkillFiles) -> Option<Reason> {
    let lengths = || skill.files.iter().map(|(_, blob)| blob.len());
    if skill.files.len() as u64 > FILES {
        Some(Reason::SkillFiles)
    } else if lengths().any(|bytes| bytes > FILE_BYTES) {
        Some(Reason::SkillFile)
    } else if lengths().fold(0, u64::saturating_add) > TOTAL_BYTES {
        Some(Reason::SkillBytes)
    } else {
        None
    }
}

/// A second Skill at one place gets a number.
fn number_repeats(found: &mut [SkillFiles]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for skill in found {
        let count = seen.entry(skill.sub_path.clone()).or_default();
        *count += 1;
        if *count > 1 {
            skill.sub_path = format!("{}#{count}", skill.sub_path);
        }
    }
}
