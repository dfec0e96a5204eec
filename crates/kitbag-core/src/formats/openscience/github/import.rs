//! [`Download`]: the files of one Skill on GitHub, question by question.

use std::collections::VecDeque;

use url::Url;

use crate::json::{self, Json};
use crate::tree::Blob;

use super::super::bundle::{Preview, SkillFiles, of_one_skill};
use super::super::skill::{DEPTH, DOCUMENT, FILE_BYTES, FILES, TOTAL_BYTES};
use super::Place;
use super::ask::{Head, LISTING_BYTES, Question, Reaction, Trouble, below};

/// A Skill that comes from GitHub, one answer after the other.
#[derive(Debug)]
pub struct Download {
    place: Place,
    api: Url,
    left: VecDeque<Job>,
    files: Vec<(String, Blob)>,
    bytes: u64,
    left_out: Vec<String>,
    begun: bool,
}

/// Something to be asked for.
#[derive(Clone, Debug)]
enum Job {
    /// What is in a folder, by its path below the Skill's.
    Folder(String),
    /// A file, by its path below the Skill's.
    File(String, Url),
}

/// What is asked next.
#[derive(Debug)]
pub enum Step {
    /// What is in a folder: the answer goes to [`Download::listing`].
    List(Question),
    /// A file: its content goes to [`Download::file`].
    Fetch(Question),
    /// Everything is there.
    Done,
}

impl Download {
    /// A Skill at `place`, asked for at the API at `api`.
    #[must_use]
    pub fn new(place: Place, api: Url) -> Self {
        let left = VecDeque::from([Job::Folder(String::new())]);
        Self { place, api, left, files: Vec::new(), bytes: 0, left_out: Vec::new(), begun: false }
    }

    /// What is to be asked next. It stays the same until it is answered.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn step(&self) -> Result<Step, Trouble> {
        match self.left.front() {
            None => Ok(Step::Done),
            Some(Job::Folder(folder)) => {
                let path = join(&self.place.path, folder);
                let shown = if path.is_empty() { "repo root" } else { &path };
                let context = format!("GitHub API request for {shown}");
                let mut segments = vec!["repos", &self.place.owner, &self.place.repository, "contents"];
                segments.extend(path.split('/').filter(|segment| !segment.is_empty()));
                let query = self.place.reference.as_deref().map(|reference| ("ref", reference));
                let query: Vec<(&str, &str)> = query.into_iter().collect();
                let url = below(&self.api, &segments, &query)
                    .ok_or_else(|| Trouble::Redirected { context: context.clone() })?;
                Ok(Step::List(Question::new(url, context, LISTING_BYTES)))
            }
            Some(Job::File(file, url)) => {
                if self.files.len() as u64 >= FILES {
                    return Err(Trouble::Files);
                }
                let most = FILE_BYTES.min(TOTAL_BYTES.saturating_sub(self.bytes));
                Ok(Step::Fetch(Question::new(url.clone(), format!("GitHub download of {file}"), most)))
            }
        }
    }

    /// What an answer with this head is. A file that says that it is too long is not read.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn react(&self, question: &Question, head: &Head) -> Result<Reaction, Trouble> {
        let reaction = question.react(head)?;
        match head.length {
            Some(length) if reaction == Reaction::Read && length > question.most => {
                Err(self.too_long(question))
            }
            _ => Ok(reaction),
        }
    }

    /// The limit that an answer broke which has more bytes than its question allows.
    #[must_use]
    pub fn too_long(&self, question: &Question) -> Trouble {
        match self.left.front() {
            Some(Job::File(file, _)) if question.most < FILE_BYTES => Trouble::TotalBytes(file.clone()),
            Some(Job::File(file, _)) => Trouble::FileBytes(file.clone()),
            _ => {
                let because = "it is longer than any list";
                Trouble::Unreadable { context: question.context.clone(), because }
            }
        }
    }

    /// Takes the answer to [`Step::List`].
    ///
    /// # Errors
    /// What is wrong with it, or with what it lists.
    pub fn listing(&mut self, question: &Question, bytes: &[u8]) -> Result<(), Trouble> {
        let Some(Job::Folder(folder)) = self.left.pop_front() else { return Ok(()) };
        let unreadable = |because| Trouble::Unreadable { context: question.context.clone(), because };
        let json = json::read(bytes).map_err(|_| unreadable("it is no JSON"))?;
        // A file is answered with itself, and counts as a folder that holds it.
        let items = match json.as_array() {
            Some(items) => items,
            None if json.as_object().is_some() => std::slice::from_ref(&json),
            None => return Err(unreadable("it lists nothing")),
        };
        let mut found = Vec::new();
        for item in items {
            let name = text(item, "name").ok_or_else(|| unreadable("an entry has no name"))?;
            let path = join(&folder, name);
            let url = text(item, "download_url").and_then(|url| Url::parse(url).ok());
            match (text(item, "type"), url) {
                (Some("dir"), _) => {
                    if path.split('/').count() > DEPTH {
                        return Err(Trouble::Depth);
                    }
                    found.push(Job::Folder(path));
                }
                (Some("file"), Some(url)) => found.push(Job::File(path, url)),
                // Links, submodules, and files that cannot be fetched.
                _ => self.left_out.push(path),
            }
        }
        let is_document =
            |job: &Job| matches!(job, Job::File(name, _) if name.eq_ignore_ascii_case(DOCUMENT));
        if !self.begun && !found.iter().any(is_document) {
            return Err(Trouble::NoSkill);
        }
        self.begun = true;
        for job in found.into_iter().rev() {
            self.left.push_front(job);
        }
        Ok(())
    }

    /// Takes the content for [`Step::Fetch`].
    pub fn file(&mut self, content: Blob) {
        if let Some(Job::File(name, _)) = self.left.pop_front() {
            self.bytes = self.bytes.saturating_add(content.len());
            self.files.push((name, content));
        }
    }

    /// The Skill, once everything is there. Where its document has no name, it is called as its folder is, or its repository.
    ///
    /// # Errors
    /// When a content cannot be read.
    pub fn finish(self) -> std::io::Result<Preview> {
        let fallback = self.place.fallback_name().to_owned();
        let skill = SkillFiles { sub_path: self.place.path, files: self.files };
        let mut preview = of_one_skill(skill, &fallback)?;
        preview.left_out = self.left_out;
        Ok(preview)
    }
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A text of an answer.
pub(super) fn text<'j>(json: &'j Json, name: &str) -> Option<&'j str> {
    json.get(name)?.as_str()
}
