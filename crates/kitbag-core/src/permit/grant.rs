//! One statement of a document, lifted.

use std::sync::Arc;

use crate::json::{Pointer, Span};
use crate::path::PackagePath;

use super::effect::{Confirm, Effect, Subject};
use super::scope::Scope;

/// One statement: who may do what, how far, when, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Who.
    pub subject: Subject,
    /// What.
    pub effect: Effect,
    /// How far.
    pub scope: Scope,
    /// The condition in the author's words; conditional effects always count in the worst case.
    pub when: Option<String>,
    /// Whether a person is asked.
    pub confirm: Confirm,
    /// The author's reason, shown to the person and never parsed.
    pub why: Option<Arc<str>>,
    /// Where it is written.
    pub origin: Origin,
}

/// Where a statement is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The format, by its name in `formats::FORMATS`.
    pub format: &'static str,
    /// The file.
    pub file: PackagePath,
    /// The value in the file's document; empty where the document is not JSON.
    pub pointer: Pointer,
    /// The bytes.
    pub span: Span,
}

/// Something a format never gives, whatever a document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Never {
    /// What.
    pub effect: Effect,
    /// In words: `child processes and workers`.
    pub what: &'static str,
}
