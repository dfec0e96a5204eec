//! Where Skills begin (§2.6): the shallowest document on each branch, in the bundle and in each archive of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::archive::Spool;
use crate::tree::Blob;

use super::super::skill::{FILE_BYTES, FILES, TOTAL_BYTES, files};
use super::nested;
use super::outer::Outer;
use super::reason::{Reason, Skipped};
use super::{Entry, SKILLS, WRAPPERS};

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
        self.files.iter().find(|(name, _)| name.eq_ignore_ascii_case(super::super::skill::DOCUMENT))
    }
}

/// The Skills of a bundle, by their places, and what is left out.
///
/// # Errors
/// When an archive of the bundle cannot be read or kept.
pub(super) fn find(outer: &Outer, spool: &mut dyn Spool) -> io::Result<(Vec<SkillFiles>, Vec<Skipped>)> {
    let mut skipped = outer.skipped.clone();
    let loose = starts(&outer.entries);
    let mut found: Vec<SkillFiles> = Vec::new();
    let first_skipped = skipped_below(&loose, &outer.skipped);
    let mut nested_archives = Vec::new();
    for skill in grouped(&outer.entries, &loose, |entry| nested_archives.push(entry.clone())) {
        let fault = first_skipped
            .get(&skill.sub_path)
            .map(|reason| Reason::Incomplete(Box::new(reason.clone())))
            .or_else(|| over_budget(&skill));
        match fault {
            Some(reason) => skipped.push(Skipped { source: shown(&skill.sub_path), reason }),
            None => found.push(skill),
        }
    }
    for archive in nested_archives.into_iter().filter(|entry| nested::is_archive(&entry.name)) {
        let entries = match nested::entries(&archive.blob, spool)? {
            Ok(entries) => entries,
            Err(reason) => {
                skipped.push(Skipped { source: archive.name, reason });
                continue;
            }
        };
        let inner = starts(&entries);
        if inner.is_empty() {
            skipped.push(Skipped { source: archive.name, reason: Reason::NoSkill });
            continue;
        }
        for skill in grouped(&entries, &inner, |_| {}) {
            let sub_path = match skill.sub_path.as_str() {
                "" => archive.name.clone(),
                inner => format!("{}/{inner}", archive.name),
            };
            found.push(SkillFiles { sub_path, ..skill });
        }
    }
    number_repeats(&mut found);
    if found.len() > SKILLS {
        let more = found.split_off(SKILLS).into_iter();
        skipped.extend(more.map(|skill| Skipped { source: shown(&skill.sub_path), reason: Reason::Skills }));
    }
    found.sort_by(|one, other| files::order(&one.sub_path, &other.sub_path));
    Ok((found, skipped))
}

/// A place as it is told: the root has no name of its own.
pub(super) fn shown(sub_path: &str) -> String {
    if sub_path.is_empty() { "skill".to_owned() } else { sub_path.to_owned() }
}

/// The folders in which Skills begin, without those inside another.
fn starts(entries: &[Entry]) -> BTreeSet<String> {
    let all: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| {
            let (folder, name) = entry.name.rsplit_once('/').unwrap_or(("", &entry.name));
            let folders = if folder.is_empty() { 0 } else { folder.split('/').count() };
            (name.eq_ignore_ascii_case("skill.md") && folders <= WRAPPERS).then_some(folder)
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
    for Skipped { source, reason } in skipped {
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
