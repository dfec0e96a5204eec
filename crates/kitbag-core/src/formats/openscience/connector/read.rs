//! A Connector template out of its JSON: the fields, then the rules between them.

use crate::json::decode::Shape;
use crate::json::{Json, Pointer, Value, excerpt};

use super::super::{codes, words};
use super::address::{self, Address};
use super::fields::{Items, Presence, Reader, Site};
use super::template::{OAuth, Secrets, Template, Transport};
use super::{Taken, arguments, doubts};

/// What every template says it is.
pub const KIND: &str = "open-science.connector";

/// Longest address and longest argument.
const LONG_UNITS: usize = 2_048;
/// Most arguments.
const ARGUMENTS: usize = 128;

/// Names of environment variables.
const ENVIRONMENT: Items = Items {
    most: 64,
    units: 128,
    shape: Some(Shape { rule: "name of an environment variable", holds: is_environment_name }),
};
/// Names of headers.
const HEADERS: Items =
    Items { most: 64, units: 128, shape: Some(Shape { rule: "name of a header", holds: is_header_name }) };
/// OAuth scopes.
const SCOPES: Items = Items { most: 32, units: 128, shape: None };

/// `^[A-Za-z_][A-Za-z0-9_]*$`
fn is_environment_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `^[A-Za-z0-9][A-Za-z0-9-]*$`
fn is_header_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Reads the template that `json` is. `None` when it has an error.
pub(super) fn template(
    reader: &mut Reader<'_>,
    json: &Json,
    pointer: Pointer,
    taken: &Taken,
) -> Option<Template> {
    let before = reader.errors();
    let root = Site::new(json, pointer)?;
    const KNOWN: [&str; 11] = [
        "schema_version",
        "kind",
        "name",
        "display_name",
        "description",
        "transport",
        "command",
        "args",
        "url",
        "required_secrets",
        "oauth",
    ];
    reader.unknown(&root, &KNOWN);
    if !root.object.get("schema_version").is_some_and(is_one) {
        let message = "`schema_version` is not the number 1";
        reader.push(&codes::CONNECTOR_SCHEMA_VERSION, root.at("schema_version"), message);
    }
    if root.object.get("kind").and_then(Json::as_str) != Some(KIND) {
        reader.push(&codes::CONNECTOR_KIND, root.at("kind"), format!("`kind` is not \"{KIND}\""));
    }
    let name = name(reader, &root, taken);
    let display_name = reader.text(&root, "display_name", 128, Presence::Required);
    let description = reader.text(&root, "description", 2_000, Presence::Optional);
    let transport = transport(reader, &root);
    let command = reader.text(&root, "command", 1_024, Presence::Optional);
    let args = reader.literal(&root, "args", ARGUMENTS, LONG_UNITS);
    let url = url(reader, &root, "url");
    let secrets = secrets(reader, &root);
    let oauth = oauth(reader, &root);
    let draft = Draft { root: &root, transport, command, args, url, secrets, oauth };
    draft.check(reader);
    if reader.errors() > before {
        return None;
    }
    let Draft { command, args, url, secrets, oauth, .. } = draft;
    Some(Template {
        name: name?,
        display_name: display_name?,
        transport: transport?,
        description,
        command,
        args,
        url: url.map(|url| url.text),
        secrets,
        oauth,
    })
}

/// The number 1, however it is written.
fn is_one(json: &Json) -> bool {
    match json.value {
        Value::Integer(number) => number == 1,
        Value::Float(number) => number == 1.0,
        _ => false,
    }
}

fn name(reader: &mut Reader<'_>, root: &Site<'_>, taken: &Taken) -> Option<String> {
    let name = reader.text(root, "name", words::NAME_UNITS, Presence::Required)?;
    let at = || root.at("name");
    if !words::is_connector_name(&name) {
        let message = format!("`{}` has other characters than a-z, 0-9 and hyphens", excerpt(&name));
        reader.push(&codes::CONNECTOR_NAME, at(), message);
        return None;
    }
    if taken.built_in.contains(name.as_str()) {
        let message = format!("`{name}` is the name of a Connector that Open-Science brings along");
        reader.push(&codes::CONNECTOR_RESERVED_NAME, at(), message);
    }
    if taken.installed.contains(name.as_str()) {
        let message = format!("a Connector called `{name}` is installed");
        reader.push(&codes::CONNECTOR_DUPLICATE_NAME, at(), message);
    }
    Some(name)
}

