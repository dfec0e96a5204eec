//! From verdicts to findings: one per mistake, naming every program that is concerned.

use crate::finding::{Code, Finding, Findings, Place, Severity};
use crate::json::{Pointer, Span};
use crate::tree::Tree;

use super::codes;
use super::document::Skill;
use super::fields;
use super::situation::{Document, Reached};
use super::verdict::{At, Effect, Reason, Verdict};

/// What two reasons must share to be one finding.
type Key = (&'static str, Option<Span>, Option<Pointer>);

fn key(reason: &Reason) -> Key {
    let (span, pointer) = match &reason.at {
        At::Package | At::Document => (None, None),
        At::Span(span) => (Some(*span), None),
        At::Field(pointer, span) => (Some(*span), Some(pointer.clone())),
    };
    (reason.code.slug, span, pointer)
}

/// Writes one finding per mistake to `out`.
pub(super) fn collect(skill: &Skill, _tree: &Tree, out: &mut Findings) {
    let mut made: Vec<(Key, Finding)> = Vec::new();
    for verdict in &skill.verdicts {
        for reason in &verdict.reasons {
            let key = key(reason);
            match made.iter_mut().find(|(known, _)| *known == key) {
                Some((_, finding)) => {
                    if !finding.consumers.contains(&verdict.profile) {
                        finding.consumers.push(verdict.profile);
                    }
                }
                None => {
                    let mut finding =
                        Finding::new(reason.code, place(skill, &reason.at), reason.message.clone());
                    if let Some(help) = &reason.help {
                        finding = finding.help(help.clone());
                    }
                    made.push((key, finding.consumers([verdict.profile])));
                }
            }
        }
    }
    for remark in remarks(skill) {
        made.push((key(&remark), Finding::new(remark.code, place(skill, &remark.at), remark.message)));
    }
    for (_, mut finding) in made {
        name_readers(&mut finding);
        out.push(finding);
    }
}

/// A field that only some program reads concerns that program too.
fn name_readers(finding: &mut Finding) {
    if finding.code != &codes::EXTENSION_FIELD {
        return;
    }
    let field = finding.place.pointer.as_ref().and_then(|pointer| pointer.tokens().next());
    for reader in field.map_or(&[][..], |field| fields::readers(&field)) {
        if !finding.consumers.contains(reader) {
            finding.consumers.push(reader);
        }
    }
}

/// What is worth saying whether or not any program minds.
fn remarks(skill: &Skill) -> Vec<Reason> {
    let mut remarks = Vec::new();
    let situation = &skill.situation;
    let said = |code: &'static Code| {
        skill.verdicts.iter().any(|verdict| verdict.reasons.iter().any(|r| r.code == code))
    };
    if !situation.twins.is_empty() {
        let message = format!("`{}` lies beside `{}`", situation.twins.join("`, `"), skill.file);
        remarks.push(Reason::altered(&codes::FILE_TWICE, At::Document, message));
    }
    if let Document::Link { target } = &situation.document
        && !said(&codes::DOCUMENT_LINK)
    {
        let message = format!("`{}` is a symbolic link to `{target}`", skill.file);
        remarks.push(Reason::altered(&codes::DOCUMENT_LINK, At::Document, message));
    }
    if situation.reached == Reached::Link && !said(&codes::FOLDER_LINK) {
        let message = "the skill's folder is a symbolic link";
        remarks.push(Reason::altered(&codes::FOLDER_LINK, At::Package, message));
    }
    remarks
}

/// The place of a reason. In a file that is no text, places cannot be counted.
fn place(skill: &Skill, at: &At) -> Place {
    let file = skill.file.clone();
    let is_text = skill.content.as_ref().is_some_and(|content| content.invalid.is_none());
    match at {
        At::Package => Place::package(),
        At::Span(span) if is_text => Place::span(file, *span),
        At::Field(pointer, span) if is_text => Place::value(file, pointer.clone(), *span),
        At::Field(pointer, _) => Place { pointer: Some(pointer.clone()), ..Place::file(file) },
        At::Document | At::Span(_) => Place::file(file),
    }
}

/// Keeps of `findings` what concerns the programs in `selected`, and grades it for them: what keeps a selected program
/// from loading the skill is an error, unless the author asked for it. With nothing selected, nothing changes.
#[must_use]
pub fn select(findings: Findings, verdicts: &[Verdict], selected: &[&str]) -> Findings {
    if selected.is_empty() {
        return findings;
    }
    let fatal: Vec<(Key, &str)> = verdicts
        .iter()
        .filter(|verdict| selected.contains(&verdict.profile))
        .flat_map(|verdict| verdict.because().map(|reason| (reason, verdict.profile)))
        .filter(|(reason, _)| reason.effect == Effect::Lost)
        .map(|(reason, profile)| (key(reason), profile))
        .collect();
    let mut kept = Findings::default();
    for mut finding in findings {
        if finding.consumers.is_empty() {
            kept.push(finding);
            continue;
        }
        finding.consumers.retain(|consumer| selected.contains(consumer));
        if finding.consumers.is_empty() {
            continue;
        }
        let here = (finding.code.slug, finding.place.span, finding.place.pointer.clone());
        let spanless = |(slug, ..): &Key| *slug == here.0 && finding.place.span.is_none();
        if fatal.iter().any(|(key, _)| *key == here || spanless(key)) {
            finding.severity = Severity::Error;
        }
        kept.push(finding);
    }
    kept
}
