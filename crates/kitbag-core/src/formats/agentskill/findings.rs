//! From verdicts to findings: one per mistake, naming every program that is concerned.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::finding::{Code, Finding, Findings, Place, Severity};
use crate::json::{Pointer, Span};
use crate::tree::{Root, Tree};

use super::codes;
use super::document::Skill;
use super::fields;
use super::references;
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
pub(super) fn collect(skill: &Skill, tree: &Tree, out: &mut Findings) {
    let mut made: Vec<Finding> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::new();
    for verdict in &skill.verdicts {
        for reason in &verdict.reasons {
            match known.entry(key(reason)) {
                Entry::Occupied(index) => {
                    let consumers = &mut made[*index.get()].consumers;
                    if !consumers.contains(&verdict.profile) {
                        consumers.push(verdict.profile);
                    }
                }
                Entry::Vacant(new) => {
                    new.insert(made.len());
                    let mut finding =
                        Finding::new(reason.code, place(skill, &reason.at), reason.message.clone());
                    if let Some(help) = &reason.help {
                        finding = finding.help(help.clone());
                    }
                    made.push(finding.consumers([verdict.profile]));
                }
            }
        }
    }
    for remark in remarks(skill).into_iter().chain(references(skill, tree)) {
        made.push(Finding::new(remark.code, place(skill, &remark.at), remark.message));
    }
    for mut finding in made {
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

/// Files that the body refers to and that are not there. A document by itself has no files to refer to.
fn references(skill: &Skill, tree: &Tree) -> Vec<Reason> {
    let (Some(content), Some(front)) = (&skill.content, &skill.front) else { return Vec::new() };
    if tree.root() == Root::Document || content.invalid.is_some() {
        return Vec::new();
    }
    let missing = references::missing(&content.text, front.body, tree).into_iter();
    let reasons = missing.map(|(span, target)| {
        let message = format!("the body refers to `{}`, and there is no such file", fields::shown(&target));
        Reason::altered(&codes::REFERENCE_MISSING, At::Span(span), message)
    });
    reasons.collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Site;
    use crate::path::PackagePath;
    use crate::tree::{Blob, Node};

    fn checked(document: &str) -> (Skill, Findings) {
        let mut tree = Tree::new(Some("pdf".into()), Root::Folder);
        let file = PackagePath::new("SKILL.md").unwrap();
        tree.insert(file, Node::File(Blob::from_bytes(document))).unwrap();
        let skill = Skill::open(&Site::root(&tree)).unwrap();
        let mut findings = Findings::default();
        collect(&skill, &tree, &mut findings);
        (skill, findings)
    }

    fn slugs(findings: &Findings) -> Vec<(&str, Severity)> {
        findings
            .iter()
            .map(|finding| (finding.code.slug.trim_start_matches("agent-skill/"), finding.severity))
            .collect()
    }

    const COLON: &str = "---\nname: pdf\ndescription: Use when: x\nmodel: opus\n---\nBody\n";

    #[test]
    fn one_mistake_is_one_finding_that_names_everybody_concerned() {
        let (_, findings) = checked(COLON);
        // What stands behind the mistake is judged as if it had been put right.
        assert_eq!(
            slugs(&findings),
            [("unquoted-colon", Severity::Error), ("extension-field", Severity::Info)]
        );
        let finding = findings.iter().next().unwrap();
        assert_eq!(finding.consumers, ["spec", "skills-ref", "npx-skills", "open-science"]);
        assert_eq!(&COLON[finding.place.span.unwrap().range()], "Use when: x");
    }

    #[test]
    fn a_good_skill_is_no_finding() {
        let (skill, findings) =
            checked("---\nname: pdf\ndescription: Reads. Use it for PDF files.\n---\nBody\n");
        assert_eq!(slugs(&findings), []);
        assert!(skill.verdicts().iter().all(Verdict::loads));
    }

    #[test]
    fn a_field_that_a_program_reads_is_information_and_an_error_only_for_who_refuses_it() {
        let document = "---\nname: pdf\ndescription: x\nmodel: opus\nzeta: 1\n---\nBody\n";
        let (skill, findings) = checked(document);
        assert_eq!(
            slugs(&findings),
            [("extension-field", Severity::Info), ("unexpected-field", Severity::Warning)]
        );
        let selected = |names: &[&str]| select(findings.clone(), skill.verdicts(), names);
        assert_eq!(slugs(&selected(&["claude-code"])), [("extension-field", Severity::Info)]);
        assert_eq!(
            slugs(&selected(&["skills-ref"])),
            [("extension-field", Severity::Error), ("unexpected-field", Severity::Error)]
        );
        assert_eq!(slugs(&selected(&["codex"])), []);
        assert_eq!(selected(&[]).len(), findings.len());
    }

    #[test]
    fn a_loss_in_a_selected_program_is_an_error_and_in_another_is_left_out() {
        let (skill, findings) = checked("\u{feff}---\nname: pdf\ndescription: x\n---\nBody\n");
        assert_eq!(slugs(&findings), [("byte-order-mark", Severity::Warning)]);
        let selected = |name| select(findings.clone(), skill.verdicts(), &[name]);
        assert_eq!(slugs(&selected("codex")), [("byte-order-mark", Severity::Error)]);
        assert_eq!(slugs(&selected("claude-code")), []);
    }

    #[test]
    fn what_the_author_asked_for_is_no_error_even_when_selected() {
        let document = "---\nname: pdf\ndescription: x\ndisable-model-invocation: true\n---\nBody\n";
        let (skill, findings) = checked(document);
        let selected = select(findings, skill.verdicts(), &["claude-code"]);
        assert!(slugs(&selected).contains(&("not-offered-to-model", Severity::Info)));
        assert!(!selected.has_errors());
        assert!(!skill.verdict("claude-code").unwrap().loads());
    }

    #[test]
    fn a_flood_of_unknown_fields_is_cut() {
        let fields: String = (0..20_000).map(|n| format!("k{n}: v\n")).collect();
        let (_, findings) = checked(&format!("---\nname: pdf\ndescription: x\n{fields}---\nBody\n"));
        assert!(findings.len() <= 60, "{}", findings.len());
    }

    #[test]
    fn the_size_that_one_program_skips_is_exact() {
        let head = "---\nname: pdf\ndescription: x\n---\n";
        let sized = |bytes: usize| format!("{head}{}", "y".repeat(bytes - head.len()));
        let loads = |bytes| checked(&sized(bytes)).0.verdict("claude-code").unwrap().loads();
        assert!(loads(1_000_000));
        assert!(!loads(1_000_001));
        let (skill, _) = checked(&sized(1_000_001));
        assert!(
            skill.verdicts().iter().filter(|verdict| verdict.profile != "claude-code").all(Verdict::loads)
        );
    }
}
