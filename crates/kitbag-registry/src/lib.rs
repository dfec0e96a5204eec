//! # kitbag-registry
//!
//! Packages from elsewhere. This crate touches the network and nothing else: no files, no environment, no processes, no
//! output. What is asked and what an answer means is `kitbag-core`'s to say; here it is asked ([`fetch::Fetch`]), under a bound,
//! and what came back is handed over.
#![forbid(unsafe_code)]

pub mod fetch;
pub mod github;
#[cfg(feature = "https")]
pub mod http;
