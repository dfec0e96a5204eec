//! Tools of Splice run on every version of Node.js there is, inside exactly their permissions (Splice 1, "Runtime").
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at files, and asks which tools have to be there"
)]
#![expect(clippy::disallowed_types, reason = "the test is the host that tools want to reach")]

#[path = "splice_run/house.rs"]
mod house;

#[path = "splice_run/capabilities.rs"]
mod capabilities;
#[path = "splice_run/contract.rs"]
mod contract;
#[path = "splice_run/escapes.rs"]
mod escapes;
#[path = "splice_run/misbehaving.rs"]
mod misbehaving;
#[path = "splice_run/network.rs"]
mod network;
#[path = "splice_run/permissions.rs"]
mod permissions;
