//! [`Https`]: the one way out. Encrypted, with certificates that are checked, without redirects, cookies, proxies of the
//! environment or compression, and with an end to all waiting.

use std::time::Duration;

use kitbag_core::formats::openscience::github::{Head, is_loopback};
use ureq::Agent;
use ureq::http::HeaderMap;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use url::Url;

use crate::fetch::{Fetch, FetchError, Part, Request, Response};

/// For a connection to stand, names and encryption included.
const CONNECT: Duration = Duration::from_secs(15);
/// For the head of an answer, and for each part of its body.
const ANSWER: Duration = Duration::from_secs(30);
/// For a whole answer, however short it is: 50 MiB at 90 kB a second.
const WHOLE: Duration = Duration::from_secs(600);
/// And a second more for each of so many bytes: what comes more slowly than this all along is given up.
const SLOWEST: u64 = 64 << 10;
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

/// Whose word is taken for who a server is.
#[derive(Clone, Debug, Default)]
pub enum Authorities {
    /// Those that Mozilla trusts, as they are built in.
    #[default]
    Usual,
    /// These and nobody else.
    Only(Vec<Certificate<'static>>),
}

impl Authorities {
    /// The authorities whose certificates are in `text`, in PEM; `None` where one cannot be read or none is there.
    #[must_use]
    pub fn only(text: &[u8]) -> Option<Self> {
        let mut certificates = Vec::new();
        for item in parse_pem(text) {
            if let PemItem::Certificate(certificate) = item.ok()? {
                certificates.push(certificate);
            }
        }
        (!certificates.is_empty()).then_some(Self::Only(certificates))
    }

    fn roots(self) -> RootCerts {
        match self {
            Self::Usual => RootCerts::WebPki,
            Self::Only(certificates) => RootCerts::new_with_certs(&certificates),
        }
    }
}

/// Asks over HTTPS.
#[derive(Debug)]
pub struct Https {
    agent: Agent,
    plain: Plain,
}

impl Https {
    /// Someone who asks whom the usual authorities know.
    #[must_use]
    pub fn new(plain: Plain) -> Self {
        Self::trusting(Authorities::Usual, plain)
    }

    /// Someone who asks whom these authorities know.
    #[must_use]
    pub fn trusting(authorities: Authorities, plain: Plain) -> Self {
        let agent = Agent::config_builder()
            .tls_config(TlsConfig::builder().root_certs(authorities.roots()).build())
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("kitbag/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(HEAD_BYTES)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .timeout_per_read(Some(ANSWER))
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
        let whole = WHOLE.saturating_add(Duration::from_secs(request.most / SLOWEST));
        let asked = self.agent.get(url.as_str()).config().timeout_global(Some(whole)).build();
        // What is compared with a digest must come as it is.
        let mut asked = asked.header("accept", request.accept).header("accept-encoding", "identity");
        if let Some(token) = request.token {
            asked = asked.header("authorization", token.header());
        }
        for secret in request.secrets {
            asked = asked.header(secret.name(), secret.value());
        }
        if let Some(resume) = &request.resume {
            asked = asked.header("range", format!("bytes={}-", resume.from));
            if let Some(tag) = resume.tag {
                asked = asked.header("if-range", tag);
            }
        }
        let answer = asked.call().map_err(|error| FetchError::Failed {
            host: url.host_str().unwrap_or_default().to_owned(),
            because: match error {
                // Its words repeat the address, which may hold what is nobody else's business.
                ureq::Error::BadUri(_) => "the address cannot be asked".to_owned(),
                error => error.to_string(),
            },
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
        let part =
            Part { tag: text("etag"), range: text("content-range"), encoding: text("content-encoding") };
        // One byte more than wanted, so that too much shows as that and not as an end.
        let most = request.most.saturating_add(1);
        let body = body.into_with_config().limit(most).reader();
        Ok(Response::new(head, Box::new(body), request.most).with_part(part))
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
