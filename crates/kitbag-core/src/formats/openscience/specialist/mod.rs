//! Specialists: a role with its instructions, in two documents, and the Skills it brings along.
//!
//! A package is `manifest.json` (which package) and `specialist.json` (which role) with Skills under `skills/<name>/`. The
//! rules here are Open-Science's (§3): of the layer a package arrives in ([`archive`], [`folder`]), of its content
//! ([`content`]), of what is installed already ([`preview`], [`inventory`]), and of what may become of that ([`install`],
//! [`export`], [`removal`]).

pub mod archive;
mod bundled;
pub mod content;
pub mod export;
mod face;
pub mod folder;
pub mod install;
pub mod inventory;
mod layer;
mod manifest;
pub mod pack;
mod payload;
pub mod preview;
pub mod removal;

pub use bundled::{Bundled, BundledFile, DEFAULT_VERSION};
pub use content::Content;
pub use face::Specialist;
pub(in crate::formats) use face::{is_manifest, is_payload};
pub use manifest::Manifest;
pub use payload::Payload;

/// The document that says which package it is.
pub const MANIFEST: &str = "manifest.json";
/// The document that says which role it is.
pub const SPECIALIST: &str = "specialist.json";

/// Most bytes of an archive.
pub const ARCHIVE_BYTES: u64 = 50 << 20;
/// Most bytes of all files.
pub const TOTAL_BYTES: u64 = 200 << 20;
/// Most files.
pub const FILES: usize = 2_000;
/// Most bytes of one file.
pub const FILE_BYTES: u64 = 25 << 20;
/// Most bytes that one packed byte may become.
pub const RATIO: u64 = 1_000;
/// Most segments of a path, the file's name included.
pub const SEGMENTS: usize = 32;
