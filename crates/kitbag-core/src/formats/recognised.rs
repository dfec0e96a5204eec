//! Formats that this version names and does not check yet: Splice, .adcap and Open-Science. Each leaves this file for a
//! folder of its own when its checks land.

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::{self, Json};
use crate::path::PackagePath;
use crate::permit::Declaration;
use crate::tree::{Blob, Tree};

use super::codes::UNCHECKED_FORMAT;
use super::{Document, Face, Format, Identity};

/// A document of a format that is recognised and not checked.
#[derive(Debug)]
pub struct Recognised {
    kind: &'static str,
    file: PackagePath,
}

/// A format known by its document's file name and shape.
#[derive(Debug)]
pub struct RecognisedFormat {
    name: &'static str,
    markers: &'static [&'static str],
    /// The kind of document, if the JSON in the marker file is one.
    kind: fn(&Json) -> Option<&'static str>,
}

// placeholders: shapes to be completed
/// Splice: a package manifest.
pub static SPLICE: RecognisedFormat =
    RecognisedFormat { name: "splice", markers: &["splice.package.json"], kind: |_| Some("splice") };
/// .adcap: a capability manifest.
pub static ADCAP: RecognisedFormat =
    RecognisedFormat { name: "adcap", markers: &["capability.json"], kind: |_| Some("adcap") };
/// Open-Science: Specialists and Connectors.
pub static OPEN_SCIENCE: RecognisedFormat =
    RecognisedFormat { name: "open-science", markers: &["specialist.json"], kind: |_| Some("specialist") };

impl Format for RecognisedFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn markers(&self) -> &'static [&'static str] {
        self.markers
    }

    fn faces(&self, tree: &Tree, _out: &mut Findings) -> Vec<Face> {
        self.markers
            .iter()
            .filter_map(|marker| {
                let file = PackagePath::new(marker).ok()?;
                let blob: &Blob = tree.file(marker)?;
                let json =
                    json::read(&blob.read(crate::limits::Limits::LOOSEST.document_bytes).ok()?).ok()?;
                let kind = (self.kind)(&json)?;
                Some(Face::Recognised(Recognised { kind, file }))
            })
            .collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        &[]
    }
}

impl Document for Recognised {
    fn check(&self, _tree: &Tree, out: &mut Findings) {
        let message = format!("recognised as {}; checked by a later version", self.kind);
        out.push(Finding::new(&UNCHECKED_FORMAT, Place::file(self.file.clone()), message));
    }

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: self.kind,
            name: None,
            version: None,
            description: None,
            spec: None,
            license: None,
        }
    }

    fn permissions(&self) -> Declaration {
        Declaration::Unspoken
    }
}
