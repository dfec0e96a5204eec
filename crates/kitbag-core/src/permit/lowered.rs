//! [`Lowered`]: the return type of every projection out of this model, so that losses cannot be forgotten.

use super::grant::Origin;

/// A projection, with what it could not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered<T> {
    /// The result.
    pub value: T,
    /// What was lost on the way; empty when nothing was.
    pub losses: Vec<Loss>,
}

/// One statement that the target cannot say as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The statement.
    pub origin: Origin,
    /// The target, by name.
    pub target: &'static str,
    /// What became of it.
    pub kind: LossKind,
    /// Why.
    pub because: String,
}

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossKind {
    /// The target says nothing about it.
    Dropped,
    /// The target allows less.
    Tightened,
    /// The target allows more. Never silent; `--strict` refuses it.
    Widened,
}
