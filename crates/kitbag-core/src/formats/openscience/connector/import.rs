//! The configuration of an MCP client, entry by entry (§5.2). The first thing wrong with an entry ends it; the others are
//! read on. Values of variables and headers are never read: their names become the secrets that are asked for.

use std::collections::BTreeSet;

use crate::json::{Json, Member, Object, Pointer, Value, excerpt};

use super::super::{codes, print, words};
use super::fields::Reader;
use super::template::{Template, Transport};
use super::{Taken, read};

/// What an entry may say that a template keeps.
const KNOWN: [&str; 6] = ["type", "command", "args", "url", "env", "headers"];

/// Most entries; a configuration of 256 KiB holds no more than a few thousand.
const MOST_SERVERS: usize = 1_024;

/// The Connectors of the object `servers`.
pub(super) fn servers(reader: &mut Reader<'_>, servers: &Json, taken: &Taken) -> Vec<Template> {
    let root = Pointer::root().join("mcpServers");
    let Some(object) = servers.as_object() else { return Vec::new() };
    if object.is_empty() {
        let message = "`mcpServers` is empty";
        reader.push(&codes::CONNECTOR_EMPTY_MCP_SERVERS, (root, servers.span), message);
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let mut definitions = Vec::new();
    for member in object.in_script_order().into_iter().take(MOST_SERVERS) {
        let entry = Entry { member, pointer: root.join(&member.name) };
        definitions.extend(entry.read(reader, &mut names, taken));
    }
    if object.len() > MOST_SERVERS {
        let message = format!("there are {} servers, and {MOST_SERVERS} are read", object.len());
        reader.push(&codes::CONNECTOR_TOO_MANY, (root, servers.span), message);
    }
    definitions
}

struct Entry<'j> {
    member: &'j Member,
    pointer: Pointer,
}

