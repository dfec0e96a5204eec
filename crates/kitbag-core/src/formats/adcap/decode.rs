//! A manifest out of JSON: one function per object, in the order of the specification (§3).
//!
//! Nothing is judged here but shape, as `schemas/capability-1.json` states it too; what members mean to one another is
//! for the checks.

use crate::json::decode::{Decoder, Fields, Others, Placed, TextRule};
use crate::json::{Json, Problem};

use super::document::{
    Access, Adapter, Compat, Content, ContentSource, Distribution, Document, Entitlement, Files, ListedFile,
    Permission, Resource, Runtime, RuntimeKind, Skill, Tool, WorkflowEntry,
};
use super::shape::{
    DIGEST, HTTPS, ID, IDENTIFIER, MEDIA_TYPE, NOT_BLANK, OS_ARCH, PATH, PLATFORM, TOOL, VENDOR, VERSION,
};

/// Largest number that every reader keeps exactly.
const MAX_SIZE: i64 = (1 << 53) - 1;
/// When a tool is stopped unless it says otherwise (§7), and the longest it may ask for.
const DEFAULT_TIMEOUT: u32 = 30_000;
const MAX_TIMEOUT: i64 = 600_000;

const RUNTIMES: [(&str, RuntimeKind); 6] = [
    ("node", RuntimeKind::Node),
    ("python", RuntimeKind::Python),
    ("binary", RuntimeKind::Binary),
    ("wasm", RuntimeKind::Wasm),
    ("mcp", RuntimeKind::Mcp),
    ("http", RuntimeKind::Http),
];
const ACCESS: [(&str, Access); 2] = [("public", Access::Public), ("entitled", Access::Entitled)];

/// Decodes a manifest whose version is known.
///
/// # Errors
/// Everything that does not conform to the schema, ordered by path.
pub fn decode(json: &Json) -> Result<Document, Vec<Problem>> {
    let mut decoder = Decoder::new();
    let document = decoder.object(json, Others::Refused, manifest);
    let problems = decoder.finish();
    match document {
        Some(document) if problems.is_empty() => Ok(document),
        _ => Err(problems),
    }
}

/// A text with its place.
fn placed<'j>(decoder: &mut Decoder<'j>, json: &'j Json, rules: &[TextRule]) -> Option<Placed<String>> {
    decoder.text_that(json, rules).map(|value| Placed { value, span: json.span })
}

fn identifier<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Placed<String>> {
    placed(decoder, json, &IDENTIFIER)
}

fn path<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Placed<String>> {
    placed(decoder, json, &[TextRule::Shape(PATH)])
}

fn texts<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Vec<Placed<String>>> {
    decoder.array(json, Decoder::text)
}

fn description<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<String> {
    decoder.text_that(json, &[TextRule::Shape(NOT_BLANK), TextRule::AtMost(1024)])
}

/// A list of objects that may be there.
fn list<'j, T>(
    fields: &mut Fields<'_, 'j>,
    name: &'static str,
    mut item: impl FnMut(&mut Fields<'_, 'j>) -> Option<T>,
) -> Vec<Placed<T>> {
    fields
        .optional(name, |decoder, json| {
            decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, &mut item))
        })
        .unwrap_or_default()
}

