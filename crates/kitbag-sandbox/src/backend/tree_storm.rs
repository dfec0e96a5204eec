//! The storm of the mount plan builder: any bytes are a plan, and what is made of a plan must hold, whatever it is.
//!
//! For tests of this crate, and behind a feature for whoever drives it by coverage.

#![expect(clippy::panic, reason = "a storm tells what it broke by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::bwrap;
use super::tree::{DEVICES, Owners, tree};
use crate::inside::Operation;
use crate::plan::{Afterwards, Item, Limits, Plan, Proc, Programs, Rights};
use crate::run::Error;
use crate::step::Step;

/// What became of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Came {
    /// It makes no sense by itself.
    Unchecked,
    /// It cannot be made: something lies in a folder of the host or below a file, or a source is missing.
    Unmade,
    /// A list of operations was made, and holds.
    Made,
}

/// Choices out of bytes: behind the last every one is the first.
struct Choices<'b>(&'b [u8]);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % bound
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of.get(self.below(of.len())).unwrap_or_else(|| panic!("a choice is below its bound")).clone()
    }

    /// Bytes as they are.
    fn raw(&mut self) -> Vec<u8> {
        let length = self.below(12).min(self.0.len());
        let (raw, rest) = self.0.split_at(length);
        self.0 = rest;
        raw.to_vec()
    }

    fn path(&mut self) -> PathBuf {
        const NAMES: [&str; 6] = ["a", "b", "c", "usr", "null", "\u{e9}"];
        const STRANGE: [&str; 7] = ["proc", "dev", "..", ".", "", "a\0", "/"];
        let mut path = Vec::new();
        for _ in 0..=self.below(4) {
            path.extend(b"/");
            match self.below(32) {
                0 => path.extend(self.pick(&STRANGE).bytes()),
                1 => path.extend(self.raw()),
                _ => path.extend(self.pick(&NAMES).bytes()),
            }
        }
        OsString::from_vec(path).into()
    }

    fn item(&mut self) -> Item {
        const SOURCES: [&str; 5] = ["/", "/usr", "/etc/passwd", "/dev/null", "/nothing/here"];
        let at = self.path();
        match self.below(7) {
            0 => Item::Memory { at, bytes: u64::MAX, files: u64::MAX, afterwards: Afterwards::Gone },
            1 => Item::File { at, content: self.raw() },
            2 => Item::Link { at, to: self.path() },
            _ => {
                // A source that is not there is one way to be refused, and not the usual one.
                let sources = if self.below(64) == 0 { &SOURCES[..] } else { &SOURCES[..4] };
                let from = self.pick(sources).into();
                let rights = self.pick(&[Rights::Read, Rights::Code, Rights::Write, Rights::WriteCode]);
                Item::Host { from, at, rights }
            }
        }
    }
}

/// The plan that `bytes` are.
pub(crate) fn plan_of(bytes: &[u8]) -> Plan {
    let mut choices = Choices(bytes);
    let programs = if choices.below(2) == 0 { Programs::Any } else { Programs::Listed(vec![choices.path()]) };
    let mut items = Vec::new();
    while !choices.0.is_empty() {
        items.push(choices.item());
    }
    let limits = Limits { memory_in_all: None, cpu_in_all: None, ..Limits::default() };
    Plan { limits, proc: Proc::Absent, ..Plan::new("/a", items, programs) }
}

/// Makes of `bytes` what a backend would, and holds it to what it promises.
///
/// # Panics
/// When something does not hold.
pub(crate) fn weather(bytes: &[u8]) -> Came {
    let plan = plan_of(bytes);
    if plan.check().is_err() {
        return Came::Unchecked;
    }
    let operations = match tree(&plan, Owners::Kept) {
        Ok(operations) => operations,
        // Whoever makes the tree otherwise must not make it either.
        Err(refused @ (Error::Plan(_) | Error::Step { step: Step::Source, .. })) => {
            assert!(bwrap::words(&plan).is_err(), "{plan:?}\n{refused:?}");
            return Came::Unmade;
        }
        Err(error) => panic!("{plan:?}\n{error:?}"),
    };
    let told = holds(&operations).and_then(|()| says_what_is_planned(&plan, &operations));
    let words = bwrap::words(&plan).unwrap_or_else(|error| panic!("{plan:?}\n{error:?}"));
    if let Err(wrong) = told.and_then(|()| is_told_to_bubblewrap(&plan, &words)) {
        panic!("{plan:?}\n{wrong}");
    }
    Came::Made
}

fn path_of(at: &CStr) -> PathBuf {
    Path::new(OsStr::from_bytes(at.to_bytes())).to_owned()
}

/// What an operation makes or covers, and whether it makes something.
fn touched(operation: &Operation) -> (&CStr, bool) {
    match operation {
        Operation::Folder(at) | Operation::File(at, _) | Operation::Link(_, at) => (at, true),
        Operation::Bind { at, .. } | Operation::Memory { at, .. } => (at, false),
    }
}

