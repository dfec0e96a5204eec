//! The language of permissions: faces meet, versions widen, grants read as sentences.

use std::sync::Arc;

use kitbag_core::glob::{Coverage, Dialect};
use kitbag_core::json::{Pointer, Span};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::phrase::{Statement, statements};
use kitbag_core::permit::{
    Beyond, Confirm, Declaration, Effect, Grant, Grants, Never, Origin, Pattern, Scope, Subject, Subjects,
    meet, union, widened,
};
use proptest::prelude::*;

const ANY: &[&str] = &["<anything>"];

/// `Nothing` for an empty list, `Anything` for [`ANY`].
fn scope(dialect: Dialect, texts: &[&str]) -> Scope {
    match texts {
        [] => Scope::Nothing,
        texts if texts == ANY => Scope::Anything,
        texts => Scope::Patterns(
            texts.iter().map(|text| Pattern { root: None, text: (*text).to_owned(), dialect }).collect(),
        ),
    }
}

fn dialect(effect: &Effect) -> Dialect {
    match effect {
        Effect::Read | Effect::Write => Dialect::SkillPactPath,
        Effect::Network => Dialect::SkillPactHost,
        Effect::Call => Dialect::AgentSkillTool,
        _ => Dialect::SkillPactName,
    }
}

fn grant(subject: &Subject, effect: Effect, texts: &[&str]) -> Grant {
    let file = PackagePath::new("document.json").expect("a plain name is a path");
    Grant {
        subject: subject.clone(),
        scope: scope(dialect(&effect), texts),
        origin: Origin {
            format: "test",
            file,
            pointer: Pointer::root().join(&effect),
            span: Span::default(),
        },
        effect,
        when: None,
        confirm: Confirm::HostDecides,
        why: None,
    }
}

fn whole(effect: Effect, texts: &[&str]) -> Grant {
    grant(&Subject::Package, effect, texts)
}

fn capability(id: &str) -> Subject {
    Subject::Capability(id.into())
}

fn spoken(declared: Vec<Grant>) -> Declaration {
    Declaration::Spoken(Grants { declared, ..Grants::default() })
}

/// What all faces allow the package: `read a/** b`, one line per effect.
fn met(faces: &[&Declaration], subject: &Subject) -> Vec<String> {
    meet(faces, subject)
        .allowed
        .iter()
        .map(|allowed| format!("{} {}", allowed.effect, words(&allowed.scope)))
        .collect()
}

fn words(scope: &Scope) -> String {
    match scope {
        Scope::Nothing => "nothing".to_owned(),
        Scope::Anything => "anything".to_owned(),
        Scope::Patterns(patterns) => {
            patterns.iter().map(|pattern| pattern.text.as_str()).collect::<Vec<_>>().join(" ")
        }
    }
}

#[test]
fn faces_run_with_what_all_of_them_allow() {
    let contract = spoken(vec![
        whole(Effect::Read, &["data/**", "src/*.rs"]),
        whole(Effect::Write, ANY),
        whole(Effect::Network, &[]),
        whole(Effect::Exec, &["git", "py*"]),
    ]);
    let manifest = spoken(vec![
        whole(Effect::Read, &["data/in/*", "src/**", "doc/**"]),
        whole(Effect::Write, &["out/**"]),
        whole(Effect::Network, &["example.com"]),
        whole(Effect::Exec, &["python3"]),
    ]);
    let expected =
        ["read src/*.rs data/in/*", "write out/**", "network nothing", "exec python3"].map(str::to_owned);
    assert_eq!(met(&[&contract, &manifest], &Subject::Package), expected);
    let left: Vec<(String, Coverage)> = meet(&[&contract, &manifest], &Subject::Package)
        .left_out
        .into_iter()
        .map(|left| (left.pattern.map_or("anything".to_owned(), |pattern| pattern.text), left.coverage))
        .collect();
    for missing in ["data/**", "doc/**", "anything", "example.com", "git"] {
        assert!(left.contains(&(missing.to_owned(), Coverage::No)), "{missing} in {left:?}");
    }
}

