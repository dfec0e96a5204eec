//! Versions, and what may be asked of them.
//!
//! [`Version`] is SemVer 2.0 and nothing else: every format here writes its versions so. What formats do *not* share is
//! how a range of versions is written and what it lets through, so each dialect of [`requirement`] is a type of its own
//! and none is read as another.

pub mod requirement;
mod semver;
mod step;

pub use semver::{MAX_NUMBER, Version, VersionError};
pub use step::{Move, Step};
