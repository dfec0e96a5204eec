//! What is installed in a store.

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::specialist::Content;
use kitbag_core::formats::openscience::specialist::inventory::{EditError, Inventory, Missing, Profile};
use kitbag_core::formats::openscience::specialist::preview::InstalledSkill;

use std::path::PathBuf;

use crate::interrupt::Interrupt;
use crate::show::Permission;
use crate::store::{Change, Store};

use super::Error;
use super::shelf::{self, Contents, Shelf};
use super::wider::declaration;

/// A Specialist that is installed.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its identity.
    pub id: String,
    /// What is known of it.
    pub profile: Profile,
    /// The Skills that it may use, by their local identities.
    pub skills: Vec<(String, InstalledSkill)>,
    /// The names of its Connectors.
    pub connectors: Vec<String>,
    /// What its package names and stands for nothing here; nothing where only a list was asked for.
    pub missing: Missing,
    /// What it may do, in plain words; nothing where only a list was asked for.
    pub may: Vec<Permission>,
    /// The folder of its documents.
    pub place: PathBuf,
}

fn entry(shelf: &Shelf<'_>, id: &str, profile: &Profile, place: PathBuf) -> Entry {
    let inventory = &shelf.inventory;
    let skill = |local: &String| Some((local.clone(), inventory.skills.get(local)?.clone()));
    let connectors = profile.connectors.iter().filter_map(|id| inventory.connectors.get(id));
    Entry {
        id: id.to_owned(),
        profile: profile.clone(),
        skills: inventory.reach(profile).filter_map(skill).collect(),
        connectors: connectors.map(|connector| connector.name.clone()).collect(),
        missing: Missing::default(),
        may: Vec::new(),
        place,
    }
}

/// Every Specialist, in the order of identities.
///
/// # Errors
/// When the store cannot be read.
pub fn list(store: &Store, interrupt: &Interrupt) -> Result<Vec<Entry>, Error> {
    let snapshot = store.read(interrupt)?;
    let shelf = Shelf::of(&snapshot)?;
    let all = shelf.inventory.specialists.iter();
    Ok(all.map(|(id, profile)| entry(&shelf, id, profile, snapshot.place(&profile.role))).collect())
}

/// One Specialist, with what it may do; `None` where it is not installed.
///
/// # Errors
/// When the store cannot be read.
pub fn show(store: &Store, id: &str, interrupt: &Interrupt) -> Result<Option<Entry>, Error> {
    let snapshot = store.read(interrupt)?;
    let shelf = Shelf::of(&snapshot)?;
    let Some(profile) = shelf.inventory.specialists.get(id) else { return Ok(None) };
    // A content that is damaged would say nothing, which is not the same as having nothing to say.
    let role = shelf::files(&snapshot.object(&profile.role)?);
    let skills = shelf.inventory.reach(profile).filter_map(|id| shelf.inventory.skills.get(id)?.exact);
    for exact in skills {
        snapshot.object(&exact)?;
    }
    let said = declaration(&shelf, &shelf.inventory, profile, &Contents::new());
    let may = Permission::all("open-science", &said);
    let payload = Content::read(&role, &mut Findings::default()).payload;
    let missing = payload.map(|payload| Missing::of(&payload, &shelf.inventory)).unwrap_or_default();
    Ok(Some(Entry { missing, may, ..entry(&shelf, id, profile, snapshot.place(&profile.role)) }))
}

/// Changes what is installed by hand, as an application does when somebody changes a profile, switches a Skill on for the main
/// agent or sets a Connector up.
///
/// # Errors
/// When the store cannot be read or written; inside, what kept the change from being made.
pub fn edit(
    store: &Store,
    interrupt: &Interrupt,
    change: impl FnOnce(&mut Inventory) -> Result<(), EditError>,
) -> Result<Result<(), EditError>, Error> {
    let session = store.change(interrupt)?;
    let mut inventory = Shelf::of(session.snapshot())?.inventory;
    if let Err(error) = change(&mut inventory) {
        return Ok(Err(error));
    }
    if let Err(fault) = inventory.check() {
        return Err(session.snapshot().fault(shelf::DOCUMENT, &fault.pointer, fault.because).into());
    }
    let change = Change { documents: [shelf::document(&inventory)].into(), ..Change::default() };
    session.commit(change, interrupt)?;
    Ok(Ok(()))
}
