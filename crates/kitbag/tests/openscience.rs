//! Open-Science's packages through the verbs: what is packed is read back, and two packs are one.

#![expect(clippy::disallowed_methods, reason = "tests read the files they had written")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use kitbag::check::{self, Report};
use kitbag::interrupt::Interrupt;
use kitbag::pack::{self, Answer, Destination, Existing, Form, Refusal};
use kitbag::read::Source;
use kitbag_core::finding::Severity;
use kitbag_testkit::folder::Folder;

const MANIFEST: &str =
    r#"{"exported_with_app_version": "0.26.0", "version": "1.2.0", "id": "rna-reader", "schema_version": 1}"#;
const SPECIALIST: &str = r#"{"connector_ids": ["pubmed"], "skill_ids": ["tools"], "system_prompt": "Read.",
    "description": "Reads RNA.", "display_name": "RNA Reader!", "name": "RNA Reader"}"#;
const SKILL: &str =
    "---\r\nname: tools\r\ndescription: Tools for RNA. Use them on sequences.\r\n---\r\n\r\n# Tools\r\n";

fn specialist() -> Folder {
    Folder::new()
        .file("rna/manifest.json", MANIFEST)
        .file("rna/specialist.json", SPECIALIST)
        .file("rna/README.txt", "For people.\n")
        .file("rna/skills/tools/SKILL.md", SKILL)
        .file("rna/skills/tools/references/é.md", "More.\n")
}

fn check(folder: &Folder, below: &str) -> Report {
    let request =
        check::Request { sources: vec![Source::Path(folder.at(below))], ..check::Request::default() };
    check::check(&request).unwrap()
}

fn slugs(report: &Report) -> Vec<&str> {
    let located = report.packages.iter().flat_map(|package| &package.findings);
    located.map(|located| located.finding.code.slug).collect()
}

fn pack_as(folder: &Folder, below: &str, form: Option<Form>, file: &str) -> Answer {
    let request = pack::Request {
        folder: folder.at(below),
        form,
        to: Destination::File(folder.at(file)),
        existing: Existing::Keep,
    };
    pack::pack(&request, &Interrupt::default()).unwrap()
}

#[test]
fn a_specialist_is_packed_the_same_every_time_and_read_back() {
    let folder = specialist();
    assert!(slugs(&check(&folder, "rna")).is_empty(), "{:?}", slugs(&check(&folder, "rna")));
    let Answer::Packed(packed) = pack_as(&folder, "rna", None, "one.zip") else { panic!("it is sound") };
    assert_eq!(packed.form, Form::Specialist);
    assert_eq!(packed.files, 5);
    let Answer::Packed(_) = pack_as(&folder, "rna", Some(Form::Specialist), "two.zip") else {
        panic!("it is sound")
    };
    assert_eq!(fs::read(folder.at("one.zip")).unwrap(), fs::read(folder.at("two.zip")).unwrap());
    // The Skill got the version that Open-Science writes, which the specification of skills does not know.
    assert_eq!(slugs(&check(&folder, "one.zip")), ["agent-skill/extension-field"]);

    // Named by nothing, it is called what Open-Science calls it.
    let request = pack::Request {
        folder: folder.at("rna"),
        form: None,
        to: Destination::Folder(folder.path().to_owned()),
        existing: Existing::Keep,
    };
    let Answer::Packed(packed) = pack::pack(&request, &Interrupt::default()).unwrap() else {
        panic!("it is sound")
    };
    assert_eq!(packed.path, folder.at("open-science-specialist-rna-reader-v1.2.0.zip"));
}

#[test]
fn a_specialist_that_would_lose_a_skill_is_not_packed() {
    let folder = specialist().file("rna/skills/Broken/SKILL.md", SKILL);
    assert!(!matches!(pack_as(&folder, "rna", None, "one.zip"), Answer::Packed(_)));
    assert!(!folder.at("one.zip").exists());
}

#[test]
fn any_skill_is_exported_as_a_zip_where_that_is_asked_for() {
    let folder = Folder::new()
        .file(
            "tools/SKILL.md",
            "---\ndisplayName: My Tools\nname: tools\ndescription: Tools for RNA.\n---\n\n# Tools\n",
        )
        .file("tools/a.txt", "x");
    assert!(matches!(pack_as(&folder, "tools", None, "x.zip"), Answer::Refused(Refusal::NoArchive { .. })));
    let Answer::Packed(packed) = pack_as(&folder, "tools", Some(Form::SkillZip), "one.zip") else {
        panic!("it is sound")
    };
    assert_eq!((packed.form, packed.files), (Form::SkillZip, 2));
    let report = check(&folder, "one.zip");
    let errors = report.packages.iter().flat_map(|package| &package.findings);
    assert_eq!(errors.filter(|located| located.finding.severity == Severity::Error).count(), 0);
    // The name for people is the application's own and is not exported.
    let file = fs::File::open(folder.at("one.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut archive.by_name("SKILL.md").unwrap(), &mut text).unwrap();
    assert_eq!(text, "---\nname: tools\ndescription: Tools for RNA.\n---\n\n# Tools\n");
}
