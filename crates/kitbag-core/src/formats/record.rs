//! [`Record`]: what a document states, for a comparison with another version of it.

use std::borrow::Cow;

use crate::json::Json;

/// What a document states. Everything is empty where the document cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Record<'d> {
    /// The whole of it, as JSON.
    pub stated: Option<Cow<'d, Json>>,
    /// Pointers to what other questions answer: permissions, tools, the version, the list of files.
    pub elsewhere: &'static [&'static str],
    /// What others may rely on by its name, besides tools.
    pub offers: Vec<Offer<'d>>,
    /// Other packages it needs.
    pub needs: Vec<Need<'d>>,
}

/// Something that others may rely on by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offer<'d> {
    /// What it is: `capability`, `workflow`, `skill`, …
    pub kind: &'static str,
    /// Its name.
    pub name: &'d str,
}

/// Another package that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need<'d> {
    /// Its id.
    pub package: &'d str,
    /// The range of its versions, as written; `None`: any.
    pub range: Option<&'d str>,
}
