//! The Skills that a package brings along (§3.5): `skills/<name>/<file…>`. Whatever is wrong with one is a warning and
//! leaves that one out.

use std::collections::BTreeMap;
use std::io;

use crate::digest::Sha256;
use crate::finding::{Code, Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Blob, FilesDigest};

use super::super::skill::{APP_OWNED, DOCUMENT, Document, files};
use super::super::version::Version;
use super::super::{codes, words};
use super::FILE_BYTES;

/// The version of a Skill whose document says none.
pub const DEFAULT_VERSION: &str = "0.1.0";

/// A Skill of a package.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// The name of its folder and of its document.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The tools that its document allows it, as `allowed-tools` names them.
    pub tools: Vec<String>,
    /// Its files: its document first, then in the order of names.
    pub files: Vec<BundledFile>,
}

impl Bundled {
    /// What its bytes are, independent of the order in which they came; what belongs to the application is left out.
    ///
    /// # Errors
    /// When a content cannot be read.
    pub fn content_hash(&self) -> io::Result<Sha256> {
        let files = self.files.iter().filter(|file| !APP_OWNED.contains(&file.path.as_str()));
        files::hash(files.map(|file| (&file.path, &file.blob)))
    }

    /// What it is installed as: its files in the order of paths, without what belongs to the application, nothing of it
    /// executable.
    #[must_use]
    pub fn content(&self) -> Vec<(PackagePath, Blob)> {
        let files = self.files.iter().filter(|file| !APP_OWNED.contains(&file.path.as_str()));
        let mut files: Vec<(PackagePath, Blob)> =
            files.map(|file| (file.path.clone(), file.blob.clone().not_executable())).collect();
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        files
    }

    /// What its bytes are, so that no others have the same digest. [`Self::content_hash`] is Open-Science's, in which a
    /// content with a NUL can look like two files.
    ///
    /// # Errors
    /// When a content cannot be read.
    pub fn exact(&self) -> io::Result<Sha256> {
        FilesDigest::of(self.content().iter().map(|(path, blob)| (path, blob)))
    }
}

/// A file of a bundled Skill.
#[derive(Clone, Debug)]
pub struct BundledFile {
    /// Its path, below the Skill.
    pub path: PackagePath,
    /// Its content.
    pub blob: Blob,
}

/// The Skills among `files`, in the order of their names.
pub(super) fn read(files: &[(PackagePath, Blob)], out: &mut Findings) -> Vec<Bundled> {
    let mut groups: BTreeMap<&str, Vec<BundledFile>> = BTreeMap::new();
    for (path, blob) in files {
        let Some(rest) = path.as_str().strip_prefix("skills/") else { continue };
        let below =
            rest.split_once('/').and_then(|(name, below)| Some((name, PackagePath::new(below).ok()?)));
        match below {
            Some((name, below)) => {
                groups.entry(name).or_default().push(BundledFile { path: below, blob: blob.clone() });
            }
            None => {
                let message = format!("`{path}` is in no Skill's folder");
                out.push(Finding::new(&codes::SKILL_PATH, Place::file(path.clone()), message));
            }
        }
    }
    groups.into_iter().filter_map(|(name, files)| skill(name, files, out)).collect()
}

fn skill(name: &str, mut files: Vec<BundledFile>, out: &mut Findings) -> Option<Bundled> {
    let at = |file: Option<&str>| {
        let path = match file {
            Some(file) => format!("skills/{name}/{file}"),
            None => format!("skills/{name}"),
        };
        PackagePath::new(&path).map_or(Place::package(), Place::file)
    };
    let mut push = |code: &'static Code, place: Place, message: String| {
        out.push(Finding::new(code, place, message));
    };
    if let Err(fault) = words::skill_name(name) {
        let message = format!("`{name}` is no name for a Skill: {}", fault.upstream());
        push(&codes::SKILL_ID, at(None), message);
        return None;
    }
    let Some(document) = files.iter().find(|file| file.path.as_str() == DOCUMENT) else {
        push(&codes::SKILL_DOCUMENT_MISSING, at(None), format!("the Skill `{name}` has no {DOCUMENT}"));
        return None;
    };
    let text = document.blob.read(FILE_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else {
        let message = format!("{DOCUMENT} of the Skill `{name}` is not UTF-8");
        push(&codes::SKILL_DOCUMENT_INVALID, at(Some(DOCUMENT)), message);
        return None;
    };
    // A byte order mark is taken away here, and not where bundles of Skills are read (§1.1).
    let document = Document::read(text.strip_prefix('\u{feff}').unwrap_or(&text));
    if document.name.as_deref().map(words::trim) != Some(name) {
        let found = document.name.as_deref().map_or("none".to_owned(), |found| format!("`{found}`"));
        let message = format!("the folder is called `{name}`, and the name in its document is {found}");
        push(&codes::SKILL_NAME_MISMATCH, at(Some(DOCUMENT)), message);
        return None;
    }
    let version = document.metadata.get("version").map(String::as_str);
    if let Some(version) = version
        && Version::parse(version).is_none()
    {
        let message = format!("`{}` is no version", crate::json::excerpt(version));
        push(&codes::SKILL_VERSION, at(Some(DOCUMENT)), message);
        return None;
    }
    if files.iter().any(|file| file.path.as_str().starts_with("scripts/")) {
        let message = format!("the Skill `{name}` brings scripts along");
        push(&codes::SKILL_EXECUTABLE, at(Some("scripts")), message);
    }
    files.sort_by(|one, other| {
        let is_document = |file: &BundledFile| file.path.as_str() == DOCUMENT;
        is_document(other)
            .cmp(&is_document(one))
            .then_with(|| files::order(one.path.as_str(), other.path.as_str()))
    });
    let version = version.unwrap_or(DEFAULT_VERSION).to_owned();
    let tools = document.metadata.get("allowed-tools").map(|line| tools(line)).unwrap_or_default();
    Some(Bundled { id: name.to_owned(), version, tools, files })
}

/// The tools of a line: separated by white space or commas, but not inside parentheses.
fn tools(line: &str) -> Vec<String> {
    let mut depth = 0usize;
    let separates = |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (character == ',' || character.is_whitespace())
    };
    let tools = line.split(separates);
    tools.filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_outside_parentheses_only() {
        assert_eq!(tools("Bash(git commit:*) Read"), ["Bash(git commit:*)", "Read"]);
        assert_eq!(tools("Read, Bash(a, b),Grep"), ["Read", "Bash(a, b)", "Grep"]);
        assert!(tools(" , ").is_empty());
    }
}
