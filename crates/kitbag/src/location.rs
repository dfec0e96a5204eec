//! [`Location`]: where a package is, in the words of whoever named it.

use std::fmt;
use std::path::{Path, PathBuf};

use kitbag_core::path::PackagePath;

/// What kind of thing was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A folder on disk.
    Folder,
    /// An archive file.
    Archive,
    /// One document on disk.
    Document,
    /// Bytes that came without a path: standard input.
    Input,
}

/// Where a package is: what was typed, and the package's folder below that.
///
/// Prints as people would type it: `skills/pdf` in a folder, `bundle.zip:skills/pdf` in an archive, the file itself for a
/// single document, `standard input` for bytes without a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// What was typed; empty for [`SourceKind::Input`].
    pub typed: PathBuf,
    /// What it is.
    pub kind: SourceKind,
    /// The package's folder below it; `None` for its root.
    pub at: Option<PackagePath>,
}

impl Location {
    /// The root of what was typed.
    #[must_use]
    pub const fn root(typed: PathBuf, kind: SourceKind) -> Self {
        Self { typed, kind, at: None }
    }

    /// A package below it.
    #[must_use]
    pub fn package(&self, at: Option<PackagePath>) -> Self {
        Self { at, ..self.clone() }
    }

    /// Whether one document was named, or came without a path.
    #[must_use]
    pub const fn is_document(&self) -> bool {
        matches!(self.kind, SourceKind::Document | SourceKind::Input)
    }

    /// A file or folder of the package, as people would type it.
    #[must_use]
    pub fn file(&self, file: &PackagePath) -> String {
        match self.kind {
            SourceKind::Folder | SourceKind::Archive => {
                let below = self.at.as_ref().map_or_else(|| file.to_string(), |at| format!("{at}/{file}"));
                self.join(&below)
            }
            SourceKind::Document | SourceKind::Input => self.to_string(),
        }
    }

    /// The file on disk that holds `file` of the package: itself, the archive it is in, or the document. `None` for
    /// bytes without a path.
    #[must_use]
    pub fn on_disk(&self, file: &PackagePath) -> Option<PathBuf> {
        match self.kind {
            SourceKind::Folder => Some(PathBuf::from(self.file(file))),
            SourceKind::Archive | SourceKind::Document => Some(self.typed.clone()),
            SourceKind::Input => None,
        }
    }

    fn join(&self, below: &str) -> String {
        let typed = shown(&self.typed);
        match self.kind {
            SourceKind::Archive => format!("{typed}:{below}"),
            _ if typed.is_empty() || typed == "." => below.to_owned(),
            _ if typed.ends_with('/') => format!("{typed}{below}"),
            _ => format!("{typed}/{below}"),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, &self.at) {
            (SourceKind::Input, _) => f.write_str("standard input"),
            (_, Some(at)) => f.write_str(&self.join(at.as_str())),
            (_, None) => f.write_str(&shown(&self.typed)),
        }
    }
}

/// A typed path in `/` form, without the slash that completion leaves behind.
fn shown(typed: &Path) -> String {
    let text = typed.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    match text.trim_end_matches('/') {
        "" => text,
        trimmed => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    #[test]
    fn a_location_reads_as_it_would_be_typed() {
        let at = |typed: &str, kind, at: Option<&str>| Location {
            typed: PathBuf::from(typed),
            kind,
            at: at.map(path),
        };
        use SourceKind::{Archive, Document, Folder, Input};
        for (location, package, file) in [
            (at("skills/", Folder, Some("pdf")), "skills/pdf", "skills/pdf/SKILL.md"),
            (at(".", Folder, Some("pdf")), "pdf", "pdf/SKILL.md"),
            (at(".", Folder, None), ".", "SKILL.md"),
            (at("/", Folder, Some("pdf")), "/pdf", "/pdf/SKILL.md"),
            (at("a.zip", Archive, None), "a.zip", "a.zip:SKILL.md"),
            (at("a.zip", Archive, Some("x/y")), "a.zip:x/y", "a.zip:x/y/SKILL.md"),
            (at("my.json", Document, None), "my.json", "my.json"),
            (at("", Input, None), "standard input", "standard input"),
        ] {
            assert_eq!(location.to_string(), package);
            assert_eq!(location.file(&path("SKILL.md")), file);
        }
    }
}
