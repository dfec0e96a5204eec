//! The plan of an import: what becomes of each Skill of a bundle, under which name and why. Nothing is written here;
//! whoever writes does what the plan says and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::finding::{Code, Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Blob, Executable};

use super::super::skill::{DOCUMENT, FILE_BYTES, write};
use super::super::words;
use super::codes;
use super::import::{self, ImportError};
use super::preview::{Candidate, Preview, Shown};
use super::reason::{Reason, Skipped};
use super::roots::SkillFiles;

/// Names that one finding tells.
const NAMES_TOLD: usize = 3;
/// Findings of one code about entries that are left out.
const ENTRIES_TOLD: usize = 8;

/// What to do where something else has the name of a Skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Say so, and leave both as they are.
    #[default]
    Refuse,
    /// Leave what is there; that is what was wanted.
    Skip,
    /// Import it under another name.
    KeepBoth,
    /// Put it in the place of what is there.
    Replace,
}

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The places or names of the Skills that are wanted; empty for all.
    pub only: Vec<String>,
    /// What to do about conflicts.
    pub on_conflict: OnConflict,
}

impl Order {
    /// Whether the Skill that has these names and places is wanted.
    fn wants(&self, called: &[&str]) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| called.contains(&wanted.as_str()))
    }
}

/// What is where a Skill would go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum There {
    /// Nothing.
    Nothing,
    /// The very same files.
    Same,
    /// Another folder.
    Other(Difference),
    /// Something that is no folder, or a folder that cannot be read.
    NoFolder,
}

/// How a folder that is there differs from what would take its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Files that would come.
    pub added: Vec<PackagePath>,
    /// Files that would be others.
    pub modified: Vec<PackagePath>,
    /// What would go.
    pub removed: Vec<PackagePath>,
}

/// Where Skills go.
pub trait Destination {
    /// What is where a Skill called `name` with these files would go.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn there(&mut self, name: &str, files: &[(PackagePath, Blob)]) -> io::Result<There>;
}

/// What becomes of a Skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is written where nothing is.
    Create,
    /// It takes the place of what is there.
    Replace(Difference),
    /// The same is there already, or came before it in this import.
    Unchanged,
    /// Something else is there and stays, as was asked for.
    Skip,
    /// It was not asked for.
    NotChosen,
    /// It is not imported; the finding with this code says why.
    Refuse(&'static Code),
}

impl Step {
    /// The word for it in machine output.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Replace(_) => "replace",
            Self::Unchanged => "unchanged",
            Self::Skip => "skip",
            Self::NotChosen => "not-chosen",
            Self::Refuse(_) => "refuse",
        }
    }
}

/// A Skill, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Where it is in the bundle.
    pub sub_path: String,
    /// Its name, as its document says it, where there is one.
    pub said: Option<String>,
    /// What it is for; empty where the document is not shown.
    pub description: String,
    /// The name of its folder, where it has got one.
    pub name: Option<String>,
    /// Its files as they would be written, where it has got a name.
    pub files: Vec<(PackagePath, Blob)>,
    /// What becomes of it.
    pub step: Step,
}

impl Planned {
    fn refused(sub_path: &str, said: Option<&str>, code: &'static Code) -> Self {
        Self {
            sub_path: sub_path.to_owned(),
            said: said.map(str::to_owned),
            description: String::new(),
            name: None,
            files: Vec::new(),
            step: Step::Refuse(code),
        }
    }

    /// Bytes of its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, blob)| blob.len()).sum()
    }

    /// Its files that may be run.
    pub fn executables(&self) -> impl Iterator<Item = &PackagePath> {
        self.files.iter().filter(|(_, blob)| blob.executable() == Executable::Yes).map(|(path, _)| path)
    }
}

/// The names that Skills of one import have got so far.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, SkillFiles>);

impl Names {
    fn is_taken(&self, name: &str) -> bool {
        self.0.contains_key(name) || words::BUILT_IN_SKILLS.contains(&name)
    }
}