#[test]
fn silence_narrows_nothing_and_permits_nothing() {
    let contract = spoken(vec![whole(Effect::Read, &["a"])]);
    assert_eq!(met(&[&contract, &Declaration::Unspoken], &Subject::Package), ["read a"]);
    assert_eq!(
        met(&[&contract, &spoken(vec![whole(Effect::Call, &["Read"])])], &Subject::Package),
        ["read a", "call Read"]
    );
    assert!(met(&[&Declaration::Unspoken, &Declaration::Unspoken], &Subject::Package).is_empty());
    assert_eq!(union(&[&Declaration::Unspoken, &Declaration::Unspoken]), Declaration::Unspoken);
}

#[test]
fn what_is_warned_about_is_what_any_face_says() {
    let (one, other) = (spoken(vec![whole(Effect::Read, &["a"])]), spoken(vec![whole(Effect::Read, &["b"])]));
    let both = union(&[&one, &Declaration::Unspoken, &other]);
    let said = both.grants().and_then(|grants| grants.worst_case(&Effect::Read)).unwrap();
    assert_eq!((words(&said.scope).as_str(), said.origins.len()), ("a b", 2));
}

#[test]
fn the_strictest_question_holds_and_an_unknown_effect_grants_nothing() {
    let asking = |confirm| Grant { confirm, ..whole(Effect::Send, &["mail"]) };
    let faces = [spoken(vec![asking(Confirm::Never)]), spoken(vec![asking(Confirm::Each)])];
    assert_eq!(meet(&[&faces[0], &faces[1]], &Subject::Package).allowed[0].confirm, Confirm::Each);
    let unknown = spoken(vec![whole(Effect::Other("teleport".to_owned()), ANY)]);
    assert!(met(&[&unknown], &Subject::Package).is_empty());
}

#[test]
fn other_dialects_meet_only_where_both_are_the_same_literal() {
    let mut calls = whole(Effect::Exec, &["git", "make"]);
    calls.scope = scope(Dialect::AgentSkillTool, &["git", "make:*"]);
    let faces = [spoken(vec![whole(Effect::Exec, &["git", "*"])]), spoken(vec![calls])];
    let met = meet(&[&faces[0], &faces[1]], &Subject::Package);
    assert_eq!(words(&met.allowed[0].scope), "git git", "once in each dialect");
    assert!(met.left_out.iter().all(|left| left.coverage == Coverage::Unknown) && met.left_out.len() == 2);
}

#[test]
fn a_subject_that_is_named_has_what_is_written_for_it_and_another_has_the_packages() {
    let face = spoken(vec![
        whole(Effect::Read, &["**"]),
        whole(Effect::Write, &["out/**"]),
        grant(&capability("make"), Effect::Read, &["in/**"]),
    ]);
    assert_eq!(met(&[&face], &capability("make")), ["read in/**", "write nothing"]);
    assert_eq!(met(&[&face], &capability("other")), ["read **", "write out/**"]);
}

#[test]
fn the_worst_case_counts_conditions_subjects_and_what_is_given_unasked() {
    let sometimes =
        Grant { when: Some("uploading".to_owned()), ..grant(&capability("up"), Effect::Network, &["b.c"]) };
    let grants = Grants {
        declared: vec![whole(Effect::Network, &["a.b"]), sometimes],
        implied: vec![whole(Effect::Read, &["$SKILL_DIR/**"])],
        ceiling: vec![Never { effect: Effect::Exec, what: "child processes" }],
    };
    let worst = |effect| grants.worst_case(&effect).map(|said| words(&said.scope));
    assert_eq!(worst(Effect::Network).as_deref(), Some("a.b b.c"));
    assert_eq!(worst(Effect::Read).as_deref(), Some("$SKILL_DIR/**"));
    assert_eq!(worst(Effect::Exec).as_deref(), Some("nothing"));
    assert_eq!(worst(Effect::Spend), None);
}

