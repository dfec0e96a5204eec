//! One pinned content over HTTPS: what is asked of a server, and what its answer means. Bytes, files and connections are
//! somebody else's; whoever has them asks what a [`Question`] says and does what its [`Reaction`] says.
//!
//! A content is pinned by length and digest, so where a part comes from decides nothing: whatever was put together from
//! several answers is compared as a whole. What is decided here is who may be asked, and who may be told a secret.

use std::fmt;

use url::Url;

use crate::digest::Sha256;

/// The most times that an answer may say that the content is elsewhere.
const REDIRECTS_AT_MOST: u8 = 5;
/// The longest tag that is kept.
const TAG_BYTES: usize = 256;

/// What a content must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pin {
    /// Its digest.
    pub sha256: Sha256,
    /// Its length in bytes.
    pub size: u64,
}

/// What is asked of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Where.
    pub url: Url,
    /// What is here already, when only the rest is wanted.
    pub held: Option<Held>,
    redirects: u8,
    secrets: Secrets,
}

/// The beginning of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// How many bytes are here; more than none, and not all.
    pub bytes: u64,
    /// The strong tag under which this address gave them.
    pub tag: Option<String>,
}

/// Whether a question may carry what was given for the first address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrets {
    Told,
    /// The question has gone to somebody else, and never carries them again.
    Kept,
}

/// What stands before the bytes of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The status.
    pub status: u16,
    /// How many bytes follow.
    pub length: Option<u64>,
    /// Where the content is instead.
    pub location: Option<&'a str>,
    /// The header `etag`.
    pub tag: Option<&'a str>,
    /// The header `content-range`.
    pub range: Option<&'a str>,
    /// The header `content-encoding`.
    pub encoding: Option<&'a str>,
}

/// What to do with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It is the content from its first byte; what was held is worth nothing. With its strong tag, if it has one.
    Whole(Option<String>),
    /// It continues what is held.
    Rest,
    /// Ask this instead.
    Ask(Question),
}

/// Why an answer is worth nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The address is none that is asked.
    Address,
    /// The answer leads elsewhere, and is not followed there.
    Redirected(&'static str),
    /// The server wants to know who asks, or does not give it to this one.
    Denied(u16),
    /// The server does not have it.
    Missing(u16),
    /// Any other status.
    Status(u16),
    /// The bytes are packed in a way that was not asked for.
    Encoded,
    /// The answer has another length than what is pinned.
    Length {
        /// How many bytes it has.
        has: u64,
        /// How many are wanted.
        wanted: u64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str("the address is no plain https address"),
            Self::Redirected(because) => write!(f, "it leads elsewhere, {because}"),
            Self::Denied(status) => write!(f, "it is not given to us (status {status})"),
            Self::Missing(status) => write!(f, "it is not there (status {status})"),
            Self::Status(status) => write!(f, "the server answers with status {status}"),
            Self::Encoded => f.write_str("it comes in an encoding that nobody asked for"),
            Self::Length { has, wanted } => write!(f, "it has {has} bytes, and {wanted} are pinned"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Question {
    /// Asks `url` for all of a content.
    ///
    /// # Errors
    /// [`Refusal::Address`] for what is not asked: no https, no host, or somebody's name in it.
    pub fn new(url: Url) -> Result<Self, Refusal> {
        if !is_asked(&url) {
            return Err(Refusal::Address);
        }
        Ok(Self { url, held: None, redirects: 0, secrets: Secrets::Told })
    }

    /// Asks for the rest only.
    #[must_use]
    pub fn holding(self, held: Held) -> Self {
        Self { held: Some(held), ..self }
    }

    /// Whether it may carry the headers that were given for the first address.
    #[must_use]
    pub fn may_tell_secrets(&self) -> bool {
        self.secrets == Secrets::Told
    }

    /// What an answer to this means for a content of `size` bytes.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn react(&self, size: u64, answer: &Answer<'_>) -> Result<Reaction, Refusal> {
        match answer.status {
            200 => {
                encoded(answer)?;
                lengthy(answer, size)?;
                Ok(Reaction::Whole(answer.tag.and_then(strong)))
            }
            206 => {
                let Some(held) = &self.held else { return Err(Refusal::Status(206)) };
                if answer.range.and_then(content_range) != Some((held.bytes, size)) {
                    return Ok(Reaction::Ask(self.whole()));
                }
                encoded(answer)?;
                lengthy(answer, size - held.bytes)?;
                Ok(Reaction::Rest)
            }
            // There is nothing where we would continue, so it is something else there.
            416 if self.held.is_some() => Ok(Reaction::Ask(self.whole())),
            301 | 302 | 303 | 307 | 308 => self.elsewhere(answer.location).map(Reaction::Ask),
            status @ (401 | 402 | 403 | 407) => Err(Refusal::Denied(status)),
            status @ (404 | 410) => Err(Refusal::Missing(status)),
            status => Err(Refusal::Status(status)),
        }
    }

    fn whole(&self) -> Self {
        Self { held: None, ..self.clone() }
    }

    fn elsewhere(&self, location: Option<&str>) -> Result<Self, Refusal> {
        let location = location.ok_or(Refusal::Redirected("and does not say where"))?;
        let url = self.url.join(location).map_err(|_| Refusal::Redirected("and where to is no address"))?;
        if !is_asked(&url) {
            return Err(Refusal::Redirected("to what is no plain https address"));
        }
        if self.redirects >= REDIRECTS_AT_MOST {
            return Err(Refusal::Redirected("again and again"));
        }
        let is_same = url.origin() == self.url.origin();
        let secrets = if is_same { self.secrets } else { Secrets::Kept };
        Ok(Self { url, held: self.held.clone(), redirects: self.redirects + 1, secrets })
    }
}

fn is_asked(url: &Url) -> bool {
    url.scheme() == "https" && url.has_host() && url.username().is_empty() && url.password().is_none()
}

fn encoded(answer: &Answer<'_>) -> Result<(), Refusal> {
    match answer.encoding {
        None => Ok(()),
        Some(encoding) if encoding.trim().eq_ignore_ascii_case("identity") => Ok(()),
        Some(_) => Err(Refusal::Encoded),
    }
}

fn lengthy(answer: &Answer<'_>, wanted: u64) -> Result<(), Refusal> {
    match answer.length {
        Some(has) if has != wanted => Err(Refusal::Length { has, wanted }),
        _ => Ok(()),
    }
}

/// A tag that stands for the same bytes each time.
fn strong(tag: &str) -> Option<String> {
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = inner.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x7e));
    (is_plain && tag.len() <= TAG_BYTES).then(|| tag.to_owned())
}