impl Entry<'_> {
    fn read(&self, reader: &mut Reader<'_>, names: &mut BTreeSet<String>, taken: &Taken) -> Option<Template> {
        let json = &self.member.value;
        let Some(object) = json.as_object() else {
            let message = format!("the server is {} and must be an object", json.kind());
            reader.push(&codes::CONNECTOR_TYPE, (self.pointer.clone(), json.span), message);
            return None;
        };
        let transport = self.transport(reader, object)?;
        let name = self.name(reader, names)?;
        for field in ["env", "headers"] {
            if let Some(map) = object.get(field).filter(|map| map.as_object().is_none()) {
                let message = format!("`{field}` is {} and must be an object", map.kind());
                reader.push(&codes::CONNECTOR_TYPE, (self.pointer.join(field), map.span), message);
                return None;
            }
        }
        if let Some((field, map)) = ["env", "headers"]
            .into_iter()
            .filter_map(|field| Some((field, object.get(field)?)))
            .find(|(_, map)| map.as_object().is_some_and(|map| !map.is_empty()))
        {
            let message =
                "the values of variables and headers are left out; their names are asked for instead";
            reader.push(&codes::CONNECTOR_SECRET_VALUES, (self.pointer.join(field), map.span), message);
        }
        for member in object.iter().filter(|member| !KNOWN.contains(&member.name.as_str())) {
            let message = format!("`{}` has no place in a Connector and is left out", excerpt(&member.name));
            let at = (self.pointer.join(&member.name), member.name_span);
            reader.push(&codes::CONNECTOR_CLIENT_FIELD, at, message);
        }
        let template = self.template(object, &name, transport);
        reader.translated(translate, |reader| read::template(reader, &template, self.pointer.clone(), taken))
    }

    /// How the server is reached: by its `type`, else by what it has.
    fn transport(&self, reader: &mut Reader<'_>, object: &Object) -> Option<Transport> {
        let has = |field: &str| object.get(field).is_some_and(|value| value.as_str().is_some());
        let (command, url) = (has("command"), has("url"));
        let word = object.get("type").and_then(Json::as_str);
        let transport = match word.map(|word| words::trim(word).to_lowercase()).as_deref() {
            Some("stdio") => Some(Transport::Stdio),
            Some("sse") => Some(Transport::Sse),
            Some("http" | "streamable-http" | "streamable_http") => Some(Transport::StreamableHttp),
            Some(_) => None,
            None if command => Some(Transport::Stdio),
            None if url => Some(Transport::StreamableHttp),
            None => None,
        };
        let at = |field: &str| {
            let json = object.get(field).unwrap_or(&self.member.value);
            let pointer =
                if object.get(field).is_some() { self.pointer.join(field) } else { self.pointer.clone() };
            (pointer, json.span)
        };
        let Some(transport) = transport else {
            let message = match word {
                Some(word) => format!("`{}` is no transport", excerpt(word)),
                None => "the server has neither a `command` nor a `url`".to_owned(),
            };
            reader.push(&codes::CONNECTOR_TRANSPORT, at("type"), message);
            return None;
        };
        let fits = if transport.is_remote() { url && !command } else { command && !url };
        if !fits {
            let message = if command && url {
                "the server has a `command` and a `url`".to_owned()
            } else {
                let wanted = if transport.is_remote() { "url" } else { "command" };
                format!("the transport is {transport} and there is no `{wanted}`")
            };
            reader.push(&codes::CONNECTOR_TRANSPORT_FIELDS, at("url"), message);
            return None;
        }
        Some(transport)
    }

    /// The name of the Connector: the entry's own where it is legal.
    fn name(&self, reader: &mut Reader<'_>, names: &mut BTreeSet<String>) -> Option<String> {
        let key = &self.member.name;
        let at = (self.pointer.clone(), self.member.name_span);
        let is_legal = words::is_connector_name(key) && key.len() <= words::NAME_UNITS;
        let name = if is_legal {
            key.clone()
        } else {
            let normalised = words::normalised(key);
            if normalised.is_empty() { "connector".to_owned() } else { normalised }
        };
        if !names.insert(name.clone()) {
            let message = format!("another server of this file is called `{name}`");
            reader.push(&codes::CONNECTOR_DUPLICATE_NAME, at, message);
            return None;
        }
        if !is_legal {
            let message = format!("`{}` becomes `{name}`", excerpt(key));
            reader.push(&codes::CONNECTOR_NORMALIZED_NAME, at, message);
        }
        Some(name)
    }

    /// The entry as a template, every value with the place it has in the file.
    fn template(&self, object: &Object, name: &str, transport: Transport) -> Json {
        let here = |value: Value| Json { span: self.member.name_span, value };
        let mut template = Object::default();
        template.insert("schema_version", here(Value::Integer(1)));
        template.insert("kind", here(Value::String(read::KIND.to_owned())));
        template.insert("name", here(Value::String(name.to_owned())));
        template.insert("display_name", here(Value::String(self.member.name.clone())));
        template.insert("transport", here(Value::String(transport.word().to_owned())));
        for field in ["command", "args", "url"] {
            if let Some(value) = object.get(field) {
                template.insert(field, value.clone());
            }
        }
        let mut secrets = Object::default();
        for (field, under) in [("env", "environment"), ("headers", "headers")] {
            let Some(map) = object.get(field) else { continue };
            let names = map.as_object().map(Object::in_script_order).unwrap_or_default();
            let names = names
                .into_iter()
                .map(|member| Json { span: member.name_span, ..print::text(&*member.name) })
                .collect::<Vec<_>>();
            if !names.is_empty() {
                secrets.insert(under, Json { span: map.span, value: Value::Array(names) });
            }
        }
        if !secrets.is_empty() {
            template.insert("required_secrets", here(Value::Object(secrets)));
        }
        Json { span: self.member.value.span, value: Value::Object(template) }
    }
}

/// A place in the template as the place in the file it came from: `…/required_secrets/environment/0` is in `…/env`.
fn translate(pointer: &Pointer) -> Pointer {
    let mut tokens: Vec<String> = pointer.tokens().collect();
    match tokens.get(2).map(String::as_str) {
        Some("required_secrets") => {
            let field = tokens.get(3).map(|under| if under == "environment" { "env" } else { "headers" });
            tokens.truncate(2);
            tokens.extend(field.map(str::to_owned));
        }
        Some("name" | "display_name" | "transport" | "kind" | "schema_version") => tokens.truncate(2),
        _ => {}
    }
    tokens.iter().fold(Pointer::root(), |pointer, token| pointer.join(token))
}
