//! The attacks that a sandbox must withstand. Each is tried twice: outside, where it must work, and inside, where it must
//! not; as root everything is tried again as a user without rights.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod audit;
mod exec;
mod files;
mod kill;
mod limits;
mod lower;
mod network;
mod process;
mod talk;
mod user;
mod world;
