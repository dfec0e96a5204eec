//! [`Journal`]: the change that is under way. It says which objects come and which may go, and nothing of what they are for.

use std::collections::BTreeSet;
use std::path::Path;

use kitbag_core::digest::Sha256;
use kitbag_core::json::{Pointer, Value, print};

use super::state::{Fields, State, VERSION, number};
use super::{Fault, StoreError};

/// Most bytes of a journal: as many digests as a state of its own greatest length could hold.
const JOURNAL_BYTES: u64 = 32 << 20;

/// A change that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Journal {
    from: u64,
    to: u64,
    adds: BTreeSet<Sha256>,
    drops: BTreeSet<Sha256>,
}

impl Journal {
    pub(super) fn new(
        from: u64,
        to: u64,
        adds: impl IntoIterator<Item = Sha256>,
        drops: BTreeSet<Sha256>,
    ) -> Self {
        Self { from, to, adds: adds.into_iter().collect(), drops }
    }

    /// Every object it names.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Sha256> {
        self.adds.union(&self.drops)
    }

    /// Whether it is about this state: the one before the change, or the one after it.
    pub(super) fn belongs_to(&self, state: &State, file: &Path) -> Result<(), StoreError> {
        if [self.from, self.to].contains(&state.revision()) {
            return Ok(());
        }
        let because = format!(
            "it leads from revision {} to {}, and the state has revision {}",
            self.from,
            self.to,
            state.revision()
        );
        let fault = Fault { pointer: String::new(), because };
        Err(StoreError::Damaged { file: file.to_owned(), fault })
    }

    pub(super) fn text(&self) -> String {
        let digests = |set: &BTreeSet<Sha256>| print::texts(set.iter().map(Sha256::to_string));
        print::document(&print::object([
            ("version", print::value(Value::Integer(VERSION))),
            ("from", number(self.from)),
            ("to", number(self.to)),
            ("adds", digests(&self.adds)),
            ("drops", digests(&self.drops)),
        ]))
    }

    /// The change in `file`; `None` where none is under way.
    pub(super) fn read(file: &Path) -> Result<Option<Self>, StoreError> {
        let Some(fields) = Fields::read(file, JOURNAL_BYTES, &["from", "to", "adds", "drops"])? else {
            return Ok(None);
        };
        let digests = |name| fields.digests(Some(fields.member(name)?), &Pointer::root().join(name));
        Ok(Some(Self {
            from: fields.number("from")?,
            to: fields.number("to")?,
            adds: digests("adds")?,
            drops: digests("drops")?,
        }))
    }
}
