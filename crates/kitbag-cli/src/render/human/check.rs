//! `check` for people: package by package, findings as a compiler shows them, and which programs would load it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use kitbag::check::{FaceSummary, Located, PackageReport, Report};
use kitbag_core::finding::{LineIndex, Place, Position, Severity};
use kitbag_core::path::PackagePath;

use crate::render::plain::{Plain, plain};

use super::excerpt::excerpt;
use super::profiles;
use super::style::{FAINT, GOOD, STRONG};
use super::wrap;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut spaced = true;
    for package in &report.packages {
        let silent = package.findings.is_empty() && profiles::agree(&package.profiles);
        // Packages with nothing to say stand together, one line each.
        if !(silent && spaced) {
            writeln!(out)?;
        }
        heading(package, silent, out)?;
        spaced = silent;
        if silent {
            continue;
        }
        let mut page = Page::of(package, columns);
        for located in &package.findings {
            page.finding(located, out)?;
        }
        if !profiles::agree(&package.profiles) {
            writeln!(out)?;
            profiles::table(&package.profiles, columns, out)?;
        }
    }
    Ok(())
}

fn heading(package: &PackageReport, silent: bool, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.to_string()))?;
    for (at, face) in package.faces.iter().enumerate() {
        write!(out, "{FAINT}{}{}{FAINT:#}", if at == 0 { "  " } else { " + " }, Plain(&self::face(face)))?;
    }
    if silent {
        write!(out, "  {GOOD}ok{GOOD:#}")?;
    }
    writeln!(out)
}

/// A face in a few words: `skillpact pdf 1.2.0 (0.8)`.
pub fn face(face: &FaceSummary) -> String {
    let mut words = vec![face.format.to_owned()];
    words.extend(face.name.clone());
    words.extend(face.version.clone());
    words.extend(face.spec.as_ref().map(|spec| format!("({spec})")));
    words.join(" ")
}

/// One package while its findings are written.
struct Page<'a> {
    package: &'a PackageReport,
    /// Reasons that were given already: said once, they need no repetition.
    explained: BTreeSet<&'a str>,
    /// Where the lines of its documents begin.
    lines: BTreeMap<&'a PackagePath, LineIndex<'a>>,
    columns: usize,
}

impl<'a> Page<'a> {
    fn of(package: &'a PackageReport, columns: usize) -> Self {
        Self { package, explained: BTreeSet::new(), lines: BTreeMap::new(), columns }
    }

    fn finding(&mut self, located: &'a Located, out: &mut dyn Write) -> io::Result<()> {
        let finding = &located.finding;
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let mut group = level
            .primary_title(plain(&finding.message))
            .id(finding.code.slug)
            .elements(self.pointer(&finding.place, located.start, AnnotationKind::Primary, None));
        for (place, label) in &finding.related {
            let start = self.position(place);
            group = group.elements(self.pointer(place, start, AnnotationKind::Context, Some(label)));
        }
        // The text of a note stands behind a margin as wide as the line number, and behind its own word.
        let number = located.start.map_or(1, |start| start.line.to_string().len());
        let room = self.columns.saturating_sub(number + " = help: ".len()).max(20);
        let words = |text: &str| wrap::lines(&plain(text), room).join("\n");
        if self.explained.insert(&finding.why) {
            group = group.element(Level::NOTE.with_name("why").message(words(&finding.why)));
        }
        group = group.element(Level::HELP.message(words(&finding.help)));
        if !finding.consumers.is_empty() {
            let concerned = Level::NOTE.with_name("for");
            group = group.element(concerned.message(words(&finding.consumers.join(", "))));
        }
        writeln!(out, "\n{}", Renderer::styled().term_width(self.columns).render(&[group]))
    }

    /// The file of a place, and its line where the document is at hand.
    fn pointer(
        &self,
        place: &Place,
        start: Option<Position>,
        kind: AnnotationKind,
        label: Option<&str>,
    ) -> Vec<Element<'static>> {
        let Some(file) = &place.file else {
            return label.map(|label| Level::NOTE.message(plain(label)).into()).into_iter().collect();
        };
        let mut origin = Origin::path(plain(&self.package.location.file(file)));
        if let Some(start) = start {
            origin = origin.line(start.line as usize).char_column(start.column as usize);
        }
        let mut elements = vec![origin.into()];
        if let (Some(document), Some(span), Some(start)) = (self.package.sources.get(file), place.span, start)
        {
            let excerpt = excerpt(document, span);
            let mark = kind.span(excerpt.marked).label(label.map(plain));
            let snippet = Snippet::source(excerpt.text).line_start(start.line as usize);
            elements.push(snippet.annotation(mark).into());
        } else if let Some(label) = label {
            elements.push(Level::NOTE.message(plain(label)).into());
        }
        elements
    }

    fn position(&mut self, place: &'a Place) -> Option<Position> {
        let file = place.file.as_ref()?;
        let document = self.package.sources.get(file)?;
        let lines = self.lines.entry(file).or_insert_with(|| LineIndex::new(document));
        Some(lines.position(place.span?.start))
    }
}
