//! §7: programs are in the package, schemas are schemas, resources exist, and platforms have their programs.

use crate::finding::Findings;
use crate::json::{Json, Pointer, Span, Value, excerpt};
use crate::schema::{self, Schema};

use super::super::codes;
use super::super::document::{RuntimeKind, Tool};
use super::{Subject, at};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    for (index, tool) in subject.document.tools.iter().enumerate() {
        let pointer = at("tools").join(index);
        check_runtime(subject, &tool.value, &pointer, out);
        check_schema(subject, &tool.value.input_schema, &pointer.join("inputSchema"), out);
        if let Some(schema) = &tool.value.output_schema {
            check_schema(subject, schema, &pointer.join("outputSchema"), out);
        }
        for (at, id) in tool.value.resources.iter().enumerate() {
            subject.check_resource(id, pointer.join("resources").join(at), out);
        }
    }
}

fn check_runtime(subject: &Subject<'_>, tool: &Tool, pointer: &Pointer, out: &mut Findings) {
    let runtime = &tool.runtime;
    let at = pointer.join("runtime");
    let kind = runtime.kind.value;
    if kind.is_reserved() {
        let message = format!("the tool `{}` has the reserved runtime `{}`", tool.name.value, kind.word());
        out.push(subject.finding(&codes::RESERVED_RUNTIME, at.join("kind"), runtime.kind.span, message));
    }
    if let Some(entry) = &runtime.entry {
        // What `mcp` and `http` mean by an entry is not defined yet.
        if !matches!(kind, RuntimeKind::Mcp | RuntimeKind::Http) {
            subject.check_file(&entry.value, &at.join("entry"), entry.span, out);
        }
    }
    for entry in &runtime.entries {
        let place = at.join("entries").join(&entry.name);
        subject.check_file(&entry.value, &place, entry.span, out);
        if kind == RuntimeKind::Binary {
            check_executable(subject, &entry.value, &place, entry.span, out);
        }
    }
    if kind == RuntimeKind::Binary {
        for (index, platform) in tool.platforms.iter().enumerate() {
            let is_any = platform.value == "any";
            if is_any || !runtime.entries.iter().any(|entry| entry.name == platform.value) {
                let message = if is_any {
                    "a native program never runs on `any` platform".to_owned()
                } else {
                    format!("`entries` has no program for `{}`", platform.value)
                };
                let place = pointer.join("platforms").join(index);
                out.push(subject.finding(&codes::PLATFORM_WITHOUT_BINARY, place, platform.span, message));
            }
        }
    }
}

/// The build marks a program executable (§7); a source manifest has no marks yet.
fn check_executable(subject: &Subject<'_>, path: &str, at: &Pointer, span: Span, out: &mut Findings) {
    if subject.names.not_executable.contains(path) {
        let message = format!("`{}` is not marked executable in `files`", excerpt(path));
        out.push(subject.finding(&codes::NOT_EXECUTABLE, at.clone(), span, message));
    }
}

fn check_schema(subject: &Subject<'_>, schema: &Json, pointer: &Pointer, out: &mut Findings) {
    let mut bad = |inside: &Pointer, message: String| {
        let span = schema.at(inside).map_or(schema.span, |value| value.span);
        let place = inside.tokens().fold(pointer.clone(), |place, token| place.join(token));
        out.push(subject.finding(&codes::TOOL_SCHEMA, place, span, message));
    };
    if let Err(problem) = schema::check(schema) {
        bad(&problem.pointer(), problem.kind.to_string());
        return;
    }
    let mut remote = Vec::new();
    remote_references(schema, pointer, &mut remote);
    if remote.is_empty()
        && let Err(problem) = Schema::new(schema)
    {
        // It is a schema, and refers to a part of itself that is not there.
        bad(&problem.pointer, problem.message);
    }
    for (place, reference, span) in remote {
        let message = format!("`{}` leads out of the schema", excerpt(reference));
        out.push(subject.finding(&codes::REMOTE_REFERENCE, place, span, message));
    }
}

/// References that lead out of `schema`. What stands under `const`, `enum`, `default` and `examples` is data, and the
/// members of `properties` and its like are names. Recursion ends at the reader's depth.
fn remote_references<'j>(schema: &'j Json, at: &Pointer, found: &mut Vec<(Pointer, &'j str, Span)>) {
    match &schema.value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                remote_references(item, &at.join(index), found);
            }
        }
        Value::Object(object) => {
            for member in object {
                let place = at.join(&member.name);
                match (member.name.as_str(), &member.value.value) {
                    ("$ref" | "$dynamicRef", Value::String(reference)) if !reference.starts_with('#') => {
                        found.push((place, reference, member.value.span));
                    }
                    ("const" | "enum" | "default" | "examples", _) => {}
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                        Value::Object(named),
                    ) => {
                        for member in named {
                            remote_references(&member.value, &place.join(&member.name), found);
                        }
                    }
                    _ => remote_references(&member.value, &place, found),
                }
            }
        }
        _ => {}
    }
}
