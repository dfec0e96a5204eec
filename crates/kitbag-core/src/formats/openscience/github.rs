//! Addresses on GitHub (§6), as they are typed: of a Skill, and of a repository.

use url::Url;

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
