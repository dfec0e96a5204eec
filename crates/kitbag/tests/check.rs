//! `check`: what counts, what is left out, and where things are.

use kitbag::check::{Grading, Profiles, Regrade, Report, Request, Warnings, check};
use kitbag::read::{ReadError, Source};
use kitbag_core::finding::Severity;
use kitbag_testkit::folder::Folder;

const COLON: &str = "---\nname: s\ndescription: Use when: somebody asks for it.\n---\n";

fn request(folder: &Folder, at: &str) -> Request {
    Request { sources: vec![Source::Path(folder.at(at))], ..Request::default() }
}

/// Severity and code of every finding.
fn said(report: &Report) -> Vec<(Severity, &'static str)> {
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    findings.map(|located| (located.finding.severity, located.finding.code.slug)).collect()
}

/// A skill with one warning and nothing else: an archive beside it that nobody opened.
fn warned() -> Folder {
    Folder::new().skill("s").file("x.skill", "")
}

#[test]
fn warnings_fail_a_check_only_where_they_count() {
    let folder = warned();
    let relaxed = check(&request(&folder, "")).unwrap();
    assert_eq!(said(&relaxed), [(Severity::Warning, "package/archive-not-opened")]);
    assert!(relaxed.ok());
    let strict = check(&Request { warnings: Warnings::Count, ..request(&folder, "") }).unwrap();
    assert!(!strict.ok());
    let clean = check(&Request { warnings: Warnings::Count, ..request(&folder, "s") }).unwrap();
    assert!(clean.ok());
}

#[test]
fn a_code_can_be_denied_or_allowed_and_a_misspelt_one_is_refused() {
    let folder = warned();
    let graded = |grading| {
        let mut regrade = Regrade::default();
        regrade.set("package/archive-not-opened", grading).unwrap();
        check(&Request { regrade, ..request(&folder, "") }).unwrap()
    };
    let denied = graded(Grading::Deny);
    assert_eq!(said(&denied), [(Severity::Error, "package/archive-not-opened")]);
    assert!(!denied.ok());
    let allowed = graded(Grading::Allow);
    assert_eq!(said(&allowed), []);
    assert_eq!(allowed.counts.allowed, 1);
    assert!(allowed.ok());
    let unknown = Regrade::default().set("package/archive-not-open", Grading::Allow).unwrap_err();
    assert_eq!(unknown.to_string(), "no check raises the code `package/archive-not-open`");
}

#[test]
fn what_concerns_other_programs_is_left_out_and_what_keeps_a_wanted_one_away_is_an_error() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let seen = |profiles| {
        let report = check(&Request { profiles, ..request(&folder, "s") }).unwrap();
        let programs: Vec<_> =
            report.packages[0].profiles.iter().map(|summary| (summary.profile, summary.loads)).collect();
        (said(&report), programs)
    };
    let (all, programs) = seen(Profiles::All);
    assert!(all.iter().any(|(_, code)| *code == "agent-skill/unquoted-colon"), "{all:?}");
    assert_eq!(programs.len(), 7);
    let (strict, programs) = seen(Profiles::only(["skills-ref"]).unwrap());
    assert_eq!(strict, [(Severity::Error, "agent-skill/unquoted-colon")]);
    assert_eq!(programs, [("skills-ref", false)]);
    let (lenient, programs) = seen(Profiles::only(["claude-code"]).unwrap());
    assert_eq!(lenient, []);
    assert_eq!(programs, [("claude-code", true)]);
    let unknown = Profiles::only(["claude"]).unwrap_err().to_string();
    assert!(unknown.starts_with("there is no profile `claude`; there are spec, skills-ref,"), "{unknown}");
}

#[test]
fn a_program_that_does_not_load_a_skill_says_which_findings_are_the_reason() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let report = check(&request(&folder, "s")).unwrap();
    let [package] = report.packages.as_slice() else { unreachable!() };
    let summary = package.profiles.iter().find(|summary| summary.profile == "skills-ref").unwrap();
    assert_eq!(summary.because, ["agent-skill/unquoted-colon"]);
    for because in package.profiles.iter().flat_map(|summary| &summary.because) {
        assert!(package.findings.iter().any(|located| located.finding.code.slug == because), "{because}");
    }
}

#[test]
fn a_finding_has_its_line_and_column_and_the_document_it_is_in() {
    let folder = Folder::new().file("s/SKILL.md", COLON);
    let report = check(&request(&folder, "s")).unwrap();
    let package = &report.packages[0];
    let located = package
        .findings
        .iter()
        .find(|located| located.finding.code.slug == "agent-skill/unquoted-colon")
        .unwrap();
    assert_eq!(located.start.unwrap().line, 3);
    let file = located.finding.place.file.as_ref().unwrap();
    assert_eq!(package.location.file(file), folder.at("s/SKILL.md").display().to_string());
    assert_eq!(package.sources[file], COLON.as_bytes());
    // A document without findings is not kept.
    let clean = check(&request(&Folder::new().skill("s"), "s")).unwrap();
    assert!(clean.packages[0].sources.is_empty());
}

#[test]
fn sources_keep_their_order_and_one_that_is_missing_fails_the_whole_check() {
    let folder = Folder::new().skill("a").skill("b");
    let of = |names: &[&str]| Request {
        sources: names.iter().map(|name| Source::Path(folder.at(name))).collect(),
        ..Request::default()
    };
    let report = check(&of(&["b", "a"])).unwrap();
    let names: Vec<_> = report.packages.iter().map(|package| package.faces[0].name.as_deref()).collect();
    assert_eq!(names, [Some("b"), Some("a")]);
    assert!(matches!(check(&of(&["a", "c"])), Err(ReadError::Missing { path }) if path == folder.at("c")));
}

#[test]
fn many_packages_are_reported_the_same_every_time() {
    let mut folder = Folder::new();
    for number in 0..40 {
        let text = if number % 3 == 0 { COLON } else { "---\nname: other\n---\n" };
        folder = folder.file(&format!("s{number}/SKILL.md"), text);
    }
    let told = || {
        let report = check(&request(&folder, "")).unwrap();
        let packages = report.packages.into_iter();
        packages
            .flat_map(|package| {
                let place = package.location.to_string();
                package
                    .findings
                    .into_iter()
                    .map(move |located| (place.clone(), located.finding.code.slug, located.finding.message))
            })
            .collect::<Vec<_>>()
    };
    let first = told();
    assert!(first.len() >= 40);
    assert!(first.is_sorted_by_key(|(place, ..)| place.clone()));
    assert_eq!(first, told());
}

#[test]
fn two_documents_of_one_package_are_two_faces_and_each_is_heard() {
    let folder = Folder::new().skill("s").file("s/skill.contract.json", r#"{"contract_version": "0.8"}"#);
    let report = check(&request(&folder, "s")).unwrap();
    let formats: Vec<_> = report.packages[0].faces.iter().map(|face| face.format).collect();
    assert_eq!(formats, ["agent-skill", "skillpact"]);
    assert_eq!(report.counts.packages, 1);
    assert!(said(&report).iter().any(|(_, code)| code.starts_with("skillpact/")));
}
