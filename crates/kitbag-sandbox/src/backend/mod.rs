//! Ways to carry out a plan.

pub(crate) mod native;
