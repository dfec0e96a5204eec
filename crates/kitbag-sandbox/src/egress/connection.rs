//! One connection: what it is for by its address, what it says it is for, and whether both are listed and the same.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use kitbag_core::glob::Host;
use rustix::event::{PollFd, PollFlags};

use super::asked::{Refusal, Verdict};
use super::body::Body;
use super::dial::dial;
use super::head::{self, Authority, Content, Head, HeadError};
use super::hello::{self, Hello, HelloError};
use super::pump::{Passed, Upload, pump};
use super::relay::Shared;
use super::wait::{CHUNK, Client, Cut, Wait, read};
use crate::inside::PROXY;

const HTTP: u16 = 80;
const HTTPS: u16 = 443;

/// Serves a connection that came in at the door `port`, and notes what it was for.
pub(super) fn serve(shared: &Shared, stream: TcpStream, port: u16) {
    let Ok(address) = stream.local_addr() else { return };
    if stream.set_nonblocking(true).is_err() {
        return;
    }
    let _quick = stream.set_nodelay(true);
    let host = shared.host(address.ip());
    let mut visit = Visit {
        shared,
        wait: Wait::new(shared),
        client: Client { stream, said: Vec::new() },
        asked: host.to_string(),
        port,
        place: None,
        admitted: false,
        passed: Passed::default(),
    };
    let to_proxy = port == PROXY && address.ip().to_canonical().is_loopback();
    let end = if to_proxy { visit.proxied() } else { visit.direct(&host, port) };
    visit.noted(&end);
}

/// A connection that is being served.
struct Visit<'s> {
    shared: &'s Shared,
    wait: Wait<'s>,
    client: Client,
    /// What is asked for, as far as it is known.
    asked: String,
    port: u16,
    /// Where the connection goes by its address, or by what the proxy was told.
    place: Option<(Host, u16)>,
    /// Whether what is asked for was found to be listed.
    admitted: bool,
    passed: Passed,
}

/// What a program that has spoken first has begun to speak.
enum Tongue {
    Http,
    Tls,
    /// Something else, or nothing: then where it goes is all that is known.
    Other,
}

