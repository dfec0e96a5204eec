//! From one reading to its packages: found, opened, and checked, each once, in the order of their folders.

use std::collections::BTreeSet;

use kitbag_core::finding::{Finding, Findings, Place};
use kitbag_core::formats::{self, Marker, Package, codes};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::Tree;

use crate::location::Location;
use crate::read::Reading;

/// One package, opened.
pub(crate) struct Found {
    /// Where it is.
    pub location: Location,
    /// It. Without faces, it is the ground between the packages of a source.
    pub package: Package,
    /// What opening it had to say, and what [`Found::check`] added.
    pub findings: Findings,
    /// Folders of it that are packages of their own.
    inner: BTreeSet<PackagePath>,
}

impl Found {
    /// Everything its formats and its entries have to say.
    pub fn check(&mut self) {
        let Self { package, findings, inner, .. } = self;
        if package.faces.is_empty() {
            return;
        }
        for face in &package.faces {
            face.document().check(&package.tree, findings);
        }
        formats::check_tree(&package.tree, inner, findings);
    }
}

/// Opens every package of `reading`, applies `work` to it and hands the results to `take` in the order of the folders.
/// A source whose own state is worth a finding comes first, without faces.
pub(crate) fn each<R: Send>(reading: Reading, work: impl Fn(Found) -> R + Sync, mut take: impl FnMut(R)) {
    let Reading { location, tree, findings } = reading;
    let candidates = formats::discover(&tree);
    let mut opened = Vec::new();
    for (at, marker) in &candidates {
        opened.extend(open(&location, at.as_ref(), *marker, &tree));
    }
    let folders: BTreeSet<PackagePath> = opened.iter().filter_map(|found| found.package.at.clone()).collect();
    let mut ground = findings;
    if opened.is_empty() && !ground.has_errors() {
        ground.push(Finding::new(&codes::NO_FACE, Place::package(), "no package document is here"));
    }
    if !ground.is_empty() {
        let package = Package { at: None, tree: Tree::default(), faces: Vec::new() };
        take(work(Found { location, package, findings: ground, inner: BTreeSet::new() }));
    }
    for mut found in opened {
        found.inner = match &found.package.at {
            None => folders.clone(),
            Some(at) => folders.iter().filter_map(|folder| folder.below(at)).collect(),
        };
        take(work(found));
    }
}

fn open(location: &Location, at: Option<&PackagePath>, marker: Marker, tree: &Tree) -> Option<Found> {
    let below = at.map_or_else(|| tree.clone(), |at| tree.subtree(at));
    let mut findings = Findings::default();
    let package = formats::open(at.cloned(), below, &mut findings);
    if package.faces.is_empty() && findings.is_empty() && marker == Marker::Possible {
        return None;
    }
    Some(Found { location: location.package(at.cloned()), package, findings, inner: BTreeSet::new() })
}
