//! The server name of a TLS handshake (RFC 8446 §4.1.2, RFC 6066 §3): read from the client's first message, without
//! taking part.

use kitbag_core::glob::Host;

/// The longest first message that is read, with its records.
pub const HELLO_AT_MOST: usize = 32 << 10;
/// The most records it may be cut into. A client needs one or two.
const RECORDS_AT_MOST: usize = 32;

/// What is known of a client's first message so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hello {
    /// It is longer: at least so many bytes, counted from its beginning.
    Needs(usize),
    /// It is whole, and names this server; `None` when it names none.
    Whole(Option<Host>),
}

/// Why bytes are no first message, or none that names a server clearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HelloError {
    /// It is no TLS handshake, or its lengths contradict each other.
    Malformed(&'static str),
    /// It is longer than is read.
    Long,
    /// It has a second message inside that only the server can read (ECH, RFC 9849), and that names another server.
    Hidden,
    /// It names a server in a way that names none.
    NoHost,
}

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const ENCRYPTED_HELLO: u16 = 0xfe0d;

/// Reads the first message that `bytes` begin with.
///
/// # Errors
/// [`HelloError`], as soon as it is known.
pub fn read(bytes: &[u8]) -> Result<Hello, HelloError> {
    let mut message = Vec::new();
    let mut at = 0;
    for _ in 0..RECORDS_AT_MOST {
        let Some(head) = bytes.get(at..at + 5) else {
            // What is there of a head must be that of a handshake already.
            return match bytes.get(at) {
                Some(kind) if *kind != HANDSHAKE => Err(HelloError::Malformed("no TLS handshake")),
                _ => needs(at + 5),
            };
        };
        let &[kind, major, _, high, low] = head else { return needs(at + 5) };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if kind != HANDSHAKE || major != 3 {
            return Err(HelloError::Malformed("no TLS handshake"));
        }
        // RFC 8446 §5.1: a fragment is never empty and at most 2^14 bytes.
        if length == 0 || length > 1 << 14 {
            return Err(HelloError::Malformed("a record of an impossible length"));
        }
        let end = at + 5 + length;
        let Some(fragment) = bytes.get(at + 5..end) else { return needs(end) };
        message.extend_from_slice(fragment);
        at = end;
        if let Some(body) = whole(&message)? {
            return server(body).map(Hello::Whole);
        }
    }
    Err(HelloError::Malformed("a handshake in too many records"))
}

fn needs(length: usize) -> Result<Hello, HelloError> {
    if length > HELLO_AT_MOST { Err(HelloError::Long) } else { Ok(Hello::Needs(length)) }
}

/// The body of the message that `bytes` begin with, when all of it is there.
fn whole(bytes: &[u8]) -> Result<Option<&[u8]>, HelloError> {
    if bytes.first().is_some_and(|kind| *kind != CLIENT_HELLO) {
        return Err(HelloError::Malformed("no first message of a client"));
    }
    let Some((&[_, high, middle, low], rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
    if length > HELLO_AT_MOST {
        return Err(HelloError::Long);
    }
    Ok(rest.get(..length))
}

/// The server that the message `body` names.
fn server(body: &[u8]) -> Result<Option<Host>, HelloError> {
    const MALFORMED: HelloError = HelloError::Malformed("a first message whose lengths do not fit");
    const RANDOM: usize = 32;
    let mut body = Bytes(body);
    // Version, random, session, ciphers, compressions.
    body.take(2 + RANDOM).ok_or(MALFORMED)?;
    body.short().ok_or(MALFORMED)?;
    body.long().ok_or(MALFORMED)?;
    body.short().ok_or(MALFORMED)?;
    if body.0.is_empty() {
        // Before there were extensions.
        return Ok(None);
    }
    let mut extensions = Bytes(body.long().ok_or(MALFORMED)?);
    if !body.0.is_empty() {
        return Err(MALFORMED);
    }
    let mut name = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number().ok_or(MALFORMED)?;
        let content = extensions.long().ok_or(MALFORMED)?;
        match kind {
            ENCRYPTED_HELLO => return Err(HelloError::Hidden),
            SERVER_NAME if name.is_some() => return Err(HelloError::Malformed("two server names")),
            SERVER_NAME => name = Some(named(content)?),
            _ => {}
        }
    }
    Ok(name)
}

/// The one host name of a list of names.
fn named(list: &[u8]) -> Result<Host, HelloError> {
    const MALFORMED: HelloError = HelloError::Malformed("a list of server names that is not one name");
    const HOST_NAME: u8 = 0;
    let mut outer = Bytes(list);
    let mut list = Bytes(outer.long().ok_or(MALFORMED)?);
    let kind = list.take(1).ok_or(MALFORMED)?;
    let name = list.long().ok_or(MALFORMED)?;
    if kind != [HOST_NAME] || !list.0.is_empty() || !outer.0.is_empty() {
        return Err(MALFORMED);
    }
    // A name is ASCII (RFC 6066 §3), and an address is none.
    let name = std::str::from_utf8(name).ok().filter(|name| name.is_ascii()).ok_or(HelloError::NoHost)?;
    match Host::parse(name) {
        Ok(Host::Name(name)) => Ok(Host::Name(name)),
        Ok(Host::Address(_)) | Err(_) => Err(HelloError::NoHost),
    }
}

/// What is left to be read.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, left) = self.0.split_at_checked(count)?;
        self.0 = left;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        let (taken, left) = self.0.split_first_chunk::<2>()?;
        self.0 = left;
        Some(u16::from_be_bytes(*taken))
    }

    /// What one byte says the length of.
    fn short(&mut self) -> Option<&'b [u8]> {
        let (length, left) = self.0.split_first()?;
        self.0 = left;
        self.take(usize::from(*length))
    }

    /// What two bytes say the length of.
    fn long(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(usize::from(length))
    }
}

#[cfg(test)]
#[path = "hello_tests.rs"]
mod tests;
