//! [`Edit`]: a way out of a finding that is safe to take without asking: some bytes of a document, and what belongs there.

use std::fmt;

use crate::json::Span;
use crate::path::PackagePath;

use super::Code;

/// One replacement in a document. Safe means: no program that read the document before reads anything else out of it
/// afterwards than what its author plainly meant.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The code of the finding it answers.
    pub code: &'static Code,
    /// The document.
    pub file: PackagePath,
    /// The bytes that go.
    pub span: Span,
    /// The text that comes.
    pub with: String,
    /// What is done, in words: `the name becomes "pdf", as its folder is called`.
    pub what: String,
}

/// Why edits cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// Two of them want the same bytes.
    Overlap,
    /// One of them lies outside of the document.
    Outside,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlap => "two changes want the same bytes",
            Self::Outside => "a change lies outside of the document",
        })
    }
}

impl std::error::Error for EditError {}

/// `document` after `edits`, which may come in any order.
///
/// # Errors
/// [`EditError`] when they do not fit the document or each other.
pub fn apply(document: &[u8], edits: &[&Edit]) -> Result<Vec<u8>, EditError> {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut after = Vec::with_capacity(document.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.span.range();
        if range.start < at {
            return Err(EditError::Overlap);
        }
        let kept = document.get(at..range.start).ok_or(EditError::Outside)?;
        if range.end < range.start || range.end > document.len() {
            return Err(EditError::Outside);
        }
        after.extend_from_slice(kept);
        after.extend_from_slice(edit.with.as_bytes());
        at = range.end;
    }
    after.extend_from_slice(&document[at..]);
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::codes;

    fn edit(start: usize, end: usize, with: &str) -> Edit {
        Edit {
            code: &codes::NO_FACE,
            file: PackagePath::new("SKILL.md").unwrap(),
            span: Span::new(start, end),
            with: with.to_owned(),
            what: String::new(),
        }
    }

    fn applied(edits: &[Edit]) -> Result<String, EditError> {
        let edits: Vec<&Edit> = edits.iter().collect();
        apply(b"name: pdf\n", &edits).map(|after| String::from_utf8(after).unwrap())
    }

    #[test]
    fn edits_are_made_in_any_order() {
        assert_eq!(applied(&[]).unwrap(), "name: pdf\n");
        assert_eq!(applied(&[edit(6, 9, "\"zip\""), edit(0, 0, "---\n")]).unwrap(), "---\nname: \"zip\"\n");
        assert_eq!(applied(&[edit(6, 9, "a"), edit(9, 9, "b")]).unwrap(), "name: ab\n");
    }

    #[test]
    fn edits_that_do_not_fit_change_nothing() {
        assert_eq!(applied(&[edit(0, 4, ""), edit(3, 5, "")]), Err(EditError::Overlap));
        assert_eq!(applied(&[edit(5, 40, "")]), Err(EditError::Outside));
        assert_eq!(applied(&[edit(40, 41, "")]), Err(EditError::Outside));
        assert_eq!(applied(&[edit(5, 3, "")]), Err(EditError::Outside));
    }
}
