//! [`Specialist`]: a package in a folder, and what it answers.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use crate::finding::{Finding, Findings, Place};
use crate::formats::{
    self, ArchiveBytes, Identity, Need, Offer, Outcome, PackError, Pin, Pins, Reach, Record, Seal, Spelling,
    Verification,
};
use crate::glob::Dialect;
use crate::json::{self, Json, Pointer, Span, Value};
use crate::path::PackagePath;
use crate::permit::{Confirm, Declaration, Effect, Grant, Grants, Origin, Pattern, Scope, Subject};
use crate::tool::Tool;
use crate::tree::Tree;

use super::super::codes;
use super::super::skill::DOCUMENT;
use super::super::words::BUILT_IN_SKILLS;
use super::{Content, FILE_BYTES, MANIFEST, SPECIALIST, folder, pack};

/// Most findings about Skills that are not in the package. A document can name a million.
const MOST_ELSEWHERE: usize = 1_000;

/// A Specialist package.
#[derive(Debug)]
pub struct Specialist {
    content: Content,
    findings: Findings,
    manifest: Option<Json>,
    payload: Option<Json>,
    /// Where the payload is.
    file: Option<PackagePath>,
}

impl Specialist {
    /// The package at the root of `tree`, if there is one: by the shape of either of its documents.
    #[must_use]
    pub fn open(tree: &Tree) -> Option<Self> {
        let document = |name: &str| {
            let bytes = tree.file(name)?.read(FILE_BYTES).ok()?;
            json::read(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).ok()
        };
        let (manifest, payload) = (document(MANIFEST), document(SPECIALIST));
        let is_meant = manifest.as_ref().is_some_and(is_manifest)
            || payload.as_ref().is_some_and(is_payload)
            // The name is no other program's: what cannot be read under it was meant to be this.
            || (payload.is_none() && tree.file(SPECIALIST).is_some());
        if !is_meant {
            return None;
        }
        let mut findings = Findings::default();
        let content = folder::files(tree, &mut findings)
            .map(|files| Content::read(&files, &mut findings))
            .unwrap_or_default();
        let file = PackagePath::new(SPECIALIST).ok();
        Some(Self { content, findings, manifest, payload, file })
    }

    /// The name of the file that the package is exported to.
    #[must_use]
    pub fn archive_name(&self) -> String {
        match (&self.content.manifest, &self.content.payload) {
            (Some(manifest), Some(payload)) => pack::file_name(manifest, payload.shown_name()),
            _ => "open-science-specialist.zip".to_owned(),
        }
    }

    /// What is in the package.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    fn text<'j>(json: Option<&'j Json>, name: &str) -> Option<&'j str> {
        json?.get(name)?.as_str()
    }

    /// What the bundled Skills may call: a Specialist can do whatever its Skills can.
    fn tools_of_skills(&self) -> impl Iterator<Item = Grant> {
        let skills = self.content.bundled.iter().filter(|skill| !skill.tools.is_empty());
        skills.filter_map(|skill| {
            let file = PackagePath::new(&format!("skills/{}/{DOCUMENT}", skill.id)).ok()?;
            let tool =
                |text: &String| Pattern { root: None, text: text.clone(), dialect: Dialect::AgentSkillTool };
            let (pointer, span) = (Pointer::root().join("allowed-tools"), Span::default());
            Some(Grant {
                subject: Subject::Package,
                effect: Effect::Call,
                scope: Scope::Patterns(skill.tools.iter().map(tool).collect()),
                when: None,
                confirm: Confirm::HostDecides,
                why: None,
                origin: Origin { format: "open-science", file, pointer, span },
            })
        })
    }

    /// The names of the Skills that it brings along.
    fn bundled(&self) -> HashSet<&str> {
        self.content.bundled.iter().map(|skill| skill.id.as_str()).collect()
    }

    /// The places of the names in a list of the payload.
    fn listed(&self, field: &'static str) -> impl Iterator<Item = (Pointer, Span, &str)> {
        let items = self.payload.as_ref().and_then(|json| json.get(field)).and_then(Json::as_array);
        let at = Pointer::root().join(field);
        items
            .unwrap_or_default()
            .iter()
            .enumerate()
            .filter_map(move |(index, item)| Some((at.join(index), item.span, item.as_str()?)))
    }
}

/// Whether a JSON document is the manifest of a package.
pub(in crate::formats) fn is_manifest(json: &Json) -> bool {
    json.get("exported_with_app_version").is_some()
        && ["schema_version", "id"].iter().any(|name| json.get(name).is_some())
}

/// Whether a JSON document is the payload of a package.
pub(in crate::formats) fn is_payload(json: &Json) -> bool {
    ["system_prompt", "systemPrompt"].iter().any(|name| json.get(name).is_some())
        && ["name", "skill_ids", "connector_ids"].iter().any(|name| json.get(name).is_some())
}

