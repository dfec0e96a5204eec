//! Where our own judgement of arguments differs from Open-Science's: credentials that it does not see, and what it refuses
//! although no secret can be in it. Its verdict stands; these are findings of their own beside it.

use std::sync::LazyLock;

use regex::Regex;

use super::address::Address;
use super::arguments::{self, Hit};

/// An argument that may be a credential, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub(super) index: usize,
    /// The value is never told.
    pub(super) because: &'static str,
}

/// Tokens that are known by how they begin, wherever they stand as a word.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let text = concat!(
        r"(?:^|[^A-Za-z0-9_-])(?:gh[opsur]_[A-Za-z0-9_]{3,}|github_pat_[A-Za-z0-9_]{3,}|glpat-[A-Za-z0-9_-]{8,}",
        r"|sk-(?:ant|proj|or|svcacct)-[A-Za-z0-9_-]{8,}|sk-[A-Za-z0-9]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{8,}",
        r"|xox[abeoprs]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}",
        r"|ya29\.[A-Za-z0-9_-]{8,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}",
        r"|dop_v1_[a-f0-9]{32,}|shp(?:at|ss|ca|pa)_[a-f0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----)",
    );
    Regex::new(text).expect("the pattern is constant and was compiled in tests")
});

/// Parts of a variable's name that name a secret.
const SECRET_PARTS: [&str; 13] = [
    "APIKEY",
    "AUTH",
    "BEARER",
    "CREDENTIAL",
    "CREDENTIALS",
    "KEY",
    "PASS",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PWD",
    "SECRET",
    "TOKEN",
];

/// Flags that set a variable of what is started.
const ENVIRONMENT_FLAGS: [&str; 3] = ["-e", "--env", "--environment"];

/// Flags that take a secret and that Open-Science does not know.
const SECRET_FLAGS: [&str; 7] = ["apikey", "key", "pass", "passcode", "pwd", "pw", "sas"];

/// What may be a credential among `args` and is not among those that Open-Science `found`.
pub(super) fn unseen(args: &[String], found: &[Hit]) -> Vec<Doubt> {
    if found.iter().any(|hit| hit.index.is_none()) {
        return Vec::new();
    }
    let is_found = |index: usize| found.iter().any(|hit| hit.index == Some(index));
    args.iter()
        .enumerate()
        // The value behind a flag that was found is that finding's.
        .filter(|&(index, _)| !(is_found(index) || index > 0 && is_found(index - 1)))
        .filter_map(|(index, argument)| Some(Doubt { index, because: doubt(args, index, argument)? }))
        .collect()
}

fn doubt(args: &[String], index: usize, argument: &str) -> Option<&'static str> {
    if TOKEN.is_match(argument) {
        return Some("the argument begins as the tokens of a well-known service do");
    }
    if let Some(variable) = variable(args, index)
        && sets_a_secret(variable)
    {
        return Some("the argument sets a variable whose name says that it is a secret");
    }
    let value_is_secret = |value: &str| !value.is_empty() && !is_placeholder(value) && !is_a_file(value);
    if let Some((name, value)) = flag(args, index)
        && SECRET_FLAGS.iter().any(|known| name.eq_ignore_ascii_case(known))
        && value_is_secret(value)
    {
        return Some("the flag takes a key or password");
    }
    let url = argument.split_once('=').map_or(argument, |(_, value)| value);
    let fragment = [argument, url].into_iter().find_map(|text| Address::parse(text)?.doubt());
    fragment.map(|_| "the argument is a URL with a secret in its fragment")
}

/// `NAME=value` behind a flag that sets a variable, in one argument or in two.
fn variable(args: &[String], index: usize) -> Option<&str> {
    let argument = &args[index];
    let before = index.checked_sub(1).map(|before| args[before].as_str());
    if before.is_some_and(|before| ENVIRONMENT_FLAGS.contains(&before)) {
        return Some(argument);
    }
    ENVIRONMENT_FLAGS.iter().find_map(|flag| {
        let rest = argument.strip_prefix(flag)?;
        rest.strip_prefix('=').or_else(|| (flag.len() == 2 && rest.contains('=')).then_some(rest))
    })
}

/// Whether `NAME=value` gives a variable with a telling name a value of its own.
fn sets_a_secret(assignment: &str) -> bool {
    let Some((name, value)) = assignment.split_once('=') else { return false };
    let upper = name.to_ascii_uppercase();
    let tells = upper.split(['_', '-']).any(|part| SECRET_PARTS.contains(&part));
    tells && !value.is_empty() && !is_placeholder(value)
}

/// The flag at `index`, without its dashes, and its value: behind `=` or `:`, or the next argument.
fn flag(args: &[String], index: usize) -> Option<(&str, &str)> {
    let argument = args[index].trim();
    let bare = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))?;
    match bare.find(['=', ':']) {
        Some(at) => Some((&bare[..at], &bare[at + 1..])),
        None => {
            let next = args.get(index + 1).map(String::as_str).filter(|next| !next.starts_with('-'));
            Some((bare, next.unwrap_or_default()))
        }
    }
}

