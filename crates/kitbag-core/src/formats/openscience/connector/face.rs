//! [`Connector`]: a template in a folder, and what it answers.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use crate::finding::{Finding, Findings, Place};
use crate::formats::{self, ArchiveBytes, Identity, PackError, Pins, Record, Seal, Verification};
use crate::glob::Dialect;
use crate::json::{Json, Pointer};
use crate::path::PackagePath;
use crate::permit::{Confirm, Declaration, Effect, Grant, Grants, Origin, Pattern, Scope, Subject};
use crate::tool::Tool;
use crate::tree::{Blob, Tree};

use super::super::codes;
use super::address::Address;
use super::{DOCUMENT_BYTES, KIND, Reading, Taken, Template};

/// A Connector template.
#[derive(Debug)]
pub struct Connector {
    file: PackagePath,
    json: Option<Json>,
    findings: Findings,
    template: Option<Template>,
}

impl Connector {
    /// The templates at the root of `tree`: files with a telling name and the shape of one.
    pub(in super::super) fn all(tree: &Tree) -> Vec<Self> {
        let at_root = tree.iter().map(|(path, _)| path).filter(|path| path.parent().is_none());
        let files: Vec<PackagePath> = at_root.filter(|path| is_name(path.name())).cloned().collect();
        files.into_iter().filter_map(|file| Self::open(tree.file(file.as_str())?, file)).collect()
    }

    fn open(blob: &Blob, file: PackagePath) -> Option<Self> {
        let mut findings = Findings::default();
        // One byte more than is allowed, so that the reader says what is too much.
        let (json, reading) = match blob.read(DOCUMENT_BYTES + 1) {
            Ok(bytes) => super::read_object(&file, &bytes, &Taken::built_in(), &mut findings),
            Err(error) => {
                let message = match error {
                    crate::limits::ReadError::Exceeded(_) => {
                        format!("the document has {} bytes and may have {DOCUMENT_BYTES}", blob.len())
                    }
                    crate::limits::ReadError::Io(error) => format!("the file cannot be read: {error}"),
                };
                findings.push(Finding::new(&codes::CONNECTOR_TOO_LARGE, Place::file(file.clone()), message));
                (None, Reading::default())
            }
        };
        let is_meant = match &json {
            Some(json) => is_shape(json),
            // Only the name that Open-Science itself gives says what a file was that cannot be read.
            None => file.as_str().starts_with(PREFIX),
        };
        let template = reading.definitions.into_iter().next();
        is_meant.then_some(Self { file, json, findings, template })
    }

    /// The file.
    #[must_use]
    pub const fn file(&self) -> &PackagePath {
        &self.file
    }

    /// What it says, where it has no error.
    #[must_use]
    pub const fn template(&self) -> Option<&Template> {
        self.template.as_ref()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.json.as_ref()?.get(name)?.as_str()
    }

    fn grants(&self, template: &Template) -> Grants {
        let subject = Subject::Connector(Arc::from(template.name.as_str()));
        let root = Pointer::root();
        let grant = |effect, texts: Vec<String>, pointer: Pointer| {
            let json = self.json.as_ref();
            let span = json.and_then(|json| json.at(&pointer)).or(json).map(|json| json.span);
            let pattern = |text| Pattern { root: None, text, dialect: Dialect::Plain };
            Grant {
                subject: subject.clone(),
                effect,
                scope: match texts.is_empty() {
                    true => Scope::Nothing,
                    false => Scope::Patterns(texts.into_iter().map(pattern).collect()),
                },
                when: None,
                confirm: Confirm::HostDecides,
                why: None,
                origin: Origin {
                    format: "open-science",
                    file: self.file.clone(),
                    pointer,
                    span: span.unwrap_or_default(),
                },
            }
        };
        let mut declared = Vec::new();
        if let Some(command) = &template.command {
            declared.push(grant(Effect::Exec, vec![command.clone()], root.join("command")));
        }
        let oauth = template.oauth.as_ref();
        let addresses = [
            (template.url.as_ref(), root.join("url")),
            (
                oauth.and_then(|oauth| oauth.authorization_server_url.as_ref()),
                root.join("oauth").join("authorization_server_url"),
            ),
            (
                oauth.and_then(|oauth| oauth.client_metadata_url.as_ref()),
                root.join("oauth").join("client_metadata_url"),
            ),
        ];
        for (url, pointer) in addresses {
            let host = url.and_then(|url| Address::parse(url)?.host().map(str::to_owned));
            declared.extend(host.map(|host| grant(Effect::Network, vec![host], pointer)));
        }
        let secrets = &template.secrets;
        let at = root.join("required_secrets");
        let names = |kind: &str, names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("{kind}:{name}")).collect()
        };
        for (field, names) in [
            ("environment", names("env", &secrets.environment)),
            ("headers", names("header", &secrets.headers)),
            (
                "oauth_client_secret",
                secrets.oauth_client_secret.then(|| "oauth".to_owned()).into_iter().collect(),
            ),
        ] {
            if !names.is_empty() {
                declared.push(grant(Effect::Secret, names, at.join(field)));
            }
        }
        if secrets.is_empty() {
            // A template lists every secret it asks for, so an empty list is a word.
            declared.push(grant(Effect::Secret, Vec::new(), root));
        }
        Grants { declared, implied: Vec::new(), ceiling: Vec::new() }
    }
}

/// How Open-Science names a template that it exports.
const PREFIX: &str = "open-science-connector-";

/// Whether a file of this name may be a template: as Open-Science exports it, or as people shorten that.
pub(in crate::formats) fn is_name(name: &str) -> bool {
    name == "connector.json"
        || name.ends_with(".connector.json")
        || (name.starts_with(PREFIX) && name.ends_with(".json"))
}

/// Whether a document is a template, or means to be one.
pub(in crate::formats) fn is_shape(json: &Json) -> bool {
    json.get("kind").and_then(Json::as_str) == Some(KIND)
        || (json.get("transport").is_some()
            && ["schema_version", "required_secrets"].iter().any(|name| json.get(name).is_some()))
}

impl formats::Document for Connector {
    fn check(&self, _tree: &Tree, out: &mut Findings) {
        out.extend(self.findings.iter().cloned());
    }

    fn identity(&self) -> Identity<'_> {
        Identity {
            format: "connector",
            name: self.text("name"),
            version: None,
            description: self.text("description"),
            spec: self.template.as_ref().map(|_| "1"),
            license: None,
        }
    }

    fn permissions(&self) -> Declaration {
        self.template
            .as_ref()
            .map_or(Declaration::Unspoken, |template| Declaration::Spoken(self.grants(template)))
    }

    fn tools(&self) -> Vec<Tool<'_>> {
        // Only the server itself knows its tools.
        Vec::new()
    }

    fn record(&self) -> Record<'_> {
        Record {
            stated: self.json.as_ref().map(Cow::Borrowed),
            file: Some(&self.file),
            elsewhere: &["/command", "/url", "/required_secrets"],
            ..Record::default()
        }
    }

    fn pack(&self, _tree: &Tree, _out: &mut dyn Write) -> Result<Pins, PackError> {
        Err(PackError::NoArchive { format: "connector", carriers: &[] })
    }

    fn verify(&self, _tree: &Tree, _archive: Option<&ArchiveBytes>) -> Verification {
        // Nothing in a template says what its bytes should be.
        Verification::unpinned(Seal::Elsewhere)
    }
}
