//! zip (PKWARE APPNOTE 6.3), read strictly.
//!
//! A zip says everything twice: once before each content and once in the directory at its end; and nothing stops it from
//! having two ends. Readers choose differently among these, so here all of it must agree, and every byte of the file must
//! belong to exactly one thing: the local records in a row from byte 0, the directory, the end.

pub mod claims;
mod directory;
mod end;
mod entry;
mod extra;
mod fields;
mod names;
mod read;
mod write;

pub use read::read;
pub use write::Writer;
