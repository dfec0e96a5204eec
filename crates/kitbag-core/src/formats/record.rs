//! [`Record`]: what a document states, for a comparison with another version of it.

use std::borrow::Cow;

use crate::json::Json;
use crate::path::PackagePath;

/// What a document states. Everything is empty where the document cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Record<'d> {
    /// The whole of it, as JSON.
    pub stated: Option<Cow<'d, Json>>,
    /// The file it is in.
    pub file: Option<&'d PackagePath>,
    /// Files that say something about the package and are none of its content: signatures.
    pub apart: &'static [&'static str],
    /// Pointers to what other questions answer: permissions, tools, the version, the list of files.
    pub elsewhere: &'static [&'static str],
    /// What others may rely on by its name, besides tools.
    pub offers: Vec<Offer<'d>>,
    /// Other packages it needs.
    pub needs: Vec<Need<'d>>,
}

/// Something that others may rely on by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer<'d> {
    /// What it is: `capability`, `workflow`, `skill`, …
    pub kind: &'static str,
    /// Its name.
    pub name: &'d str,
    /// The schema of what goes in, where it has one.
    pub input: Option<&'d Json>,
    /// The schema of what comes out, where it has one.
    pub output: Option<&'d Json>,
}

impl<'d> Offer<'d> {
    /// Something without schemas.
    #[must_use]
    pub const fn named(kind: &'static str, name: &'d str) -> Self {
        Self { kind, name, input: None, output: None }
    }
}

/// Another package that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need<'d> {
    /// Its id.
    pub package: &'d str,
    /// The range of its versions, as written; `None`: any.
    pub range: Option<&'d str>,
}
