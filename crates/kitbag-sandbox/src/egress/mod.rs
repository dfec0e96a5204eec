//! The way out: what a program with a list of hosts reaches, and what it asked for.
//!
//! A program with [`crate::Network::Listed`] lives in a network of its own in which every address leads to the supervisor.
//! Names are answered there with addresses that mean nothing anywhere else; a connection to one of them is to the host it
//! was given for, or it is refused. What the program says first must agree: the host of an HTTP request, the server name
//! of a TLS handshake. Then the supervisor itself looks the name up, once, refuses what is not public, and dials.
//!
//! What reads hostile bytes ([`dns`], [`hello`], [`head`], [`body`]) knows no sockets, and works on every system.

mod asked;
pub mod body;
#[cfg(sandbox)]
mod connection;
#[cfg(sandbox)]
mod dial;
pub mod dns;
pub mod head;
pub mod hello;
mod hosts;
#[cfg(sandbox)]
mod names;
mod outside;
#[cfg(sandbox)]
mod pump;
#[cfg(sandbox)]
mod record;
#[cfg(sandbox)]
mod relay;
mod vet;
#[cfg(sandbox)]
mod wait;

pub use asked::{Asked, Egress, Refusal, Verdict};
pub use hosts::{Hosts, HostsError};
pub use outside::{Internet, Outside};
#[cfg(sandbox)]
pub(crate) use relay::Relay;
pub use vet::is_public;
