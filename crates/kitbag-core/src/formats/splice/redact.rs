//! What is told about a run without what must not be told: where the folders really are, and what looks like a secret
//! (Splice 1, "Redaction"). For messages and logs; an output is never changed.

use std::sync::LazyLock;

use regex::Regex;

/// What stands in the place of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// The shortest value that is looked for as it is: a shorter one would be found in the middle of words.
const VALUE_AT_LEAST: usize = 6;

/// What looks like a secret, and what is left of it. The order matters: the more particular first.
const PATTERNS: &[(&str, &str)] = &[
    // A private key in PEM, also one that was cut off.
    (r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)", REDACTED),
    // Tokens that say what they are.
    (r"\bsplice_[A-Za-z0-9_-]{43}(?-u:\b|$)", REDACTED),
    (r"\bgh[pousr]_[A-Za-z0-9]{20,}", REDACTED),
    (r"\bgithub_pat_[A-Za-z0-9_]{20,}", REDACTED),
    (r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}", REDACTED),
    (r"\bxox[abposr]-[A-Za-z0-9-]{10,}", REDACTED),
    (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", REDACTED),
    (r"\bAIza[A-Za-z0-9_-]{35}", REDACTED),
    (r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", REDACTED),
    // Headers.
    (r"(?i)\b((?:proxy-)?authorization[\x22']?\s*[:=]\s*)[^\r\n,;\x22']+", "${1}[REDACTED]"),
    (r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", "${1}[REDACTED]"),
    (r"(?i)\b((?:set-)?cookie[\x22']?\s*:\s*)[^\r\n]+", "${1}[REDACTED]"),
    // Addresses.
    (r"(?i)\b([a-z][a-z0-9+.-]*://)[^\s/?#@:]*:[^\s/?#@]*@", "${1}[REDACTED]@"),
    (
        r"(?i)([?&](?:access_token|refresh_token|id_token|token|api_key|api-key|apikey|key|secret|client_secret|password|passwd|pwd|sig|signature|auth)=)[^&\s#\x22']+",
        "${1}[REDACTED]",
    ),
    // Assignments.
    (
        r"\b([A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_KEY|APIKEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)[A-Z0-9_]*\s*=\s*)(?:\x22[^\x22\r\n]*\x22|'[^'\r\n]*'|[^\s]+)",
        "${1}[REDACTED]",
    ),
];

static READY: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compile = |(pattern, left): &(&str, &'static str)| {
        (Regex::new(pattern).expect("the patterns of the table are regular expressions"), *left)
    };
    PATTERNS.iter().map(compile).collect()
});

/// What must not be told about one run.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    /// Longest first.
    values: Vec<String>,
    /// A folder and its name, the longest first.
    folders: Vec<(String, &'static str)>,
}

impl Redaction {
    /// `values` are secrets, and each of `folders` is told by its name only.
    #[must_use]
    pub fn new(
        values: impl IntoIterator<Item = String>,
        folders: impl IntoIterator<Item = (String, &'static str)>,
    ) -> Self {
        let mut values: Vec<String> =
            values.into_iter().filter(|value| value.encode_utf16().count() >= VALUE_AT_LEAST).collect();
        values.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        values.dedup();
        let mut folders: Vec<(String, &'static str)> = folders.into_iter().collect();
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self { values, folders }
    }

    /// `text` without them.
    #[must_use]
    pub fn of(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in &self.folders {
            text = masked(&text, folder, name);
        }
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), REDACTED);
            }
        }
        for (pattern, left) in READY.iter() {
            if let std::borrow::Cow::Owned(changed) = pattern.replace_all(&text, *left) {
                text = changed;
            }
        }
        text
    }
}

