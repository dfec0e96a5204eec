//! `tools` (Splice 1, "Tool definition").

use std::collections::HashSet;

use crate::json::decode::Placed;
use crate::json::{Json, Value, excerpt};
use crate::schema::subset::{self, FaultKind, Subset};

use super::super::document::Tool;
use super::super::{codes, words};
use super::faults::Fault;
use super::{Faults, Site};

/// Longest time a call may be given.
const MAX_TIMEOUT_MS: u32 = 60_000;

pub(super) fn decode(faults: &mut Faults, root: &Site<'_>) -> Vec<Tool> {
    let json = root.get("tools");
    let site = root.at("tools");
    // A package that is an agent may live on the tools of others.
    let may_be_empty = root.get("agent").is_some();
    let items = match json.map(|json| json.as_array()) {
        Some(Some(items)) if may_be_empty || !items.is_empty() => items,
        None if may_be_empty => return Vec::new(),
        _ => {
            faults.push(&codes::TOOLS, &site, "must be a non-empty array");
            return Vec::new();
        }
    };
    let mut names = HashSet::new();
    items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| tool(faults, &site.item(index, item), item, &mut names))
        .collect()
}

fn tool<'j>(
    faults: &mut Faults,
    site: &Site<'j>,
    json: &'j Json,
    names: &mut HashSet<String>,
) -> Option<Tool> {
    let Some(object) = json.as_object() else {
        faults.push(&codes::FIELD, site, "must be an object");
        return None;
    };
    faults.unknown(site, object, &["name", "description", "entry", "input", "output", "timeoutMs"]);
    let name = name(faults, site, names);
    let description = faults.required_text(site, "description", 500);
    let entry = entry(faults, site);
    let input = input(faults, site);
    let output = site.get("output").map(|json| (json, schema(faults, &site.member("output", json), json)));
    let timeout_ms = timeout(faults, site);
    let (input, input_schema) = input?;
    let (output, output_schema) = match output {
        Some((json, schema)) => (Some(json.clone()), Some(schema?)),
        None => (None, None),
    };
    Some(Tool {
        span: json.span,
        name: name?,
        description: description?,
        entry: entry?,
        input: input.clone(),
        input_schema,
        output,
        output_schema,
        timeout_ms,
    })
}

fn name(faults: &mut Faults, site: &Site<'_>, names: &mut HashSet<String>) -> Option<String> {
    let name = faults.required_text(site, "name", 64)?;
    if !words::is_tool_name(&name) {
        let message = "must start with a letter and contain only lowercase letters, digits and dashes";
        faults.push(&codes::TOOL_NAME, &site.at("name"), message);
        return None;
    }
    if !names.insert(name.clone()) {
        let message = format!("duplicate tool name \"{name}\"");
        faults.push(&codes::TOOL_TWIN, &site.at("name"), message);
    }
    Some(name)
}

fn entry(faults: &mut Faults, site: &Site<'_>) -> Option<Placed<String>> {
    let entry = faults.required_text(site, "entry", words::PATH_UNITS)?;
    let at = site.at("entry");
    if let Some(fault) = words::path_fault(&entry) {
        let message = format!("\"{}\" must be a safe relative path: it {fault}", excerpt(&entry));
        faults.push(&codes::TOOL_ENTRY, &at, message);
        return None;
    }
    if !words::is_module(&entry) {
        let message = format!("\"{}\" must end with .ts, .mts, .js or .mjs", excerpt(&entry));
        faults.push(&codes::TOOL_ENTRY, &at, message);
        return None;
    }
    Some(Placed { value: entry, span: at.span() })
}

fn input<'j>(faults: &mut Faults, site: &Site<'j>) -> Option<(&'j Json, Subset)> {
    let Some(json) = site.get("input") else {
        let message = "is required; use {\"type\":\"object\"} for a tool that takes anything";
        faults.push(&codes::REQUIRED_FIELD, &site.missing("input"), message);
        return None;
    };
    let at = site.member("input", json);
    let schema = schema(faults, &at, json);
    if json.as_object().is_some() && json.get("type").and_then(Json::as_str) != Some("object") {
        faults.push(&codes::TOOL_INPUT, &at.at("type"), "tool input must be \"object\"");
        return None;
    }
    Some((json, schema?))
}

fn schema(faults: &mut Faults, site: &Site<'_>, json: &Json) -> Option<Subset> {
    match Subset::new(json) {
        Ok(subset) => Some(subset),
        Err(found) => {
            for fault in found {
                let code = match fault.kind {
                    FaultKind::Keyword => &codes::SCHEMA_KEYWORD,
                    _ => &codes::SCHEMA,
                };
                faults.add(Fault {
                    code,
                    message: format!("{}{}: {}", site.path(), fault.path, fault.message),
                    pointer: subset::pointer(site.pointer(), &fault),
                    span: fault.span,
                });
            }
            None
        }
    }
}

fn timeout(faults: &mut Faults, site: &Site<'_>) -> Option<u32> {
    let json = site.get("timeoutMs")?;
    let whole = match json.value {
        Value::Integer(number) => u32::try_from(number).ok(),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 1 and 60000"
        )]
        Value::Float(number)
            if number.fract() == 0.0 && (1.0..=f64::from(MAX_TIMEOUT_MS)).contains(&number) =>
        {
            Some(number as u32)
        }
        _ => None,
    };
    let timeout = whole.filter(|timeout| (1..=MAX_TIMEOUT_MS).contains(timeout));
    if timeout.is_none() {
        let message = format!("must be an integer between 1 and {MAX_TIMEOUT_MS}");
        faults.push(&codes::TOOL_TIMEOUT, &site.member("timeoutMs", json), message);
    }
    timeout
}
