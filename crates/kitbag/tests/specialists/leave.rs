//! Exporting and deleting.

use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::specialist::{self, Deletion, ExportOutcome, Request, Verdict};
use kitbag_core::formats::openscience::specialist::export::{ExportRefusal, Selection};
use kitbag_core::formats::openscience::specialist::install::Decisions;
use kitbag_core::formats::openscience::specialist::inventory::Access;
use kitbag_core::formats::openscience::specialist::preview::{Disposition, MainAgent, Standalone};
use kitbag_core::formats::openscience::specialist::removal::{Reason, RemovalRefusal, SkillKind};

use crate::shop::*;

#[test]
fn an_export_is_the_same_every_time_and_installs_as_what_it_was() {
    let shop = Shop::new();
    let skills = &[("tools", "Use them."), ("more", "More.")];
    let package = shop.package("reader", &Package { skills, ..READER });
    fs::write(package.join("README.txt"), "For people.\n").unwrap();
    installed(shop.install(&package, seen(&shop.look(&package)), Decisions::default()));
    let ExportOutcome::Exported(one) = shop.export("reader", Some(1), "one.zip") else {
        panic!("it is sound")
    };
    let ExportOutcome::Exported(_) = shop.export("reader", None, "two.zip") else { panic!("it is sound") };
    let (first, second) = (shop.folder.at("one.zip"), shop.folder.at("two.zip"));
    assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
    assert_eq!(one.bytes, fs::metadata(&first).unwrap().len());
    assert_eq!(one.preview.file_name, "open-science-specialist-reader-v1.0.0.zip");
    // Nothing is said of it where nothing is installed.
    let answer = specialist::preview(&Request { package: first.clone() }).unwrap();
    assert_eq!((answer.verdict, codes(&answer)), (Verdict::Installable, Vec::new()));
    // There, it is what it was.
    let other = Shop::new();
    let answer = other.look(&first);
    installed(other.install(&first, seen(&answer), Decisions::default()));
    assert_eq!(other.entry("reader").skills.len(), 2);
    let ExportOutcome::Exported(_) = other.export("reader", Some(1), "again.zip") else {
        panic!("it is sound")
    };
    assert_eq!(fs::read(&first).unwrap(), fs::read(other.folder.at("again.zip")).unwrap());
    // Here, it is the same that is installed.
    assert!(
        shop.look(&first).preview.skills.iter().all(|skill| skill.disposition == Disposition::ReuseOwned)
    );
}

#[test]
fn what_was_not_there_is_still_named_by_an_export() {
    let shop = Shop::new();
    let package = shop.package("reader", &Package { connectors: &["papers"], ..READER });
    fs::write(
        package.join("specialist.json"),
        r#"{"name": "reader", "description": "Reads.", "system_prompt": "test only: read.",
            "skill_ids": ["elsewhere", "tools"], "connector_ids": ["papers"]}"#,
    )
    .unwrap();
    installed(shop.install(&package, seen(&shop.look(&package)), Decisions::default()));
    assert_eq!(shop.entry("reader").missing.connectors, ["papers"]);
    assert!(matches!(shop.export("reader", None, "x.zip"), ExportOutcome::Exported(_)));
    let answer = specialist::preview(&Request { package: shop.folder.at("x.zip") }).unwrap();
    let payload = answer.preview.payload.unwrap();
    assert_eq!(payload.skill_ids, ["tools", "elsewhere"]);
    assert_eq!(payload.connector_ids, ["papers"]);
}