/// The first byte of a part that goes to the end of its content, and that content's length. Where the length is not told, it
/// is where the part ends.
fn content_range(text: &str) -> Option<(u64, u64)> {
    let (part, all) = text.trim().strip_prefix("bytes ")?.trim().split_once('/')?;
    let (from, last) = part.split_once('-')?;
    let number = |text: &str| -> Option<u64> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    let (from, end) = (number(from)?, number(last)?.checked_add(1)?);
    let all = if all == "*" { end } else { number(all)? };
    (from < end && end == all).then_some((from, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 100;

    fn question() -> Question {
        Question::new(Url::parse("https://a.example/x/maps?v=1").unwrap()).unwrap()
    }

    fn resuming() -> Question {
        question().holding(Held { bytes: 40, tag: None })
    }

    fn part(range: &str) -> Result<Reaction, Refusal> {
        resuming().react(SIZE, &Answer { status: 206, range: Some(range), ..Answer::default() })
    }

    fn redirect(question: &Question, to: &str) -> Result<Question, Refusal> {
        let answer = Answer { status: 302, location: Some(to), ..Answer::default() };
        match question.react(SIZE, &answer)? {
            Reaction::Ask(next) => Ok(next),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_plain_https_is_asked() {
        for bad in
            ["http://a.example/x", "ftp://a.example/x", "https://u@a.example/", "https://:p@a.example/"]
        {
            assert_eq!(Question::new(Url::parse(bad).unwrap()), Err(Refusal::Address), "{bad}");
        }
        assert!(question().may_tell_secrets());
    }

    #[test]
    fn a_whole_answer_is_one_of_the_right_length_and_as_it_is() {
        let whole = |length, encoding| {
            question().react(SIZE, &Answer { status: 200, length, encoding, ..Answer::default() })
        };
        assert_eq!(whole(Some(100), None), Ok(Reaction::Whole(None)));
        assert_eq!(whole(None, Some("identity")), Ok(Reaction::Whole(None)));
        assert_eq!(whole(Some(101), None), Err(Refusal::Length { has: 101, wanted: 100 }));
        assert_eq!(whole(Some(99), None), Err(Refusal::Length { has: 99, wanted: 100 }));
        assert_eq!(whole(Some(100), Some("gzip")), Err(Refusal::Encoded));
    }

    #[test]
    fn a_tag_is_kept_when_it_is_strong() {
        let tag = |tag| match question().react(SIZE, &Answer { status: 200, tag, ..Answer::default() }) {
            Ok(Reaction::Whole(tag)) => tag,
            other => panic!("{other:?}"),
        };
        assert_eq!(tag(Some("\"abc\"")).as_deref(), Some("\"abc\""));
        let long = format!("\"{}\"", "x".repeat(300));
        for weak in
            [None, Some("W/\"abc\""), Some("abc"), Some("\""), Some("\"a\"b\""), Some("\"a b\""), Some(&long)]
        {
            assert_eq!(tag(weak), None, "{weak:?}");
        }
    }

    #[test]
    fn a_part_continues_what_is_held_or_all_is_asked_for() {
        assert_eq!(part("bytes 40-99/100"), Ok(Reaction::Rest));
        assert_eq!(part("bytes 40-99/*"), Ok(Reaction::Rest));
        for other in [
            "bytes 0-99/100",
            "bytes 41-99/100",
            "bytes 40-98/100",
            "bytes 40-98/*",
            "bytes 40-99/101",
            "bytes 40-18446744073709551615/100",
            "bytes 99-40/100",
            "bytes */100",
            "items 40-99/100",
            "bytes +40-99/100",
            "",
        ] {
            assert_eq!(part(other), Ok(Reaction::Ask(question())), "{other}");
        }
        let none = resuming().react(SIZE, &Answer { status: 206, ..Answer::default() });
        assert_eq!(none, Ok(Reaction::Ask(question())));
        let gone = resuming().react(SIZE, &Answer { status: 416, ..Answer::default() });
        assert_eq!(gone, Ok(Reaction::Ask(question())));
        // Whoever ignores what was asked sends all of it.
        let all = resuming().react(SIZE, &Answer { status: 200, length: Some(100), ..Answer::default() });
        assert_eq!(all, Ok(Reaction::Whole(None)));
        // Nobody asked for a part.
        for status in [206, 416] {
            let answer = Answer { status, range: Some("bytes 40-99/100"), ..Answer::default() };
            assert_eq!(question().react(SIZE, &answer), Err(Refusal::Status(status)));
        }
    }

    #[test]
    fn secrets_stay_with_the_host_they_were_given_for() {
        let same = redirect(&question(), "/y").unwrap();
        assert!(same.may_tell_secrets());
        assert_eq!(same.url.as_str(), "https://a.example/y");
        for other in ["https://b.example/y", "https://a.example:8443/y", "//b.example/y"] {
            let away = redirect(&question(), other).unwrap();
            assert!(!away.may_tell_secrets(), "{other}");
            let back = redirect(&away, "https://a.example/x").unwrap();
            assert!(!back.may_tell_secrets(), "{other}");
        }
    }

    #[test]
    fn redirects_have_an_end_and_never_lead_out_of_https() {
        let mut question = resuming();
        for _ in 0..REDIRECTS_AT_MOST {
            question = redirect(&question, "again").unwrap();
            assert_eq!(question.held, resuming().held, "what is held is held");
        }
        assert_eq!(redirect(&question, "again"), Err(Refusal::Redirected("again and again")));
        for bad in ["http://a.example/x", "https://u:p@a.example/", "https://", "file:///etc/passwd"] {
            assert!(matches!(redirect(&resuming(), bad), Err(Refusal::Redirected(_))), "{bad}");
        }
        let nowhere = resuming().react(SIZE, &Answer { status: 302, ..Answer::default() });
        assert!(matches!(nowhere, Err(Refusal::Redirected(_))));
    }

    #[test]
    fn what_is_no_content_says_why() {
        let status = |status| question().react(SIZE, &Answer { status, ..Answer::default() });
        assert_eq!(status(403), Err(Refusal::Denied(403)));
        assert_eq!(status(404), Err(Refusal::Missing(404)));
        for other in [100, 204, 304, 418, 500, 503] {
            assert_eq!(status(other), Err(Refusal::Status(other)));
        }
    }
}