/// What becomes of each Skill of `preview`, with what there is to say about it in `out`.
///
/// # Errors
/// When a content cannot be read, or the destination cannot say what is there.
pub fn plan(
    preview: &Preview,
    order: &Order,
    names: &mut Names,
    destination: &mut dyn Destination,
    out: &mut Findings,
) -> io::Result<Vec<Planned>> {
    tell_entries(preview, out);
    let mut planned = Vec::new();
    for Skipped { source, sub_path, reason } in
        preview.skipped.iter().filter(|skipped| skipped.reason.is_of_a_skill())
    {
        let sub_path = sub_path.as_deref().unwrap_or(source);
        if !order.wants(&[sub_path]) {
            planned
                .push(Planned { step: Step::NotChosen, ..Planned::refused(sub_path, None, reason.code()) });
            continue;
        }
        let what = if sub_path.is_empty() { "the Skill".to_owned() } else { format!("`{sub_path}`") };
        let message = format!("{what} is not imported: {}", reason.told());
        out.push(Finding::new(reason.code(), place(sub_path), message));
        planned.push(Planned::refused(sub_path, None, reason.code()));
    }
    for candidate in &preview.candidates {
        planned.push(Planning { candidate, order, names, destination, out }.step()?);
    }
    planned.sort_by(|one, other| super::super::skill::files::order(&one.sub_path, &other.sub_path));
    if planned.is_empty() && !out.has_errors() {
        let message = "there is no SKILL.md at most three folders deep";
        out.push(Finding::new(&codes::NO_SKILL, Place::package(), message));
    }
    Ok(planned)
}

/// What is left out without being a Skill of its own.
fn tell_entries(preview: &Preview, out: &mut Findings) {
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    let mut more: Vec<(&'static Code, usize)> = Vec::new();
    for Skipped { source, reason, .. } in
        preview.skipped.iter().filter(|skipped| !skipped.reason.is_of_a_skill())
    {
        let code = reason.code();
        let count = told.entry(code.slug).or_default();
        *count += 1;
        if *count <= ENTRIES_TOLD {
            let message = format!("`{source}` is left out: {}", reason.told());
            out.push(Finding::new(code, place(source), message));
        } else if let Some((_, more)) = more.iter_mut().find(|(known, _)| known.slug == code.slug) {
            *more += 1;
        } else {
            more.push((code, 1));
        }
    }
    for (code, more) in more {
        let message = format!("{more} more are left out for the same reason");
        out.push(Finding::new(code, Place::package(), message));
    }
    let hidden: BTreeSet<&str> = preview.silent.iter().map(|name| top_hidden(name)).collect();
    tell_names(&codes::HIDDEN, &hidden, "left out", out);
    let deep: BTreeSet<&str> = preview.deep.iter().map(String::as_str).collect();
    tell_names(&codes::DOCUMENT_DEPTH, &deep, "too deep to begin a Skill", out);
    let left_out: BTreeSet<&str> = preview.left_out.iter().map(String::as_str).collect();
    tell_names(&codes::LEFT_OUT, &left_out, "no files that could be fetched", out);
    let outside: BTreeSet<&str> = preview.outside.iter().map(String::as_str).collect();
    let files =
        if outside.len() == 1 { "1 file is".to_owned() } else { format!("{} files are", outside.len()) };
    tell_names(&codes::OUTSIDE, &outside, &format!("{files} in no Skill"), out);
}

/// A hidden name up to where it is hidden: what is in a hidden folder needs no word of its own.
fn top_hidden(name: &str) -> &str {
    match name.find('/') {
        Some(at) if name.starts_with('.') => &name[..=at],
        _ => name,
    }
}

/// One finding for many names.
fn tell_names(code: &'static Code, names: &BTreeSet<&str>, what: &str, out: &mut Findings) {
    let Some(&first) = names.first() else { return };
    let listed: Vec<String> = names.iter().take(NAMES_TOLD).map(|name| format!("`{name}`")).collect();
    let dots = if names.len() > NAMES_TOLD { ", …" } else { "" };
    let at = if names.len() == 1 { place(first) } else { Place::package() };
    out.push(Finding::new(code, at, format!("{what}: {}{dots}", listed.join(", "))));
}

/// The file or folder of a bundle that has this name, where one can be pointed at.
fn place(name: &str) -> Place {
    PackagePath::new(name.trim_end_matches('/')).map_or_else(|_| Place::package(), Place::file)
}

/// One Skill under way.
struct Planning<'p> {
    candidate: &'p Candidate,
    order: &'p Order,
    names: &'p mut Names,
    destination: &'p mut dyn Destination,
    out: &'p mut Findings,
}