#[test]
fn an_export_is_refused_or_told_about_before_anything_is_written() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    shop.put("writer", &Package { skills: &[("pens", "Pens.")], ..WRITER });
    let refused = |outcome| match outcome {
        ExportOutcome::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    };
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(refused(shop.export("nobody", None, "x.zip")), ExportRefusal::NotFound);
    assert_eq!(refused(shop.export("reader", Some(2), "x.zip")), ExportRefusal::Changed { revision: 1 });
    let with = |with: &[&str], without: &[&str]| {
        let selection = Selection { with: named(with), without: named(without) };
        shop.export_with("reader", None, "x.zip", selection)
    };
    assert_eq!(refused(with(&["tools"], &["tools"])), ExportRefusal::Invalid);
    let not_its_own = ExportRefusal::NotReferenced { skill: "pens".to_owned() };
    assert_eq!(refused(with(&["pens"], &[])), not_its_own);
    assert!(!shop.folder.at("x.zip").exists());
    // A Skill of somebody else's comes along where that is asked for.
    shop.edit(|inventory| inventory.select("reader", &["personal-tools", "personal-pens"], &[]).unwrap());
    let skills = |selection| match shop.export_with("reader", Some(2), "y.zip", selection) {
        ExportOutcome::Exported(exported) => {
            fs::remove_file(shop.folder.at("y.zip")).unwrap();
            let located = exported.preview.report.packages.iter().flat_map(|package| &package.findings);
            let slugs = located.map(|located| located.finding.code.slug.rsplit_once('/').unwrap().1);
            slugs.collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let unchanged = "specialist-export-version-unchanged";
    let unbundled = "specialist-export-unbundled-skills";
    let mut found = skills(Selection::default());
    found.sort_unstable();
    assert_eq!(found, [unbundled, unchanged]);
    assert_eq!(skills(Selection { with: named(&["pens"]), without: Vec::new() }), [unchanged]);
    // What has the name stays.
    fs::write(shop.folder.at("z.zip"), "mine").unwrap();
    assert!(matches!(shop.export("reader", None, "z.zip"), ExportOutcome::Exists { .. }));
    assert_eq!(fs::read(shop.folder.at("z.zip")).unwrap(), b"mine");
}

#[test]
fn a_deletion_takes_along_what_was_named_and_nobody_else_needs() {
    let shop = Shop::new();
    shop.put(
        "reader",
        &Package { skills: &[("tools", "T."), ("pens", "P."), ("main", "M."), ("own", "O.")], ..READER },
    );
    shop.put("writer", &Package { skills: &[("tools", "T.")], ..WRITER });
    shop.put("third", &Package { id: "third", skills: &[], ..READER });
    shop.edit(|inventory| {
        inventory.select("third", &["personal-pens"], &[]).unwrap();
        inventory.set_main_agent("personal-main", MainAgent::Uses).unwrap();
    });
    let removal = shop.removal("reader");
    let told: Vec<(&str, SkillKind, Vec<&str>)> = removal
        .skills
        .iter()
        .map(|skill| {
            let reasons = skill.reasons.iter().map(Reason::word).collect();
            (skill.name.as_str(), skill.kind, reasons)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("main", SkillKind::Owned, vec!["main-enabled"]),
            ("own", SkillKind::Exclusive, vec![]),
            ("pens", SkillKind::Owned, vec!["referenced"]),
            ("tools", SkillKind::Owned, vec!["shared-owner", "referenced"]),
        ]
    );
    for skill in ["personal-main", "personal-pens", "personal-tools", "personal-none"] {
        let refused = Deletion::Refused(RemovalRefusal::ProtectedSkill { skill: skill.to_owned() });
        assert_eq!(shop.delete(removal.clone(), &[skill]), refused);
    }
    // Nothing went, and a Skill cannot go twice.
    assert!(matches!(shop.delete(removal.clone(), &["personal-own", "personal-own"]), Deletion::Refused(_)));
    assert_eq!(shop.ids(), ["reader", "third", "writer"]);
    let own = shop.entry("reader").skills.iter().find(|(id, _)| id == "personal-own").unwrap().1.exact;
    let Deletion::Deleted(deleted) = shop.delete(removal, &["personal-own"]) else { panic!("it may go") };
    assert_eq!(
        (deleted.skills, deleted.kept),
        (vec!["own".to_owned()], vec!["main".into(), "pens".into(), "tools".into()])
    );
    assert_eq!(shop.ids(), ["third", "writer"]);
    assert!(!shop.folder.at(&format!("store/objects/{}", own.unwrap())).exists());
    // What stays stands by itself where nobody else owns it.
    let pens = &shop.entry("third").skills[0].1;
    assert_eq!((pens.standalone, pens.owners.len()), (Standalone::Yes, 0));
    let tools = &shop.entry("writer").skills[0].1;
    assert_eq!((tools.standalone, tools.owners.as_slice()), (Standalone::No, &["writer".to_owned()][..]));
    // A Skill that stands by itself goes with the last who uses it.
    let removal = shop.removal("third");
    assert_eq!(removal.skills[0].kind, SkillKind::Exclusive);
    assert!(matches!(shop.delete(removal, &["personal-pens"]), Deletion::Deleted(_)));
}

#[test]
fn a_deletion_is_of_what_was_looked_at() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    shop.put("writer", &Package { skills: &[], ..WRITER });
    let looked = shop.removal("reader");
    shop.edit(|inventory| inventory.give_access("writer", Access::Full).unwrap());
    let stale = RemovalRefusal::StalePreview { skill: "personal-tools".to_owned() };
    assert_eq!(shop.delete(looked.clone(), &["personal-tools"]), Deletion::Refused(stale));
    shop.edit(|inventory| inventory.select("reader", &[], &[]).unwrap());
    let changed = RemovalRefusal::RevisionConflict { revision: 2 };
    assert_eq!(shop.delete(looked, &[]), Deletion::Refused(changed));
    let gone = specialist::preview_deletion(&shop.store, "nobody", &Interrupt::new()).unwrap();
    assert_eq!(gone, Err(RemovalRefusal::ProtectedTarget { is_there: false }));
    assert_eq!(shop.ids(), ["reader", "writer"]);
}
