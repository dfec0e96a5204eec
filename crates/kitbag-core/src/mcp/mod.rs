//! The Model Context Protocol, as bytes in and bytes out: no transport, no process, no clock.

mod client;
mod message;

pub use client::{Answer, Client, Event, Violation};
