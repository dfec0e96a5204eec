//! [`Wider`]: which installed Specialists would be allowed more than they are. Replacing a Skill concerns everybody who uses it.

use std::collections::BTreeSet;

use kitbag_core::formats::Document as _;
use kitbag_core::formats::openscience::Specialist;
use kitbag_core::formats::openscience::specialist::inventory::{Inventory, Profile};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::Declaration;
use kitbag_core::tree::{Blob, Node, Root, Tree};

use crate::diff::Permissions;
use crate::show::Permission;

use super::shelf::{Contents, Shelf};

/// What an installed Specialist would be allowed beyond what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wider {
    /// The Specialist.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// What is more.
    pub permissions: Vec<Permission>,
}

/// What the Specialists of `shelf` would be allowed beyond what they are, if `new` were installed with these contents.
pub(super) fn wider(shelf: &Shelf<'_>, new: &Inventory, contents: &Contents) -> Vec<Wider> {
    let old = &shelf.inventory;
    let changed: BTreeSet<&String> = new
        .skills
        .iter()
        .filter(|(id, skill)| old.skills.get(*id) != Some(skill))
        .map(|(id, _)| id)
        .collect();
    let concerns = |id: &String, profile: &Profile| {
        new.specialists
            .get(id)
            .is_some_and(|after| after != profile || new.reach(after).any(|skill| changed.contains(skill)))
    };
    let none = Contents::new();
    let concerned = old.specialists.iter().filter(|(id, profile)| concerns(id, profile));
    let found = concerned.filter_map(|(id, profile)| {
        let before = declaration(shelf, old, profile, &none);
        let after = declaration(shelf, new, new.specialists.get(id)?, contents);
        let between = Permissions::between("open-science", &before, &after);
        let mut permissions: Vec<Permission> =
            between.subjects.into_iter().flat_map(|subject| subject.wider).collect();
        permissions.dedup();
        let name = profile.shown_name().to_owned();
        (!permissions.is_empty()).then(|| Wider { id: id.clone(), name, permissions })
    });
    found.collect()
}

/// What a Specialist may do, in the inventory that it is in.
pub(super) fn declaration(
    shelf: &Shelf<'_>,
    inventory: &Inventory,
    profile: &Profile,
    contents: &Contents,
) -> Declaration {
    open(shelf, inventory, profile, contents)
        .map_or(Declaration::Unspoken, |specialist| specialist.permissions())
}

/// The package that an installed Specialist is, with every Skill it may use. A content that is damaged says nothing, so that
/// whatever takes its place counts as more.
fn open(
    shelf: &Shelf<'_>,
    inventory: &Inventory,
    profile: &Profile,
    contents: &Contents,
) -> Option<Specialist> {
    let files = |digest| match contents.get(digest) {
        Some(files) => files.clone(),
        None => shelf.content(digest).and_then(Result::ok).unwrap_or_default(),
    };
    let mut tree = Tree::new(None, Root::Folder);
    let mut put = |path: Option<PackagePath>, blob: Blob| {
        // Two Skills of one name do not get past the inventory.
        let _twin = path.map(|path| tree.insert(path, Node::File(blob)));
    };
    for (path, blob) in files(&profile.role) {
        put(Some(path), blob);
    }
    for skill in inventory.reach(profile).filter_map(|id| inventory.skills.get(id)) {
        for (path, blob) in skill.exact.as_ref().map(files).unwrap_or_default() {
            put(PackagePath::new(&format!("skills/{}/{path}", skill.name)).ok(), blob);
        }
    }
    Specialist::open(&tree)
}