impl Planning<'_> {
    fn step(mut self) -> io::Result<Planned> {
        let Candidate { skill, name: said, description, .. } = self.candidate;
        let wanted = match words::normalised(said) {
            name if name.is_empty() => "skill".to_owned(),
            name => name,
        };
        let planned = |name: Option<String>, files: Vec<(PackagePath, Blob)>, step: Step| Planned {
            sub_path: skill.sub_path.clone(),
            said: Some(said.clone()),
            description: description.clone(),
            name,
            files,
            step,
        };
        if !self.order.wants(&[&skill.sub_path, said, &wanted]) {
            return Ok(planned(None, Vec::new(), Step::NotChosen));
        }
        if self.candidate.shown == Shown::OverBudget {
            let message = "the documents before this one left no room, so that it is not shown";
            self.say(&codes::PREVIEW_SIZE, message);
        }
        if let Err(fault) = words::skill_name(&wanted) {
            let becomes = if *said == wanted { String::new() } else { format!(", which becomes `{wanted}`") };
            self.say(&codes::NAME, format!("it is called `{said}`{becomes}: {}", told(fault)));
            return Ok(planned(None, Vec::new(), Step::Refuse(&codes::NAME)));
        }
        let paths = match import::check_paths(skill).and_then(|()| import::paths(skill)) {
            Ok(paths) => paths,
            Err(error) => {
                self.say(&codes::PATHS, why_not(&error));
                return Ok(planned(None, Vec::new(), Step::Refuse(&codes::PATHS)));
            }
        };
        if let Some((path, problem)) = paths.iter().find_map(|path| Some((path, path.to_os().err()?))) {
            self.say(&codes::PATHS, format!("`{path}` cannot be stored here: {problem}"));
            return Ok(planned(None, Vec::new(), Step::Refuse(&codes::PATHS)));
        }
        let text = match self.text()? {
            Ok(text) => text,
            Err(because) => {
                self.say(&codes::DOCUMENT, because);
                return Ok(planned(None, Vec::new(), Step::Refuse(&codes::DOCUMENT)));
            }
        };
        let mut name = wanted.clone();
        let mut told_name = false;
        if let Some(before) = self.names.0.get(&wanted)
            && import::signature(before)? == import::signature(skill)?
        {
            return Ok(planned(Some(name), Vec::new(), Step::Unchanged));
        }
        if self.names.is_taken(&name) {
            name = import::free_name(&wanted, |name| self.names.is_taken(name));
            self.say(&codes::NAME_TAKEN, format!("the name `{wanted}` is taken, and it becomes `{name}`"));
            told_name = true;
        }
        let (step, files) = loop {
            let files = match files(&paths, skill, &text, &name) {
                Ok(files) => files,
                Err(because) => {
                    self.say(&codes::DOCUMENT, because);
                    return Ok(planned(None, Vec::new(), Step::Refuse(&codes::DOCUMENT)));
                }
            };
            let there = self.destination.there(&name, &files)?;
            let step = match (there, self.order.on_conflict) {
                (There::Nothing, _) => Step::Create,
                (There::Same, _) => Step::Unchanged,
                (There::Other(difference), OnConflict::Replace) => Step::Replace(difference),
                (_, OnConflict::Skip) => Step::Skip,
                (_, OnConflict::KeepBoth) => {
                    // Every turn takes a name that was not taken yet, and each is asked about once.
                    self.names.0.insert(name, SkillFiles { sub_path: String::new(), files: Vec::new() });
                    name = import::free_name(&wanted, |name| self.names.is_taken(name));
                    continue;
                }
                (There::Other(_), OnConflict::Refuse) => {
                    self.say(&codes::CONFLICT, format!("another folder is called `{name}` already"));
                    Step::Refuse(&codes::CONFLICT)
                }
                (There::NoFolder, OnConflict::Refuse | OnConflict::Replace) => {
                    let message = format!("`{name}` is there already and is no folder that can be replaced");
                    self.say(&codes::CONFLICT, message);
                    Step::Refuse(&codes::CONFLICT)
                }
            };
            break (step, files);
        };
        if name != *said && !told_name {
            self.say(&codes::NAME_CHANGED, format!("`{said}` becomes `{name}`"));
        }
        self.names.0.insert(name.clone(), skill.clone());
        Ok(planned(Some(name), files, step))
    }

    /// What the document says, or why an import cannot keep it.
    fn text(&self) -> io::Result<Result<String, String>> {
        let Some((_, blob)) = self.candidate.skill.document() else { return Ok(Ok(String::new())) };
        let bytes = blob.read(FILE_BYTES).map_err(io::Error::other)?;
        Ok(String::from_utf8(bytes).map_err(|_| "the document is not UTF-8".to_owned()))
    }

    /// Says something about the Skill, at its document.
    fn say(&mut self, code: &'static Code, message: impl Into<String>) {
        let skill = &self.candidate.skill;
        let document = skill.document().map_or(DOCUMENT, |(name, _)| name);
        let folder = skill.sub_path.split('#').next().unwrap_or_default();
        let file = if folder.is_empty() { document.to_owned() } else { format!("{folder}/{document}") };
        // Inside of an archive of the bundle there is no file to point at; the archive is.
        let archive = folder.match_indices('/').map(|(at, _)| &folder[..at]).chain([folder]);
        let file = archive.into_iter().find(|part| super::nested::is_archive(part)).unwrap_or(&file);
        self.out.push(Finding::new(code, place(file), message));
    }
}

