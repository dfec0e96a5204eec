//! [`Shelf`]: the Specialists of a store: the inventory in its document, and the contents it refers to.

use std::collections::BTreeMap;

use kitbag_core::digest::Sha256;
use kitbag_core::formats::openscience::specialist::inventory::Inventory;
use kitbag_core::formats::openscience::specialist::preview::Installed;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Node, Tree};

use crate::store::{Document, Snapshot, StoreError};

/// The name of the document.
pub(super) const DOCUMENT: &str = "specialists";

/// The Specialists of a store; of none, nothing is installed.
pub(super) struct Shelf<'s> {
    snapshot: Option<&'s Snapshot>,
    pub inventory: Inventory,
}

impl<'s> Shelf<'s> {
    /// Where nothing is installed.
    pub(super) fn empty() -> Self {
        Self { snapshot: None, inventory: Inventory::default() }
    }

    pub(super) fn of(snapshot: &'s Snapshot) -> Result<Self, StoreError> {
        let inventory = match snapshot.state().document(DOCUMENT) {
            None => Inventory::default(),
            Some(document) => Inventory::read(&document.content)
                .map_err(|fault| snapshot.fault(DOCUMENT, &fault.pointer, fault.because))?,
        };
        Ok(Self { snapshot: Some(snapshot), inventory })
    }

    /// The files of a content, which are what its name says.
    pub(super) fn content(&self, digest: &Sha256) -> Option<Result<Vec<(PackagePath, Blob)>, StoreError>> {
        Some(self.snapshot?.object(digest).map(|tree| files(&tree)))
    }

    /// What a package is compared with. Of the Skills called `names`, those whose content is no longer what it was are like no
    /// other.
    pub(super) fn installed<'n>(&self, names: impl Iterator<Item = &'n str>) -> Installed {
        let mut installed = self.inventory.installed();
        for name in names {
            let Some(skill) = installed.skills.values_mut().find(|skill| skill.name == name) else {
                continue;
            };
            let is_whole =
                skill.exact.and_then(|exact| self.content(&exact)).is_none_or(|found| found.is_ok());
            if !is_whole {
                (skill.content_hash, skill.exact) = (String::new(), None);
            }
        }
        installed
    }
}

/// The document of an inventory.
pub(super) fn document(inventory: &Inventory) -> (String, Document) {
    (DOCUMENT.to_owned(), Document { objects: inventory.objects(), content: inventory.document() })
}

/// The files of a tree.
pub(super) fn files(tree: &Tree) -> Vec<(PackagePath, Blob)> {
    let file = |(path, node): (&PackagePath, &Node)| match node {
        Node::File(blob) => Some((path.clone(), blob.clone())),
        _ => None,
    };
    tree.iter().filter_map(file).collect()
}

/// New contents by their digests.
pub(super) type Contents = BTreeMap<Sha256, Vec<(PackagePath, Blob)>>;
