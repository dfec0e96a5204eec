//! JSON Schema: is a value as a schema says, and is a schema a schema? [`full`](Schema) is Draft 2020-12, [`subset`] the
//! fourteen keywords that Splice knows.
//!
//! The work of the first is done by the `jsonschema` crate, which nothing outside this room names: offline, with a linear-time pattern
//! engine where a pattern allows one, and with a bound on what is reported. Patterns inside a schema that is only checked,
//! never used, are read by [`pattern`] alone and so cost nothing.

mod full;
pub mod pattern;
pub mod subset;

pub use full::{Schema, SchemaProblem, Schemas, Violation};
