//! [`Faults`]: everything wrong with a manifest, in the order it was met. [`Site`]: a value, its path in Splice's words
//! and its pointer.

use crate::finding::Code;
use crate::json::{Json, Object, Pointer, Span, excerpt};

use super::super::{codes, words};

/// Most faults that are kept, and most bytes of their texts and pointers; a manifest with more is hostile.
const MAX_FAULTS: usize = 2_000;
const MAX_BYTES: usize = 4 << 20;

/// Something wrong with a manifest.
#[derive(Clone, Debug)]
pub(in super::super) struct Fault {
    pub code: &'static Code,
    /// `tools[0].name: …`, as Splice's own implementation begins its errors.
    pub message: String,
    pub pointer: Pointer,
    pub span: Span,
}

/// A value of the manifest.
#[derive(Clone, Debug)]
pub(in super::super) struct Site<'j> {
    json: Option<&'j Json>,
    path: String,
    pointer: Pointer,
    span: Span,
}

impl<'j> Site<'j> {
    pub fn root(json: &'j Json) -> Self {
        Self { json: Some(json), path: String::new(), pointer: Pointer::root(), span: json.span }
    }

    /// The member `name`, which is `json`.
    pub fn member(&self, name: &str, json: &'j Json) -> Self {
        let path = self.path_of(name);
        Self { json: Some(json), path, pointer: self.pointer.join(name), span: json.span }
    }

    /// The member `name` where it is there, otherwise the place where it is missing.
    pub fn at(&self, name: &str) -> Self {
        match self.get(name) {
            Some(json) => self.member(name, json),
            None => self.missing(name),
        }
    }

    /// A member that is not there. The brace of its object alone is pointed at.
    pub fn missing(&self, name: &str) -> Self {
        let span = Span { start: self.span.start, end: self.span.start.saturating_add(1) };
        Self { json: None, path: self.path_of(name), pointer: self.pointer.clone(), span }
    }

    /// The item `index`, which is `json`.
    pub fn item(&self, index: usize, json: &'j Json) -> Self {
        let path = format!("{}[{index}]", self.path);
        Self { json: Some(json), path, pointer: self.pointer.join(index), span: json.span }
    }

    /// The item `index` of this list, under the list's own path.
    pub fn item_of(&self, index: usize, json: &'j Json) -> Self {
        let pointer = self.pointer.join(index);
        Self { json: Some(json), path: self.path.clone(), pointer, span: json.span }
    }

    /// The same value, pointed at elsewhere.
    pub fn spot(&self, span: Span) -> Self {
        Self { span, ..self.clone() }
    }

    pub fn get(&self, name: &str) -> Option<&'j Json> {
        self.json?.get(name)
    }

    pub const fn span(&self) -> Span {
        self.span
    }

    pub const fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    fn path_of(&self, name: &str) -> String {
        match &*self.path {
            "" => excerpt(name),
            path => format!("{path}.{}", excerpt(name)),
        }
    }
}

/// Everything wrong with a manifest.
#[derive(Debug, Default)]
pub(in super::super) struct Faults {
    kept: Vec<Fault>,
    bytes: usize,
}

impl Faults {
    pub fn push(&mut self, code: &'static Code, site: &Site<'_>, message: impl AsRef<str>) {
        let path = if site.path.is_empty() { "manifest" } else { &site.path };
        let message = format!("{path}: {}", message.as_ref());
        self.add(Fault { code, message, pointer: site.pointer.clone(), span: site.span });
    }

    pub fn add(&mut self, fault: Fault) {
        if self.kept.len() > MAX_FAULTS || self.bytes > MAX_BYTES {
            return;
        }
        self.bytes += fault.message.len() + fault.pointer.as_str().len();
        if self.kept.len() == MAX_FAULTS || self.bytes > MAX_BYTES {
            self.bytes = usize::MAX;
            let message = "manifest: there are more faults than are listed".to_owned();
            let (pointer, span) = (Pointer::root(), fault.span);
            self.kept.push(Fault { code: &codes::FIELD, message, pointer, span });
            return;
        }
        self.kept.push(fault);
    }

    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub fn finish(self) -> Vec<Fault> {
        self.kept
    }

    /// Members that `known` does not list and that are no vendor's own.
    pub fn unknown(&mut self, site: &Site<'_>, object: &Object, known: &[&str]) {
        for member in object.in_script_order() {
            if !known.contains(&member.name.as_str()) && !member.name.starts_with("x-") {
                self.add(Fault {
                    code: &codes::UNKNOWN_FIELD,
                    message: format!("{}: unknown field", site.path_of(&member.name)),
                    pointer: site.pointer.join(&member.name),
                    span: member.name_span,
                });
            }
        }
    }

    /// A text that must be there and must not be blank. One that is too long is given back too: its shape is still
    /// looked at.
    pub fn required_text(&mut self, site: &Site<'_>, name: &str, most: usize) -> Option<String> {
        let Some(text) = site.get(name).and_then(Json::as_str).filter(|text| !words::is_blank(text)) else {
            let message = "is required and must be a non-empty string";
            self.push(&codes::REQUIRED_FIELD, &site.at(name), message);
            return None;
        };
        if words::units(text) > most {
            let message = format!("must be at most {most} characters");
            self.push(&codes::TOO_LONG, &site.at(name), message);
        }
        Some(text.to_owned())
    }

    /// A text that may be missing and may be empty.
    pub fn short_text(&mut self, site: &Site<'_>, name: &str, most: usize) -> Option<String> {
        let json = site.get(name)?;
        let text = json.as_str().filter(|text| words::units(text) <= most);
        if text.is_none() {
            let message = format!("must be a string of at most {most} characters");
            self.push(&codes::FIELD, &site.member(name, json), message);
        }
        text.map(str::to_owned)
    }
}
