//! §6 and §3.2: identifiers are known, scopes are something the identifier can be limited to, `fs:write` stays out of the
//! capability's own directory, and what tools name is declared.

use std::collections::HashSet;

use crate::finding::Findings;
use crate::glob::path::{Traversal, traversal};
use crate::json::decode::Placed;
use crate::json::excerpt;

use super::super::address::split_port;
use super::super::codes;
use super::super::document::{Identifier, Permission};
use super::{Subject, at};

/// Words by which an author may mean the capability's own folder; the specification has none.
const OWN_FOLDER: [&str; 9] = [
    "$CAPABILITY",
    "$CAPABILITY_DIR",
    "$PACKAGE",
    "$PACKAGE_DIR",
    "$SKILL_DIR",
    "$SELF",
    "$DIR",
    "$ADCAP",
    "$ADCAP_DIR",
];

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    for (index, permission) in subject.document.permissions.iter().enumerate() {
        let Permission { id, scope, .. } = &permission.value;
        let pointer = at("permissions").join(index);
        let Some(identifier) = Identifier::named(&id.value) else {
            let known = Identifier::ALL.map(|known| format!("`{}`", known.word())).join(", ");
            let message = format!("`{}` is none of {known}", excerpt(&id.value));
            out.push(subject.finding(&codes::UNKNOWN_PERMISSION, pointer.join("id"), id.span, message));
            continue;
        };
        if identifier == Identifier::Env && scope.is_none() {
            let message = "`env:read` needs a `scope`: the names of the variables";
            let span = super::super::opening(permission.span);
            out.push(subject.finding(&codes::PERMISSION_SCOPE, pointer, span, message));
            continue;
        }
        for (entry_index, entry) in scope.iter().flatten().enumerate() {
            let place = || pointer.join("scope").join(entry_index);
            if identifier == Identifier::Write && names_own_folder(&entry.value) {
                let message = format!("`{}` is the capability's own directory", excerpt(&entry.value));
                out.push(subject.finding(&codes::OWN_DIRECTORY, place(), entry.span, message));
            } else if let Some(problem) = scope_problem(identifier, &entry.value) {
                let message = format!("`{}` {problem}", excerpt(&entry.value));
                out.push(subject.finding(&codes::PERMISSION_SCOPE, place(), entry.span, message));
            }
        }
    }
    check_use(subject, out);
}

/// §3.2: every tool permission is declared by the capability. And every declared one is some tool's, unless there is no
/// tool at all: then the permissions are the skills'.
fn check_use(subject: &Subject<'_>, out: &mut Findings) {
    let document = subject.document;
    let declared: HashSet<&str> = document.permissions.iter().map(|item| &*item.value.id.value).collect();
    let mut used: HashSet<&str> = HashSet::new();
    for (index, tool) in document.tools.iter().enumerate() {
        for (named_index, named) in tool.value.permissions.iter().enumerate() {
            used.insert(&named.value);
            if !declared.contains(&*named.value) {
                let name = &tool.value.name.value;
                let id = excerpt(&named.value);
                let pointer = at("tools").join(index).join("permissions").join(named_index);
                let message =
                    format!("the tool `{name}` names `{id}`, which the capability does not declare");
                out.push(subject.finding(&codes::TOOL_PERMISSION, pointer, named.span, message));
            }
        }
    }
    let is_for_adapters = |id: &str| id == Identifier::Connect.word() && !document.adapters.is_empty();
    if document.tools.is_empty() {
        return;
    }
    for (index, permission) in document.permissions.iter().enumerate() {
        let Placed { value: id, span } = &permission.value.id;
        if Identifier::named(id).is_some() && !used.contains(&**id) && !is_for_adapters(id) {
            let message = format!("no tool names `{}`", excerpt(id));
            let pointer = at("permissions").join(index).join("id");
            out.push(subject.finding(&codes::UNUSED_PERMISSION, pointer, *span, message));
        }
    }
}

fn names_own_folder(scope: &str) -> bool {
    let first = scope.split('/').next().unwrap_or(scope);
    let bare = first.replace(['{', '}'], "").to_ascii_uppercase();
    OWN_FOLDER.contains(&bare.as_str())
}