fn manifest(fields: &mut Fields<'_, '_>) -> Option<Document> {
    fields.anything("adcap");
    let id = fields.required("id", |decoder, json| placed(decoder, json, &[TextRule::Shape(ID)]));
    let version =
        fields.required("version", |decoder, json| decoder.text_that(json, &[TextRule::Shape(VERSION)]));
    fields.required("name", |decoder, json| {
        decoder.text_that(json, &[TextRule::Shape(NOT_BLANK), TextRule::AtMost(80)])
    });
    fields.required("description", description);
    let license =
        fields.optional("license", |decoder, json| placed(decoder, json, &[TextRule::Shape(NOT_BLANK)]));
    for name in ["homepage", "repository"] {
        fields.optional(name, |decoder, json| decoder.text_that(json, &[TextRule::Shape(HTTPS)]));
    }
    fields.optional("authors", texts);
    fields.optional("keywords", |decoder, json| {
        decoder.short_array(json, 20, |decoder, json| {
            decoder.text_that(json, &[TextRule::NotEmpty, TextRule::AtMost(40)])
        })
    });
    fields.optional("changelog", Decoder::text);
    let skills = list(fields, "skills", |fields| Some(Skill { path: fields.required("path", path)? }));
    let tools = list(fields, "tools", tool);
    let workflows = list(fields, "workflows", |fields| {
        let (id, path) = (fields.required("id", identifier), fields.required("path", path));
        fields.optional("description", Decoder::text);
        Some(WorkflowEntry { id: id?, path: path? })
    });
    let knowledge = list(fields, "knowledge", |fields| {
        fields.required("kind", |decoder, json| {
            decoder.one_of(json, &["markdown", "jsonl", "sqlite", "index"].map(|kind| (kind, ())))
        });
        fields.optional("description", Decoder::text);
        content(fields)
    });
    let media = list(fields, "media", |fields| {
        fields.required("type", |decoder, json| decoder.text_that(json, &[TextRule::Shape(MEDIA_TYPE)]));
        content(fields)
    });
    let resources = list(fields, "resources", resource);
    let adapters = list(fields, "adapters", adapter);
    let permissions_span = fields.peek("permissions").map(|json| json.span);
    let permissions = list(fields, "permissions", permission);
    let dependencies = fields
        .optional("dependencies", |decoder, json| decoder.map(json, Some(ID), Decoder::text))
        .unwrap_or_default();
    let compat = fields
        .optional("compat", |decoder, json| decoder.object(json, Others::Refused, compat))
        .unwrap_or_default();
    let entitlements = list(fields, "entitlements", |fields| {
        let id = fields.required("id", identifier);
        fields.required("description", description);
        Some(Entitlement { id: id? })
    });
    let distribution = fields
        .optional("distribution", |decoder, json| decoder.object(json, Others::Refused, distribution))
        .unwrap_or_default();
    let files = fields.optional("files", |decoder, json| {
        let entries =
            decoder.array(json, |decoder, json| decoder.object(json, Others::Refused, listed_file))?;
        Some(Files { span: json.span, entries })
    });
    fields.optional("x", |decoder, json| decoder.map(json, Some(VENDOR), |_, _| Some(())));
    Some(Document {
        id: id?,
        version: version?,
        license,
        skills,
        tools,
        workflows,
        knowledge,
        media,
        resources,
        adapters,
        permissions,
        permissions_span,
        dependencies,
        compat,
        entitlements,
        distribution,
        files,
    })
}

/// §7.
fn tool(fields: &mut Fields<'_, '_>) -> Option<Tool> {
    let name = fields.required("name", |decoder, json| placed(decoder, json, &[TextRule::Shape(TOOL)]));
    let description = fields.required("description", description);
    let runtime = fields.required("runtime", |decoder, json| {
        let kind = json.get("kind").and_then(Json::as_str);
        let is_reserved = RUNTIMES.iter().any(|(word, meaning)| Some(*word) == kind && meaning.is_reserved());
        // What a reserved runtime takes is for the version that defines it.
        let others = if is_reserved { Others::Allowed } else { Others::Refused };
        decoder.object(json, others, runtime)
    });
    let input_schema = fields.required("inputSchema", |decoder, json| decoder.any_object(json).cloned());
    let output_schema = fields.optional("outputSchema", |decoder, json| decoder.any_object(json).cloned());
    let permissions = fields.optional("permissions", texts).unwrap_or_default();
    let resources = fields.optional("resources", texts).unwrap_or_default();
    let timeout = fields
        .optional("timeoutMs", |decoder, json| decoder.whole_number_within(json, 1, MAX_TIMEOUT))
        .and_then(|timeout| u32::try_from(timeout).ok());
    let platforms = fields.optional("platforms", platforms).unwrap_or_default();
    Some(Tool {
        name: name?,
        description: description?,
        runtime: runtime?,
        input_schema: input_schema?,
        output_schema,
        permissions,
        resources,
        timeout_ms: timeout.unwrap_or(DEFAULT_TIMEOUT),
        platforms,
    })
}

fn runtime(fields: &mut Fields<'_, '_>) -> Option<Runtime> {
    let kind = fields.required("kind", |decoder, json| {
        decoder.one_of(json, &RUNTIMES).map(|value| Placed { value, span: json.span })
    });
    let entry = fields.optional("entry", path);
    let entries = fields
        .optional("entries", |decoder, json| {
            decoder
                .map(json, Some(OS_ARCH), |decoder, json| decoder.text_that(json, &[TextRule::Shape(PATH)]))
        })
        .unwrap_or_default();
    let version = fields.optional("version", |decoder, json| placed(decoder, json, &[]));
    let (has_entry, has_entries) = (fields.peek("entry").is_some(), fields.peek("entries").is_some());
    let kind = kind?;
    match kind.value {
        RuntimeKind::Node | RuntimeKind::Python if !has_entry || has_entries => {
            fields.broken("a `node` or `python` runtime has an `entry` and no `entries`");
        }
        RuntimeKind::Binary if has_entry || entries.is_empty() => {
            fields.broken("a `binary` runtime has `entries` for at least one platform and no `entry`");
        }
        RuntimeKind::Binary if version.is_some() => {
            fields.broken("a `binary` runtime has no `version`: no interpreter runs it");
        }
        _ => {}
    }
    Some(Runtime { kind, entry, entries, version })
}

fn platforms<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Vec<Placed<String>>> {
    decoder.array(json, |decoder, json| decoder.text_that(json, &[TextRule::Shape(PLATFORM)]))
}

