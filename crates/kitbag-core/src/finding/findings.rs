//! [`Findings`]: the collector, the only thing a check can write to.

use std::borrow::Cow;

use super::code::{Code, Severity, SpecVersion};
use super::place::Place;

/// One thing a check has to say.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its stable name.
    pub code: &'static Code,
    /// How bad it is, under the version of the specification the document declares.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// What is so: one sentence without full stop, with the values that make it so.
    pub message: String,
    /// Why it matters.
    pub why: Cow<'static, str>,
    /// What to do.
    pub help: Cow<'static, str>,
    /// Other places that belong to it, each with a few words.
    pub related: Vec<(Place, String)>,
    /// The programs it concerns, by profile name; empty: everybody.
    pub consumers: Vec<&'static str>,
}

impl Finding {
    /// A finding with the code's own why and help, graded for the newest version of the specification.
    #[must_use]
    pub fn new(code: &'static Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.grade.under(None),
            place,
            message: message.into(),
            why: Cow::Borrowed(code.why),
            help: Cow::Borrowed(code.help),
            related: Vec::new(),
            consumers: Vec::new(),
        }
    }

    /// Grades it for the version the document declares.
    #[must_use]
    pub fn under(mut self, version: SpecVersion) -> Self {
        self.severity = self.code.grade.under(Some(version));
        self
    }

    /// Says more exactly what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = help.into();
        self
    }

    /// Says more exactly why it matters.
    #[must_use]
    pub fn why(mut self, why: impl Into<Cow<'static, str>>) -> Self {
        self.why = why.into();
        self
    }

    /// Points at another place that belongs to it.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }

    /// Names the programs it concerns.
    #[must_use]
    pub fn consumers(mut self, consumers: impl IntoIterator<Item = &'static str>) -> Self {
        self.consumers.extend(consumers);
        self
    }
}

/// Findings in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds one.
    pub fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, wanted: impl FnMut(&Finding) -> bool) {
        self.0.retain(wanted);
    }

    /// Whether any is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|finding| finding.severity == severity).count()
    }

    /// The findings, in the order they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Number of findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Orders by file, then place in the file, then code; findings about the whole package come first.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| {
            let start = |finding: &Finding| finding.place.span.map(|span| span.start);
            a.place
                .file
                .cmp(&b.place.file)
                .then(start(a).cmp(&start(b)))
                .then(a.place.pointer.cmp(&b.place.pointer))
                .then(a.code.slug.cmp(b.code.slug))
        });
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Extend<Finding> for Findings {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, iter: T) {
        self.0.extend(iter);
    }
}
