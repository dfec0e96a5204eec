//! Deleting a Specialist, and those of its Skills that nobody else needs.

use kitbag_core::formats::openscience::specialist::removal::{Removal, RemovalRefusal};

use crate::interrupt::Interrupt;
use crate::store::{Change, Store};

use super::Error;
use super::shelf::{self, Shelf};

/// What to delete.
#[derive(Clone, Debug)]
pub struct DeletionRequest {
    /// What was looked at.
    pub seen: Removal,
    /// The Skills that go as well, by their local identities.
    pub skills: Vec<String>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deletion {
    /// It is gone.
    Deleted(Deleted),
    /// Nothing was changed.
    Refused(RemovalRefusal),
}

/// What is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The Specialist.
    pub id: String,
    /// The names of the Skills that went with it.
    pub skills: Vec<String>,
    /// The names of the Skills that it had brought along and that stay.
    pub kept: Vec<String>,
}

/// What could be taken away with a Specialist. Nothing is.
///
/// # Errors
/// When the store cannot be read.
pub fn preview_deletion(
    store: &Store,
    id: &str,
    interrupt: &Interrupt,
) -> Result<Result<Removal, RemovalRefusal>, Error> {
    let snapshot = store.read(interrupt)?;
    Ok(Removal::of(&Shelf::of(&snapshot)?.inventory, id))
}

/// Takes away what was named, if it is still what was looked at.
///
/// # Errors
/// When the store cannot be read or written.
pub fn delete(request: &DeletionRequest, store: &Store, interrupt: &Interrupt) -> Result<Deletion, Error> {
    // Where no store is, none is made.
    drop(store.read(interrupt)?);
    let session = store.change(interrupt)?;
    let shelf = Shelf::of(session.snapshot())?;
    let inventory = match request.seen.apply(&shelf.inventory, &request.skills) {
        Ok(inventory) => inventory,
        Err(refusal) => return Ok(Deletion::Refused(refusal)),
    };
    let id = &request.seen.id;
    let name = |local: &String| shelf.inventory.skills.get(local).map(|skill| skill.name.clone());
    let owned = shelf.inventory.specialists.get(id).map(|profile| profile.owned.as_slice());
    let kept = owned.unwrap_or_default().iter().filter(|owned| inventory.skills.contains_key(*owned));
    let deleted = Deleted {
        id: id.clone(),
        skills: request.skills.iter().filter_map(name).collect(),
        kept: kept.filter_map(name).collect(),
    };
    let change = Change { documents: [shelf::document(&inventory)].into(), ..Change::default() };
    session.commit(change, interrupt)?;
    Ok(Deletion::Deleted(deleted))
}
