//! [`Tool`]: something a program can call, by the names different callers use.

use crate::json::Json;

/// One tool of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool<'d> {
    /// Its name in its own document.
    pub name: &'d str,
    /// Its name with the package's: `example.hello`.
    pub short_name: String,
    /// Its name with the package's whole id: `@splice/example.hello`.
    pub qualified_name: String,
    /// Its name for MCP, which has no points and slashes.
    pub mcp_name: String,
    /// What it does.
    pub description: Option<&'d str>,
    /// The file that is run, below the package.
    pub entry: Option<&'d str>,
    /// The schema of its input, as it is written.
    pub input: Option<&'d Json>,
    /// The schema of its output, as it is written.
    pub output: Option<&'d Json>,
    /// How long a call may take.
    pub timeout_ms: Option<u32>,
    /// What follows for whoever calls it.
    pub hints: Hints,
}

/// What a caller may assume, in MCP's words. `None` where the document says nothing that it would follow from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// It reaches beyond this machine.
    pub open_world: Option<bool>,
}