/// `text` with `name` where the folder `folder` stands, as a path or as the address of a file; not where it only begins
/// another name.
fn masked(text: &str, folder: &str, name: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, behind) = (&rest[..at], &rest[at + folder.len()..]);
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_file = before.ends_with("file://");
        let is_whole = is_file || !before.ends_with(|c: char| goes_on(c) || matches!(c, '/' | '>'));
        let ends = !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if is_whole && ends {
            masked.push_str(before.strip_suffix("file://").unwrap_or(before));
            masked.push_str(name);
        } else {
            masked.push_str(&rest[..at + folder.len()]);
        }
        rest = behind;
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        Redaction::default().of(text)
    }

    #[test]
    fn what_says_that_it_is_a_secret_is_told_by_nobody() {
        let long = |count: usize| "a1B2".repeat(count / 4 + 1)[..count].to_owned();
        let secrets = [
            format!("splice_{}", long(43)),
            format!("ghp_{}", long(20)),
            format!("ghs_{}", long(36)),
            format!("github_pat_{}", long(22)),
            format!("sk-{}", long(20)),
            format!("sk-ant-{}", long(24)),
            format!("sk-proj-{}", long(24)),
            format!("xoxb-{}", long(10)),
            format!("AKIA{}", long(16).to_uppercase()),
            format!("AIza{}", long(35)),
            format!("eyJ{}.{}.{}", long(8), long(8), long(8)),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", long(64)),
            format!("-----BEGIN PRIVATE KEY-----\n{}", long(64)),
        ];
        for secret in secrets {
            assert_eq!(of(&format!("it is {secret}")), "it is [REDACTED]", "test only: {secret}");
        }
        for (text, told) in [
            ("Authorization: Bearer abcdefghij", "Authorization: [REDACTED]"),
            ("proxy-authorization=Basic abcdefgh", "proxy-authorization=[REDACTED]"),
            ("with bearer abcdefgh.ij", "with bearer [REDACTED]"),
            ("Set-Cookie: a=b; c=d\nnext", "Set-Cookie: [REDACTED]\nnext"),
            ("https://me:pass@a.example/b", "https://[REDACTED]@a.example/b"),
            ("/a?page=2&api_key=abc&x=1", "/a?page=2&api_key=[REDACTED]&x=1"),
            ("/a?sig=abc#end", "/a?sig=[REDACTED]#end"),
            ("MY_API_KEY=abc def", "MY_API_KEY=[REDACTED] def"),
            ("DB_PASSWORD=\"a b\" next", "DB_PASSWORD=[REDACTED] next"),
        ] {
            assert_eq!(of(text), told);
        }
    }

    #[test]
    fn what_only_resembles_one_stays() {
        for text in [
            "page=2&page_size=10",
            "splice_github_search-repositories",
            "sk-short",
            "AKIA1",
            "a basic idea",
            "https://a.example/b?page=2&page_size=10",
            "token of thanks",
            "the cookie jar",
        ] {
            assert_eq!(of(text), text);
        }
    }

    #[test]
    fn values_are_found_as_they_are_the_longest_first() {
        let values = ["s3cr3t", "s3cr3t-and-more", "a.*b(c", "short"].map(str::to_owned);
        let redaction = Redaction::new(values, []);
        assert_eq!(redaction.of("s3cr3t-and-more, s3cr3t"), "[REDACTED], [REDACTED]");
        assert_eq!(redaction.of("a.*b(c axxb(c short"), "[REDACTED] axxb(c short");
    }

    #[test]
    fn folders_are_told_by_their_names() {
        let folders = [("/project".to_owned(), "<project>"), ("/package".to_owned(), "<package>")];
        let redaction = Redaction::new([], folders);
        for (text, told) in [
            ("no such file, open '/project/a.txt'", "no such file, open '<project>/a.txt'"),
            ("at file:///package/tools/a.mjs:1:2", "at <package>/tools/a.mjs:1:2"),
            ("/package", "<package>"),
            ("in /project.", "in <project>."),
            (
                "/packages/a /project-b /home/project https://a.example/project",
                "/packages/a /project-b /home/project https://a.example/project",
            ),
        ] {
            assert_eq!(redaction.of(text), told);
        }
    }
}
