//! # kitbag-core
//!
//! Packages for AI agents as values. Bytes go in, values come out: this crate opens no file, starts no process, reads no
//! environment, keeps no clock and prints nothing. Its own `clippy.toml` holds it to that.
//!
//! Rooms stand on floors, and doors go down only (`tests/doors.rs` is the plan):
//!
//! ```text
//! second floor  formats/{agentskill, skillpact, splice}      never each other
//! first floor   finding   permit   tool
//! ground floor  path   limits   tree   digest   version   json   yaml   archive   schema   glob   transfer
//! ```
//!
//! Data flows one way: bytes → [`tree::Tree`] → [`formats::Package`] with its faces → [`finding::Findings`].
#![forbid(unsafe_code)]

pub mod archive;
pub mod digest;
pub mod finding;
pub mod formats;
pub mod glob;
pub mod json;
pub mod limits;
pub mod mcp;
pub mod path;
pub mod permit;
pub mod schema;
pub mod tool;
pub mod transfer;
pub mod tree;
pub mod version;
pub mod yaml;
