//! The ZIP of an exported Skill (§1.4): its files at the root of the archive, its document in one spelling, nothing that
//! belongs to the application, nothing of the hour or the machine.

use std::io::Write;

use unicode_normalization::UnicodeNormalization as _;

use crate::finding::{Findings, Severity};
use crate::formats::{PackError, Pins};
use crate::path::PackagePath;
use crate::tree::{Blob, Node, Tree};

use super::super::specialist::pack::zip;
use super::draft;
use super::{APP_OWNED, DOCUMENT, Document, FILE_BYTES, write};

/// Longest slug of a file's name.
const SLUG_UNITS: usize = 80;

/// A name as part of a file's name: NFKC, lower case, runs of anything but letters and digits become a hyphen, at most 80.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.nfkc().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(SLUG_UNITS).collect();
    cut.trim_end_matches('-').to_owned()
}

/// The name of the file that a Skill is exported to: by the name people see, else its folder's, else `skill`.
#[must_use]
pub fn file_name(shown_name: Option<&str>, folder: Option<&str>) -> String {
    let slugs = [shown_name, folder].into_iter().flatten().map(slug);
    let slug = slugs.into_iter().find(|slug| !slug.is_empty()).unwrap_or_else(|| "skill".to_owned());
    let is_device = matches!(slug.as_str(), "con" | "prn" | "aux" | "nul")
        || slug
            .strip_prefix("com")
            .or_else(|| slug.strip_prefix("lpt"))
            .is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    if is_device { format!("skill-{slug}.zip") } else { format!("{slug}.zip") }
}

/// Writes the ZIP of the Skill in `tree`, which is `circumstances`' to judge.
///
/// # Errors
/// What keeps the Skill from being exported: an entry that no archive may hold, a limit, a document that is no UTF-8.
pub fn write(tree: &Tree, expected_name: Option<&str>, out: &mut dyn Write) -> Result<Pins, PackError> {
    let mut findings = Findings::default();
    draft::check(tree, expected_name, &mut findings);
    // An export needs a sound package and no publishable Skill: only what its entries are counts here.
    let blocks = |code: &str| super::super::codes::PACKAGE_POLICY.iter().any(|policy| policy.slug == code);
    let blocked =
        findings.iter().find(|finding| finding.severity == Severity::Error && blocks(finding.code.slug));
    if let Some(finding) = blocked {
        return Err(PackError::unsound(finding.place.file.clone(), finding.message.clone()));
    }
    let mut files: Vec<(PackagePath, Blob)> = Vec::new();
    for (path, node) in tree.iter().filter(|(path, _)| !APP_OWNED.contains(&path.as_str())) {
        let Node::File(blob) = node else { continue };
        let blob = if path.as_str() == DOCUMENT { document(path, blob)? } else { blob.clone() };
        files.push((path.clone(), blob));
    }
    if !files.iter().any(|(path, _)| path.as_str() == DOCUMENT) {
        return Err(PackError::unsound(None, format!("there is no {DOCUMENT}")));
    }
    zip(&files, out)
}

fn document(path: &PackagePath, blob: &Blob) -> Result<Blob, PackError> {
    let unsound = |because: String| PackError::unsound(Some(path.clone()), because);
    let bytes = blob.read(FILE_BYTES).map_err(|error| unsound(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unsound("it is not UTF-8".to_owned()))?;
    write::exported(&text).map(Blob::from_bytes).map_err(|error| unsound(error.to_string()))
}

/// The name under which people see the Skill in `tree`.
#[must_use]
pub fn shown_name(tree: &Tree) -> Option<String> {
    let bytes = tree.file(DOCUMENT)?.read(FILE_BYTES).ok()?;
    let mut document = Document::read(&String::from_utf8(bytes).ok()?);
    document.metadata.remove("displayname").or(document.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_file_is_safe_everywhere() {
        assert_eq!(file_name(Some("My Skill! (v2)"), None), "my-skill-v2.zip");
        assert_eq!(file_name(Some("ＣＯＮ"), None), "skill-con.zip");
        assert_eq!(file_name(Some("com7"), None), "skill-com7.zip");
        assert_eq!(file_name(Some("!!!"), Some("dir")), "dir.zip");
        assert_eq!(file_name(None, None), "skill.zip");
        assert_eq!(slug(&"a".repeat(100)).len(), 80);
        assert_eq!(slug("技能"), "技能");
    }
}
