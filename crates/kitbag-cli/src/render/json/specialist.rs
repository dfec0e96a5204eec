//! `specialist preview`, `install`, `list`, `show`, `export` and `delete`

use std::io::{self, Write};

use kitbag::specialist::{
    Answer, Deleted, Entry, ExportPreview, Exported, Installation, Installed, Token, Verdict, Wider,
};
use kitbag_core::formats::openscience::specialist::export::Inclusion;
use kitbag_core::formats::openscience::specialist::inventory::{Access, Missing, ProfileState};
use kitbag_core::formats::openscience::specialist::preview::{MainAgent, Standalone};
use kitbag_core::formats::openscience::specialist::removal::Removal;
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::finding::Finding;
use super::show::Statement;

#[derive(Serialize)]
struct Preview<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    #[serde(flatten)]
    looked: Looked<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
}

/// What an installation would do.
#[derive(Serialize)]
struct Looked<'a> {
    installable: bool,
    /// What Open-Science itself would say.
    upstream_installable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    overwrite: Option<Overwrite<'a>>,
    skills: Vec<Skill<'a>>,
    skill_ids: &'a [String],
    connector_ids: &'a [String],
    permissions: Vec<Statement<'a>>,
    wider: Vec<WiderOf<'a>>,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Skill<'a> {
    id: &'a str,
    version: &'a str,
    disposition: &'static str,
    local_id: &'a str,
    files: Vec<&'a str>,
    users: &'a [String],
}

#[derive(Serialize)]
struct Overwrite<'a> {
    id: &'a str,
    revision: u64,
    current_version: &'a str,
    incoming_version: &'a str,
    modified_since_import: bool,
    has_import_baseline: bool,
}

#[derive(Serialize)]
struct WiderOf<'a> {
    id: &'a str,
    name: &'a str,
    permissions: Vec<Statement<'a>>,
}

impl<'a> WiderOf<'a> {
    fn of(wider: &'a Wider) -> Self {
        let permissions = wider.permissions.iter().map(Statement::of).collect();
        Self { id: &wider.id, name: &wider.name, permissions }
    }
}

impl<'a> Looked<'a> {
    fn of(answer: &'a Answer) -> Self {
        let preview = &answer.preview;
        let payload = preview.payload.as_ref();
        let skills = preview.skills.iter().map(|planned| Skill {
            id: &planned.skill.id,
            version: &planned.skill.version,
            disposition: planned.disposition.word(),
            local_id: &planned.local_id,
            files: planned.skill.files.iter().map(|file| file.path.as_str()).collect(),
            users: &planned.users,
        });
        let overwrite = answer.overwrite.as_ref().map(|found| Overwrite {
            id: &found.id,
            revision: found.revision,
            current_version: &found.current_version,
            incoming_version: &found.incoming_version,
            modified_since_import: found.is_modified,
            has_import_baseline: found.has_baseline,
        });
        let findings = answer.report.packages.iter().flat_map(|package| &package.findings);
        Self {
            installable: answer.verdict == Verdict::Installable,
            upstream_installable: answer.upstream == Verdict::Installable,
            id: preview.manifest.as_ref().map(|manifest| manifest.id.as_str()),
            package_version: preview.manifest.as_ref().map(|manifest| manifest.version.as_str()),
            name: payload.map(|payload| payload.name.as_str()),
            installed: answer.is_installed,
            overwrite,
            skills: skills.collect(),
            skill_ids: payload.map_or(&[], |payload| &payload.skill_ids),
            connector_ids: payload.map_or(&[], |payload| &payload.connector_ids),
            permissions: answer.may.iter().map(Statement::of).collect(),
            wider: answer.wider.iter().map(WiderOf::of).collect(),
            findings: findings.map(Finding::of).collect(),
        }
    }
}

/// The answer of `specialist preview`. The instructions of the role are not in it.
///
/// # Errors
/// The writer's own.
pub fn specialist(answer: &Answer, token: Option<&Token>, out: &mut dyn Write) -> io::Result<()> {
    let expires = answer.candidate.as_ref().map(|candidate| candidate.expires);
    let value = Preview {
        version: VERSION,
        command: "specialist preview",
        ok: answer.verdict == Verdict::Installable,
        looked: Looked::of(answer),
        token: token.map(|token| token.text.as_str()),
        expires: expires.filter(|_| token.is_some()),
    };
    document::write(&value, out)
}

#[derive(Serialize)]
struct Install<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specialist: Option<Identity<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Looked<'a>>,
}

#[derive(Serialize)]
struct Identity<'a> {
    id: &'a str,
    name: &'a str,
    package_version: &'a str,
    revision: u64,
    skills: Vec<Disposed<'a>>,
    wider: Vec<WiderOf<'a>>,
}