#[test]
fn a_new_version_widens_only_where_it_asks_beyond_the_old() {
    let old = spoken(vec![
        whole(Effect::Read, &["data/**"]),
        whole(Effect::Network, &[]),
        Grant { confirm: Confirm::Each, ..whole(Effect::Send, &["mail"]) },
        grant(&capability("make"), Effect::Read, &["data/in/**"]),
    ]);
    assert!(widened(&old, &old).is_empty());
    assert!(widened(&old, &Declaration::Unspoken).is_empty());
    let narrower = spoken(vec![whole(Effect::Read, &["data/x", "data/*/y"]), whole(Effect::Network, &[])]);
    assert!(widened(&old, &narrower).is_empty());
    let new = spoken(vec![
        whole(Effect::Read, ANY),
        whole(Effect::Network, &["a.b"]),
        whole(Effect::Send, &["mail"]),
        grant(&capability("make"), Effect::Read, &["data/in/a", "data/out/b"]),
        grant(&capability("new"), Effect::Read, &["data/out/b"]),
        whole(Effect::Other("teleport".to_owned()), &["x"]),
    ]);
    let asked: Vec<String> = widened(&old, &new)
        .iter()
        .map(|more| {
            let what = match &more.beyond {
                Beyond::Anything => "anything".to_owned(),
                Beyond::Patterns(patterns) => {
                    patterns.iter().map(|pattern| pattern.text.as_str()).collect::<Vec<_>>().join(" ")
                }
                Beyond::Unknown(patterns) => format!("unknown {}", patterns.len()),
                Beyond::Effect => "new effect".to_owned(),
                Beyond::AsksLess { before } => format!("asks less than {before:?}"),
            };
            format!("{} {} {what}", more.grant.subject, more.grant.effect)
        })
        .collect();
    assert_eq!(
        asked,
        [
            "package read anything",
            "package network a.b",
            "package send asks less than Each",
            "capability `make` read data/out/b",
            "package teleport new effect",
        ]
    );
    assert_eq!(widened(&Declaration::Unspoken, &narrower).len(), 1, "nothing was granted before");
}

