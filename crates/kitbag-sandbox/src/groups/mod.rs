//! Control groups of the kernel, where the caller may make some: they count what all processes of a run use together, at
//! every moment.
//!
//! A run's group is made before its first process, which begins in it, and is removed when everything in it has ended.
//! Nothing is changed in a group that is not the run's own: where a controller is not handed down, it is not switched on.
//! The room knows neither plans nor backends. Where there is no group, others keep the same limits less closely.

mod found;
mod made;

pub(crate) use made::{Counted, Groups, Keeps};
