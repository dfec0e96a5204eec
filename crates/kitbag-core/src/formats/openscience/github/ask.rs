//! What GitHub is asked, what its answers may be, and what is wrong with those that are none (§6). Nothing here talks to
//! anybody: whoever does hands in what came back.

use std::fmt;

use url::{Host, Url};

use crate::limits::Bytes;

use super::super::bundle::Reason;
use super::super::skill::{DEPTH, FILE_BYTES, FILES, TOTAL_BYTES};

/// Most requests of one import.
pub const REQUESTS: u64 = 512;
/// Most bytes of an answer that lists something. A folder is listed up to a thousand entries, a whole repository up to
/// 7 MiB.
pub const LISTING_BYTES: u64 = 8 << 20;
/// Most times that one question is sent elsewhere.
const REDIRECTS: u32 = 3;

/// Where GitHub's own API is.
pub const API: &str = "https://api.github.com";
/// Where it sends those who want a file.
const RAW_HOST: &str = "raw.githubusercontent.com";

/// One thing to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Where.
    pub url: Url,
    /// What about, for people: `GitHub API request for p`.
    pub context: String,
    /// Most bytes that the answer may have.
    pub most: u64,
    sent: u32,
}

/// What stands before the body of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// Bytes that the body is said to have.
    pub length: Option<u64>,
    /// Where the answer is said to be instead.
    pub location: Option<String>,
    /// `x-ratelimit-remaining`.
    pub remaining: Option<String>,
    /// `retry-after`.
    pub retry_after: Option<String>,
}

/// What to do with an answer, judged by its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Read the body, up to what the question allows.
    Read,
    /// Ask this instead.
    Ask(Question),
}

/// How many requests an import may still make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests(u64);

impl Default for Requests {
    fn default() -> Self {
        Self(REQUESTS)
    }
}

impl Requests {
    /// Pays for one.
    ///
    /// # Errors
    /// [`Trouble::Requests`] when there is none left.
    pub fn spend(&mut self) -> Result<(), Trouble> {
        self.0 = self.0.checked_sub(1).ok_or(Trouble::Requests)?;
        Ok(())
    }
}

/// Why nothing is imported from GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// There is no SKILL.md in the folder.
    NoSkill,
    /// Folders nest too deeply.
    Depth,
    /// The Skill has too many files.
    Files,
    /// All requests are spent.
    Requests,
    /// A file is too long.
    FileBytes(String),
    /// A file is too much together with those before it.
    TotalBytes(String),
    /// The question was answered with a status that is no answer.
    Status {
        /// What was asked.
        context: String,
        /// The status.
        status: u16,
    },
    /// The question is not allowed.
    Forbidden {
        /// What was asked.
        context: String,
    },
    /// Too many questions were asked by whoever asks.
    Limited,
    /// The answer is not what the API says.
    Unreadable {
        /// What was asked.
        context: String,
        /// What is wrong with it.
        because: &'static str,
    },
    /// The question is sent from place to place, or to a place that is not asked.
    Redirected {
        /// What was asked.
        context: String,
    },
    /// A repository has more files than its list holds.
    Truncated,
    /// A branch, tag or commit leads nowhere.
    NoCommit,
}

impl Trouble {
    /// The reason why the Skill is not imported, where this says something about the Skill and not about the network.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::NoSkill => Some(Reason::NoSkill),
            Self::Depth => Some(Reason::Incomplete(Box::new(Reason::Depth))),
            Self::Files => Some(Reason::SkillFiles),
            Self::Requests => Some(Reason::Requests),
            Self::FileBytes(_) => Some(Reason::SkillFile),
            Self::TotalBytes(_) => Some(Reason::SkillBytes),
            _ => None,
        }
    }

    /// The sentence by which Open-Science says it; for what it does not say, our own.
    #[must_use]
    pub fn upstream(&self) -> String {
        match self {
            Self::NoSkill => "No SKILL.md found at the linked location.".to_owned(),
            Self::Depth => format!("Skill directory nesting exceeds {DEPTH} levels."),
            Self::Files => format!("Skill has too many files (limit {FILES})."),
            Self::Requests => format!("Skill import exceeded {REQUESTS} requests."),
            Self::FileBytes(file) => format!("File {file} exceeds the {FILE_BYTES}-byte per-file limit."),
            Self::TotalBytes(file) => format!("File {file} exceeds the {TOTAL_BYTES}-byte total limit."),
            Self::Status { context, status } => format!("{context} failed ({status})."),
            Self::Forbidden { context } => format!(
                "{context} was forbidden (403). Check repository access and token permissions, then try again."
            ),
            Self::Limited => "GitHub request was rate-limited. Configure or update the GitHub token on this page, then try again.".to_owned(),
            Self::Truncated => "This repository is too large to scan completely. Paste a link to the Skill folder instead.".to_owned(),
            Self::NoCommit => "GitHub did not return a commit SHA for that ref.".to_owned(),
            Self::Unreadable { .. } | Self::Redirected { .. } => self.to_string(),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSkill => f.write_str("there is no SKILL.md in the folder"),
            Self::Depth => write!(f, "folders nest more than {DEPTH} deep"),
            Self::Files => write!(f, "there are more than {FILES} files"),
            Self::Requests => {
                write!(f, "it would take more than {REQUESTS} requests: one for each file and folder")
            }
            Self::FileBytes(file) => write!(f, "`{file}` has more than {}", Bytes(FILE_BYTES)),
            Self::TotalBytes(file) => {
                write!(f, "with `{file}`, the files have more than {} in all", Bytes(TOTAL_BYTES))
            }
            Self::Status { context, status } => write!(f, "{context} was answered with status {status}"),
            Self::Forbidden { context } => write!(f, "{context} is forbidden (403)"),
            Self::Limited => {
                f.write_str("GitHub answers no more questions for now: the limit of requests is reached")
            }
            Self::Unreadable { context, because } => {
                write!(f, "the answer to {context} cannot be read: {because}")
            }
            Self::Redirected { context } => {
                write!(f, "{context} is sent from place to place, or to one that is not asked")
            }
            Self::Truncated => f.write_str("the repository is too large to be listed; name a folder of it"),
            Self::NoCommit => f.write_str("the branch, tag or commit leads to no commit"),
        }
    }
}

