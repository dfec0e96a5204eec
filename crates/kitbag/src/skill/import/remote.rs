//! Skills on GitHub: one folder, or all in a repository.

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::bundle::{Preview, Reason, SKILLS};
use kitbag_core::formats::openscience::github::{Place, Requests};
use kitbag_core::tree::Tree;
use kitbag_registry::github::{Client, Error};

use crate::location::{Location, SourceKind};
use crate::read::DiskSpool;

use super::source::Opened;

/// What is at `place`. A Skill that breaks a limit costs itself and no other; an answer that is none costs all.
///
/// # Errors
/// When GitHub cannot be asked, or answers something else.
pub(super) fn open(place: &Place, client: &Client<'_>, requests: &mut Requests) -> Result<Opened, Error> {
    let mut spool = DiskSpool::default();
    let places = if place.path.is_empty() { client.scan(place, requests)? } else { vec![place.clone()] };
    let mut preview = Preview::default();
    let is_inside = |one: &Place| places.iter().any(|other| other.holds(one));
    for (count, found) in places.iter().filter(|place| !is_inside(place)).enumerate() {
        if count >= SKILLS {
            preview.add(Preview::refused(&found.path, Reason::Skills));
            continue;
        }
        match client.skill(found, requests, &mut spool) {
            Ok(skill) => preview.add(skill),
            Err(Error::Trouble(trouble)) => match trouble.reason() {
                Some(reason) => preview.add(Preview::refused(&found.path, reason)),
                None => return Err(Error::Trouble(trouble)),
            },
            Err(error) => return Err(error),
        }
    }
    let repository = Place { path: String::new(), ..place.clone() };
    let location = Location::root(repository.to_string().into(), SourceKind::Archive);
    Ok(Opened { location, tree: Tree::default(), preview: Some(preview), findings: Findings::default() })
}
