//! [`Https`]: the one way out. Encrypted, with certificates that are checked, without redirects, cookies, proxies of the
//! environment or compression, and with an end to all waiting.

use std::time::Duration;

use kitbag_core::formats::openscience::github::{Head, is_loopback};
use ureq::Agent;
use ureq::http::HeaderMap;
use url::Url;

use crate::fetch::{Fetch, FetchError, Request, Response};

/// For a connection to stand, names and encryption included.
const CONNECT: Duration = Duration::from_secs(15);
/// For the head of an answer, and for each part of its body.
const ANSWER: Duration = Duration::from_secs(30);
/// For a whole answer: 50 MiB at 90 kB a second.
const WHOLE: Duration = Duration::from_secs(600);
/// Bytes of all headers of an answer.
const HEAD_BYTES: usize = 32 << 10;

/// Whether somebody may be asked without encryption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plain {
    /// Nobody.
    #[default]
    Refused,
    /// This machine, by its address.
    ToThisMachine,
}

/// Asks over HTTPS.
#[derive(Debug)]
pub struct Https {
    agent: Agent,
    plain: Plain,
}

impl Https {
    /// Someone who asks.
    #[must_use]
    pub fn new(plain: Plain) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("kitbag/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(HEAD_BYTES)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .timeout_per_read(Some(ANSWER))
            .timeout_global(Some(WHOLE))
            .build()
            .into();
        Self { agent, plain }
    }

    fn may_ask(&self, url: &Url) -> bool {
        match url.scheme() {
            "https" => url.has_host(),
            "http" => self.plain == Plain::ToThisMachine && is_loopback(url),
            _ => false,
        }
    }
}

impl Fetch for Https {
    fn get(&self, request: &Request<'_>) -> Result<Response, FetchError> {
        let url = request.url;
        if !self.may_ask(url) || !url.username().is_empty() || url.password().is_some() {
            let host = url.host_str().unwrap_or_default();
            return Err(FetchError::Insecure { url: format!("{}://{host}", url.scheme()) });
        }
        let mut asked = self.agent.get(url.as_str()).header("accept", request.accept);
        if let Some(token) = request.token {
            asked = asked.header("authorization", token.header());
        }
        let answer = asked.call().map_err(|error| FetchError::Failed {
            host: url.host_str().unwrap_or_default().to_owned(),
            because: error.to_string(),
        })?;
        let (parts, body) = answer.into_parts();
        let text = |name| header(&parts.headers, name);
        let head = Head {
            status: parts.status.as_u16(),
            length: body.content_length(),
            location: text("location"),
            remaining: text("x-ratelimit-remaining"),
            retry_after: text("retry-after"),
        };
        // One byte more than wanted, so that too much shows as that and not as an end.
        let most = request.most.saturating_add(1);
        let body = body.into_with_config().limit(most).reader();
        Ok(Response::new(head, Box::new(body), request.most))
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
