//! The manifest as types: Splice 1, "manifest.json".

use crate::json::decode::{Entry, Placed};
use crate::json::{Json, Span};
use crate::schema::subset::Subset;

/// A manifest without a fault.
#[derive(Debug)]
pub struct Document {
    /// `namespace`.
    pub namespace: String,
    /// `name`.
    pub name: String,
    /// `version`, as it is written.
    pub version: String,
    /// `description`.
    pub description: String,
    /// `license`.
    pub license: Option<String>,
    /// `homepage`.
    pub homepage: Option<String>,
    /// `runtime.minNodeVersion`.
    pub min_node_version: Option<String>,
    /// `permissions`, exact duplicates taken out.
    pub permissions: Permissions,
    /// `tools`.
    pub tools: Vec<Tool>,
    /// `agent`.
    pub agent: Option<Agent>,
    /// `dependencies`.
    pub dependencies: Option<Vec<Entry<String>>>,
}

/// What a package asks for. Everything that is not asked for is denied.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// Where `permissions` stands, when it is there.
    pub span: Option<Span>,
    /// `fs.read`: paths in the project.
    pub read: Vec<Placed<String>>,
    /// `fs.write`: paths in the project.
    pub write: Vec<Placed<String>>,
    /// `network`: hosts.
    pub network: Vec<Placed<String>>,
    /// `env`: names of variables.
    pub env: Vec<Placed<String>>,
    /// `capabilities`: what the host does for the package.
    pub capabilities: Vec<Placed<String>>,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Where it stands.
    pub span: Span,
    /// `name`.
    pub name: String,
    /// `description`.
    pub description: String,
    /// `entry`: a module in the package.
    pub entry: Placed<String>,
    /// `input`, as it is.
    pub input: Json,
    /// `input`, ready to be asked.
    pub input_schema: Subset,
    /// `output`, as it is.
    pub output: Option<Json>,
    /// `output`, ready to be asked.
    pub output_schema: Option<Subset>,
    /// `timeoutMs`.
    pub timeout_ms: Option<u32>,
}

impl Tool {
    /// How long a call may take where the manifest does not say.
    pub const DEFAULT_TIMEOUT_MS: u32 = 10_000;

    /// How long a call may take.
    #[must_use]
    pub fn timeout(&self) -> u32 {
        self.timeout_ms.unwrap_or(Self::DEFAULT_TIMEOUT_MS)
    }
}

/// A package that is an agent: instructions, and the packages whose tools it uses.
#[derive(Clone, Debug)]
pub struct Agent {
    /// `instructions`.
    pub instructions: String,
    /// `skills`: package ids.
    pub skills: Vec<Placed<String>>,
    /// `model`.
    pub model: Option<String>,
    /// `examples`.
    pub examples: Option<Vec<String>>,
}

impl Document {
    /// `@namespace/name`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("@{}/{}", self.namespace, self.name)
    }
}
