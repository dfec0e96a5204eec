//! A report that has everything a renderer must cope with, hostile texts included. For tests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use kitbag::check::{FaceSummary, Located, PackageReport, ProfileSummary, Report};
use kitbag::location::{Location, SourceKind};
use kitbag_core::finding::{Code, Finding, Grade, LineIndex, Place, Severity};
use kitbag_core::json::{Pointer, Span};
use kitbag_core::path::PackagePath;

static NAME: Code = Code {
    slug: "agent-skill/name-form",
    grade: Grade::Always(Severity::Error),
    clause: "Agent Skills, name",
    summary: "The name has a character it may not have.",
    why: "Programs that follow the text refuse the skill.",
    help: "Use lower-case letters, digits and single hyphens.",
};

static TWICE: Code = Code {
    slug: "agent-skill/duplicate-field",
    grade: Grade::Always(Severity::Warning),
    clause: "Agent Skills, frontmatter",
    summary: "A field is there twice.",
    why: "Programs disagree on which of the two counts.",
    help: "Remove one of them.",
};

static SIZE: Code = Code {
    slug: "package/size",
    grade: Grade::Always(Severity::Info),
    clause: "kitbag",
    summary: "The package is large.",
    why: "Some programs give up on large packages.",
    help: "Leave out what nobody needs.",
};

/// The document of the first package: an escape sequence in the name, a direction override, a field twice.
pub const DOCUMENT: &str = "---\nname: \u{1b}[2JEvil\u{202e}\ndescription: One.\ndescription: Two, \u{9b}1m and {0} [x](http://e).\n---\n";

/// Two packages with findings and one, in an archive, without.
pub fn report() -> Report {
    let mut report = Report::default();
    report.packages = vec![loud(), archived(), silent()];
    report.counts.errors = 2;
    report.counts.warnings = 1;
    report.counts.infos = 1;
    report.counts.packages = 3;
    report
}

fn path(text: &str) -> PackagePath {
    PackagePath::new(text).unwrap()
}

fn place(needle: &str, pointer: &str) -> Place {
    let start = DOCUMENT.find(needle).unwrap();
    let pointer = pointer.split('/').skip(1).fold(Pointer::root(), |pointer, token| pointer.join(token));
    Place::value(path("SKILL.md"), pointer, Span::new(start, start + needle.len()))
}

fn located(finding: Finding) -> Located {
    let lines = LineIndex::new(DOCUMENT.as_bytes());
    let at = |byte: fn(Span) -> u32| finding.place.span.map(|span| lines.position(byte(span)));
    Located { start: at(|span| span.start), end: at(|span| span.end), finding }
}

fn loud() -> PackageReport {
    let name = Finding::new(
        &NAME,
        place("\u{1b}[2JEvil\u{202e}", "/name"),
        "the name `\u{1b}[2JEvil\u{202e}` has a capital letter",
    );
    let twice =
        Finding::new(&TWICE, place("description: Two", "/description"), "`description` is there twice")
            .related(place("description: One", "/description"), "here first")
            .consumers(["codex", "gemini-cli"]);
    let size = Finding::new(&SIZE, Place::package(), "100% of {budget}, [really]: 5,000 files")
        .help(Cow::Borrowed("Leave out\n::error::what nobody needs."));
    let known = ProfileSummary {
        profile: "claude-code",
        loads: true,
        name: Some("\u{1b}[2JEvil".to_owned()),
        description: Some("Two".to_owned()),
        because: Vec::new(),
    };
    let refused = ProfileSummary {
        profile: "codex",
        loads: false,
        name: None,
        description: None,
        because: vec![NAME.slug.to_owned()],
    };
    PackageReport {
        location: location("my skills/x,y", SourceKind::Folder, None),
        faces: vec![
            FaceSummary {
                format: "skillpact",
                name: Some("evil".to_owned()),
                version: Some("1.0.0".to_owned()),
                spec: Some("0.8".to_owned()),
            },
            face(Some("\u{1b}[2JEvil\u{202e}")),
        ],
        document: Some(path("SKILL.md")),
        findings: vec![located(size), located(name), located(twice)],
        allowed: 0,
        profiles: vec![known, refused],
        permissions: vec!["reads files under $INPUT".to_owned()],
        sources: BTreeMap::from([(path("SKILL.md"), DOCUMENT.as_bytes().to_vec())]),
    }
}

fn archived() -> PackageReport {
    let name = Finding::new(&NAME, place("\u{1b}[2JEvil\u{202e}", "/name"), "the name is empty");
    PackageReport {
        location: location("down.zip", SourceKind::Archive, Some("a/b")),
        faces: vec![face(None)],
        document: Some(path("SKILL.md")),
        findings: vec![located(name)],
        allowed: 0,
        profiles: Vec::new(),
        permissions: Vec::new(),
        sources: BTreeMap::new(),
    }
}

fn silent() -> PackageReport {
    PackageReport {
        location: location("fine", SourceKind::Folder, None),
        faces: vec![face(Some("fine"))],
        document: Some(path("SKILL.md")),
        findings: Vec::new(),
        allowed: 0,
        profiles: Vec::new(),
        permissions: Vec::new(),
        sources: BTreeMap::new(),
    }
}

fn location(typed: &str, kind: SourceKind, at: Option<&str>) -> Location {
    Location { typed: PathBuf::from(typed), kind, at: at.map(path) }
}

fn face(name: Option<&str>) -> FaceSummary {
    FaceSummary { format: "agent-skill", name: name.map(str::to_owned), version: None, spec: None }
}

/// What a renderer writes, as text.
pub fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The same without styles, as it looks where nothing is coloured.
pub fn unstyled(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
