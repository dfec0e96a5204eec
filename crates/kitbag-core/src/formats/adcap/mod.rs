//! .adcap: a capability package, `capability.json` and what it lists.
//!
//! A capability carries skills, tools, workflows, knowledge and references to what stays outside, with the permissions it
//! needs. Its identity is the digest of its manifest, which lists the digest of every file. The specification's tables did
//! not survive; `docs/formats/adcap.md` says how each gap is read, and `schemas/capability-1.json` is that reading as a
//! schema.

mod address;
mod answers;
mod archive;
mod check;
pub mod codes;
mod course;
mod decode;
mod describe;
mod document;
mod manifest;
mod pack;
pub mod resource;
mod shape;
pub mod template;
mod verify;
pub mod wire;
pub mod workflow;

use crate::finding::{Code, Findings};
use crate::json::Span;
use crate::path::PackagePath;
use crate::tree::{Node, Root, Tree};

use super::{Face, Format, Site};

pub use archive::{LIMITS, PROFILE, begins_package, read};
pub use course::{Course, Next, Unfit};
pub use decode::decode;
pub use document::{
    Access, Adapter, Compat, Content, ContentSource, Distribution, Document, Entitlement, Files, Identifier,
    ListedFile, Permission, Resource, Runtime, RuntimeKind, Skill, Tool, WorkflowEntry,
};
pub use manifest::{Capability, KNOWN};
pub use pack::{BuildError, Built, Kept, LAYOUT, build};
pub use verify::{Outcome, Verification, verify};

/// The name of a manifest's file (§2).
pub const FILE: &str = "capability.json";
/// The name of a signature's file (§2).
pub const SIGNATURE: &str = "SIGNATURE.json";
/// Most entries of an archive: the reference limit (§2).
pub const ENTRIES: u64 = 20_000;
/// Most bytes of all files together: the reference limit (§2).
pub const TOTAL_BYTES: u64 = 512 << 20;
/// The published schema of a manifest.
pub const SCHEMA: &str = include_str!("../../../../../schemas/capability-1.json");

/// The format's row.
#[derive(Debug)]
pub struct Adcap;

impl Format for Adcap {
    fn name(&self) -> &'static str {
        "adcap"
    }

    fn markers(&self) -> &'static [&'static str] {
        // Other programs have a capability.json too; the content decides.
        &[]
    }

    fn marks(&self, _name: &str) -> bool {
        false
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        Capability::at_root(site.tree())
            .map(|capability| Face::Adcap(Box::new(capability)))
            .into_iter()
            .collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        codes::CODES
    }
}

/// The entries that belong to a package. What lies in the `.git` of a folder belongs to a program and is neither checked
/// nor packed; in an archive, every entry is one to be listed (§4).
fn members(tree: &Tree) -> impl Iterator<Item = (&PackagePath, &Node)> {
    let has_program = tree.root() != Root::Archive;
    tree.iter().filter(move |(path, _)| !(has_program && path.segments().next() == Some(".git")))
}

/// Whether `tree` is an archive of this format: one that begins with the manifest (§2). In another format's archive a
/// capability is carried as its author wrote it.
fn is_own_archive(tree: &Tree) -> bool {
    tree.root() == Root::Archive && tree.first().is_none_or(|first| first.as_str() == FILE)
}

/// The first byte of a value: an excerpt of the whole would hide what is missing from it.
const fn opening(span: Span) -> Span {
    Span { start: span.start, end: span.start.saturating_add(1) }
}
