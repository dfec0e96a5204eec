//! §10: endpoints carry no credentials, what needs the network has its permission, and weights are a resource that exists.

use crate::finding::Findings;
use crate::glob::host;
use crate::json::excerpt;

use super::super::address::{Address, split_port};
use super::super::codes;
use super::super::document::Identifier;
use super::{Subject, at};

/// Schemes under which nothing leaves the machine.
const LOCAL_SCHEMES: [&str; 2] = ["file", "unix"];

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
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
        if !is_permitted(subject, &address) {
            let message = format!("no `net:connect` permission covers `{}`", excerpt(address.host));
            out.push(subject.finding(&codes::ADAPTER_NETWORK, place, endpoint.span, message));
        }
    }
}

/// Whether some `net:connect` permission covers the address.
fn is_permitted(subject: &Subject<'_>, address: &Address<'_>) -> bool {
    let permissions = subject.document.permissions.iter().map(|permission| &permission.value);
    permissions.filter(|permission| permission.id.value == Identifier::Connect.word()).any(|permission| {
        permission.scope.as_ref().is_none_or(|scope| scope.iter().any(|entry| covers(&entry.value, address)))
    })
}

fn covers(scope: &str, address: &Address<'_>) -> bool {
    let (pattern, port) = split_port(scope).unwrap_or((scope, None));
    let is_port = port.is_none() || port == address.port_or_default();
    is_port && host::matches(pattern, address.host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_covers_an_endpoint_by_host_and_where_it_says_so_by_port() {
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