/// Why `scope` is nothing the identifier can be limited to, to follow the scope.
fn scope_problem(identifier: Identifier, scope: &str) -> Option<&'static str> {
    match identifier {
        Identifier::Read | Identifier::Write => path_problem(scope),
        Identifier::Connect => host_problem(scope),
        Identifier::Spawn if scope.contains(['/', '\\']) || scope.contains(char::is_whitespace) => {
            Some("is no name of a program: it has a slash or white space")
        }
        Identifier::Env if !is_variable(scope) => Some("is no name of an environment variable"),
        Identifier::Spawn | Identifier::Env | Identifier::Spend | Identifier::Send => None,
    }
}

fn path_problem(scope: &str) -> Option<&'static str> {
    let rest = match scope.strip_prefix("$WORKSPACE") {
        Some("") => return None,
        Some(rest) => rest.strip_prefix('/').unwrap_or(scope),
        None => scope,
    };
    if rest.starts_with('$') {
        return Some("begins with a variable, and `$WORKSPACE` is the only one");
    }
    if rest.starts_with(['/', '~']) || rest.as_bytes().get(1) == Some(&b':') {
        return Some("is no path relative to the workspace");
    }
    match traversal(rest)? {
        Traversal::Backslash => Some("has a backslash"),
        Traversal::EmptySegment => Some("has an empty segment"),
        Traversal::DotSegment => Some("has a `.` or `..` segment, which may lead out of the workspace"),
    }
}

fn host_problem(scope: &str) -> Option<&'static str> {
    if scope == "@local" {
        return None;
    }
    if scope.contains("://") || scope.contains('/') {
        return Some("is a URL; a scope is a host, with `:port` where it matters");
    }
    let Some((host, _)) = split_port(scope) else { return Some("is no host with an optional `:port`") };
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_host = match bare {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => host.split('.').enumerate().all(|(index, label)| {
            !label.is_empty() && label.chars().all(is_label)
                || (index > 0 && host.ends_with('.') && label.is_empty())
        }),
    };
    (!is_host).then_some("is no host with an optional `:port`")
}

fn is_label(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '*' | '?')
}

fn is_variable(name: &str) -> bool {
    name.bytes().enumerate().all(|(index, byte)| {
        byte == b'_' || byte.is_ascii_alphabetic() || (index > 0 && byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_something_its_identifier_can_be_limited_to() {
        let ok = |identifier, scope| scope_problem(identifier, scope).is_none();
        for good in ["$WORKSPACE", "$WORKSPACE/a/**", "data/*.csv", "**", "a", ".hidden/x"] {
            assert!(ok(Identifier::Read, good), "{good}");
        }
        for bad in [
            "/etc",
            "~/x",
            "C:/x",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "$HOME/x",
            "$WORKSPACEX",
            "$WORKSPACE/..",
            "$WORKSPACE/",
        ] {
            assert!(!ok(Identifier::Read, bad), "{bad}");
        }
        for good in [
            "example.com",
            "*.example.com",
            "**.example.com:443",
            "localhost:8080",
            "[::1]:80",
            "@local",
            "*",
            "example.com.",
        ] {
            assert!(ok(Identifier::Connect, good), "{good}");
        }
        for bad in ["https://a", "a/b", "a:", "a:x", "a:70000", "a b", "u@a", "[::1", "[x]", "a..b", "."] {
            assert!(!ok(Identifier::Connect, bad), "{bad}");
        }
        assert!(
            ok(Identifier::Spawn, "git*")
                && !ok(Identifier::Spawn, "/bin/sh")
                && !ok(Identifier::Spawn, "rm -rf")
        );
        assert!(
            ok(Identifier::Env, "_A1")
                && !ok(Identifier::Env, "1A")
                && !ok(Identifier::Env, "A*")
                && !ok(Identifier::Env, "A=B")
        );
        assert!(ok(Identifier::Spend, "up to 5 EUR a month"));
        assert!(
            names_own_folder("${CAPABILITY_DIR}/x")
                && names_own_folder("$SELF")
                && !names_own_folder("$WORKSPACE/SELF")
        );
    }
}
