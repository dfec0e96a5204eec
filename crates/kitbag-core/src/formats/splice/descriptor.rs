//! Tool descriptors (Splice 1, "Tool descriptors"): the stable contract that code, MCP servers and registries show for a
//! tool. No field is invented; all of it follows from the manifest.

use serde_json::{Map, Value as Plain, json};

use crate::json::decode::Placed;
use crate::tool::{Hints, Tool};

use super::document::{self, Document, Permissions};

/// The descriptor of every tool, in the order of the manifest.
#[must_use]
pub fn describe(document: &Document) -> Vec<Descriptor<'_>> {
    document.tools.iter().map(|tool| Descriptor { document, tool }).collect()
}

/// A tool and the manifest it is in.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor<'d> {
    document: &'d Document,
    tool: &'d document::Tool,
}

impl<'d> Descriptor<'d> {
    /// The tool in the words of all formats.
    #[must_use]
    pub fn tool(&self) -> Tool<'d> {
        let Self { document, tool } = *self;
        Tool {
            name: &tool.name,
            short_name: format!("{}.{}", document.name, tool.name),
            qualified_name: format!("{}.{}", document.id(), tool.name),
            // No segment can hold an underscore, so the three parts can be told apart.
            mcp_name: format!("{}_{}_{}", document.namespace, document.name, tool.name),
            description: Some(&tool.description),
            entry: Some(&tool.entry.value),
            input: Some(&tool.input),
            output: tool.output.as_ref(),
            timeout_ms: Some(tool.timeout()),
            hints: hints(&document.permissions),
        }
    }

    /// The descriptor as Splice's own implementation prints it.
    #[must_use]
    pub fn to_json(&self) -> Plain {
        let tool = self.tool();
        let mut descriptor = Map::new();
        let mut put = |name: &str, value: Plain| descriptor.insert(name.to_owned(), value);
        put("package", self.document.id().into());
        put("version", self.document.version.clone().into());
        put("tool", tool.name.into());
        put("name", tool.short_name.into());
        put("qualifiedName", tool.qualified_name.into());
        put("mcpName", tool.mcp_name.into());
        put("description", self.tool.description.clone().into());
        put("inputSchema", (&self.tool.input).into());
        if let Some(output) = &self.tool.output {
            put("outputSchema", output.into());
        }
        put("permissions", permissions(&self.document.permissions));
        put(
            "annotations",
            json!({
                "readOnlyHint": tool.hints.read_only,
                "destructiveHint": tool.hints.destructive,
                "openWorldHint": tool.hints.open_world,
            }),
        );
        put("timeoutMs", self.tool.timeout().into());
        Plain::Object(descriptor)
    }
}

/// What follows from the permissions of the package; tools have none of their own.
fn hints(permissions: &Permissions) -> Hints {
    let writes = !permissions.write.is_empty();
    let reaches_out = !permissions.network.is_empty() || !permissions.capabilities.is_empty();
    Hints { read_only: Some(!writes), destructive: Some(writes), open_world: Some(reaches_out) }
}

/// Permissions in normal form: every list there but `capabilities`, which only stands where it says something.
pub(super) fn permissions(permissions: &Permissions) -> Plain {
    let texts =
        |items: &[Placed<String>]| -> Vec<String> { items.iter().map(|item| item.value.clone()).collect() };
    let mut normal = json!({
        "fs": {"read": texts(&permissions.read), "write": texts(&permissions.write)},
        "network": texts(&permissions.network),
        "env": texts(&permissions.env),
    });
    if !permissions.capabilities.is_empty() {
        normal["capabilities"] = texts(&permissions.capabilities).into();
    }
    normal
}