impl std::error::Error for Trouble {}

impl Question {
    pub(super) fn new(url: Url, context: impl Into<String>, most: u64) -> Self {
        Self { url, context: context.into(), most, sent: 0 }
    }

    /// What an answer with this head is: one to be read, or one that lies elsewhere.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn react(&self, head: &Head) -> Result<Reaction, Trouble> {
        let context = || self.context.clone();
        match head.status {
            200 => Ok(Reaction::Read),
            301 | 302 | 303 | 307 | 308 => {
                let refuse = || Trouble::Redirected { context: context() };
                let location = head.location.as_deref().ok_or_else(refuse)?;
                let url = self.url.join(location).map_err(|_| refuse())?;
                // Never from a safe place to one that is none.
                let is_safe = url.scheme() == "https"
                    || (url.scheme() == self.url.scheme() && url.host() == self.url.host());
                if self.sent >= REDIRECTS || !is_safe {
                    return Err(refuse());
                }
                Ok(Reaction::Ask(Self { url, sent: self.sent + 1, ..self.clone() }))
            }
            429 => Err(Trouble::Limited),
            403 if head.remaining.as_deref() == Some("0") || head.retry_after.is_some() => {
                Err(Trouble::Limited)
            }
            403 => Err(Trouble::Forbidden { context: context() }),
            status => Err(Trouble::Status { context: context(), status }),
        }
    }
}

/// Whether a request to `url` may carry the token that is meant for the API at `api`: that API itself, and for GitHub's own
/// the place of its files. Never another host, and never without encryption but to this machine.
#[must_use]
pub fn may_have_token(url: &Url, api: &Url) -> bool {
    let is_private = url.scheme() == "https" || is_loopback(url);
    let is_api = url.origin() == api.origin();
    let is_raw = api.host_str() == Some("api.github.com")
        && url.scheme() == "https"
        && url.host_str() == Some(RAW_HOST)
        && url.port().is_none();
    is_private && (is_api || is_raw)
}

/// Whether a URL leads to this machine, by address.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) | None => false,
    }
}

/// A URL of the API, with each segment escaped.
pub(super) fn below(api: &Url, segments: &[&str], query: &[(&str, &str)]) -> Option<Url> {
    let mut url = api.clone();
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    for (name, value) in query {
        url.query_pairs_mut().append_pair(name, value);
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_token_goes_to_its_own_hosts_and_nowhere_else() {
        let api = url(API);
        for good in ["https://api.github.com/repos/a/b", "https://raw.githubusercontent.com/a/b/main/x"] {
            assert!(may_have_token(&url(good), &api), "{good}");
        }
        for bad in [
            "http://api.github.com/repos/a/b",
            "https://api.github.com:8443/repos",
            "https://raw.githubusercontent.com:444/a",
            "http://raw.githubusercontent.com/a",
            "https://api.github.com.example.test/",
            "https://example.test/api.github.com",
            "https://objects.githubusercontent.com/x",
            "https://github.com/a/b",
        ] {
            assert!(!may_have_token(&url(bad), &api), "{bad}");
        }
        let own = url("http://127.0.0.1:7777/api/v3");
        assert!(may_have_token(&url("http://127.0.0.1:7777/api/v3/repos"), &own));
        assert!(!may_have_token(&url("http://127.0.0.1:7778/x"), &own));
        assert!(!may_have_token(&url("https://raw.githubusercontent.com/x"), &own));
    }

    #[test]
    fn a_redirect_is_followed_to_safe_places_and_not_for_ever() {
        let ask = |from: &str| Question::new(url(from), "it", 10);
        let sent = |from: &Question, to: &str| {
            from.react(&Head { status: 302, location: Some(to.to_owned()), ..Head::default() })
        };
        let question = ask("https://api.github.com/a");
        let Ok(Reaction::Ask(next)) = sent(&question, "/b") else { panic!("not followed") };
        assert_eq!(next.url.as_str(), "https://api.github.com/b");
        let refused = Err(Trouble::Redirected { context: "it".into() });
        for bad in
            ["http://api.github.com/b", "http://127.0.0.1/", "ftp://x/", "http://[", "file:///etc/passwd"]
        {
            assert_eq!(sent(&question, bad), refused, "{bad}");
        }
        assert_eq!(question.react(&Head { status: 302, ..Head::default() }), refused);
        let mut question = ask("https://api.github.com/a");
        for _ in 0..REDIRECTS {
            let Ok(Reaction::Ask(next)) = sent(&question, "/again") else { panic!("not followed") };
            question = next;
        }
        assert_eq!(sent(&question, "/again"), refused);
    }
}
