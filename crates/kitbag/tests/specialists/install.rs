//! Looking and installing.

use std::fs;

use kitbag::interrupt::Interrupt;
use kitbag::specialist::{
    self, ASKER, Answer, Deletion, DeletionRequest, Error, InstallRequest, Look, Seen, Token, Verdict,
    WiderPermissions,
};
use kitbag::store::StoreError;
use kitbag_core::formats::openscience::specialist::install::{
    Candidate, Choice, Decisions, Overwriting, Refusal, VALID_SECONDS,
};
use kitbag_core::formats::openscience::specialist::inventory::{Access, ProfileState};
use kitbag_core::formats::openscience::specialist::preview::{
    Disposition, InstalledConnector, MainAgent, Standalone,
};
use kitbag_core::formats::openscience::specialist::removal::Removal;

use crate::shop::*;

#[test]
fn a_package_is_installed_with_its_skills_and_waits_to_be_set_up() {
    let shop = Shop::new();
    let done = shop.put("reader", &READER);
    assert_eq!((done.id.as_str(), done.version.as_str(), done.revision), ("reader", "1.0.0", 1));
    assert_eq!(done.skills, [("tools".to_owned(), Disposition::Install)]);
    let entry = shop.entry("reader");
    assert_eq!(entry.profile.state, ProfileState::SetupPending);
    assert_eq!(entry.profile.access, Access::Selected);
    assert_eq!(entry.profile.owned, ["personal-tools"]);
    let (id, skill) = &entry.skills[0];
    assert_eq!((id.as_str(), skill.standalone), ("personal-tools", Standalone::No));
    assert_eq!(skill.owners, ["reader"]);
    // The content is there to be looked at, as it was in the package.
    let skill = shop.folder.at(&format!("store/objects/{}/SKILL.md", skill.exact.unwrap()));
    assert_eq!(fs::read_to_string(skill).unwrap(), skill_document("tools", "Use them."));
    assert!(entry.place.join("specialist.json").exists());
    // Nothing but the role's own documents holds its instructions.
    let state = fs::read_to_string(shop.folder.at("store/state.json")).unwrap();
    assert!(!state.contains("test only"), "{state}");
    assert!(!state.contains(shop.folder.path().to_str().unwrap()), "{state}");
}

#[test]
fn the_same_skill_is_shared_and_another_of_its_name_is_a_conflict() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let done = shop.put("writer", &WRITER);
    assert_eq!(done.skills, [("tools".to_owned(), Disposition::ReuseOwned)]);
    assert_eq!(shop.entry("writer").skills[0].1.owners, ["reader", "writer"]);
    let package = shop.package("third", &Package { id: "third", skills: &[("tools", "Others.")], ..READER });
    let answer = shop.look(&package);
    assert_eq!((answer.verdict, answer.upstream), (Verdict::NotInstallable, Verdict::NotInstallable));
    assert_eq!(answer.preview.skills[0].users, ["reader", "writer"]);
    let outcome = shop.install(&package, seen(&answer), Decisions::default());
    assert_eq!(refusal(outcome), Refusal::ChoiceRequired { skills: vec!["tools".to_owned()] });
    // The installed one stays.
    let done = installed(shop.install(&package, seen(&answer), chosen("tools", Choice::UseInstalled)));
    assert_eq!(done.skills, [("tools".to_owned(), Disposition::ReuseExisting)]);
    assert_eq!(shop.entry("third").profile.owned, [""; 0]);
    let exact = shop.entry("reader").skills[0].1.exact;
    assert_eq!(shop.entry("third").skills[0].1.exact, exact);
}

#[test]
fn a_skill_that_is_replaced_is_replaced_for_everybody_and_its_old_content_goes() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let old = shop.entry("reader").skills[0].1.exact.unwrap();
    let package = shop.package("writer", &Package { skills: &[("tools", "Others.")], ..WRITER });
    let answer = shop.look(&package);
    let done = installed(shop.install(&package, seen(&answer), chosen("tools", Choice::UseIncoming)));
    assert_eq!(done.skills, [("tools".to_owned(), Disposition::ReplaceExisting)]);
    let new = shop.entry("reader").skills[0].1.clone();
    assert_ne!(new.exact, Some(old));
    assert_eq!(new.owners, ["reader", "writer"]);
    assert!(!shop.folder.at(&format!("store/objects/{old}")).exists());
}

