//! Symbolic places into lines and columns, once per document.

use std::collections::BTreeMap;

use kitbag_core::finding::{Finding, Findings, LineIndex, Place};
use kitbag_core::json::Span;
use kitbag_core::limits::Limits;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Tree;

use super::Located;

/// A longer document is not kept for excerpts: its findings still have lines and columns.
const MOST_KEPT: usize = 1 << 20;

/// Gives every finding with bytes its lines and columns. The documents come back, for excerpts.
pub(super) fn locate(findings: Findings, tree: &Tree) -> (Vec<Located>, BTreeMap<PackagePath, Vec<u8>>) {
    let mut documents: BTreeMap<PackagePath, Vec<u8>> = BTreeMap::new();
    for finding in &findings {
        let places = std::iter::once(&finding.place).chain(finding.related.iter().map(|(place, _)| place));
        for place in places {
            if let (Some(file), Some(_)) = (&place.file, place.span)
                && !documents.contains_key(file)
                && let Some(blob) = tree.file(file.as_str())
                && let Ok(bytes) = blob.read(Limits::LOOSEST.document_bytes)
            {
                documents.insert(file.clone(), bytes);
            }
        }
    }
    let lines: BTreeMap<&PackagePath, LineIndex<'_>> =
        documents.iter().map(|(file, bytes)| (file, LineIndex::new(bytes))).collect();
    let located = findings.into_iter().map(|finding| at(finding, &lines)).collect();
    drop(lines);
    documents.retain(|_, bytes| bytes.len() <= MOST_KEPT);
    (located, documents)
}

fn at(finding: Finding, lines: &BTreeMap<&PackagePath, LineIndex<'_>>) -> Located {
    let position = |place: &Place, byte: fn(Span) -> u32| {
        let lines = lines.get(place.file.as_ref()?)?;
        Some(lines.position(byte(place.span?)))
    };
    let start = position(&finding.place, |span| span.start);
    let end = position(&finding.place, |span| span.end);
    let related = finding.related.iter().map(|(place, _)| position(place, |span| span.start)).collect();
    Located { finding, start, end, related }
}
