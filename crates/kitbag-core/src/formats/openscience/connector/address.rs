//! [`Address`]: a URL as the WHATWG reads it, and what in it may be a credential. Nothing is fetched here.

use std::fmt;

use url::{Host, Url};

/// Names of query parameters that carry secrets, after everything but `a-z0-9` was taken out of them.
const SECRET_KEYS: [&str; 30] = [
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authorization",
    "authtoken",
    "bearertoken",
    "clientassertion",
    "clientsecret",
    "code",
    "credential",
    "credentials",
    "idtoken",
    "jwt",
    "key",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "securitytoken",
    "sessiontoken",
    "signature",
    "token",
    "tokenkey",
    "xapikey",
    // Not Open-Science's: what follows is looked for in fragments only.
    "accesskey",
    "secretkey",
    "sessionid",
    "sig",
];
/// As many of the list as Open-Science looks for in a query.
const UPSTREAM_KEYS: usize = 26;

/// A URL.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// As it was written, trimmed.
    pub(super) text: String,
    url: Url,
}

/// What is wrong with a URL. In words to follow the name of the field; values of secrets are never among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is neither http nor https.
    Scheme,
    /// It has a user or a password.
    User,
    /// Its query has a parameter that carries a secret.
    Query { key: String },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => f.write_str("is neither http nor https"),
            Self::User => f.write_str("has a user name or password in it"),
            Self::Query { key } => {
                write!(f, "has the query parameter `{}`, which carries a secret", crate::json::excerpt(key))
            }
        }
    }
}

impl Address {
    /// The URL that `text` is, if it is one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(Self { text: text.to_owned(), url: Url::parse(text).ok()? })
    }

    /// What an address of a Connector may not be.
    pub(super) fn faults(&self) -> impl Iterator<Item = Fault> {
        let scheme = (!matches!(self.url.scheme(), "http" | "https")).then_some(Fault::Scheme);
        [scheme, user(&self.url), secret(&self.url)].into_iter().flatten()
    }

    /// What Open-Science does not look at and we do: a secret in the fragment.
    pub(super) fn doubt(&self) -> Option<String> {
        let fragment = self.url.fragment()?;
        let keys = url::form_urlencoded::parse(fragment.as_bytes());
        let mut found = keys.filter(|(key, value)| !value.is_empty() && names_secret(key, SECRET_KEYS.len()));
        let (key, _) = found.next()?;
        Some(format!("the fragment has `{}`, which names a secret", crate::json::excerpt(&key)))
    }

    /// The URL as it was parsed, if it leads back to this machine as a redirect must; why not, otherwise.
    pub(super) fn loopback(&self) -> Result<String, &'static str> {
        if self.url.scheme() != "http" {
            return Err("is not plain http");
        }
        match self.url.host() {
            Some(Host::Ipv4(host)) if host.octets() == [127, 0, 0, 1] => {}
            _ => return Err("does not lead to 127.0.0.1"),
        }
        if self.url.fragment().is_some() {
            return Err("has a fragment");
        }
        if user(&self.url).is_some() {
            return Err("has a user");
        }
        Ok(self.url.to_string())
    }

    /// The host, for permissions: an IPv6 address in its brackets.
    pub(super) fn host(&self) -> Option<&str> {
        self.url.host_str()
    }
}

/// Whether `text` is a URL of any scheme with a credential in it.
pub(super) fn has_credential(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| user(&url).is_some() || secret(&url).is_some())
}

fn user(url: &Url) -> Option<Fault> {
    (!url.username().is_empty() || url.password().is_some()).then_some(Fault::User)
}

fn secret(url: &Url) -> Option<Fault> {
    let bad = url.query_pairs().find(|(key, _)| names_secret(key, UPSTREAM_KEYS));
    bad.map(|(key, _)| Fault::Query { key: key.into_owned() })
}

fn names_secret(key: &str, known: usize) -> bool {
    let plain: String = key
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        .collect();
    SECRET_KEYS[..known].contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_found_in_the_user_and_the_query() {
        let query = |key: &str| Fault::Query { key: key.to_owned() };
        for (text, faults) in [
            ("https://u@e.test/", vec![Fault::User]),
            ("https://:p@e.test/", vec![Fault::User]),
            ("https://e.test/?a=1&t%6Fken", vec![query("token")]),
            ("https://e.test/?X-Api-Key=1&token=2", vec![query("X-Api-Key")]),
            ("ftp://u@e.test/", vec![Fault::Scheme, Fault::User]),
            ("https://e.test/token?monkey=1&tokens=2", vec![]),
            ("https://@e.test/", vec![]),
        ] {
            assert_eq!(Address::parse(text).unwrap().faults().collect::<Vec<_>>(), faults, "{text}");
        }
        assert!(Address::parse("e.test").is_none());
        assert!(has_credential("postgres://u:p@db/"));
        assert!(!has_credential("postgres://db/"));
    }

    #[test]
    fn a_fragment_may_carry_a_secret_and_a_heading_does_not() {
        let doubt = |text: &str| Address::parse(text).unwrap().doubt();
        assert!(doubt("https://e.test/#access_token=abc").is_some());
        assert!(doubt("https://e.test/#token").is_none());
        assert!(doubt("https://e.test/#install").is_none());
    }

    #[test]
    fn the_way_back_is_this_machine_however_it_is_written() {
        let back = |text: &str| Address::parse(text).unwrap().loopback();
        assert_eq!(back("http://127.1/cb").unwrap(), "http://127.0.0.1/cb");
        assert_eq!(back("http://0x7f000001:9").unwrap(), "http://127.0.0.1:9/");
        for bad in ["http://localhost/", "https://127.0.0.1/", "http://127.0.0.1/#x", "http://[::1]/"] {
            assert!(back(bad).is_err(), "{bad}");
        }
    }
}
