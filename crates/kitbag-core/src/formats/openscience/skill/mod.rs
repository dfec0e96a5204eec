//! Skills as Open-Science reads, judges and writes them (§1): the document, the check of a draft before it is published, the
//! canonical document that an import makes, and the ZIP of an export.
//!
//! How an import reads front matter for the person who checks a `SKILL.md` is a profile of `agentskill`; this room is about
//! packages that Open-Science itself would make or take.

pub mod document;
pub mod draft;
pub mod export;
pub mod files;
mod links;
pub mod write;

pub use document::Document;

/// The document of a Skill.
pub const DOCUMENT: &str = "SKILL.md";

/// Files at the root that belong to the application; no author's.
pub const APP_OWNED: [&str; 2] = [".source.json", ".specialist-package.json"];

/// Most files of one Skill.
pub const FILES: u64 = 16_384;
/// Most bytes of one file.
pub const FILE_BYTES: u64 = 50 << 20;
/// Most bytes of one Skill.
pub const TOTAL_BYTES: u64 = 128 << 20;
/// Most folders above a file.
pub const DEPTH: usize = 8;
