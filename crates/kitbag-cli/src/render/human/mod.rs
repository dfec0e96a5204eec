//! For people: words, excerpts and tables that fit the terminal.

mod check;
mod codes;
mod style;
mod wrap;

pub use check::check;
pub use codes::{explain, list_codes};
