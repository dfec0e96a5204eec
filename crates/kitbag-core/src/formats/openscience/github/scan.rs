//! [`Scan`]: where Skills are in a repository, at one commit.

use url::Url;

use crate::json::{self, Json};

use super::Place;
use super::ask::{LISTING_BYTES, Question, Trouble, below};
use super::import::text;

/// A search through a repository, one answer after the other.
#[derive(Debug)]
pub struct Scan {
    place: Place,
    api: Url,
    step: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Which branch is the repository's own?
    Branch,
    /// Which commit does this lead to?
    Commit(String),
    /// What is in this commit?
    Files(String),
    /// These Skills.
    Done(Vec<Place>),
}

impl Scan {
    /// A search through the repository of `place`, at the API at `api`.
    #[must_use]
    pub fn new(place: Place, api: Url) -> Self {
        let step = place.reference.clone().map_or(Stage::Branch, Stage::Commit);
        Self { place, api, step }
    }

    /// What is to be asked next; `None` when the Skills are known.
    ///
    /// # Errors
    /// When the API cannot be asked.
    pub fn question(&self) -> Result<Option<Question>, Trouble> {
        let Place { owner, repository, .. } = &self.place;
        let repository = ["repos", owner, repository];
        let (segments, query, what): (Vec<&str>, &[_], _) = match &self.step {
            Stage::Branch => (repository.to_vec(), &[], "the repository"),
            Stage::Commit(reference) => {
                ([&repository[..], &["commits", reference]].concat(), &[], "the commit")
            }
            Stage::Files(sha) => (
                [&repository[..], &["git", "trees", sha]].concat(),
                &[("recursive", "1")],
                "the list of files",
            ),
            Stage::Done(_) => return Ok(None),
        };
        let context = format!("GitHub API request for {what}");
        let url = below(&self.api, &segments, query)
            .ok_or_else(|| Trouble::Redirected { context: context.clone() })?;
        Ok(Some(Question::new(url, context, LISTING_BYTES)))
    }

    /// Takes the answer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn answer(&mut self, question: &Question, bytes: &[u8]) -> Result<(), Trouble> {
        let unreadable = |because| Trouble::Unreadable { context: question.context.clone(), because };
        let json = json::read(bytes).map_err(|_| unreadable("it is no JSON"))?;
        self.step = match &self.step {
            Stage::Branch => {
                let branch = text(&json, "default_branch").ok_or_else(|| unreadable("it names no branch"))?;
                Stage::Commit(branch.to_owned())
            }
            Stage::Commit(_) => {
                let sha = text(&json, "sha").filter(|sha| !sha.is_empty()).ok_or(Trouble::NoCommit)?;
                Stage::Files(sha.to_owned())
            }
            Stage::Files(sha) => {
                if json.get("truncated").and_then(Json::as_bool) == Some(true) {
                    return Err(Trouble::Truncated);
                }
                let items = json.get("tree").and_then(Json::as_array);
                let items = items.ok_or_else(|| unreadable("it lists nothing"))?;
                let is_blob = |item: &&Json| text(item, "type").is_none_or(|kind| kind == "blob");
                let folder = |item| {
                    let path: &str = text(item, "path")?;
                    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                    name.eq_ignore_ascii_case(super::super::skill::DOCUMENT).then(|| folder.to_owned())
                };
                let place = |path| Place { reference: Some(sha.clone()), path, ..self.place.clone() };
                Stage::Done(items.iter().filter(is_blob).filter_map(folder).map(place).collect())
            }
            Stage::Done(_) => return Ok(()),
        };
        Ok(())
    }

    /// The Skills that were found, those inside another included, each at the commit that was searched.
    #[must_use]
    pub fn found(self) -> Vec<Place> {
        match self.step {
            Stage::Done(places) => places,
            _ => Vec::new(),
        }
    }
}