#[test]
fn a_skill_that_two_contents_share_a_hash_with_is_not_taken_for_the_same() {
    let shop = Shop::new();
    let write = |at: &str, package: &Package<'_>, files: &[(&str, &str)]| {
        let folder = shop.package(at, package);
        for (name, text) in files {
            fs::write(folder.join("skills/tools").join(name), text).unwrap();
        }
        folder
    };
    let package = write("reader", &READER, &[("a", "x"), ("b", "y")]);
    let answer = shop.look(&package);
    let first = answer.preview.skills[0].skill.content_hash().unwrap();
    installed(shop.install(&package, seen(&answer), Decisions::default()));
    // For Open-Science, these are the same bytes.
    let package = write("writer", &WRITER, &[("a", "x\0b\0y")]);
    let answer = shop.look(&package);
    assert_eq!(answer.preview.skills[0].skill.content_hash().unwrap(), first);
    assert_eq!(answer.preview.skills[0].disposition, Disposition::Conflict);
}

#[test]
fn an_overwrite_is_confirmed_and_raises_the_revision() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let package = shop.package("reader", &Package { version: "1.1.0", about: "Reads more.", ..READER });
    let answer = shop.look(&package);
    let overwrite = answer.overwrite.clone().unwrap();
    assert_eq!((overwrite.current_version.as_str(), overwrite.incoming_version.as_str()), ("1.0.0", "1.1.0"));
    let outcome = shop.install(&package, seen(&answer), Decisions::default());
    assert_eq!(refusal(outcome), Refusal::ConfirmationRequired);
    assert_eq!(shop.entry("reader").profile.package_version, "1.0.0");
    let done = installed(shop.install(&package, seen(&answer), confirmed()));
    assert_eq!((done.revision, done.version.as_str()), (2, "1.1.0"));
    assert!(shop.look(&package).is_installed);
}

#[test]
fn changed_content_under_the_same_or_a_lower_version_is_an_error() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    for (version, code) in [
        ("1.0.0", "specialist-overwrite-content-without-version-bump"),
        ("0.9.0", "specialist-overwrite-content-downgrade"),
    ] {
        let package = shop.package("other", &Package { version, about: "Reads more.", ..READER });
        let answer = shop.look(&package);
        assert_eq!(codes(&answer), [code]);
        assert_eq!((answer.verdict, answer.candidate), (Verdict::NotInstallable, None));
    }
    // The same once more is only a warning, and so is the same under a lower version.
    for (version, code) in
        [("1.0.0", "specialist-overwrite-same-version"), ("0.9.0", "specialist-overwrite-downgrade")]
    {
        let package = shop.package("other", &Package { version, ..READER });
        let answer = shop.look(&package);
        assert_eq!(codes(&answer), [code]);
        installed(shop.install(&package, seen(&answer), confirmed()));
        let package = shop.package("reader", &READER);
        let _back = shop.install(&package, seen(&shop.look(&package)), confirmed());
    }
}

#[test]
fn what_would_be_allowed_more_than_before_has_to_be_accepted() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let tools = "---\nname: tools\ndescription: Tools.\nallowed-tools: Bash(rm:*)\n---\n\nUse them.\n";
    let package = shop.package("writer", &WRITER);
    fs::write(package.join("skills/tools/SKILL.md"), tools).unwrap();
    let answer = shop.look(&package);
    // It is the reader that is allowed more: the Skill is its as well.
    assert_eq!(answer.wider.iter().map(|wider| wider.id.as_str()).collect::<Vec<_>>(), ["reader"]);
    assert!(answer.wider[0].permissions[0].sentence.contains("Bash(rm:*)"), "{:?}", answer.wider);
    let decisions = chosen("tools", Choice::UseIncoming);
    let outcome = shop.install(&package, seen(&answer), decisions.clone());
    assert_eq!(refusal(outcome), Refusal::PermissionsRequired);
    assert_eq!(shop.ids(), ["reader"]);
    // Nothing is wider where the installed one stays.
    let mut request = InstallRequest {
        package: package.clone(),
        seen: seen(&answer),
        decisions: chosen("tools", Choice::UseInstalled),
        wider: WiderPermissions::Refused,
        now: NOW,
    };
    let done = installed(specialist::install(&request, &shop.store, &Interrupt::new()).unwrap());
    assert!(done.wider.is_empty());
    let removal = shop.removal("writer");
    assert!(matches!(shop.delete(removal, &[]), Deletion::Deleted(_)));
    (request.decisions, request.wider) = (decisions, WiderPermissions::Accepted);
    request.seen = seen(&shop.look(&package));
    let done = installed(specialist::install(&request, &shop.store, &Interrupt::new()).unwrap());
    assert_eq!(done.wider.len(), 1);
}

