//! How far an effect reaches.

use crate::glob::Dialect;

/// How far an effect reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nowhere: the author said "none".
    Nothing,
    /// Only here.
    Patterns(Vec<Pattern>),
    /// Anywhere.
    Anything,
}

/// One pattern, in its own dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The symbolic folder it starts from, when it names one.
    pub root: Option<Root>,
    /// The text as the author wrote it, with its variable.
    pub text: String,
    /// Whose rules it follows.
    pub dialect: Dialect,
}

/// A symbolic folder, known only when a sandbox is planned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The package's own folder.
    Package,
    /// The user's project.
    Project,
    /// A scratch folder of one run.
    Work,
    /// The input file.
    Input,
    /// The folder of the input file.
    InputDir,
    /// The output file or folder.
    Output,
    /// The folder for temporary files.
    Temp,
}
