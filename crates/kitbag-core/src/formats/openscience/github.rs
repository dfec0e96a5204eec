//! Skills on GitHub (§6): addresses as they are typed, what is asked of its API ([`Download`], [`Scan`]), and what an answer
//! means. Nobody is talked to here.

mod ask;
mod import;
mod scan;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

pub use ask::{
    API, Head, LISTING_BYTES, Question, REQUESTS, Reaction, Requests, Trouble, is_loopback, may_have_token,
};
pub use import::{Download, Step};
pub use scan::Scan;

/// What may stand as it is in a segment of an address.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Where a Skill is on GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose repository.
    pub owner: String,
    /// Which.
    pub repository: String,
    /// The branch, tag or commit; the repository's own branch where there is none.
    pub reference: Option<String>,
    /// The folder, without slashes at its ends; empty for the root.
    pub path: String,
}

impl Place {
    /// What the same Skill has at every commit: owner and repository in lower case, and the folder.
    #[must_use]
    pub fn identity(&self) -> String {
        let (owner, repository) = (self.owner.to_lowercase(), self.repository.to_lowercase());
        format!("github:{owner}/{repository}/{}", self.path)
    }

    /// What the Skill is called where its document does not say: the last folder, or the repository.
    #[must_use]
    pub fn fallback_name(&self) -> &str {
        self.path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&self.repository)
    }

    /// The address of the folder on GitHub, every segment escaped.
    #[must_use]
    pub fn address(&self) -> String {
        let escaped = |segment: &str| utf8_percent_encode(segment, SEGMENT).to_string();
        let mut address =
            format!("https://github.com/{}/{}", escaped(&self.owner), escaped(&self.repository));
        if let Some(reference) = &self.reference {
            address.push_str(&format!("/tree/{}", escaped(reference)));
            for segment in self.path.split('/').filter(|segment| !segment.is_empty()) {
                address.push('/');
                address.push_str(&escaped(segment));
            }
        }
        address
    }

    /// Whether `other` lies inside of this folder, in the same repository.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        match self.path.as_str() {
            "" => !other.path.is_empty(),
            path => other.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')),
        }
    }
}

impl std::fmt::Display for Place {
    /// As it would be typed: `github:owner/repo/path@ref`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "github:{}/{}", self.owner, self.repository)?;
        if !self.path.is_empty() {
            write!(f, "/{}", self.path)?;
        }
        match &self.reference {
            Some(reference) => write!(f, "@{reference}"),
            None => Ok(()),
        }
    }
}

/// The place that `github:owner/repo[/path][@ref]` names, or a URL on GitHub; `None` for anything else. The reference begins
/// at the first `@`; a path with one is written as a URL.
#[must_use]
pub fn place(text: &str) -> Option<Place> {
    let Some(rest) = text.strip_prefix("github:") else { return url(text) };
    let (names, reference) = match rest.split_once('@') {
        Some((names, reference)) => (names, Some(reference)),
        None => (rest, None),
    };
    let mut segments = names.trim_end_matches('/').splitn(3, '/');
    let (owner, name) = (segments.next()?, segments.next()?);
    let path = segments.next().unwrap_or_default();
    if path
        .split('/')
        .any(|segment| matches!(segment, "." | "..") || (segment.is_empty() && !path.is_empty()))
    {
        return None;
    }
    let found = repository(&format!("{owner}/{name}"))?;
    let path = match path.rsplit_once('/') {
        Some((folder, name)) if name.eq_ignore_ascii_case("skill.md") => folder,
        None if path.eq_ignore_ascii_case("skill.md") => "",
        _ => path,
    };
    let reference = match reference {
        Some("") => return None,
        reference => reference.map(str::to_owned),
    };
    Some(Place { reference, path: path.to_owned(), ..found })
}

/// Whether a text means a place on GitHub, right or wrong.
#[must_use]
pub fn is_meant(text: &str) -> bool {
    text.starts_with("github:") || text.starts_with("https://") || text.starts_with("http://")
}