#[test]
fn a_token_counts_once_for_ten_minutes_for_its_asker_and_for_these_bytes() {
    let shop = Shop::new();
    let package = shop.package("reader", &READER);
    let install =
        |token: &Token, now| shop.install_at(&package, Seen::Token(token.clone()), Decisions::default(), now);
    let stale = |outcome| assert!(matches!(refusal(outcome), Refusal::Stale { .. }));
    let (_, token) = shop.token(&package, ASKER);
    // By somebody else, under another name, too late.
    stale(install(&Token { asker: "other".to_owned(), ..token.clone() }, NOW));
    stale(install(&Token { text: "0".repeat(32), ..token.clone() }, NOW));
    let empty = install(&Token { text: String::new(), ..token.clone() }, NOW);
    assert_eq!(refusal(empty).code(), "candidate-invalid");
    assert_eq!(refusal(install(&token, NOW + VALID_SECONDS)), Refusal::Expired);
    // After another look by the same asker; but not by another one.
    let (_, second) = shop.token(&package, ASKER);
    let (_, others) = shop.token(&package, "other");
    stale(install(&token, NOW));
    // After one word changed.
    shop.package("reader", &Package { about: "Reads all.", ..READER });
    stale(install(&second, NOW));
    shop.package("reader", &READER);
    // Until the last second, and once.
    installed(install(&second, NOW + VALID_SECONDS - 1));
    stale(install(&second, NOW));
    assert_eq!(shop.ids(), ["reader"]);
    // What the others were shown was an empty store.
    stale(install(&others, NOW));
}

#[test]
fn a_token_is_given_where_something_can_be_installed_and_kept_by_a_question() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let package = shop.package("third", &Package { id: "third", skills: &[("tools", "Others.")], ..READER });
    let (answer, token) = shop.token(&package, ASKER);
    assert_eq!(answer.verdict, Verdict::NotInstallable);
    let seen = || Seen::Token(token.clone());
    let outcome = shop.install(&package, seen(), Decisions::default());
    assert_eq!(refusal(outcome).code(), "skill-conflict-resolution-required");
    for choices in [
        vec![("other".to_owned(), Choice::UseIncoming)],
        vec![("tools".to_owned(), Choice::UseIncoming), ("tools".to_owned(), Choice::UseInstalled)],
    ] {
        let outcome = shop.install(&package, seen(), Decisions { choices, ..Decisions::default() });
        assert_eq!(refusal(outcome).code(), "candidate-invalid");
    }
    installed(shop.install(&package, seen(), chosen("tools", Choice::UseInstalled)));
    // A package with an error has none.
    let broken = shop.package("broken", &Package { about: " ", ..READER });
    let look = Look { package: broken, store: shop.folder.at("store"), now: NOW };
    let (answer, token) = specialist::remember(&look, ASKER, &shop.store, &Interrupt::new()).unwrap();
    assert_eq!((answer.verdict, token), (Verdict::NotInstallable, None));
}

