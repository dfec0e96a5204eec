//! Archives: one strict reader per container, under a budget, into a [`Tree`].
//!
//! Two programs that read one archive differently are how a package says one thing to the person who checks it and another
//! to the one who installs it. So whatever two ordinary readers could take differently is refused here, with a code, the
//! entry and the byte; the first refusal ends the reading, and nothing of a refused archive comes out. What ordinary tools
//! write (GNU tar, bsdtar, git, Python, Info-ZIP, Go, Node) for files and folders is read.
//!
//! Contents stream: a reader holds a few buffers, the names, and files small enough to be kept; larger ones go through the
//! caller's [`Spool`]. This room knows nothing of any package format.

pub mod codes;
mod container;
pub mod gzip;
mod inflate;
mod name;
mod refusal;
mod source;
mod spool;
pub mod tar;
mod unpack;
pub mod zip;

#[cfg(doc)]
use crate::tree::Tree;

pub use codes::CODES;
pub use container::{Container, SNIFF_BYTES, sniff, sniff_content};
pub use name::Names;
pub use refusal::{Entry, Error, Offset, Refusal};
pub use source::{Source, read};
pub use spool::{InMemory, Spool};
pub use unpack::{LIMITS, Reading, Unpacked};
