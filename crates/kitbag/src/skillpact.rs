//! `skillpact validate`: the answer of SkillPact's reference implementation, in its own form, so that programs written
//! for that one keep working. The findings are those of [`check`](crate::check); only the form differs.

use std::fs;
use std::path::{Path, PathBuf};

use kitbag_core::finding::{Finding, Findings, Severity};
use kitbag_core::formats::Document as _;
use kitbag_core::formats::skillpact::{self, Contract};
use kitbag_core::limits::Limits;
use kitbag_core::tree::{Root, Tree};

use crate::read::{self, ReadError, Source};

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidateReport {
    /// What was found, in the reference's order.
    pub findings: Vec<ValidateFinding>,
}

/// One finding in the reference's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidateFinding {
    /// How bad it is.
    pub level: ValidateLevel,
    /// The specification's code, without the format's name.
    pub code: &'static str,
    /// What is so.
    pub message: String,
    /// Where, as the reference names places: `/permissions/read`, `SKILL.md`, or nothing.
    pub place: String,
}

/// How bad a finding is; the reference knows two grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValidateLevel {
    /// `warn`
    Warn,
    /// `error`
    Error,
}

impl ValidateLevel {
    /// The reference's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl ValidateReport {
    /// How many findings have this level.
    #[must_use]
    pub fn count(&self, level: ValidateLevel) -> usize {
        self.findings.iter().filter(|finding| finding.level == level).count()
    }

    /// Whether there is no error.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.count(ValidateLevel::Error) == 0
    }
}

/// Validates the skill in `folder` against the contract in it, or against the one in `contract`.
///
/// # Errors
/// When something is at `folder` and cannot be read. A folder that is not there is a skill in which nothing is.
pub fn validate(folder: &Path, contract: Option<&Path>) -> Result<ValidateReport, ReadError> {
    // The reference judges what is behind a link, under its own name.
    let resolved = fs::canonicalize(folder).unwrap_or_else(|_| absolute(folder));
    let (tree, findings) = match read::read(&Source::Path(resolved.clone())) {
        Ok(reading) => (reading.tree, reading.findings),
        Err(ReadError::Missing { .. }) => (Tree::new(None, Root::Folder), Findings::default()),
        Err(error) => return Err(error),
    };
    let mut report = ValidateReport::default();
    // What was not read was not checked: a limit that stopped the walk must not end in a pass.
    report.add(findings, &resolved);
    let contract = match contract {
        Some(path) => elsewhere(path),
        None => Contract::beside(&tree).unwrap_or_else(Contract::missing),
    };
    let mut found = Findings::default();
    contract.check(&tree, &mut found);
    report.add(found, &resolved);
    Ok(report)
}

fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

/// A contract that is kept somewhere else.
fn elsewhere(path: &Path) -> Contract {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let blob = match read::named_file(path) {
        Ok(blob) => blob,
        Err(ReadError::Missing { .. }) => return Contract::elsewhere(&name, Ok(None)),
        Err(ReadError::Io { error, .. }) => return Contract::elsewhere(&name, Err(error.to_string())),
    };
    match blob.read(Limits::LOOSEST.document_bytes) {
        Ok(bytes) => Contract::elsewhere(&name, Ok(Some(&bytes))),
        Err(error) => Contract::elsewhere(&name, Err(error.to_string())),
    }
}

impl ValidateReport {
    fn add(&mut self, findings: Findings, folder: &Path) {
        for finding in findings {
            let level = match finding.severity {
                Severity::Error => ValidateLevel::Error,
                Severity::Warning => ValidateLevel::Warn,
                Severity::Info => continue,
            };
            let (format, code) = finding.code.slug.split_once('/').unwrap_or(("", finding.code.slug));
            // Codes of our own are left to `check`, unless they say that something was not looked at.
            if format == "skillpact" && finding.code == &skillpact::codes::CONDITIONAL_SCOPE {
                continue;
            }
            let place = place(&finding, code, folder);
            self.findings.push(ValidateFinding { level, code, message: finding.message, place });
        }
    }
}

/// Where the reference says a finding is: as far down as it goes.
fn place(finding: &Finding, code: &str, folder: &Path) -> String {
    let tokens = |most: usize| {
        let pointer = finding.place.pointer.as_ref();
        let tokens: Vec<String> =
            pointer.map(|pointer| pointer.tokens().take(most).collect()).unwrap_or_default();
        format!("/{}", tokens.join("/"))
    };
    let in_contract = finding.place.pointer.is_some();
    match code {
        "SKILL_MD_MISSING" => folder.join("SKILL.md").to_string_lossy().into_owned(),
        "FRONTMATTER_MISSING" | "FM_NAME" | "FM_NAME_DIR" | "FM_DESCRIPTION" | "FM_COMPAT" | "BODY_LONG" => {
            "SKILL.md".to_owned()
        }
        // Without the escapes of a JSON pointer.
        "SCHEMA" => tokens(usize::MAX),
        "CONTRACT_VERSION_UNSUPPORTED" | "CONTRACT_VERSION_NEWER" => tokens(1),
        "HIGH_RISK"
        | "SCOPE_EMPTY"
        | "UNKNOWN_SCOPE_TOKEN"
        | "UNKNOWN_VARIABLE"
        | "SCOPE_TRAVERSAL"
        | "DUP_CAPABILITY"
        | "UNDECLARED_EFFECT"
        | "DESTRUCTIVE_NO_EFFECT"
        | "BAD_SUBSCHEMA"
        | "UNKNOWN_REQUIREMENT"
        | "ENTRY_MISSING"
        | "SCOPE_WIDENED"
        | "UNKNOWN_FEATURE_KIND"
        | "NO_ENTRY"
        | "UNUSED_PERMISSION"
        | "INTEGRITY_EMPTY"
        | "DUP_SIGNATURE" => tokens(2),
        "INTEGRITY_PATH" if in_contract => tokens(2),
        _ => String::new(),
    }
}
