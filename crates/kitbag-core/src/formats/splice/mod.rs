//! Splice, specification version 1: `manifest.json` beside a `SKILL.md`, tools as modules that run in Node.
//!
//! A package travels as one `.tar.gz` whose bytes are the same wherever it is built ([`pack`]), formerly as a JSON bundle
//! ([`bundle`]). The manifest is closed: what it does not know it refuses, and everything that is wrong is listed at once,
//! in the order and under the paths of Splice's own implementation.

mod answers;
pub mod bundle;
mod check;
pub mod codes;
mod decode;
pub mod descriptor;
pub mod digests;
mod document;
mod manifest;
pub mod pack;
mod permissions;
pub mod redact;
mod verify;
pub mod wire;
pub mod words;

use crate::finding::{Code, Findings};
use crate::path::PackagePath;

use super::{Face, Format, Site};

pub use document::{Agent, Document, Permissions, Tool};
pub use manifest::Manifest;

/// The name of the manifest.
pub const FILE: &str = "manifest.json";
/// The name of the documentation.
pub const SKILL_MD: &str = "SKILL.md";

/// Most bytes of one file.
pub const FILE_BYTES: u64 = 2 << 20;
/// Most bytes of SKILL.md.
pub const SKILL_MD_BYTES: u64 = 256 << 10;
/// Most files.
pub const FILES: usize = 500;
/// Most bytes of an archive or bundle.
pub const ARCHIVE_BYTES: u64 = 5 << 20;
/// Most bytes that an archive unpacks to.
pub const UNPACKED_BYTES: u64 = 16 << 20;

/// The format's row.
#[derive(Debug)]
pub struct Splice;

impl Format for Splice {
    fn name(&self) -> &'static str {
        "splice"
    }

    fn markers(&self) -> &'static [&'static str] {
        // `manifest.json` is everybody's name; its shape decides.
        &[]
    }

    fn marks(&self, _name: &str) -> bool {
        false
    }

    fn faces(&self, site: &Site<'_>, _out: &mut Findings) -> Vec<Face> {
        let at_root = site.tree().iter().map(|(path, _)| path).filter(|path| path.parent().is_none());
        let bundles: Vec<PackagePath> =
            at_root.filter(|path| bundle::is_name(path.name())).cloned().collect();
        let beside = Manifest::beside(site.tree());
        let bundled = bundles.into_iter().filter_map(|file| Manifest::bundled(site.tree(), file));
        beside.into_iter().chain(bundled).map(|manifest| Face::Splice(Box::new(manifest))).collect()
    }

    fn codes(&self) -> &'static [&'static Code] {
        codes::CODES
    }
}