fn transport(reader: &mut Reader<'_>, root: &Site<'_>) -> Option<Transport> {
    let word = root.object.get("transport").and_then(Json::as_str);
    let known = word.and_then(|word| Transport::ALL.iter().find(|(known, _)| *known == word));
    if known.is_none() {
        let message = match word {
            Some(word) => format!("`{}` is no transport", excerpt(word)),
            None => "`transport` is not stdio, streamable_http or sse".to_owned(),
        };
        reader.push(&codes::CONNECTOR_TRANSPORT, root.at("transport"), message);
    }
    known.map(|&(_, transport)| transport)
}

/// An address. What is wrong with it is said here and keeps the template from being read.
fn url(reader: &mut Reader<'_>, site: &Site<'_>, name: &str) -> Option<Address> {
    let text = reader.text(site, name, LONG_UNITS, Presence::Optional)?;
    let Some(address) = Address::parse(&text) else {
        reader.push(&codes::CONNECTOR_URL, site.at(name), format!("`{name}` is no URL"));
        return None;
    };
    for fault in address.faults() {
        let code = match fault {
            address::Fault::Scheme => &codes::CONNECTOR_URL_PROTOCOL,
            address::Fault::User => &codes::CONNECTOR_URL_CREDENTIALS,
            address::Fault::Query { .. } => &codes::CONNECTOR_URL_SECRET,
        };
        reader.push(code, site.at(name), format!("`{name}` {fault}"));
    }
    if let Some(doubt) = address.doubt() {
        reader.push(&codes::CONNECTOR_URL_FRAGMENT, site.at(name), doubt);
    }
    // What is wrong with an address does not make it a missing one.
    Some(address)
}

fn secrets(reader: &mut Reader<'_>, root: &Site<'_>) -> Secrets {
    let Some(site) = reader.object(root, "required_secrets") else { return Secrets::default() };
    reader.unknown(&site, &["environment", "headers", "oauth_client_secret"]);
    let environment = reader.list(&site, "environment", ENVIRONMENT);
    let headers = reader.list(&site, "headers", HEADERS);
    let flag = site.object.get("oauth_client_secret");
    let oauth_client_secret = flag.is_some_and(|flag| flag.as_bool() == Some(true));
    if flag.is_some() && !oauth_client_secret {
        let message = "`oauth_client_secret` can only be `true`; leave it out where none is needed";
        reader.push(&codes::CONNECTOR_TYPE, site.at("oauth_client_secret"), message);
    }
    Secrets { environment, headers, oauth_client_secret }
}

fn oauth(reader: &mut Reader<'_>, root: &Site<'_>) -> Option<OAuth> {
    let site = reader.object(root, "oauth")?;
    const KNOWN: [&str; 5] =
        ["client_metadata_url", "authorization_server_url", "scopes", "client_id", "redirect_uri"];
    reader.unknown(&site, &KNOWN);
    let text = |address: Address| address.text;
    let oauth = OAuth {
        client_metadata_url: url(reader, &site, "client_metadata_url").map(text),
        authorization_server_url: url(reader, &site, "authorization_server_url").map(text),
        scopes: reader.list(&site, "scopes", SCOPES),
        client_id: reader.text(&site, "client_id", LONG_UNITS, Presence::Optional),
        redirect_uri: redirect_uri(reader, &site),
    };
    if oauth.client_id.is_some() && oauth.authorization_server_url.is_none() {
        let message = "`client_id` is given and `authorization_server_url` is not";
        reader.push(&codes::CONNECTOR_OAUTH_ISSUER, site.at("client_id"), message);
    }
    if oauth.client_id.is_some() && oauth.client_metadata_url.is_some() {
        let message = "`client_id` and `client_metadata_url` are two ways to register";
        reader.push(&codes::CONNECTOR_OAUTH_REGISTRATION, site.at("client_metadata_url"), message);
    }
    if oauth.redirect_uri.is_some() && oauth.client_id.is_none() {
        let message = "`redirect_uri` is given and `client_id` is not";
        reader.push(&codes::CONNECTOR_OAUTH_REDIRECT_URI_CLIENT, site.at("redirect_uri"), message);
    }
    Some(oauth)
}

/// A way back to this machine: plain HTTP to 127.0.0.1, no user, no fragment. Kept as it was parsed, so that `127.1` and
/// 127.0.0.1 are one.
fn redirect_uri(reader: &mut Reader<'_>, site: &Site<'_>) -> Option<String> {
    let address = url(reader, site, "redirect_uri")?;
    match address.loopback() {
        Ok(parsed) => Some(parsed),
        Err(because) => {
            let message = format!("`redirect_uri` {because}");
            reader.push(&codes::CONNECTOR_OAUTH_REDIRECT_URI, site.at("redirect_uri"), message);
            None
        }
    }
}

