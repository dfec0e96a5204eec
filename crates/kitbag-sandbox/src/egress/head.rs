//! The head of an HTTP/1 request (RFC 9112), read as strictly as the strictest server would: what two readers could take
//! for two different requests is none.

use kitbag_core::glob::{Host, HostError};

/// The longest head.
pub const HEAD_AT_MOST: usize = 32 << 10;

/// A host and its port, if that was said.
pub type Authority = (Host, Option<u16>);

/// A request's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head<'b> {
    /// `GET`, `CONNECT`, …
    pub method: &'b str,
    /// What is asked for, as it was written.
    pub target: &'b str,
    /// `HTTP/1.0` or `HTTP/1.1`.
    pub version: &'b str,
    /// The fields in their order: name and value, without the space around it.
    pub fields: Vec<(&'b str, &'b [u8])>,
}

/// What follows a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// So many bytes.
    Length(u64),
    /// Pieces with their lengths, to the empty one.
    Chunks,
}

/// Why a head is none, or says two things.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadError {
    /// The first line is no request.
    Line,
    /// A line is no field: it is folded, has no name, or ends otherwise than lines do.
    Field,
    /// There is no host, or more than one.
    Hosts,
    /// The host is none.
    Host(HostError),
    /// The address asked for is not of the one form that is understood here.
    Target,
    /// The length of what follows is said twice, or not in numbers.
    Content,
    /// Fields that say where the request goes and where it ends are said to be for the next hop only.
    Connection,
}

impl HeadError {
    /// What is malformed, for a person.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        match self {
            Self::Line => "the first line is no request of HTTP/1",
            Self::Field => "a line of the head is no field",
            Self::Hosts => "there is not exactly one `Host`",
            Self::Host(_) => "the host is none",
            Self::Target => "the address asked for is not understood",
            Self::Content => "the length of the content is not clear",
            Self::Connection => "`Connection` names a field that it may not",
        }
    }
}

/// Where the head that `bytes` begin with ends, if it does; `from` is where looking for it goes on. Lines that end wrongly
/// end it as well, because reading it is going to fail.
#[must_use]
pub fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let start = from.saturating_sub(3);
    let rest = bytes.get(start..)?;
    rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').find_map(|(at, _)| {
        let after = rest.get(at + 1..)?;
        match after {
            [b'\r', b'\n', ..] => Some(start + at + 3),
            [b'\n', ..] => Some(start + at + 2),
            _ => None,
        }
    })
}

