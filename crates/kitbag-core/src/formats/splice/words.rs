//! The small grammars of a manifest: names, paths, hosts, variables, capabilities. Lengths count UTF-16 units, as the
//! programs that read manifests do.

/// The capabilities a host can have. The list is closed.
pub const CAPABILITIES: [&str; 46] = [
    "onchain.balance",
    "onchain.transaction",
    "onchain.block",
    "onchain.token",
    "onchain.contract",
    "onchain.transfers",
    "onchain.logs",
    "market.price",
    "market.token",
    "market.pairs",
    "market.pair",
    "market.ohlcv",
    "market.trades",
    "market.search",
    "security.token",
    "security.address",
    "wallet.portfolio",
    "web.search",
    "web.extract",
    "web.map",
    "web.similar",
    "web.answer",
    "github.repository",
    "github.search",
    "github.contents",
    "github.commits",
    "github.releases",
    "github.raw",
    "ai.generate",
    "ai.models",
    "tokens.rank",
    "tokens.search",
    "tokens.details",
    "tokens.whales",
    "tokens.report",
    "stock.quote",
    "stock.list",
    "perps.markets",
    "perps.funding",
    "defi.overview",
    "defi.protocols",
    "defi.yields",
    "global.overview",
    "macro.overview",
    "equity.profile",
    "equity.news",
];

/// Whether a call of the capability costs its user money.
#[must_use]
pub fn is_billed(capability: &str) -> bool {
    capability == "ai.generate" || capability.starts_with("web.")
}

/// Length in UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Whether nothing is left of `text` once JavaScript's white space is trimmed off.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}

/// A namespace or the name of a package.
pub(super) fn is_package_word(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// `@namespace/name`.
pub(super) fn is_package_id(text: &str) -> bool {
    text.strip_prefix('@')
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(namespace, name)| is_package_word(namespace) && is_package_word(name))
}

/// The name of a tool.
pub(super) fn is_tool_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && is_package_word(text)
}

/// The name of an environment variable.
pub(super) fn is_variable(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// A host that may be asked for: `*`, a name, or `*.` and a name. IPv4 addresses fit the grammar of names.
pub(super) fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    text == "*" || (text.len() <= 253 && text.strip_prefix("*.").unwrap_or(text).split('.').all(is_label))
}

/// Longest path, in UTF-16 units.
pub const PATH_UNITS: usize = 256;

/// What keeps a text from being a safe path, to follow "the path"; `None` when nothing does.
pub(super) fn path_fault(text: &str) -> Option<&'static str> {
    let bytes = text.as_bytes();
    let segments = || text.split('/');
    if text.is_empty() {
        Some("is empty")
    } else if units(text) > PATH_UNITS {
        Some("is longer than 256 characters")
    } else if text.contains('\\') {
        Some("contains a backslash")
    } else if text.contains('\0') {
        Some("contains U+0000")
    } else if text.starts_with('/') {
        Some("is absolute")
    } else if bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' {
        Some("starts with a drive letter")
    } else if segments().any(str::is_empty) {
        Some("has an empty segment")
    } else if segments().any(|segment| matches!(segment, "." | "..")) {
        Some("has a `.` or `..` segment")
    } else {
        None
    }
}

/// A module that a tool may be: the endings that Node loads as one.
pub(super) fn is_module(path: &str) -> bool {
    [".ts", ".mts", ".js", ".mjs"].iter().any(|ending| path.ends_with(ending))
}

/// Whether a file of this path is never packed: a segment begins with a point or is `node_modules`.
pub(super) fn is_left_out(path: &str) -> bool {
    path.split('/').any(|segment| segment.starts_with('.') || segment == "node_modules")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_splice_writes_them() {
        for (holds, good, bad) in [
            (
                is_package_word as fn(&str) -> bool,
                &["a", "0", "a-", "a--b", "9-9"][..],
                &["", "-a", "A", "a_b", "a.b", "a\n", "ä"][..],
            ),
            (is_tool_name, &["a", "a-1", "a-"], &["1a", "-a", "A", "a_b", "a\n", ""]),
            (is_package_id, &["@a/b", "@0/9-"], &["a/b", "@a", "@a/b/c", "@A/b", "@a/", "@/b", "@a/b@1.0.0"]),
            (is_variable, &["A", "_", "A_1"], &["", "a", "1A", "A-B", "A\n", "Ä"]),
            (
                is_host,
                &["*", "a", "a.b", "*.com", "*.a.b", "127.0.0.1", "localhost", "xn--a", "0.a"],
                &[
                    "", "**", "*.", "*.*", "* ", "http://*", "A.com", "a..b", "a.", "a_b", "a-.b", "-a",
                    "::1", "a:1", "*a",
                ],
            ),
        ] {
            for text in good {
                assert!(holds(text), "{text:?}");
            }
            for text in bad {
                assert!(!holds(text), "{text:?}");
            }
        }
        assert!(is_package_word(&"a".repeat(64)) && !is_package_word(&"a".repeat(65)));
        assert!(is_host(&format!("{}.b", "a".repeat(63))) && !is_host(&format!("{}.b", "a".repeat(64))));
        assert!(is_variable(&"A".repeat(128)) && !is_variable(&"A".repeat(129)));
    }

    #[test]
    fn a_safe_path_is_relative_and_has_no_way_out() {
        for good in ["a", "a/b.ts", "...", "ab:c", "CON", "a ", "é", "-x", "a\u{7f}", &"x".repeat(256)] {
            assert_eq!(path_fault(good), None, "{good:?}");
        }
        for bad in ["", "a\\b", "a\0", "/a", "C:x", "c:", "a//b", "a/", "./a", "a/..", ".", &"x".repeat(257)]
        {
            assert!(path_fault(bad).is_some(), "{bad:?}");
        }
        // Two units each, as JavaScript counts.
        assert!(path_fault(&"𝒳".repeat(128)).is_none() && path_fault(&"𝒳".repeat(129)).is_some());
    }

    #[test]
    fn blank_is_what_javascript_trims() {
        assert!(is_blank("") && is_blank(" \t\u{feff}\u{2028}\u{a0}"));
        assert!(!is_blank("\u{85}") && !is_blank(" x"));
    }

    #[test]
    fn the_list_of_capabilities_has_no_twins_and_says_what_costs_money() {
        let distinct: std::collections::BTreeSet<_> = CAPABILITIES.iter().collect();
        assert_eq!(distinct.len(), 46);
        let billed = CAPABILITIES.iter().filter(|capability| is_billed(capability)).count();
        assert_eq!(billed, 6);
    }
}