impl Visit<'_> {
    /// A connection to `host` itself.
    fn direct(&mut self, host: &Host, port: u16) -> Result<(), Cut> {
        self.place = Some((host.clone(), port));
        match port {
            HTTP => self.http(host, port, None),
            HTTPS => self.tls(host, port, None),
            _ => {
                self.admit(host, port)?;
                self.admitted = false;
                let upstream = dial(self.shared, &self.wait, host, port)?;
                self.tell_apart(host, port, upstream)
            }
        }
    }

    /// What goes to `host` through a connection that is there already.
    fn through(&mut self, host: &Host, port: u16, upstream: TcpStream) -> Result<(), Cut> {
        match port {
            HTTP => self.http(host, port, Some(upstream)),
            HTTPS => self.tls(host, port, Some(upstream)),
            _ => self.tell_apart(host, port, upstream),
        }
    }

    /// At ports that are nobody's in particular, the first bytes tell what is spoken.
    fn tell_apart(&mut self, host: &Host, port: u16, upstream: TcpStream) -> Result<(), Cut> {
        match self.tongue(&upstream)? {
            Tongue::Http => self.http(host, port, Some(upstream)),
            Tongue::Tls => self.tls(host, port, Some(upstream)),
            Tongue::Other => {
                self.admitted = true;
                self.pump(&upstream, Vec::new(), Upload::All)
            }
        }
    }

    /// What the program begins to speak. Where the server speaks first, it is neither HTTP nor TLS.
    fn tongue(&mut self, upstream: &TcpStream) -> Result<Tongue, Cut> {
        loop {
            if let Some(tongue) = tongue(&self.client.said) {
                return tongue.ok_or_else(|| Refusal::Malformed("a first line without an end").into());
            }
            let mut asked = vec![PollFd::new(&self.client.stream, PollFlags::IN)];
            if self.client.said.is_empty() {
                asked.push(PollFd::new(upstream, PollFlags::IN));
            }
            let ready = self.wait.any(asked)?;
            match ready.first() {
                Some(client) if !client.is_empty() => self.client.hear(&self.wait)?,
                _ => return Ok(Tongue::Other),
            }
        }
    }

    /// Whether `host` is listed at `port`.
    fn admit(&mut self, host: &Host, port: u16) -> Result<(), Refusal> {
        self.asked = host.to_string();
        self.port = port;
        if self.shared.hosts.allow(host, port) {
            self.admitted = true;
            Ok(())
        } else {
            Err(Refusal::NotListed)
        }
    }

    /// Whether `asked`, which was said, is what the connection is to.
    fn same(&mut self, asked: &(Host, u16), host: &Host, port: u16) -> Result<(), Refusal> {
        self.admit(&asked.0, asked.1)?;
        let is_here = match (&asked.0, host) {
            // The name that these addresses always have.
            (Host::Name(name), Host::Address(address)) => name == "localhost" && address.is_loopback(),
            _ => false,
        };
        if asked.1 == port && (asked.0 == *host || is_here) {
            return Ok(());
        }
        self.admitted = false;
        Err(Refusal::OtherHost(with_port(host, port)))
    }

    /// A request of HTTP to `host`.
    fn http(&mut self, host: &Host, port: u16, upstream: Option<TcpStream>) -> Result<(), Cut> {
        let length = self.head()?;
        let text: Vec<u8> = self.client.said.drain(..length).collect();
        let answered = self.request(&text, host, port, upstream);
        self.explained(answered)
    }

    fn request(
        &mut self,
        text: &[u8],
        host: &Host,
        port: u16,
        upstream: Option<TcpStream>,
    ) -> Result<(), Cut> {
        let head = Head::read(text).map_err(malformed)?;
        let (place, path) = head.place().map_err(malformed)?;
        let usual = |(host, port): Authority| (host, port.unwrap_or(HTTP));
        let said = self.said(&head)?.map(usual);
        let place = place.map(usual);
        if let (Some(place), Some(said)) = (&place, &said)
            && place != said
        {
            self.asked = said.0.to_string();
            return Err(Refusal::OtherHost(with_port(&place.0, place.1)).into());
        }
        let asked = place.or(said).ok_or(Refusal::Malformed(HeadError::Hosts.what()))?;
        self.same(&asked, host, port)?;
        let authority = if port == HTTP { asked.0.to_string() } else { with_port(&asked.0, port) };
        let body = Body::new(head.content().map_err(malformed)?);
        let first = head.forwarded(&authority, path).map_err(malformed)?;
        let upstream = match upstream {
            Some(upstream) => upstream,
            None => dial(self.shared, &self.wait, host, port)?,
        };
        self.pump(&upstream, first, Upload::One(body))
    }

    /// The host that the field of a head says; what it says is what was asked for, even if that is no host.
    fn said(&mut self, head: &Head<'_>) -> Result<Option<Authority>, Cut> {
        head.host().map_err(|error| {
            if let (HeadError::Host(_), Some(said)) = (&error, head.said_host()) {
                self.asked = said;
                return Cut::Refused(Refusal::NoHost);
            }
            malformed(error)
        })
    }

    /// A handshake of TLS with `host`.
    fn tls(&mut self, host: &Host, port: u16, upstream: Option<TcpStream>) -> Result<(), Cut> {
        let shaken = self.handshake(host, port, upstream);
        if let Err(Cut::Refused(_)) = &shaken
            && self.passed.received == 0
        {
            /// A fatal alert: access denied (RFC 8446 §6).
            const DENIED: [u8; 7] = [21, 3, 3, 0, 2, 2, 49];
            self.farewell(&DENIED);
        }
        shaken
    }

    fn handshake(&mut self, host: &Host, port: u16, upstream: Option<TcpStream>) -> Result<(), Cut> {
        let named = loop {
            match hello::read(&self.client.said).map_err(unclear)? {
                Hello::Whole(named) => break named,
                Hello::Needs(length) => {
                    while self.client.said.len() < length {
                        self.client.hear(&self.wait)?;
                    }
                }
            }
        };
        match (named, host) {
            (Some(named), _) => self.same(&(named, port), host, port)?,
            // An address has no name to be said.
            (None, Host::Address(_)) => self.admit(host, port)?,
            (None, Host::Name(_)) => return Err(Refusal::Nameless.into()),
        }
        let upstream = match upstream {
            Some(upstream) => upstream,
            None => dial(self.shared, &self.wait, host, port)?,
        };
        self.pump(&upstream, Vec::new(), Upload::All)
    }

    /// A connection to the proxy.
    fn proxied(&mut self) -> Result<(), Cut> {
        let length = self.head()?;
        let text: Vec<u8> = self.client.said.drain(..length).collect();
        let head = match Head::read(&text) {
            Ok(head) => head,
            Err(error) => return self.explained(Err(malformed(error))),
        };
        if head.method != "CONNECT" {
            let place = head.place().map_err(malformed).and_then(|(place, _)| {
                place.ok_or(Cut::Refused(Refusal::Malformed(HeadError::Target.what())))
            });
            let answered =
                place.and_then(|(host, port)| self.request(&text, &host, port.unwrap_or(HTTP), None));
            return self.explained(answered);
        }
        let connected = self.connected(&head);
        match connected {
            Ok((host, port, upstream)) => {
                self.reply(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                self.through(&host, port, upstream)
            }
            Err(cut) => self.explained(Err(cut)),
        }
    }

    /// What `CONNECT` asks for.
    fn connected(&mut self, head: &Head<'_>) -> Result<(Host, u16, TcpStream), Cut> {
        let (host, port) = head::authority(head.target.as_bytes()).map_err(|error| {
            self.asked = head.target.escape_default().to_string();
            match error {
                HeadError::Host(_) => Cut::Refused(Refusal::NoHost),
                error => malformed(error),
            }
        })?;
        let port = port.ok_or(Refusal::Malformed("`CONNECT` without a port"))?;
        if let Some((said, said_port)) = self.said(head)?
            && (said != host || said_port.is_some_and(|said| said != port))
        {
            self.asked = said.to_string();
            return Err(Refusal::OtherHost(with_port(&host, port)).into());
        }
        if head.content().map_err(malformed)? != Content::Length(0) {
            return Err(Refusal::Malformed(HeadError::Content.what()).into());
        }
        self.admit(&host, port)?;
        self.place = Some((host.clone(), port));
        let upstream = dial(self.shared, &self.wait, &host, port)?;
        // What goes through is looked at before it counts.
        self.admitted = false;
        Ok((host, port, upstream))
    }

    /// Reads a head; its length.
    fn head(&mut self) -> Result<usize, Cut> {
        let mut from = 0;
        loop {
            if let Some(end) = head::end(&self.client.said, from) {
                return Ok(end);
            }
            from = self.client.said.len();
            if from > head::HEAD_AT_MOST {
                return self
                    .explained(Err(Refusal::Limit("the limit of a head's length").into()))
                    .map(|()| 0);
            }
            self.client.hear(&self.wait)?;
        }
    }

    fn pump(&mut self, upstream: &TcpStream, first: Vec<u8>, upload: Upload) -> Result<(), Cut> {
        let _quick = upstream.set_nodelay(true);
        let Self { shared, wait, client, passed, .. } = self;
        pump(shared, wait, passed, client, upstream, first, upload)
    }

    /// Tells a program that speaks HTTP why it was refused, if it was and has had no answer.
    fn explained(&mut self, answered: Result<(), Cut>) -> Result<(), Cut> {
        if let Err(Cut::Refused(refusal)) = &answered
            && self.passed.received == 0
        {
            let status = match refusal {
                Refusal::Malformed(_) | Refusal::NoHost | Refusal::SecondRequest => "400 Bad Request",
                Refusal::NoAddress | Refusal::Unreachable => "502 Bad Gateway",
                Refusal::Silent | Refusal::Lasting => "408 Request Timeout",
                _ => "403 Forbidden",
            };
            let shown: String = self.asked.chars().take(255).flat_map(char::escape_default).collect();
            let text = format!("{shown} at port {} was refused: {refusal}\n", self.port);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                text.len()
            );
            self.farewell(&[head.as_bytes(), text.as_bytes()].concat());
        }
        answered
    }

    /// Says something short that a fresh connection always has room for.
    fn reply(&mut self, text: &[u8]) -> Result<(), Cut> {
        (&self.client.stream).write_all(text).map_err(|_| Cut::Gone)
    }

    /// Says something last. What still comes is read for a moment, because closing on it would take back what was said.
    fn farewell(&mut self, text: &[u8]) {
        const MOMENT: Duration = Duration::from_millis(500);
        const CHUNKS_AT_MOST: usize = 64;
        if self.reply(text).is_err() || self.client.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        let mut chunk = [0; CHUNK];
        for _ in 0..CHUNKS_AT_MOST {
            let asked = vec![PollFd::new(&self.client.stream, PollFlags::IN)];
            let ready = matches!(self.wait.within(MOMENT, asked), Ok(Some(_)));
            if !ready || !matches!(read(&self.client.stream, &mut chunk), Ok(Some([_, ..]) | None)) {
                return;
            }
        }
    }

    /// Notes what became of it.
    fn noted(self, end: &Result<(), Cut>) {
        let Self { shared, asked, port, place, admitted, passed, .. } = self;
        let bytes = (passed.sent, passed.received);
        let note = |verdict, bytes| shared.note(&asked, Some(port), verdict, bytes);
        // One that came and went without a word was a request for where it came to; at the proxy it was none.
        let listed = place.map(|(host, port)| shared.hosts.allow(&host, port));
        let refused = match (end, listed) {
            (Err(Cut::Refused(refusal)), _) => Some(refusal.clone()),
            (_, Some(false)) if !admitted => Some(Refusal::NotListed),
            _ => None,
        };
        if (admitted && bytes != (0, 0)) || (refused.is_none() && (admitted || listed == Some(true))) {
            note(Verdict::Allowed, bytes);
        }
        if let Some(refusal) = refused {
            note(Verdict::Refused(refusal), (0, 0));
        }
        if passed.second {
            note(Verdict::Refused(Refusal::SecondRequest), (0, 0));
        }
    }
}

