use std::path::{Path, PathBuf};

use super::{Item, Plan, PlanError, Programs, Rights, inside};

fn plan(tree: Vec<Item>) -> Plan {
    Plan::new("/bin/true", tree, Programs::Any)
}

fn host(at: &str, rights: Rights) -> Item {
    Item::Host { from: "/usr".into(), at: at.into(), rights }
}

#[test]
fn a_path_inside_has_one_spelling() {
    for good in ["/", "/a", "/a/b.c", "/a/...", "/é"] {
        assert!(inside(Path::new(good)).is_ok(), "{good}");
    }
    for bad in ["", "a", "./a", "/a/../b", "/a/./b", "/a//b", "/a/", "/..", "//a", "/a\0b"] {
        assert_eq!(inside(Path::new(bad)), Err(PlanError::Path(bad.into())), "{bad:?}");
    }
}

#[test]
fn nothing_lies_below_a_link_or_a_file() {
    let link = Item::Link { at: "/lib".into(), to: "/usr/lib".into() };
    let file = Item::File { at: "/etc/hosts".into(), content: Vec::new() };
    assert_eq!(plan(vec![link.clone(), host("/usr", Rights::Code)]).check(), Ok(()));
    let below = |above: Item, at: &str| plan(vec![above, host(at, Rights::Read)]).check();
    assert_eq!(below(link, "/lib/x"), Err(PlanError::BelowNoFolder("/lib/x".into())));
    assert_eq!(below(file.clone(), "/etc/hosts/x"), Err(PlanError::BelowNoFolder("/etc/hosts/x".into())));
    assert_eq!(below(file, "/etc/x"), Ok(()));
}

#[test]
fn a_place_is_taken_once_and_the_sandbox_keeps_its_own() {
    let twice = plan(vec![host("/a", Rights::Read), host("/a", Rights::Write)]);
    assert_eq!(twice.check(), Err(PlanError::Taken("/a".into())));
    for own in ["/", "/proc", "/proc/self", "/dev", "/dev/null"] {
        assert_eq!(plan(vec![host(own, Rights::Read)]).check(), Err(PlanError::Taken(own.into())), "{own}");
    }
    assert_eq!(plan(vec![host("/a", Rights::Read), host("/a/b", Rights::Write)]).check(), Ok(()));
    assert_eq!(plan(vec![host("/process", Rights::Read)]).check(), Ok(()));
}

#[test]
fn a_later_item_lies_inside_an_earlier_one_and_never_over_it() {
    let (outer, inner) = (host("/a", Rights::Read), host("/a/b", Rights::Write));
    assert_eq!(plan(vec![outer.clone(), inner.clone()]).check(), Ok(()));
    assert_eq!(plan(vec![inner, outer]).check(), Err(PlanError::Covers("/a".into())));
    assert_eq!(plan(vec![host("/ab", Rights::Read), host("/a", Rights::Read)]).check(), Ok(()));
}

#[test]
fn what_is_written_is_not_loaded_while_programs_are_listed() {
    let mut both = plan(vec![host("/a", Rights::WriteCode)]);
    assert_eq!(both.check(), Ok(()));
    both.programs = Programs::Listed(vec!["/bin/true".into()]);
    assert_eq!(both.check(), Err(PlanError::WrittenAndLoaded("/usr".into())));
    both.tree = vec![host("/a", Rights::Write), host("/b", Rights::Code)];
    assert_eq!(both.check(), Ok(()));
}

#[test]
fn a_plan_is_bounded() {
    let many = |count: usize| plan((0..count).map(|at| host(&format!("/{at}"), Rights::Read)).collect());
    assert_eq!(many(512).check(), Ok(()));
    assert_eq!(many(513).check(), Err(PlanError::TooMany));
}

#[test]
fn texts_hold_no_nul_and_names_no_equals_sign() {
    let mut texts = plan(Vec::new());
    texts.arguments = vec!["a=b".into()];
    texts.environment = vec![("A".into(), "b=c".into())];
    assert_eq!(texts.check(), Ok(()));
    for name in ["", "A=B", "A\0"] {
        texts.environment = vec![(name.into(), "x".into())];
        assert!(matches!(texts.check(), Err(PlanError::Text(_))), "{name:?}");
    }
    texts.environment.clear();
    texts.arguments = vec!["\0".into()];
    assert_eq!(texts.check(), Err(PlanError::Text("\0".into())));
    texts.arguments.clear();
    texts.folder = PathBuf::from("work");
    assert_eq!(texts.check(), Err(PlanError::Path("work".into())));
}
