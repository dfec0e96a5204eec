//! # kitbag-testkit
//!
//! What kitbag's own tests share. Never published, never needed at run time.
#![forbid(unsafe_code)]
#![expect(clippy::panic, reason = "a test kit fails by panicking")]

pub mod archive;
pub mod authority;
pub mod cases;
pub mod cli;
pub mod folder;
#[cfg(unix)]
mod pty;
pub mod server;
pub mod storm;
pub mod vectors;
