//! What a plan could not say.

use std::collections::BTreeSet;

use kitbag_core::permit::{Allowed, Loss, LossKind};

/// The losses so far.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) all: Vec<Loss>,
    said: BTreeSet<String>,
}

impl Losses {
    /// Notes that a statement under `allowed` could not be said as it was meant; each reason once.
    pub(super) fn add(&mut self, allowed: &Allowed, kind: LossKind, because: String) {
        // What rests on no statement says nothing that could be lost.
        let Some(origin) = allowed.origins.first() else { return };
        if self.said.insert(format!("{} {because}", allowed.effect)) {
            self.all.push(Loss { origin: origin.clone(), target: "sandbox", kind, because });
        }
    }
}
