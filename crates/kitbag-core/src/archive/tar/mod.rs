//! tar (POSIX.1-1988 ustar, POSIX.1-2001 pax, and GNU's long names), read strictly.
//!
//! A [`Profile`] says which of the dialects a reader takes. No profile follows a link, guesses past a bad header, or takes
//! a size from anywhere but the header: extension records that would move the next header are refused.

mod header;
mod pax;
mod profile;
mod read;
mod write;

pub use profile::{Headers, Profile, ZeroBlocks};
pub use read::{Packing, read};
pub use write::{Devices, Layout, Modes, Order, Split, WriteError, Writer, write};
