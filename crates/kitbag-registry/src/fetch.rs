//! [`Fetch`]: one question to one address, one answer, and never more bytes than asked for. Nothing is followed: where an
//! answer lies elsewhere, whoever asked decides.

use std::fmt;
use std::io::{self, Read};

use kitbag_core::formats::openscience::github::Head;
use url::Url;

/// A secret that says who asks. It is shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token `text`, without what stands around it; `None` where no header could carry it.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Self(text.to_owned()))
    }

    #[cfg(feature = "https")]
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A header of a question whose value is a secret. It is shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretHeader {
    name: String,
    value: String,
}

/// Headers that say how a message is framed, or that are the client's own: nobody else sets them.
const RESERVED: [&str; 14] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "if-range",
    "proxy-authorization",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

impl SecretHeader {
    /// The header `name` with `value`, without what stands around it; `None` where no question could carry it.
    #[must_use]
    pub fn new(name: &str, value: &str) -> Option<Self> {
        let (name, value) = (name.to_ascii_lowercase(), value.trim());
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
            && !RESERVED.contains(&name.as_str());
        let is_value = !value.is_empty() && value.bytes().all(|byte| matches!(byte, 0x20..=0x7e));
        (is_name && is_value).then(|| Self { name, value: value.to_owned() })
    }

    /// Its name, which is no secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg(feature = "https")]
    pub(crate) fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for SecretHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretHeader({}: …)", self.name)
    }
}

/// Where an answer is to begin, because what is before that is here already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume<'r> {
    /// The first byte that is wanted.
    pub from: u64,
    /// The strong tag of what is here: whoever has something else by now sends all of it.
    pub tag: Option<&'r str>,
}

/// One question.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// Where.
    pub url: &'r Url,
    /// The media type that is wanted.
    pub accept: &'static str,
    /// Who asks, where that may be told.
    pub token: Option<&'r Token>,
    /// What else says so.
    pub secrets: &'r [SecretHeader],
    /// The part that is wanted, when not all of it is.
    pub resume: Option<Resume<'r>>,
    /// Most bytes of the answer.
    pub most: u64,
}

/// What an answer says about which part it is, and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The header `etag`.
    pub tag: Option<String>,
    /// The header `content-range`.
    pub range: Option<String>,
    /// The header `content-encoding`.
    pub encoding: Option<String>,
}

/// One answer.
pub struct Response {
    /// What stands before it.
    pub head: Head,
    /// What stands there about which part it is, and of what.
    pub part: Part,
    /// The rest. Reading more than was asked for is an error that [`is_too_long`] knows.
    pub body: Box<dyn Read + Send>,
}

impl Response {
    /// An answer whose body is cut at `most` bytes.
    #[must_use]
    pub fn new(head: Head, body: Box<dyn Read + Send>, most: u64) -> Self {
        Self { head, part: Part::default(), body: Box::new(Bounded { body, left: most }) }
    }

    /// The same answer, which says this about itself.
    #[must_use]
    pub fn with_part(self, part: Part) -> Self {
        Self { part, ..self }
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").field("head", &self.head).finish_non_exhaustive()
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchError {
    /// The address is none that is asked: no encryption, no host.
    Insecure {
        /// The address, without what may be secret in it.
        url: String,
    },
    /// Nobody answered, or not in time, or not as themselves.
    Failed {
        /// The host.
        host: String,
        /// Why.
        because: String,
    },
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insecure { url } => write!(f, "`{url}` is not asked: only https is"),
            Self::Failed { host, because } => write!(f, "no answer from `{host}`: {because}"),
        }
    }
}

impl std::error::Error for FetchError {}

/// Whoever asks the network.
pub trait Fetch {
    /// Asks `request` and gives what came back, whatever its status.
    ///
    /// # Errors
    /// [`FetchError`] when nothing did.
    fn get(&self, request: &Request<'_>) -> Result<Response, FetchError>;
}

/// A body that may have so many bytes and no more.
struct Bounded {
    body: Box<dyn Read + Send>,
    left: u64,
}

/// The error of reading too much.
#[derive(Debug)]
struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer has more bytes than were asked for")
    }
}

impl std::error::Error for TooLong {}

/// Whether an error says that an answer had too many bytes.
#[must_use]
pub fn is_too_long(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<TooLong>)
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.body.read(into)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| io::Error::other(TooLong))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: usize, most: u64) -> io::Result<u64> {
        let body = Box::new(io::repeat(b'x').take(bytes as u64));
        io::copy(&mut Response::new(Head::default(), body, most).body, &mut io::sink())
    }

    #[test]
    fn a_body_has_as_many_bytes_as_were_asked_for_and_no_more() {
        assert_eq!(read(10, 10).unwrap(), 10);
        assert!(is_too_long(&read(11, 10).unwrap_err()));
        assert!(!is_too_long(&io::Error::other("something else")));
    }

    #[test]
    fn a_secret_header_is_shown_to_nobody_and_frames_nothing() {
        let header = SecretHeader::new("X-Grant", " test-only ").unwrap();
        assert_eq!((header.name(), format!("{header:?}").as_str()), ("x-grant", "SecretHeader(x-grant: …)"));
        assert!(SecretHeader::new("Authorization", "Bearer test only").is_some());
        let bad = [
            ("", "x"),
            ("a b", "x"),
            ("a", ""),
            ("a", "x\r\ny: z"),
            ("a", "ü"),
            ("Host", "x"),
            ("Range", "x"),
            ("Content-Length", "1"),
        ];
        for (name, value) in bad {
            assert_eq!(SecretHeader::new(name, value), None, "{name:?}: {value:?}");
        }
    }

    #[test]
    fn a_token_is_shown_to_nobody_and_is_one_word() {
        let token = Token::new(" test-only \n").unwrap();
        assert_eq!(format!("{token:?}"), "Token(…)");
        for bad in ["", " ", "a b", "a\r\nX-Evil: 1", "ü"] {
            assert_eq!(Token::new(bad), None, "{bad:?}");
        }
    }
}
