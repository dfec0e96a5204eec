//! Ranges of versions, one file per dialect. `^1.2` is a range to one format and nonsense to another, and whether a
//! pre-release is let through differs too.

pub mod npm;
pub mod splice;
