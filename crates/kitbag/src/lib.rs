//! # kitbag
//!
//! The package manager and trust layer for what AI agents install, as a library. One verb, one module; every verb takes
//! a request and returns a value. Nothing here prints, prompts, reads the environment or knows a home folder.
#![forbid(unsafe_code)]

pub mod check;
pub mod connector;
pub mod diff;
pub mod doctor;
mod draft;
pub mod fix;
pub mod init;
pub mod interrupt;
pub mod location;
mod lock;
pub mod pack;
mod packages;
pub mod read;
pub mod resource;
pub mod run;
pub mod show;
pub mod skill;
pub mod skillpact;
pub mod specialist;
pub mod store;
pub mod unpack;
pub mod verify;
pub mod workflow;