/// The place that a URL leads to: `https://github.com/owner/repo`, with `tree` or `blob`, a reference and a path. A reference
/// with a slash is written `%2F`.
#[must_use]
pub fn url(text: &str) -> Option<Place> {
    let url = Url::parse(text.trim()).ok()?;
    let is_plain = url.scheme() == "https"
        && url.host_str() == Some("github.com")
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !is_plain {
        return None;
    }
    let mut segments = url.path_segments()?.filter(|segment| !segment.is_empty()).map(decoded);
    let owner = segments.next()??;
    let repository = segments.next()??;
    let repository = repository.strip_suffix(".git").unwrap_or(&repository).to_owned();
    let rest: Vec<String> = segments.collect::<Option<_>>()?;
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    if !is_name(&owner) || !is_name(&repository) {
        return None;
    }
    let (reference, mut path) = match rest.as_slice() {
        [] => (None, Vec::new()),
        [kind, reference, path @ ..] if kind == "tree" || kind == "blob" => {
            (Some(reference.clone()), path.to_vec())
        }
        _ => return None,
    };
    if path.last().is_some_and(|last| last.eq_ignore_ascii_case("skill.md")) {
        path.pop();
    }
    Some(Place { owner, repository, reference, path: path.join("/") })
}

/// The place that a name of a repository leads to: `owner/repo`, `owner/repo@ref`, or a URL.
#[must_use]
pub fn repository(text: &str) -> Option<Place> {
    if let Some(place) = url(text) {
        return Some(place);
    }
    let (name, reference) = match text.trim().split_once('@') {
        Some((name, reference)) => (name, Some(reference)),
        None => (text.trim(), None),
    };
    let (owner, repository) = name.split_once('/')?;
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    if !is_name(owner) || !is_name(repository) || reference.is_some_and(str::is_empty) {
        return None;
    }
    Some(Place {
        owner: owner.to_owned(),
        repository: repository.to_owned(),
        reference: reference.map(str::to_owned),
        path: String::new(),
    })
}

/// A segment without its escapes; `None` for a bad one.
fn decoded(segment: &str) -> Option<String> {
    let bytes = segment.as_bytes();
    let mut escapes = segment.match_indices('%');
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    if !escapes.all(|(at, _)| is_hex(at + 1) && is_hex(at + 2)) {
        return None;
    }
    Some(percent_encoding::percent_decode_str(segment).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_typed_in_short_or_as_an_address() {
        let of = |owner: &str, repository: &str, path: &str, reference: Option<&str>| Place {
            owner: owner.into(),
            repository: repository.into(),
            reference: reference.map(str::to_owned),
            path: path.into(),
        };
        for (text, expected) in [
            ("github:a/b", of("a", "b", "", None)),
            ("github:a/b.git/", of("a", "b", "", None)),
            ("github:a/b@v1/x", of("a", "b", "", Some("v1/x"))),
            ("github:a/b/p/q@pkg@1.0.0", of("a", "b", "p/q", Some("pkg@1.0.0"))),
            ("github:a/b/p/SKILL.md", of("a", "b", "p", None)),
            ("github:a/b/skill.md@main", of("a", "b", "", Some("main"))),
            ("https://github.com/a/b/tree/main/p%20q", of("a", "b", "p q", Some("main"))),
        ] {
            assert_eq!(place(text), Some(expected), "{text}");
        }
        for bad in
            ["github:", "github:a", "github:a/b@", "github:a/../c", "github:a/b/../c", "github:a/b//c", "a/b"]
        {
            assert_eq!(place(bad), None, "{bad}");
        }
        let there = of("a", "b", "y z", Some("S"));
        assert_eq!(there.to_string(), "github:a/b/y z@S");
        assert_eq!(there.address(), "https://github.com/a/b/tree/S/y%20z");
        assert_eq!(place(&there.address()), Some(there));
    }
}