#[test]
fn a_list_repeated_for_thousands_of_capabilities_is_not_read_thousands_of_times() {
    let texts: Vec<String> = (0..20_000).map(|n| format!("a{n}*")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let whole = whole(Effect::Exec, &texts);
    let mut declared = vec![whole.clone()];
    declared.extend((0..5_000).map(|n| Grant { subject: capability(&format!("c{n}")), ..whole.clone() }));
    let face = spoken(declared);
    let worst = face.grants().and_then(|grants| grants.worst_case(&Effect::Exec)).unwrap();
    assert_eq!(worst.scope.patterns().len(), 20_000);
    assert_eq!(statements(&face).len(), 1, "what repeats the package is told once");
    let last = widened(&face, &face).pop().unwrap();
    assert_eq!(last.beyond, Beyond::Unknown(Vec::new()), "past the bound a statement counts as new");
}

fn told(declaration: &Declaration) -> Vec<String> {
    statements(declaration).iter().map(Statement::to_string).collect()
}

#[test]
fn permissions_read_as_sentences_with_the_authors_reasons() {
    let why = |grant: Grant, why: &str| Grant { why: Some(Arc::from(why)), ..grant };
    let face = spoken(vec![
        why(whole(Effect::Read, &["$INPUT", "$SKILL_DIR/**", "data/*.csv"]), "it converts it"),
        whole(Effect::Write, &["$OUTPUT"]),
        whole(Effect::Network, &["*.example.com", "**.example.org", "@local", "a.*.net"]),
        whole(Effect::Exec, &["git", "python3"]),
        whole(Effect::Spend, &[]),
        whole(Effect::Send, &[]),
        grant(&capability("make"), Effect::Write, &["$OUTPUT"]),
        grant(&capability("make"), Effect::Read, &["$INPUT"]),
        Grant {
            when: Some("there is no cache".to_owned()),
            ..grant(&capability("get"), Effect::Network, &["a.example.com"])
        },
    ]);
    assert_eq!(
        told(&face),
        [
            "reads its input (`$INPUT`), everything under its own folder (`$SKILL_DIR`) and `data/*.csv` — because it converts it",
            "writes its output (`$OUTPUT`)",
            "talks to every host below `example.com`, `example.org` and every host below it, this machine and private networks (`@local`) and `a.*.net`",
            "runs `git` and `python3` (! an interpreter or shell can run anything)",
            "capability `make`: reads its input (`$INPUT`)",
            "capability `get`: talks to `a.example.com`, but only when: there is no cache",
            "spends no money and sends no messages",
        ]
    );
}

#[test]
fn silence_none_and_anything_are_three_statements() {
    assert!(told(&Declaration::Unspoken).is_empty());
    assert_eq!(told(&spoken(vec![whole(Effect::Network, &[])])), ["talks to no hosts"]);
    assert_eq!(
        told(&spoken(vec![whole(Effect::Network, ANY)])),
        ["talks to any host (! what it reads can be sent anywhere)"]
    );
}

#[test]
fn what_has_no_bound_is_marked_however_it_is_written() {
    let danger =
        |effect: Effect, texts: &[&str]| statements(&spoken(vec![whole(effect, texts)]))[0].danger.is_some();
    for (effect, texts) in [
        (Effect::Read, &["/**"]),
        (Effect::Write, &["**"]),
        (Effect::Write, &["**/*"]),
        (Effect::Network, &["**.*"]),
        (Effect::Network, &["*.*"]),
        (Effect::Exec, &["*"]),
        (Effect::Exec, &["/usr/bin/bash"]),
        (Effect::Exec, &["python3.12"]),
        (Effect::Call, &["*"]),
    ] {
        assert!(danger(effect.clone(), texts), "{effect} {texts:?}");
    }
    for (effect, texts) in [
        (Effect::Read, &["a/**"]),
        (Effect::Write, &["*"]),
        (Effect::Write, &["$WORKDIR/**"]),
        (Effect::Network, &["*.example.com"]),
        (Effect::Exec, &["git*"]),
        (Effect::Spend, &["credits"]),
        (Effect::Call, &["Read"]),
    ] {
        assert!(!danger(effect.clone(), texts), "{effect} {texts:?}");
    }
    let unasked = Grant { confirm: Confirm::Never, ..whole(Effect::Spend, &["credits"]) };
    assert_eq!(
        told(&spoken(vec![unasked])),
        ["spends money: `credits`; asks for no confirmation (! spends without asking)"]
    );
}

#[test]
fn questions_long_lists_and_what_a_format_gives_are_told() {
    let each = Grant {
        confirm: Confirm::Each,
        ..whole(Effect::Send, &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])
    };
    let grants = Grants {
        declared: vec![each, whole(Effect::Other("teleport".to_owned()), ANY)],
        implied: vec![whole(Effect::Read, &["$SKILL_DIR/**"])],
        ceiling: vec![Never { effect: Effect::Exec, what: "child processes" }],
    };
    assert_eq!(
        told(&Declaration::Spoken(grants)),
        [
            "sends messages: `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more; asks each time",
            "asks for `teleport`, which this version does not know and never grants",
            "without asking, reads everything under its own folder (`$SKILL_DIR`)",
            "its format never allows child processes",
        ]
    );
}