#[derive(Serialize)]
struct Disposed<'a> {
    id: &'a str,
    disposition: &'static str,
}

impl<'a> Identity<'a> {
    fn of(installed: &'a Installed) -> Self {
        let skills = installed.skills.iter();
        Self {
            id: &installed.id,
            name: &installed.name,
            package_version: &installed.version,
            revision: installed.revision,
            skills: skills.map(|(id, found)| Disposed { id, disposition: found.word() }).collect(),
            wider: installed.wider.iter().map(WiderOf::of).collect(),
        }
    }
}

impl Install<'_> {
    const NOTHING: Self = Self {
        version: VERSION,
        command: "specialist install",
        ok: false,
        outcome: "refused",
        code: None,
        because: None,
        specialist: None,
        preview: None,
    };
}

/// The answer of `specialist install`.
///
/// # Errors
/// The writer's own.
pub fn installation(outcome: &Installation, out: &mut dyn Write) -> io::Result<()> {
    match outcome {
        Installation::Installed(installed) => {
            let specialist = Some(Identity::of(installed));
            document::write(&Install { ok: true, outcome: "installed", specialist, ..Install::NOTHING }, out)
        }
        Installation::Refused(refusal, answer) => {
            not_installed(answer, refusal.code(), &refusal.to_string(), out)
        }
        _ => document::write(&Install::NOTHING, out),
    }
}

/// The same where nothing was installed, for whatever reason.
///
/// # Errors
/// The writer's own.
pub fn not_installed(answer: &Answer, code: &str, because: &str, out: &mut dyn Write) -> io::Result<()> {
    let preview = Some(Looked::of(answer));
    let because = Some(because.to_owned());
    document::write(&Install { code: Some(code), because, preview, ..Install::NOTHING }, out)
}

/// The same where exactly this is installed.
///
/// # Errors
/// The writer's own.
pub fn installed_already(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let preview = Some(Looked::of(answer));
    document::write(&Install { ok: true, outcome: "installed-already", preview, ..Install::NOTHING }, out)
}

#[derive(Serialize)]
struct List<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    specialists: Vec<Profile<'a>>,
}

#[derive(Serialize)]
struct Profile<'a> {
    id: &'a str,
    name: &'a str,
    package_version: &'a str,
    revision: u64,
    state: &'static str,
    access: &'static str,
    modified_since_import: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_at: Option<u64>,
    content: String,
    skills: Vec<Used<'a>>,
    connectors: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<MissingNames<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Vec<Statement<'a>>>,
}

#[derive(Serialize)]
struct Used<'a> {
    id: &'a str,
    name: &'a str,
    version: &'a str,
    owned: bool,
    standalone: bool,
    owners: &'a [String],
    main_agent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// Names that stand for nothing.
#[derive(Serialize)]
struct MissingNames<'a> {
    skills: &'a [String],
    connectors: &'a [String],
}

impl<'a> MissingNames<'a> {
    fn of(missing: &'a Missing) -> Self {
        Self { skills: &missing.skills, connectors: &missing.connectors }
    }
}

impl<'a> Profile<'a> {
    fn of(entry: &'a Entry) -> Self {
        let profile = &entry.profile;
        let skills = entry.skills.iter().map(|(id, skill)| Used {
            id,
            name: &skill.name,
            version: &skill.version,
            owned: profile.owned.contains(id),
            standalone: skill.standalone == Standalone::Yes,
            owners: &skill.owners,
            main_agent: skill.main_agent == MainAgent::Uses,
            content: skill.exact.map(|exact| exact.to_string()),
        });
        Self {
            id: &entry.id,
            name: profile.shown_name(),
            package_version: &profile.package_version,
            revision: profile.revision,
            state: match profile.state {
                ProfileState::SetupPending => "setup-pending",
                ProfileState::Disabled => "disabled",
                ProfileState::Enabled => "enabled",
            },
            access: if profile.access == Access::Full { "full" } else { "selected" },
            modified_since_import: profile.is_modified(),
            imported_at: profile.baseline.as_ref().map(|baseline| baseline.imported_at),
            content: profile.role.to_string(),
            skills: skills.collect(),
            connectors: &entry.connectors,
            missing: None,
            permissions: None,
        }
    }
}

/// The answer of `specialist list`.
///
/// # Errors
/// The writer's own.
pub fn specialists(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    let specialists = entries.iter().map(Profile::of).collect();
    document::write(&List { version: VERSION, command: "specialist list", ok: true, specialists }, out)
}

#[derive(Serialize)]
struct Shown<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    specialist: Option<Profile<'a>>,
}