#[test]
fn what_changed_since_it_was_shown_is_not_installed() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let other = &Package { id: "third", skills: &[("tools", "Others.")], connectors: &["papers"], ..READER };
    let package = shop.package("third", other);
    let connector =
        InstalledConnector { id: "uuid".to_owned(), name: "papers".to_owned(), aliases: Vec::new() };
    shop.edit(|inventory| _ = inventory.connectors.insert("uuid".to_owned(), connector.clone()));
    let choice = || chosen("tools", Choice::UseInstalled);
    let stale = |answer: &Answer| {
        let found = refusal(shop.install(&package, seen(answer), choice()));
        assert!(matches!(found, Refusal::Stale { .. }), "{found:?}");
    };
    // The main agent begins to use the Skill.
    let answer = shop.look(&package);
    shop.edit(|inventory| inventory.set_main_agent("personal-tools", MainAgent::Uses).unwrap());
    stale(&answer);
    // Somebody else begins to use the Skill.
    let answer = shop.look(&package);
    shop.put("writer", &WRITER);
    stale(&answer);
    // A Connector that it would have used goes.
    let answer = shop.look(&package);
    assert_eq!(answer.preview.connectors, ["uuid"]);
    shop.edit(|inventory| inventory.remove_connector("uuid").unwrap());
    stale(&answer);
    // Nothing changes.
    let answer = shop.look(&package);
    installed(shop.install(&package, seen(&answer), choice()));
    // What is installed already is another revision by now.
    let newer = shop.package("third", &Package { version: "2.0.0", ..*other });
    let answer = shop.look(&newer);
    shop.edit(|inventory| inventory.select("third", &["personal-tools"], &[]).unwrap());
    let decisions = Decisions { overwriting: Overwriting::Confirmed, ..choice() };
    assert_eq!(refusal(shop.install(&newer, seen(&answer), decisions)), Refusal::RevisionConflict);
}

#[test]
fn a_skill_that_was_changed_by_hand_is_in_conflict_and_is_put_right_by_choice() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let exact = shop.entry("reader").skills[0].1.exact.unwrap();
    fs::remove_file(shop.folder.at(&format!("store/objects/{exact}/SKILL.md"))).unwrap();
    let package = shop.package("reader", &READER);
    let answer = shop.look(&package);
    assert!(!answer.is_installed);
    assert_eq!(answer.preview.skills[0].disposition, Disposition::Conflict);
    let shown = specialist::show(&shop.store, "reader", &Interrupt::new());
    assert!(matches!(shown, Err(Error::Store(StoreError::Damaged { .. }))));
    let decisions = Decisions { overwriting: Overwriting::Confirmed, ..chosen("tools", Choice::UseIncoming) };
    installed(shop.install(&package, seen(&answer), decisions));
    assert_eq!(shop.entry("reader").skills[0].1.exact, Some(exact));
}

#[test]
fn a_store_whose_inventory_is_damaged_says_where() {
    let shop = Shop::new();
    shop.put("reader", &READER);
    let file = shop.folder.at("store/state.json");
    let text = fs::read_to_string(&file).unwrap().replace("\"setup-pending\"", "\"odd\"");
    fs::write(&file, &text).unwrap();
    let error = specialist::list(&shop.store, &Interrupt::new()).unwrap_err().to_string();
    assert!(
        error.contains("state.json` is damaged at `/documents/specialists/content/specialists/reader/state`"),
        "{error}"
    );
    let package = shop.package("writer", &WRITER);
    let look = Look { package, store: shop.folder.at("store"), now: NOW };
    assert!(specialist::remember(&look, ASKER, &shop.store, &Interrupt::new()).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_package_without_files_lacks_its_documents() {
    let shop = Shop::new();
    fs::create_dir(shop.folder.at("empty")).unwrap();
    let answer = shop.look(&shop.folder.at("empty"));
    assert!(codes(&answer).contains(&"package-required-file-missing"), "{:?}", codes(&answer));
    assert_eq!((answer.verdict, answer.candidate), (Verdict::NotInstallable, None));
}

#[test]
fn looking_makes_no_store_and_deleting_from_none_neither() {
    let shop = Shop::new();
    let package = shop.package("reader", &READER);
    let answer = shop.look(&package);
    assert_eq!(answer.verdict, Verdict::Installable);
    assert!(!answer.may.is_empty());
    let removal = Removal { id: "reader".to_owned(), name: String::new(), revision: 1, skills: Vec::new() };
    let request = DeletionRequest { seen: removal, skills: Vec::new() };
    let none = specialist::delete(&request, &shop.store, &Interrupt::new());
    assert!(matches!(none, Err(Error::Store(StoreError::Missing { .. }))));
    assert!(!shop.folder.at("store").exists());
    let _unused: Option<Candidate> = answer.candidate;
}
