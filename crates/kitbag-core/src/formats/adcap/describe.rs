//! Tools in the words every format shares (§7).

use crate::tool::{Hints, Tool};

use super::document::{self, Document, Identifier};

/// The tools of a manifest.
pub(super) fn tools(document: &Document) -> Vec<Tool<'_>> {
    let id = document.id.value.as_str();
    let short = id.rsplit('/').next().unwrap_or(id);
    let describe = |tool: &'_ document::Tool| -> (String, String, String) {
        let name = &tool.name.value;
        // Ids have no `_` and a slash, so names that differ stay different.
        (format!("{short}.{name}"), format!("{id}.{name}"), format!("{}_{name}", id.replace('/', "_")))
    };
    let tools = document.tools.iter().map(|tool| &tool.value);
    tools
        .map(|tool| {
            let (short_name, qualified_name, mcp_name) = describe(tool);
            Tool {
                name: &tool.name.value,
                short_name,
                qualified_name,
                mcp_name,
                description: Some(&tool.description),
                entry: tool.runtime.entry.as_ref().map(|entry| &*entry.value),
                input: Some(&tool.input_schema),
                output: tool.output_schema.as_ref(),
                timeout_ms: Some(tool.timeout_ms),
                hints: hints(tool),
            }
        })
        .collect()
}

/// What follows from the permissions a tool names, since it has no others (§6). What goes on beyond this machine, and what
/// another program does, follows from nothing here.
fn hints(tool: &document::Tool) -> Hints {
    let names =
        |identifier: Identifier| tool.permissions.iter().any(|named| named.value == identifier.word());
    let beyond = [Identifier::Connect, Identifier::Spend, Identifier::Send].into_iter().any(names);
    let anything = beyond || names(Identifier::Spawn);
    Hints {
        read_only: if names(Identifier::Write) { Some(false) } else { (!anything).then_some(true) },
        destructive: if names(Identifier::Write) { Some(true) } else { (!anything).then_some(false) },
        open_world: if beyond { Some(true) } else { (!anything).then_some(false) },
    }
}
