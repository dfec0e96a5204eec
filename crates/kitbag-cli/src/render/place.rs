//! Where a finding is, for machines that know only files and lines: every finding gets a file and a line.

use std::path::{Path, PathBuf};

use kitbag::check::{Located, PackageReport};
use kitbag::location::{Location, SourceKind};
use kitbag_core::finding::Position;
use kitbag_core::path::PackagePath;

/// A file and a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file, with `/`, relative to where the program runs when it is below that.
    pub file: String,
    /// The file inside `file` when that is an archive.
    pub inner: Option<String>,
    /// First character; line 1 when the finding is about a whole file or package.
    pub start: Start,
    /// One past the last character.
    pub end: Option<Position>,
}

/// Where a finding begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Somewhere in the file: said as line 1, because there must be a line.
    File,
    /// At this character.
    At(Position),
}

impl Start {
    /// The line, from 1.
    pub const fn line(self) -> u32 {
        match self {
            Self::File => 1,
            Self::At(position) => position.line,
        }
    }

    /// The column, from 1, when the finding has one.
    pub const fn column(self) -> Option<u32> {
        match self {
            Self::File => None,
            Self::At(position) => Some(position.column),
        }
    }
}

/// The spot of a finding. `here` is the folder the program runs in.
pub fn spot(package: &PackageReport, located: &Located, here: &Path) -> Spot {
    let file = located.finding.place.file.as_ref();
    let span = located.start.map(|start| (start, located.end));
    within(package, file, span, here)
}

/// The spots of a finding's related places, with what is said about each.
pub fn related<'a>(
    package: &'a PackageReport,
    located: &'a Located,
    here: &'a Path,
) -> impl Iterator<Item = (Spot, &'a str)> {
    let places = located.finding.related.iter().zip(&located.related);
    places.map(move |((place, label), start)| {
        let span = start.map(|start| (start, None));
        (within(package, place.file.as_ref(), span, here), label.as_str())
    })
}

fn within(
    package: &PackageReport,
    file: Option<&PackagePath>,
    span: Option<(Position, Option<Position>)>,
    here: &Path,
) -> Spot {
    let location = &package.location;
    // A finding about the whole package stands in the document that makes it one.
    let file = file.or(package.document.as_ref());
    let in_archive = location.kind == SourceKind::Archive;
    let on_disk = match (file, location.kind) {
        (Some(file), SourceKind::Input) => PathBuf::from(file.as_str()),
        (Some(file), _) => location.on_disk(file).unwrap_or_else(|| location.typed.clone()),
        (None, _) => location.typed.clone(),
    };
    let whole = Spot {
        file: relative(&on_disk, here),
        inner: file.filter(|_| in_archive).map(|file| inside(location, file)),
        start: Start::File,
        end: None,
    };
    match span {
        // A line of a document inside an archive is no line of the archive.
        Some((start, end)) if !in_archive => Spot { start: Start::At(start), end, ..whole },
        _ => whole,
    }
}

/// A file of a package, as its archive names it.
fn inside(location: &Location, file: &PackagePath) -> String {
    location.at.as_ref().map_or_else(|| file.to_string(), |at| format!("{at}/{file}"))
}

/// `path` with `/`, without `here` before it.
fn relative(path: &Path, here: &Path) -> String {
    let below = path.strip_prefix(here).unwrap_or(path);
    let parts = below.components().filter(|part| !matches!(part, std::path::Component::CurDir));
    let below: PathBuf = parts.collect();
    let text = if below.as_os_str().is_empty() { ".".into() } else { below.to_string_lossy() };
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_current_folder_is_relative_and_another_is_not() {
        let here = Path::new("/home/me");
        for (path, told) in [
            ("skills/x/SKILL.md", "skills/x/SKILL.md"),
            ("./skills//x/SKILL.md", "skills/x/SKILL.md"),
            ("/home/me/skills/SKILL.md", "skills/SKILL.md"),
            ("/home/melanie/SKILL.md", "/home/melanie/SKILL.md"),
            ("../SKILL.md", "../SKILL.md"),
            (".", "."),
        ] {
            assert_eq!(relative(Path::new(path), here), told);
        }
    }
}
