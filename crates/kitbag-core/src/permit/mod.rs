//! One language of permissions, wide enough to hold every statement of every format.
//!
//! Six distinctions are kept and never flattened: silence is not "none"; "none" is not "anything"; a pattern belongs to
//! its dialect; a condition counts in the worst case; a place stays symbolic until a sandbox is planned; every statement
//! knows the line it came from. Formats lift into this room; projections leave it through [`Lowered`].

mod declaration;
mod effect;
mod grant;
mod lowered;
mod meet;
pub mod phrase;
mod scope;
mod subjects;
mod widened;

pub use declaration::{Declaration, Grants, Said};
pub use effect::{Confirm, Effect, Subject};
pub use grant::{Grant, Never, Origin};
pub use lowered::{Loss, LossKind, Lowered};
pub use meet::{Allowed, LeftOut, Met, meet, union};
pub use scope::{Pattern, Root, Scope};
pub use subjects::Subjects;
pub use widened::{Beyond, Widened, widened};
