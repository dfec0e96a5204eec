//! Shapes of texts in a manifest. Each has its twin as a pattern in `schemas/capability-1.json`.

use crate::json::decode::{Shape, TextRule};
use crate::version::Version;

/// Most bytes of a path (§2).
pub(super) const MAX_PATH: usize = 240;

/// `publisher/name`.
pub(super) const ID: Shape = Shape {
    rule: "`publisher/name`, each of at most 64 of a-z, 0-9 and single hyphens, with a letter or digit at both ends",
    holds: is_id,
};
/// SemVer 2.0.
pub(super) const VERSION: Shape =
    Shape { rule: "a SemVer 2.0 version such as `1.2.3`", holds: |text| Version::parse(text).is_ok() };
/// The name of a tool.
pub(super) const TOOL: Shape = Shape {
    rule: "at most 64 of a-z, 0-9 and `_`, beginning with a letter",
    holds: |text| {
        text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.bytes().all(|byte| is_lower(byte) || byte == b'_')
    },
};
/// A path in the package (§2).
pub(super) const PATH: Shape = Shape {
    rule: "a relative path of at most 240 printable ASCII characters, with `/` between its segments and no `\\`, `.` or `..`",
    holds: is_path,
};
/// A digest.
pub(super) const DIGEST: Shape = Shape {
    rule: "64 lower-case hexadecimal digits",
    holds: |text| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
};
/// A reason, a description: something to read.
pub(super) const NOT_BLANK: Shape =
    Shape { rule: "more than white space", holds: |text| text.chars().any(|c| !c.is_whitespace()) };
/// `any` or `os-arch` (§11).
pub(super) const PLATFORM: Shape = Shape {
    rule: "`any` or `<os>-<arch>`, such as `linux-x64`",
    holds: |text| text == "any" || is_platform(text),
};
/// `os-arch`.
pub(super) const OS_ARCH: Shape = Shape { rule: "`<os>-<arch>`, such as `linux-x64`", holds: is_platform };
/// A key of `x` (§3.3).
pub(super) const VENDOR: Shape = Shape {
    rule: "a-z, 0-9 and hyphens, not beginning with a hyphen",
    holds: |text| {
        !text.is_empty() && !text.starts_with('-') && text.bytes().all(|byte| is_lower(byte) || byte == b'-')
    },
};
/// An address that is fetched over TLS.
pub(super) const HTTPS: Shape = Shape {
    rule: "an `https://` URL",
    holds: |text| super::address::Address::parse(text).is_some_and(|address| address.scheme == "https"),
};
/// A media type.
pub(super) const MEDIA_TYPE: Shape = Shape {
    rule: "a media type such as `image/png`",
    holds: |text| {
        let is_token = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
        };
        let essence = text.split(';').next().unwrap_or(text).trim_end();
        essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
    },
};

/// An identifier within a list: a short text, whatever is in it.
pub(super) const IDENTIFIER: [TextRule; 2] = [TextRule::NotEmpty, TextRule::AtMost(128)];

const fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_id(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=64).contains(&part.len())
            && part.bytes().all(|byte| is_lower(byte) || byte == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
            && !part.contains("--")
    };
    text.split_once('/').is_some_and(|(publisher, name)| is_part(publisher) && is_part(name))
}

fn is_platform(text: &str) -> bool {
    text.split_once('-').is_some_and(|(os, arch)| {
        !os.is_empty()
            && os.bytes().all(is_lower)
            && !arch.is_empty()
            && arch.bytes().all(|byte| is_lower(byte) || byte == b'_')
    })
}

/// Whether `text` is a path an archive of this format may hold (§2).
pub(super) fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_PATH
        && text.bytes().all(|byte| matches!(byte, 0x20..=0x7e) && byte != b'\\')
        && text.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

/// Whether `text` is the name of a skill (§3.1), whatever its length.
pub(super) fn is_skill_name(text: &str) -> bool {
    text.split('-').all(|group| !group.is_empty() && group.bytes().all(is_lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_paths_and_platforms_keep_to_their_shapes() {
        for good in ["a/b", "acme/pdf-tools", "0/0", &format!("{}/b", "a".repeat(64))] {
            assert!(is_id(good), "{good}");
        }
        for bad in [
            "a",
            "a/",
            "/b",
            "a/b/c",
            "A/b",
            "a_b/c",
            "-a/b",
            "a-/b",
            "a--b/c",
            &format!("{}/b", "a".repeat(65)),
        ] {
            assert!(!is_id(bad), "{bad}");
        }
        for good in ["a", "tools/run me.py", ".hidden", "a..b/c", &"a".repeat(240)] {
            assert!(is_path(good), "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", "./a", "a/..", "a\\b", "é", "a\tb", "a\u{7f}", &"a".repeat(241)]
        {
            assert!(!is_path(bad), "{bad}");
        }
        assert!(
            is_platform("linux-x64")
                && is_platform("win32-x86_64")
                && !is_platform("linux")
                && !is_platform("-x")
        );
        assert!(
            is_skill_name("pdf-tools2")
                && !is_skill_name("a--b")
                && !is_skill_name("")
                && !is_skill_name("A")
        );
    }
}