/// A template whose fields are known one by one.
struct Draft<'j, 's> {
    root: &'s Site<'j>,
    transport: Option<Transport>,
    command: Option<String>,
    args: Option<Vec<String>>,
    url: Option<Address>,
    secrets: Secrets,
    oauth: Option<OAuth>,
}

impl Draft<'_, '_> {
    /// The rules between the fields (§4.2), then what may be a credential (§4.3).
    fn check(&self, reader: &mut Reader<'_>) {
        let root = self.root;
        let inner = |name: &str| match root.object.get("required_secrets") {
            Some(json) => match Site::new(json, root.pointer.join("required_secrets")) {
                Some(site) => site.at(name),
                None => root.at("required_secrets"),
            },
            None => root.at("required_secrets"),
        };
        let is_stdio = self.transport == Some(Transport::Stdio);
        let is_remote = self.transport.is_some_and(Transport::is_remote);
        if is_stdio && self.command.is_none() {
            let message = "the transport is stdio and there is no usable `command`";
            reader.push(&codes::CONNECTOR_COMMAND, root.at("command"), message);
        }
        if is_remote && self.url.is_none() {
            let message = "the transport is remote and there is no usable `url`";
            reader.push(&codes::CONNECTOR_URL_REQUIRED, root.at("url"), message);
        }
        if is_stdio && (self.url.is_some() || self.oauth.is_some()) {
            let name = if self.url.is_some() { "url" } else { "oauth" };
            let message = format!("the transport is stdio and `{name}` is given");
            reader.push(&codes::CONNECTOR_STDIO_REMOTE_FIELDS, root.at(name), message);
        }
        if is_stdio && !self.secrets.headers.is_empty() {
            let message = "the transport is stdio, which has no headers";
            reader.push(&codes::CONNECTOR_STDIO_HEADERS, inner("headers"), message);
        }
        if !is_stdio && self.command.is_some() {
            let message = "`command` is given and the transport is not stdio";
            reader.push(&codes::CONNECTOR_REMOTE_COMMAND, root.at("command"), message);
        }
        if is_remote && !self.secrets.environment.is_empty() {
            let message = "the transport is remote, where no environment can be set";
            reader.push(&codes::CONNECTOR_REMOTE_ENVIRONMENT, inner("environment"), message);
        }
        if self.oauth.is_some() && !self.secrets.headers.is_empty() {
            let message = "OAuth and header secrets are two ways to sign in";
            reader.push(&codes::CONNECTOR_OAUTH_HEADERS, inner("headers"), message);
        }
        let has_client = self.oauth.as_ref().is_some_and(|oauth| oauth.client_id.is_some());
        if self.secrets.oauth_client_secret && !has_client {
            let message = "a client secret is asked for and there is no `client_id` it belongs to";
            reader.push(&codes::CONNECTOR_OAUTH_CLIENT_SECRET, inner("oauth_client_secret"), message);
        }
        if let Some(command) = &self.command
            && is_local(command)
        {
            let message = format!("`{}` is a place on one machine", excerpt(command));
            reader.push(&codes::CONNECTOR_LOCAL_COMMAND, root.at("command"), message);
        }
        let args = self.args.as_deref().unwrap_or_default();
        for (index, argument) in args.iter().enumerate().filter(|(_, argument)| is_local(argument)) {
            let message = format!("`{}` is a place on one machine", excerpt(argument));
            reader.push(&codes::CONNECTOR_LOCAL_ARGUMENT, self.argument_at(index), message);
        }
        self.credentials(reader, args);
    }

    fn credentials(&self, reader: &mut Reader<'_>, args: &[String]) {
        let found = arguments::secrets(args);
        for hit in &found {
            let (at, harmless) = match hit.index {
                Some(index) => (self.argument_at(index), doubts::is_harmless(args, index)),
                None => (self.root.at("args"), None),
            };
            reader.push(&codes::CONNECTOR_ARGUMENT_SECRET, at.clone(), hit.because);
            if let Some(because) = harmless {
                reader.push(&codes::CONNECTOR_ARGUMENT_HARMLESS, at, because);
            }
        }
        for doubt in doubts::unseen(args, &found) {
            reader.push(&codes::CONNECTOR_ARGUMENT_CREDENTIAL, self.argument_at(doubt.index), doubt.because);
        }
    }

    fn argument_at(&self, index: usize) -> (Pointer, crate::json::Span) {
        let pointer = self.root.pointer.join("args").join(index);
        let span = self.root.object.get("args").and_then(Json::as_array).and_then(|items| items.get(index));
        (pointer, span.map_or(self.root.span, |item| item.span))
    }
}

/// Whether a text names a place on one machine: `/`, `~`, `\\` or a drive.
fn is_local(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.starts_with(['/', '~'])
        || text.starts_with("\\\\")
        || matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}