/// What must be so of every list of operations: each is inside, nothing is made twice or in a folder of the host, nothing
/// goes through a link or a file, every folder is made before what is in it, and nothing is covered once it is there.
pub(super) fn holds(operations: &[Operation]) -> Result<(), String> {
    let (mut folders, mut no_folders) = (BTreeSet::from([PathBuf::new()]), BTreeSet::new());
    let (mut host, mut attached) = (BTreeSet::new(), BTreeSet::new());
    for operation in operations {
        let (at, makes) = touched(operation);
        let at = path_of(at);
        let wrong = |what: &str| Err(format!("{operation:?}: {what}"));
        if at.is_absolute() || at.iter().any(|part| part == ".." || part == ".") {
            return wrong("outside");
        }
        let above = at.parent().unwrap_or(Path::new(""));
        let of_host = above.ancestors().any(|above| host.contains(above));
        if !of_host && !folders.contains(above) {
            return wrong("no folder above");
        }
        if at.ancestors().skip(1).any(|above| no_folders.contains(above)) {
            return wrong("below what is no folder");
        }
        if makes {
            if of_host || host.contains(&at) {
                return wrong("made in a folder of the host");
            }
            let new = match operation {
                Operation::Folder(_) => folders.insert(at),
                _ => !folders.contains(&at) && no_folders.insert(at),
            };
            if !new {
                return wrong("made twice");
            }
        } else {
            if !of_host && !folders.contains(&at) && !no_folders.contains(&at) {
                return wrong("nowhere to be attached");
            }
            let covered = folders.iter().chain(&no_folders).chain(&attached);
            if attached.contains(&at) || covered.into_iter().any(|made| *made != at && made.starts_with(&at))
            {
                return wrong("covers what was made");
            }
            attached.insert(at.clone());
            if matches!(operation, Operation::Bind { .. }) {
                host.insert(at);
            }
        }
    }
    Ok(())
}

/// Whether `operations` are what `plan` says, no more and no less: what is read there stays read.
pub(super) fn says_what_is_planned(plan: &Plan, operations: &[Operation]) -> Result<(), String> {
    const CLOSED: [(u64, &str); 3] = [
        (Operation::READ_ONLY, "written"),
        (Operation::NO_EXECUTION, "started"),
        (Operation::TAME, "of devices or of other users"),
    ];
    let mut binds = BTreeMap::new();
    let mut counts = (0, 0, 0);
    for operation in operations {
        match operation {
            Operation::Bind { from, at, attributes, .. } => {
                binds.insert(path_of(at), (path_of(from), *attributes));
            }
            Operation::Memory { .. } => counts.0 += 1,
            Operation::File(_, content) if !content.is_empty() => counts.1 += 1,
            Operation::Link(..) => counts.2 += 1,
            Operation::File(..) | Operation::Folder(_) => {}
        }
    }
    let mut planned = (0, 0, 4);
    let mut hosts = 0;
    for item in &plan.tree {
        match item {
            Item::Host { from, at, rights } => {
                hosts += 1;
                let below = at.strip_prefix("/").unwrap_or(at);
                let bind = binds.get(below).filter(|(source, _)| source == from);
                let Some((_, attributes)) = bind else { return Err(format!("{at:?} is not attached")) };
                let open = match rights {
                    Rights::Read => [false, false, false],
                    Rights::Code => [false, true, false],
                    Rights::Write => [true, false, false],
                    Rights::WriteCode => [true, true, false],
                };
                for ((closed, what), is_open) in CLOSED.into_iter().zip(open) {
                    if (attributes & closed == closed) == is_open {
                        return Err(format!("{at:?} is {what} as it should not be: {attributes:x}"));
                    }
                }
            }
            Item::Memory { .. } => planned.0 += 1,
            Item::File { content, .. } => planned.1 += usize::from(!content.is_empty()),
            Item::Link { .. } => planned.2 += 1,
        }
    }
    if (binds.len(), counts) != (hosts + DEVICES.len(), planned) {
        return Err(format!("{} attached, {counts:?} made, {planned:?} planned", binds.len()));
    }
    let steps: usize = plan.tree.iter().map(|item| item.at().components().count() + 1).sum();
    let most = steps + 3 * DEVICES.len() + 8;
    if operations.len() > most { Err(format!("{} operations", operations.len())) } else { Ok(()) }
}

/// Whether bubblewrap's words for what is of the host let no more be done with it.
pub(super) fn is_told_to_bubblewrap(plan: &Plan, words: &[OsString]) -> Result<(), String> {
    for item in &plan.tree {
        let Item::Host { from, at, rights } = item else { continue };
        let option = match rights {
            Rights::Read | Rights::Code => "--ro-bind",
            Rights::Write | Rights::WriteCode => "--bind",
        };
        let told = [OsStr::new(option), from.as_os_str(), at.as_os_str()];
        let places = words.windows(3).filter(|three| three.iter().map(OsString::as_os_str).eq(told));
        if places.count() != 1 {
            return Err(format!("{told:?} is not told once: {words:?}"));
        }
    }
    Ok(())
}
