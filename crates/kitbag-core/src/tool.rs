//! [`Tool`]: something a program can call, by the names different callers use.

use serde_json::{Map, Value as Plain, json};

use crate::json::Json;

/// One tool of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool<'d> {
    /// Its name in its own document.
    pub name: &'d str,
    /// The package's whole id: `@splice/example`.
    pub package: String,
    /// The package's version.
    pub version: &'d str,
    /// Its name with the package's: `example.hello`.
    pub short_name: String,
    /// Its name with the package's whole id: `@splice/example.hello`.
    pub qualified_name: String,
    /// Its name for MCP, which has no points and slashes.
    pub mcp_name: String,
    /// What it does.
    pub description: &'d str,
    /// How it is started.
    pub runtime: Runtime<'d>,
    /// The schema of its input, as it is written.
    pub input: &'d Json,
    /// The schema of its output, as it is written.
    pub output: Option<&'d Json>,
    /// Its permissions in its own format's words and normal form.
    pub permissions: Plain,
    /// How long a call may take, in milliseconds.
    pub timeout_ms: u32,
    /// What follows for whoever calls it.
    pub hints: Hints,
}

/// How a tool is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runtime<'d> {
    /// What starts it: `node`, `python`, `binary`, …
    pub kind: &'static str,
    /// The range of versions of what starts it, in npm's grammar; `None`: any.
    pub version: Option<String>,
    /// The file that is started, below the package.
    pub entry: Option<&'d str>,
    /// The file for each platform, where they differ.
    pub entries: Vec<(&'d str, &'d str)>,
    /// The platforms it runs on; empty: wherever the package does.
    pub platforms: Vec<&'d str>,
    /// Resources of the package that are fetched for it.
    pub resources: Vec<&'d str>,
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

impl Tool<'_> {
    /// The descriptor of Splice 1 ("Tool descriptors"), which every format's tools have here: the stable contract that code,
    /// MCP servers and registries show for a tool. No field is invented; all of it follows from the document, and a hint
    /// that does not follow is left out.
    #[must_use]
    pub fn descriptor(&self) -> Plain {
        let mut descriptor = Map::new();
        let mut put = |name: &str, value: Plain| descriptor.insert(name.to_owned(), value);
        put("package", self.package.clone().into());
        put("version", self.version.into());
        put("tool", self.name.into());
        put("name", self.short_name.clone().into());
        put("qualifiedName", self.qualified_name.clone().into());
        put("mcpName", self.mcp_name.clone().into());
        put("description", self.description.into());
        put("inputSchema", self.input.into());
        if let Some(output) = self.output {
            put("outputSchema", output.into());
        }
        put("permissions", self.permissions.clone());
        put("annotations", self.hints.annotations());
        put("timeoutMs", self.timeout_ms.into());
        Plain::Object(descriptor)
    }
}

impl Hints {
    /// As MCP's annotations; what does not follow from the document is left out.
    #[must_use]
    pub fn annotations(&self) -> Plain {
        let hints = [
            ("readOnlyHint", self.read_only),
            ("destructiveHint", self.destructive),
            ("openWorldHint", self.open_world),
        ];
        hints.into_iter().filter_map(|(name, hint)| Some((name.to_owned(), json!(hint?)))).collect()
    }
}