/// §9: the bytes are in the package or in a resource.
fn content(fields: &mut Fields<'_, '_>) -> Option<Content> {
    let id = fields.required("id", identifier);
    let (path, resource) = (fields.optional("path", path), fields.optional("resource", identifier));
    if fields.peek("path").is_some() == fields.peek("resource").is_some() {
        fields.broken("exactly one of `path` and `resource` says where the bytes are");
    }
    let source = path.map(ContentSource::Path).or(resource.map(ContentSource::Resource));
    Some(Content { id: id?, source: source? })
}

/// §9.
fn resource(fields: &mut Fields<'_, '_>) -> Option<Resource> {
    let id = fields.required("id", identifier);
    fields.required("kind", |decoder, json| decoder.text_that(json, &[TextRule::NotEmpty]));
    let sources = fields.required("sources", |decoder, json| {
        decoder.filled_array(json, |decoder, json| decoder.text_that(json, &[TextRule::Shape(HTTPS)]))
    });
    let sha256 =
        fields.required("sha256", |decoder, json| decoder.text_that(json, &[TextRule::Shape(DIGEST)]));
    let size = fields.required("size", size);
    let access_span = fields.peek("access").map(|json| json.span);
    let access = fields.optional("access", |decoder, json| decoder.one_of(json, &ACCESS));
    let entitlement = fields.optional("entitlement", identifier);
    fields.optional("license", Decoder::text);
    fields.optional("lazy", Decoder::boolean);
    let format = fields.optional("format", |decoder, json| decoder.text_that(json, &[TextRule::NotEmpty]));
    Some(Resource {
        id: id?,
        sources: sources?,
        sha256: sha256?,
        size: size?,
        access: access.unwrap_or_default(),
        access_span,
        entitlement,
        is_shard_map: format.as_deref() == Some("shardset"),
    })
}

pub(super) fn size<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<u64> {
    decoder.whole_number_within(json, 0, MAX_SIZE).and_then(|size| u64::try_from(size).ok())
}

/// §10.
fn adapter(fields: &mut Fields<'_, '_>) -> Option<Adapter> {
    let id = fields.required("id", identifier);
    fields.required("kind", |decoder, json| {
        decoder.one_of(json, &["model", "inference-backend"].map(|kind| (kind, ())))
    });
    for name in ["provider", "protocol"] {
        fields.required(name, |decoder, json| decoder.text_that(json, &[TextRule::NotEmpty]));
    }
    let endpoint = fields.optional("endpoint", |decoder, json| placed(decoder, json, &[]));
    fields.optional("model", Decoder::text);
    let resource = fields.optional("resource", identifier);
    Some(Adapter { id: id?, endpoint, resource })
}

/// §6.
fn permission(fields: &mut Fields<'_, '_>) -> Option<Permission> {
    let id = fields.required("id", identifier);
    let scope = fields.optional("scope", |decoder, json| {
        decoder.filled_array(json, |decoder, json| decoder.text_that(json, &[TextRule::NotEmpty]))
    });
    let reason =
        fields.required("reason", |decoder, json| decoder.text_that(json, &[TextRule::Shape(NOT_BLANK)]));
    Some(Permission { id: id?, scope, reason: reason? })
}

/// §11.
fn compat(fields: &mut Fields<'_, '_>) -> Option<Compat> {
    let platforms = fields.optional("platforms", platforms).unwrap_or_default();
    let agents = fields.optional("agents", |decoder, json| decoder.map(json, None, Decoder::text));
    let runtimes = fields.optional("runtimes", |decoder, json| {
        decoder.object(json, Others::Refused, |fields| {
            for name in ["node", "python"] {
                fields.optional(name, Decoder::text);
            }
            Some(())
        })?;
        decoder.map(json, None, Decoder::text)
    });
    Some(Compat { platforms, agents: agents.unwrap_or_default(), runtimes: runtimes.unwrap_or_default() })
}

/// §12.
fn distribution(fields: &mut Fields<'_, '_>) -> Option<Distribution> {
    fields.optional("tier", |decoder, json| decoder.one_of(json, &["free", "pro"].map(|tier| (tier, ()))));
    let access_span = fields.peek("access").map(|json| json.span);
    let access = fields.optional("access", |decoder, json| decoder.one_of(json, &ACCESS));
    let entitlement = fields.optional("entitlement", identifier);
    Some(Distribution { access: access.unwrap_or_default(), access_span, entitlement })
}

/// §4.
fn listed_file(fields: &mut Fields<'_, '_>) -> Option<ListedFile> {
    let path = fields.required("path", path);
    let sha256 =
        fields.required("sha256", |decoder, json| decoder.text_that(json, &[TextRule::Shape(DIGEST)]));
    let size = fields.required("size", size);
    let executable = fields.optional("executable", Decoder::boolean);
    Some(ListedFile { path: path?, sha256: sha256?, size: size?, executable: executable.unwrap_or_default() })
}
