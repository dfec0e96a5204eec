//! Bundles of Skills: what Open-Science would make of a ZIP with one Skill or many (§2).
//!
//! Its files come from one of two readings. [`Outer::read`] believes the directory of an archive as Open-Science does, and is
//! there to be told and compared: nothing is installed from it. [`Outer::of_tree`] takes what the strict reader gave, or what
//! stands in a folder, and is what an import uses. Both open archives inside one level deep, each in its own way; find
//! where Skills begin ([`SkillFiles`]); show each ([`preview()`]) and say what an import comes to ([`import`], [`plan`]).

pub mod codes;
mod document;
pub mod import;
mod nested;
mod outer;
pub mod plan;
mod preview;
mod reason;
mod roots;
mod strict;

use crate::path::PackagePath;
use crate::tree::Blob;

pub use document::{check_size, document, is_document};
pub use outer::Outer;
pub use preview::{Candidate, Preview, Shown, of_one_skill, preview};
pub use reason::{Reason, Skipped};
pub use roots::SkillFiles;

/// Most bytes of one entry of the outer archive.
pub const ENTRY_BYTES: u64 = 64 << 20;
/// Most bytes of a bundle, and of all its entries together.
pub const BUNDLE_BYTES: u64 = 256 << 20;
/// Most Skills.
pub const SKILLS: usize = 256;
/// Most entries of the outer archive.
pub const ENTRIES: usize = 32_768;
/// Most bytes that the archives in a bundle unpack to in all. Open-Science has no such limit.
pub const NESTED_BYTES: u64 = 1 << 30;
/// Most bytes of all documents that one preview shows.
pub const PREVIEW_BYTES: u64 = 4 << 20;
/// Most folders above a document that begins a Skill.
pub const WRAPPERS: usize = 3;

/// Longest name that is read; longer ones are none that a Skill has.
const NAME_BYTES: usize = 4_096;

/// A file of a bundle, under the name that the archive gives it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name. It is no path: it may have empty segments.
    pub name: String,
    /// Its content.
    pub blob: Blob,
}

/// Whether a name may not be read (§2.3).
fn is_unsafe(name: &str) -> bool {
    let drive = matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    name.is_empty()
        || name.contains('\\')
        || name.starts_with('/')
        || drive
        || name.split('/').any(|segment| segment == "..")
        || is_hidden(name)
}

/// Whether a name vanishes without a word, `../x` among them.
fn is_hidden(name: &str) -> bool {
    name.starts_with("__MACOSX/") || name.starts_with('.')
}

/// The name of an entry: UTF-8, whatever the flags say.
fn name_of(raw: &[u8]) -> String {
    String::from_utf8_lossy(&raw[..raw.len().min(NAME_BYTES)]).into_owned()
}

/// Where a content is kept: under its name where that is a path, which only the spool looks at.
fn kept_under(name: &str) -> Option<PackagePath> {
    PackagePath::new(name).or_else(|_| PackagePath::new("entry")).ok()
}
