//! JSON Schema: is a schema a schema, and is a value as a schema says? [`check`] and [`Schema`] are Draft 2020-12,
//! [`subset`] the fourteen keywords that Splice knows.
//!
//! [`check`] walks over what was written and costs next to nothing. The work of [`Schema`] is done by the `jsonschema`
//! crate, which nothing outside this room names: offline, with a linear-time pattern engine where the patterns allow one,
//! and with a bound on what is reported. [`within()`] compares two schemas of either kind.

mod full;
mod meta;
pub mod pattern;
pub mod subset;
mod within;

pub use full::{Schema, SchemaProblem, Violation};
pub use meta::check;
pub use within::{Gap, Gaps, within};
