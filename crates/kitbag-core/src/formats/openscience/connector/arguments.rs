//! Credentials in arguments, as Open-Science finds them (§4.3): each argument by itself, then, where none was found, all of
//! them together. What it misses and what it takes for a secret and is none is [`doubts`](super::doubts)' to say.

use std::sync::LazyLock;

use regex::Regex;

use super::super::words;
use super::address;

/// An argument that Open-Science takes for a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Which; `None` for several together.
    pub(super) index: Option<usize>,
    /// What gave it away. The value is never told.
    pub(super) because: &'static str,
}

/// A JSON web token, alone or behind `=`, `:` or a blank.
static WEB_TOKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:^|[=:\s])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:$|\s)"));

/// `Bearer` and more.
static BEARER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^bearer\s"));

/// A flag whose name ends in what names a secret, in lower case.
static FLAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^--?(?:[a-z0-9]+[-_])*(?:access[-_]?(?:key|token)|api[-_]?(?:key|token)",
        r"|auth(?:entication)?[-_]?(?:key|token)|authorization|bearer(?:[-_]?token)?|client[-_]?secret|cookie",
        r"|credentials?|passphrase|passwd|password|pat|private[-_]?key|refresh[-_]?token",
        r"|secret(?:[-_]?access[-_]?key)?|security[-_]?token|session[-_]?token|tokens?|user)",
        r"(?:[-_]?(?:file|path))?(?:[=:]|$)",
    ))
});

/// curl's user.
static CURL_USER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^-[uU](?:[=:]|[^-]*:)"));

/// What stands before a header: curl's flags.
static HEADER_FLAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:--header(?:=|\s)|-H=?)\s*"));

/// The name of a header that carries a credential, in lower case.
static HEADER_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:^|[-_])(?:auth|authentication|authorization|bearer|cookie|credentials?|passphrase|passwd|password|pat",
        r"|secret|signature|token|(?:access|api|client|private|refresh|security|session)[-_]?(?:key|secret|token))",
        r"(?:$|[-_])",
    ))
});

/// A drive or a URL, where a colon separates no user from a password.
static NO_USER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:[A-Za-z]:[\\/]|[A-Za-z][A-Za-z0-9+.-]*://)"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is constant and was compiled in tests")
}

/// What Open-Science takes for credentials among `args`.
pub(super) fn secrets(args: &[String]) -> Vec<Hit> {
    let alone: Vec<Hit> = args
        .iter()
        .enumerate()
        .filter_map(|(index, argument)| Some(Hit { index: Some(index), because: secret(argument)? }))
        .collect();
    if alone.is_empty() { together(args).into_iter().collect() } else { alone }
}

/// Why Open-Science takes one argument for a credential.
fn secret(argument: &str) -> Option<&'static str> {
    let argument = words::trim(argument);
    let lower = argument.to_ascii_lowercase();
    if WEB_TOKEN.is_match(argument) {
        Some("the argument is a JSON web token")
    } else if BEARER.is_match(&lower) {
        Some("the argument is a bearer token")
    } else if is_secret_flag(argument) {
        Some("the name of the flag says that its value is a secret")
    } else if CURL_USER.is_match(argument) {
        Some("the argument is a user and password as curl takes them")
    } else if is_secret_header(argument) {
        Some("the argument is a header that carries a credential")
    } else if address::has_credential(argument)
        || argument.split_once('=').is_some_and(|(_, value)| address::has_credential(value))
    {
        Some("the argument is a URL with a credential in it")
    } else {
        None
    }
}

/// Whether an argument is a flag whose name says that its value is a secret.
pub(super) fn is_secret_flag(argument: &str) -> bool {
    FLAG.is_match(&argument.to_ascii_lowercase())
}

/// Whether an argument is a header that carries a credential, with a value.
pub(super) fn is_secret_header(argument: &str) -> bool {
    header(argument).is_some()
}

/// The value of the header that an argument is, where it carries a credential.
pub(super) fn header(argument: &str) -> Option<&str> {
    let line = match HEADER_FLAG.find(argument) {
        Some(flag) => &argument[flag.end()..],
        None => argument,
    };
    let (name, value) = line.split_once(':')?;
    let name = words::trim(name).to_ascii_lowercase();
    (!name.is_empty() && !words::is_blank(value) && HEADER_NAME.is_match(&name)).then(|| words::trim(value))
}

/// What only shows when arguments are read together: at most one.
fn together(args: &[String]) -> Option<Hit> {
    for (index, argument) in args.iter().enumerate() {
        let after = &args[index + 1..];
        if matches!(argument.as_str(), "-u" | "-U") && after.first().is_some_and(|next| is_user(next)) {
            return Some(Hit { index: None, because: "a user and password follow `-u`, as curl takes them" });
        }
        let is_header =
            argument == "--header" || argument.starts_with("--header=") || argument.starts_with("-H");
        if is_header && !after.is_empty() {
            // The name decides, and it is over at the first colon: no more than the joined text up to a value is needed.
            let joined =
                std::iter::once(argument).chain(after).map(String::as_str).collect::<Vec<_>>().join(" ");
            if is_secret_header(&joined) {
                return Some(Hit {
                    index: None,
                    because: "arguments together are a header that carries a credential",
                });
            }
        }
    }
    None
}

/// `name:password`, and neither a drive nor a URL.
fn is_user(text: &str) -> bool {
    let text = words::trim(text);
    text.contains(':') && text.len() > 1 && !NO_USER.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(args: &[&str]) -> Vec<Option<usize>> {
        let args: Vec<String> = args.iter().map(|&argument| argument.to_owned()).collect();
        secrets(&args).iter().map(|hit| hit.index).collect()
    }

    #[test]
    fn an_argument_is_judged_by_itself_first() {
        assert_eq!(hits(&["--my_api_key", "x", "--token=y"]), [Some(0), Some(2)]);
        assert_eq!(hits(&["a", "Bearer x"]), [Some(1)]);
        assert_eq!(hits(&["x=eyJa.b.c"]), [Some(0)]);
        assert_eq!(hits(&["--secret-access-key=x"]), [Some(0)]);
        assert_eq!(hits(&["--token-file", "x"]), [Some(0)]);
        assert_eq!(hits(&["-ur:s"]), [Some(0)]);
        assert_eq!(hits(&["--endpoint=https://u:p@e.test/"]), [Some(0)]);
        assert!(hits(&["--username", "bob", "--tokenizer", "x", "--user-data-dir=x"]).is_empty());
        assert!(hits(&["-y", "https://e.test/?q=1", "", "C:\\x", "a: b"]).is_empty());
    }

    #[test]
    fn arguments_are_read_together_where_none_gave_itself_away() {
        assert_eq!(hits(&["-u", "r:s"]), [None]);
        assert_eq!(hits(&["--header", "Authorization:", "x"]), [None]);
        assert_eq!(hits(&["-H=X-Auth:", "x"]), [None]);
        assert!(hits(&["-u", "C:\\x"]).is_empty());
        assert!(hits(&["-u", "https://e.test"]).is_empty());
        assert!(hits(&["--header", "Idempotency-Key: o"]).is_empty());
        assert!(hits(&["-u"]).is_empty());
    }
}
