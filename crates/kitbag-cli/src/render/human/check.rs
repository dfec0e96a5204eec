//! `check` for people: package by package, findings as a compiler shows them, and which programs would load it.

use std::collections::BTreeSet;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use kitbag::check::{FaceSummary, Located, PackageReport, Report};
use kitbag_core::finding::{Place, Position, Severity};

use crate::render::plain::{Plain, plain};

use super::excerpt::{Cut, excerpt};
use super::profiles;
use super::style::{FAINT, GOOD, STRONG, severity};
use super::summary::counted;
use super::wrap;

/// Most columns of one message, which may quote a document.
const MOST_SAID: usize = 1_500;
/// Most related places that are shown.
const MOST_RELATED: usize = 3;

/// Package by package.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut before = Voice::Loud;
    for package in &report.packages {
        let voice = Voice::of(package);
        // Packages with nothing to say stand together, one line each; after the others is a line of space.
        if (before, voice) == (Voice::Silent, Voice::Loud) {
            writeln!(out)?;
        }
        before = voice;
        heading(package, voice, out)?;
        if voice == Voice::Silent {
            continue;
        }
        findings(package, columns, out)?;
        if !profiles::agree(&package.profiles) {
            profiles::table(&package.profiles, columns, out)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// The findings of one package, and a line of space.
///
/// # Errors
/// The writer's own.
pub fn findings(package: &PackageReport, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::of(package, columns);
    for located in &package.findings {
        page.finding(located, out)?;
    }
    writeln!(out)
}

/// Whether there is anything to say about a package.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Silent,
    Loud,
}

impl Voice {
    fn of(package: &PackageReport) -> Self {
        let silent = package.findings.is_empty() && profiles::agree(&package.profiles);
        if silent { Self::Silent } else { Self::Loud }
    }
}

fn heading(package: &PackageReport, voice: Voice, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{STRONG}{}{STRONG:#}", Plain(&package.location.to_string()))?;
    for (at, face) in package.faces.iter().enumerate() {
        write!(out, "{FAINT}{}{}{FAINT:#}", if at == 0 { "  " } else { " + " }, Plain(&self::face(face)))?;
    }
    if voice == Voice::Silent {
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
    columns: usize,
}

impl<'a> Page<'a> {
    fn of(package: &'a PackageReport, columns: usize) -> Self {
        Self { package, explained: BTreeSet::new(), columns }
    }

    fn finding(&mut self, located: &'a Located, out: &mut dyn Write) -> io::Result<()> {
        let finding = &located.finding;
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let mut group = Group::with_level(level).elements(self.pointer(
            &finding.place,
            located.start,
            AnnotationKind::Primary,
            None,
        ));
        let related = finding.related.iter().zip(&located.related);
        for ((place, label), start) in related.take(MOST_RELATED) {
            group = group.elements(self.pointer(place, *start, AnnotationKind::Context, Some(label)));
        }
        if let Some(more @ 1..) = finding.related.len().checked_sub(MOST_RELATED) {
            group = group.element(Level::NOTE.with_name("also").message(counted(
                more,
                "more place",
                "more places",
            )));
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
        let style = severity(finding.severity);
        let head = format!("{}[{}]", finding.severity, finding.code.slug);
        let lead = format!("\n{style}{head}{style:#}{STRONG}: ");
        let message = wrap::cut(&plain(&finding.message), MOST_SAID);
        wrap::hanging(out, (lead, head.len() + 2), 4, &message, self.columns)?;
        writeln!(out, "{STRONG:#}{}", Renderer::styled().term_width(self.columns).render(&[group]))
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
        let path = plain(&self.package.location.file(file));
        let (Some(document), Some(span), Some(start)) = (self.package.sources.get(file), place.span, start)
        else {
            let mut origin = Origin::path(path);
            if let Some(start) = start {
                origin = origin.line(start.line as usize).char_column(start.column as usize);
            }
            let label = label.map(|label| Level::NOTE.message(plain(label)).into());
            return [origin.into()].into_iter().chain(label).collect();
        };
        // The renderer writes the line's number and a bar before it.
        let room = self.columns.saturating_sub(start.line.to_string().len() + 3);
        let excerpt = excerpt(document, span, room);
        let mark = kind.span(excerpt.marked).label(label.map(plain));
        let snippet = Snippet::source(excerpt.text).line_start(start.line as usize).annotation(mark);
        match excerpt.cut {
            Cut::No => vec![snippet.path(path).into()],
            // The renderer would count columns from the cut.
            Cut::Left => {
                let origin = Origin::path(path).line(start.line as usize);
                vec![origin.char_column(start.column as usize).into(), snippet.into()]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{report, unstyled, written};
    use crate::render::plain::is_hostile;

    #[test]
    fn findings_are_shown_as_a_compiler_shows_them() {
        let text = unstyled(&written(|out| check(&report(), 100, out)));
        insta::assert_snapshot!(text, @r"
        my skills/x,y  skillpact evil 1.0.0 (0.8) + agent-skill \u{1b}[2JEvil\u{202e}

        info[package/size]: 100% of {budget}, [really]: 5,000 files
         = why: Some programs give up on large packages.
         = help: Leave out\n::error::what nobody needs.

        error[agent-skill/name-form]: the name `\u{1b}[2JEvil\u{202e}` has a capital letter
         --> my skills/x,y/SKILL.md:2:7
          |
        2 | name: ␛[2JEvil�
          |       ^^^^^^^^^
          |
          = why: Programs that follow the text refuse the skill.
          = help: Use lower-case letters, digits and single hyphens.

        warning[agent-skill/duplicate-field]: `description` is there twice
         --> my skills/x,y/SKILL.md:4:1
          |
        4 | description: Two, �1m and {0} [x](http://e).
          | ^^^^^^^^^^^^^^^^
          |
         ::: my skills/x,y/SKILL.md:3:1
          |
        3 | description: One.
          | ---------------- here [first]
          |
          = why: Programs disagree on which of the two counts.
          = help: Remove one of them.
          = for: codex, gemini-cli

          claude-code  loads          as \u{1b}[2JEvil
          codex        does not load  agent-skill/name-form

        down.zip:a/b  agent-skill

        error[agent-skill/name-form]: the name is empty
        --> down.zip:a/b/SKILL.md:2:7
         = why: Programs that follow the text refuse the skill.
         = help: Use lower-case letters, digits and single hyphens.

        fine  agent-skill fine  ok
        ");
    }

    #[test]
    fn a_narrow_terminal_gets_narrow_text() {
        let text = unstyled(&written(|out| check(&report(), 50, out)));
        insta::assert_snapshot!(text, @r"
        my skills/x,y  skillpact evil 1.0.0 (0.8) + agent-skill \u{1b}[2JEvil\u{202e}

        info[package/size]: 100% of {budget}, [really]:
            5,000 files
         = why: Some programs give up on large packages.
         = help: Leave out\n::error::what nobody needs.

        error[agent-skill/name-form]: the name
            `\u{1b}[2JEvil\u{202e}` has a capital letter
         --> my skills/x,y/SKILL.md:2:7
          |
        2 | name: ␛[2JEvil�
          |       ^^^^^^^^^
          |
          = why: Programs that follow the text refuse the
                 skill.
          = help: Use lower-case letters, digits and
                  single hyphens.

        warning[agent-skill/duplicate-field]: 
            `description` is there twice
         --> my skills/x,y/SKILL.md:4:1
          |
        4 | description: Two, �1m and {0} [x](http://e).
          | ^^^^^^^^^^^^^^^^
          |
         ::: my skills/x,y/SKILL.md:3:1
          |
        3 | description: One.
          | ---------------- here [first]
          |
          = why: Programs disagree on which of the two
                 counts.
          = help: Remove one of them.
          = for: codex, gemini-cli

          claude-code  loads          as \u{1b}[2JEvil
          codex        does not load  agent-skill/name-for
                                      m

        down.zip:a/b  agent-skill

        error[agent-skill/name-form]: the name is empty
        --> down.zip:a/b/SKILL.md:2:7
         = why: Programs that follow the text refuse the
                skill.
         = help: Use lower-case letters, digits and
                 single hyphens.

        fine  agent-skill fine  ok
        ");
    }

    #[test]
    fn no_character_that_a_terminal_obeys_comes_from_the_package() {
        let text = unstyled(&written(|out| check(&report(), 100, out)));
        assert!(text.contains("\\u{1b}[2JEvil"), "the fixture is hostile: {text}");
        let hostile: Vec<char> = text.chars().filter(|&c| c != '\n' && is_hostile(c)).collect();
        assert!(hostile.is_empty(), "{hostile:?}");
    }
}
