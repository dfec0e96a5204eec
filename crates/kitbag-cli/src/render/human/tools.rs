//! Tools for people: what can be called, how it is started, what goes in and comes out, what it may do.

use std::io::{self, Write};

use kitbag::show::{CommandShown, Shown, ToolRuntime, ToolShown};
use serde_json::Value;

use crate::render::plain::plain;

use super::show::told;
use super::style::{FAINT, STRONG};
use super::summary::counted;
use super::wrap;

/// Most tools that are listed on the page of a package.
const MOST_LISTED: usize = 20;
/// Most properties of a schema that are told.
const MOST_PROPERTIES: usize = 12;
/// Most columns of one text of a document.
const MOST_TOLD: usize = 600;

/// The tools of a package, one line each.
///
/// # Errors
/// The writer's own.
pub(super) fn list(tools: &[ToolShown], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    if tools.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{STRONG}Tools{STRONG:#}  {}", counted(tools.len(), "tool", "tools"))?;
    let shown = &tools[..tools.len().min(MOST_LISTED)];
    let widest = shown.iter().map(|tool| wrap::width(&plain(&tool.name))).max().unwrap_or(0).min(columns / 3);
    for tool in shown {
        let name = plain(&tool.name);
        let gap = widest.saturating_sub(wrap::width(&name));
        let taken = 4 + wrap::width(&name) + gap;
        let about = wrap::cut(&plain(tool.description.trim()), MOST_TOLD);
        wrap::hanging(out, (format_args!("  {name}{:gap$}  ", ""), taken), 4 + widest, &about, columns)?;
    }
    let rest = tools.len() - shown.len();
    if rest > 0 {
        writeln!(out, "  {FAINT}and {rest} more; kitbag show --tools lists them all{FAINT:#}")?;
    }
    Ok(())
}

/// Every tool of every package, with all there is to know.
///
/// # Errors
/// The writer's own.
pub fn tools(shown: &Shown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, package) in shown.packages.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{STRONG}{}{STRONG:#}", plain(&package.location.to_string()))?;
        if package.tools.is_empty() && package.commands.is_empty() {
            writeln!(out, "  no tools")?;
        }
        for tool in &package.tools {
            writeln!(out)?;
            one(tool, columns, out)?;
        }
        for command in &package.commands {
            writeln!(out)?;
            one_command(command, columns, out)?;
        }
    }
    Ok(())
}

fn one(tool: &ToolShown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", plain(&tool.name), tool.format)?;
    let about = wrap::cut(&plain(tool.description.trim()), MOST_TOLD);
    wrap::hanging(out, ("  ", 2), 2, &about, columns)?;
    let [short, whole, mcp] = &tool.names;
    let mut row = |word: &str, text: &str| {
        wrap::hanging(out, (format_args!("  {FAINT}{word:7}{FAINT:#}  "), 11), 11, text, columns)
    };
    row("names", &plain(&format!("{short}, {whole}, {mcp} for MCP")))?;
    row("runs", &plain(&runs(&tool.runtime, tool.timeout_ms)))?;
    row("input", &plain(&schema(tool.descriptor.get("inputSchema"))))?;
    if let Some(output) = tool.descriptor.get("outputSchema") {
        row("output", &plain(&schema(Some(output))))?;
    }
    row("hints", &hints(&tool.descriptor))?;
    writeln!(out, "  {FAINT}may{FAINT:#}")?;
    told(&tool.permissions, 4, columns, out)
}

fn one_command(command: &CommandShown, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", plain(&command.name), command.format)?;
    let about = wrap::cut(&plain(command.description.trim()), MOST_TOLD);
    wrap::hanging(out, ("  ", 2), 2, &about, columns)?;
    let words = wrap::cut(&plain(&command.words.join(" ")), MOST_TOLD);
    wrap::hanging(out, (format_args!("  {FAINT}runs   {FAINT:#}  "), 11), 11, &words, columns)?;
    writeln!(out, "  {FAINT}may{FAINT:#}")?;
    told(&command.permissions, 4, columns, out)
}

