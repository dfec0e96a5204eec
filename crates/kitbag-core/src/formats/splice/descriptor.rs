//! Tool descriptors (Splice 1, "Tool descriptors"): the stable contract that code, MCP servers and registries show for a
//! tool. No field is invented; all of it follows from the manifest.

use serde_json::{Value as Plain, json};

use crate::json::decode::Placed;
use crate::tool::{Hints, Runtime, Tool};

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
            package: document.id(),
            version: &document.version,
            short_name: format!("{}.{}", document.name, tool.name),
            qualified_name: format!("{}.{}", document.id(), tool.name),
            // No segment can hold an underscore, so the three parts can be told apart.
            mcp_name: format!("{}_{}_{}", document.namespace, document.name, tool.name),
            description: &tool.description,
            runtime: Runtime {
                kind: "node",
                version: document.min_node_version.as_ref().map(|least| format!(">={least}")),
                entry: Some(&tool.entry.value),
                ..Runtime::default()
            },
            input: &tool.input,
            output: tool.output.as_ref(),
            permissions: permissions(&document.permissions),
            timeout_ms: tool.timeout(),
            hints: hints(&document.permissions),
        }
    }

    /// The descriptor as Splice's own implementation prints it.
    #[must_use]
    pub fn to_json(&self) -> Plain {
        self.tool().descriptor()
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
