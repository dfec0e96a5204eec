//! From one reading to its packages: found, opened and handed out, each once, in the order of their folders.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::ops::Bound;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use kitbag_core::finding::{Finding, Findings, Place};
use kitbag_core::formats::{self, Marker, Neighbourhood, Package, codes};
use kitbag_core::limits::{Bytes, Limits};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Node, Tree};

use crate::location::Location;
use crate::read::Reading;

/// A package, opened, or what lies between the packages of a source.
pub(crate) struct Found {
    /// Where it is.
    pub location: Location,
    /// Which of the two.
    pub ground: Ground,
    /// It; without faces and entries when it is no package.
    pub package: Package,
    /// What opening it had to say, and what [`Found::check`] added.
    pub findings: Findings,
    /// Folders of it that are packages of their own.
    inner: BTreeSet<PackagePath>,
}

/// Whether something is a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// It is one, or means to be.
    Package,
    /// It is what lies between packages.
    Between,
}

impl Found {
    /// The same package in `whole`, a tree of the same source in which documents were replaced; not checked yet.
    pub fn again(&self, whole: &Tree, neighbourhood: &Neighbourhood) -> Self {
        let mut findings = Findings::default();
        let package = formats::open_among(whole, neighbourhood, self.package.at.clone(), &mut findings);
        Self {
            location: self.location.clone(),
            ground: self.ground,
            package,
            findings,
            inner: self.inner.clone(),
        }
    }

    /// Folders of it that are packages of their own.
    pub const fn inner(&self) -> &BTreeSet<PackagePath> {
        &self.inner
    }

    /// Whether packages of their own lie inside it.
    pub fn holds_others(&self) -> bool {
        !self.inner.is_empty()
    }

    /// Whether it lies inside of `folder`; everything lies inside of the root.
    pub fn is_below(&self, folder: Option<&PackagePath>) -> bool {
        match (folder, &self.package.at) {
            (None, at) => at.is_some(),
            (Some(folder), Some(at)) => at.below(folder).is_some(),
            (Some(_), None) => false,
        }
    }

    /// Adds everything its formats and its entries have to say.
    pub fn check(&mut self) {
        if self.ground == Ground::Between {
            return;
        }
        let Self { package, findings, inner, .. } = self;
        let bytes = total_bytes(&package.tree);
        let max = Limits::LOOSEST.total_bytes;
        if bytes > max {
            let (bytes, max) = (Bytes(bytes), Bytes(max));
            let message = format!("the files have {bytes} in all; a package over {max} is not checked");
            findings.push(Finding::new(&codes::TOO_MUCH, Place::package(), message));
        } else {
            for face in &package.faces {
                face.document().check(&package.tree, findings);
            }
            formats::cross::check(&package.faces, findings);
        }
        formats::check_tree(&package.tree, inner, findings);
        if package.faces.is_empty() && !findings.has_errors() {
            findings.push(no_face());
        }
    }
}

fn total_bytes(tree: &Tree) -> u64 {
    tree.iter().fold(0, |sum: u64, (_, node)| match node {
        Node::File(blob) => sum.saturating_add(blob.len()),
        _ => sum,
    })
}

pub(crate) fn no_face() -> Finding {
    Finding::new(&codes::NO_FACE, Place::package(), "no package document is here")
}

/// Results that may wait for their turn, for each thread: enough that nobody waits for the one who takes them.
const WAITING: usize = 32;

/// Fewer packages than this are not worth a thread.
const FEW: usize = 8;