/// Faces of one effect, each of a few short patterns.
fn face() -> impl Strategy<Value = Declaration> {
    let list = proptest::collection::vec("[ab*]{1,2}(/[ab*]{1,2}){0,2}", 1..4);
    let scope = prop_oneof![
        6 => list.prop_map(|texts| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            whole(Effect::Exec, &texts)
        }),
        1 => Just(whole(Effect::Exec, &[])),
        1 => Just(whole(Effect::Exec, ANY)),
    ];
    prop_oneof![6 => scope.prop_map(|grant| spoken(vec![grant])), 1 => Just(Declaration::Unspoken)]
}

fn allows(declaration: &Declaration, text: &str) -> Option<bool> {
    let said = declaration.grants()?.worst_case(&Effect::Exec)?;
    Some(match said.scope {
        Scope::Nothing => false,
        Scope::Anything => true,
        Scope::Patterns(patterns) => {
            patterns.iter().any(|pattern| kitbag_core::glob::path::matches(&pattern.text, text))
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_faces_allow_together_each_of_them_allows(one in face(), other in face(), text in "[ab]{1,2}(/[ab]{1,2}){0,2}") {
        let met = meet(&[&one, &other], &Subject::Package);
        let together = spoken(met.allowed.into_iter().map(|allowed| {
            Grant { scope: allowed.scope, ..whole(Effect::Exec, &[]) }
        }).collect());
        if allows(&together, &text) == Some(true) {
            prop_assert!(allows(&one, &text) != Some(false) && allows(&other, &text) != Some(false));
        }
    }

    #[test]
    fn order_does_not_matter_to_what_faces_allow(one in face(), other in face(), text in "[ab]{1,2}(/[ab]{1,2}){0,2}") {
        let allowed = |faces: &[&Declaration]| {
            let met = meet(faces, &Subject::Package).allowed;
            met.first().map(|first| {
                allows(&spoken(vec![Grant { scope: first.scope.clone(), ..whole(Effect::Exec, &[]) }]), &text)
            })
        };
        prop_assert_eq!(allowed(&[&one, &other]), allowed(&[&other, &one]));
        prop_assert_eq!(allowed(&[&one, &Declaration::Unspoken]), allowed(&[&one]));
    }

    #[test]
    fn what_is_not_widened_was_allowed_before(old in face(), new in face(), text in "[ab]{1,2}(/[ab]{1,2}){0,2}") {
        if widened(&old, &new).is_empty() && allows(&new, &text) == Some(true) {
            prop_assert_eq!(allows(&old, &text), Some(true));
        }
    }
}

#[test]
fn what_one_subject_has_reads_as_a_package_of_its_own() {
    let tool = Subject::Tool("draw".into());
    let grants = Grants {
        declared: vec![
            whole(Effect::Read, &["a/**"]),
            whole(Effect::Network, ANY),
            grant(&tool, Effect::Read, &["a/b"]),
        ],
        implied: vec![whole(Effect::Read, &["own/**"]), grant(&tool, Effect::Read, &["own/**"])],
        ceiling: vec![Never { effect: Effect::Exec, what: "programs" }],
    };
    let subjects = Subjects::new(&grants);
    let told = |grants: Grants| -> Vec<String> {
        statements(&Declaration::Spoken(grants)).iter().map(Statement::to_string).collect()
    };
    // The network is the package's and not the tool's.
    assert_eq!(
        told(subjects.of(&tool)),
        [
            "reads `a/b`",
            "without asking, reads everything under `own`",
            "talks to no hosts",
            "its format never allows programs",
        ]
    );
    let of_another = subjects.of(&Subject::Tool("other".into()));
    assert_eq!(of_another.worst_case(&Effect::Network).map(|said| said.scope), Some(Scope::Anything));
    assert_eq!(of_another, subjects.of(&Subject::Package));
    for effect in [Effect::Read, Effect::Network, Effect::Exec, Effect::Spend] {
        let (whole, own) = (grants.said(&tool, &effect), subjects.of(&tool).worst_case(&effect));
        assert_eq!(own.map(|said| said.scope), whole.map(|said| said.scope), "{effect}");
    }
}
