//! [`Steps`]: what a comparison of patterns may cost. A document can hold a million patterns, and each pair of them is a
//! comparison; counting the steps keeps a hostile list from costing its square.

/// A number of steps that may still be taken.
#[derive(Debug)]
pub(super) struct Steps(u64);

/// No step is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Steps {
    /// What a [`super::PatternSet`] may cost before its first question: well under a second.
    pub(super) const OF_A_SET: u64 = 1 << 24;

    /// What each question adds, so that a large tree can ask a plain list about every file.
    pub(super) const OF_A_QUESTION: u64 = 1 << 12;

    /// No bound: for one pattern against one text, whose cost is bounded by their lengths.
    pub(super) const fn endless() -> Self {
        Self(u64::MAX)
    }

    /// So many and no more.
    pub(super) const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Adds `count` steps.
    pub(super) fn add(&mut self, count: u64) {
        self.0 = self.0.saturating_add(count);
    }

    /// Takes one step.
    pub(super) fn take(&mut self) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }
}
