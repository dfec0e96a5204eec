//! [`Client`]: asks GitHub for Skills, one question after the other, as `kitbag_core::formats::openscience::github` says, and
//! never more than it allows.

use std::fmt;
use std::io::{self, Read};

use kitbag_core::archive::Spool;
use kitbag_core::formats::openscience::bundle::Preview;
use kitbag_core::formats::openscience::github::{
    API, Download, Place, Question, Reaction, Requests, Scan, Step, Trouble, may_have_token,
};
use kitbag_core::limits::{self, ReadError};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Executable};
use url::Url;

use crate::fetch::{Fetch, FetchError, Request, Response, Token, is_too_long};

/// What the API speaks.
const JSON: &str = "application/vnd.github+json";
/// A file, as it is.
const BYTES: &str = "application/octet-stream";

/// Asks GitHub, or a server that answers as GitHub does.
pub struct Client<'f> {
    fetch: &'f dyn Fetch,
    api: Url,
    token: Option<Token>,
}

impl fmt::Debug for Client<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("api", &self.api.as_str())
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

/// Why nothing came from GitHub.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The answers are not such that something could be imported.
    Trouble(Trouble),
    /// There was no answer.
    Fetch(FetchError),
    /// An answer broke off, or could not be kept.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trouble(trouble) => trouble.fmt(f),
            Self::Fetch(error) => error.fmt(f),
            Self::Io(error) => write!(f, "an answer broke off: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<FetchError> for Error {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<'f> Client<'f> {
    /// Someone who asks at `api`, or where GitHub's own is. The token goes there and to the place of GitHub's files, and
    /// nowhere else.
    #[must_use]
    pub fn new(fetch: &'f dyn Fetch, api: Option<Url>, token: Option<Token>) -> Self {
        let own = || Url::parse(API).unwrap_or_else(|_| unreachable!("a constant is an address"));
        Self { fetch, api: api.unwrap_or_else(own), token }
    }

    /// The Skill at `place`, with all of its files in `spool`.
    ///
    /// # Errors
    /// [`Error`].
    pub fn skill(
        &self,
        place: &Place,
        requests: &mut Requests,
        spool: &mut dyn Spool,
    ) -> Result<Preview, Error> {
        let mut download = Download::new(place.clone(), self.api.clone());
        loop {
            match download.step()? {
                Step::List(question) => {
                    let mut answer = self.ask(question, JSON, requests, Question::react)?;
                    let bytes = match read(&mut answer.response, &answer.question) {
                        Ok(bytes) => bytes,
                        Err(error) if is_too_long(&error) => {
                            return Err(download.too_long(&answer.question).into());
                        }
                        Err(error) => return Err(error.into()),
                    };
                    download.listing(&answer.question, &bytes)?;
                }
                Step::Fetch(question) => {
                    let mut answer =
                        self.ask(question, BYTES, requests, |asked, head| download.react(asked, head))?;
                    match kept(&mut *answer.response.body, spool) {
                        Ok(blob) => download.file(blob),
                        Err(error) if is_too_long(&error) => {
                            return Err(download.too_long(&answer.question).into());
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                Step::Done => return Ok(download.finish()?),
            }
        }
    }

    /// Where Skills are in the repository of `place`, at one commit; those inside another are part of it and not told.
    ///
    /// # Errors
    /// [`Error`].
    pub fn scan(&self, place: &Place, requests: &mut Requests) -> Result<Vec<Place>, Error> {
        let mut scan = Scan::new(place.clone(), self.api.clone());
        while let Some(question) = scan.question()? {
            let mut answer = self.ask(question, JSON, requests, Question::react)?;
            let bytes = match read(&mut answer.response, &answer.question) {
                Ok(bytes) => bytes,
                // A list that is too long to be sent is a repository that is too large.
                Err(error) if is_too_long(&error) => return Err(Trouble::Truncated.into()),
                Err(error) => return Err(error.into()),
            };
            scan.answer(&answer.question, &bytes)?;
        }
        Ok(scan.found())
    }

    /// Asks, and asks again where the answer lies elsewhere; each time is a request.
    fn ask(
        &self,
        mut question: Question,
        accept: &'static str,
        requests: &mut Requests,
        react: impl Fn(&Question, &kitbag_core::formats::openscience::github::Head) -> Result<Reaction, Trouble>,
    ) -> Result<Answer, Error> {
        loop {
            requests.spend()?;
            let token = self.token.as_ref().filter(|_| may_have_token(&question.url, &self.api));
            let request = Request {
                url: &question.url,
                accept,
                token,
                secrets: &[],
                resume: None,
                most: question.most,
            };
            let response = self.fetch.get(&request)?;
            match react(&question, &response.head)? {
                Reaction::Read => return Ok(Answer { question, response }),
                Reaction::Ask(next) => question = next,
            }
        }
    }
}

/// An answer, with the question that it is one to.
struct Answer {
    question: Question,
    response: Response,
}

fn read(response: &mut Response, question: &Question) -> io::Result<Vec<u8>> {
    let expected = response.head.length.unwrap_or(0);
    match limits::read_bounded(&mut *response.body, expected, question.most) {
        Ok(bytes) => Ok(bytes),
        Err(ReadError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A content, kept in `spool`.
fn kept(body: &mut dyn Read, spool: &mut dyn Spool) -> io::Result<Blob> {
    struct Counted<'b> {
        body: &'b mut dyn Read,
        bytes: u64,
    }
    impl Read for Counted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.body.read(into)?;
            self.bytes += count as u64;
            Ok(count)
        }
    }
    // Where it is kept is told by nobody: a spool has no use for names but to say them.
    let path = PackagePath::new("download").map_err(|problem| io::Error::other(problem.to_string()))?;
    let mut counted = Counted { body, bytes: 0 };
    let content = spool.store(&path, &mut counted)?;
    Ok(Blob::new(counted.bytes, Executable::No, content))
}
