use std::collections::BTreeMap;

use super::super::bwrap;
use super::super::tree_storm::{Came, holds, is_told_to_bubblewrap, plan_of, says_what_is_planned, weather};
use super::{Owners, tree};
use crate::inside::Operation;
use crate::plan::{Item, Plan, Programs, Rights};

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    }

    fn bytes(&mut self) -> Vec<u8> {
        (0..self.next() % 80).map(|_| u8::try_from(self.next() & 0xff).unwrap()).collect()
    }
}

#[test]
fn whatever_is_planned_the_tree_is_made_in_order_and_touches_nothing_of_the_host() {
    let mut random = Random(0x006b_6974_6261_6731);
    let mut came = BTreeMap::<Came, u32>::new();
    for _ in 0..10_000 {
        *came.entry(weather(&random.bytes())).or_default() += 1;
    }
    for each in [Came::Unchecked, Came::Unmade, Came::Made] {
        assert!(came.get(&each).is_some_and(|count| *count > 100), "{came:?}");
    }
}

#[test]
fn a_plan_of_any_length_is_bounded() {
    let mut random = Random(0x006b_6974_6261_6732);
    for length in [0, 1, 10_000, 100_000] {
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(random.next() & 0xff).unwrap()).collect();
        let _came = weather(&bytes);
    }
    assert!(plan_of(&[]).tree.is_empty());
}

#[test]
fn the_order_is_told_apart_from_disorder() {
    let text = |at: &str| std::ffi::CString::new(at).unwrap();
    let folder = |at: &str| Operation::Folder(text(at));
    let bind =
        |at: &str| Operation::Bind { from: c"/usr".to_owned(), at: text(at), attributes: 0, copy: None };
    let memory =
        |at: &str| Operation::Memory { at: text(at), size: text("1"), inodes: text("1"), kept: false };
    assert_eq!(holds(&[folder("a"), bind("a"), bind("a/b")]), Ok(()));
    assert_eq!(holds(&[folder("a"), memory("a"), folder("a/b"), bind("a/b")]), Ok(()));
    for wrong in [
        vec![folder("a/b")],
        vec![folder("../a")],
        vec![folder("a"), folder("a")],
        vec![bind("a")],
        vec![folder("a"), bind("a"), folder("a/b")],
        vec![folder("a"), bind("a"), bind("a")],
        vec![folder("a"), bind("a"), memory("a")],
        vec![folder("a"), bind("a"), bind("a/b"), bind("a/c"), memory("a")],
        vec![folder("a"), folder("a/b"), memory("a")],
    ] {
        assert!(holds(&wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_tree_that_is_not_what_is_planned_is_told_apart() {
    let host = |rights| Item::Host { from: "/usr".into(), at: "/a".into(), rights };
    for rights in [Rights::Read, Rights::Code, Rights::Write, Rights::WriteCode] {
        let plan = Plan::new("/a", vec![host(rights)], Programs::Any);
        let made = || tree(&plan, Owners::Kept).unwrap();
        let words = bwrap::words(&plan).unwrap();
        assert_eq!(says_what_is_planned(&plan, &made()), Ok(()));
        assert_eq!(is_told_to_bubblewrap(&plan, &words), Ok(()));
        // One right more, or one less.
        for changed in [Operation::READ_ONLY, Operation::NO_EXECUTION, Operation::TAME] {
            let mut operations = made();
            let attributes = operations.iter_mut().find_map(|operation| match operation {
                Operation::Bind { at, attributes, .. } if **at == *c"a" => Some(attributes),
                _ => None,
            });
            *attributes.unwrap() ^= changed;
            assert!(says_what_is_planned(&plan, &operations).is_err(), "{rights:?} {changed:x}");
        }
        let mut fewer = made();
        fewer.retain(|operation| !matches!(operation, Operation::Bind { at, .. } if **at == *c"a"));
        assert!(says_what_is_planned(&plan, &fewer).is_err());
        let mut more = made();
        more.push(Operation::Link(c"/".to_owned(), c"b".to_owned()));
        assert!(says_what_is_planned(&plan, &more).is_err());
        let flipped = match rights {
            Rights::Read | Rights::Code => Rights::Write,
            Rights::Write | Rights::WriteCode => Rights::Read,
        };
        let other = Plan::new("/a", vec![host(flipped)], Programs::Any);
        assert!(is_told_to_bubblewrap(&other, &words).is_err());
        assert!(is_told_to_bubblewrap(&plan, &[]).is_err());
    }
}
