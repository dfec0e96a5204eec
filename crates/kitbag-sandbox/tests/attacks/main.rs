//! The attacks that a sandbox must withstand. Each is tried twice: outside, where it must work, and inside, where it must
//! not, on each backend; as root everything is tried again as a user without rights.

#![cfg(sandbox)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

/// Makes tests of functions that take a world: one on each backend. What only a namespace makes possible stands behind
/// `with_namespaces`; what is there instead without one is in `landlock`.
macro_rules! on_each_backend {
    ($($name:ident),* $(,)? $(; with_namespaces: $($namespaced:ident),* $(,)?)?) => {
        mod native {
            $(#[test] fn $name() { $crate::world::World::with(kitbag_sandbox::Backend::Native, super::$name); })*
            $($(#[test] fn $namespaced() {
                $crate::world::World::with(kitbag_sandbox::Backend::Native, super::$namespaced);
            })*)?
        }
        mod bwrap {
            $(#[test] fn $name() { $crate::world::World::with(kitbag_sandbox::Backend::Bubblewrap, super::$name); })*
            $($(#[test] fn $namespaced() {
                $crate::world::World::with(kitbag_sandbox::Backend::Bubblewrap, super::$namespaced);
            })*)?
        }
        mod landlock {
            $(#[test] fn $name() { $crate::world::World::with(kitbag_sandbox::Backend::Landlock, super::$name); })*
        }
    };
}

mod audit;
mod backends;
mod clients;
mod doctor;
mod egress;
mod exec;
mod files;
mod gaps;
mod groups;
mod kill;
mod landlock;
mod limits;
mod lower;
mod net;
mod network;
mod process;
mod proxied;
mod refusing;
mod residue;
mod servers;
mod talk;
mod user;
mod world;