/// `tools/draw.ts with node >=22.18.0, at most 10 s a call`
fn runs(runtime: &ToolRuntime, timeout_ms: u32) -> String {
    let mut files: Vec<String> = runtime.entry.iter().cloned().collect();
    files.extend(runtime.entries.iter().map(|(platform, file)| format!("{file} on {platform}")));
    let with = match &runtime.version {
        Some(version) => format!("{} {version}", runtime.kind),
        None => runtime.kind.to_owned(),
    };
    let mut text = match files.as_slice() {
        [] => format!("with {with}"),
        files => format!("{} with {with}", files.join(", ")),
    };
    if !runtime.platforms.is_empty() {
        text.push_str(&format!(", only on {}", runtime.platforms.join(", ")));
    }
    if !runtime.resources.is_empty() {
        text.push_str(&format!(", fetches {}", runtime.resources.join(", ")));
    }
    let time = match (timeout_ms / 1000, timeout_ms % 1000) {
        (seconds, 0) => format!("{seconds} s"),
        _ => format!("{timeout_ms} ms"),
    };
    format!("{text}, at most {time} a call")
}

/// `place: string, [size]: integer`; what is in brackets may be left out.
fn schema(schema: Option<&Value>) -> String {
    let Some(schema) = schema else { return "anything".to_owned() };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return kind(schema) };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|own| own == name));
    let mut told: Vec<String> = properties
        .iter()
        .take(MOST_PROPERTIES)
        .map(|(name, value)| match is_required(name) {
            true => format!("{name}: {}", kind(value)),
            false => format!("[{name}]: {}", kind(value)),
        })
        .collect();
    if properties.len() > MOST_PROPERTIES {
        told.push(format!("{} more", properties.len() - MOST_PROPERTIES));
    }
    if told.is_empty() { kind(schema) } else { told.join(", ") }
}

fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "array" => {
            match schema.get("items").and_then(|items| items.get("type")) {
                Some(Value::String(item)) => format!("array of {item}"),
                _ => kind.clone(),
            }
        }
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if schema.get("enum").is_some() || schema.get("const").is_some() => "one of a list".to_owned(),
        _ => "anything".to_owned(),
    }
}

/// What a caller may assume, in words; what follows from nothing is not said.
fn hints(descriptor: &Value) -> String {
    let said = [
        ("readOnlyHint", "changes nothing", "changes something"),
        ("destructiveHint", "may destroy something", "destroys nothing"),
        ("openWorldHint", "reaches beyond this machine", "stays on this machine"),
    ];
    let annotations = descriptor.get("annotations");
    let words: Vec<&str> = said
        .into_iter()
        .filter_map(|(name, yes, no)| match annotations?.get(name)?.as_bool()? {
            true => Some(yes),
            false => Some(no),
        })
        .collect();
    if words.is_empty() { "none follow from its document".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{shown, unstyled, written};
    use crate::render::plain::is_hostile;

    #[test]
    fn each_tool_is_told_in_full_and_nothing_of_it_is_obeyed() {
        let text = unstyled(&written(|out| tools(&shown(), 80, out)));
        assert_eq!(text.chars().find(|&c| c != '\n' && is_hostile(c)), None);
        insta::assert_snapshot!(text, @r"
        down.zip:x

        draw  splice
          Draws a map.\u{1b}[2J
          names    maps.draw, @acme/maps.draw, acme_maps_draw for MCP
          runs     tools/draw.ts with node >=22.18.0, at most 10 s a call
          input    place: string, [size\u{202e}]: integer
          output   string
          hints    changes nothing, reaches beyond this machine
          may
            talks to `a.example`
        ");
    }

    #[test]
    fn a_package_without_tools_says_so() {
        let mut none = shown();
        none.packages[0].tools.clear();
        let text = unstyled(&written(|out| tools(&none, 80, out)));
        assert_eq!(text, "down.zip:x\n  no tools\n");
    }
}
