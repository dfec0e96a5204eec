//! [`Address`]: a URL taken apart as far as the rules of this format ask. Nothing is fetched here, and nothing is
//! normalised: what is not plainly a host is refused.

/// The parts of a URL with an authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address<'t> {
    /// `https`
    pub scheme: &'t str,
    /// What stands before `@`.
    pub user: Option<&'t str>,
    /// The host, IPv6 in its brackets.
    pub host: &'t str,
    /// The port, when it is written.
    pub port: Option<u16>,
    /// The query without `?`.
    pub query: Option<&'t str>,
}

impl<'t> Address<'t> {
    /// Takes `text` apart; `None` for what is no URL with an authority and a host.
    pub fn parse(text: &'t str) -> Option<Self> {
        if text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        {
            return None;
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let (host, port) = split_port(place)?;
        let rest = rest.split('#').next().unwrap_or(rest);
        let query = rest.split_once('?').map(|(_, query)| query);
        Some(Self { scheme, user, host, port, query })
    }

    /// The port that is meant when none is written.
    pub fn port_or_default(&self) -> Option<u16> {
        self.port.or(match self.scheme {
            "https" | "wss" => Some(443),
            "http" | "ws" => Some(80),
            _ => None,
        })
    }

    /// What in it looks like a credential: a user, or a member of the query with a telling name.
    pub fn credential(&self) -> Option<&'t str> {
        if self.user.is_some() {
            return Some("a user name or password before `@`");
        }
        self.query?
            .split(['&', ';'])
            .map(|pair| pair.split('=').next().unwrap_or(pair))
            .find(|name| names_a_secret(name))
    }
}

/// `host`, `host:port`, `[::1]:port`; the port of a pattern or a URL is a number.
pub(super) fn split_port(place: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = if place.starts_with('[') {
        let end = place.find(']')? + 1;
        (
            &place[..end],
            place[end..].strip_prefix(':').map(Some).or_else(|| place[end..].is_empty().then_some(None))?,
        )
    } else {
        match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        }
    };
    let port = match port {
        Some(port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(port.parse().ok()?)
        }
        Some(_) => return None,
        None => None,
    };
    (!host.is_empty() && host != "[]").then_some((host, port))
}

fn names_a_secret(name: &str) -> bool {
    let folded: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let telling = ["token", "secret", "password", "passwd", "apikey", "credential", "signature", "accesskey"];
    matches!(folded.as_str(), "key" | "auth" | "authorization" | "sig" | "pwd" | "pass")
        || telling.iter().any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart_and_what_is_none_is_refused() {
        let address = Address::parse("https://u:p@example.com:8443/a?b=1#c").unwrap();
        assert_eq!((address.scheme, address.user, address.host), ("https", Some("u:p"), "example.com"));
        assert_eq!((address.port, address.query), (Some(8443), Some("b=1")));
        assert_eq!(
            Address::parse("http://[::1]:80").map(|address| (address.host, address.port)),
            Some(("[::1]", Some(80)))
        );
        assert_eq!(Address::parse("https://a").and_then(|address| address.port_or_default()), Some(443));
        for bad in [
            "",
            "example.com",
            "https:/a",
            "https://",
            "https:///a",
            "HTTPS://a",
            "https://a b",
            "https://a:x",
            "https://a:",
            "https://a:99999",
            "https://a\\b",
            "https://[::1",
            "https://[::1]x",
            "mailto:a@b",
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_looks_like_a_credential_is_named_and_what_does_not_is_not() {
        fn credential(text: &str) -> Option<&str> {
            Address::parse(text).unwrap().credential()
        }
        assert!(credential("https://u@a/").is_some());
        for name in ["api_key", "API-Key", "access_token", "key", "X-Amz-Signature", "client_secret", "sig"] {
            assert_eq!(credential(&format!("https://a/?x=1&{name}=2")), Some(name));
        }
        for plain in
            ["https://a/?model=x&keyboard=1", "https://a/token", "https://a/#key=1", "https://a/?monkey=1"]
        {
            assert_eq!(credential(plain), None, "{plain}");
        }
    }
}
