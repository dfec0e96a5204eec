//! §10: endpoints carry no credentials, what needs the network has its permission, and weights are a resource that exists.

use std::collections::HashMap;

use crate::finding::Findings;
use crate::glob::{Dialect, PatternSet};
use crate::json::decode::Placed;
use crate::json::excerpt;

use super::super::address::{Address, split_port};
use super::super::codes;
use super::super::document::Identifier;
use super::{Subject, at};

/// Schemes under which nothing leaves the machine.
const LOCAL_SCHEMES: [&str; 2] = ["file", "unix"];

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    let permissions = subject.document.permissions.iter().map(|permission| &permission.value);
    let connects = permissions.filter(|permission| permission.id.value == Identifier::Connect.word());
    let mut permitted = Permitted::new(connects.map(|permission| permission.scope.as_deref()));
    for (index, adapter) in subject.document.adapters.iter().enumerate() {
        let pointer = at("adapters").join(index);
        if let Some(id) = &adapter.value.resource {
            subject.check_resource(id, pointer.join("resource"), out);
        }
        let Some(endpoint) = &adapter.value.endpoint else { continue };
        let place = pointer.join("endpoint");
        let Some(address) = Address::parse(&endpoint.value) else {
            if !LOCAL_SCHEMES.iter().any(|scheme| endpoint.value.starts_with(&format!("{scheme}:"))) {
                let message = format!("`{}` is no URL with a host", excerpt(&endpoint.value));
                out.push(subject.finding(&codes::ENDPOINT, place, endpoint.span, message));
            }
            continue;
        };
        if let Some(credential) = address.credential() {
            let message = format!("the endpoint carries `{}`", excerpt(credential));
            out.push(subject.finding(&codes::ENDPOINT_CREDENTIALS, place.clone(), endpoint.span, message));
        }
        if !permitted.covers(&address) {
            let message = format!("no `net:connect` permission covers `{}`", excerpt(address.host));
            out.push(subject.finding(&codes::ADAPTER_NETWORK, place, endpoint.span, message));
        }
    }
}

/// What the `net:connect` permissions cover, read once and asked for each adapter.
struct Permitted {
    anywhere: bool,
    /// Host patterns by the port they are limited to; without one, any.
    by_port: HashMap<Option<u16>, PatternSet>,
}

impl Permitted {
    fn new<'s>(scopes: impl IntoIterator<Item = Option<&'s [Placed<String>]>>) -> Self {
        let mut anywhere = false;
        let mut texts: HashMap<Option<u16>, Vec<&str>> = HashMap::new();
        for scope in scopes {
            match scope {
                None => anywhere = true,
                Some(entries) => {
                    for entry in entries {
                        let (pattern, port) = split_port(&entry.value).unwrap_or((&entry.value, None));
                        texts.entry(port).or_default().push(pattern);
                    }
                }
            }
        }
        let read = |(port, texts)| (port, PatternSet::new(Dialect::SkillPactHost, texts));
        Self { anywhere, by_port: texts.into_iter().map(read).collect() }
    }

    /// Whether the address is covered for certain.
    fn covers(&mut self, address: &Address<'_>) -> bool {
        let mut covers = |port| {
            self.by_port.get_mut(&port).is_some_and(|set: &mut PatternSet| set.matches(address.host).is_yes())
        };
        self.anywhere
            || covers(None)
            || (address.port_or_default().is_some() && covers(address.port_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Span;

    #[test]
    fn a_scope_covers_an_endpoint_by_host_and_where_it_says_so_by_port() {
        let covers = |scope: &str, address: &Address<'_>| {
            let entry = Placed { value: scope.to_owned(), span: Span::default() };
            Permitted::new([Some(&[entry][..])]).covers(address)
        };
        let address = Address::parse("https://api.example.com/v1").unwrap();
        for scope in ["api.example.com", "*.example.com", "api.example.com:443", "API.Example.COM"] {
            assert!(covers(scope, &address), "{scope}");
        }
        for scope in ["example.com", "api.example.com:8443", "*", "api.example.org"] {
            assert!(!covers(scope, &address), "{scope}");
        }
        let local = Address::parse("http://[::1]:11434").unwrap();
        assert!(covers("@local", &local) && covers("[::1]:11434", &local) && !covers("[::1]:80", &local));
    }
}