/// The files of a Skill as they are written: its document under the name it gets, the rest as it is.
fn files(
    paths: &[PackagePath],
    skill: &SkillFiles,
    text: &str,
    name: &str,
) -> Result<Vec<(PackagePath, Blob)>, String> {
    let document = write::imported(text, name).map_err(|error| error.to_string())?;
    let mut document = Some(Blob::from_bytes(document));
    let blob = |path: &PackagePath, blob: &Blob| {
        let own = path.as_str().eq_ignore_ascii_case(DOCUMENT).then(|| document.take()).flatten();
        own.unwrap_or_else(|| blob.clone())
    };
    let mut blob = blob;
    Ok(paths.iter().zip(&skill.files).map(|(path, (_, own))| (path.clone(), blob(path, own))).collect())
}

/// Which rule of names is broken, in a few words.
const fn told(fault: words::SkillNameFault) -> &'static str {
    match fault {
        words::SkillNameFault::Empty => "nothing is left of it",
        words::SkillNameFault::Shape => "a name is up to 64 lower-case letters, digits and single hyphens",
        words::SkillNameFault::Reserved => "os- and mcp- are reserved",
    }
}

/// Why the files of a Skill cannot lie in one folder.
fn why_not(error: &ImportError) -> String {
    match error {
        ImportError::Outside(path) => format!("`{path}` is no path inside of the Skill"),
        ImportError::Duplicate(path) => format!("`{path}` is there twice"),
        ImportError::FileAndFolder => "a file is also a folder".to_owned(),
        ImportError::Collision(path) => {
            format!("`{path}` and another file are one where upper and lower case are the same")
        }
        other => other.to_string(),
    }
}

impl Reason {
    /// Whether a Skill, or an archive of Skills, is not imported for this reason, and not one entry of a bundle.
    const fn is_of_a_skill(&self) -> bool {
        match self {
            Self::Incomplete(_)
            | Self::SkillFiles
            | Self::SkillFile
            | Self::SkillBytes
            | Self::Skills
            | Self::NoName
            | Self::ReservedFile(_)
            | Self::NoSkill
            | Self::NotZip
            | Self::Nested(_)
            | Self::Refused(_)
            | Self::Requests
            | Self::NestedBytes => true,
            Self::Unsafe
            | Self::Method
            | Self::Depth
            | Self::Entries
            | Self::LocalHeader
            | Self::PastEnd
            | Self::TooLarge
            | Self::BundleBytes
            | Self::Kind(_) => false,
        }
    }
}
