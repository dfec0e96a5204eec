//! Specialists in a store, through the library: what is shown, decided, installed, exported and deleted.

#![expect(clippy::disallowed_methods, reason = "tests look at the files of a store")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod flows;
mod install;
mod leave;
mod shop;