/// Opens every package of `reading`, applies `work` to each and hands the results to `take` in the order of the folders.
/// What lies between the packages comes first, when there is something to say about it.
pub(crate) fn each<R: Send>(reading: Reading, work: impl Fn(Found) -> R + Sync, mut take: impl FnMut(R)) {
    let Reading { location, tree, mut findings, .. } = reading;
    let neighbourhood = Neighbourhood::default();
    let mut candidates = candidates(&tree, &neighbourhood, &location);
    let folders: BTreeSet<PackagePath> = candidates.iter().filter_map(|found| found.at.clone()).collect();
    match candidates.first_mut() {
        Some(root) if root.at.is_none() => root.said = findings,
        _ => {
            formats::check_between(&tree, &folders, &mut findings);
            if candidates.is_empty() && !findings.has_errors() {
                findings.push(no_face());
            }
            if !findings.is_empty() {
                let package = Package { at: None, tree: Tree::default(), faces: Vec::new() };
                let (location, ground, inner) = (location.clone(), Ground::Between, BTreeSet::new());
                take(work(Found { location, ground, package, findings, inner }));
            }
        }
    }
    in_order(candidates, |candidate| work(candidate.open(&tree, &neighbourhood, &location, &folders)), take);
}

/// A folder that is, or means to be, a package.
struct Candidate {
    at: Option<PackagePath>,
    /// The package, where finding out what it is meant opening it.
    opened: Option<Package>,
    /// What was said before it was opened.
    said: Findings,
}

/// The packages of `tree`, in the order of their folders. A folder with a common file name in it is looked into first.
fn candidates(tree: &Tree, neighbourhood: &Neighbourhood, location: &Location) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (at, marker) in formats::discover(tree) {
        let mut said = Findings::default();
        let opened = (marker == Marker::Possible)
            .then(|| formats::open_among(tree, neighbourhood, at.clone(), &mut said));
        let is_package = opened.as_ref().is_none_or(|package| !package.faces.is_empty() || !said.is_empty());
        // One document by itself was named; whatever it is, it is what was meant.
        if is_package || location.is_document() {
            found.push(Candidate { at, opened, said });
        }
    }
    found
}

impl Candidate {
    /// Opens it where it stands in `tree`, unless it was opened before.
    fn open(
        self,
        tree: &Tree,
        neighbourhood: &Neighbourhood,
        location: &Location,
        folders: &BTreeSet<PackagePath>,
    ) -> Found {
        let Self { at, opened, said: mut findings } = self;
        let inner = match &at {
            None => folders.clone(),
            Some(at) => {
                let first = format!("{at}/");
                let range = folders.range::<str, _>((Bound::Included(first.as_str()), Bound::Unbounded));
                range.map_while(|folder| folder.below(at)).collect()
            }
        };
        let location = location.package(at.clone());
        let package = opened.unwrap_or_else(|| formats::open_among(tree, neighbourhood, at, &mut findings));
        Found { location, ground: Ground::Package, package, findings, inner }
    }
}

/// `take(work(item))` for every item, in order. Where there are many, `work` runs on several threads.
fn in_order<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync, mut take: impl FnMut(R)) {
    let threads = if items.len() < FEW { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) };
    if threads == 1 {
        return items.into_iter().for_each(|item| take(work(item)));
    }
    let waiting = Mutex::new(items.into_iter().enumerate());
    let (send, receive) = mpsc::sync_channel(threads * WAITING);
    thread::scope(|scope| {
        for _ in 0..threads {
            let (waiting, work, send) = (&waiting, &work, send.clone());
            scope.spawn(move || {
                while let Some((number, item)) = next(waiting) {
                    if send.send((number, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (number, result) in receive {
            early.insert(number, result);
            while let Some(result) = early.remove(&turn) {
                take(result);
                turn += 1;
            }
        }
    });
}

/// The next of the items, whichever thread asks. A thread that panicked took its item and nothing else.
fn next<T>(waiting: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_however_long_each_takes() {
        let items: Vec<u64> = (0..200).collect();
        let spin = |item: u64| {
            // The first items take longest.
            (0..(200 - item) * 500).fold(item, |sum, n| std::hint::black_box(sum ^ n) ^ n)
        };
        let mut taken = Vec::new();
        in_order(items.clone(), |item| (item, spin(item)), |(item, _)| taken.push(item));
        assert_eq!(taken, items);
    }
}
