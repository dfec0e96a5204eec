//! YAML 1.1 as PyYAML's safe loader reads it.
//!
//! [`load()`] gives every node its value: `yes` and `on` are truth values, `010` is eight, `1:20` is eighty, `2024-01-01` is
//! a date, `1e3` is text (a float needs its point), the last of two equal keys wins, `<<` merges. What that loader cannot
//! construct (an unknown tag, a list as a key, the 30th of February) is a [`Problem`](super::Problem) with its place.
//! Values are kept per node, so that an alias is never expanded.

mod integer;
mod load;
mod merge;
mod read;
mod scalar;
mod timestamp;

pub use integer::Integer;
pub use load::{Loaded, Value, load};
pub use read::read;
pub use scalar::{Plain, plain};
pub use timestamp::{Time, Timestamp};
