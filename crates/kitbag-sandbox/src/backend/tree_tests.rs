use std::collections::BTreeSet;
use std::ffi::CStr;
use std::path::{Path, PathBuf};

use super::{Owners, tree};
use crate::inside::Operation;
use crate::plan::{Afterwards, Item, Limits, Plan, PlanError, Programs, Rights};
use crate::run::Error;

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % bound
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn path(&mut self) -> PathBuf {
        const NAMES: &[&str] = &["a", "b", "c", "usr", "null", "\u{e9}"];
        const STRANGE: &[&str] = &["proc", "dev", "..", ".", "", "a\0", "/"];
        let mut path = String::new();
        for _ in 0..=self.below(3) {
            path.push('/');
            let names = if self.below(16) == 0 { STRANGE } else { NAMES };
            path.push_str(self.pick(names));
        }
        path.into()
    }

    fn item(&mut self) -> Item {
        let at = self.path();
        match self.below(5) {
            0 => Item::Memory { at, bytes: u64::MAX, files: u64::MAX, afterwards: Afterwards::Gone },
            1 => Item::File { at, content: vec![0; self.below(9)] },
            2 => Item::Link { at, to: self.path() },
            _ => {
                let from = self.pick(&["/", "/usr", "/etc/passwd", "/dev/null"]).into();
                let rights = self.pick(&[Rights::Read, Rights::Code, Rights::Write, Rights::WriteCode]);
                Item::Host { from, at, rights }
            }
        }
    }
}

fn plan(tree: Vec<Item>, programs: Programs) -> Plan {
    let limits = Limits { memory_in_all: None, ..Limits::default() };
    Plan { limits, ..Plan::new("/a", tree, programs) }
}

/// What an operation makes or covers, and whether it makes something.
fn touched(operation: &Operation) -> (&CStr, bool) {
    match operation {
        Operation::Folder(at) | Operation::File(at, _) | Operation::Link(_, at) => (at, true),
        Operation::Bind { at, .. } | Operation::Memory { at, .. } => (at, false),
    }
}

/// What must be so of every list of operations: each is inside, nothing is made twice or in a folder of the host, nothing
/// goes through a link or a file, and every folder is made before what is in it.
fn holds(operations: &[Operation]) -> Result<(), String> {
    let (mut folders, mut no_folders, mut host) =
        (BTreeSet::from([PathBuf::new()]), BTreeSet::new(), BTreeSet::new());
    for operation in operations {
        let (at, makes) = touched(operation);
        let at = Path::new(at.to_str().unwrap()).to_owned();
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
            if folders.iter().chain(&no_folders).any(|made| *made != at && made.starts_with(&at)) {
                return wrong("covers what was made");
            }
            if matches!(operation, Operation::Bind { .. }) {
                host.insert(at);
            }
        }
    }
    Ok(())
}

#[test]
fn whatever_is_planned_the_tree_is_made_in_order_and_touches_nothing_of_the_host() {
    let mut random = Random(0x006b_6974_6261_6731);
    let (mut made, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let items = (0..=random.below(6)).map(|_| random.item()).collect();
        let listed = Programs::Listed(vec!["/a".into()]);
        let plan = plan(items, if random.below(2) == 0 { Programs::Any } else { listed });
        if plan.check().is_err() {
            refused += 1;
            continue;
        }
        match tree(&plan, Owners::Kept) {
            Ok(operations) => {
                made += 1;
                holds(&operations).unwrap_or_else(|wrong| panic!("{plan:?}\n{wrong}"));
            }
            Err(Error::Plan(PlanError::BelowNoFolder(_) | PlanError::InsideHost(_))) => refused += 1,
            Err(error) => panic!("{plan:?}\n{error:?}"),
        }
    }
    assert!(made > 1000 && refused > 1000, "{made} made, {refused} refused");
}

#[test]
fn the_order_is_told_apart_from_disorder() {
    let folder = |at: &str| Operation::Folder(std::ffi::CString::new(at).unwrap());
    let bind = |at: &str| Operation::Bind {
        from: c"/usr".to_owned(),
        at: std::ffi::CString::new(at).unwrap(),
        attributes: 0,
        copy: None,
    };
    assert_eq!(holds(&[folder("a"), bind("a"), bind("a/b")]), Ok(()));
    for wrong in [
        vec![folder("a/b")],
        vec![folder("../a")],
        vec![folder("a"), folder("a")],
        vec![bind("a")],
        vec![folder("a"), bind("a"), folder("a/b")],
    ] {
        assert!(holds(&wrong).is_err(), "{wrong:?}");
    }
}
