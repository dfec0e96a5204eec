//! The digests Splice pins a package by: of the archive's bytes, of its files, of its manifest.

use std::fmt;
use std::io;

use serde_json::{Map, Value as Plain, json};

use crate::archive::tar::Order;
use crate::digest::{Hasher, Sha256};
use crate::json::{self, canonical};
use crate::path::PackagePath;
use crate::tree::Blob;

use super::decode::SPEC_VERSION;
use super::descriptor;
use super::document::{Agent, Document, Tool};

/// `sha256-<hex>`: how a digest of bytes is written in lock files and registry answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integrity(pub Sha256);

impl Integrity {
    /// Reads an integrity text. Only SHA-256 in 64 lower-case digits is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Sha256::from_hex(text.strip_prefix("sha256-")?).map(Self)
    }
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256-{}", self.0)
    }
}

/// `filesDigest`: over path, NUL, digest of the content and LF of every file, in the order of UTF-16 units. It does not
/// depend on the archive's form.
///
/// # Errors
/// When a content cannot be read.
pub fn files_digest<'f>(
    files: impl IntoIterator<Item = (&'f PackagePath, &'f Blob)>,
) -> io::Result<Integrity> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by(|(one, _), (other, _)| Order::Utf16.compare(one.as_str(), other.as_str()));
    let mut hasher = Hasher::default();
    for (path, blob) in files {
        hasher.update(path.as_str().as_bytes());
        hasher.update(format!("\0{}\n", blob.digest()?).as_bytes());
    }
    Ok(Integrity(hasher.finish()))
}

/// `manifestSha256`: of the manifest in normal form, printed with sorted names.
#[must_use]
pub fn manifest_sha256(document: &Document) -> Sha256 {
    let text = normal_form(document).to_string();
    let json = json::read(text.as_bytes()).expect("what serde_json prints of a manifest is I-JSON");
    let canonical = canonical::jcs(&json).expect("a manifest that was read has no number out of range");
    Sha256::of(canonical.as_bytes())
}

/// The manifest in normal form, as a registry keeps it: defaults filled in, vendors' own keys gone, schemas as they were.
#[must_use]
pub fn normal_form(document: &Document) -> Plain {
    let mut runtime = json!({"type": "node"});
    if let Some(version) = &document.min_node_version {
        runtime["minNodeVersion"] = version.clone().into();
    }
    let mut normal = json!({
        "specVersion": SPEC_VERSION,
        "namespace": document.namespace,
        "name": document.name,
        "version": document.version,
        "description": document.description,
        "runtime": runtime,
        "permissions": descriptor::permissions(&document.permissions),
        "tools": document.tools.iter().map(tool).collect::<Vec<_>>(),
    });
    if let Some(license) = &document.license {
        normal["license"] = license.clone().into();
    }
    if let Some(homepage) = &document.homepage {
        normal["homepage"] = homepage.clone().into();
    }
    if let Some(own) = &document.agent {
        normal["agent"] = agent(own);
    }
    if let Some(dependencies) = &document.dependencies {
        let entries = dependencies.iter().map(|entry| (entry.name.clone(), entry.value.clone().into()));
        normal["dependencies"] = Plain::Object(entries.collect::<Map<_, _>>());
    }
    normal
}

fn tool(tool: &Tool) -> Plain {
    let mut normal = json!({
        "name": tool.name,
        "description": tool.description,
        "entry": tool.entry.value,
        "input": Plain::from(&tool.input),
    });
    // Unlike `runtime` and `permissions`, this default is not filled in.
    if let Some(timeout) = tool.timeout_ms {
        normal["timeoutMs"] = timeout.into();
    }
    if let Some(output) = &tool.output {
        normal["output"] = output.into();
    }
    normal
}

fn agent(agent: &Agent) -> Plain {
    let mut normal = json!({
        "instructions": agent.instructions,
        "skills": agent.skills.iter().map(|skill| skill.value.clone()).collect::<Vec<_>>(),
    });
    if let Some(model) = &agent.model {
        normal["model"] = model.clone().into();
    }
    if let Some(examples) = &agent.examples {
        normal["examples"] = examples.clone().into();
    }
    normal
}
