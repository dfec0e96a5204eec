//! `permissions` (Splice 1, "Permissions"): five lists, each with its own grammar. Here a vendor's `x-` key is unknown too.

use std::collections::HashSet;

use crate::json::decode::Placed;
use crate::json::excerpt;

use super::super::codes;
use super::super::document::Permissions;
use super::super::words::{self, CAPABILITIES};
use super::{Faults, Site};

pub(super) fn decode(faults: &mut Faults, root: &Site<'_>) -> Permissions {
    let Some(json) = root.get("permissions") else { return Permissions::default() };
    let site = root.member("permissions", json);
    let Some(object) = json.as_object() else {
        faults.push(&codes::PERMISSION, &site, "must be an object");
        return Permissions::default();
    };
    for member in object.in_script_order() {
        if !["fs", "network", "env", "capabilities"].contains(&member.name.as_str()) {
            let message = format!("unknown permission \"{}\"", excerpt(&member.name));
            faults.push(&codes::UNKNOWN_PERMISSION, &site.spot(member.name_span), message);
        }
    }
    let (mut read, mut write) = (Vec::new(), Vec::new());
    if let Some(fs) = object.get("fs") {
        let site = site.member("fs", fs);
        match fs.as_object() {
            None => faults.push(&codes::PERMISSION, &site, "must be an object"),
            Some(object) => {
                for member in object.in_script_order() {
                    if !["read", "write"].contains(&member.name.as_str()) {
                        let message = format!("unknown key \"{}\"", excerpt(&member.name));
                        faults.push(&codes::UNKNOWN_PERMISSION, &site.spot(member.name_span), message);
                    }
                }
                read = items(faults, &site, "read", is_path, PATH);
                write = items(faults, &site, "write", is_path, PATH);
            }
        }
    }
    let network = items(faults, &site, "network", words::is_host, HOST);
    let env = items(faults, &site, "env", words::is_variable, VARIABLE);
    let one_of = format!("must be one of: {}", CAPABILITIES.join(", "));
    let capabilities = items(faults, &site, "capabilities", |text| CAPABILITIES.contains(&text), &one_of);
    Permissions { span: Some(json.span), read, write, network, env, capabilities }
}

const PATH: &str =
    "must be \".\" or a relative path inside the project, without \"..\", backslashes or a drive letter";
const HOST: &str =
    "must be a lower-case host name, \"*.\" and a host name, or \"*\"; no scheme, port or path";
const VARIABLE: &str =
    "must be the name of an environment variable: A-Z, 0-9 and \"_\", not starting with a digit";

fn is_path(text: &str) -> bool {
    text == "." || words::path_fault(text).is_none()
}

/// One list. Exact duplicates are dropped, as Splice does; the order stays.
fn items(
    faults: &mut Faults,
    site: &Site<'_>,
    name: &str,
    holds: impl Fn(&str) -> bool,
    hint: &str,
) -> Vec<Placed<String>> {
    let Some(json) = site.get(name) else { return Vec::new() };
    let site = site.member(name, json);
    let Some(items) = json.as_array() else {
        faults.push(&codes::PERMISSION, &site, "must be an array");
        return Vec::new();
    };
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item.as_str().filter(|text| holds(text)) {
            Some(text) if seen.insert(text) => kept.push(Placed { value: text.to_owned(), span: item.span }),
            Some(_) => {}
            None => faults.push(&codes::PERMISSION, &site.item(index, item), hint),
        }
    }
    kept
}
