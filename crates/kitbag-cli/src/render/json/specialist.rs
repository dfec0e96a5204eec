//! `specialist preview`

use std::io::{self, Write};

use kitbag::specialist::{Answer, Verdict};
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::finding::Finding;

#[derive(Serialize)]
struct Preview<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    installable: bool,
    /// What Open-Science itself would say.
    upstream_installable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    skills: Vec<Skill<'a>>,
    skill_ids: &'a [String],
    connector_ids: &'a [String],
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Skill<'a> {
    id: &'a str,
    version: &'a str,
    disposition: &'static str,
    local_id: &'a str,
    files: Vec<&'a str>,
}

/// The answer of `specialist preview`. The instructions of the role are not in it.
///
/// # Errors
/// The writer's own.
pub fn specialist(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let preview = &answer.preview;
    let payload = preview.payload.as_ref();
    let installable = answer.verdict == Verdict::Installable;
    let skills = preview.skills.iter().map(|planned| Skill {
        id: &planned.skill.id,
        version: &planned.skill.version,
        disposition: planned.disposition.word(),
        local_id: &planned.local_id,
        files: planned.skill.files.iter().map(|file| file.path.as_str()).collect(),
    });
    let findings = answer.report.packages.iter().flat_map(|package| &package.findings).map(Finding::of);
    let value = Preview {
        version: VERSION,
        command: "specialist preview",
        ok: installable,
        installable,
        upstream_installable: answer.upstream == Verdict::Installable,
        id: preview.manifest.as_ref().map(|manifest| manifest.id.as_str()),
        package_version: preview.manifest.as_ref().map(|manifest| manifest.version.as_str()),
        name: payload.map(|payload| payload.name.as_str()),
        skills: skills.collect(),
        skill_ids: payload.map_or(&[], |payload| &payload.skill_ids),
        connector_ids: payload.map_or(&[], |payload| &payload.connector_ids),
        findings: findings.collect(),
    };
    document::write(&value, out)
}