fn with_port(host: &Host, port: u16) -> String {
    format!("{host}:{port}")
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn malformed(error: HeadError) -> Cut {
    Cut::Refused(Refusal::Malformed(error.what()))
}

fn unclear(error: HelloError) -> Cut {
    Cut::Refused(match error {
        HelloError::Malformed(what) => Refusal::Malformed(what),
        HelloError::Long => Refusal::Limit("the limit of a handshake's length"),
        HelloError::Hidden => Refusal::Hidden,
        HelloError::NoHost => Refusal::NoHost,
    })
}

/// What somebody speaks who has said `said`; `None` when that is not known yet, and nothing when it never will be.
///
/// HTTP is known by the end of its first line, whatever stands before it, because servers forgive a good deal there.
fn tongue(said: &[u8]) -> Option<Option<Tongue>> {
    const HANDSHAKE: u8 = 22;
    let rest = said.trim_ascii_start();
    let (first, line) = match (said.first(), rest.first()) {
        (Some(&HANDSHAKE), _) => return Some(Some(Tongue::Tls)),
        (Some(_), Some(first)) => (first, rest),
        _ if said.len() > head::HEAD_AT_MOST => return Some(None),
        _ => return None,
    };
    if !first.is_ascii_graphic() {
        return Some(Some(Tongue::Other));
    }
    let Some(end) = line.iter().position(|byte| *byte == b'\n') else {
        return (said.len() > head::HEAD_AT_MOST).then_some(None);
    };
    let line = line.get(..end).unwrap_or_default().trim_ascii_end();
    let last = line.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_http = last.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    Some(Some(if is_http { Tongue::Http } else { Tongue::Other }))
}

#[cfg(test)]
mod tests {
    use super::{Tongue, tongue};
    use crate::egress::head::HEAD_AT_MOST;

    fn spoken(said: &[u8]) -> &'static str {
        match tongue(said) {
            None => "more",
            Some(None) => "never",
            Some(Some(Tongue::Http)) => "http",
            Some(Some(Tongue::Tls)) => "tls",
            Some(Some(Tongue::Other)) => "other",
        }
    }

    #[test]
    fn the_first_bytes_tell_what_is_spoken() {
        for (said, expected) in [
            (&b""[..], "more"),
            (b"\r\n", "more"),
            (b"GET / HTTP/1.1", "more"),
            (b"GET / HTTP/1.1\r\n", "http"),
            (b"\r\n GET / http/1.0 \n", "http"),
            (b"PRI * HTTP/2.0\r\n", "http"),
            (b"GET /\tHTTP/1.1\n", "http"),
            (&[22, 3, 1], "tls"),
            (&[0, 0, 0, 8], "other"),
            (b"EHLO good.test\r\n", "other"),
            (b"GET /\r\n", "other"),
        ] {
            assert_eq!(spoken(said), expected, "{}", said.escape_ascii());
        }
        assert_eq!(spoken(&vec![b'a'; HEAD_AT_MOST]), "more");
        assert_eq!(spoken(&vec![b'a'; HEAD_AT_MOST + 1]), "never");
        assert_eq!(spoken(&vec![b'\n'; HEAD_AT_MOST + 1]), "never");
    }
}
