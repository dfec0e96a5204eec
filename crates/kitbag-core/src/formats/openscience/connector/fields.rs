//! [`Reader`]: fields out of the JSON of a Connector, each rule with its code, everything that is wrong and not only the
//! first thing. A value that failed counts as absent for whatever is looked at later.

use std::collections::HashSet;

use crate::finding::{Code, Finding, Findings, Place, Severity};
use crate::json::decode::Shape;
use crate::json::{Json, Object, Pointer, Span, excerpt};
use crate::path::PackagePath;

use super::super::{codes, words};

/// Most findings about one document; one with more is hostile.
const MOST_FINDINGS: usize = 2_000;

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
}

/// What the items of a list must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items {
    /// Most of them.
    pub(super) most: usize,
    /// Longest of them, in UTF-16 code units.
    pub(super) units: usize,
    /// Their shape.
    pub(super) shape: Option<Shape>,
}

/// An object of the document and where it is.
#[derive(Clone, Debug)]
pub(super) struct Site<'j> {
    pub(super) object: &'j Object,
    pub(super) pointer: Pointer,
    pub(super) span: Span,
}

impl<'j> Site<'j> {
    /// The object `json` at `pointer`; `None` when it is none.
    pub(super) fn new(json: &'j Json, pointer: Pointer) -> Option<Self> {
        Some(Self { object: json.as_object()?, pointer, span: json.span })
    }

    /// Where the member `name` is, or where it is missing: the brace of its object alone.
    pub(super) fn at(&self, name: &str) -> (Pointer, Span) {
        match self.object.get(name) {
            Some(json) => (self.pointer.join(name), json.span),
            None => (
                self.pointer.clone(),
                Span { start: self.span.start, end: self.span.start.saturating_add(1) },
            ),
        }
    }
}

/// Where findings about one document go.
#[derive(Debug)]
pub(super) struct Reader<'f> {
    file: &'f PackagePath,
    out: &'f mut Findings,
    errors: usize,
    translate: Option<fn(&Pointer) -> Pointer>,
}

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f PackagePath, out: &'f mut Findings) -> Self {
        Self { file, out, errors: 0, translate: None }
    }

    /// How many errors were found so far.
    pub(super) const fn errors(&self) -> usize {
        self.errors
    }

    pub(super) fn push(&mut self, code: &'static Code, at: (Pointer, Span), message: impl Into<String>) {
        let pointer = match self.translate {
            Some(translate) => translate(&at.0),
            None => at.0,
        };
        let finding = Finding::new(code, Place::value(self.file.clone(), pointer, at.1), message);
        self.errors += usize::from(finding.severity == Severity::Error);
        if self.out.len() < MOST_FINDINGS {
            self.out.push(finding);
        }
    }

    /// What `read` gives, while each place is put through `translate`: for a value that was made from another document.
    pub(super) fn translated<T>(
        &mut self,
        translate: fn(&Pointer) -> Pointer,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.translate.replace(translate);
        let result = read(self);
        self.translate = outer;
        result
    }

    /// One finding for each member that is not among `known`.
    pub(super) fn unknown(&mut self, site: &Site<'_>, known: &[&str]) {
        for member in site.object.iter().filter(|member| !known.contains(&member.name.as_str())) {
            let message = format!("`{}` is no field of a Connector", excerpt(&member.name));
            let at = (site.pointer.join(&member.name), member.name_span);
            self.push(&codes::CONNECTOR_UNKNOWN_FIELD, at, message);
        }
    }

    /// A text of at most `units`, trimmed.
    pub(super) fn text(
        &mut self,
        site: &Site<'_>,
        name: &str,
        units: usize,
        presence: Presence,
    ) -> Option<String> {
        let Some(json) = site.object.get(name) else {
            if presence == Presence::Required {
                self.push(&codes::CONNECTOR_REQUIRED, site.at(name), format!("`{name}` is missing"));
            }
            return None;
        };
        self.text_of(json, &format!("`{name}`"), site.at(name), units)
    }

    fn text_of(&mut self, json: &Json, what: &str, at: (Pointer, Span), units: usize) -> Option<String> {
        let Some(text) = json.as_str() else {
            let message = format!("{what} is {} and must be a string", json.kind());
            self.push(&codes::CONNECTOR_TYPE, at, message);
            return None;
        };
        let text = words::trim(text);
        if text.is_empty() {
            self.push(&codes::CONNECTOR_EMPTY, at, format!("{what} is empty"));
            return None;
        }
        self.fits(text, what, at, units).then(|| text.to_owned())
    }

    fn fits(&mut self, text: &str, what: &str, at: (Pointer, Span), most: usize) -> bool {
        let units = words::units(text);
        if units > most {
            let message = format!("{what} has {units} UTF-16 code units and may have {most}");
            self.push(&codes::CONNECTOR_TOO_LONG, at, message);
        }
        units <= most
    }

    /// The member `name`, if it is an object; where it is something else, that is said.
    pub(super) fn object<'j>(&mut self, site: &Site<'j>, name: &str) -> Option<Site<'j>> {
        let json = site.object.get(name)?;
        let inner = Site::new(json, site.pointer.join(name));
        if inner.is_none() {
            let message = format!("`{name}` is {} and must be an object", json.kind());
            self.push(&codes::CONNECTOR_TYPE, site.at(name), message);
        }
        inner
    }

    fn array<'j>(&mut self, site: &Site<'j>, name: &str, most: usize) -> Option<&'j [Json]> {
        let json = site.object.get(name)?;
        let Some(items) = json.as_array() else {
            let message = format!("`{name}` is {} and must be an array", json.kind());
            self.push(&codes::CONNECTOR_TYPE, site.at(name), message);
            return None;
        };
        if items.len() > most {
            let message = format!("`{name}` has {} items and may have {most}", items.len());
            self.push(&codes::CONNECTOR_TOO_MANY, site.at(name), message);
            return None;
        }
        Some(items)
    }

    /// A list of names: each trimmed, repeats left out.
    pub(super) fn list(&mut self, site: &Site<'_>, name: &str, items: Items) -> Vec<String> {
        let mut taken = HashSet::new();
        let mut kept = Vec::new();
        let all = self.array(site, name, items.most).unwrap_or_default();
        for (index, item) in all.iter().enumerate() {
            let at = (site.pointer.join(name).join(index), item.span);
            let what = format!("item {index} of `{name}`");
            let Some(text) = self.text_of(item, &what, at.clone(), items.units) else { continue };
            if let Some(shape) = items.shape
                && !(shape.holds)(&text)
            {
                let message = format!("`{}` is no {}", excerpt(&text), shape.rule);
                self.push(&codes::CONNECTOR_INVALID_NAME, at, message);
            } else if taken.insert(text.clone()) {
                kept.push(text);
            }
        }
        kept
    }

    /// Arguments: strings of at most `units`, kept as they are, blanks and repeats included.
    pub(super) fn literal(
        &mut self,
        site: &Site<'_>,
        name: &str,
        most: usize,
        units: usize,
    ) -> Option<Vec<String>> {
        let items = self.array(site, name, most)?;
        let mut kept = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = (site.pointer.join(name).join(index), item.span);
            let what = format!("item {index} of `{name}`");
            match item.as_str() {
                None => {
                    let message = format!("{what} is {} and must be a string", item.kind());
                    self.push(&codes::CONNECTOR_TYPE, at, message);
                }
                Some(text) if self.fits(text, &what, at, units) => kept.push(text.to_owned()),
                Some(_) => {}
            }
        }
        (kept.len() == items.len()).then_some(kept)
    }
}