/// Whether a value stands for one that is put in later: `${NAME}`, `$NAME`, `%NAME%`, `<name>`, `{{name}}`.
fn is_placeholder(value: &str) -> bool {
    let enclosed =
        |open: &str, close: &str| value.len() > 1 && value.starts_with(open) && value.ends_with(close);
    value.starts_with('$') || enclosed("<", ">") || enclosed("{{", "}}") || enclosed("%", "%")
}

/// Whether a value names a file rather than being what a file holds.
fn is_a_file(value: &str) -> bool {
    let endings = [".pem", ".key", ".crt", ".json", ".txt", ".env", ".toml", ".yaml", ".yml"];
    value.contains(['/', '\\']) || endings.iter().any(|ending| value.ends_with(ending))
}

/// Why what Open-Science refuses at `index` can hold no secret, where that is so.
pub(super) fn is_harmless(args: &[String], index: usize) -> Option<&'static str> {
    let argument = args[index].trim();
    if TOKEN.is_match(argument) {
        return None;
    }
    if arguments::is_secret_flag(argument) {
        let (name, value) = flag(args, index)?;
        let name = name.to_ascii_lowercase();
        if TOKEN.is_match(value) {
            return None;
        }
        return if name.starts_with("no-") || name.starts_with("no_") || name.starts_with("disable-") {
            Some("the flag switches something off")
        } else if is_placeholder(value) {
            Some("the value is put in later")
        } else if ["file", "path"].iter().any(|ending| name.ends_with(ending)) {
            Some("the flag names a file, and the secret is in there")
        } else if (name.ends_with("token") || name.ends_with("tokens"))
            && !value.is_empty()
            && value.len() < 10
            && value.bytes().all(|byte| byte.is_ascii_digit())
        {
            Some("the value is a number of tokens")
        } else if name == "user" && !value.is_empty() && !value.contains(':') {
            Some("the value is a user name without a password")
        } else {
            None
        };
    }
    let value = arguments::header(argument)?;
    let is_nothing = ["none", "null", "off", "false", "optional", "required"].contains(&value);
    (is_nothing || is_placeholder(value)).then_some("the header has no secret in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn doubts(texts: &[&str]) -> Vec<usize> {
        let args = args(texts);
        unseen(&args, &arguments::secrets(&args)).iter().map(|doubt| doubt.index).collect()
    }

    #[test]
    fn credentials_that_open_science_does_not_see_are_seen() {
        assert_eq!(doubts(&["run", "-e", "API_KEY=x", "image"]), [2]);
        assert_eq!(doubts(&["-eAPI_KEY=x"]), [0]);
        assert_eq!(doubts(&["--env=GITHUB_TOKEN=ghp_x"]), [0]);
        assert_eq!(doubts(&["ghp_abcdefghijklmnopqrstuvwxyz0123456789"]), [0]);
        assert_eq!(doubts(&["sk-ant-api03-xxxxxxxx"]), [0]);
        assert_eq!(doubts(&["--key", "x"]), [0]);
        assert_eq!(doubts(&["--pass=x"]), [0]);
        assert_eq!(doubts(&["https://e.test/#access_token=abc"]), [0]);
        assert_eq!(doubts(&["--at=https://e.test/#token=abc"]), [0]);
    }

    #[test]
    fn what_holds_no_secret_raises_no_doubt() {
        for harmless in [
            &["-e", "API_KEY", "image"][..],
            &["-e", "API_KEY=${API_KEY}"],
            &["-e", "MONKEY=1"],
            &["-e", "KEYBOARD=de"],
            &["--key", "./server.pem"],
            &["--key", "$KEY"],
            &["--passthrough", "x"],
            &["https://e.test/#install"],
            &["risk-analysis", "desk-lamp", "sk-learn"],
            &["-y", "@scope/mcp-server@1.2.3"],
        ] {
            assert!(doubts(harmless).is_empty(), "{harmless:?}");
        }
    }

    #[test]
    fn a_credential_is_told_once() {
        // Open-Science finds the flag; the value behind it is not found again.
        assert!(doubts(&["--token", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"]).is_empty());
        assert!(doubts(&["-u", "ghp_abcdefghijkl:x"]).is_empty());
    }

    #[test]
    fn what_open_science_refuses_without_need_is_said() {
        let harmless = |texts: &[&str]| is_harmless(&args(texts), 0).is_some();
        for texts in [
            &["--max-tokens", "100"][..],
            &["--tokens=5"],
            &["--user", "bob"],
            &["--no-auth-token"],
            &["--token-file", "x"],
            &["--token=${TOKEN}"],
            &["Signature: none"],
        ] {
            assert!(harmless(texts), "{texts:?}");
        }
        for texts in [
            &["--token", "x"][..],
            &["--token=1234567890123456"],
            &["--user", "bob:secret"],
            &["--user=ghp_abcdefghijkl"],
            &["--password", "12345"],
            &["Authorization: Bearer x"],
            &["--api-key"],
        ] {
            assert!(!harmless(texts), "{texts:?}");
        }
    }
}