impl formats::Document for Specialist {
    fn check(&self, _tree: &Tree, out: &mut Findings) {
        out.extend(self.findings.iter().cloned());
        let Some(payload) = &self.content.payload else { return };
        // What a package refers to and does not bring along has to be where it is installed.
        let bundled = self.bundled();
        let is_elsewhere = |name: &str| !bundled.contains(name) && !BUILT_IN_SKILLS.contains(&name);
        let elsewhere = self.listed("skill_ids").filter(|(_, _, name)| is_elsewhere(name));
        for (pointer, span, name) in elsewhere.take(MOST_ELSEWHERE) {
            let message = format!("`{}` is not in the package", json::excerpt(name));
            let file = self.file.clone();
            let place = file.map_or(Place::package(), |file| Place::value(file, pointer, span));
            out.push(Finding::new(&codes::SPECIALIST_SKILL_NOT_BUNDLED, place, message));
        }
        let listed: HashSet<&str> = payload.skill_ids.iter().map(String::as_str).collect();
        for skill in self.content.bundled.iter().filter(|skill| !listed.contains(skill.id.as_str())) {
            let message = format!("the Skill `{}` is in the package and not listed", skill.id);
            let folder = PackagePath::new(&format!("skills/{}", skill.id));
            let place = folder.map_or(Place::package(), Place::file);
            out.push(Finding::new(&codes::SPECIALIST_SKILL_UNLISTED, place, message));
        }
    }

    fn identity(&self) -> Identity<'_> {
        let payload = self.payload.as_ref();
        let manifest = self.manifest.as_ref();
        let has_version = manifest
            .and_then(|json| json.get("schema_version"))
            .is_some_and(|version| matches!(version.value, Value::Integer(1)));
        Identity {
            format: "specialist",
            name: Self::text(payload, "name").or_else(|| Self::text(manifest, "id")),
            version: Self::text(manifest, "version"),
            description: Self::text(payload, "description"),
            spec: has_version.then_some("1"),
            license: None,
        }
    }

    fn permissions(&self) -> Declaration {
        if self.content.payload.is_none() {
            return Declaration::Unspoken;
        }
        let Some(file) = &self.file else { return Declaration::Unspoken };
        let call = |kind: &str, name: &str, pointer, span| Grant {
            subject: Subject::Package,
            effect: Effect::Call,
            scope: Scope::Patterns(Arc::from([Pattern {
                root: None,
                text: format!("{kind}:{name}"),
                dialect: Dialect::Plain,
            }])),
            when: None,
            confirm: Confirm::HostDecides,
            why: None,
            origin: Origin { format: "open-science", file: file.clone(), pointer, span },
        };
        let skills = self.listed("skill_ids").map(|(pointer, span, name)| call("skill", name, pointer, span));
        let connectors =
            self.listed("connector_ids").map(|(pointer, span, name)| call("connector", name, pointer, span));
        let mut declared: Vec<Grant> = skills.chain(connectors).chain(self.tools_of_skills()).collect();
        if declared.is_empty() {
            // Both lists are required, so two empty ones are a word.
            declared
                .push(Grant { scope: Scope::Nothing, ..call("skill", "", Pointer::root(), Span::default()) });
        }
        // Bundled Skills are used whether they are listed or not.
        let listed: HashSet<&str> = self.listed("skill_ids").map(|(_, _, name)| name).collect();
        let bundled = self.content.bundled.iter();
        let unlisted = bundled.filter(|skill| !listed.contains(skill.id.as_str()));
        let implied =
            unlisted.map(|skill| call("skill", &skill.id, Pointer::root(), Span::default())).collect();
        Declaration::Spoken(Grants { declared, implied, ceiling: Vec::new() })
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        // A Specialist is a role; what it can call are the tools of its Connectors.
        Vec::new()
    }

    fn record(&self) -> Record<'_> {
        let bundled = self.bundled();
        let skills = self.listed("skill_ids").map(|(_, _, name)| name);
        let skills = skills.filter(|name| !bundled.contains(name));
        let connectors = self.listed("connector_ids").map(|(_, _, name)| name);
        Record {
            stated: self.payload.as_ref().map(Cow::Borrowed),
            file: self.file.as_ref(),
            apart: &[],
            elsewhere: &["/skill_ids", "/connector_ids"],
            offers: self.content.bundled.iter().map(|skill| Offer::named("skill", &skill.id)).collect(),
            needs: skills.chain(connectors).map(|package| Need { package, range: None }).collect(),
        }
    }

    fn pack(&self, tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
        pack::write(tree, out)
    }

    fn verify(&self, _tree: &Tree, archive: Option<&ArchiveBytes>) -> Verification {
        // No document of a package lists its files, and nothing signs them: only the archive's own digest says anything.
        let unpinned = Verification::unpinned(Seal::Elsewhere);
        let Some(archive) = archive else { return unpinned };
        let pin = Pin {
            name: "integrity",
            sha256: archive.sha256,
            spelling: Spelling::Hex,
            reach: Reach::Everything,
        };
        Verification { outcome: Outcome::Unsigned, pins: vec![pin], ..unpinned }
    }
}
