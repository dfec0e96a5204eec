//! A template as Open-Science writes it (§4.5): fields in one order, absent ones left out.

use crate::json::{Json, Value};

use super::super::print;
use super::read::KIND;
use super::template::{OAuth, Secrets, Template};

/// The name of the file that a template is exported to.
#[must_use]
pub fn file_name(template: &Template) -> String {
    format!("open-science-connector-{}.json", template.name)
}

/// The document that describes `template`.
#[must_use]
pub fn document(template: &Template) -> String {
    let Template { name, display_name, transport, description, command, args, url, secrets, oauth } =
        template;
    let optional = |text: &Option<String>| text.as_ref().map(print::text);
    let members = [
        ("schema_version", Some(print::value(Value::Integer(1)))),
        ("kind", Some(print::text(KIND))),
        ("name", Some(print::text(name))),
        ("display_name", Some(print::text(display_name))),
        ("transport", Some(print::text(transport.word()))),
        ("description", optional(description)),
        ("command", optional(command)),
        ("args", args.as_ref().map(print::texts)),
        ("url", optional(url)),
        ("required_secrets", (!secrets.is_empty()).then(|| secrets_object(secrets))),
        ("oauth", oauth.as_ref().map(oauth_object)),
    ];
    print::document(&print::object(present(members)))
}

fn present<const N: usize>(
    members: [(&'static str, Option<Json>); N],
) -> impl Iterator<Item = (&'static str, Json)> {
    members.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn list(names: &[String]) -> Option<Json> {
    (!names.is_empty()).then(|| print::texts(names))
}

fn secrets_object(secrets: &Secrets) -> Json {
    let secret = secrets.oauth_client_secret.then(|| print::value(Value::Bool(true)));
    print::object(present([
        ("environment", list(&secrets.environment)),
        ("headers", list(&secrets.headers)),
        ("oauth_client_secret", secret),
    ]))
}

fn oauth_object(oauth: &OAuth) -> Json {
    let optional = |text: &Option<String>| text.as_ref().map(print::text);
    print::object(present([
        ("client_metadata_url", optional(&oauth.client_metadata_url)),
        ("authorization_server_url", optional(&oauth.authorization_server_url)),
        ("scopes", list(&oauth.scopes)),
        ("client_id", optional(&oauth.client_id)),
        ("redirect_uri", optional(&oauth.redirect_uri)),
    ]))
}