impl<'b> Head<'b> {
    /// Reads `bytes`, which are a head and its empty line.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn read(bytes: &'b [u8]) -> Result<Self, HeadError> {
        let lines = bytes.strip_suffix(b"\r\n\r\n").ok_or(HeadError::Field)?;
        let mut lines =
            lines.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        // Every `\n` was one of a pair, and no `\r` is left over.
        let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
        let ends = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
        if ends(b'\n') != pairs || ends(b'\r') != pairs {
            return Err(HeadError::Field);
        }
        let (method, target, version) = request(lines.next().unwrap_or_default())?;
        let fields = lines.map(field).collect::<Option<Vec<_>>>().ok_or(HeadError::Field)?;
        Ok(Self { method, target, version, fields })
    }

    fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'b [u8]> + 'h {
        self.fields.iter().filter(move |(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// The host and port of the field `Host`; `None` when there is no such field.
    ///
    /// # Errors
    /// [`HeadError`] when there are two, or it is no host.
    pub fn host(&self) -> Result<Option<Authority>, HeadError> {
        let mut all = self.all("host");
        let Some(value) = all.next() else { return Ok(None) };
        if all.next().is_some() {
            return Err(HeadError::Hosts);
        }
        authority(value).map(Some)
    }

    /// What the field `Host` says, whatever that is, for a person.
    #[must_use]
    pub fn said_host(&self) -> Option<String> {
        self.all("host").next().map(|value| value.escape_ascii().to_string())
    }

    /// The host, port and path of a target that begins with `http://`; the whole target as path of one that begins with
    /// `/`, or is `*`.
    ///
    /// # Errors
    /// [`HeadError`] when it is neither.
    pub fn place(&self) -> Result<(Option<Authority>, &'b str), HeadError> {
        if self.target.starts_with('/') || (self.target == "*" && self.method == "OPTIONS") {
            return Ok((None, self.target));
        }
        let scheme = "http://";
        let rest = match self.target.split_at_checked(scheme.len()) {
            Some((start, rest)) if start.eq_ignore_ascii_case(scheme) => rest,
            _ => return Err(HeadError::Target),
        };
        let (host, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        if !path.starts_with('/') {
            return Err(HeadError::Target);
        }
        Ok((Some(authority(host.as_bytes())?), path))
    }

    /// What follows.
    ///
    /// # Errors
    /// [`HeadError::Content`] when two readers could find different ends.
    pub fn content(&self) -> Result<Content, HeadError> {
        let mut lengths = self.all("content-length");
        let mut codings = self.all("transfer-encoding");
        let content = match (lengths.next(), codings.next()) {
            (None, None) => Content::Length(0),
            (Some(digits), None) => Content::Length(number(digits).ok_or(HeadError::Content)?),
            (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && self.version == "HTTP/1.1" => {
                Content::Chunks
            }
            _ => return Err(HeadError::Content),
        };
        if lengths.next().is_some() || codings.next().is_some() {
            return Err(HeadError::Content);
        }
        Ok(content)
    }

    /// The head as it is sent on: to `authority` for `path`, as the only request of its connection, and without what is
    /// for the next hop alone.
    ///
    /// # Errors
    /// [`HeadError::Connection`] when `Connection` would take away what the request cannot be without.
    pub fn forwarded(&self, authority: &str, path: &str) -> Result<Vec<u8>, HeadError> {
        /// For the next hop alone (RFC 9110 §7.6.1), and what would make another protocol of the connection.
        const HOP: [&str; 9] = [
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "upgrade",
            "http2-settings",
            "host",
        ];
        const NEEDED: [&str; 4] = ["host", "content-length", "transfer-encoding", "expect"];
        let mut dropped: Vec<&str> = HOP.to_vec();
        for value in self.all("connection") {
            let text = std::str::from_utf8(value).map_err(|_| HeadError::Connection)?;
            for name in text.split(',').map(str::trim) {
                if NEEDED.iter().any(|needed| needed.eq_ignore_ascii_case(name)) {
                    return Err(HeadError::Connection);
                }
                // More names than a head of honest length nominates would be looked through for every field.
                if dropped.len() == 64 {
                    return Err(HeadError::Connection);
                }
                dropped.push(name);
            }
        }
        let mut head = Vec::new();
        for text in [self.method, " ", path, " ", self.version, "\r\nHost: ", authority, "\r\n"] {
            head.extend_from_slice(text.as_bytes());
        }
        let kept = |name: &str| !dropped.iter().any(|dropped| dropped.eq_ignore_ascii_case(name));
        for (name, value) in self.fields.iter().filter(|(name, _)| kept(name)) {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"Connection: close\r\n\r\n");
        Ok(head)
    }
}

/// A host and a port out of a head.
///
/// # Errors
/// [`HeadError::Host`].
pub fn authority(value: &[u8]) -> Result<Authority, HeadError> {
    let text = std::str::from_utf8(value).ok().filter(|text| text.is_ascii());
    let text = text.ok_or_else(|| HeadError::Host(HostError::Script(value.escape_ascii().to_string())))?;
    Host::with_port(text).map_err(HeadError::Host)
}

fn request(line: &[u8]) -> Result<(&str, &str, &str), HeadError> {
    let line = std::str::from_utf8(line).map_err(|_| HeadError::Line)?;
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(HeadError::Line);
    };
    let is_method = !method.is_empty() && method.bytes().all(is_token);
    let is_target = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic());
    if is_method && is_target && matches!(version, "HTTP/1.0" | "HTTP/1.1") {
        Ok((method, target, version))
    } else {
        Err(HeadError::Line)
    }
}

fn field(line: &[u8]) -> Option<(&str, &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (line.get(..colon)?, line.get(colon + 1..)?);
    if name.is_empty() || !name.iter().copied().all(is_token) {
        return None;
    }
    let value = value.trim_ascii();
    let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    value.iter().all(is_text).then_some((std::str::from_utf8(name).ok()?, value))
}

/// A character of names and methods (RFC 9110 §5.6.2).
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

fn number(digits: &[u8]) -> Option<u64> {
    // No sign, no list, nothing that overflows somewhere.
    let plain = (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;
