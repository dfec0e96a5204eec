//! Tools in the words every format shares (§7).

use serde_json::{Value as Plain, json};

use crate::formats::Offer;
use crate::json::decode::Placed;
use crate::tool::{Hints, Runtime, Tool};

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
                package: id.to_owned(),
                version: &document.version,
                short_name,
                qualified_name,
                mcp_name,
                description: &tool.description,
                runtime: runtime(tool),
                input: &tool.input_schema,
                output: tool.output_schema.as_ref(),
                permissions: permissions(document, tool),
                timeout_ms: tool.timeout_ms,
                hints: hints(tool),
            }
        })
        .collect()
}

/// What others may rely on by its name, besides tools.
pub(super) fn offers(document: &Document) -> Vec<Offer<'_>> {
    let named = |kind: &'static str| move |name| Offer::named(kind, name);
    let skills = document.skills.iter().map(|skill| &*skill.value.path.value).map(named("skill"));
    let workflows =
        document.workflows.iter().map(|workflow| &*workflow.value.id.value).map(named("workflow"));
    let knowledge = document.knowledge.iter().map(|content| &*content.value.id.value).map(named("knowledge"));
    let media = document.media.iter().map(|content| &*content.value.id.value).map(named("media"));
    let resources =
        document.resources.iter().map(|resource| &*resource.value.id.value).map(named("resource"));
    let adapters = document.adapters.iter().map(|adapter| &*adapter.value.id.value).map(named("adapter"));
    skills.chain(workflows).chain(knowledge).chain(media).chain(resources).chain(adapters).collect()
}

fn runtime(tool: &document::Tool) -> Runtime<'_> {
    let document::Runtime { kind, entry, entries, version } = &tool.runtime;
    Runtime {
        kind: kind.value.word(),
        version: version.as_ref().map(|version| version.value.clone()),
        entry: entry.as_ref().map(|entry| &*entry.value),
        entries: entries.iter().map(|entry| (&*entry.name, &*entry.value)).collect(),
        platforms: tool.platforms.iter().map(|platform| &*platform.value).collect(),
        resources: tool.resources.iter().map(|resource| &*resource.value).collect(),
    }
}

/// The permissions a tool names, as the capability declares them. What the capability does not declare is never granted
/// (§3.2), so it is not here.
fn permissions(document: &Document, tool: &document::Tool) -> Plain {
    let declared = document.permissions.iter().map(|permission| &permission.value);
    let named = declared.filter(|declared| tool.permissions.iter().any(|own| own.value == declared.id.value));
    let texts = |scope: &[Placed<String>]| -> Plain { scope.iter().map(|entry| &*entry.value).collect() };
    named
        .map(|permission| {
            let mut plain = json!({"id": permission.id.value, "reason": permission.reason});
            if let Some(scope) = &permission.scope {
                plain["scope"] = texts(scope);
            }
            plain
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