/// The answer of `specialist show`.
///
/// # Errors
/// The writer's own.
pub fn installed_specialist(entry: Option<&Entry>, out: &mut dyn Write) -> io::Result<()> {
    let specialist = entry.map(|entry| Profile {
        missing: Some(MissingNames::of(&entry.missing)),
        permissions: Some(entry.may.iter().map(Statement::of).collect()),
        ..Profile::of(entry)
    });
    let ok = specialist.is_some();
    document::write(&Shown { version: VERSION, command: "specialist show", ok, specialist }, out)
}

#[derive(Serialize)]
struct Export<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    id: &'a str,
    name: &'a str,
    package_version: &'a str,
    revision: u64,
    file_name: &'a str,
    skills: Vec<Exportable<'a>>,
    connector_ids: &'a [String],
    missing: MissingNames<'a>,
    findings: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Archive>,
}

#[derive(Serialize)]
struct Exportable<'a> {
    id: &'a str,
    name: &'a str,
    version: &'a str,
    kind: &'static str,
    selected: bool,
}

#[derive(Serialize)]
struct Archive {
    path: String,
    bytes: u64,
    sha256: String,
}

/// The answer of `specialist export`, whether anything was written or not.
///
/// # Errors
/// The writer's own.
pub fn export(preview: &ExportPreview, exported: Option<&Exported>, out: &mut dyn Write) -> io::Result<()> {
    let found = &preview.export;
    let outcome = match (exported, preview.can_export) {
        (Some(_), _) => "exported",
        (None, true) => "previewed",
        (None, false) => "unsound",
    };
    let skills = found.skills.iter().map(|skill| Exportable {
        id: &skill.local_id,
        name: &skill.name,
        version: &skill.version,
        kind: skill.kind.word(),
        selected: skill.inclusion == Inclusion::Bundled,
    });
    let findings = preview.report.packages.iter().flat_map(|package| &package.findings);
    let archive = exported.map(|done| Archive {
        path: done.path.display().to_string(),
        bytes: done.bytes,
        sha256: done.sha256.to_string(),
    });
    let value = Export {
        version: VERSION,
        command: "specialist export",
        ok: preview.can_export,
        outcome,
        id: &found.id,
        name: &found.name,
        package_version: &found.version,
        revision: found.revision,
        file_name: &preview.file_name,
        skills: skills.collect(),
        connector_ids: &found.connectors,
        missing: MissingNames::of(&preview.missing),
        findings: findings.map(Finding::of).collect(),
        archive,
    };
    document::write(&value, out)
}

#[derive(Serialize)]
struct Deletion<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    skills: Vec<Removable<'a>>,
}

#[derive(Serialize)]
struct Removable<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bool>,
    reasons: Vec<ReasonOf<'a>>,
}

#[derive(Serialize)]
struct ReasonOf<'a> {
    code: &'static str,
    specialist_ids: &'a [String],
}

/// The answer of `specialist delete --dry-run`.
///
/// # Errors
/// The writer's own.
pub fn removal(removal: &Removal, out: &mut dyn Write) -> io::Result<()> {
    let skills = removal.skills.iter().map(|skill| Removable {
        id: Some(&skill.local_id),
        name: &skill.name,
        kind: Some(skill.kind.word()),
        deletable: Some(skill.is_deletable()),
        deleted: None,
        reasons: skill
            .reasons
            .iter()
            .map(|reason| ReasonOf { code: reason.word(), specialist_ids: reason.specialists() })
            .collect(),
    });
    let value = Deletion {
        version: VERSION,
        command: "specialist delete",
        ok: true,
        outcome: "previewed",
        id: &removal.id,
        revision: Some(removal.revision),
        skills: skills.collect(),
    };
    document::write(&value, out)
}

/// The answer of `specialist delete`.
///
/// # Errors
/// The writer's own.
pub fn deleted(deleted: &Deleted, out: &mut dyn Write) -> io::Result<()> {
    fn skill(name: &str, gone: bool) -> Removable<'_> {
        Removable { id: None, name, kind: None, deletable: None, deleted: Some(gone), reasons: Vec::new() }
    }
    let gone = deleted.skills.iter().map(|name| skill(name, true));
    let skills = gone.chain(deleted.kept.iter().map(|name| skill(name, false))).collect();
    let value = Deletion {
        version: VERSION,
        command: "specialist delete",
        ok: true,
        outcome: "deleted",
        id: &deleted.id,
        revision: None,
        skills,
    };
    document::write(&value, out)
}

#[derive(Serialize)]
struct Refused<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    code: &'a str,
    because: &'a str,
}

/// The answer of `command` where nothing was done.
///
/// # Errors
/// The writer's own.
pub fn refused(command: &'static str, code: &str, because: &str, out: &mut dyn Write) -> io::Result<()> {
    let value = Refused { version: VERSION, command, ok: false, outcome: "refused", code, because };
    document::write(&value, out)
}
