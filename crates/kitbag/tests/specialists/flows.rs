//! The flows of Open-Science's tables.

use std::path::PathBuf;

use kitbag::specialist::{ASKER, Deletion, ExportOutcome, Installation, Seen, Token, Verdict};
use kitbag_core::formats::openscience::specialist::install::{Choice, Decisions};
use kitbag_core::formats::openscience::specialist::inventory::Access;
use kitbag_core::formats::openscience::specialist::preview::{InstalledConnector, MainAgent};
use kitbag_testkit::cases;

use crate::shop::*;

/// The flows of Open-Science's tables that are about Skills and no Specialist.
const FLOWS_OF_SKILLS: [&str; 8] = [
    "reimport-same",
    "reimport-after-damage",
    "replace",
    "copy-instead",
    "replace-unknown",
    "replace-personal",
    "multi-no-choice",
    "bad-subpath",
];

/// The answers to a flow's steps, in the words of its table.
fn flow(id: &str) -> Vec<String> {
    let shop = Shop::new();
    let code = |outcome: Installation| match outcome {
        Installation::Installed(_) => "installed",
        Installation::Refused(refusal, _) => refusal.code(),
        other => panic!("{other:?}"),
    };
    let deletion = |outcome: Deletion| match outcome {
        Deletion::Deleted(_) => "deleted",
        Deletion::Refused(refusal) => refusal.code(),
        other => panic!("{other:?}"),
    };
    let nothing = "-".to_owned();
    let package = shop.package("reader", &READER);
    let install = |package: &PathBuf, token: &Token, decisions| {
        shop.install(package, Seen::Token(token.clone()), decisions)
    };
    // An installed reader and writer that share a Skill, and a package that has another one of its name.
    let in_conflict = || {
        shop.put("reader", &READER);
        let third = Package { id: "third", skills: &[("tools", "Others.")], ..READER };
        let package = shop.package("third", &third);
        let (answer, token) = shop.token(&package, ASKER);
        (package, answer, token)
    };
    let edited = || shop.edit(|inventory| inventory.select("reader", &[], &[]).unwrap());
    match id {
        "token-once" => {
            let (_, token) = shop.token(&package, ASKER);
            let first = code(install(&package, &token, Decisions::default())).to_owned();
            vec!["token".to_owned(), first, code(install(&package, &token, confirmed())).to_owned()]
        }
        "token-replaced" => {
            let (_, first) = shop.token(&package, ASKER);
            let (_, _) = shop.token(&shop.package("writer", &WRITER), ASKER);
            let found = code(install(&package, &first, Decisions::default())).to_owned();
            vec![nothing.clone(), nothing, found]
        }
        "token-expired" => {
            let (_, token) = shop.token(&package, ASKER);
            let found = shop.install_at(&package, Seen::Token(token), Decisions::default(), NOW + 600);
            vec![nothing.clone(), nothing, code(found).to_owned()]
        }
        "token-empty" => {
            let (_, token) = shop.token(&package, ASKER);
            let empty = Token { text: String::new(), ..token };
            vec![code(install(&package, &empty, Decisions::default())).to_owned()]
        }
        "overwrite-no-confirm" => {
            shop.put("reader", &READER);
            let newer = shop.package("reader", &Package { version: "2.0.0", ..READER });
            let (answer, token) = shop.token(&newer, ASKER);
            let present = answer.overwrite.map_or("none", |_| "overwrite present").to_owned();
            let found = code(install(&newer, &token, Decisions::default())).to_owned();
            assert_eq!(code(install(&newer, &token, confirmed())), "installed");
            vec![present, format!("{found} (token still usable)")]
        }
        "overwrite-drift" => {
            shop.put("reader", &READER);
            let newer = shop.package("reader", &Package { version: "2.0.0", ..READER });
            let (_, token) = shop.token(&newer, ASKER);
            // Whatever is edited, it is another revision; what the package is compared with is the same.
            shop.edit(|inventory| inventory.give_access("reader", Access::Selected).unwrap());
            let found = code(install(&newer, &token, confirmed())).to_owned();
            vec![nothing.clone(), nothing, found]
        }
        "conflict-no-choice" => {
            let (package, answer, token) = in_conflict();
            let found = code(install(&package, &token, Decisions::default())).to_owned();
            assert_eq!(code(install(&package, &token, chosen("tools", Choice::UseInstalled))), "installed");
            let installable = answer.upstream == Verdict::Installable;
            vec![format!("installable={installable}"), format!("{found} (token still usable)")]
        }
        "conflict-bad-choice" => {
            let (package, _, token) = in_conflict();
            let found = code(install(&package, &token, chosen("pens", Choice::UseInstalled)));
            vec![nothing, found.to_owned()]
        }
        "conflict-drift" => {
            let (package, _, token) = in_conflict();
            shop.put("writer", &WRITER);
            let found = code(install(&package, &token, chosen("tools", Choice::UseInstalled)));
            vec![nothing.clone(), nothing, found.to_owned()]
        }
        "connector-gone" => {
            let connector =
                InstalledConnector { id: "uuid".to_owned(), name: "papers".to_owned(), aliases: Vec::new() };
            shop.edit(|inventory| _ = inventory.connectors.insert("uuid".to_owned(), connector));
            let package = shop.package("reader", &Package { connectors: &["papers"], ..READER });
            let (_, token) = shop.token(&package, ASKER);
            shop.edit(|inventory| inventory.remove_connector("uuid").unwrap());
            let found = code(install(&package, &token, Decisions::default()));
            vec![nothing.clone(), nothing, found.to_owned()]
        }
        "export-stale" => {
            shop.put("reader", &READER);
            let looked = shop.entry("reader").profile.revision;
            edited();
            let found = match shop.export("reader", Some(looked), "x.zip") {
                ExportOutcome::Refused(refusal) => format!("ERR {}", refusal.upstream()),
                other => panic!("{other:?}"),
            };
            vec![nothing.clone(), nothing, found]
        }
        "delete-stale" => {
            shop.put("reader", &READER);
            let looked = shop.removal("reader");
            edited();
            vec![nothing.clone(), nothing, deletion(shop.delete(looked, &[])).to_owned()]
        }
        "delete-shared" => {
            shop.put("reader", &READER);
            shop.put("writer", &WRITER);
            let looked = shop.removal("reader");
            let reason = format!("reason {}", looked.skills[0].reasons[0].word());
            vec![reason, deletion(shop.delete(looked, &["personal-tools"])).to_owned()]
        }
        "delete-became-shared" => {
            shop.put("reader", &READER);
            shop.put("writer", &Package { skills: &[], ..WRITER });
            let looked = shop.removal("reader");
            assert!(looked.skills[0].is_deletable());
            shop.edit(|inventory| inventory.select("writer", &["personal-tools"], &[]).unwrap());
            let found = deletion(shop.delete(looked, &["personal-tools"])).to_owned();
            vec![nothing.clone(), nothing, found]
        }
        "delete-main-enabled" => {
            shop.put("reader", &READER);
            shop.edit(|inventory| inventory.set_main_agent("personal-tools", MainAgent::Uses).unwrap());
            let looked = shop.removal("reader");
            let (reason, is_deletable) =
                (looked.skills[0].reasons[0].word(), looked.skills[0].is_deletable());
            vec![nothing, format!("reason {reason}, deletable={is_deletable}")]
        }
        other => panic!("no test knows the flow {other}"),
    }
}

#[test]
fn the_flows_of_open_science_s_tables_go_as_they_go_there() {
    let Some(folder) = cases::folder("OPEN_SCIENCE") else { return };
    let tables = cases::json(&folder.join("tables.json"));
    let mut agreed = 0;
    for row in tables["flows"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        // A request here is a value without room for another key; a program that types one is told so by the command line.
        if FLOWS_OF_SKILLS.contains(&id) || id == "extra-key" {
            continue;
        }
        let expected: Vec<&str> =
            row["expect"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
        assert_eq!(flow(id), expected, "{id}");
        agreed += 1;
    }
    assert_eq!(agreed, 15);
    cases::tell(&format!("open-science: {agreed} of flows\n"));
}
