//! Findings: what a check has to say about a package, each with its code, its place and its way out.
//!
//! A finding is not an error. Errors mean that the work could not be done; findings are the work. Checks write to a
//! [`Findings`] and to nothing else.

mod code;
mod edit;
mod findings;
mod place;

pub use code::{Code, Grade, Severity, SpecVersion};
pub use edit::{Edit, EditError, apply};
pub use findings::{Finding, Findings};
pub use place::{LineIndex, Place, Position};
